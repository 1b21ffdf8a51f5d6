// When devices were worked on: spans that begin and end with the work orders' changes.
import work_window_close from "./window_close.sql" with { type: "text" };
import work_window_list from "./window_list.sql" with { type: "text" };
import type { TimeSpan } from "../../model/time/daylight.ts";
import { chunkOf } from "../alarms/row.ts";
import type { Connection } from "../connection.ts";

/** A device that a work order works on, from an instant until another one; null: it goes on. */
export type WorkWindow = {
  readonly work_order_no: number;
  readonly project_no: number;
  readonly device_id: string;
  readonly work_type: string;
  readonly from_us: number;
  readonly to_us: number | null;
};

const columns = {
  work_order_no: "int64",
  project_no: "int32",
  device_id: "text",
  work_type: "text",
  from_us: "int64",
  to_us: "int64",
} as const satisfies Record<keyof WorkWindow, string>;

/** Begins windows. */
export async function openWindows(
  connection: Connection,
  windows: readonly WorkWindow[],
): Promise<void> {
  await connection.append("work_window", chunkOf(columns, windows));
}

/** Ends the windows that go on of these work orders and devices, at their `to_us`. */
export async function closeWindows(
  connection: Connection,
  windows: readonly WorkWindow[],
): Promise<void> {
  if (windows.length === 0) return;
  await connection.run(
    "CREATE TEMP TABLE IF NOT EXISTS work_window_stage AS SELECT * FROM work_window LIMIT 0",
  );
  await connection.append("work_window_stage", chunkOf(columns, windows));
  await connection.run(work_window_close);
  await connection.run("DELETE FROM work_window_stage");
}

/** A span in which a device was worked on, cut off where the range ends, and whose work it was. */
export type WorkSpan = TimeSpan & {
  readonly device_id: string;
  readonly work_type: string;
  /** The work order's number in its organization. */
  readonly number: number;
};

/** The spans of a project's devices that reach into a range, the oldest first. */
export function listWindows(
  connection: Connection,
  range: TimeSpan & { readonly project_no: number },
): Promise<WorkSpan[]> {
  return connection.rows<WorkSpan>(work_window_list, range);
}
