// Stores which months webhooks have told of, and finds whether a month can be told of.
import { report_table, type ReportTold } from "../../model/webhooks/report.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import report_find_sql from "./report_find.sql" with { type: "text" };

const reports_table = table("report", report_table);

const reports_list = statement({
  sql: "SELECT {row} FROM report ORDER BY project_no, month",
  row: report_table,
});

/** The months that were told of. */
export function readReports(connection: Connection): Promise<ReportTold[]> {
  return connection.rows(reports_list);
}

/** Stores that a month is told of. */
export async function insertReport(connection: Connection, report: ReportTold): Promise<void> {
  await appendRows(connection, reports_table, [report]);
}

const report_find = statement({
  sql: report_find_sql,
  parameters: { project_no: "int32", from_day: "int32", to_day: "int32" },
  row: { has_data: "bool", is_stale: "bool" },
});

/** Local days of a project, `[from_day, to_day)`. */
type ProjectDays = {
  readonly project_no: number;
  readonly from_day: number;
  readonly to_day: number;
};

/** Whether days have measured values, and no day of them is to be computed again. */
export async function isReportReady(
  connection: Connection,
  { project_no, from_day, to_day }: ProjectDays,
): Promise<boolean> {
  const [found] = await connection.rows(report_find, { project_no, from_day, to_day });
  return found.has_data && !found.is_stale;
}
