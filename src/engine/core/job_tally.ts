// What became of some rows of a body: counts, and the first of the rejected ones.
import { limits } from "../../base/limits.ts";

/** Counts rows; keeps the rejections of the first lines. */
export class JobTally<Rejection extends { readonly line: number }> {
  accepted = 0;
  duplicates = 0;
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

  /** Forgets everything: the rows are to be counted anew. */
  reset(): void {
    this.accepted =
      this.duplicates =
      this.waiting =
      this.#rejected_count =
        0;
    this.#rejected = [];
  }

  /** Adds what another tally counted. */
  add(other: JobTally<Rejection>): void {
    this.accepted += other.accepted;
    this.duplicates += other.duplicates;
    this.waiting += other.waiting;
    this.#rejected_count += other.#rejected_count;
    this.#rejected.push(...other.#rejected);
    this.#trim();
  }

  #trim(): void {
    this.#rejected.sort((a, b) => a.line - b.line).splice(limits.rejected_shown);
  }
}
