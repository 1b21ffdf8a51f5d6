// The one database of the process: its readers, its one writer, and the stamps of what is stored.
import { DuckDBInstance } from "@duckdb/node-api";
import type { Effects } from "../base/effects.ts";
import { Fault } from "../base/fault.ts";
import { database_limits } from "./limits.ts";
import { Lock } from "../base/lock.ts";
import { Connection } from "./connection.ts";
import { FarDays } from "./far.ts";
import { migrate } from "./migrate.ts";
import { Readers } from "./readers.ts";
import { StampClock, type StampEffects } from "./stamp_clock.ts";
import stamp_last_sql from "./stamp_find.sql" with { type: "text" };
import { statement } from "./statement.ts";

/** How the database is opened: `path` may be `:memory:` in a test. */
export type DatabaseOptions = {
  readonly path: string;
  readonly memory_mb?: number;
  readonly threads?: number;
  readonly effects: StampEffects & Pick<Effects, "sleep">;
};

/** A write in progress. */
export type Write = {
  readonly connection: Connection;
  /** What everything stored by it carries: it tells the order of storing, and little more. */
  readonly stamp_us: number;
  /** The wall clock at its begin, which the times of samples and of people are compared with. */
  readonly now_us: number;
};

const moved_list = statement({
  sql: "SELECT day, last_received_at FROM tier_day WHERE state = 'moved'",
  row: { day: "int32", last_received_at: "instant" },
});

const stamp_last = statement({
  sql: stamp_last_sql,
  reach: "near",
  row: { last: "int64" },
});

/**
 * The open database. Reads run side by side on leased connections, each on one snapshot a
 * statement. Writes run one after the other, in one transaction each, and their stamps rise
 * strictly in commit order: a reader that knows `committed_us` can miss nothing at or before it.
 */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #effects: StampEffects;
  readonly #clock: StampClock;
  /** Which samples lie in files. */
  readonly far: FarDays;
  readonly #writer: Connection;
  readonly #lock = new Lock();
  readonly #readers: Readers;
  #committed_us: number;
  #failed_writes = 0;

  private constructor(
    instance: DuckDBInstance,
    writer: Connection,
    { effects, last_us, far }: Pick<DatabaseOptions, "effects"> & {
      readonly last_us: number;
      readonly far: FarDays;
    },
  ) {
    this.far = far;
    this.#instance = instance;
    this.#writer = writer;
    this.#effects = effects;
    this.#readers = new Readers(() => this.session(), effects);
    this.#clock = new StampClock(effects, last_us);
    this.#committed_us = last_us;
  }

  /** Opens or creates the file and migrates it. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(options.path, {
      threads: String(options.threads ?? navigator.hardwareConcurrency),
      memory_limit: `${options.memory_mb ?? 2048}MiB`,
      preserve_insertion_order: "false",
      checkpoint_threshold: "1TB",
      auto_checkpoint_skip_wal_threshold: "1000000000000",
      // What stands around few instants is looked up by sorting too, not pair by pair.
      asof_loop_join_threshold: "0",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      enable_external_access: "true",
    });
    const far = new FarDays();
    const writer = new Connection(await instance.connect(), far);
    await migrate(writer);
    for (const day of await writer.rows(moved_list)) far.note(day);
    const [{ last }] = await writer.rows(stamp_last);
    return new Database(instance, writer, { effects: options.effects, last_us: last, far });
  }

  /** The stamp of the last committed write, in microseconds since 1970 UTC. */
  get committed_us(): number {
    return this.#committed_us;
  }

  /** Now on the clock of stamps, which the age of what is stored is measured by. */
  get now_us(): number {
    return this.#clock.now_us;
  }

  /** How far stamps run ahead of the wall clock: it was ahead itself, and was set back. */
  get ahead_us(): number {
    return this.#clock.ahead_us;
  }

  /** How many writes failed and were rolled back. */
  get failed_writes(): number {
    return this.#failed_writes;
  }

  /**
   * Runs `work` on a leased reader, of which there are few: `work` never waits for a client. Waits
   * while all of them are leased, and throws a `Fault` (unavailable) when that takes too long. When
   * `signal` aborts, it waits no longer, and the running statement is interrupted and throws.
   */
  read<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#readers.run(work, signal);
  }

  /** Runs `work` beside the leased readers: for what has to be known however busy they are. */
  async aside<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.session();
    try {
      return await work(connection);
    } finally {
      connection.close();
    }
  }

  /** Runs `work` as the only writer, in one transaction; when this resolves it is on disk. */
  write<T>(work: (write: Write) => Promise<T>): Promise<T> {
    return this.writeOn(this.#writer, work);
  }

  /**
   * The same on a connection of one's own (see `session`), whose temporary tables hold what was
   * computed before and is to be stored now.
   */
  writeOn<T>(connection: Connection, work: (write: Write) => Promise<T>): Promise<T> {
    return this.#lock.run(async () => {
      const write = this.#begin(connection);
      try {
        const result = await connection.transaction(() => work(write));
        this.#committed_us = write.stamp_us;
        return result;
      } catch (error) {
        this.#failed_writes++;
        throw isDiskFull(error) ? diskFull() : error;
      }
    });
  }

  /** Runs `work` as a write would be run and takes all of it back: to see whether it throws. */
  rehearse(work: (write: Write) => Promise<unknown>): Promise<void> {
    return this.#lock.run(async () => {
      const write = this.#begin(this.#writer);
      await this.#writer.transaction(() => work(write), "ROLLBACK");
    });
  }

  /** A connection of one's own, to be closed by the caller. */
  async session(): Promise<Connection> {
    return new Connection(await this.#instance.connect(), this.far);
  }

  /** Writes the log into the file. Waits for the writer; readers go on. */
  checkpoint(): Promise<void> {
    return this.#lock.run(() => this.#writer.script("CHECKPOINT"));
  }

  /** Whether the database still answers; one that a fatal error invalidated does not. */
  async answers(): Promise<boolean> {
    try {
      await this.aside((connection) => connection.script("SELECT 1"));
      return true;
    } catch {
      return false;
    }
  }

  /** Checkpoints and closes; nothing may be running. */
  async close(): Promise<void> {
    await this.checkpoint();
    this.#closeAll();
  }

  /** Closes without touching the file: its log is replayed at the next start. */
  async abandon(): Promise<void> {
    await this.#writer.script("PRAGMA disable_checkpoint_on_shutdown");
    this.#closeAll();
  }

  #begin(connection: Connection): Write {
    return { connection, stamp_us: this.#clock.next(), now_us: this.#effects.now_us() };
  }

  #closeAll(): void {
    this.#readers.close();
    this.#writer.close();
    this.#instance.closeSync();
  }
}

/** A full disk refuses the commit whole and heals by itself: the caller may send again. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && error.message.includes("No space left on device");
}

function diskFull(): Fault {
  return new Fault("unavailable", "the disk is full: send again later", {
    retry_after_s: database_limits.disk_full_retry_s,
  });
}
