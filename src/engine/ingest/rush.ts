// A rush of samples goes before what is computed of them, for a while: both want the processors.
import type { Effects } from "../../base/effects.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Database } from "../../store/database.ts";
import type { RollupState } from "../rollup/backlog.ts";
import type { Rollup } from "../rollup/rollup.ts";
import type { Ingest, StoredWrite } from "./ingest.ts";
import type { RowGroups } from "./row_groups.ts";

type Parts = {
  readonly database: Pick<Database, "now_us">;
  readonly roll: { readonly state: Pick<RollupState, "backlog" | "rolled_to_us"> };
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms" | "sleep">;
};

/** How far the roll-up stays behind a rush: where new samples are among it, and where none are. */
const bounds = {
  new: { most_ms: sample_limits.rush_ms, most_rows: sample_limits.rush_waiting_rows },
  history: { most_ms: sample_limits.history_ms, most_rows: sample_limits.history_waiting_rows },
};

/**
 * Notices when far more samples come than a plant sends. The roll-up then stays a few seconds
 * behind, so that it takes many at a time, and what is sent is stored sooner. Where nothing comes
 * but what is long over, as when a plant moves in, it stays behind until most of that has come:
 * side by side both take longer.
 */
export class Rush {
  readonly #parts: Parts;
  /** What was stored since the last look, and from when until when. */
  #rows = 0;
  #from_ms = 0;
  #to_ms = 0;
  /** When it was first seen; undefined while there is none. */
  #since_ms: number | undefined;
  /** When new samples came last. */
  #new_ms = -Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Says that rows were stored, the last of them of an instant. */
  stored({ rows, to_us }: Pick<StoredWrite, "rows" | "to_us">): void {
    const { effects } = this.#parts;
    this.#to_ms = effects.monotonic_ms();
    if (this.#rows === 0) this.#from_ms = this.#to_ms;
    this.#rows += rows;
    if (effects.now_us() - to_us < sample_limits.new_ms * 1000) this.#new_ms = this.#to_ms;
  }

  /** Resolves when the rush is over, or enough of what it brought waits. */
  async wait(signal: AbortSignal): Promise<void> {
    const { sleep } = this.#parts.effects;
    while (!signal.aborted && this.#goesFirst()) await sleep(sample_limits.rush_look_ms, signal);
  }

  #goesFirst(): boolean {
    const now_ms = this.#parts.effects.monotonic_ms();
    const passed_ms = Math.max(sample_limits.rush_look_ms, now_ms - this.#from_ms);
    const is_on = this.#rows / passed_ms >= sample_limits.rush_rows_per_ms &&
      this.#to_ms - this.#from_ms >= sample_limits.rush_least_ms;
    this.#rows = 0;
    if (!is_on) {
      this.#since_ms = undefined;
      return false;
    }
    this.#since_ms ??= now_ms;
    const { database, roll: { state } } = this.#parts;
    // What was rolled up before may be long ago.
    const lag_ms = Math.min(now_ms - this.#since_ms, (database.now_us - state.rolled_to_us) / 1000);
    const has_new = now_ms - this.#new_ms < sample_limits.new_ms;
    const { most_ms, most_rows } = bounds[has_new ? "new" : "history"];
    return lag_ms < most_ms && state.backlog < most_rows;
  }
}

/** Lets the roll-up follow what is stored, and of a rush stay behind; and row groups suit it. */
export function followIngest(
  { roll, ingest, groups, ...parts }: Parts & {
    readonly roll: Pick<Rollup, "state" | "loop" | "stored">;
    readonly ingest: Pick<Ingest, "onStored">;
    readonly groups: Pick<RowGroups, "stored">;
  },
): void {
  const rush = new Rush({ ...parts, roll });
  roll.loop.goesAfter = (signal) => rush.wait(signal);
  ingest.onStored = (stored) => {
    rush.stored(stored);
    roll.stored(stored);
    groups.stored(stored.rows);
  };
}
