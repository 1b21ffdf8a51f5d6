// What the inverters of a site and data stream tell of each other: how many produce beside one.
import { limits } from "../../base/limits.ts";
import type { InverterFacts, Scene } from "./fact.ts";

/** Some inverters together: how many of them have a power in a quarter-hour, and produce. */
export class Crowd {
  readonly #seen: Int32Array;
  readonly #producing: Int32Array;

  /** Counts the inverters of known capacity. */
  constructor({ count }: Scene, inverters: readonly InverterFacts[]) {
    this.#seen = new Int32Array(count);
    this.#producing = new Int32Array(count);
    for (const facts of inverters) {
      if (facts.capacity_w === null) continue;
      for (let i = 0; i < count; i++) {
        if (!isSeen(facts, i)) continue;
        this.#seen[i]++;
        if (produces(facts, i)) this.#producing[i]++;
      }
    }
  }

  /** The share of an inverter's peers that produce in quarter-hour `i`; NaN where none is seen. */
  shareBeside(own: InverterFacts, i: number): number {
    const counts = own.capacity_w !== null && isSeen(own, i);
    const seen = this.#seen[i] - Number(counts);
    return (this.#producing[i] - Number(counts && produces(own, i))) / seen;
  }
}

function isSeen({ heard, power_w }: InverterFacts, i: number): boolean {
  return heard[i] === 1 && !Number.isNaN(power_w[i]);
}

function produces({ power_w, capacity_w }: InverterFacts, i: number): boolean {
  return power_w[i] > limits.producing_share * capacity_w!;
}
