// What is wrong at the moment that is looked at, most urgent first; each leads to its alarm.
import { type Alarm, byUrgency, standingOf } from "../alarm/alarm.ts";
import { alarms, useAlarms } from "../alarms/store.ts";
import { mapped } from "../frame/load.ts";
import { zone } from "../frame/session.ts";
import { instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded, Panel } from "../parts/panel.tsx";
import { Priority } from "../parts/priority.tsx";
import { say } from "./say.ts";

/** How many of them are named; the page of alarms has all. */
const most = 8;

/** The alarms that need somebody. */
export function Urgent() {
  useAlarms();
  return (
    <Panel title={say().urgent} aside={<Link page="alarms">{say().all_alarms}</Link>}>
      <Loaded
        of={mapped(alarms.value, urgentOf)}
        isEmpty={(found) => found.length === 0}
        empty={say().nothing_wrong}
      >
        {(found) => (
          <>
            <ol class="urgent">
              {found.slice(0, most).map((alarm) => <Row key={alarm.occurrence_id} of={alarm} />)}
            </ol>
            {found.length > most && <p class="quiet">{say().more(found.length - most)}</p>}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function urgentOf(all: readonly Alarm[]): readonly Alarm[] {
  return all.filter((it) => standingOf(it) === "needs").toSorted(byUrgency);
}

function Row({ of }: { readonly of: Alarm }) {
  const { occurrence_id, digit, rule_name, device_name, source_tag, raised_ms, status } = of;
  return (
    <li>
      <Priority of={digit} />
      <span>
        <Link page="alarms" params={{ alarm: occurrence_id }}>{rule_name}</Link>
        <br />
        {device_name ?? source_tag}
      </span>
      <span class="quiet">
        {say().since(instantText(raised_ms, zone.value))}
        {status === "claimed" && (
          <>
            <br />
            {say().claimed}
          </>
        )}
      </span>
    </li>
  );
}
