// One watchpoint followed through the history of its tag: what would have been raised and cleared.
import type { Point } from "./kind.ts";
import { definitionOf } from "./kinds.ts";
import type { Watchpoint } from "./rule.ts";
import { atRest, hush, type Machine, step, tick, type Transition } from "./state_machine.ts";
import { Span } from "./span.ts";

/** Takes a tag's samples in the order of their times. */
export class Follower {
  #machine: Machine;
  #before_us: number | undefined;
  readonly #begun_us: number | undefined;
  readonly #span: Span | undefined;

  /** `begun_us`: from when on a stale rule counts before the first sample. */
  constructor(watchpoint: Watchpoint, { begun_us }: { readonly begun_us?: number } = {}) {
    const { condition } = watchpoint.rule;
    this.#machine = atRest(watchpoint);
    this.#begun_us = begun_us;
    const span_us = definitionOf(condition).needs.spanUs(condition);
    this.#span = span_us > 0 ? new Span(span_us) : undefined;
  }

  /** Where the machine stands. */
  get machine(): Machine {
    return this.#machine;
  }

  /** Looks at the next sample; gives what that tells, in order. */
  see({ ts_us, value, expected }: Pick<Point, "ts_us" | "value" | "expected">): Transition[] {
    const told: Transition[] = [];
    const earlier = this.#span?.earlier(ts_us);
    const point = { ts_us, value, expected, earlier, ...this.#heard };
    this.#machine = step(this.#machine, point, told);
    if (value === null) return told;
    this.#before_us = ts_us;
    if (typeof value !== "string") this.#span?.add(ts_us, Number(value));
    this.#span?.keep();
    return told;
  }

  /** Looks at the clock, with no newer sample; gives what that tells. */
  wait(upto_us: number): Transition[] {
    const told: Transition[] = [];
    this.#machine = tick(hush(this.#machine, { ...this.#heard, upto_us }, told), upto_us, told);
    return told;
  }

  get #heard() {
    return { before_us: this.#before_us, begun_us: this.#begun_us };
  }
}
