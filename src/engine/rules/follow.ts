// What goes with a change of rules or of the plant: rules and their alarms, and alarms' devices.
import type { Connection } from "../../store/connection.ts";
import type { Write } from "../../store/database.ts";
import type { Plant } from "../../store/plant/plant.ts";
import { mapAlarms, type MapParts } from "../alarms/place.ts";
import { liftSuspensions } from "./suspend.ts";
import type { RuleEngine } from "./open.ts";

/**
 * Stores, within the write that changed rules or the plant, what follows from the change.
 * What it gives is to be called after the commit, at once, and waited for.
 */
export type Follow = (write: Write, plant: Plant) => Promise<() => void | Promise<void>>;

/** Lets everything that looks at rules and the plant change with them. */
export function followRules(parts: RuleEngine & MapParts): Follow {
  const { rules, alarms, evaluator } = parts;
  return async (write, plant) => {
    const prepared = await rules.prepare(write, plant);
    const changes = alarms.begin(write);
    const round = await evaluator.retire(changes, prepared);
    await liftSuspensions(changes, { before: rules.suspended, after: prepared.suspended });
    const stored = await changes.store();
    return async () => {
      rules.adopt(prepared);
      evaluator.commit(round);
      alarms.committed(stored);
      // In transactions of their own: they may be many.
      await mapAlarms(parts);
    };
  };
}

/**
 * Lets rules follow what `change` stores within one write of which services there are beside this
 * one: what another one judges from then on is cleared here, and says so.
 */
export async function rejudge(
  parts: RuleEngine & MapParts,
  change: (connection: Connection) => Promise<void>,
): Promise<void> {
  const follow = followRules(parts);
  const settle = await parts.database.write(async (write) => {
    await change(write.connection);
    return await follow(write, parts.catalog);
  });
  await settle();
}
