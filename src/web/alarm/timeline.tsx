// What happened to an alarm: when, what and by whom, with what was said.
import { zone } from "../frame/session.ts";
import { instantText, offsetText } from "../frame/zone.ts";
import type { Alarm, AlarmEvent } from "./alarm.ts";
import { actorOf } from "./people.ts";
import { wordIn } from "../frame/words.ts";
import { say } from "./say.ts";

/** The events of an alarm, the newest first. */
export function Timeline({ alarm }: {
  readonly alarm: Alarm;
}) {
  return (
    <ol class="timeline">
      {alarm.events.toReversed().map((event) => {
        const iso = new Date(event.at_ms).toISOString();
        return (
          <li key={event.event_id}>
            <time dateTime={iso} title={iso}>
              {instantText(event.at_ms, zone.value)}{" "}
              <small class="quiet">{offsetText(event.at_ms, zone.value)}</small>
            </time>
            <div>
              <b>{eventWord(event)}</b> <span class="quiet">{whoOf(event)}</span>
              {untilOf(event)}
              {event.body && <p>{event.body}</p>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** What an event is called; a source's own word stays. */
export function eventWord({ type }: Pick<AlarmEvent, "type">): string {
  return wordIn(say(), `event_${type}`) ?? type;
}

function whoOf(event: AlarmEvent): string {
  const name = actorOf(event);
  if (name !== undefined) return name;
  if (event.kind === "lifecycle") return say().by_rule;
  return event.kind === "system" ? say().by_system : "";
}

function untilOf({ detail: { until } }: AlarmEvent) {
  if (typeof until !== "string") return null;
  return <span>· {say().until(instantText(Date.parse(until), zone.value))}</span>;
}
