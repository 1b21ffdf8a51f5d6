// The one database of the process: its readers, its one writer, and the stamps of what is stored.
import { DuckDBInstance } from "@duckdb/node-api";
import type { Effects } from "../base/effects.ts";
import { Fault } from "../base/fault.ts";
import { limits } from "../base/limits.ts";
import { Lock } from "../base/lock.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { Readers } from "./readers.ts";
import stamp_last from "./sql/stamp_last.sql" with { type: "text" };

/** How the database is opened: `path` may be `:memory:` in a test. */
export type DatabaseOptions = {
  readonly path: string;
  readonly memory_mb?: number;
  readonly threads?: number;
  readonly effects: Pick<Effects, "now_us" | "sleep">;
};

/** A write in progress: its connection, and the instant that everything stored by it carries. */
export type Write = { readonly connection: Connection; readonly stamp_us: number };

/**
 * The open database. Reads run side by side on leased connections, each on one snapshot a
 * statement. Writes run one after the other, in one transaction each, and their stamps rise
 * strictly in commit order: a reader that knows `committed_us` can miss nothing at or before it.
 */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #effects: Pick<Effects, "now_us">;
  readonly #writer: Connection;
  readonly #lock = new Lock();
  readonly #readers: Readers;
  #stamp_us = 0;
  #committed_us = 0;
  #failed_writes = 0;

  private constructor(
    instance: DuckDBInstance,
    writer: Connection,
    effects: DatabaseOptions["effects"],
  ) {
    this.#instance = instance;
    this.#writer = writer;
    this.#effects = effects;
    this.#readers = new Readers(() => this.session(), effects);
  }

  /** Opens or creates the file and migrates it. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(options.path, {
      threads: String(options.threads ?? navigator.hardwareConcurrency),
      memory_limit: `${options.memory_mb ?? 2048}MiB`,
      preserve_insertion_order: "false",
      checkpoint_threshold: "1TB",
      auto_checkpoint_skip_wal_threshold: "1000000000000",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      enable_external_access: "true",
    });
    const writer = new Connection(await instance.connect());
    await migrate(writer);
    const database = new Database(instance, writer, options.effects);
    const [{ last }] = await writer.rows<{ last: number }>(stamp_last);
    database.#stamp_us = database.#committed_us = last;
    return database;
  }

  /** The stamp of the last committed write, in microseconds since 1970 UTC. */
  get committed_us(): number {
    return this.#committed_us;
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
   * worked out before and is to be stored now.
   */
  writeOn<T>(connection: Connection, work: (write: Write) => Promise<T>): Promise<T> {
    return this.#lock.run(async () => {
      const stamp_us = Math.max(this.#stamp_us + 1, this.#effects.now_us());
      this.#stamp_us = stamp_us;
      try {
        const result = await connection.transaction(() => work({ connection, stamp_us }));
        this.#committed_us = stamp_us;
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
      const stamp_us = this.#stamp_us + 1;
      const connection = this.#writer;
      await connection.transaction(() => work({ connection, stamp_us }), "ROLLBACK");
    });
  }

  /** A connection of one's own, to be closed by the caller. */
  async session(): Promise<Connection> {
    return new Connection(await this.#instance.connect());
  }

  /** Writes the log into the file. Waits for the writer; readers go on. */
  checkpoint(): Promise<void> {
    return this.#lock.run(() => this.#writer.run("CHECKPOINT"));
  }

  /** Whether the database still answers; one that a fatal error invalidated does not. */
  async answers(): Promise<boolean> {
    try {
      await this.aside((connection) => connection.run("SELECT 1"));
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
    await this.#writer.run("PRAGMA disable_checkpoint_on_shutdown");
    this.#closeAll();
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
    retry_after_s: limits.disk_full_retry_s,
  });
}
