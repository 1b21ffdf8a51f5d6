// Changes of alarms within one write: collected by occurrence, then stored whole.
import { assert } from "../../base/assert.ts";
import {
  type EventDraft,
  type Occurrence,
  occurrence_nulls,
  type OccurrenceDraft,
} from "../../model/alarms/alarm.ts";
import { centre_prefix } from "../../model/alarms/merge.ts";
import { findOccurrences, readOccurrences } from "../../store/alarms/alarm.ts";
import type { StampedEvent } from "../../store/alarms/write.ts";
import {
  type AlarmNumbers,
  findStoredEvents,
  insertEvents,
  insertOccurrences,
  type SentEvent,
  touchOccurrences,
  updateOccurrences,
} from "../../store/alarms/write.ts";
import type { Write } from "../../store/database.ts";

/** One occurrence's change: as it was stored (unless raised now), as it is to be, new events. */
export type AlarmChange = {
  readonly before: Occurrence | undefined;
  readonly occurrence: Occurrence;
  readonly events: readonly EventDraft[];
};

/** Looks at what a write is to store, and may change it; gives what to do after the commit. */
export type AlarmMark = (changes: AlarmUnitOfWork) => Promise<() => void>;

/** What a write has stored, occurrences as they stand now, of each kind by rising number. */
export type AlarmRecord = {
  readonly raised: readonly Occurrence[];
  readonly changed: readonly Occurrence[];
  readonly events: readonly StampedEvent[];
};

/** Sees what a write has stored, still within it; gives what to do after the commit. */
export type AlarmWitness = (record: AlarmRecord, write: Write) => Promise<() => void>;

/** What a write stored, occurrences as they stand now. */
export type StoredAlarms = {
  readonly raised: readonly Occurrence[];
  readonly changed: readonly Occurrence[];
  /** How many events were stored. */
  readonly events: number;
  /** The given events that were left out: theirs was stored before, or earlier in this write. */
  readonly duplicates: ReadonlySet<EventDraft>;
  readonly synced_at: number;
  /** What the marks and the witnesses do after the commit. */
  readonly settle: readonly (() => void)[];
};

/**
 * The alarms that a write looks at and changes. What is not loaded is unknown: load first, then
 * decide. Nothing is stored before `store`, which comes last and once.
 */
export class AlarmUnitOfWork {
  readonly write: Write;
  readonly #numbers: AlarmNumbers;
  readonly #marks: readonly AlarmMark[];
  readonly #witnesses: readonly AlarmWitness[];
  readonly #changes = new Map<number, AlarmChange>();
  /** Numbers by ID, by project. */
  readonly #nos = new Map<number, Map<string, number>>();

  constructor(
    write: Write,
    { numbers, marks, witnesses }: {
      readonly numbers: AlarmNumbers;
      readonly marks: readonly AlarmMark[];
      readonly witnesses: readonly AlarmWitness[];
    },
  ) {
    this.write = write;
    this.#numbers = numbers;
    this.#marks = marks;
    this.#witnesses = witnesses;
  }

  /** Reads occurrences by number, or by their source's IDs in a project; unknown ones are none. */
  async load(
    which: {
      readonly nos?: readonly number[];
      readonly project_no?: number;
      readonly ids?: readonly string[];
    },
  ): Promise<void> {
    const { connection } = this.write;
    const { nos = [], project_no, ids = [] } = which;
    const unknown_nos = nos.filter((no) => !this.#changes.has(no));
    const found = await readOccurrences(connection, unknown_nos);
    if (project_no !== undefined) {
      const unknown_ids = ids.filter((id) => !this.#nos.get(project_no)?.has(id));
      found.push(...await findOccurrences(connection, { project_no, ids: unknown_ids }));
    }
    for (const occurrence of found) {
      this.#learn({ before: occurrence, occurrence, events: [] });
    }
  }

  /** An occurrence that was loaded or raised, as changed so far. */
  get(occurrence_no: number): Occurrence | undefined {
    return this.#changes.get(occurrence_no)?.occurrence;
  }

  /** The same by its source's ID in a project. */
  find(project_no: number, occurrence_id: string): Occurrence | undefined {
    const occurrence_no = this.#nos.get(project_no)?.get(occurrence_id);
    return occurrence_no === undefined ? undefined : this.get(occurrence_no);
  }

  /** The change of an occurrence that was loaded or raised. */
  changeOf(occurrence_no: number): AlarmChange | undefined {
    return this.#changes.get(occurrence_no);
  }

  /** Every occurrence that was loaded or raised, with what changed so far. */
  get all(): Iterable<AlarmChange> {
    return this.#changes.values();
  }

  /** Takes a new occurrence, whose ID its project has not, and numbers it. */
  raise(draft: OccurrenceDraft, events: readonly EventDraft[]): Occurrence {
    const { project_no, occurrence_id } = draft;
    assert(this.find(project_no, occurrence_id) === undefined, "the occurrence is known");
    const occurrence: Occurrence = {
      ...occurrence_nulls,
      ...draft,
      occurrence_no: ++this.#numbers.occurrence_no,
      synced_at: this.write.stamp_us,
      events_total: 0,
      first_feed_no: 0,
      last_feed_no: 0,
    };
    this.#learn({ before: undefined, occurrence, events });
    return occurrence;
  }

  /**
   * Takes an occurrence as it is to be, and further events. With the very occurrence that `get`
   * gives, it is stored again only if some of the events are new.
   */
  change(next: Occurrence, events: readonly EventDraft[]): void {
    const change = this.#changes.get(next.occurrence_no);
    assert(change !== undefined, "the occurrence is neither loaded nor raised");
    const all = events.length === 0 ? change.events : [...change.events, ...events];
    this.#changes.set(next.occurrence_no, { before: change.before, occurrence: next, events: all });
  }

  /** Takes a change in place of what was taken of its occurrence so far. */
  replace(change: AlarmChange): void {
    assert(this.#changes.has(change.occurrence.occurrence_no), "the occurrence is not known");
    this.#changes.set(change.occurrence.occurrence_no, change);
  }

  /** Stores everything that changed. */
  async store(): Promise<StoredAlarms> {
    const { connection, stamp_us } = this.write;
    const settle = await this.#mark();
    const staged = [...this.#changes.values()].filter(isChanged);
    const duplicates = await this.#findDuplicates(staged);
    const stamped = new Stamping(stamp_us, this.#numbers.feed_no);
    staged.sort((a, b) => a.occurrence.occurrence_no - b.occurrence.occurrence_no);
    for (const change of staged) stamped.add(change, duplicates);
    const last = { ...this.#numbers };
    this.#numbers.feed_no += stamped.events.length;
    await insertOccurrences(connection, stamped.raised);
    await updateOccurrences(connection, stamped.altered);
    await touchOccurrences(connection, stamped.touched);
    await insertEvents(connection, stamped.events, last);
    const { raised, altered, touched, events } = stamped;
    const record = { raised, changed: [...altered, ...touched], events };
    if (staged.length > 0) {
      for (const witness of this.#witnesses) settle.push(await witness(record, this.write));
    }
    return { ...record, events: events.length, duplicates, synced_at: stamp_us, settle };
  }

  /** Lets the marks look at what is to be stored, one after the other, if anything is. */
  async #mark(): Promise<(() => void)[]> {
    const settle: (() => void)[] = [];
    if (![...this.#changes.values()].some(isChanged)) return settle;
    for (const mark of this.#marks) settle.push(await mark(this));
    return settle;
  }

  #learn(change: AlarmChange): void {
    const { occurrence_no, project_no, occurrence_id } = change.occurrence;
    this.#changes.set(occurrence_no, change);
    const nos = this.#nos.get(project_no) ?? new Map<string, number>();
    this.#nos.set(project_no, nos.set(occurrence_id, occurrence_no));
  }

  /** The given events that come twice here, or are stored. */
  async #findDuplicates(changes: readonly AlarmChange[]): Promise<Set<EventDraft>> {
    const duplicates = new Set<EventDraft>();
    const sent: SentEvent[] = [];
    const drafts: EventDraft[] = [];
    let [from_feed_no, to_feed_no] = [Infinity, -Infinity];
    for (const { before, occurrence: { occurrence_no }, events } of changes) {
      const ids = new Set<string>();
      for (const event of events) {
        if (event.event_id === undefined) continue;
        if (ids.has(event.event_id)) duplicates.add(event);
        else if (before !== undefined) {
          sent.push({ row_no: drafts.length, occurrence_no, event_id: event.event_id });
          drafts.push(event);
          from_feed_no = Math.min(from_feed_no, before.first_feed_no);
          to_feed_no = Math.max(to_feed_no, before.last_feed_no);
        }
        ids.add(event.event_id);
      }
    }
    if (sent.length === 0) return duplicates;
    const range = { from_feed_no, to_feed_no };
    for (const row of await findStoredEvents(this.write.connection, sent, range)) {
      duplicates.add(drafts[row]);
    }
    return duplicates;
  }
}

/** Gives changes their totals and places in the feed, and their events their ids and stamp. */
class Stamping {
  readonly raised: Occurrence[] = [];
  readonly altered: Occurrence[] = [];
  /** Those that got events, and nothing else. */
  readonly touched: Occurrence[] = [];
  readonly events: StampedEvent[] = [];
  readonly #stamp_us: number;
  readonly #last_feed_no: number;

  constructor(stamp_us: number, last_feed_no: number) {
    this.#stamp_us = stamp_us;
    this.#last_feed_no = last_feed_no;
  }

  /** Takes a change; they come by rising number of their occurrence, which orders the feed. */
  add(
    { before, occurrence, events }: AlarmChange,
    duplicates: ReadonlySet<EventDraft>,
  ): void {
    const fresh = events.filter((event) => !duplicates.has(event));
    if (before === occurrence && fresh.length === 0) return;
    const { events_total } = occurrence;
    const last_feed_no = this.#last_feed_no + this.events.length;
    fresh.forEach((event, i) =>
      this.events.push(stampedEvent(occurrence, event, {
        event_id: event.event_id ?? ownEventId(occurrence, events_total + i + 1),
        synced_at: this.#stamp_us,
      }))
    );
    const stored: Occurrence = {
      ...occurrence,
      synced_at: this.#stamp_us,
      events_total: events_total + fresh.length,
      first_feed_no: events_total === 0 ? last_feed_no + 1 : occurrence.first_feed_no,
      last_feed_no: fresh.length === 0 && events_total > 0
        ? occurrence.last_feed_no
        : last_feed_no + fresh.length,
    };
    if (before === undefined) this.raised.push(stored);
    else (before === occurrence ? this.touched : this.altered).push(stored);
  }
}

function isChanged({ before, occurrence, events }: AlarmChange): boolean {
  return before !== occurrence || events.length > 0;
}

/** The id of an event that the service makes itself, the `n`th of its occurrence. */
function ownEventId({ gateway }: Occurrence, n: number): string {
  return (gateway === null ? "wk-" : centre_prefix) + String(n).padStart(6, "0");
}

function stampedEvent(
  { project_no, site_no, occurrence_no, occurrence_id }: Occurrence,
  event: EventDraft,
  stamp: { readonly event_id: string; readonly synced_at: number },
): StampedEvent {
  const { type, kind, created_at, detail } = event;
  return {
    ...{ ...stamp, project_no, site_no, occurrence_no, occurrence_id, type, kind, created_at },
    body: event.body ?? null,
    user_id: event.user_id ?? null,
    user_email: event.user_email ?? null,
    external_user_id: event.external_user_id ?? null,
    detail: detail === undefined || detail === null ? null : JSON.stringify(detail),
  };
}
