// Values of minutes beside expected ones, as means over the minutes up to each.
import { rule_limits } from "./limits.ts";

const { deviation_apart_minutes: most_apart, deviation_usual_minutes: usual_minutes } = rule_limits;

/** A minute's value and what is expected of it; or means of several up to it. */
export type Pair = { readonly minute: number; readonly value: number; readonly expected: number };

/**
 * How far before a minute its means, and how far values lie apart, are told from: what lies further
 * back changes nothing.
 */
export function spanBack(span_minutes: number): number {
  return span_minutes + usual_minutes + most_apart;
}

/**
 * The pairs of one sensor, as far as a span reaches back. Each stands for as many minutes as they
 * lately lay apart: the median of what is at most `most_apart`.
 */
export class PairSpan {
  readonly #span_minutes: number;
  readonly #pairs: Pair[] = [];
  /** The first of the span, and the first that is not forgotten. */
  #begin = 0;
  #first = 0;
  readonly #value = new ExactSum();
  readonly #expected = new ExactSum();
  /** How many pairs lie so many minutes after the one before. */
  readonly #aparts: number[] = Array(most_apart + 1).fill(0);

  constructor(span_minutes: number) {
    this.#span_minutes = span_minutes;
  }

  /** Takes the pair of a later minute. */
  add(pair: Pair): void {
    const pairs = this.#pairs;
    pairs.push(pair);
    this.#sum(pair, 1);
    this.#count(pairs.length - 1, 1);
    const upto = pair.minute - this.#span_minutes;
    while (pairs[this.#begin].minute <= upto) this.#sum(pairs[this.#begin++], -1);
    while (pairs[this.#first].minute <= upto - usual_minutes) this.#count(this.#first++, -1);
    // One stays before the first: how far that is after it is known.
    if (this.#first < 2 || this.#first < pairs.length / 2) return;
    const forgotten = this.#first - 1;
    pairs.splice(0, forgotten);
    this.#first -= forgotten;
    this.#begin -= forgotten;
  }

  /**
   * The means up to the newest pair; undefined where the pairs stand for less than half of the
   * span. They are the same wherever the pairs began.
   */
  means(): Pair | undefined {
    const n = this.#pairs.length - this.#begin;
    if (n * this.#usualApart() * 2 < this.#span_minutes) return undefined;
    const { minute } = this.#pairs[this.#pairs.length - 1];
    return { minute, value: this.#value.total / n, expected: this.#expected.total / n };
  }

  #sum({ value, expected }: Pair, by: 1 | -1): void {
    this.#value.add(by * value);
    this.#expected.add(by * expected);
  }

  #count(i: number, by: 1 | -1): void {
    const apart = i > 0 ? this.#pairs[i].minute - this.#pairs[i - 1].minute : Infinity;
    if (apart <= most_apart) this.#aparts[apart] += by;
  }

  #usualApart(): number {
    const all = this.#aparts.reduce((sum, n) => sum + n, 0);
    let below = 0;
    return all === 0 ? 1 : this.#aparts.findIndex((n) => (below += n) * 2 >= all);
  }
}

/** A sum that what is taken away leaves nothing in: it keeps what each addition rounds off. */
class ExactSum {
  #rounded = 0;
  #rest = 0;

  get total(): number {
    return this.#rounded + this.#rest;
  }

  add(value: number): void {
    const next = this.#rounded + value;
    const [large, small] = Math.abs(value) > Math.abs(this.#rounded)
      ? [value, this.#rounded]
      : [this.#rounded, value];
    this.#rest += large - next + small;
    this.#rounded = next;
  }
}
