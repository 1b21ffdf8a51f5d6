// The samples of one tag in order of time: the newest of them in memory, or those of one write.
import type { DerivedSample } from "../../model/derived/derived.ts";

/** Samples of a tag; all that are stored from `from_us` on are among them. */
export class Track {
  readonly samples: DerivedSample[] = [];
  #from_us: number;

  constructor(from_us = -Infinity) {
    this.#from_us = from_us;
  }

  /** Whether what was known at an instant can be said, looking back for `max_age_us` at most. */
  covers(at_us: number, max_age_us: number): boolean {
    if (this.#from_us <= at_us - max_age_us) return true;
    return this.#from_us <= at_us && this.at(at_us) !== undefined;
  }

  /** Adds a sample, in place of one of the same instant; what lies before its time is let go. */
  put(sample: DerivedSample): void {
    const at = this.firstAfter(sample.ts_us);
    const before = this.samples[at - 1];
    if (before?.ts_us === sample.ts_us) this.samples[at - 1] = sample;
    else if (sample.ts_us >= this.#from_us) this.samples.splice(at, 0, sample);
  }

  /** Lets all but the newest go. */
  trim(most: number): void {
    if (this.samples.length <= 2 * most) return;
    this.samples.splice(0, this.samples.length - most);
    this.#from_us = this.samples[0].ts_us;
  }

  /** The last sample up to an instant. */
  at(at_us: number): DerivedSample | undefined {
    return this.samples[this.firstAfter(at_us) - 1];
  }

  /** The place of the first sample after an instant. */
  firstAfter(at_us: number): number {
    let [low, high] = [0, this.samples.length];
    // Most questions are about the newest.
    if (high > 0 && this.samples[high - 1].ts_us <= at_us) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.samples[middle].ts_us <= at_us) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What is known of a tag: what is stored, and over it what the write brings. */
export type Known = { readonly stored: Track; readonly fresh: Track };

/** The last sample up to an instant. */
export function lastAt({ stored, fresh }: Known, at_us: number): DerivedSample | undefined {
  const [a, b] = [stored.at(at_us), fresh.at(at_us)];
  return a === undefined || (b !== undefined && b.ts_us >= a.ts_us) ? b : a;
}

/** The instant of the first sample after one; infinite where there is none. */
export function nextAfter({ stored, fresh }: Known, at_us: number): number {
  const a = stored.samples[stored.firstAfter(at_us)]?.ts_us ?? Infinity;
  const b = fresh.samples[fresh.firstAfter(at_us)]?.ts_us ?? Infinity;
  return Math.min(a, b);
}
