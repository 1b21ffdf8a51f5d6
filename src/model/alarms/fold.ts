// The queue status and the condition of an alarm, from its events.
import type { AlarmEvent, AlarmStatus, EventDraft } from "./alarm.ts";

/**
 * The two axes as the events tell them, oldest first. Of a source's occurrence only what the
 * service wrote counts: `detail.status` and `detail.cleared_at` (null: active) of its `raised` and
 * `source_updated` events are the snapshots' word.
 */
export function fold(
  events: readonly (EventDraft | AlarmEvent)[],
): { status: AlarmStatus; cleared: boolean } {
  let [status, cleared]: [AlarmStatus, boolean] = ["open", false];
  let resumes: "open" | "claimed" = "open";
  for (const event of events) {
    const led = leadsTo(event);
    const next = led === "back" ? resumes : led;
    if (next === "shelved" && status !== "shelved") resumes = resumedFrom(status);
    status = next ?? status;
    cleared = clearedBy(event) ?? cleared;
  }
  return { status, cleared };
}

/** The status that an event leads to; `back`: the one before the shelf; undefined: it does not. */
export function leadsTo(event: EventDraft | AlarmEvent): AlarmStatus | "back" | undefined {
  return isOwn(event) ? leads.get(event.type) ?? told(event).status : undefined;
}

/** Where an occurrence goes from the shelf that it was put on in this status. */
export function resumedFrom(status: AlarmStatus): "open" | "claimed" {
  return status === "claimed" ? "claimed" : "open";
}

/** The status that an event of a type leads to. */
const leads: ReadonlyMap<string, AlarmStatus | "back"> = new Map([
  ["claimed", "claimed"],
  ["released", "open"],
  ["shelved", "shelved"],
  ["unshelved", "back"],
  ["resolved", "resolved"],
  ["reopened", "open"],
]);

function clearedBy(event: EventDraft | AlarmEvent): boolean | undefined {
  if (!isOwn(event)) return undefined;
  if (event.type === "cleared" || event.type === "reraised") return event.type === "cleared";
  const { cleared_at } = told(event);
  return cleared_at === undefined ? undefined : cleared_at !== null;
}

function isOwn({ event_id }: EventDraft | AlarmEvent): boolean {
  return event_id === undefined || event_id.startsWith("wk-");
}

type Told = { readonly status?: AlarmStatus; readonly cleared_at?: unknown };

function told({ detail }: EventDraft | AlarmEvent): Told {
  const data: unknown = typeof detail === "string" ? JSON.parse(detail) : detail;
  return data !== null && typeof data === "object" ? data : {};
}
