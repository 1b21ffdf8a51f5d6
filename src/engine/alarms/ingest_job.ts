// One body of alarms on its way into the database: what of it is still to be stored.
import type { AlarmAnswer, AlarmRejection, AlarmRow } from "../../model/alarms/row.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { DecodedAlarms } from "../../wire/alarms/decode.ts";
import { Job, type JobSlice, JobTally } from "../core/job.ts";

/** Rows that one transaction takes; its size is of snapshots and events, those within too. */
export type AlarmSlice = JobSlice<AlarmJob, AlarmRejection> & {
  readonly rows: readonly AlarmRow[];
};

/** Hands out a body's rows slice by slice. */
export class AlarmJob extends Job<AlarmSlice, AlarmAnswer, AlarmRejection> {
  readonly project: Project;
  readonly rows: number;
  readonly #rows: readonly AlarmRow[];
  #next = 0;

  constructor(project: Project, decoded: DecodedAlarms) {
    super(decoded);
    this.project = project;
    this.rows = decoded.rows.length;
    this.#rows = decoded.rows;
  }

  get left(): number {
    return this.rows - this.#next;
  }

  /** The next slice, of at most `room` snapshots and events or one row; while rows are left. */
  take(room: number): AlarmSlice {
    const from = this.#next;
    let size = 0;
    while (this.left > 0) {
      const row = this.#rows[this.#next];
      const more = "events" in row ? 1 + row.events.length : 1;
      if (size > 0 && size + more > room) break;
      size += more;
      this.#next++;
    }
    return { job: this, rows: this.#rows.slice(from, this.#next), size, tally: new JobTally() };
  }

  protected answerOf(tally: JobTally<AlarmRejection>): AlarmAnswer {
    const { accepted, duplicates, rejected_count, rejected, waiting } = tally;
    return { accepted, duplicates, rejected_count, rejected, waiting };
  }
}
