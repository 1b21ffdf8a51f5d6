// What is marked as stale by writes that a pass of the roll-up may not have seen.
import type { Database, Write } from "../../store/database.ts";
import { markTagsStale, type TimeSpan } from "../../store/rollup/stale.ts";

type Mark = (write: Write) => Promise<void>;

/** Marks since the last pass began. */
export class Marks {
  readonly #new: Mark[] = [];
  #made = 0;

  /** How many were made so far. */
  get made(): number {
    return this.#made;
  }

  /** Whether a pass has seen all of them. */
  get are_seen(): boolean {
    return this.#new.length === 0;
  }

  /** Marks days of tags, and notes that. */
  async make(write: Write, tag_nos: readonly number[], span?: TimeSpan): Promise<void> {
    const mark = (write: Write) => markTagsStale(write, tag_nos, span);
    this.#new.push(mark);
    this.#made++;
    await mark(write);
  }

  /**
   * Before a pass, which sees those that were made until now: whoever marked may not have ended its
   * write, and is waited for.
   */
  async see(database: Pick<Database, "rehearse">): Promise<void> {
    const count = this.#new.length;
    if (count === 0) return;
    await database.rehearse(() => Promise.resolve());
    this.#new.splice(0, count);
  }

  /** Makes those again that were made while a pass ran. */
  async repeat(write: Write): Promise<void> {
    for (const mark of this.#new) await mark(write);
  }
}
