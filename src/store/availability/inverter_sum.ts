// Sums over inverters' days by bucket and group, which do not depend on an order.
import { assert } from "../../base/assert.ts";
import { type Chunk, numbersOf } from "../../model/data/chunk.ts";
import type { Columns } from "../../model/data/row.ts";
import type { DayPositions } from "../../model/time/bucket.ts";
import type { Connection } from "../connection.ts";
import { partSums } from "./exact_sum.ts";
import basis_sql from "./inverter_basis_day_read.sql" with { type: "text" };
import sum_sql from "./inverter_day_sum.sql" with { type: "text" };
import loss_sql from "./inverter_loss_day_read.sql" with { type: "text" };
import { type ParameterTypes, statement } from "../statement.ts";

/** Some sensors that stand for inverters, and the number of each one's group. */
export type GroupedInverters = { readonly sensors: Int32Array; readonly group_nos: Int32Array };

/**
 * One row a bucket and group that has a day, in no order. In each sum NaN where it has none; a rest
 * is what rounding took from it, and none are there where nothing was added up.
 */
export type InverterSums = {
  readonly bucket: Int32Array;
  readonly group: Int32Array;
  readonly sums: readonly Float64Array[];
  readonly rests: readonly Float64Array[];
};

/** What every sum takes: inverters and their groups, local days [from_day, to_day). */
const grouped = {
  sensors: "int32[]",
  group_nos: "int32[]",
  from_day: "int32",
  to_day: "int32",
} as const;

/** Reads numbers of days as they are, and their sums by bucket and group. */
function daySums<const P extends ParameterTypes>(
  sql: string,
  { parameters, numbers }: { readonly parameters: P; readonly numbers: readonly string[] },
) {
  const columnsOf = (names: readonly string[]): Columns =>
    Object.fromEntries(names.map((name) => [name, "float64?"]));
  const restOf = (name: string) => `${name}_rest`;
  const listed = (text: (name: string) => string) => numbers.map(text).join(", ");
  return {
    days: statement({
      ...{ sql, parameters },
      row: { day: "int32", group_no: "int32", ...columnsOf(numbers) },
    }),
    sums: statement({
      sql: sum_sql,
      parameters: { ...parameters, buckets: "int32[]" },
      row: {
        ...{ bucket: "int32", group_no: "int32" },
        ...columnsOf([...numbers, ...numbers.map(restOf)]),
      },
      names: {
        days: sql,
        sums: listed((name) => `${partSums(name).whole} AS ${name}`),
        rests: listed((name) => `coalesce(${partSums(name).rest}, 0) AS ${restOf(name)}`),
      },
    }),
  };
}

const basis = daySums(basis_sql, {
  parameters: { ...grouped, capacities_kw: "float64[]" },
  numbers: ["capacity_hours", "unavailable_capacity_hours", "daylight_capacity_hours"],
});

/** Capacity-hours with a basis, of them the unavailable ones, and all of daylight, in kWh. */
export function sumBasis(
  connection: Connection,
  inverters: GroupedInverters & { readonly capacities_kw: readonly number[] },
  days: DayPositions,
): AsyncGenerator<InverterSums, void> {
  if (areCells(inverters, days)) {
    const { from_day, to_day } = days;
    return cellsOf(connection.pieces(basis.days, { ...inverters, from_day, to_day }), days);
  }
  return sumsOf(connection.pieces(basis.sums, { ...inverters, ...days }));
}

const loss = daySums(loss_sql, {
  parameters: grouped,
  numbers: [
    ...["expected_energy", "produced_energy", "unavailability_loss", "curtailment_loss"],
    ...["clipping_loss", "grid_loss", "dc_loss", "derate_loss", "snow_loss", "soiling_loss"],
    ...["unmeasured_energy", "settled_days"],
  ],
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
    const { from_day, to_day } = days;
    return cellsOf(connection.pieces(loss.days, { ...inverters, from_day, to_day }), days);
  }
  return sumsOf(connection.pieces(loss.sums, { ...inverters, ...days }));
}

/** Whether each inverter's day is a bucket and a group of its own: then nothing is added up. */
function areCells({ group_nos }: GroupedInverters, { buckets }: DayPositions): boolean {
  return buckets.every((bucket, i) => bucket === buckets[0] + i) &&
    new Set(group_nos).size === group_nos.length;
}

/** Days as sums of their own. */
async function* cellsOf(
  pieces: Promise<Iterable<Chunk>>,
  { buckets, from_day }: DayPositions,
): AsyncGenerator<InverterSums, void> {
  for (const { keys: [day, group], numbers } of rowsOf(await pieces)) {
    const bucket = day.map((it) => buckets[it - from_day]);
    yield { bucket, group, sums: numbers, rests: [] };
  }
}

async function* sumsOf(pieces: Promise<Iterable<Chunk>>): AsyncGenerator<InverterSums, void> {
  for (const { keys: [bucket, group], numbers } of rowsOf(await pieces)) {
    const count = numbers.length / 2;
    yield { bucket, group, sums: numbers.slice(0, count), rests: numbers.slice(count) };
  }
}

function* rowsOf(pieces: Iterable<Chunk>) {
  for (const { vectors } of pieces) {
    const [first, second, ...others] = vectors;
    assert(first.kind === "int32" && second.kind === "int32", "keys are int32");
    yield { keys: [first.values, second.values] as const, numbers: others.map(numbersOf) };
  }
}
