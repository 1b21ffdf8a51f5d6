// What an energy counter says beside a power that is doubtful: it climbs, or it stands still.
import { availability_limits } from "./limits.ts";
import { type InverterFacts, quarter_h, type Quarters, type Scene } from "./fact.ts";

/** `expectedAt` gives what the peers made in a quarter-hour, in hours at rated power. */
type Company = { readonly scene: Scene; readonly expectedAt: (i: number) => number };

/**
 * Of each quarter-hour: 1 where the counter climbs as the peers' do, -1 where it stands still while
 * theirs climb, 0 where it can't tell.
 */
export type CounterWord = Int8Array;

/**
 * Reads a counter day by day. A coarse one stands still between its steps: only a stretch in which
 * the peers made clearly more than a step is one of no production.
 */
export function counterWord(facts: InverterFacts, { scene, expectedAt }: Company): CounterWord {
  const word = new Int8Array(scene.count);
  const { capacity_w, counter_wh } = facts;
  if (capacity_w === null) return word;
  const made = counter_wh.map((wh) => wh / capacity_w);
  const isLow = (i: number) => made[i] <= availability_limits.no_power_share * scene.light_h[i];
  const step = stepOf(made, (i) => made[i] > availability_limits.no_power_share * quarter_h);
  for (const day of lightRuns(scene, made)) {
    for (const low of runsOf(day, isLow)) {
      const stands = sumOver(low, expectedAt) >= availability_limits.standing_steps * step;
      if (stands) word.fill(-1, low.from, low.to);
    }
    for (const run of runsOf(day, (i) => word[i] === 0)) {
      const counted = sumOver(run, (i) => made[i]);
      const climbs = counted >= availability_limits.climbing_share * sumOver(run, expectedAt);
      for (let i = run.from; counted > 0 && i < run.to; i++) {
        // Where the peers stand still too, that it does says nothing.
        const do_peers = expectedAt(i) >= availability_limits.producing_share * scene.light_h[i];
        if (!isLow(i) || do_peers) word[i] = climbs ? 1 : -1;
      }
    }
  }
  return word;
}

/** Quarter-hours `[from, to)`. */
type Run = { readonly from: number; readonly to: number };

/**
 * The least that the counter climbs by at once, as far as a scene shows it. One that climbs in some
 * quarter-hours on end does so in steps of no more than it climbs in one within them; else a step
 * may lie in two of them, spread over the time between two readings.
 */
function stepOf(made: Quarters, climbs: (i: number) => boolean): number {
  let least = Infinity;
  for (const { from, to } of runsOf({ from: 0, to: made.length }, climbs)) {
    const is_fine = to - from >= availability_limits.fine_quarters;
    const [first, last, around] = is_fine ? [from + 1, to - 1, 0] : [from, to, 1];
    for (let i = first; i < last; i++) {
      least = Math.min(least, sumOver({ from: i - around, to: i + around + 1 }, (k) => made[k]));
    }
  }
  return least === Infinity ? quarter_h / availability_limits.standing_steps : least;
}

/** The runs of daylight in which the counter is known. */
function lightRuns({ count, light_h }: Scene, made: Quarters): readonly Run[] {
  return runsOf({ from: 0, to: count }, (i) => light_h[i] > 0 && !Number.isNaN(made[i]));
}

function runsOf({ from, to }: Run, isIn: (i: number) => boolean): readonly Run[] {
  const runs: Run[] = [];
  for (let i = from; i < to; i++) {
    if (!isIn(i)) continue;
    const start = i;
    while (i < to && isIn(i)) i++;
    runs.push({ from: start, to: i });
  }
  return runs;
}

/** The sum of what is known. */
function sumOver({ from, to }: Run, valueAt: (i: number) => number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += valueAt(i) || 0;
  return sum;
}
