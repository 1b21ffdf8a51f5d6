// The life of an alarm: what each action and each turn of its condition makes of an occurrence.
import {
  type AlarmEvent,
  type AlarmStatus,
  type EventDraft,
  hasEnded,
  type Occurrence,
} from "./alarm.ts";
import { leadsTo, resumedFrom } from "./fold.ts";

/** An occurrence after a change, and the events that record it; both are to be stored. */
export type LifeStep = {
  readonly occurrence: Occurrence;
  readonly events: readonly EventDraft[];
};

/** What the id of the event begins with that a shared alarm's shelf has ended. */
export const wake_prefix = "wk-until-";

/** What an operator does, with what must be said of it. */
export type QueueAction =
  | { readonly action: "claim" }
  | { readonly action: "release" }
  | { readonly action: "shelve"; readonly until_us: number; readonly reason: string }
  | { readonly action: "unshelve" }
  | { readonly action: "resolve"; readonly note: string }
  | { readonly action: "reopen" }
  | { readonly action: "comment"; readonly body: string };

/** Who acts, and when. */
type Actor = {
  readonly user_id: string;
  readonly at_us: number;
  /** The occurrence's newest events, oldest first, which tell a repeated action; may be left out
   * where none can be one. */
  readonly events?: readonly AlarmEvent[];
};

/** What an action comes to; `refused` says why, of "it". */
export type Acted =
  | { readonly step: LifeStep }
  | { readonly unchanged: true }
  | { readonly refused: string };

/** An operator's action on an occurrence: it depends on the status only, but for the reopening of
 * what has ended. The same action by the same user again is `unchanged`. */
export function act(occurrence: Occurrence, action: QueueAction, by: Actor): Acted {
  if (isRepeat(occurrence, action, by)) return { unchanged: true };
  const refused = refusalOf(occurrence, action);
  if (refused !== undefined) return { refused };
  const { user_id, at_us } = by;
  const event: EventDraft = {
    type: event_types[action.action],
    kind: "operator",
    created_at: at_us,
    user_id,
    body: bodyOf(action),
    ...(action.action === "shelve" ? { detail: { until: instantText(action.until_us) } } : {}),
  };
  return {
    step: stepOf(occurrence, { to: moved(occurrence, { action, user_id }), events: [event] }),
  };
}

/** How a condition went; `kind` is `system` where it was not the samples that said so. */
type Recovery = {
  readonly at_us: number;
  readonly recovered_value: number | null;
  readonly last_value: number | null;
  readonly peak_value?: number | null;
  readonly peak_at?: number | null;
  readonly kind?: "lifecycle" | "system";
  readonly detail?: unknown;
};

/**
 * The condition has gone. A shelved occurrence that ends with it leaves the shelf. Undefined: it
 * has ended, or was cleared before.
 */
export function clear(occurrence: Occurrence, recovery: Recovery): LifeStep | undefined {
  if (occurrence.cleared_at !== null || hasEnded(occurrence)) return undefined;
  const { at_us, kind = "lifecycle", detail, ...values } = recovery;
  const cleared_at = Math.max(at_us, occurrence.raised_at);
  const events: EventDraft[] = [{ type: "cleared", kind, created_at: cleared_at, detail }];
  const leaves = occurrence.resolution_policy === "auto" && occurrence.status === "shelved";
  // A sample may be older than the shelf, which is left after it was put there all the same.
  const left_at = Math.max(cleared_at, occurrence.updated_at);
  if (leaves) events.push({ type: "unshelved", kind: "system", created_at: left_at });
  const to = { ...values, ...(leaves ? unshelved(occurrence) : {}), cleared_at };
  return stepOf(occurrence, { to, events });
}

/** How a condition came back. */
type Return = {
  readonly at_us: number;
  /** The sample that shows it. */
  readonly source_ts: number;
  readonly value: number;
  readonly peak_value?: number | null;
  readonly peak_at?: number | null;
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** The condition is back on a cleared occurrence. Undefined: it has ended, or is still active. */
export function reraise(occurrence: Occurrence, back: Return): LifeStep | undefined {
  if (occurrence.cleared_at === null || hasEnded(occurrence)) return undefined;
  const { at_us, source_ts, value, detail, ...peak } = back;
  const event: EventDraft = {
    type: "reraised",
    kind: "lifecycle",
    created_at: at_us,
    detail: { value, source_ts: instantText(source_ts), ...detail },
  };
  const to = { ...peak, cleared_at: null, recovered_value: null, last_value: value };
  return stepOf(occurrence, { to, events: [event] });
}

/** The shelf's time is up: the event tells when it was. Undefined: it is not, or there is none. */
export function wake(occurrence: Occurrence, at_us: number): LifeStep | undefined {
  const { status, shelved_until } = occurrence;
  if (status !== "shelved" || shelved_until === null || shelved_until > at_us) return undefined;
  return leaveShelf(occurrence, { at_us: shelved_until, event_id: wakeIdOf(occurrence) });
}

/** What keeps an occurrence out of the queue. */
type Inhibition = {
  readonly by: Pick<Occurrence, "occurrence_no" | "occurrence_id">;
  readonly at_us: number;
};

/** Shelved by the service until `uninhibit`. Undefined: it is shelved or resolved. */
export function inhibit(occurrence: Occurrence, { by, at_us }: Inhibition): LifeStep | undefined {
  const { status } = occurrence;
  if (status !== "open" && status !== "claimed") return undefined;
  const to = {
    status: "shelved",
    resumes: status,
    shelved_until: null,
    inhibited_by: by.occurrence_no,
  } as const;
  const detail = { inhibited_by: by.occurrence_id };
  const event: EventDraft = { type: "shelved", kind: "system", created_at: at_us, detail };
  return stepOf(occurrence, { to, events: [event] });
}

/** What inhibited it has gone. Undefined: nothing did, or an operator took it off the shelf. */
export function uninhibit(occurrence: Occurrence, at_us: number): LifeStep | undefined {
  if (occurrence.status !== "shelved" || occurrence.inhibited_by === null) return undefined;
  return leaveShelf(occurrence, { at_us });
}

const event_types = {
  claim: "claimed",
  release: "released",
  shelve: "shelved",
  unshelve: "unshelved",
  resolve: "resolved",
  reopen: "reopened",
  comment: "commented",
} as const;

const by_shelf = "it is shelved: unshelve it first";
const by_resolution = "it is resolved: reopen it first";

/** Why a status forbids an action; what is not here is allowed. */
const refusals: Record<QueueAction["action"], Partial<Record<AlarmStatus, string>>> = {
  claim: {
    claimed: "it is claimed already: it has to be released first",
    shelved: by_shelf,
    resolved: by_resolution,
  },
  release: { open: "it is not claimed", shelved: by_shelf, resolved: by_resolution },
  shelve: { shelved: "it is shelved already: unshelve it first", resolved: by_resolution },
  unshelve: {
    open: "it is not shelved",
    claimed: "it is not shelved",
    resolved: "it is resolved, not shelved",
  },
  resolve: { resolved: "it is resolved already: reopen it first" },
  reopen: {
    open: "it is not resolved",
    claimed: "it is not resolved",
    shelved: "it is not resolved",
  },
  comment: {},
};

function refusalOf(occurrence: Occurrence, { action }: QueueAction): string | undefined {
  if (action === "reopen" && occurrence.status === "resolved" && hasEnded(occurrence)) {
    return "it has ended: a new one is raised when the condition returns";
  }
  return refusals[action][occurrence.status];
}

/** Whether the last thing done in the queue is this very action, by the same user. */
function isRepeat(occurrence: Occurrence, action: QueueAction, by: Actor): boolean {
  const { status, claimed_by, shelved_until } = occurrence;
  if (action.action === "claim") return status === "claimed" && claimed_by === by.user_id;
  // As they were stored: an alarm's own times may lie a little ahead of the clock here.
  const stored = by.events?.toSorted((a, b) => a.feed_no - b.feed_no);
  const last = action.action === "comment"
    ? stored?.at(-1)
    : stored?.findLast((event) => leadsTo(event) !== undefined);
  return last?.type === event_types[action.action] && last.kind === "operator" &&
    last.user_id === by.user_id && last.body === bodyOf(action) &&
    (action.action !== "shelve" || action.until_us === shelved_until);
}

function bodyOf(action: QueueAction): string | null {
  if (action.action === "shelve") return action.reason;
  if (action.action === "resolve") return action.note;
  return action.action === "comment" ? action.body : null;
}

const off_shelf = { resumes: null, shelved_until: null, inhibited_by: null } as const;

function moved(
  occurrence: Occurrence,
  { action, user_id }: { readonly action: QueueAction; readonly user_id: string },
): Partial<Occurrence> {
  switch (action.action) {
    case "claim":
      return { status: "claimed", claimed_by: user_id };
    case "release":
      return { status: "open", claimed_by: null };
    case "shelve":
      return {
        status: "shelved",
        resumes: resumedFrom(occurrence.status),
        shelved_until: action.until_us,
      };
    case "unshelve":
      return unshelved(occurrence);
    case "resolve":
      return { ...off_shelf, status: "resolved", claimed_by: null, resolution: action.note };
    case "reopen":
      return { status: "open", resolution: null };
    case "comment":
      return {};
  }
}

/** Both sides of an alarm that a centre shares with its gateway make the same event. */
function wakeIdOf({ judged_at, shelved_until }: Occurrence): string | undefined {
  return judged_at === "gateway" ? `${wake_prefix}${shelved_until}` : undefined;
}

function leaveShelf(
  occurrence: Occurrence,
  { at_us, event_id }: { readonly at_us: number; readonly event_id?: string },
): LifeStep {
  const id = event_id === undefined ? {} : { event_id };
  const event: EventDraft = { ...id, type: "unshelved", kind: "system", created_at: at_us };
  return stepOf(occurrence, { to: unshelved(occurrence), events: [event] });
}

function unshelved({ resumes }: Occurrence): Partial<Occurrence> {
  return { ...off_shelf, status: resumes ?? "open" };
}

/** `updated_at` rises with every change, so that the newest of some snapshots can be told. */
function stepOf(
  occurrence: Occurrence,
  { to, events }: { readonly to: Partial<Occurrence>; readonly events: readonly EventDraft[] },
): LifeStep {
  const updated_at = Math.max(occurrence.updated_at + 1, events[0].created_at);
  return { occurrence: { ...occurrence, ...to, updated_at }, events };
}

function instantText(us: number): string {
  const instant = Temporal.Instant.fromEpochNanoseconds(BigInt(us) * 1000n);
  return instant.toString({ fractionalSecondDigits: 6 });
}
