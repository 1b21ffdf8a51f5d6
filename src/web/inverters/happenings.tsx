// What happened to an inverter, and what is done about it: its alarms, issues and work orders.
import type { Load } from "../frame/load.ts";
import { zone } from "../frame/session.ts";
import { instantText, offsetText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { digitOf, Priority } from "../parts/priority.tsx";
import { isOpen, type IssueRow, type ShownAlarm } from "./past.ts";
import { say } from "./say.ts";

/** The alarms of the shown time. */
export function Alarms({ alarms }: { readonly alarms: Load<readonly ShownAlarm[]> }) {
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
export function Work({ issues }: { readonly issues: Load<readonly IssueRow[]> }) {
  const none = (list: readonly IssueRow[]) => !list.some(isOpen);
  return (
    <Panel title={say().work}>
      <Loaded of={issues} isEmpty={none} empty={say().no_work}>
        {(list) => <ul class="happenings">{list.filter(isOpen).map((it) => <Issue of={it} />)}</ul>}
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
  const texts: Readonly<Record<string, unknown>> = say();
  const text = texts[`status_${status}`];
  return typeof text === "string" ? text : status;
}
