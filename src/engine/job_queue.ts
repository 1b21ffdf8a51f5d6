// The queue of bodies before the writer: those that wait share commits, a large one takes turns.
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";

/** A body on its way into the database. */
export type Job<Slice, Answer> = {
  readonly rows: number;
  /** Rows that no slice has taken yet. */
  readonly left: number;
  /** Resolves once every row is committed or rejected. */
  readonly answer: Promise<Answer>;
  /** The next slice, of about `room` at most; only while rows are left. */
  take(room: number): Slice;
  finish(): void;
  fail(error: unknown): void;
};

/** Rows of one job that one transaction takes; `size` counts against its room. */
export type JobSlice<J> = { readonly job: J; readonly size: number };

/** What a queue says of a job's rows. */
export type JobAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected_count: number;
};

/** Rows by what became of them. */
export type JobTotals = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
};

/** How a queue works. */
export type JobQueueOptions<Slice> = {
  /** What waits, in the refusal of more. */
  readonly noun: string;
  readonly most_rows: number;
  /** How much one transaction takes. */
  readonly room: number;
  /** One transaction: takes slices once the writer is free, and resolves when all is known. */
  readonly store: (take: () => readonly Slice[]) => Promise<void>;
};

/**
 * Bodies that wait share the next transaction, up to its room; a larger one takes turns with the
 * others over several, and is acknowledged after its last. If one of these fails, the earlier ones
 * stay: sending the body again counts them as duplicates.
 */
export class JobQueue<
  J extends Job<Slice, Answer>,
  Slice extends JobSlice<J>,
  Answer extends JobAnswer,
> {
  readonly #options: JobQueueOptions<Slice>;
  #queue: J[] = [];
  #queued_rows = 0;
  #running = false;
  #totals: JobTotals = { accepted: 0, duplicates: 0, rejected: 0 };

  constructor(options: JobQueueOptions<Slice>) {
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
   * Stores a job's rows; resolves when they are on disk. A full queue is a `Fault` (unavailable)
   * and nothing of the job is stored.
   */
  async add(job: J): Promise<Answer> {
    if (job.rows === 0) job.finish();
    else this.#enqueue(job);
    return this.#count(await job.answer);
  }

  #count(answer: Answer): Answer {
    this.#totals = {
      accepted: this.#totals.accepted + answer.accepted,
      duplicates: this.#totals.duplicates + answer.duplicates,
      rejected: this.#totals.rejected + answer.rejected_count,
    };
    return answer;
  }

  #enqueue(job: J): void {
    const { noun, most_rows } = this.#options;
    if (this.#queue.length > 0 && this.#queued_rows + job.rows > most_rows) {
      throw new Fault(
        "unavailable",
        `more ${noun} are waiting to be stored than fit: send again`,
        { retry_after_s: limits.retry_after_s },
      );
    }
    this.#queue.push(job);
    this.#queued_rows += job.rows;
    if (!this.#running) this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#queue.length > 0) await this.#storeNext();
    this.#running = false;
  }

  /** One transaction. Never throws: what goes wrong is the answer of the jobs that took part. */
  async #storeNext(): Promise<void> {
    let jobs: Iterable<J> = this.#queue;
    try {
      await this.#options.store(() => {
        const slices = this.#takeSlices();
        jobs = new Set(slices.map((slice) => slice.job));
        return slices;
      });
      for (const job of jobs) if (job.left === 0) this.#release(job).finish();
    } catch (error) {
      for (const job of jobs) this.#release(job).fail(error);
    }
  }

  /** Slices for one transaction, in order of arrival; a job that is not through goes to the end. */
  #takeSlices(): readonly Slice[] {
    const slices: Slice[] = [];
    const unfinished: J[] = [];
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

  #release(job: J): J {
    this.#queue = this.#queue.filter((each) => each !== job);
    this.#queued_rows -= job.rows;
    return job;
  }
}
