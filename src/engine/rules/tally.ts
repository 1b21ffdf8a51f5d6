// What one rule would have raised on one tag: its occurrences, how many, and for how long.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import type { Transition } from "../../model/rules/state_machine.ts";
import { pointOf } from "../../model/rules/condition.ts";

/** An alarm that would have been; instants are microseconds since 1970 UTC. */
export type Replayed = {
  readonly raised_at: number;
  /** Null: it stands at the end. */
  readonly cleared_at: number | null;
  readonly source_ts: number | null;
  readonly raised_value: number;
  readonly peak_value: number | null;
  readonly peak_at: number | null;
  readonly recovered_value: number | null;
  readonly decoded_labels: readonly string[];
  readonly point_key: string | null;
};

/** A range of instants, [from, to). */
export type Range = { readonly from_us: number; readonly to_us: number };

/** Takes what a watchpoint's machine tells, in order. */
export class Tally {
  readonly watchpoint: Watchpoint;
  readonly #range: Range;
  readonly #first: Replayed[] = [];
  #open: Replayed | undefined;
  #recent: readonly number[] = [];
  /** How many were raised within the range. */
  raised = 0;
  /** How many of them came so soon after others that they are marked as chattering. */
  chattering = 0;
  /** How many overlap the range. */
  occurrences = 0;
  /** How much of the range one stood, in microseconds. */
  standing_us = 0;
  samples = 0;
  readonly #steps: Readonly<Record<Transition["kind"], (it: Transition) => void>> = {
    raise: (it) => this.#raise(it),
    labels: (it) => this.#name(it),
    clear: (it) => this.#clear(it),
  };

  constructor(watchpoint: Watchpoint, range: Range) {
    this.watchpoint = watchpoint;
    this.#range = range;
  }

  /** The first occurrences, at most `rule_limits.test_shown`. */
  get first(): readonly Replayed[] {
    return this.#first;
  }

  /** Whether one is active at the end. */
  get stands(): boolean {
    return this.#open !== undefined;
  }

  take(transition: Transition): void {
    this.#steps[transition.kind](transition);
  }

  /** Takes the end of the range, with what stands then. */
  end({ peak_value, peak_at }: Pick<Replayed, "peak_value" | "peak_at">): void {
    if (this.#open !== undefined) this.#keep({ ...this.#open, peak_value, peak_at });
  }

  #raise(transition: Transition): void {
    const { at_us, subject, source_ts, value, peak_value, peak_at, decoded_labels } = transition;
    this.#open = {
      ...{ raised_at: at_us, cleared_at: null, source_ts, raised_value: value },
      ...{ peak_value, peak_at, recovered_value: null, decoded_labels },
      point_key: pointOf(this.watchpoint, subject)?.key ?? null,
    };
    const since_us = at_us - alarm_limits.chattering_window_us;
    this.#recent = [...this.#recent.filter((us) => us > since_us), at_us]
      .slice(-alarm_limits.chattering_raises);
    if (at_us < this.#range.from_us) return;
    this.raised++;
    if (this.#recent.length >= alarm_limits.chattering_raises) this.chattering++;
  }

  #name({ decoded_labels }: Transition): void {
    if (this.#open !== undefined) this.#open = { ...this.#open, decoded_labels };
  }

  #clear({ at_us, value, peak_value, peak_at, decoded_labels }: Transition): void {
    if (this.#open === undefined) return;
    this.#keep({
      ...this.#open,
      ...{ cleared_at: at_us, recovered_value: value, peak_value, peak_at, decoded_labels },
    });
    this.#open = undefined;
  }

  #keep(occurrence: Replayed): void {
    const from_us = Math.max(occurrence.raised_at, this.#range.from_us);
    const to_us = Math.min(occurrence.cleared_at ?? Infinity, this.#range.to_us);
    if (to_us < from_us || occurrence.raised_at >= this.#range.to_us) return;
    this.occurrences++;
    this.standing_us += to_us - from_us;
    if (this.#first.length < rule_limits.test_shown) this.#first.push(occurrence);
  }
}
