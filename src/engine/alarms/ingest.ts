// Takes decoded bodies of alarms into the database, acknowledged after the commit.
import { limits } from "../../base/limits.ts";
import type { AlarmAnswer, AlarmRejection } from "../../model/alarms/row.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Database, Write } from "../../store/database.ts";
import type { DecodedAlarms } from "../../wire/alarms/decode.ts";
import type { Alarms } from "./alarm.ts";
import type { StoredAlarms } from "./unit_of_work.ts";
import { alarmJob, type AlarmPart, type AlarmSlice } from "./ingest_job.ts";
import { AlarmIngestWrite } from "./ingest_write.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { JobQueue, type JobTotals } from "../core/job_queue.ts";
import type { Users } from "../access/user.ts";

/** What the ingest of alarms works on. */
export type AlarmIngestParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly users: Users;
  readonly alarms: Alarms;
};

/** Takes bodies of alarms, many in a transaction or a large one in several; see `JobQueue`. */
export class AlarmIngest {
  readonly #parts: AlarmIngestParts;
  readonly #queue: JobQueue<AlarmPart, AlarmAnswer, AlarmRejection>;

  constructor(parts: AlarmIngestParts) {
    this.#parts = parts;
    this.#queue = new JobQueue({
      room: limits.alarms_per_transaction,
      store: async (take) => {
        const { database, alarms } = parts;
        alarms.committed(await database.write((write) => this.#store(write, take())));
      },
    });
  }

  /** What became of all rows since the start. */
  get totals(): JobTotals {
    return this.#queue.totals;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queue.queued_rows;
  }

  /** Stores a body's rows; resolves when they are on disk. */
  add(project: Project, decoded: DecodedAlarms): Promise<AlarmAnswer> {
    return this.#queue.add(alarmJob(project, decoded));
  }

  async #store(write: Write, slices: readonly AlarmSlice[]): Promise<StoredAlarms> {
    for (const { tally } of slices) tally.reset();
    const changes = this.#parts.alarms.begin(write);
    const writes: AlarmIngestWrite[] = [];
    for (const own of Map.groupBy(slices, ({ job }) => job.project.project_no).values()) {
      const ingest = new AlarmIngestWrite(changes, { ...this.#parts, project: own[0].job.project });
      await ingest.take(own);
      writes.push(ingest);
    }
    const stored = await changes.store();
    for (const ingest of writes) ingest.count(stored);
    return stored;
  }
}
