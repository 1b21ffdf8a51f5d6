// What is stored of recent raises, of alarms that inhibit others and of those that are inhibited.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { type Occurrence, occurrence_table } from "../../model/alarms/alarm.ts";
import { pick, type PlainRow } from "../../model/data/row.ts";
import { listInhibited, listOccurrences } from "./alarm.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import raise_list_sql from "./nuisance_raise_list.sql" with { type: "text" };

/** The times that occurrences came up in the window before the newest of their site. */
const list_raises = statement({
  sql: raise_list_sql,
  parameters: { latest_us: "instant", window_us: "int64" },
  row: {
    site_no: "int32",
    occurrence_no: "int64",
    at_us: "instant",
    ...pick(occurrence_table, "rule_no", "rule_name", "source_tag"),
    /** A flood counts it. */
    counts: "bool",
  },
});

/** One time that an occurrence came up; `counts`: a flood counts it. */
export type RaiseRow = PlainRow<typeof list_raises.row>;

/** The state of nuisance as the stored alarms leave it at `now_us`. */
export async function readNuisance(
  connection: Connection,
  { now_us, classes }: { readonly now_us: number; readonly classes: readonly string[] },
): Promise<{
  readonly raises: readonly RaiseRow[];
  readonly inhibitors: readonly Occurrence[];
  readonly inhibited: readonly Occurrence[];
}> {
  return {
    raises: await connection.rows(list_raises, {
      latest_us: now_us + sample_limits.future_us,
      window_us: alarm_limits.flood_window_us,
    }),
    inhibitors: await listOccurrences(connection, {
      alarm_classes: classes,
      active: true,
      ended: false,
    }),
    inhibited: await listInhibited(connection),
  };
}
