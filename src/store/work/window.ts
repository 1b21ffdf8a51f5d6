// When devices were worked on: spans that begin and end with the work orders' changes.
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, stageRows, table, workTable } from "../table.ts";

const window_table = table("work_window", {
  work_order_no: "int64",
  project_no: "int32",
  device_id: "text",
  work_type: "text",
  from_us: "instant",
  /** Null while it goes on. */
  to_us: "instant?",
});

/** A device that a work order works on, from an instant until another one; null: it goes on. */
export type WorkWindow = PlainRow<typeof window_table.columns>;

/** Begins windows. */
export async function openWindows(
  connection: Connection,
  windows: readonly WorkWindow[],
): Promise<void> {
  await appendRows(connection, window_table, windows);
}

const window_stage = workTable("work_window_stage", window_table.columns);

/** Ends the staged windows, which go on; none before its begin, where the clock was set back. */
const staged_close = statement({
  sql: `
    UPDATE work_window SET to_us = greatest(s.to_us, work_window.from_us)
    FROM work_window_stage AS s
    WHERE
      work_window.work_order_no = s.work_order_no AND work_window.device_id = s.device_id
      AND work_window.to_us IS NULL`,
});

/** Ends the windows that go on of these work orders and devices, at their `to_us`. */
export async function closeWindows(
  connection: Connection,
  windows: readonly WorkWindow[],
): Promise<void> {
  if (windows.length === 0) return;
  await stageRows(connection, window_stage, windows);
  await connection.run(staged_close);
}

/** The spans in which a project's devices were worked on that reach into a range. */
const windows_list = statement({
  sql: `
    SELECT w.device_id, w.work_type, w.from_us, coalesce(w.to_us, $to_us::BIGINT) AS to_us, o.number
    FROM work_window AS w
    JOIN work_order AS o USING (work_order_no)
    WHERE
      w.project_no = $project_no::INTEGER AND w.from_us < $to_us::BIGINT
      AND coalesce(w.to_us, $to_us::BIGINT) > $from_us::BIGINT
    ORDER BY w.from_us, w.work_order_no, w.device_id`,
  parameters: { project_no: "int32", from_us: "instant", to_us: "instant" },
  row: {
    device_id: "text",
    work_type: "text",
    from_us: "instant",
    to_us: "instant",
    /** The work order's in its organization. */
    number: "int32",
  },
});

/** A span in which a device was worked on, cut off where the range ends, and whose work it was. */
export type WorkSpan = PlainRow<typeof windows_list.row>;

/** The spans of a project's devices that reach into a range, the oldest first. */
export function listWindows(
  connection: Connection,
  range: TimeSpan & { readonly project_no: number },
): Promise<WorkSpan[]> {
  return connection.rows(windows_list, range);
}
