// Whole quarter-hours among those to be computed: no look at what is stored, no groups and no
// values that are carried on; and what they come to is not stored minute by minute (`whole.ts`).
import candidate_make_sql from "./candidate_make.sql" with { type: "text" };
import candidate_read_sql from "./candidate_read.sql" with { type: "text" };
import { giveWay, isLongTurn } from "../../base/effects.ts";
import { int32sOf, type Vector } from "../../model/data/chunk.ts";
import type { FixedKind } from "../../model/data/kind.ts";
import { QuarterCells, type Wholes, type WholeSums } from "../../model/rollup/whole.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { workTable } from "../table.ts";
import type { TimeSpan } from "./stale.ts";

const candidate_make = statement({
  sql: candidate_make_sql,
  parameters: { end_quarter: "int32" },
});

const light_list = statement({
  sql: "SELECT coalesce(light, 0)::INTEGER AS light, carry FROM roll_candidate ORDER BY place",
  row: { light: "int32", carry: "int32" },
});

// Samples that lie elsewhere are no minutes: they may be out of reach.
const candidate_read = statement({
  sql: candidate_read_sql,
  reach: "near",
  parameters: { from_us: "instant", to_us: "instant" },
  row: { cell: "int32", received_at: "instant", value: "float64?", holds: "bool" },
});

const found_table = workTable("roll_found", {
  place: "int32",
  upto: "instant",
  seen: "int32?",
});

/** The sums of their readings, of light minutes and of dark ones. */
const sum_table = workTable("roll_whole_sum", {
  place: "int32",
  light: "bool",
  n: "int32",
  value: "float64",
  minimum: "float64",
  maximum: "float64",
  last: "float64",
  /** In the quarter-hour. */
  last_minute: "int32",
});

const whole_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_whole AS
    SELECT *
    FROM roll_candidate
    JOIN roll_found USING (place)`,
});

/** None: a statement that finds no row takes about as long to plan as one that finds many. */
const whole_none = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_whole AS
    SELECT 0 AS place, * EXCLUDE (received_at), true AS is_marked
    FROM whole_quarter
    LIMIT 0`,
});

/** Makes the tables of whole quarter-hours (`roll_whole`, `roll_whole_sum`) without any. */
export async function findNoWholes(connection: Connection): Promise<void> {
  await connection.run(sum_table.make);
  await connection.run(whole_none);
}

/**
 * Makes the same of the whole ones in `roll_slot`, from the samples of a span: of those before
 * `end_quarter`, and of those that are known as such.
 */
export async function findWholes(
  connection: Connection,
  { end_quarter, ...span }: TimeSpan & { readonly end_quarter: number },
): Promise<void> {
  await connection.run(candidate_make, { end_quarter });
  const [light, carry] = (await connection.chunk(light_list)).vectors.map(int32sOf);
  const cells = await readCells(connection, { ...span, carry });
  await putWholes(connection, cells.wholes());
  await putSums(connection, cells.sums(light));
}

/** Reads the samples of candidates, each with how many minutes its values are carried. */
export async function readCells(
  connection: Connection,
  { carry, ...span }: TimeSpan & { readonly carry: Int32Array },
): Promise<QuarterCells> {
  const cells = new QuarterCells(carry);
  for (const { rows, vectors } of (await connection.pieces(candidate_read, span)).inTurn()) {
    const [cell, received_at, value, holds] = vectors as SampleVectors;
    cells.add({
      ...{ rows, cell: cell.values, received_at: received_at.values },
      ...{ value: value.values, valid: value.valid, holds: holds.values },
    });
    if (isLongTurn()) await giveWay();
  }
  return cells;
}

type Numbers<K extends FixedKind> = Extract<Vector, { kind: K }>;
type SampleVectors = readonly [
  Numbers<"int32">,
  Numbers<"int64">,
  Numbers<"float64">,
  Numbers<"bool">,
];

/** What their samples tell of them: upto, seen. */
export function wholeVectors({ upto, seen, seen_valid }: Wholes): readonly Vector[] {
  return [
    { kind: "instant", values: upto },
    { kind: "int32", values: seen, valid: seen_valid },
  ];
}

async function putWholes(connection: Connection, wholes: Wholes): Promise<void> {
  const { place } = wholes;
  await connection.run(found_table.make);
  await connection.append(found_table.name, {
    rows: place.length,
    vectors: [{ kind: "int32", values: place }, ...wholeVectors(wholes)],
  });
  await connection.run(whole_make);
}

async function putSums(connection: Connection, sums: WholeSums): Promise<void> {
  await connection.run(sum_table.make);
  await connection.append(sum_table.name, {
    rows: sums.place.length,
    vectors: [
      { kind: "int32", values: sums.place },
      ...sumVectors(sums),
      { kind: "int32", values: sums.last_minute },
    ],
  });
}

/** What sums come to: light, n, value, minimum, maximum, last. */
export function sumVectors(sums: WholeSums): readonly Vector[] {
  return [
    { kind: "bool", values: sums.light },
    { kind: "int32", values: sums.n },
    { kind: "float64", values: sums.value },
    { kind: "float64", values: sums.minimum },
    { kind: "float64", values: sums.maximum },
    { kind: "float64", values: sums.last },
  ];
}
