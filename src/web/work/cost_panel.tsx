// What a fault cost in energy, by cause, and what that does not say.
import { percentText, quantityText } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { dayOf, instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import type { Issue } from "./item.ts";
import { say } from "./say.ts";
import { type IssueCost, useCost } from "./store.ts";
import { wordOf } from "./value.ts";

/** The cost of an issue. */
export function CostPanel({ issue }: { readonly issue: Issue }) {
  const cost = useCost(issue);
  return (
    <section>
      <h3>{say().cost}</h3>
      <Loaded of={cost} isEmpty={(it) => it === null} empty={say().no_cost}>
        {(it) => <Parts cost={it!} />}
      </Loaded>
    </section>
  );
}

function Parts({ cost }: { readonly cost: IssueCost }) {
  const { lost_wh, parts, unmeasured_wh, affected, reckoned_ms } = cost;
  const from_ms = Math.min(...affected.map((it) => it.from_ms));
  const to_ms = Math.max(...affected.map((it) => it.to_ms));
  const names = affected.slice(0, 3).map(({ device }) => device.name).join(", ");
  if (Number.isNaN(reckoned_ms)) return <p class="quiet">{say().not_reckoned}</p>;
  return (
    <>
      <p class="work-cost">
        <b>{quantityText(lost_wh, "Wh")}</b> {say().lost_over(
          names + (affected.length > 3 ? ` +${affected.length - 3}` : ""),
          instantText(from_ms, zone.value),
          instantText(reckoned_ms, zone.value),
        )}
      </p>
      {parts.length > 0 && (
        <table>
          <tbody>
            {parts.map(({ part, energy_wh }) => (
              <tr>
                <th scope="row">{wordOf("part", part)}</th>
                <td class="number">{quantityText(energy_wh, "Wh")}</td>
                <td class="number">{percentText(energy_wh / lost_wh, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet small">
        {reckoned_ms < to_ms && `${say().later_not_reckoned} `}
        {unmeasured_wh > 0 && `${say().not_measured(quantityText(unmeasured_wh, "Wh"))} `}
        {say().not_accounted}{" "}
        <Link
          page="losses"
          params={{ from: dayOf(from_ms, zone.value), to: dayOf(to_ms - 1, zone.value) }}
        >
          {say().to_losses}
        </Link>
      </p>
    </>
  );
}
