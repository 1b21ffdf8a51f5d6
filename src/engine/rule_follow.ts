// What goes with a change of rules or of the plant, within the same write: rules and alarms.
import type { Write } from "../store/database.ts";
import type { Plant } from "../store/plant.ts";
import { mapAlarms } from "./alarm_place.ts";
import type { Ruled } from "./ruled.ts";

/**
 * Works out, within the write that changed rules or the plant, what follows from it, and stores it.
 * What it gives is to be called after the commit, at once.
 */
export type Follow = (write: Write, plant: Plant) => Promise<() => void>;

/** Lets everything that looks at rules and the plant change with them. */
export function followRules({ rules, alarms, watch }: Ruled): Follow {
  return async (write, plant) => {
    const prepared = await rules.prepare(write, plant);
    const changes = alarms.begin(write);
    const round = await watch.retire(changes, prepared);
    await mapAlarms(changes, plant);
    const stored = await changes.store();
    return () => {
      rules.adopt(prepared);
      watch.commit(round);
      alarms.committed(stored);
    };
  };
}
