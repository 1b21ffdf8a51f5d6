// Takes decoded bodies into the database: concurrent ones share commits, acknowledged after.
import type { Effects } from "../base/effects.ts";
import { Fault } from "../base/fault.ts";
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

/** Rows by what became of them. */
export type IngestTotals = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
};

/**
 * The queue before the writer. Bodies that wait share the next transaction, up to
 * `limits.rows_per_transaction` rows; a larger one takes turns with the others over several, and
 * is acknowledged after its last. If one of these fails, the earlier ones stay: sending the body
 * again counts them as duplicates.
 */
export class Ingest {
  /** Called after each commit that stored rows. */
  onStored: (() => void) | undefined;
  readonly #parts: IngestParts;
  readonly #heads: Heads;
  readonly #stage = new SampleStage(limits.rows_per_transaction);
  #queue: IngestJob[] = [];
  #queued_rows = 0;
  #running = false;
  #totals: IngestTotals = { accepted: 0, duplicates: 0, rejected: 0 };

  private constructor(parts: IngestParts, heads: Heads) {
    this.#parts = parts;
    this.#heads = heads;
  }

  /** Reads what the database holds already. */
  static async open(parts: IngestParts): Promise<Ingest> {
    const newest = await parts.database.read(newestSample);
    return new Ingest(parts, new Heads(newest ?? -Infinity));
  }

  /** What became of all rows since the start. */
  get totals(): IngestTotals {
    return this.#totals;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queued_rows;
  }

  /**
   * Stores a body's rows; resolves when they are on disk. A full queue is a `Fault` (unavailable)
   * and nothing of the body is stored.
   */
  async add(project: Project, decoded: Decoded): Promise<IngestAnswer> {
    const job = new IngestJob(project, decoded);
    if (job.rows === 0) job.finish();
    else this.#enqueue(job);
    return this.#count(await job.answer);
  }

  #count(answer: IngestAnswer): IngestAnswer {
    this.#totals = {
      accepted: this.#totals.accepted + answer.accepted,
      duplicates: this.#totals.duplicates + answer.duplicates,
      rejected: this.#totals.rejected + answer.rejected_count,
    };
    return answer;
  }

  #enqueue(job: IngestJob): void {
    if (this.#queue.length > 0 && this.#queued_rows + job.rows > limits.ingest_queue_rows) {
      throw new Fault("unavailable", "more rows are waiting to be stored than fit: send again", {
        retry_after_s: limits.retry_after_s,
      });
    }
    this.#queue.push(job);
    this.#queued_rows += job.rows;
    if (!this.#running) this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#queue.length > 0) await this.#writeNext();
    this.#running = false;
  }

  /** One transaction. Never throws: what goes wrong is the answer of the jobs that took part. */
  async #writeNext(): Promise<void> {
    let jobs: Iterable<IngestJob> = this.#queue;
    try {
      const stored = await this.#parts.database.write((write) => {
        const slices = this.#takeSlices();
        jobs = new Set(slices.map((slice) => slice.job));
        const [heads, stage] = [this.#heads, this.#stage];
        return new IngestWrite(write, { ...this.#parts, heads, stage }).run(slices);
      });
      this.#learn(stored);
      for (const job of jobs) if (job.left === 0) this.#release(job).finish();
    } catch (error) {
      for (const job of jobs) this.#release(job).fail(error);
    }
  }

  /** Slices for one transaction, in order of arrival; a job that is not through goes to the end. */
  #takeSlices(): readonly Slice[] {
    const slices: Slice[] = [];
    const unfinished: IngestJob[] = [];
    let room: number = limits.rows_per_transaction;
    while (room > 0 && this.#queue.length > 0) {
      const job = this.#queue[0];
      const slice = job.take(room);
      room -= slice.to - slice.from;
      slices.push(slice);
      if (job.left > 0 && room > 0) continue;
      this.#queue.shift();
      if (job.left > 0) unfinished.push(job);
    }
    this.#queue.push(...unfinished);
    return slices;
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

  #release(job: IngestJob): IngestJob {
    this.#queue = this.#queue.filter((each) => each !== job);
    this.#queued_rows -= job.rows;
    return job;
  }
}
