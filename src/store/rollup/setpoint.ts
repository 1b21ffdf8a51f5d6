// Setpoints in the roll-up: what they limit, while they are active, and what is expected then.
import active_make_sql from "./active_make.sql" with { type: "text" };
import curb_make_sql from "./curb_make.sql" with { type: "text" };
import power_make_sql from "./power_make.sql" with { type: "text" };
import source_make_sql from "./source_make.sql" with { type: "text" };
import witness_make_sql from "./witness_make.sql" with { type: "text" };
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const power_make = statement({ sql: power_make_sql });

const source_make = statement({ sql: source_make_sql });

const witness_make = statement({ sql: witness_make_sql });

/** Finds which setpoints limit what, from the sensors and the plan of expected power. */
export async function makeSources(connection: Connection): Promise<void> {
  for (const make of [power_make, source_make, witness_make]) await connection.run(make);
}

const active_make = statement({
  sql: active_make_sql,
  parameters: { of_setpoint: "float64", of_rated: "float64", window: "int64", ramp: "float64" },
});

const curb_make = statement({ sql: curb_make_sql });

/** Computes what is expected under setpoints (`roll_curb`), where that is less than without. */
export async function makeCurbs(connection: Connection): Promise<void> {
  await connection.run(active_make, {
    window: rollup_limits.contradiction_minutes,
    of_setpoint: rollup_limits.contradiction_setpoint_share,
    of_rated: rollup_limits.contradiction_rated_share,
    ramp: rollup_limits.contradiction_ramp_share,
  });
  await connection.run(curb_make);
}
