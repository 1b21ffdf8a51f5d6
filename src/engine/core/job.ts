// A body on its way into the database: what of it is still to be stored, counted, and answered.
import { limits } from "../../base/limits.ts";
import type { Project } from "../../model/plant/plant.ts";

/** What a queue says of a job's rows. */
export type JobAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected_count: number;
};

/** A row that can't be taken, by its line. */
export type JobRejection = { readonly line: number };

/** What a job is made of; `Part` is how its rows are handed out. */
type JobBody<Part, Answer, Rejection> = {
  readonly project: Project;
  readonly rows: number;
  /** What was rejected while it was decoded. */
  readonly decoded: {
    readonly rejected: readonly Rejection[];
    readonly rejected_count: number;
  };
  /** The next rows, of about `room` at most: how many they are, and what of the room they fill. */
  readonly next: (room: number) => {
    readonly part: Part;
    readonly rows: number;
    readonly size: number;
  };
  readonly answerOf: (tally: JobTally<Rejection & JobRejection>) => Answer;
};

/**
 * Rows of one job that one transaction takes; `size` counts against its room. What becomes of them
 * is counted in `tally`, which is the job's once they are committed.
 */
export type JobSlice<Part, Answer extends JobAnswer, Rejection extends JobRejection> = Part & {
  readonly job: Job<Part, Answer, Rejection>;
  readonly size: number;
  readonly tally: JobTally<Rejection>;
};

/** A body whose rows are taken slice by slice. */
export class Job<Part, Answer extends JobAnswer, Rejection extends JobRejection> {
  readonly project: Project;
  readonly rows: number;
  readonly #body: JobBody<Part, Answer, Rejection>;
  readonly #tally: JobTally<Rejection>;
  readonly #answer = Promise.withResolvers<Answer>();
  #left: number;

  constructor(body: JobBody<Part, Answer, Rejection>) {
    this.project = body.project;
    this.rows = this.#left = body.rows;
    this.#body = body;
    this.#tally = new JobTally(body.decoded);
  }

  /** Rows that no slice has taken yet. */
  get left(): number {
    return this.#left;
  }

  /** The next slice, of about `room` at most; only while rows are left. */
  take(room: number): JobSlice<Part, Answer, Rejection> {
    const { part, rows, size } = this.#body.next(room);
    this.#left -= rows;
    return { ...part, job: this, size, tally: new JobTally<Rejection>() };
  }

  /** Resolves once every row is committed or rejected. */
  get answer(): Promise<Answer> {
    return this.#answer.promise;
  }

  /** Takes what happened to a slice: it is committed. */
  count(tally: JobTally<Rejection>): void {
    this.#tally.add(tally);
  }

  /** Answers with the verdict. */
  finish(): void {
    this.#answer.resolve(this.#body.answerOf(this.#tally));
  }

  /** Answers with an error: nothing of the transaction that failed is stored. */
  fail(error: unknown): void {
    this.#answer.reject(error);
  }
}

/** Counts rows; keeps the rejections of the first lines. */
class JobTally<Rejection extends { readonly line: number }> {
  accepted = 0;
  duplicates = 0;
  /** Of the accepted rows, those that replaced a stored one. */
  corrected = 0;
  /** Of the accepted rows, those that wait for something to come. */
  waiting = 0;
  #rejected: Rejection[];
  #rejected_count: number;

  constructor(
    { rejected, rejected_count }: {
      readonly rejected: readonly Rejection[];
      readonly rejected_count: number;
    } = { rejected: [], rejected_count: 0 },
  ) {
    this.#rejected = [...rejected];
    this.#rejected_count = rejected_count;
  }

  get rejected_count(): number {
    return this.#rejected_count;
  }

  /** The first `limits.rejected_shown` rejections, by line. */
  get rejected(): readonly Rejection[] {
    this.#trim();
    return this.#rejected;
  }

  reject(rejection: Rejection): void {
    this.#rejected_count++;
    this.#rejected.push(rejection);
    if (this.#rejected.length > 2 * limits.rejected_shown) this.#trim();
  }

  /** Says that an accepted row was a duplicate after all. */
  recount(): void {
    this.accepted--;
    this.duplicates++;
  }

  /** Says that an accepted row replaced a stored one. */
  correct(): void {
    this.corrected++;
  }

  /** Forgets everything: the rows are to be counted again. */
  reset(): void {
    this.accepted =
      this.duplicates =
      this.corrected =
      this.waiting =
      this.#rejected_count =
        0;
    this.#rejected = [];
  }

  /** Adds what another tally counted. */
  add(other: JobTally<Rejection>): void {
    this.accepted += other.accepted;
    this.duplicates += other.duplicates;
    this.corrected += other.corrected;
    this.waiting += other.waiting;
    this.#rejected_count += other.#rejected_count;
    this.#rejected.push(...other.#rejected);
    this.#trim();
  }

  #trim(): void {
    this.#rejected.sort((a, b) => a.line - b.line).splice(limits.rejected_shown);
  }
}
