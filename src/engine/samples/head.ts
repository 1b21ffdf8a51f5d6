// The newest sample of every tag that was asked for, however long ago it came.
import { Lock } from "../../base/lock.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Connection } from "../../store/connection.ts";
import { findHeads, type HeadSample } from "../../store/samples/head.ts";
import type { LatestValues } from "./latest.ts";

/** How far back a tag's newest sample is looked for, step by step; the last step is the bound. */
const looks_us = [3_600e6, 86_400e6, sample_limits.head_look_us];

/** The newest values, and those of tags that were silent before the start, looked for once. */
export class Heads {
  readonly #latest: Pick<LatestValues, "of">;
  readonly #lock = new Lock();
  readonly #older = new Map<number, HeadSample>();
  readonly #looked = new Set<number>();

  constructor(latest: Pick<LatestValues, "of">) {
    this.#latest = latest;
  }

  /** The newest sample of a tag, as far as it is known. */
  of(tag_no: number): HeadSample | undefined {
    const older = this.#older.get(tag_no);
    const latest = this.#latest.of(tag_no);
    if (latest === undefined || older && older.ts > latest.ts_us) return older;
    const value = typeof latest.value === "number" ? latest.value : null;
    return { tag_no, ts: latest.ts_us, received_at: latest.received_us, value };
  }

  /** Looks for those of some tags that are not known yet. */
  look(connection: Connection, tag_nos: readonly number[], now_us: number): Promise<void> {
    return this.#lock.run(async () => {
      // What is later was stored by a clock that was ahead.
      let to_us = now_us + sample_limits.future_us;
      for (const [tag_no, { ts }] of this.#older) {
        if (ts >= to_us) this.#older.delete(tag_no), this.#looked.delete(tag_no);
      }
      const unknown = tag_nos.filter((it) => !this.#latest.of(it) && !this.#looked.has(it));
      let tags = Int32Array.from(new Set(unknown));
      for (const look_us of looks_us) {
        if (tags.length === 0) break;
        const from_us = now_us - look_us;
        const found = await findHeads(connection, { tags, from_us, to_us });
        for (const head of found) this.#older.set(head.tag_no, head);
        tags = tags.filter((tag_no) => !this.#older.has(tag_no));
        to_us = from_us;
      }
      for (const tag_no of unknown) this.#looked.add(tag_no);
    });
  }
}
