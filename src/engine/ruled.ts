// Rules, their alarms and the watch, opened together over a database.
import type { Effects } from "../base/effects.ts";
import type { Database } from "../store/database.ts";
import { Alarms } from "./alarm.ts";
import type { Catalog } from "./catalog.ts";
import { Rules } from "./rule.ts";
import { Watch } from "./watch.ts";

/** What judges samples, and what that makes. */
export type Ruled = { readonly rules: Rules; readonly alarms: Alarms; readonly watch: Watch };

/** Opens them: whatever stores samples or changes rules works with all three. */
export async function openRuled(
  { database, catalog, effects }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly effects: Pick<Effects, "now_us" | "random" | "sleep">;
  },
): Promise<Ruled> {
  const rules = await Rules.open({ database });
  const alarms = await Alarms.open({ database });
  const watch = await Watch.open({ database, rules, alarms, catalog, effects });
  return { rules, alarms, watch };
}
