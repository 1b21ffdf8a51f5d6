// What the states of inverters are found from: quarter-hours, codes, voltages, overrides.
import bit_list_sql from "./inverter_bit_list.sql" with { type: "text" };
import code_list_sql from "./inverter_code_list.sql" with { type: "text" };
import dip_list_sql from "./inverter_dip_list.sql" with { type: "text" };
import heard_find_sql from "./inverter_heard_find.sql" with { type: "text" };
import { state_names } from "../../model/availability/timeline.ts";
import { declared_parts } from "../../model/availability/loss.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import { oneOfOrNull, type PlainRow } from "../../model/data/row.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import type { DayRange } from "./availability.ts";

const heard_find = statement({
  sql: heard_find_sql,
  parameters: {
    from_day: "int32",
    to_day: "int32",
    sensors: "int32[]",
    least_day: "int32",
    most_day: "int32",
  },
  row: { before_day: "int32?", after_day: "int32?" },
});

/** The days nearest to a range, within bounds, on which each of some sensors was heard. */
export function findHeard(
  connection: Connection,
  where: DayRange & {
    readonly sensors: Int32Array;
    readonly least_day: number;
    readonly most_day: number;
  },
): Promise<{ before_day: number | null; after_day: number | null }[]> {
  return connection.rows(heard_find, where);
}

/**
 * What quarter-hours of sensors show by daylight, and what was counted in the dark; unordered, for
 * the caller scatters them.
 */
const quarter_list = statement({
  sql: `
    SELECT q.sensor_no, q.quarter, q.light::INTEGER AS light, q.n, q.value,
      if(q.minimum = q.maximum, q.minimum, NULL) AS flat, q.model_n, q.model,
      coalesce(q.model_setpoint, q.model) AS model_setpoint, q.clipped
    FROM quarter AS q
    JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
    WHERE q.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
      AND (q.light OR q.value > 0)`,
  parameters: { sensors: "int32[]", from_day: "int32", to_day: "int32" },
  row: {
    sensor_no: "int32",
    quarter: "int32",
    light: "int32",
    n: "int32",
    value: "float64",
    flat: "float64",
    model_n: "int32",
    model: "float64",
    model_setpoint: "float64",
    clipped: "float64",
  },
});

/**
 * Pieces of the quarter-hours of sensors: sensor_no, quarter, light, n, value, flat (of all its
 * minutes the same), model_n, model, model_setpoint, clipped; unordered.
 */
export function readQuarters(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array },
): Promise<Iterable<Chunk>> {
  return connection.pieces(quarter_list, range);
}

const code_list = statement({
  sql: code_list_sql,
  parameters: {
    tags: "int32[]",
    from_day: "int32",
    to_day: "int32",
    from_minute: "int32",
    minutes: "int32",
  },
  row: { tag_no: "int32", quarter: "int32", code: "float64", minutes: "int32", heard: "int32" },
});

/**
 * Codes of tags: tag_no, quarter, code, minutes (a bit each), heard; by tag and quarter-hour. Only
 * of `minutes` from `from_minute` on, which lies before them all, and the same of every day.
 */
export function readCodes(
  connection: Connection,
  range: DayRange & {
    readonly tags: Int32Array;
    readonly from_minute: number;
    readonly minutes: number;
  },
): Promise<Chunk> {
  return connection.chunk(code_list, range);
}

const bit_list = statement({
  sql: bit_list_sql,
  parameters: { tags: "int32[]", from_day: "int32", to_day: "int32" },
  row: { tag_no: "int32", quarter: "int32", code: "float64", minutes: "int32" },
});

/** Bits of event words that were set: tag_no, quarter, code (the bit), minutes; in that order. */
export function readBits(
  connection: Connection,
  range: DayRange & { readonly tags: Int32Array },
): Promise<Chunk> {
  return connection.chunk(bit_list, range);
}

/** The quarter-hours in which tags sent a value. */
const sent_list = statement({
  sql: `
    SELECT DISTINCT m.tag_no, (m.minute // 15)::INTEGER AS quarter
    FROM minute AS m
    JOIN (SELECT unnest($tags::INTEGER[]) AS tag_no) AS wanted USING (tag_no)
    WHERE m.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
      AND NOT m.carried
      AND (m.value_int IS NOT NULL OR m.value IS NOT NULL)
    ORDER BY m.tag_no, quarter`,
  parameters: { tags: "int32[]", from_day: "int32", to_day: "int32" },
  row: { tag_no: "int32", quarter: "int32" },
});

/** The quarter-hours in which tags sent a value: tag_no, quarter. */
export function readSent(
  connection: Connection,
  range: DayRange & { readonly tags: Int32Array },
): Promise<Iterable<Chunk>> {
  return connection.pieces(sent_list, range);
}

const dip_list = statement({
  sql: dip_list_sql,
  parameters: { sensors: "int32[]", least_v: "float64[]", from_day: "int32", to_day: "int32" },
  row: { sensor_no: "int32", quarter: "int32", minutes: "int32" },
});

/** The minutes, by quarter-hour a bit each, in which voltages were under their least. */
export function listDips(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array; readonly least_v: readonly number[] },
): Promise<{ sensor_no: number; quarter: number; minutes: number }[]> {
  return connection.rows(dip_list, range);
}

/** The least that setpoints said in each quarter-hour of daylight. */
const limit_list = statement({
  sql: `
    SELECT q.sensor_no, q.quarter, q.minimum AS least
    FROM quarter AS q
    JOIN (SELECT unnest($sensors::INTEGER[]) AS sensor_no) AS wanted USING (sensor_no)
    WHERE q.day BETWEEN $from_day::INTEGER AND $to_day::INTEGER
      AND q.light AND q.minimum IS NOT NULL
    ORDER BY q.sensor_no, q.quarter`,
  parameters: { sensors: "int32[]", from_day: "int32", to_day: "int32" },
  row: { sensor_no: "int32", quarter: "int32", least: "float64" },
});

/** The least that setpoints said in each quarter-hour of daylight. */
export function listLimits(
  connection: Connection,
  range: DayRange & { readonly sensors: Int32Array },
): Promise<{ sensor_no: number; quarter: number; least: number }[]> {
  return connection.rows(limit_list, range);
}

/**
 * The overrides of a project that reach into a range of time, one row an inverter, oldest first.
 */
const override_list = statement({
  sql: `
    SELECT unnest(hierarchy_ids) AS hierarchy_id, state, loss, share, from_us, to_us, reason, author
    FROM state_override
    WHERE project_no = $project_no::INTEGER
      AND from_us < $to_us::BIGINT
      AND to_us > $from_us::BIGINT
    ORDER BY created_at, id`,
  parameters: { project_no: "int32", to_us: "instant", from_us: "instant" },
  row: {
    hierarchy_id: "text",
    state: oneOfOrNull(state_names),
    loss: oneOfOrNull(declared_parts),
    share: "float64?",
    from_us: "instant",
    to_us: "instant",
    reason: "text",
    author: "text",
  },
});

/** An operator's override of one inverter. */
export type OverrideRow = PlainRow<typeof override_list.row>;

/** Operators' words on a project's inverters in a range of time, one row an inverter. */
export function listOverrides(
  connection: Connection,
  range: TimeSpan & { readonly project_no: number },
): Promise<OverrideRow[]> {
  return connection.rows(override_list, range);
}
