// Setpoints in the roll-up: what they limit, while they are active, and what is expected then.
import active_make_sql from "./active_make.sql" with { type: "text" };
import cap_make_sql from "./cap_make.sql" with { type: "text" };
import cap_settle_sql from "./cap_settle.sql" with { type: "text" };
import curb_make_sql from "./curb_make.sql" with { type: "text" };
import member_make_sql from "./member_make.sql" with { type: "text" };
import power_make_sql from "./power_make.sql" with { type: "text" };
import source_make_sql from "./source_make.sql" with { type: "text" };
import witness_make_sql from "./witness_make.sql" with { type: "text" };
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { workTable } from "../table.ts";

/** The tags whose samples can tell that a setpoint was contradicted in the minutes before. */
const hindsight_make = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_hindsight AS
    SELECT w.tag_no, r.family FROM roll_witness AS w JOIN roll_source AS r USING (rule_no)
    UNION
    SELECT s.tag_no, s.family FROM roll_sensor AS s
    WHERE s.sensor_no IN (SELECT source_no FROM roll_source)`,
});

const member_make = statement({ sql: member_make_sql });

const power_make = statement({ sql: power_make_sql });

const source_make = statement({ sql: source_make_sql });

const witness_make = statement({ sql: witness_make_sql });

/** Finds which setpoints limit what, from the sensors and the plan of expected power. */
export async function makeSources(connection: Connection): Promise<void> {
  for (const make of [power_make, source_make, member_make, witness_make, hindsight_make]) {
    await connection.run(make);
  }
}

const active_make = statement({
  sql: active_make_sql,
  parameters: { of_setpoint: "float64", of_rated: "float64", window: "int64", ramp: "float64" },
});

const cap_make = statement({ sql: cap_make_sql });

const cap_settle = statement({ sql: cap_settle_sql, parameters: { level: "int32" } });

const curb_make = statement({ sql: curb_make_sql });

/** What is expected under setpoints, by sensor and minute. */
const curb_table = workTable("roll_curb", {
  sensor_no: "int32",
  minute: "int32",
  model_setpoint: "float64",
});

/** Makes an empty list of that. */
export function clearCurbs(connection: Connection): Promise<void> {
  return connection.run(curb_table.make);
}

/** Whether any setpoint is active, and how many levels of groups have some: the highest counts. */
const active_size = statement({
  sql: `
    SELECT count(*) > 0 AS is_active, coalesce(max(level), 0)::INTEGER AS levels
    FROM roll_active`,
  row: { is_active: "bool", levels: "int32" },
});

/** Computes what is expected under setpoints (`roll_curb`), where that is less than without. */
export async function makeCurbs(connection: Connection): Promise<void> {
  await connection.run(active_make, {
    window: rollup_limits.contradiction_minutes,
    of_setpoint: rollup_limits.contradiction_setpoint_share,
    of_rated: rollup_limits.contradiction_rated_share,
    ramp: rollup_limits.contradiction_ramp_share,
  });
  const [{ is_active, levels }] = await connection.rows(active_size);
  if (!is_active) return clearCurbs(connection);
  await connection.run(cap_make);
  for (let level = 1; level <= levels; level++) await connection.run(cap_settle, { level });
  await connection.run(curb_make);
}
