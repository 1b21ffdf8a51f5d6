// Sums over inverters' days by bucket and group.
import { assert } from "../../base/assert.ts";
import { type Chunk, numbersOf } from "../../model/data/chunk.ts";
import type { DayPositions } from "../../model/time/bucket.ts";
import type { Connection } from "../connection.ts";
import basis_day_sql from "./inverter_basis_day_read.sql" with { type: "text" };
import basis_sql from "./inverter_basis_sum.sql" with { type: "text" };
import loss_day_sql from "./inverter_loss_day_read.sql" with { type: "text" };
import loss_sql from "./inverter_loss_sum.sql" with { type: "text" };
import { statement } from "../statement.ts";

/** Some sensors that stand for inverters, and the number of each one's group. */
export type GroupedInverters = { readonly sensors: Int32Array; readonly group_nos: Int32Array };

/** One row a bucket and group that has a day, in no order; in each sum NaN where it has none. */
export type InverterSums = {
  readonly bucket: Int32Array;
  readonly group: Int32Array;
  readonly sums: readonly Float64Array[];
};

/** What every sum takes: inverters and their groups, local days [from_day, to_day). */
const grouped = {
  sensors: "int32[]",
  group_nos: "int32[]",
  from_day: "int32",
  to_day: "int32",
} as const;

const basis_row = {
  bucket: "int32",
  group_no: "int32",
  capacity_hours: "float64?",
  unavailable_capacity_hours: "float64?",
  daylight_capacity_hours: "float64?",
} as const;

const loss_row = {
  bucket: "int32",
  group_no: "int32",
  expected_energy: "float64?",
  produced_energy: "float64?",
  unavailability_loss: "float64?",
  curtailment_loss: "float64?",
  clipping_loss: "float64?",
  grid_loss: "float64?",
  dc_loss: "float64?",
  derate_loss: "float64?",
  snow_loss: "float64?",
  soiling_loss: "float64?",
  unmeasured_energy: "float64?",
  settled_days: "float64?",
} as const;

const basis_day = statement({
  sql: basis_day_sql,
  parameters: { ...grouped, capacities_kw: "float64[]", shift: "int32" },
  row: basis_row,
});

const basis = statement({
  sql: basis_sql,
  parameters: { ...grouped, capacities_kw: "float64[]", buckets: "int32[]" },
  row: basis_row,
});

/** Capacity-hours with a basis, of them the unavailable ones, and all of daylight, in kWh. */
export function sumBasis(
  connection: Connection,
  inverters: GroupedInverters & { readonly capacities_kw: readonly number[] },
  days: DayPositions,
): AsyncGenerator<InverterSums, void> {
  if (areCells(inverters, days)) {
    return sumsOf(connection.pieces(basis_day, ofDays(inverters, days)));
  }
  return sumsOf(connection.pieces(basis, { ...inverters, ...days }));
}

const loss_day = statement({
  sql: loss_day_sql,
  parameters: { ...grouped, shift: "int32" },
  row: loss_row,
});

const loss = statement({
  sql: loss_sql,
  parameters: { ...grouped, buckets: "int32[]" },
  row: loss_row,
});

/**
 * Energy in Wh: expected, produced, lost to unavailability, curtailment, clipping, the grid, the DC
 * side, derating, snow, soiling; what nothing was measured of; then how many days have all of it or
 * need none.
 */
export function sumLosses(
  connection: Connection,
  { sensors, group_nos }: GroupedInverters,
  days: DayPositions,
): AsyncGenerator<InverterSums, void> {
  const inverters = { sensors, group_nos };
  if (areCells(inverters, days)) {
    return sumsOf(connection.pieces(loss_day, ofDays(inverters, days)));
  }
  return sumsOf(connection.pieces(loss, { ...inverters, ...days }));
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

async function* sumsOf(pieces: Promise<Iterable<Chunk>>): AsyncGenerator<InverterSums, void> {
  for (const { vectors } of await pieces) {
    const [bucket, group, ...sums] = vectors;
    assert(bucket.kind === "int32" && group.kind === "int32", "keys are int32");
    yield { bucket: bucket.values, group: group.values, sums: sums.map(numbersOf) };
  }
}
