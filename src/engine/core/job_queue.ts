// The queue of bodies before the writer: those that wait share commits, a large one takes turns.
import { giveWay } from "../../base/effects.ts";
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

/** How far the slices of a large body shrink while others come: to this part of the room. */
const least_share = 1 / 4;

/**
 * Bodies that wait share the next transaction, up to its room; a larger one takes turns with the
 * others over several, in small slices while others come, and is acknowledged after its last. If
 * one of these fails, the earlier ones stay: sending the body again counts them as duplicates.
 * Where a shared transaction fails, its bodies are tried apart: what one of them throws is no
 * other's.
 */
export class JobQueue<Part, Answer extends JobAnswer, Rejection extends JobRejection> {
  readonly #options: JobQueueOptions<JobSlice<Part, Answer, Rejection>>;
  #queue: Job<Part, Answer, Rejection>[] = [];
  #queued_rows = 0;
  #running = false;
  /** What the next slice of a large body may take, and whether it is the turn of one. */
  #large_room: number;
  #is_large_next = false;
  #totals: JobTotals = { accepted: 0, duplicates: 0, rejected: 0, failed: 0 };

  constructor(options: JobQueueOptions<JobSlice<Part, Answer, Rejection>>) {
    this.#options = options;
    this.#large_room = options.room;
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
    while (this.#queue.length > 0) {
      await this.#storeNext();
      // Who was answered hears of it before the next, and what it sends then may be part of that.
      if (this.#queue.length > 0) await giveWay();
    }
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

  /** Slices for one transaction: of bodies that fit into one, or of one that does not, in turns. */
  #takeSlices(): readonly JobSlice<Part, Answer, Rejection>[] {
    const { room } = this.#options;
    const [large, others] = partition(this.#queue, ({ rows }) => rows > room);
    const is_crowded = others.length > 0;
    const wanted = this.#large_room * (is_crowded ? 1 / 2 : 2);
    this.#large_room = Math.ceil(Math.max(room * least_share, Math.min(room, wanted)));
    this.#is_large_next = !is_crowded || large.length > 0 && this.#is_large_next;
    const slices = this.#is_large_next
      ? this.#take(large.slice(0, 1), this.#large_room)
      : this.#take(others, room);
    this.#is_large_next = !this.#is_large_next;
    return slices;
  }

  /** Slices of jobs, in order of arrival; those that are not through go to the end. */
  #take(
    jobs: readonly Job<Part, Answer, Rejection>[],
    room: number,
  ): readonly JobSlice<Part, Answer, Rejection>[] {
    const slices: JobSlice<Part, Answer, Rejection>[] = [];
    for (const job of jobs) {
      while (room > 0 && job.left > 0) {
        const slice = job.take(room);
        room -= slice.size;
        slices.push(slice);
      }
      if (room <= 0) break;
    }
    const taken = new Set(slices.map(({ job }) => job));
    const unfinished = [...taken].filter(({ left }) => left > 0);
    this.#queue = [...this.#queue.filter((job) => !taken.has(job)), ...unfinished];
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

/** Those of which something holds, and the others, each in their order. */
function partition<T>(all: readonly T[], holds: (it: T) => boolean) {
  return [all.filter(holds), all.filter((it) => !holds(it))];
}
