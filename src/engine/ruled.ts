// Rules, their alarms and the watch, opened together over a database.
import type { Effects } from "../base/effects.ts";
import type { Database } from "../store/database.ts";
import { Alarms } from "./alarm.ts";
import { Nuisance } from "./alarm_nuisance.ts";
import { alarmDays } from "./availability_alarm.ts";
import type { Catalog } from "./catalog.ts";
import { Rules } from "./rule.ts";
import { Watch } from "./watch.ts";

/** What judges samples, and what that makes. */
export type Ruled = { readonly rules: Rules; readonly alarms: Alarms; readonly watch: Watch };

/**
 * Opens them: whatever stores samples or changes rules works with all three. `onOutage` is called
 * when a trip or a fault has marked days of availability.
 */
export async function openRuled(
  { database, catalog, effects, onOutage }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly effects: Pick<Effects, "now_us" | "random" | "sleep">;
    readonly onOutage?: () => void;
  },
): Promise<Ruled> {
  const rules = await Rules.open({ database });
  const alarms = await Alarms.open({ database });
  const nuisance = await Nuisance.open({ database, catalog, effects });
  alarms.mark((changes) => nuisance.mark(changes));
  alarms.mark(alarmDays({ catalog, effects, onOutage }));
  const watch = await Watch.open({ database, rules, alarms, catalog, effects });
  return { rules, alarms, watch };
}
