// One body of alarms on its way into the database: its rows with the events within, in order.
import type { AlarmAnswer, AlarmRejection, AlarmRow } from "../../model/alarms/row.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { DecodedAlarms } from "../../wire/alarms/decode.ts";
import { Job, type JobSlice } from "../core/job.ts";

/** Rows that one transaction takes. */
export type AlarmPart = { readonly rows: readonly AlarmRow[] };

/** The same with its job; its size is of snapshots and events, those within too. */
export type AlarmSlice = JobSlice<AlarmPart, AlarmAnswer, AlarmRejection>;

/** Hands out a body's rows: slices of at most `room` snapshots and events, or one row. */
export function alarmJob(
  project: Project,
  decoded: DecodedAlarms,
): Job<AlarmPart, AlarmAnswer, AlarmRejection> {
  let at = 0;
  return new Job({
    project,
    rows: decoded.rows.length,
    decoded,
    next(room) {
      const from = at;
      let size = 0;
      for (; at < decoded.rows.length; at++) {
        const row = decoded.rows[at];
        const more = "events" in row ? 1 + row.events.length : 1;
        if (size > 0 && size + more > room) break;
        size += more;
      }
      return { part: { rows: decoded.rows.slice(from, at) }, rows: at - from, size };
    },
    answerOf: ({ accepted, duplicates, rejected_count, rejected, waiting }) => (
      { accepted, duplicates, rejected_count, rejected, waiting }
    ),
  });
}
