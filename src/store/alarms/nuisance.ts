// What is stored of recent raises, of alarms that inhibit others and of those that are inhibited.
import { limits } from "../../base/limits.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import { listOccurrences, readOccurrences } from "./alarm.ts";
import type { Connection } from "../connection.ts";
import raise_list from "./nuisance_raise_list.sql" with { type: "text" };

/** One time that an occurrence came up; `counts`: a flood counts it. */
export type RaiseRow = Pick<Occurrence, "site_no" | "rule_no" | "rule_name" | "source_tag"> & {
  readonly occurrence_no: number;
  readonly at_us: number;
  readonly counts: boolean;
};

/** The state of nuisance as the stored alarms leave it at `now_us`. */
export async function readNuisance(
  connection: Connection,
  { now_us, classes }: { readonly now_us: number; readonly classes: readonly string[] },
): Promise<{
  readonly raises: readonly RaiseRow[];
  readonly inhibitors: readonly Occurrence[];
  readonly inhibited: readonly Occurrence[];
}> {
  const inhibited = await connection.rows<{ occurrence_no: number }>(
    "SELECT occurrence_no FROM occurrence WHERE inhibited_by IS NOT NULL ORDER BY occurrence_no",
  );
  return {
    raises: await connection.rows<RaiseRow>(raise_list, {
      latest_us: now_us + limits.future_us,
      window_us: limits.flood_window_us,
    }),
    inhibitors: await listOccurrences(connection, {
      alarm_classes: classes,
      active: true,
      ended: false,
    }),
    inhibited: await readOccurrences(connection, inhibited.map((it) => it.occurrence_no)),
  };
}
