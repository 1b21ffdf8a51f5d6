// The queue of bodies of alarms before the writer: small ones share commits, acknowledged after.
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";
import type { AlarmAnswer } from "../model/alarm_row.ts";
import type { Project } from "../model/plant.ts";
import type { Database, Write } from "../store/database.ts";
import type { DecodedAlarms } from "../wire/decode_alarm.ts";
import type { Alarms } from "./alarm.ts";
import type { StoredAlarms } from "./alarm_change.ts";
import { AlarmJob, type AlarmSlice } from "./alarm_ingest_job.ts";
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

/**
 * Takes bodies of alarms. Those that wait share the next transaction, up to
 * `limits.alarms_per_transaction` snapshots and events; a larger one takes turns with the others
 * over several. If one of these fails, the earlier ones stay: sending the body again counts them as
 * duplicates.
 */
export class AlarmIngest {
  readonly #parts: AlarmIngestParts;
  #queue: AlarmJob[] = [];
  #queued_rows = 0;
  #running = false;
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
   * Stores a body's rows; resolves when they are on disk. A full queue is a `Fault` (unavailable)
   * and nothing of the body is stored.
   */
  async add(project: Project, decoded: DecodedAlarms): Promise<AlarmAnswer> {
    const job = new AlarmJob(project, decoded);
    if (job.rows === 0) job.finish();
    else this.#enqueue(job);
    return this.#count(await job.answer);
  }

  #count(answer: AlarmAnswer): AlarmAnswer {
    this.#totals = {
      accepted: this.#totals.accepted + answer.accepted,
      duplicates: this.#totals.duplicates + answer.duplicates,
      rejected: this.#totals.rejected + answer.rejected_count,
    };
    return answer;
  }

  #enqueue(job: AlarmJob): void {
    if (this.#queue.length > 0 && this.#queued_rows + job.rows > limits.alarm_queue_rows) {
      throw new Fault("unavailable", "more alarms are waiting to be stored than fit: send again", {
        retry_after_s: limits.retry_after_s,
      });
    }
    this.#queue.push(job);
    this.#queued_rows += job.rows;
    if (!this.#running) this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    while (this.#queue.length > 0) await this.#writeNext();
    this.#running = false;
  }

  /** One transaction. Never throws: what goes wrong is the answer of the jobs that took part. */
  async #writeNext(): Promise<void> {
    const { database, alarms } = this.#parts;
    let jobs: Iterable<AlarmJob> = this.#queue;
    try {
      const stored = await database.write((write) => {
        const slices = this.#takeSlices();
        jobs = new Set(slices.map((slice) => slice.job));
        return this.#store(write, slices);
      });
      alarms.committed(stored);
      for (const job of jobs) if (job.left === 0) this.#release(job).finish();
    } catch (error) {
      for (const job of jobs) this.#release(job).fail(error);
    }
  }

  /** Slices for one transaction, in order of arrival; a job that is not through goes to the end. */
  #takeSlices(): readonly AlarmSlice[] {
    const slices: AlarmSlice[] = [];
    const unfinished: AlarmJob[] = [];
    let room: number = limits.alarms_per_transaction;
    while (room > 0 && this.#queue.length > 0) {
      const job = this.#queue.shift()!;
      const slice = job.take(room);
      room -= slice.items;
      slices.push(slice);
      if (job.left > 0) unfinished.push(job);
    }
    this.#queue.push(...unfinished);
    return slices;
  }

  async #store(write: Write, slices: readonly AlarmSlice[]): Promise<StoredAlarms> {
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

  #release(job: AlarmJob): AlarmJob {
    this.#queue = this.#queue.filter((each) => each !== job);
    this.#queued_rows -= job.rows;
    return job;
  }
}
