// What touched quarter-hours make due, and the slices of time in which it is computed.
import day_need_sql from "./day_find.sql" with { type: "text" };
import due_list_sql from "./due_list.sql" with { type: "text" };
import due_slot_make_sql from "./due_slot_make.sql" with { type: "text" };
import due_unit_make_sql from "./due_unit_make.sql" with { type: "text" };
import slot_mark_sql from "./slot_mark.sql" with { type: "text" };
import slot_grow_sql from "./slot_grow.sql" with { type: "text" };
import unit_mark_sql from "./unit_mark.sql" with { type: "text" };
import unit_grow_sql from "./unit_grow.sql" with { type: "text" };
import unit_make_sql from "./unit_make.sql" with { type: "text" };
import { counter_limits } from "../../model/counters/limits.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import { statement, type ValuesOf } from "../statement.ts";
import type { PlantNeeds } from "./plant.ts";

/** Quarter-hours of sensors, one beside the other; `remodel` 1 where it is what is expected. */
export type DueUnits = {
  readonly sensor_no: Int32Array<ArrayBuffer>;
  readonly quarter: Int32Array<ArrayBuffer>;
  readonly remodel: Uint8Array<ArrayBuffer>;
};

/** A quarter-hour in which something is due, and what it comes to (`due_list.sql`). */
export type DueQuarter = { readonly quarter: number; readonly units: number };

/** Quarter-hours [from, to). */
export type Slice = { readonly from: number; readonly to: number };

const due_list = statement({
  sql: due_list_sql,
  row: { quarter: "int32", units: "int32" },
});

const due_slot_make = statement({
  sql: due_slot_make_sql,
  parameters: { end_quarter: "int32" },
});

const due_unit_make = statement({
  sql: due_unit_make_sql,
  parameters: { end_quarter: "int32", early_minutes: "int32" },
});

/** Minutes at a quarter-hour's start that can contradict setpoints of the one before. */
const early_minutes = rollup_limits.contradiction_minutes - 1;

/**
 * Makes what is due distinct: a family is one row, under its lowest sensor. Where expected values
 * are both sent and computed, dark minutes need both halves.
 */
const due_unit_sum = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_due_unit AS
    SELECT DISTINCT if(part.remodel, coalesce(s.family, s.sensor_no), s.sensor_no) AS sensor_no,
      u.quarter, part.remodel
    FROM roll_due_unit AS u
    JOIN roll_sensor AS s ON s.sensor_no = u.sensor_no
    JOIN (VALUES (false), (true)) AS part (remodel)
      ON part.remodel = u.remodel OR (part.remodel AND s.mixed)`,
});

/**
 * Finds what is due because of the touched quarter-hours: by values that are carried on up to
 * `end_quarter`, by what is expected, and `more` that is known outside SQL. In order of time.
 */
export async function makeDue(
  connection: Connection,
  { end_quarter, more }: { readonly end_quarter: number; readonly more: DueUnits },
): Promise<DueQuarter[]> {
  await connection.run(due_slot_make, { end_quarter });
  await connection.run(due_unit_make, { end_quarter, early_minutes });
  await connection.append("roll_due_unit", {
    rows: more.quarter.length,
    vectors: [
      { kind: "int32", values: more.sensor_no },
      { kind: "int32", values: more.quarter },
      { kind: "bool", values: more.remodel },
    ],
  });
  await connection.run(due_unit_sum);
  return await connection.rows(due_list);
}

const slot_grow = statement({ sql: slot_grow_sql });

/** The quarter-hours of tags in [$from, $to) that are due. */
const slot_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_slot AS
    SELECT tag_no, quarter
    FROM roll_due_slot
    WHERE quarter >= $from AND quarter < $to`,
  parameters: { from: "int32", to: "int32" },
});

const unit_grow = statement({
  sql: unit_grow_sql,
  parameters: { from: "int32", to: "int32", spread: "int32" },
});

const unit_make = statement({
  sql: unit_make_sql,
  parameters: { from: "int32", to: "int32" },
});

/** Takes from what is touched the quarter-hours of tags that nothing is computed of any more. */
const touch_seal = statement({
  sql: `
    DELETE FROM roll_touch
    USING horizon AS h
    WHERE h.tag_no = roll_touch.tag_no
      AND roll_touch.quarter
        < (greatest(h.samples, h.minutes, h.quarters) + $seal_days::INTEGER) * 96
      AND greatest(h.samples, h.minutes, h.quarters) > 0`,
  parameters: { seal_days: "int32" },
});

/** Leaves out what is touched of times that are sealed. */
export function sealTouched(connection: Connection): Promise<void> {
  return connection.run(touch_seal, { seal_days: retention_limits.seal_days });
}

/** Keeps as stored the halves of quarter-hours that are sealed. */
const unit_seal = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_unit AS
    SELECT u.sensor_no, u.quarter, u.revalue,
      u.remodel AND u.quarter >= coalesce(s.quarter, 0) AS remodel
    FROM roll_unit AS u
    LEFT JOIN roll_seal AS s USING (sensor_no)
    WHERE u.quarter >= coalesce(s.own_quarter, 0)`,
});

/** Takes a slice of what is due, and everything that goes with it, as what is computed next. */
export async function takeSlice(
  connection: Connection,
  { kind: { has_models, has_spans, has_seals }, ...slice }: Slice & {
    readonly kind: Pick<PlantNeeds, "has_models" | "has_spans" | "has_seals">;
  },
): Promise<void> {
  await connection.run(slot_make, slice);
  await connection.run(unit_make, slice);
  if (has_spans) {
    await connection.run(unit_grow, { ...slice, spread: counter_limits.span_minutes });
  }
  if (has_seals) await connection.run(unit_seal);
  // What nothing is expected of is due because of its own tag, which is due itself.
  if (has_models) await connection.run(slot_grow);
}

const day_need = statement({
  sql: day_need_sql,
  row: { project_no: "int32", site_no: "int32", quarter: "int32" },
});

/** The quarter-hours whose local day is needed: columns project_no, site_no (0: none), quarter. */
export function neededDays(connection: Connection): Promise<Chunk> {
  return connection.chunk(day_need);
}

const of_stored = { from_minute: "int32", to_minute: "int32", looks_all: "bool" } as const;

const slot_mark = statement({ sql: slot_mark_sql, parameters: of_stored });

const unit_mark = statement({ sql: unit_mark_sql, parameters: of_stored });

/**
 * Gives each needed quarter-hour its local day and the mask of its daylight minutes, and says of
 * which nothing is stored in a range of minutes; `looks_all` asks for all to be compared.
 */
export async function putDays(
  connection: Connection,
  days: Chunk,
  stored: ValuesOf<typeof of_stored>,
): Promise<void> {
  await connection.append("roll_day", days);
  await connection.run(slot_mark, stored);
  await connection.run(unit_mark, stored);
}
