// The queue of bodies before the writer: those that wait share commits, a large one takes turns.
import { apart } from "../../base/together.ts";
import type { Job, JobAnswer, JobRejection, JobSlice } from "./job.ts";

/** Rows by what happened to them. */
export type JobTotals = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** Rows of bodies that could not be stored. */
  readonly failed: number;
};

/** How a queue works. */
export type JobQueueOptions<Slice> = {
  /** How much one transaction takes. */
  readonly room: number;
  /**
   * One transaction: takes slices once the writer is free, and resolves when all is known. The same
   * slices may come again: each begins its tally again.
   */
  readonly store: (take: () => readonly Slice[]) => Promise<void>;
};

/**
 * Bodies that wait share the next transaction, up to its room; a larger one takes turns with the
 * others over several, and is acknowledged after its last. If one of these fails, the earlier ones
 * stay: sending the body again counts them as duplicates. Where a shared transaction fails, its
 * bodies are tried apart: what one of them throws is no other's.
 */
export class JobQueue<Part, Answer extends JobAnswer, Rejection extends JobRejection> {
  readonly #options: JobQueueOptions<JobSlice<Part, Answer, Rejection>>;
  #queue: Job<Part, Answer, Rejection>[] = [];
  #queued_rows = 0;
  #running = false;
  #totals: JobTotals = { accepted: 0, duplicates: 0, rejected: 0, failed: 0 };

  constructor(options: JobQueueOptions<JobSlice<Part, Answer, Rejection>>) {
    this.#options = options;
  }

  /** What became of all rows since the start. */
  get totals(): JobTotals {
    return this.#totals;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queued_rows;
  }

  /**
   * Stores a job's rows; resolves when they are on disk. What waits is bounded by who decodes it.
   */
  async add(job: Job<Part, Answer, Rejection>): Promise<Answer> {
    if (job.rows === 0) job.finish();
    else this.#enqueue(job);
    return this.#count(await job.answer);
  }

  #count(answer: Answer): Answer {
    const { accepted, duplicates, rejected, failed } = this.#totals;
    this.#totals = {
      accepted: accepted + answer.accepted,
      duplicates: duplicates + answer.duplicates,
      rejected: rejected + answer.rejected_count,
      failed,
    };
    return answer;
  }

  #enqueue(job: Job<Part, Answer, Rejection>): void {
    this.#queue.push(job);
    this.#queued_rows += job.rows;
    if (!this.#running) this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#queue.length > 0) await this.#storeNext();
    this.#running = false;
  }

  /** One transaction. Never throws: what goes wrong is the answer of the jobs whose fault it is. */
  async #storeNext(): Promise<void> {
    const { store } = this.#options;
    let slices: readonly JobSlice<Part, Answer, Rejection>[] = [];
    try {
      await store(() => slices = this.#takeSlices());
      this.#settle(slices);
    } catch (error) {
      if (slices.length === 0) return this.#queue.forEach((job) => this.#fail(job, error));
      const of_jobs = [...Map.groupBy(slices, ({ job }) => job).values()];
      const failed = await apart(of_jobs, (some) => this.#storeAgain(some.flat()), error);
      for (const { part: [{ job }], error } of failed) this.#fail(job, error);
    }
  }

  async #storeAgain(slices: readonly JobSlice<Part, Answer, Rejection>[]): Promise<void> {
    await this.#options.store(() => slices);
    this.#settle(slices);
  }

  /** Counts what was committed, and answers the jobs that are through. */
  #settle(slices: readonly JobSlice<Part, Answer, Rejection>[]): void {
    for (const { job, tally } of slices) job.count(tally);
    for (const job of new Set(slices.map(({ job }) => job))) {
      if (job.left === 0) this.#release(job).finish();
    }
  }

  /** Slices for one transaction, in order of arrival; a job that is not through goes to the end. */
  #takeSlices(): readonly JobSlice<Part, Answer, Rejection>[] {
    const slices: JobSlice<Part, Answer, Rejection>[] = [];
    const unfinished: Job<Part, Answer, Rejection>[] = [];
    let { room } = this.#options;
    while (room > 0 && this.#queue.length > 0) {
      const job = this.#queue[0];
      const slice = job.take(room);
      room -= slice.size;
      slices.push(slice);
      if (job.left > 0 && room > 0) continue;
      this.#queue.shift();
      if (job.left > 0) unfinished.push(job);
    }
    this.#queue.push(...unfinished);
    return slices;
  }

  #fail(job: Job<Part, Answer, Rejection>, error: unknown): void {
    this.#totals = { ...this.#totals, failed: this.#totals.failed + job.rows };
    this.#release(job);
    job.fail(error);
  }

  #release(job: Job<Part, Answer, Rejection>): Job<Part, Answer, Rejection> {
    this.#queue = this.#queue.filter((each) => each !== job);
    this.#queued_rows -= job.rows;
    return job;
  }
}
