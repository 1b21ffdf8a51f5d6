// Gives a connection the macros that expected power is worked out with (pv_*.sql).
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import cell_faiman_sql from "./pv_cell_faiman.sql" with { type: "text" };
import cell_pvsyst_sql from "./pv_cell_pvsyst.sql" with { type: "text" };
import cell_sapm_sql from "./pv_cell_sapm.sql" with { type: "text" };
import between_sql from "./pv_between.sql" with { type: "text" };
import curve_sql from "./pv_curve.sql" with { type: "text" };
import dc_sql from "./pv_dc.sql" with { type: "text" };
import inverter_sql from "./pv_inverter.sql" with { type: "text" };
import line_sql from "./pv_line.sql" with { type: "text" };
import positive_sql from "./pv_positive.sql" with { type: "text" };
import transpose_sql from "./pv_transpose.sql" with { type: "text" };

/**
 * Makes the macros in the connection's own temporary schema. All are plain expressions: where an
 * input is NULL, so is the answer. A curve is DOUBLE[][], pairs of load and efficiency.
 */
export async function installPv(connection: Connection): Promise<void> {
  for (const macro of macros) await connection.run(macro);
}

/** Those that others call come first. */
const macros = [
  ...[positive_sql, line_sql, between_sql, transpose_sql],
  ...[cell_faiman_sql, cell_sapm_sql, cell_pvsyst_sql, dc_sql, inverter_sql, curve_sql],
].map((sql) => statement({ sql }));
