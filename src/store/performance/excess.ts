// Sensors that had minutes beyond what is believed of them, by their days and quarter-hours.
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import excess_find_sql from "./excess_find.sql" with { type: "text" };

const excess_find = statement({
  sql: excess_find_sql,
  parameters: { sensors: "int32[]", bounds: "float64[]", from_day: "int32" },
  row: {
    sensor_no: "int32",
    quarters: "int32",
    first_quarter: "int32",
    last_quarter: "int32",
    greatest: "float64",
    greatest_quarter: "int32",
  },
});

/** Quarter-hours since 1970 UTC with a minute beyond, and the greatest value, of either sign. */
export type FoundExcess = PlainRow<typeof excess_find.row>;

/** A sensor, and the largest size of its values that is believed. */
type Bound = { readonly sensor_no: number; readonly most: number };

/** Those of some sensors that are beyond their bounds on a local day or later, by their numbers. */
export async function findExcess(
  connection: Connection,
  { bounds, from_day }: { readonly bounds: readonly Bound[]; readonly from_day: number },
): Promise<FoundExcess[]> {
  if (bounds.length === 0) return [];
  return await connection.rows(excess_find, {
    sensors: bounds.map(({ sensor_no }) => sensor_no),
    bounds: bounds.map(({ most }) => most),
    from_day,
  });
}
