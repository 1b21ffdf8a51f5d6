// The feed of alarm events: pages of it, and streams that follow it as it grows.
import { textOf, utf8 } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { type Chunk, firstRows, takeRows } from "../../model/data/chunk.ts";
import type { Project } from "../../model/plant/plant.ts";
import {
  type FeedMark,
  type FeedPart,
  type FeedPlace,
  findFeedPlace,
  leftOut,
  type NumberedPlace,
  placeIn,
  readFeedEvents,
  readFeedMarks,
} from "../../store/alarms/feed.ts";
import type { Database } from "../../store/database.ts";
import type { Users } from "../access/user.ts";
import { eventStream, frameOf } from "../core/event_stream.ts";
import type { Alarms } from "./alarm.ts";
import { type ShownEvent, shownEvents, withEmails } from "./feed_text.ts";
import type { StoredAlarms } from "./unit_of_work.ts";

/** Whose events: a project's, or those of one of its sites. */
export type FeedSource = { readonly project: Project; readonly site_no: number | null };

/** A place in the feed; with the event's number, where it is known, it is found at once. */
export type FeedStart = FeedPlace & { readonly feed_no?: number };

/** Which events: the first `limit` after a place, less the first `offset` of them. */
export type FeedAsk = {
  readonly after: FeedStart;
  readonly limit: number;
  readonly offset: number;
};

/** A page: its events as `readFeedEvents` has them, and the last one's place if more may follow. */
type FeedPage = {
  readonly chunks: AsyncIterable<Chunk> | Iterable<Chunk>;
  readonly next: FeedPlace | undefined;
};

/** An event as a stream sends it. */
type FeedEvent = NumberedPlace & ShownEvent;

/**
 * The feed by number and time. Numbers rise without a gap in the order of the feed, so that a
 * stretch of them is a page or less; where to start is known from a few marks in memory.
 */
export class AlarmFeed {
  readonly #database: Database;
  readonly #alarms: Alarms;
  readonly #users: FeedParts["users"];
  readonly #marks: FeedMark[];
  #last_no: number;

  private constructor({ database, alarms, users }: FeedParts, marks: FeedMark[]) {
    this.#database = database;
    this.#alarms = alarms;
    this.#users = users;
    this.#marks = marks;
    this.#last_no = marks.at(-1)?.feed_no ?? 0;
    alarms.listen((stored) => this.#grow(stored));
  }

  /** Reads how far the feed goes. */
  static async open(parts: FeedParts): Promise<AlarmFeed> {
    const marks = await parts.database.read((it) =>
      readFeedMarks(it, alarm_limits.feed_mark_events)
    );
    return new AlarmFeed(parts, marks);
  }

  /** The place after everything that is stored. */
  get now(): FeedPlace {
    return startAt(this.#database.committed_us + 1);
  }

  /** The events that are asked for. */
  async page(source: FeedSource, ask: FeedAsk): Promise<FeedPage> {
    const { limit, offset } = ask;
    const last_no = this.#last_no;
    const after = offset === 0 ? ask.after : await this.#find(source, ask.after, offset - 1);
    if (after === undefined) return { chunks: [], next: undefined };
    const stretch = stretchOf(source, after);
    const from_no = this.#fromNo(after);
    const span = Math.min(limit, alarm_limits.feed_rows);
    // Most often, what is stored here is of the source alone, and this is the whole page.
    const to_no = Math.min(from_no + span + alarm_limits.feed_mark_events - 1, last_no);
    const read = await this.#readShort({ ...stretch, from_no, to_no });
    const missing = limit - read.rows;
    if (missing <= 0) {
      const chunks = this.#whole(firstRows(read, limit), stretch);
      return { chunks, next: placeIn(read, limit - 1) };
    }
    const next = await this.#find(source, { ...after, feed_no: to_no }, missing - 1);
    const rest = { ...stretch, from_no: to_no + 1, to_no: next?.feed_no ?? last_no };
    return { chunks: this.#parts(read, stretch, partsOf(rest, missing)), next };
  }

  /** Events after a place: as many as one look takes. */
  async events(source: FeedSource, after: FeedStart): Promise<readonly FeedEvent[]> {
    const limit = alarm_limits.feed_stream_events;
    const last_no = this.#last_no;
    const from_no = this.#fromNo(after);
    if (from_no > last_no) return [];
    const isShort = last_no - from_no < limit;
    const end = isShort ? undefined : await this.#find(source, after, limit - 1);
    const stretch = { ...stretchOf(source, after), from_no, to_no: end?.feed_no ?? last_no };
    const chunk = await this.#read(stretch);
    const shown = await shownEvents(chunk);
    return shown.map((event, row) => ({ ...event, ...placeIn(chunk, row) }));
  }

  /** Calls `onEvents` after each commit of events of `source`; gives the way to stop that. */
  listen({ project, site_no }: FeedSource, onEvents: () => void): () => void {
    return this.#alarms.listen(({ raised, changed, events }) => {
      if (events === 0) return;
      const isOfSource = (it: { readonly project_no: number; readonly site_no: number }) =>
        it.project_no === project.project_no && (site_no === null || it.site_no === site_no);
      if (raised.some(isOfSource) || changed.some(isOfSource)) onEvents();
    });
  }

  /** The events of a page, part by part: one is read beside the one that is wanted. */
  async *#parts(
    first: Chunk,
    stretch: WholeStretch,
    rest: readonly ShownPart[],
  ): AsyncGenerator<Chunk, void> {
    const read = (part: ShownPart | undefined) => {
      const reading = part && this.#readShort(part);
      // Whoever waits for it gets its error; a client that is gone does not.
      reading?.catch(() => {});
      return reading;
    };
    let ahead = read(rest[0]);
    yield* this.#whole(first, stretch);
    for (let i = 0; i < rest.length; i++) {
      const reading = ahead;
      ahead = read(rest[i + 1]);
      yield* this.#whole(await reading!, stretch);
    }
  }

  /** Some events with what was left out of them, so much at a time. */
  async *#whole(chunk: Chunk, stretch: WholeStretch): AsyncGenerator<Chunk, void> {
    const bytes = leftOut(chunk);
    if (bytes === undefined) return yield chunk;
    for (const { from, to, isLong } of runsOf(bytes)) {
      if (isLong) {
        const [from_no, to_no] = [from, to - 1].map((row) => placeIn(chunk, row).feed_no);
        yield await this.#read({ ...stretch, from_no, to_no });
      } else {
        const places = Uint32Array.from({ length: to - from }, (_, i) => from + i);
        const vectors = chunk.vectors.map((vector) => takeRows(vector, places));
        yield { rows: to - from, vectors };
      }
    }
  }

  #readShort(part: ShownPart): Promise<Chunk> {
    return this.#read({ ...part, most_bytes: alarm_limits.feed_short_bytes });
  }

  async #read({ organization_id, ...part }: ShownPart): Promise<Chunk> {
    const chunk = await this.#database.read((it) => readFeedEvents(it, part));
    return withEmails(chunk, (user_id) => this.#users.emailOf(user_id, organization_id));
  }

  /** The place of the event that `skip` others precede, looked for in ever longer stretches. */
  async #find(
    source: FeedSource,
    after: FeedStart,
    skip: number,
  ): Promise<NumberedPlace | undefined> {
    const last_no = this.#last_no;
    const from_no = this.#fromNo(after);
    if (last_no - from_no < skip) return undefined;
    for (let span = skip + alarm_limits.feed_mark_events;; span *= alarm_limits.feed_span_growth) {
      const to_no = Math.min(from_no + span, last_no);
      const stretch = { ...stretchOf(source, after), from_no, to_no, skip };
      const found = await this.#database.read((it) => findFeedPlace(it, stretch));
      if (found || to_no === last_no) return found;
    }
  }

  /** A number that no event after a place is below. */
  #fromNo({ feed_no, synced_at }: FeedStart): number {
    const before = feed_no ?? this.#marks.findLast((mark) => mark.synced_at < synced_at)?.feed_no;
    return (before ?? 0) + 1;
  }

  #grow({ raised, changed, synced_at }: StoredAlarms): void {
    for (const { last_feed_no } of raised) this.#last_no = Math.max(this.#last_no, last_feed_no);
    for (const { last_feed_no } of changed) this.#last_no = Math.max(this.#last_no, last_feed_no);
    const marked_no = this.#marks.at(-1)?.feed_no ?? 0;
    if (this.#last_no - marked_no < alarm_limits.feed_mark_events) return;
    this.#marks.push({ feed_no: this.#last_no, synced_at });
  }
}

type FeedParts = {
  readonly database: Database;
  readonly alarms: Alarms;
  readonly users: Pick<Users, "emailOf">;
};

/** Events to be shown to people of an organization: its users have the address of today. */
type ShownPart = FeedPart & { readonly organization_id: string };

/** A stretch without its ends. */
type WholeStretch = Omit<ShownPart, "from_no" | "to_no">;

/**
 * Rows from..to that are together, by the bytes that were left out of each; at least one is. Short
 * rows between long ones are read again with them, as a read costs more than they do.
 */
function* runsOf(bytes: readonly number[]) {
  for (let from = 0; from < bytes.length;) {
    const isLong = bytes[from] > 0;
    let to = from;
    for (let sum = 0; to < bytes.length && (isLong || bytes[to] === 0); to++) {
      sum += bytes[to];
      if (to > from && sum > alarm_limits.feed_long_bytes) break;
    }
    yield { from, to, isLong };
    from = to;
  }
}

function stretchOf({ project, site_no }: FeedSource, after: FeedStart) {
  const { project_no, organization_id } = project;
  return { project_no, organization_id, site_no, after };
}

/** A stretch of so many events at most, in parts of about `feed_rows` of them. */
function partsOf({ from_no, to_no, ...stretch }: ShownPart, events: number): readonly ShownPart[] {
  const numbers = Math.max(0, to_no - from_no + 1);
  const span = Math.max(1, Math.ceil(numbers * Math.min(1, alarm_limits.feed_rows / events)));
  const count = Math.ceil(numbers / span);
  return Array.from({ length: count }, (_, i) => {
    const first_no = from_no + i * span;
    return { ...stretch, from_no: first_no, to_no: Math.min(first_no + span - 1, to_no) };
  });
}

/** The place before every event that was stored at `synced_at` or later. */
export function startAt(synced_at: number): FeedPlace {
  return { synced_at, occurrence_no: 0, event_id: "" };
}

/** What is streamed to whom. */
type AlarmStreamRequest = {
  readonly source: FeedSource;
  readonly after: FeedStart;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked at each heartbeat. */
  readonly isAllowed: () => boolean;
};

/** The events of a feed after a place, as they are stored. */
export function alarmStream(
  { feed, effects }: {
    readonly feed: AlarmFeed;
    readonly effects: Pick<Effects, "monotonic_ms" | "sleep">;
  },
  { source, after, ...ends }: AlarmStreamRequest,
): AsyncGenerator<Uint8Array, void> {
  let place: FeedStart = after;
  return eventStream(effects, {
    ...ends,
    cursor: cursorOf(after),
    listen: (ring) => [feed.listen(source, ring)],
    look: async () => {
      const events = await feed.events(source, place);
      place = events.at(-1) ?? place;
      return {
        text: events.map((event) =>
          frameOf({ id: cursorOf(event), type: event.type, data: event.text })
        ).join(""),
        is_full: events.length === alarm_limits.feed_stream_events,
      };
    },
  });
}

/** A place in the feed as text for clients to hand back: base64url of its three parts. */
export function cursorOf({ synced_at, occurrence_no, event_id }: FeedPlace): string {
  const text = `${synced_at} ${occurrence_no} ${event_id}`;
  return utf8(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The place that a cursor names; undefined where the text is none. */
export function placeOfCursor(cursor: string): FeedPlace | undefined {
  try {
    const text = textOf(Uint8Array.fromBase64(cursor, { alphabet: "base64url" }));
    const [, synced_at, occurrence_no, event_id] = /^(\d{1,16}) (\d{1,12}) (.*)$/s.exec(text) ?? [];
    if (event_id === undefined) return undefined;
    return { synced_at: Number(synced_at), occurrence_no: Number(occurrence_no), event_id };
  } catch {
    return undefined;
  }
}
