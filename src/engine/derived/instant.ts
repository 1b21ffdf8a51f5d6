// At which instants a derived tag is computed anew, for what a write brings of its inputs.
import { type Known, nextAfter } from "./track.ts";

/** How a derived tag lies in time, in microseconds; 1: a sample at each instant of an input. */
export type Timing = {
  readonly step_us: number;
  readonly max_age_us: number;
  readonly on_change: boolean;
};

/** The instant of the sample to which an input's sample leads: its own, or the grid's before. */
export function instantOf({ step_us }: Pick<Timing, "step_us">, ts_us: number): number {
  return step_us === 1 ? ts_us : Math.floor(ts_us / step_us) * step_us;
}

/**
 * The instants, rising, of which the samples that a write brings change something: those to which
 * they lead, and those at which one of them is the last that is known of its input.
 */
export function instantsOf(timing: Timing, inputs: readonly Known[]): readonly number[] {
  const firsts = inputs.map(({ fresh }) => fresh.samples[0]?.ts_us ?? Infinity);
  const all = allFrom(timing, inputs, Math.min(...firsts));
  const found = new Set<number>();
  for (const input of inputs) {
    for (const { ts_us } of input.fresh.samples) {
      found.add(instantOf(timing, ts_us));
      const until_us = Math.min(nextAfter(input, ts_us), ts_us + timing.max_age_us + 1);
      let place = placeOf(all, ts_us);
      while (place < all.length && all[place] < until_us) found.add(all[place++]);
      // What was no change may be one now.
      if (timing.on_change && place < all.length) found.add(all[place]);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** The instants of all samples of the inputs from one on, rising, each once. */
function allFrom(timing: Timing, inputs: readonly Known[], from_us: number): readonly number[] {
  const all = new Set<number>();
  for (const { stored, fresh } of inputs) {
    for (const track of [stored, fresh]) {
      const { samples } = track;
      for (let i = track.firstAfter(from_us - 1); i < samples.length; i++) {
        all.add(instantOf(timing, samples[i].ts_us));
      }
    }
  }
  return [...all].sort((a, b) => a - b);
}

/** The place of the first number that is not less than `least`. */
function placeOf(rising: readonly number[], least: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
