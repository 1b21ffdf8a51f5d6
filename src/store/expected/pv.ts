// Gives a connection the macros that expected power is worked out with (sql/pv_*.sql).
import type { Connection } from "../connection.ts";
import cell_faiman from "./pv_cell_faiman.sql" with { type: "text" };
import cell_pvsyst from "./pv_cell_pvsyst.sql" with { type: "text" };
import cell_sapm from "./pv_cell_sapm.sql" with { type: "text" };
import between from "./pv_between.sql" with { type: "text" };
import curve from "./pv_curve.sql" with { type: "text" };
import dc from "./pv_dc.sql" with { type: "text" };
import inverter from "./pv_inverter.sql" with { type: "text" };
import line from "./pv_line.sql" with { type: "text" };
import positive from "./pv_positive.sql" with { type: "text" };
import transpose from "./pv_transpose.sql" with { type: "text" };

/**
 * Makes the macros in the connection's own temporary schema. All are plain expressions: where an
 * input is NULL, so is the answer. A curve is DOUBLE[][], pairs of load and efficiency.
 */
export async function installPv(connection: Connection): Promise<void> {
  for (const macro of macros) await connection.run(macro);
}

/** Those that others call come first. */
const macros = [
  ...[positive, line, between],
  ...[transpose, cell_faiman, cell_sapm, cell_pvsyst, dc, inverter, curve],
] as const;
