// Rules, their alarms and the evaluator, opened together over a database.
import type { Effects } from "../../base/effects.ts";
import type { Database } from "../../store/database.ts";
import { Alarms } from "../alarms/alarm.ts";
import { Nuisance } from "../alarms/nuisance.ts";
import { alarmDays } from "../availability/mark.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Rules } from "./rule.ts";
import { liftAll, type Suspend, suspender } from "./suspend.ts";
import { Evaluator } from "./evaluator.ts";

/** What judges samples, what that makes, and what happens to a rule that throws. */
export type RuleEngine = {
  readonly rules: Rules;
  readonly alarms: Alarms;
  readonly evaluator: Evaluator;
  readonly suspend: Suspend;
};

/** Tells them that the wall clock was set, and by how much. */
type Following = { readonly followClock: (set_us: number) => Promise<void> };

/**
 * Opens them: whatever stores samples or changes rules works with all three. `onOutage` is called
 * when a trip or a fault has marked days of availability.
 */
export async function openRuleEngine(
  { database, catalog, effects, onOutage }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly effects: Pick<Effects, "now_us" | "random" | "sleep">;
    readonly onOutage?: () => void;
  },
): Promise<RuleEngine & Following> {
  const rules = await Rules.open({ database, catalog });
  const alarms = await Alarms.open({ database });
  const nuisance = await Nuisance.open({ database, catalog, effects });
  alarms.mark((changes) => nuisance.mark(changes));
  alarms.mark(alarmDays({ catalog, effects, onOutage }));
  await liftAll({ database, alarms });
  const { evaluator, failed } = await Evaluator.open({ database, rules, alarms, catalog, effects });
  const suspend = suspender({ database, catalog, rules, alarms, evaluator, effects });
  evaluator.onFailed = suspend;
  if (failed.length > 0) await suspend(failed);
  const followClock = async (set_us: number) => {
    await nuisance.followClock();
    await evaluator.followClock(set_us);
  };
  return { rules, alarms, evaluator, suspend, followClock };
}
