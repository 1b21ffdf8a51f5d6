// Alarms of source systems into the database: a body in transactions of bounded size.
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";
import type { AlarmAnswer, AlarmRejection, AlarmRow } from "../model/alarm_row.ts";
import type { Project } from "../model/plant.ts";
import type { Database } from "../store/database.ts";
import type { DecodedAlarms } from "../wire/decode_alarm.ts";
import type { Alarms } from "./alarm.ts";
import { AlarmIngestWrite } from "./alarm_ingest_write.ts";
import type { Catalog } from "./catalog.ts";
import type { Users } from "./user.ts";

/** What the ingest of alarms works on. */
export type AlarmIngestParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly alarms: Alarms;
};

/** Rows by what became of them. */
export type AlarmTotals = Pick<AlarmAnswer, "accepted" | "duplicates"> & {
  readonly rejected: number;
};

/** Takes bodies of alarms; each is acknowledged once its last transaction is on disk. */
export class AlarmIngest {
  readonly #parts: AlarmIngestParts;
  #queued_rows = 0;
  #totals: AlarmTotals = { accepted: 0, duplicates: 0, rejected: 0 };

  constructor(parts: AlarmIngestParts) {
    this.#parts = parts;
  }

  /** What became of all rows since the start. */
  get totals(): AlarmTotals {
    return this.#totals;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queued_rows;
  }

  /**
   * Stores a body's rows. If one of several transactions fails, the earlier ones stay: sending the
   * body again counts them as duplicates. A full queue is a `Fault` (unavailable).
   */
  async add(project: Project, decoded: DecodedAlarms): Promise<AlarmAnswer> {
    const rows = decoded.rows.length;
    if (this.#queued_rows > 0 && this.#queued_rows + rows > limits.alarm_queue_rows) {
      throw new Fault("unavailable", "more alarms are waiting to be stored than fit: send again", {
        retry_after_s: limits.retry_after_s,
      });
    }
    this.#queued_rows += rows;
    try {
      return await this.#addAll(project, decoded);
    } finally {
      this.#queued_rows -= rows;
    }
  }

  async #addAll(project: Project, decoded: DecodedAlarms): Promise<AlarmAnswer> {
    let [accepted, duplicates, waiting] = [0, 0, 0];
    let { rejected_count } = decoded;
    const rejected: AlarmRejection[] = [...decoded.rejected];
    for (const rows of slicesOf(decoded.rows)) {
      const verdict = await this.#write(project, rows);
      accepted += verdict.accepted;
      duplicates += verdict.duplicates;
      waiting += verdict.waiting;
      rejected_count += verdict.rejected.length;
      rejected.push(...verdict.rejected);
      rejected.sort((a, b) => a.line - b.line).splice(limits.rejected_shown);
    }
    const { totals } = this;
    this.#totals = {
      accepted: totals.accepted + accepted,
      duplicates: totals.duplicates + duplicates,
      rejected: totals.rejected + rejected_count,
    };
    return { accepted, duplicates, rejected_count, rejected, waiting };
  }

  /** One transaction. */
  async #write(project: Project, rows: readonly AlarmRow[]) {
    const { database, alarms, ...parts } = this.#parts;
    const { stored, verdict } = await database.write(async (write) => {
      const changes = alarms.begin(write);
      const ingest = new AlarmIngestWrite(changes, { ...parts, project });
      await ingest.take(rows);
      const stored = await changes.store();
      return { stored, verdict: ingest.verdict(stored) };
    });
    alarms.committed(stored);
    return verdict;
  }
}

/** Rows in runs whose snapshots and events one transaction takes. */
function* slicesOf(rows: readonly AlarmRow[]): Generator<readonly AlarmRow[], void> {
  let slice: AlarmRow[] = [];
  let items = 0;
  for (const row of rows) {
    slice.push(row);
    items += "events" in row ? 1 + row.events.length : 1;
    if (items < limits.alarms_per_transaction) continue;
    yield slice;
    slice = [];
    items = 0;
  }
  if (slice.length > 0) yield slice;
}
