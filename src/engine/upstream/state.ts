// How a gateway's forwarding goes, as it is told; counts what waits, now and then.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import { open_end_us, type StampSpan } from "../../model/upstream/span.ts";
import type { UpstreamDay, UpstreamLost } from "../../model/upstream/upstream.ts";
import type { Database } from "../../store/database.ts";
import { countWaiting } from "../../store/upstream/piece.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { SpanLedger } from "./ledger.ts";

/** How it goes with a project. */
export type ProjectState = {
  readonly project: Project;
  /** Whether the centre has it, within reach of the token; null as long as that is not known. */
  readonly is_known: boolean | null;
  readonly lag_us: number;
  /** Stamps of storing that wait; the last one has no end. */
  readonly spans: readonly StampSpan[];
  /** As they were counted within the last minute. */
  readonly waiting_rows: number;
  readonly set_aside_rows: number;
  /** What was dropped before it was forwarded, the last first. */
  readonly lost: readonly UpstreamLost[];
};

/** Whether the line is up, and since when it is not. */
export type LineState = {
  readonly connected: boolean;
  readonly trouble_since_us: number | null;
};

/** How it goes; null where no centre is set. */
export type UpstreamState = LineState & {
  readonly url: string;
  /** What is wrong, and what to do; null where nothing is. */
  readonly reason: string | null;
  readonly next_try_ms: number | null;
  readonly max_kbit: number;
  readonly rows_per_s: number;
  readonly projects: readonly ProjectState[];
  /** The newest first. */
  readonly days: readonly UpstreamDay[];
};

/** The end of a span in microseconds; null for the open one. */
export function endOf({ to_us }: StampSpan): number | null {
  return to_us === open_end_us ? null : to_us;
}

type WaitingParts = {
  readonly database: Database;
  readonly catalog: Pick<Catalog, "projects">;
  readonly ledger: Pick<SpanLedger, "spansOf">;
  readonly effects: Pick<Effects, "monotonic_ms">;
};

/** What is counted is told again for so many times as long as counting took. */
const counted_share = 50;

/** So many spans are counted one by one. */
const counted_spans = 50;

/** Counts the rows that wait, the more seldom the longer that takes. */
export class WaitingRows {
  readonly #parts: WaitingParts;
  #until_ms = -Infinity;
  #rows: Promise<ReadonlyMap<number, number>> | undefined;

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /** By the number of each project. */
  count(): Promise<ReadonlyMap<number, number>> {
    const { effects } = this.#parts;
    const from_ms = effects.monotonic_ms();
    if (this.#rows && from_ms < this.#until_ms) return this.#rows;
    this.#until_ms = Infinity;
    return this.#rows = this.#count().finally(() => {
      const rest_ms = counted_share * (effects.monotonic_ms() - from_ms);
      this.#until_ms = effects.monotonic_ms() + Math.min(rest_ms, upstream_limits.count_ms);
    });
  }

  async #count(): Promise<ReadonlyMap<number, number>> {
    const { database, catalog, ledger } = this.#parts;
    const rows = new Map<number, number>();
    for (const { project_no } of catalog.projects) {
      const spans = ledger.spansOf(project_no);
      // Of many, the older ones are counted as one, with what lies between them.
      const [oldest, ...newer] = spans.slice(-counted_spans);
      const all = oldest ? [{ ...oldest, from_us: spans[0].from_us }, ...newer] : [];
      let sum = 0;
      for (const span of all) {
        sum += await database.aside((it) => countWaiting(it, project_no, span));
      }
      rows.set(project_no, sum);
    }
    return rows;
  }
}
