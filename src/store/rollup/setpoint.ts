// Setpoints in the roll-up: what they limit, while they are active, and what is expected then.
import active_make from "./active_make.sql" with { type: "text" };
import curb_make from "./curb_make.sql" with { type: "text" };
import power_make from "./power_make.sql" with { type: "text" };
import source_make from "./source_make.sql" with { type: "text" };
import witness_make from "./witness_make.sql" with { type: "text" };
import { limits } from "../../base/limits.ts";
import type { Connection } from "../connection.ts";

/** Finds which setpoints limit what, from the sensors and the plan of expected power. */
export async function makeSources(connection: Connection): Promise<void> {
  for (const make of [power_make, source_make, witness_make]) await connection.run(make);
}

/** Works out what is expected under setpoints (`roll_curb`), where that is less than without. */
export async function makeCurbs(connection: Connection): Promise<void> {
  await connection.run(active_make, {
    window: limits.contradiction_minutes,
    of_setpoint: limits.contradiction_setpoint_share,
    of_rated: limits.contradiction_rated_share,
    ramp: limits.contradiction_ramp_share,
  });
  await connection.run(curb_make);
}
