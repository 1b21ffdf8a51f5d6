// The numbers of work: how far each count is.
import type { Connection } from "../connection.ts";
import work_last from "./last.sql" with { type: "text" };
import work_number from "./number.sql" with { type: "text" };

/** The highest numbers given in this installation; some may have been given to nothing. */
export type WorkCounts = {
  issue_no: number;
  work_order_no: number;
  snapshot_no: number;
  history_no: number;
};

/** The highest numbers of an organization's issues and work orders: of 1 to n, none is missing. */
export type WorkNumbers = { issue: number; work_order: number };

/** How far the installation's counts are. */
export async function readWorkCounts(connection: Connection): Promise<WorkCounts> {
  const [counts] = await connection.rows<WorkCounts>(work_last);
  return counts;
}

/** How far an organization's numbers are; within a write nobody else gives any. */
export async function readWorkNumbers(
  connection: Connection,
  organization_id: string,
): Promise<WorkNumbers> {
  const [numbers] = await connection.rows<WorkNumbers>(work_number, { organization_id });
  return numbers;
}
