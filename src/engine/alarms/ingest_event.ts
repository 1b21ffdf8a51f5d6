// The events of a source's alarm: those that it sent, and those made from its snapshots.
import type { EventDraft, Occurrence } from "../../model/alarms/alarm.ts";
import type { SentEvent } from "../../model/alarms/row.ts";
import type { Changeable } from "../../model/alarms/snapshot.ts";
import { isNamed, type User } from "../../model/access/user.ts";
import type { WaitingDraft, WaitingEvent } from "../../store/alarms/waiting.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Users } from "../access/user.ts";

/** What the service's own events begin with; a source's event never does. */
const own_prefix = "wk-";

/** Whether an event comes from a service such as this one, with an id as it gives. */
export function isForeignOwn({ event_id }: Pick<SentEvent, "event_id">): boolean {
  return event_id.startsWith(own_prefix);
}

/** A source's event before its occurrence, as it was sent. */
export function waitingOf(occurrence_id: string, event: SentEvent): WaitingDraft {
  const { body = null, user_id = null, user_email = null, external_user_id = null } = event;
  const detail = event.detail ?? null;
  return {
    ...{ ...event, occurrence_id, body, user_id, user_email, external_user_id },
    detail: detail === null ? null : JSON.stringify(detail),
  };
}

/** An event that waited, as it was sent. */
export function waitedEvent(waiting: WaitingEvent): SentEvent {
  const { occurrence_id: _, received_at: __, detail, ...event } = waiting;
  return { ...event, detail: detail === null ? null : JSON.parse(detail) };
}

/** Brings events as they were sent into the form that is kept; knows an organization's users. */
export class SentEvents {
  readonly #users: readonly User[];
  readonly #found = new Map<string, User | undefined>();

  constructor(users: Users, organization_id: string) {
    this.#users = users.list().filter((user) => user.organization_id === organization_id);
  }

  /**
   * The event to keep. Its user is one of the organization, by id or address; else the address is
   * kept as it was sent, and an id as the source's. An id as the service's own is set apart.
   */
  draftOf(event: SentEvent): EventDraft {
    const { user_id = null, user_email = null, external_user_id = null } = event;
    const user = this.#find(user_id) ?? this.#find(user_email);
    return {
      ...event,
      event_id: isForeignOwn(event) ? `sent-${event.event_id}` : event.event_id,
      user_id: user?.id ?? null,
      user_email: user === undefined ? user_email : null,
      external_user_id: external_user_id ?? (user_id === user?.id ? null : user_id),
    };
  }

  #find(word: string | null): User | undefined {
    if (word === null) return undefined;
    if (!this.#found.has(word)) {
      this.#found.set(word, this.#users.find((user) => isNamed(user, word)));
    }
    return this.#found.get(word);
  }
}

/**
 * The events of an occurrence's first snapshot, taken at `at_us`, beside the source's own: that it
 * was raised, unless the source says so itself, and its state if that is not open and active.
 */
export function firstEvents(
  first: Occurrence,
  { sent, at_us }: { readonly sent: readonly EventDraft[]; readonly at_us: number },
): readonly EventDraft[] {
  const { status, cleared_at, updated_at } = first;
  const fields = [
    ...(status === "open" ? [] : ["status"] as const),
    ...(cleared_at === null ? [] : ["cleared_at"] as const),
  ];
  const detail = fields.length === 0 ? null : shown(first, fields);
  if (!sent.some((event) => event.type === "raised")) {
    const created_at = Math.min(first.raised_at, updated_at, at_us);
    return [{ type: "raised", kind: "lifecycle", created_at, detail }];
  }
  if (detail === null) return [];
  const created_at = Math.min(updated_at, at_us);
  return [{ type: "source_updated", kind: "source", created_at, detail }];
}

/** What a later snapshot that is taken at `at_us` changed: the fields, as they are now. */
export function changeEvent(
  occurrence: Occurrence,
  { changed, at_us }: { readonly changed: readonly Changeable[]; readonly at_us: number },
): EventDraft {
  return {
    type: "source_updated",
    kind: "source",
    // A source's clock may run ahead; what is done here later must not come before.
    created_at: Math.min(occurrence.updated_at, at_us),
    detail: shown(occurrence, changed),
  };
}

const instants: ReadonlySet<Changeable> = new Set([
  "raised_at",
  "source_ts",
  "cleared_at",
  "peak_at",
]);

/** Fields as answers show them. */
function shown(occurrence: Occurrence, fields: readonly Changeable[]) {
  return Object.fromEntries(fields.map((field) => {
    const value = occurrence[field];
    if (instants.has(field)) return [field, value === null ? null : instantText(Number(value))];
    return [field, field === "params" && value !== null ? JSON.parse(String(value)) : value];
  }));
}
