// The newest value of every tag, in memory: kept by each commit of samples, read without waiting.
import { type Effects, giveWay, isLongAt } from "../../base/effects.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Database } from "../../store/database.ts";
import { findLastValues } from "../../store/samples/head.ts";
import { newestValues } from "../../store/samples/sample.ts";
import type { SampleStage } from "./staging.ts";

/** A tag's newest sample by its own time; null for a value or a quality that it has not. */
export type LatestValue = Readonly<Kept>;

/** The same as it is kept: one object a tag, which each newer sample fills again. */
type Kept = {
  ts_us: number;
  received_us: number;
  value: number | string | null;
  /** Index into `quality_names`. */
  quality: number | null;
  /** The number of its last change: what was made of the value holds until that is another. */
  change: number;
};

const unknown: Kept = { ts_us: -Infinity, received_us: 0, value: null, quality: null, change: 0 };

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us">;
};

/**
 * A late sample never replaces a newer one; the same sample sent again with another value does, and
 * so does any where the newest lies in the future, by a clock that was ahead.
 */
export class LatestValues {
  readonly #parts: Parts;
  readonly #listeners = new Set<() => void>();
  #values: (Kept | undefined)[] = [];
  #loading: Promise<void> | undefined;
  #changed_us = 0;
  #changes = 0;
  /** Commits with a later stamp are still to be taken. */
  #taken_us: number;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#taken_us = parts.database.committed_us;
  }

  /** The stamp of the last commit that changed a value. */
  get changed_us(): number {
    return this.#changed_us;
  }

  /** How often any value changed. */
  get changes(): number {
    return this.#changes;
  }

  /** The newest value of a tag that has one. */
  of(tag_no: number): LatestValue | undefined {
    return this.#values[tag_no];
  }

  /** Takes the rows of a commit; who reads meanwhile is told of some of them. */
  async take(stage: SampleStage, received_us: number): Promise<void> {
    const latest_us = this.#latestUs();
    let has_changed = false;
    for (let row = 0; row < stage.rows; row++) {
      if (isLongAt(row)) await giveWay();
      if (!stage.isLast(row)) continue;
      const tag_no = stage.tagAt(row);
      const ts_us = stage.tsAt(row);
      const latest = this.#values[tag_no] ??= { ...unknown };
      if (ts_us < latest.ts_us && latest.ts_us <= latest_us) continue;
      const value = stage.valueAt(row);
      latest.ts_us = ts_us;
      latest.received_us = received_us;
      latest.value = typeof value === "bigint" ? Number(value) : value;
      latest.quality = stage.qualityAt(row);
      latest.change = ++this.#changes;
      has_changed = true;
    }
    // Not before: who was told of some of them would take the others, of one stamp, for known.
    if (has_changed) this.#changed_us = received_us;
    this.#taken_us = received_us;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `onChange` after each commit of samples; gives the way to stop that. */
  listen(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => void this.#listeners.delete(onChange);
  }

  /** Reads, once, what was stored before the start: of a day before the newest sample of all. */
  load(): Promise<void> {
    return this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
  }

  /** The newest samples of tags, stored since `from_us`, that have a value: as they are on disk. */
  async withValues(tags: Int32Array, from_us: number) {
    const range = { tags, from_us, to_us: this.#latestUs() };
    return await this.#parts.database.aside((connection) => findLastValues(connection, range));
  }

  /** Says that the wall clock was set: what is stored is read again when it is next asked for. */
  followClock(): void {
    this.#loading = undefined;
  }

  /** Beside the readers: the metrics wait for it, and are told however busy those are. */
  async #load(): Promise<void> {
    const range = { reach_us: sample_limits.latest_reach_us, latest_us: this.#latestUs() };
    const found = await this.#parts.database.aside((connection) => newestValues(connection, range));
    for (const { tag_no, ...value } of found) {
      const known = this.#values[tag_no];
      // What is still to be taken is told of with the rest of its commit.
      const is_to_come = value.received_us > this.#taken_us;
      if (is_to_come || known !== undefined && known.ts_us >= value.ts_us) continue;
      this.#values[tag_no] = { ...value, change: ++this.#changes };
      this.#changed_us = Math.max(this.#changed_us, value.received_us);
    }
  }

  /** What is later lies in the future. */
  #latestUs(): number {
    return this.#parts.effects.now_us() + sample_limits.future_us;
  }
}
