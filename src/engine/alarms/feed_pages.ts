// Pages of the feed as JSON. A full page never changes: the last ones are kept for the next reader.
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { FeedPlace } from "../../store/alarms/feed.ts";
import { encodeJson } from "../../wire/text.ts";
import type { Users } from "../access/user.ts";
import type { AlarmFeed, FeedAsk, FeedSource } from "./feed.ts";
import { feedAnswer } from "./feed_text.ts";

/** A page in pieces, and its last event's place if more may follow. */
export type FeedText = {
  readonly pieces: AsyncGenerator<Uint8Array, void>;
  readonly next: FeedPlace | undefined;
};

type Kept = {
  readonly pieces: readonly Uint8Array[];
  readonly next: FeedPlace;
  /** What the pieces take of memory. */
  readonly bytes: number;
};

type Parts = {
  readonly feed: Pick<AlarmFeed, "page">;
  readonly users: Pick<Users, "version">;
};

/** Prints pages. Events are only added behind the last one, and nothing of one ever changes. */
export class FeedPages {
  readonly #parts: Parts;
  /** By what was asked for, the longest unread first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  /** What all readers together hold of pages that they have not read to the end. */
  #open_bytes = 0;
  /** Of the users whose addresses the kept pages show. */
  #version = -1;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The events that are asked for, as `AlarmFeed.page` finds them. */
  async read(source: FeedSource, ask: FeedAsk): Promise<FeedText> {
    const version = this.#versionNow();
    const key = keyOf(source, ask);
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return { pieces: each(kept.pieces), next: kept.next };
    }
    const { chunks, next } = await this.#parts.feed.page(source, ask);
    const pieces = encodeJson(feedAnswer(chunks));
    if (next === undefined) return { pieces, next };
    const keep = (page: Omit<Kept, "next">) => {
      if (this.#versionNow() === version) this.#keep(key, { ...page, next });
    };
    return { pieces: this.#collect(pieces, keep), next };
  }

  /** Gives the memory of what is kept back. */
  forget(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** The version of the users; pages that show older ones are forgotten. */
  #versionNow(): number {
    const { version } = this.#parts.users;
    if (version !== this.#version) this.forget();
    return this.#version = version;
  }

  /**
   * Pieces as they are; a page that was read to its end is kept then, if there was room for it
   * beside what others were reading.
   */
  async *#collect(
    pieces: AsyncGenerator<Uint8Array>,
    keep: (page: Omit<Kept, "next">) => void,
  ): AsyncGenerator<Uint8Array, void> {
    let read: Uint8Array[] | undefined = [];
    let bytes = 0;
    const drop = () => {
      this.#open_bytes -= bytes;
      bytes = 0;
      read = undefined;
    };
    try {
      for await (const piece of pieces) {
        const room = alarm_limits.feed_kept_bytes - this.#open_bytes;
        if (piece.buffer.byteLength > room) drop();
        if (read) {
          read.push(piece);
          bytes += piece.buffer.byteLength;
          this.#open_bytes += piece.buffer.byteLength;
        }
        yield piece;
      }
      if (read) keep({ pieces: read, bytes });
    } finally {
      drop();
    }
  }

  #keep(key: string, page: Kept): void {
    this.#bytes += page.bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.set(key, page);
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= alarm_limits.feed_kept_bytes) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

function keyOf(
  { project: { project_no, organization_id }, site_no }: FeedSource,
  { after, limit, offset }: FeedAsk,
): string {
  const { synced_at, occurrence_no, event_id } = after;
  const place = [synced_at, occurrence_no, event_id];
  return JSON.stringify([project_no, organization_id, site_no, limit, offset, ...place]);
}

async function* each(pieces: Kept["pieces"]): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
}
