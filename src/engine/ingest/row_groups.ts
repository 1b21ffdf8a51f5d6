// How large the parts are in which tables grow: small while much comes at once, large at rest.
import type { Effects } from "../../base/effects.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Database } from "../../store/database.ts";
import { database_limits } from "../../store/limits.ts";
import type { Log } from "../core/log.ts";

/**
 * Chooses the row groups of the database. Under a load they are small, so that each commit fills
 * some, which go into the file at once. What is put in order afterwards lies in large ones.
 */
export class RowGroups {
  readonly #database: Pick<Database, "group">;
  readonly #effects: Pick<Effects, "monotonic_ms">;
  readonly #log: Log;
  #tried_ms = -Infinity;
  #change: Promise<void> | undefined;

  constructor(
    { database, effects, log }: {
      readonly database: Pick<Database, "group">;
      readonly effects: Pick<Effects, "monotonic_ms">;
      readonly log: Log;
    },
  ) {
    this.#database = database;
    this.#effects = effects;
    this.#log = log;
  }

  /** Says that a commit stored so many rows: where that would fill a small one, they become so. */
  stored(rows: number): void {
    if (rows < database_limits.load_group_rows || this.#change) return;
    const now_ms = this.#effects.monotonic_ms();
    if (now_ms - this.#tried_ms < sample_limits.group_retry_ms) return;
    this.#tried_ms = now_ms;
    this.#change = this.#group(database_limits.load_group_rows)
      .finally(() => this.#change = undefined);
  }

  /** Large ones from now on, if that can be at this moment. */
  async rest(): Promise<void> {
    await this.#change;
    await this.#group(database_limits.group_rows);
  }

  /** What comes is stored either way. */
  async #group(rows: number): Promise<void> {
    try {
      await this.#database.group(rows);
    } catch (error) {
      this.#log.warning(
        "the layout of the database file stays as it is, which costs speed alone: {error}",
        { error },
      );
    }
  }
}
