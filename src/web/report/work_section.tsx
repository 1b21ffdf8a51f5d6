// The work of the month: issues with what each fault cost, and completed work orders.
import { quantityText } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { dateText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import type { Days } from "../losses/range.ts";
import { useWorkOf } from "./data.ts";
import { say } from "./say.ts";
import { completedMs } from "./work.ts";

type Work = NonNullable<ReturnType<typeof useWorkOf>["data"]>;

/** What was done, and what was still open. */
export function WorkSection({ range }: { readonly range: Days }) {
  return (
    <section>
      <h3>{say().work}</h3>
      <Loaded
        of={useWorkOf(range)}
        isEmpty={({ issues, orders }) => issues.length + orders.length === 0}
        empty={say().no_work}
      >
        {({ issues, orders }) => (
          <>
            {issues.length > 0 && <Issues of={issues} />}
            {orders.length > 0 && <Orders of={orders} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Issues({ of }: { readonly of: Work["issues"] }) {
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label={say().issue}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say().issue}</th>
            <th scope="col">{say().resolved}</th>
            <th scope="col" class="number">{say().cost}</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ issue, entered_ms, resolved_ms, cost }) => (
            <tr key={issue.id}>
              <th scope="row">
                <Link page="work" params={{ issue: issue.id }}>#{issue.number} {issue.name}</Link>
                {entered_ms !== undefined && (
                  <>
                    <br />
                    <small class="quiet">{say().entered(dateText(entered_ms, zone.value))}</small>
                  </>
                )}
              </th>
              <td>
                {resolved_ms === undefined ? say().still_open : dateText(resolved_ms, zone.value)}
              </td>
              <td class="number">{quantityText(cost, "Wh")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Orders({ of }: { readonly of: Work["orders"] }) {
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label={say().order}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say().order}</th>
            <th scope="col">{say().completed}</th>
          </tr>
        </thead>
        <tbody>
          {of.map((order) => (
            <tr key={order.id}>
              <th scope="row">#{order.number} {order.title}</th>
              <td>{dateText(completedMs(order), zone.value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
