// What touched quarter-hours make due, and the slices of time in which it is worked out.
import day_need from "./day_need.sql" with { type: "text" };
import due_list from "./due_list.sql" with { type: "text" };
import due_slot_make from "./due_slot_make.sql" with { type: "text" };
import due_unit_make from "./due_unit_make.sql" with { type: "text" };
import due_unit_sum from "./due_unit_sum.sql" with { type: "text" };
import slot_date from "./slot_date.sql" with { type: "text" };
import slot_grow from "./slot_grow.sql" with { type: "text" };
import slot_make from "./slot_make.sql" with { type: "text" };
import unit_date from "./unit_date.sql" with { type: "text" };
import unit_make from "./unit_make.sql" with { type: "text" };
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";

/** Quarter-hours of sensors, one beside the other; `remodel` 1 where it is what is expected. */
export type DueUnits = {
  readonly sensor_no: Int32Array<ArrayBuffer>;
  readonly quarter: Int32Array<ArrayBuffer>;
  readonly remodel: Uint8Array<ArrayBuffer>;
};

/** A quarter-hour in which something is due, and what it comes to (`roll_due_list.sql`). */
export type DueQuarter = { readonly quarter: number; readonly units: number };

/** Quarter-hours [from, to). */
export type Slice = { readonly from: number; readonly to: number };

/**
 * Finds what is due because of the touched quarter-hours: by values that are carried on up to
 * `end_quarter`, by what is expected, and `more` that is known outside SQL. In order of time.
 */
export async function makeDue(
  connection: Connection,
  { end_quarter, more }: { readonly end_quarter: number; readonly more: DueUnits },
): Promise<DueQuarter[]> {
  await connection.run(due_slot_make, { end_quarter });
  await connection.run(due_unit_make, { end_quarter });
  await connection.append("roll_due_unit", {
    rows: more.quarter.length,
    vectors: [
      { kind: "int32", values: more.sensor_no },
      { kind: "int32", values: more.quarter },
      { kind: "bool", values: more.remodel },
    ],
  });
  await connection.run(due_unit_sum);
  return await connection.rows<DueQuarter>(due_list);
}

/** Takes a slice of what is due, and everything that goes with it, as what is worked out next. */
export async function takeSlice(connection: Connection, slice: Slice): Promise<void> {
  await connection.run(slot_make, slice);
  await connection.run(unit_make, slice);
  await connection.run(slot_grow);
}

/** The quarter-hours whose local day is needed: columns project_no, site_no (0: none), quarter. */
export function neededDays(connection: Connection): Promise<Chunk> {
  return connection.chunk(day_need);
}

/** Gives each needed quarter-hour its local day and the mask of its daylight minutes. */
export async function putDays(connection: Connection, days: Chunk): Promise<void> {
  await connection.append("roll_day", days);
  await connection.run(slot_date);
  await connection.run(unit_date);
}
