// The values of a tag that a rate of change is counted from: those of its last little while.
import { rule_limits } from "./limits.ts";
import type { Earlier } from "./kind.ts";

/** How old a value may be to be counted from, in microseconds; 0 for a span of 0. */
export function reachBack(over_us: number): number {
  return over_us === 0 ? 0 : over_us + Math.max(over_us, rule_limits.watch_gap_us);
}

/**
 * Values by their time. Newer ones are tried (`add`) and then kept or dropped as one. A rate is
 * counted from the newest value that is at least the span older and not beyond `reachBack`; of
 * more than `rule_limits.watch_values` within the span, from the oldest of so many.
 */
export class Span {
  readonly #over_us: number;
  readonly #ts: number[] = [];
  readonly #values: number[] = [];
  #kept = 0;

  constructor(over_us: number) {
    this.#over_us = over_us;
  }

  /** Takes a value that is newer than every other. */
  add(ts_us: number, value: number): void {
    this.#ts.push(ts_us);
    this.#values.push(value);
  }

  /** What a value of `ts_us`, newer than every other, is counted from. */
  earlier(ts_us: number): Earlier | undefined {
    const at = Math.max(
      this.#after(ts_us - this.#over_us) - 1,
      this.#ts.length - rule_limits.watch_values,
    );
    if (at < 0 || this.#ts[at] < ts_us - reachBack(this.#over_us)) return undefined;
    return { ts_us: this.#ts[at], value: this.#values[at] };
  }

  /** Takes what was added for good; forgets what no later value is counted from. */
  keep(): void {
    const { length } = this.#ts;
    const old = this.#after((this.#ts[length - 1] ?? 0) - reachBack(this.#over_us));
    const spare = Math.max(old, length - rule_limits.watch_values);
    if (spare > length / 2) {
      this.#ts.splice(0, spare);
      this.#values.splice(0, spare);
    }
    this.#kept = this.#ts.length;
  }

  /** Takes back what was added. */
  drop(): void {
    this.#ts.length = this.#values.length = this.#kept;
  }

  /** The same values, kept, to be changed by itself. */
  copy(): Span {
    const copy = new Span(this.#over_us);
    this.#ts.forEach((ts_us, i) => copy.add(ts_us, this.#values[i]));
    copy.#kept = this.#kept;
    return copy;
  }

  /** Puts a value where it belongs, or in place of another's of its time; null takes that away. */
  amend(ts_us: number, value: number | null): void {
    if (ts_us < (this.#ts.at(-1) ?? 0) - reachBack(this.#over_us)) return;
    const after = this.#after(ts_us);
    const same = after > 0 && this.#ts[after - 1] === ts_us;
    const at = same ? after - 1 : after;
    const rows = value === null ? [] : [value];
    this.#ts.splice(at, same ? 1 : 0, ...rows.map(() => ts_us));
    this.#values.splice(at, same ? 1 : 0, ...rows);
    this.#kept = this.#ts.length;
  }

  /** How many values are not after `ts_us`. */
  #after(ts_us: number): number {
    let [low, high] = [0, this.#ts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ts[middle] <= ts_us) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
