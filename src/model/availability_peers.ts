// What the inverters of one site and data stream tell of each other: who produces while one doesn't.
import { limits } from "../base/limits.ts";
import type { InverterFacts, Scene } from "./availability_fact.ts";

/** Some inverters together, by quarter-hour: how many have a power, and how many of them produce. */
export type Crowd = { readonly seen: Int32Array; readonly producing: Int32Array };

/** Counts what the inverters of known capacity do. */
export function crowdOf({ count }: Scene, inverters: readonly InverterFacts[]): Crowd {
  const crowd = { seen: new Int32Array(count), producing: new Int32Array(count) };
  for (const facts of inverters) {
    if (facts.capacity_w === null) continue;
    for (let i = 0; i < count; i++) {
      if (!isSeen(facts, i)) continue;
      crowd.seen[i]++;
      if (produces(facts, i)) crowd.producing[i]++;
    }
  }
  return crowd;
}

/** The share of an inverter's peers that produce in quarter-hour `i`; NaN where none is seen. */
export function producingPeers(crowd: Crowd, own: InverterFacts, i: number): number {
  const counts = own.capacity_w !== null && isSeen(own, i);
  const seen = crowd.seen[i] - Number(counts);
  return (crowd.producing[i] - Number(counts && produces(own, i))) / seen;
}

function isSeen({ heard, power_w }: InverterFacts, i: number): boolean {
  return heard[i] === 1 && !Number.isNaN(power_w[i]);
}

function produces({ power_w, capacity_w }: InverterFacts, i: number): boolean {
  return power_w[i] > limits.producing_share * capacity_w!;
}
