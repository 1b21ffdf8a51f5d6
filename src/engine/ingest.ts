// Takes decoded bodies into the database: concurrent ones share commits, acknowledged after.
import type { Effects } from "../base/effects.ts";
import { limits } from "../base/limits.ts";
import type { Project } from "../model/plant.ts";
import type { IngestAnswer } from "../model/sample.ts";
import type { Database } from "../store/database.ts";
import { newestSample } from "../store/sample.ts";
import type { Decoded } from "../wire/decode.ts";
import type { Alarms } from "./alarm.ts";
import type { Catalog } from "./catalog.ts";
import { Heads } from "./heads.ts";
import { IngestJob, type Slice } from "./ingest_job.ts";
import { IngestWrite, type Stored } from "./ingest_write.ts";
import { JobQueue, type JobTotals } from "./job_queue.ts";
import type { Rules } from "./rule.ts";
import { SampleStage } from "./sample_stage.ts";
import type { Watch } from "./watch.ts";

/** What ingest works on. */
export type IngestParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly rules: Rules;
  readonly alarms: Alarms;
  readonly watch: Watch;
  readonly effects: Pick<Effects, "now_us">;
};

/**
 * Takes bodies of samples and forecasts, many in a transaction or a large one in several; see
 * `JobQueue`.
 */
export class Ingest {
  /** Called after each commit that stored rows. */
  onStored: (() => void) | undefined;
  readonly #parts: IngestParts;
  readonly #heads: Heads;
  readonly #stage = new SampleStage(limits.rows_per_transaction);
  readonly #queue: JobQueue<IngestJob, Slice, IngestAnswer>;

  private constructor(parts: IngestParts, heads: Heads) {
    this.#parts = parts;
    this.#heads = heads;
    const stage = this.#stage;
    this.#queue = new JobQueue({
      noun: "rows",
      most_rows: limits.ingest_queue_rows,
      room: limits.rows_per_transaction,
      store: async (take) =>
        this.#learn(
          await parts.database.write((write) =>
            new IngestWrite(write, { ...parts, heads, stage }).run(take())
          ),
        ),
    });
  }

  /** Reads what the database holds already. */
  static async open(parts: IngestParts): Promise<Ingest> {
    const newest = await parts.database.read(newestSample);
    return new Ingest(parts, new Heads(newest ?? -Infinity));
  }

  /** What became of all rows since the start. */
  get totals(): JobTotals {
    return this.#queue.totals;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queue.queued_rows;
  }

  /**
   * Stores a body's rows; resolves when they are on disk. A full queue is a `Fault` (unavailable)
   * and nothing of the body is stored.
   */
  add(project: Project, decoded: Decoded): Promise<IngestAnswer> {
    return this.#queue.add(new IngestJob(project, decoded));
  }

  /** Brings memory up to what was committed. */
  #learn({ tags, begun, rows, ruled, judged, alarms }: Stored): void {
    this.#parts.catalog.putTags(tags);
    if (ruled) this.#parts.rules.adopt(ruled);
    this.#parts.watch.commit(judged);
    this.#parts.alarms.committed(alarms);
    for (const tag_no of begun) this.#heads.begin(tag_no);
    for (let row = 0; row < this.#stage.rows; row++) {
      this.#heads.raise(this.#stage.tagAt(row), this.#stage.tsAt(row));
    }
    if (rows > 0) this.onStored?.();
  }
}
