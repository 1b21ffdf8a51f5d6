// The newest sample of every tag that was asked for, in memory; brought up to date when asked.
import { Lock } from "../../base/lock.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { findHeads, type HeadSample, headsSince } from "../../store/samples/head.ts";

/** How far back a tag's newest sample is looked for, step by step; the last step is the bound. */
const looks_us = [3_600e6, 86_400e6, sample_limits.head_look_us];

/**
 * Follows what is stored: what came since the last time is read by its stamps. A tag's samples of
 * before are looked for once.
 */
export class Heads {
  readonly #database: Pick<Database, "committed_us">;
  readonly #lock = new Lock();
  readonly #heads = new Map<number, HeadSample>();
  readonly #looked = new Set<number>();
  #stored_us: number;

  constructor(database: Pick<Database, "committed_us">) {
    this.#database = database;
    this.#stored_us = database.committed_us;
  }

  /** The newest samples by tag; those of `tag_nos` are among them, as far as they are found. */
  of(
    connection: Connection,
    tag_nos: readonly number[],
    now_us: number,
  ): Promise<ReadonlyMap<number, HeadSample>> {
    return this.#lock.run(async () => {
      const fresh = new Set(tag_nos.filter((tag_no) => !this.#looked.has(tag_no)));
      await this.#look(connection, [...fresh], now_us);
      for (const tag_no of fresh) this.#looked.add(tag_no);
      await this.#follow(connection);
      return this.#heads;
    });
  }

  async #look(connection: Connection, tag_nos: readonly number[], now_us: number): Promise<void> {
    let tags = Int32Array.from(tag_nos);
    let to_us = Number.MAX_SAFE_INTEGER;
    for (const look_us of looks_us) {
      if (tags.length === 0) return;
      const from_us = now_us - look_us;
      const found = await findHeads(connection, { tags, from_us, to_us });
      this.#take(found);
      const known = new Set(found.map(({ tag_no }) => tag_no));
      tags = tags.filter((tag_no) => !known.has(tag_no));
      to_us = from_us;
    }
  }

  async #follow(connection: Connection): Promise<void> {
    const { committed_us } = this.#database;
    if (committed_us === this.#stored_us) return;
    this.#take(await headsSince(connection, this.#stored_us));
    this.#stored_us = committed_us;
  }

  #take(heads: readonly HeadSample[]): void {
    for (const head of heads) {
      const known = this.#heads.get(head.tag_no);
      if (!known || head.ts >= known.ts) this.#heads.set(head.tag_no, head);
    }
  }
}
