// What goes with a change of rules or of the plant: where rules watch, within the same write.
import type { Write } from "../store/database.ts";
import type { Plant } from "../store/plant.ts";
import type { Rules } from "./rule.ts";

/**
 * Works out, within the write that changed rules or the plant, what follows from it, and stores it.
 * What it gives is to be called after the commit, at once.
 */
export type Follow = (write: Write, plant: Plant) => Promise<() => void>;

/** Lets everything that looks at rules and the plant change with them. */
export function followRules({ rules }: { readonly rules: Rules }): Follow {
  return async (write, plant) => {
    const prepared = await rules.prepare(write, plant);
    return () => rules.adopt(prepared);
  };
}
