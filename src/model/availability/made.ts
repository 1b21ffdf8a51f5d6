// What each inverter of a site made in each quarter-hour, by its best evidence, and its peers.
import { availability_limits } from "./limits.ts";
import { type InverterFacts, isIdle, type Quarters, type Scene } from "./fact.ts";

/** Whether an inverter's power or its counter tells of quarter-hour `i`. */
export function isTold({ heard, power_w, counter_wh }: InverterFacts, i: number): boolean {
  return heard[i] === 1 && !(Number.isNaN(power_w[i]) && Number.isNaN(counter_wh[i]));
}

/** Whether its power was one and the same value in quarter-hour `i` and in one beside it. */
export function isStill({ flat_w }: InverterFacts, i: number): boolean {
  return flat_w[i] === flat_w[i - 1] || flat_w[i] === flat_w[i + 1];
}

/** Whether its power can be wrong, so that a counter beside it is asked: none, or stuck. */
export function isDoubtful(facts: InverterFacts, i: number): boolean {
  const power_w = facts.power_w[i];
  return Number.isNaN(power_w) || isIdle(facts, power_w) || isStill(facts, i);
}

/**
 * What an inverter made in each quarter-hour of daylight, in Wh: by its power, by its counter where
 * the power is doubtful; NaN where nothing tells.
 */
export function madeOf({ count, light_h }: Scene, facts: InverterFacts): Quarters {
  const made = new Float64Array(count).fill(NaN);
  const { counter_wh, covered, has_counter, power_w } = facts;
  for (let i = 0; i < count; i++) {
    if (light_h[i] === 0 || !isTold(facts, i)) continue;
    const is_counted = !Number.isNaN(counter_wh[i]);
    // What a counter alone shows behind a silence is the silence's too.
    if (!is_counted && has_counter && covered[i] === 0) continue;
    made[i] = is_counted && isDoubtful(facts, i) ? counter_wh[i] : power_w[i] * light_h[i];
  }
  return made;
}

/** Some inverters together: what the others show while one of them is in question. */
export class Crowd {
  readonly #light_h: Quarters;
  /** Of each member, what is compared; NaN where it is not known. */
  readonly #rates: readonly Quarters[];
  /** What is known of each quarter-hour, rising. */
  readonly #sorted = new Map<number, Quarters>();

  constructor({ light_h }: Scene, rates: readonly Quarters[]) {
    this.#light_h = light_h;
    this.#rates = rates;
  }

  /** The share of known peers that produce, by hours at rated power; NaN without any. */
  shareBeside(n: number, i: number): number {
    const sorted = this.#sortedAt(i);
    const least = availability_limits.producing_share * this.#light_h[i];
    const own = this.#rates[n][i];
    const producing = sorted.length - placeIn(sorted, (value) => value > least);
    const seen = sorted.length - Number(!Number.isNaN(own));
    return (producing - Number(own > least)) / seen;
  }

  /** The median of the known peers; NaN without any. */
  medianBeside(n: number, i: number): number {
    const sorted = this.#sortedAt(i);
    const own = this.#rates[n][i];
    const left_out = Number.isNaN(own) ? sorted.length : placeIn(sorted, (value) => value >= own);
    const peers = sorted.length - Number(left_out < sorted.length);
    const at = (k: number) => sorted[k < left_out ? k : k + 1];
    const middle = peers >> 1;
    if (peers === 0) return NaN;
    return peers % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  }

  #sortedAt(i: number): Quarters {
    const found = this.#sorted.get(i);
    if (found) return found;
    const values = this.#rates.map((rates) => rates[i]).filter((value) => !Number.isNaN(value));
    const sorted = Float64Array.from(values).sort();
    this.#sorted.set(i, sorted);
    return sorted;
  }
}

/** The place of the first of rising values that passes; their number where none does. */
function placeIn(sorted: Quarters, passes: (value: number) => boolean): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (passes(sorted[middle])) to = middle;
    else from = middle + 1;
  }
  return from;
}
