// One body of alarms on its way into the database: what of it is still to be stored, the verdict.
import { limits } from "../base/limits.ts";
import type { AlarmAnswer, AlarmRejection, AlarmRow } from "../model/alarm_row.ts";
import type { Project } from "../model/plant.ts";
import type { DecodedAlarms } from "../wire/decode_alarm.ts";

/** Rows of one body that one transaction takes. */
export type AlarmSlice = {
  readonly job: AlarmJob;
  readonly rows: readonly AlarmRow[];
  /** Snapshots and events, those within snapshots too. */
  readonly size: number;
};

/** Hands out a body's rows slice by slice and counts what becomes of them. */
export class AlarmJob {
  readonly project: Project;
  readonly rows: number;
  accepted = 0;
  duplicates = 0;
  waiting = 0;
  readonly #rows: readonly AlarmRow[];
  readonly #rejected: AlarmRejection[];
  #rejected_count: number;
  #next = 0;
  readonly #answer = Promise.withResolvers<AlarmAnswer>();

  constructor(project: Project, { rows, rejected, rejected_count }: DecodedAlarms) {
    this.project = project;
    this.rows = rows.length;
    this.#rows = rows;
    this.#rejected = [...rejected];
    this.#rejected_count = rejected_count;
  }

  /** Rows that no slice has taken yet. */
  get left(): number {
    return this.rows - this.#next;
  }

  /** Resolves once every row is committed or rejected. */
  get answer(): Promise<AlarmAnswer> {
    return this.#answer.promise;
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
    return { job: this, rows: this.#rows.slice(from, this.#next), size };
  }

  reject({ line, occurrence_id }: AlarmRow, reason: string): void {
    this.#rejected_count++;
    this.#rejected.push({ line, occurrence_id, reason });
    if (this.#rejected.length > 2 * limits.rejected_shown) this.#trim();
  }

  /** Answers with the verdict. */
  finish(): void {
    this.#trim();
    this.#answer.resolve({
      accepted: this.accepted,
      duplicates: this.duplicates,
      rejected_count: this.#rejected_count,
      rejected: this.#rejected,
      waiting: this.waiting,
    });
  }

  /** Answers with an error: nothing of the transaction that failed is stored. */
  fail(error: unknown): void {
    this.#answer.reject(error);
  }

  /** Keeps the rejections of the first lines. */
  #trim(): void {
    this.#rejected.sort((a, b) => a.line - b.line).splice(limits.rejected_shown);
  }
}
