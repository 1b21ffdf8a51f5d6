// New whole quarter-hours, of which nothing is stored: no difference from what is, no setpoints, no
// models, and nothing that is carried on. They are stored before a pass looks at all else.
import new_candidate_make_sql from "./new_candidate_make.sql" with { type: "text" };
import new_whole_make_sql from "./new_whole_make.sql" with { type: "text" };
import { type Chunk, int32sOf, takeRows } from "../../model/data/chunk.ts";
import type { Wholes, WholeSums } from "../../model/rollup/whole.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { workTable } from "../table.ts";
import { inverterMark } from "./change.ts";
import { day_make } from "./plant.ts";
import { readCells, sumVectors, wholeVectors } from "./whole_find.ts";

/** Quarter-hours since 1970 (UTC), both ends included. */
export type Quarters = { readonly from_quarter: number; readonly to_quarter: number };

const new_whole_make = statement({
  sql: new_whole_make_sql,
  parameters: { from_quarter: "int32", to_quarter: "int32" },
});

/** The quarter-hours of their projects (as site 0) and of the sites of their sensors. */
const new_day_list = statement({
  sql: `
    SELECT DISTINCT project_no, unnest([0, coalesce(site_no, 0)]) AS site_no, quarter
    FROM roll_new_whole
    ORDER BY project_no, site_no, quarter`,
  row: { project_no: "int32", site_no: "int32", quarter: "int32" },
});

const new_candidate_make = statement({ sql: new_candidate_make_sql });

const of_candidate = {
  day: "int32",
  tag_no: "int32",
  quarter: "int32",
  sensor_no: "int32?",
  sensor_day: "int32?",
  scale: "float64?",
  offset: "float64?",
  light: "int32?",
} as const;

const candidate_list = statement({
  sql: "SELECT {row} FROM roll_candidate ORDER BY place",
  row: { ...of_candidate, carry: "int32" },
});

/** The days of sensors that they are about. */
const day_table = workTable("roll_new_day", { sensor_no: "int32", day: "int32" });

const inverter_mark = inverterMark({
  quarters: "SELECT *, true AS light, 0 AS value, $from_minute::INTEGER // 15 AS quarter " +
    "FROM roll_new_day",
  minutes: "SELECT NULL::INTEGER AS day, NULL::INTEGER AS tag_no, NULL::INTEGER AS minute",
});

const touch_take = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_touch AS
    FROM roll_touch
    ANTI JOIN (FROM whole_quarter WHERE received_at >= $stamp_us::BIGINT) USING (tag_no, quarter)`,
  parameters: { stamp_us: "instant" },
});

/**
 * Makes a list of those among touched quarter-hours (`roll_touch`) that may be such. Gives the
 * quarter-hours whose local day is needed: columns project_no, site_no (0: none), quarter.
 */
export async function makeNewWholes(connection: Connection, quarters: Quarters): Promise<Chunk> {
  await connection.run(new_whole_make, quarters);
  return await connection.chunk(new_day_list);
}

/** Rows to be stored: of `whole_quarter` but for the stamp, of `quarter`, and of `roll_new_day`. */
export type NewWholes = Readonly<Record<"wholes" | "sums" | "days", Chunk>>;

/**
 * Finds those that are whole, from their samples. The last one of a tag before another time or
 * another day is left out: by it a pass sees what the tag's values reach, and sums the day.
 */
export async function findNewWholes(
  connection: Connection,
  { days, from_quarter, to_quarter }: Quarters & { readonly days: Chunk },
): Promise<NewWholes> {
  await connection.run(day_make);
  await connection.append("roll_day", days);
  await connection.run(new_candidate_make);
  const { rows, vectors } = await connection.chunk(candidate_list);
  const candidates = { rows, vectors: vectors.slice(0, -1) };
  const { day, tag_no, quarter, sensor_day, light } = factsOf(candidates);
  const cells = await readCells(connection, {
    carry: int32sOf(vectors.at(-1)!),
    from_us: from_quarter * 15 * minute_us,
    to_us: (to_quarter + 1) * 15 * minute_us,
  });
  cells.keep((place, next) =>
    next === place + 1 && tag_no[next] === tag_no[place] &&
    quarter[next] === quarter[place] + 1 && day[next] === day[place] &&
    sensor_day[next] === sensor_day[place]
  );
  const sums = cells.sums(light);
  return {
    wholes: wholesOf(candidates, cells.wholes()),
    sums: sumsOf(candidates, sums),
    days: daysOf(candidates, sums),
  };
}

/** The whole numbers of candidates, 0 where they have none. */
function factsOf({ vectors }: Pick<Chunk, "vectors">) {
  const [day, tag_no, quarter, sensor_no, sensor_day, , , light] = vectors;
  return {
    ...{ day: int32sOf(day), tag_no: int32sOf(tag_no), quarter: int32sOf(quarter) },
    ...{ sensor_no: int32sOf(sensor_no), sensor_day: int32sOf(sensor_day) },
    light: int32sOf(light),
  };
}

const whole_columns = [...Object.keys(of_candidate), "upto", "seen"];

function wholesOf({ vectors }: Chunk, wholes: Wholes): Chunk {
  const places = Uint32Array.from(wholes.place);
  const taken = vectors.map((vector) => takeRows(vector, places));
  return { rows: places.length, vectors: [...taken, ...wholeVectors(wholes)] };
}

const quarter_columns = [
  ...["day", "sensor_no", "quarter", "light", "n", "value", "minimum", "maximum", "last"],
  ...["last_minute", "model_n"],
];

function sumsOf({ vectors }: Chunk, sums: WholeSums): Chunk {
  const places = Uint32Array.from(sums.place);
  const taken = vectors.map((vector) => takeRows(vector, places));
  const { quarter, sensor_no, sensor_day } = factsOf({ vectors: taken });
  const last_minute = sums.last_minute.map((minute, row) => quarter[row] * 15 + minute);
  return {
    rows: places.length,
    vectors: [
      { kind: "int32", values: sensor_day },
      { kind: "int32", values: sensor_no },
      { kind: "int32", values: quarter },
      ...sumVectors(sums),
      { kind: "int32", values: last_minute },
      { kind: "int32", values: new Int32Array(places.length) },
    ],
  };
}

/** The days of sensors with light, or with a sum above 0. */
function daysOf(candidates: Chunk, { place, light, value }: WholeSums): Chunk {
  const { sensor_no, sensor_day } = factsOf(candidates);
  const found: number[] = [];
  let last = -1;
  for (let row = 0; row < place.length; row++) {
    if (light[row] === 0 && !(value[row] > 0)) continue;
    const at = place[row];
    if (last >= 0 && sensor_no[at] === sensor_no[last] && sensor_day[at] === sensor_day[last]) {
      continue;
    }
    found.push(last = at);
  }
  const values = [sensor_no, sensor_day].map((all) => Int32Array.from(found, (at) => all[at]));
  return { rows: found.length, vectors: values.map((it) => ({ kind: "int32", values: it })) };
}

/** Stores them, and marks the days of the inverters that they are about; gives their stamp. */
export async function storeNewWholes(
  { connection, stamp_us }: Write,
  { wholes, sums, days, from_quarter, to_quarter }: NewWholes & Quarters,
): Promise<number> {
  const received_at = new BigInt64Array(wholes.rows).fill(BigInt(stamp_us));
  await connection.append("whole_quarter", {
    rows: wholes.rows,
    vectors: [...wholes.vectors, { kind: "instant", values: received_at }],
  }, [...whole_columns, "received_at"]);
  await connection.append("quarter", sums, quarter_columns);
  await connection.run(day_table.make);
  await connection.append(day_table.name, days);
  const minutes = { from_minute: from_quarter * 15, to_minute: to_quarter * 15 + 14 };
  await connection.run(inverter_mark, minutes);
  return stamp_us;
}

/** Takes from the touched quarter-hours those that were stored from a stamp on. */
export function takeNewWholes(connection: Connection, stamp_us: number): Promise<void> {
  return connection.run(touch_take, { stamp_us });
}
