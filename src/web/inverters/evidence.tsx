// An inverter's states and losses, each with what tells of it; a line opens its time.
import type { ComponentChildren } from "preact";
import type { Load } from "../frame/load.ts";
import { quantityText } from "../frame/number.ts";
import { zone } from "../frame/session.ts";
import { dateText, dayOf, timeText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import type { Evidence } from "./device_data.ts";
import { say } from "./say.ts";
import { isOut, type LossSpan, type StateSpan } from "./states.ts";
import { addressTime, placeWith, type Span } from "./view.ts";

type EvidenceProps = { readonly evidence: Load<Evidence> };

/** The states of an inverter. */
export function States({ evidence }: EvidenceProps) {
  return (
    <Panel title={say().states}>
      <Loaded of={evidence} isEmpty={(it) => it.states.length === 0} empty={say().no_states}>
        {({ states }) => (
          <Table heads={[say().from, say().state, say().known_by]}>
            {states.map((span) => (
              <tr class={isOut(span.state) ? "out" : undefined}>
                <td>
                  <SpanLink span={span} />
                </td>
                <td>{say()[`state_${span.state}`]}</td>
                <td>{knownBy(span)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </Panel>
  );
}

/** What an inverter lost. */
export function Losses({ evidence }: EvidenceProps) {
  return (
    <Panel title={say().losses}>
      <Loaded of={evidence} isEmpty={(it) => it.losses.length === 0} empty={say().no_losses}>
        {({ losses }) => (
          <Table heads={[say().from, say().loss, say().energy, say().known_by]}>
            {losses.map((span) => (
              <tr>
                <td>
                  <SpanLink span={span} />
                </td>
                <td>{say()[`part_${span.part}`]}</td>
                <td class="number">
                  {Number.isNaN(span.energy_wh)
                    ? say().goes_on
                    : quantityText(span.energy_wh, "Wh")}
                </td>
                <td>{knownBy(span)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
    </Panel>
  );
}

function Table({ heads, children }: {
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={heads[1]}>
      <table>
        <thead>
          <tr>{heads.map((it) => <th scope="col">{it}</th>)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A span of time; it opens the minutes of its day. */
function SpanLink({ span: { from_ms, to_ms } }: { readonly span: Span }) {
  const day = dayOf(from_ms, zone.value);
  const margin = 15 * 60_000;
  const params = placeWith({
    range: undefined,
    day,
    from: addressTime(from_ms - margin),
    to: addressTime(to_ms + margin),
    cell: undefined,
  });
  const [from, to] = [timeText(from_ms, zone.value), timeText(to_ms, zone.value)];
  return (
    <Link page="inverters" params={params}>
      {placeWith({}).range === "month" && `${dateText(from_ms, zone.value)} `}
      {from}–{to}
    </Link>
  );
}

function knownBy({ evidence, detail, override }: (LossSpan | StateSpan) & {
  readonly override?: StateSpan["override"];
}): string {
  if (override) return `${say().evidence_override} (${override.author}: ${override.reason})`;
  const known = say()[`evidence_${evidence}`];
  return detail && evidence !== "peers" ? `${known} (${detail})` : known;
}
