// What happened to an inverter: its states and losses with what tells of them, alarms, and work.
import type { ComponentChildren } from "preact";
import type { Load } from "../frame/load.ts";
import type { Device } from "../frame/plant.ts";
import { quantityText } from "../frame/number.ts";
import { project, zone } from "../frame/session.ts";
import { dateText, dayOf, instantText, offsetText, timeText } from "../frame/zone.ts";
import { Export } from "../parts/export.tsx";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import type { DeviceEvidence } from "./device_data.ts";
import { digitOf, Priority } from "../parts/priority.tsx";
import { isOpenIssue, type IssueRow, type ShownAlarm } from "./past.ts";
import { wordIn } from "../frame/words.ts";
import { say } from "./say.ts";
import { isOut, type LostSpan, type StateSpan } from "./states.ts";
import { addressTime, type MapRange, type MapSpan, placeWith, tellsLater } from "./view.ts";

type EvidenceProps = {
  readonly evidence: Load<DeviceEvidence>;
  readonly device: Device;
  readonly range: MapRange;
};

/** In a month only what is out of the ordinary is listed. */
const ordinary = ["full_capability", "out_of_environmental_specification"];

/** The states of an inverter. */
export function StateTable({ evidence, device, range }: EvidenceProps) {
  const isShown = ({ state }: StateSpan) => range.kind === "day" || !ordinary.includes(state);
  return (
    <Panel
      title={say().states}
      aside={<Rows of={device} path="/platform/v1/availability/timeline" range={range} />}
    >
      <Loaded of={evidence} isEmpty={(it) => it.states.length === 0} empty={say().no_states}>
        {({ states }) => (
          <Table heads={[say().from, say().state, say().known_by]}>
            {states.filter(isShown).map((span) => (
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
export function LossTable({ evidence, device, range }: EvidenceProps) {
  return (
    <Panel
      title={say().losses}
      aside={<Rows of={device} path="/platform/v1/losses/timeline" range={range} />}
    >
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

/** A timeline of an inverter to take away. */
function Rows({ of: { hierarchy_id, key }, path, range }: {
  readonly of: Device;
  readonly path: string;
  readonly range: MapRange;
}) {
  if (hierarchy_id === null || tellsLater(range)) return null;
  const { from, to } = range;
  const query = {
    project_id: project.value!.id,
    hierarchy_ids: hierarchy_id,
    dt_start: from,
    dt_end: to,
  };
  return <Export path={path} query={query} name={`${key}-${from}`} />;
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
function SpanLink({ span: { from_ms, to_ms } }: { readonly span: MapSpan }) {
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
      {placeWith({}).range === "month" && <span class="date">{dateText(from_ms, zone.value)}</span>}
      {from}–{to}
    </Link>
  );
}

function knownBy({ evidence, detail, override }: (LostSpan | StateSpan) & {
  readonly override?: StateSpan["override"];
}): string {
  if (override) return `${say().evidence_override} (${override.author}: ${override.reason})`;
  const known = say()[`evidence_${evidence}`];
  return detail && evidence !== "peers" ? `${known} (${detail})` : known;
}

/** The alarms of the shown time. */
export function DeviceAlarms({ alarms }: { readonly alarms: Load<readonly ShownAlarm[]> }) {
  return (
    <Panel title={say().alarms}>
      <Loaded of={alarms} isEmpty={(it) => it.length === 0} empty={say().no_alarms}>
        {(list) => (
          <ul class="happenings">
            {list.map(({ id, name, labels, severity, raised_ms, cleared_ms }) => (
              <li>
                <Priority of={digitOf(severity)} />
                <Link page="alarms" params={{ alarm: id }}>{[name, ...labels].join(", ")}</Link>
                <span class="quiet">
                  {instantText(raised_ms, zone.value)} {offsetText(raised_ms, zone.value)},{" "}
                  {cleared_ms === undefined
                    ? say().stands
                    : say().until(instantText(cleared_ms, zone.value))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}

/** What is open about the inverter, and its work orders. */
export function DeviceWork({ issues }: { readonly issues: Load<readonly IssueRow[]> }) {
  const none = (list: readonly IssueRow[]) => !list.some(isOpenIssue);
  return (
    <Panel title={say().work}>
      <Loaded of={issues} isEmpty={none} empty={say().no_work}>
        {(list) => (
          <ul class="happenings">{list.filter(isOpenIssue).map((it) => <Issue of={it} />)}</ul>
        )}
      </Loaded>
    </Panel>
  );
}

function Issue({ of: { id, number, name, status, work_orders } }: { readonly of: IssueRow }) {
  return (
    <li>
      <Link page="work" params={{ issue: id }}>{say().issue_number(number)}</Link>
      <span>{name}</span>
      <span class="quiet">{statusText(status)}</span>
      {work_orders.map(({ number, title, status }) => (
        <div class="quiet">{say().order(number)}: {title} ({statusText(status)})</div>
      ))}
    </li>
  );
}

function statusText(status: string): string {
  return wordIn(say(), `status_${status}`) ?? status;
}
