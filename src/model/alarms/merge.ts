// One alarm in two services: its queue, from the events of both in the order of their times.
import type { AlarmEvent, Occurrence } from "./alarm.ts";
import { hasEnded } from "./alarm.ts";
import { act, type QueueAction } from "./life.ts";
import { resumedFrom } from "./fold.ts";

/** The type of the event that says of an operator's that it came to nothing, and why. */
export const not_applied = "not_applied";

/** What the ids of a centre's events begin with, of an alarm that a gateway judges. */
export const centre_prefix = "wk-c";

/** What follows from the events of both sides. */
export type Merged = {
  readonly queue: Pick<
    Occurrence,
    | "status"
    | "resumes"
    | "shelved_until"
    | "claimed_by"
    | "resolution"
    | "inhibited_by"
    | "cleared_at"
  >;
  /** By event, why the life of an alarm does not allow it at its place. */
  readonly refused: ReadonlyMap<string, string>;
};

/** Gives the number of an alarm by its ID; null where there is none. */
type NumberOf = (occurrence_id: string) => number | null;

/**
 * The queue as all events make it, whatever order they came in. Each side's own stay in their
 * order; between the sides the earlier one goes first, and a gateway's where both are of one time.
 * `numberOf` gives the number of the alarm that keeps another out of the queue, by its ID.
 */
export function merge(
  occurrence: Occurrence,
  events: readonly AlarmEvent[],
  numberOf: NumberOf,
): Merged {
  const refused = new Map<string, string>();
  let now: Occurrence = {
    ...occurrence,
    ...{ status: "open", resumes: null, shelved_until: null, claimed_by: null, resolution: null },
    ...{ inhibited_by: null, cleared_at: null },
  };
  for (const event of inOrder(events)) {
    const action = actionOf(event);
    if (action === undefined) {
      now = { ...now, ...told(now, event, numberOf) };
      continue;
    }
    const acted = act(now, action, { user_id: actorOf(event), at_us: event.created_at });
    if ("step" in acted) now = acted.step.occurrence;
    if ("refused" in acted) refused.set(event.event_id, acted.refused);
  }
  const { status, resumes, shelved_until, claimed_by, resolution, inhibited_by, cleared_at } = now;
  return {
    queue: { status, resumes, shelved_until, claimed_by, resolution, inhibited_by, cleared_at },
    refused,
  };
}

/** The events that were noted to have come to nothing. */
export function notedIn(events: readonly AlarmEvent[]): ReadonlySet<string> {
  const notes = events.filter(({ type }) => type === not_applied);
  return new Set(notes.map((note) => String(detailOf(note).event_id)));
}

/** Whether an event was made by a centre, of an alarm that a gateway judges. */
export function isOfCentre({ event_id }: Pick<AlarmEvent, "event_id">): boolean {
  return event_id.startsWith(centre_prefix);
}

/** Who did something, by what tells people apart on either side. */
function actorOf({ user_id, user_email, external_user_id }: AlarmEvent): string {
  return user_id ?? user_email ?? external_user_id ?? "";
}

type Placed = { readonly event: AlarmEvent; readonly at_us: number };

function inOrder(events: readonly AlarmEvent[]): readonly AlarmEvent[] {
  const sides = [/^wk-\d/, /^wk-c\d/, /^wk-until-/].map((form, side) => {
    const own = events.filter(({ event_id }) => form.test(event_id))
      .sort((a, b) => numberIn(a) - numberIn(b));
    let at_us = -Infinity;
    return own.map((event): Placed & { side: number } => {
      // A sample may be older than what was done before it came.
      at_us = Math.max(at_us, event.created_at);
      return { event, at_us, side };
    });
  });
  // Stable: what is of one time and side stays in its order.
  return sides.flat().sort((a, b) => a.at_us - b.at_us || a.side - b.side)
    .map(({ event }) => event);
}

function numberIn({ event_id }: AlarmEvent): number {
  return Number(/\d+$/.exec(event_id)?.[0] ?? 0);
}

/** What an operator's event did; undefined for any other event. */
function actionOf(event: AlarmEvent): QueueAction | undefined {
  if (event.kind !== "operator") return undefined;
  const body = event.body ?? "";
  switch (event.type) {
    case "claimed":
      return { action: "claim" };
    case "released":
      return { action: "release" };
    case "shelved":
      return { action: "shelve", until_us: instantIn(detailOf(event).until), reason: body };
    case "unshelved":
      return { action: "unshelve" };
    case "resolved":
      return { action: "resolve", note: body };
    case "reopened":
      return { action: "reopen" };
    case "commented":
      return { action: "comment", body };
  }
}

const off_shelf = { resumes: null, shelved_until: null, inhibited_by: null } as const;

/** What an event that no operator made changes; what it says was judged at the gateway. */
function told(
  now: Occurrence,
  event: AlarmEvent,
  numberOf: NumberOf,
): Partial<Occurrence> {
  const { type, created_at } = event;
  const { status, shelved_until } = now;
  if (type === "cleared") return { cleared_at: created_at };
  if (type === "reraised") return { cleared_at: null };
  if (type === "shelved" && (status === "open" || status === "claimed")) {
    const by = detailOf(event).inhibited_by;
    const inhibited_by = typeof by === "string" ? numberOf(by) : null;
    return { status: "shelved", resumes: resumedFrom(status), shelved_until: null, inhibited_by };
  }
  if (type !== "unshelved" || status !== "shelved") return {};
  // The end of a shelf that was put up before says nothing of this one.
  if (shelved_until !== null && created_at < shelved_until && !hasEnded(now)) return {};
  return { ...off_shelf, status: now.resumes ?? "open" };
}

function detailOf({ detail }: AlarmEvent): Readonly<Record<string, unknown>> {
  return detail === null ? {} : JSON.parse(detail) ?? {};
}

function instantIn(text: unknown): number {
  const instant = Temporal.Instant.from(String(text));
  return Number(instant.epochNanoseconds / 1000n);
}
