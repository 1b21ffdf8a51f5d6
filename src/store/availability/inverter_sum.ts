// Sums over inverters' days by bucket and group.
import { assert } from "../../base/assert.ts";
import type { DayPositions } from "../../model/time/bucket.ts";
import type { Connection } from "../connection.ts";
import basis_day_sql from "./inverter_basis_day.sql" with { type: "text" };
import basis_sql from "./inverter_basis_sum.sql" with { type: "text" };
import loss_day_sql from "./inverter_loss_day.sql" with { type: "text" };
import loss_sql from "./inverter_loss_sum.sql" with { type: "text" };
import { numbersOf, type Parameters } from "../value.ts";

/** Some sensors that stand for inverters, and the number of each one's group. */
export type GroupedInverters = { readonly sensors: Int32Array; readonly group_nos: Int32Array };

/** One row a bucket and group that has a day, in no order; in each sum NaN where it has none. */
export type InverterSums = {
  readonly bucket: Int32Array;
  readonly group: Int32Array;
  readonly sums: readonly Float64Array[];
};

/** Capacity-hours with a basis, and of them the unavailable ones, in kWh. */
export function sumBasis(
  connection: Connection,
  inverters: GroupedInverters & { readonly capacities_kw: readonly number[] },
  days: DayPositions,
): AsyncGenerator<InverterSums, void> {
  if (areCells(inverters, days)) return sumsOf(connection, basis_day_sql, ofDays(inverters, days));
  return sumsOf(connection, basis_sql, { ...inverters, ...days });
}

/**
 * Energy in Wh: expected, produced, lost to unavailability, curtailment, clipping; then how many
 * days have all of it or need none.
 */
export function sumLosses(
  connection: Connection,
  { sensors, group_nos }: GroupedInverters,
  days: DayPositions,
): AsyncGenerator<InverterSums, void> {
  const inverters = { sensors, group_nos };
  if (areCells(inverters, days)) return sumsOf(connection, loss_day_sql, ofDays(inverters, days));
  return sumsOf(connection, loss_sql, { ...inverters, ...days });
}

/** Whether each inverter's day is a bucket and a group of its own: then nothing is added up. */
function areCells({ group_nos }: GroupedInverters, { buckets }: DayPositions): boolean {
  return buckets.every((bucket, i) => bucket === buckets[0] + i) &&
    new Set(group_nos).size === group_nos.length;
}

function ofDays<I extends GroupedInverters>(
  inverters: I,
  { from_day, to_day, buckets }: DayPositions,
): I & { readonly from_day: number; readonly to_day: number; readonly shift: number } {
  return { ...inverters, from_day, to_day, shift: buckets[0] - from_day };
}

async function* sumsOf(
  connection: Connection,
  sql: string,
  parameters: Parameters,
): AsyncGenerator<InverterSums, void> {
  for (const { vectors } of await connection.pieces(sql, parameters)) {
    const [bucket, group, ...sums] = vectors;
    assert(bucket.kind === "int32" && group.kind === "int32", "keys are int32");
    yield { bucket: bucket.values, group: group.values, sums: sums.map(numbersOf) };
  }
}
