// The one database of the process: its readers, its one writer, and the stamps of what is stored.
import type { Effects } from "../base/effects.ts";
import { Lock, TwoLanes } from "../base/lock.ts";
import type { BeforeCommit, Connection, ConnectionOptions } from "./connection.ts";
import {
  type Cut,
  cutOf,
  type Instance,
  type InstanceOptions,
  openInstance,
  order_keep,
} from "./instance.ts";
import { diskFault, diskRefusal, isFatal, isHeldBack } from "./damage.ts";
import { far_find, type FarDays } from "./far.ts";
import { database_limits } from "./limits.ts";
import { migrate, type Migration, type OnVersion } from "./migrate.ts";
import { Readers } from "./readers.ts";
import { StampClock, type StampEffects } from "./stamp_clock.ts";
import stamp_last_sql from "./stamp_find.sql" with { type: "text" };
import { statement } from "./statement.ts";
import { Vault } from "./vault.ts";

/** How the database is opened. */
export type DatabaseOptions = InstanceOptions & {
  /** The last stamp that is known of from elsewhere; none is given again. */
  readonly stamped_us?: number;
  readonly effects: StampEffects & Pick<Effects, "sleep" | "random">;
  /**
   * Called before an older database is migrated; what it throws leaves that as it is. What it gives
   * is called after each migration.
   */
  readonly onMigrate?: (migration: Migration, cut: Cut) => Promise<OnVersion>;
};

/** Is told what happens to the file, as the last thing before whoever asked for it is. */
type Watcher = {
  readonly committed: (stamp_us: number) => void;
  readonly checkpointed: () => void;
  readonly closed: () => void;
};

/** A write in progress. */
export type Write = {
  readonly connection: Connection;
  /** What everything stored by it carries: it tells the order of storing, and little more. */
  readonly stamp_us: number;
  /** The wall clock at its begin, which the times of samples and of people are compared with. */
  readonly now_us: number;
  /** The stamp of so many microseconds ago: what was stored since then is no older than that. */
  readonly ago: (time_us: number) => number;
};

const stamp_last = statement({
  sql: stamp_last_sql,
  reach: "near",
  row: { last: "int64" },
});

const checkpoint_make = statement({ sql: "CHECKPOINT" });

/**
 * The open database. Reads run side by side on leased connections, each on one snapshot a
 * statement. Writes run one after the other, in one transaction each, and their stamps rise
 * strictly in commit order: a reader that knows `committed_us` can miss nothing at or before it.
 * But for what is written beside the writer: a reader of that goes by `followed_us`. A commit is
 * seen whole or not at all, however large it is (`wholeInsert` sees to that): followers by stamps,
 * feeds, the roll-up's list of stamps and the digest of a backup all rely on it, and on no more.
 */
export class Database {
  /** Seals the secrets in it, with a key that whoever opens it finds. */
  readonly vault: Vault;
  /** Which samples lie in files. */
  readonly far: FarDays;
  readonly #instance: Instance;
  readonly #effects: DatabaseOptions["effects"];
  readonly #clock: StampClock;
  readonly #writer: Connection;
  readonly #lock = new TwoLanes();
  /** Held by who writes beside the writer. Who needs both locks takes this one first. */
  readonly #beside = new Lock();
  /** The stamp of the write beside the writer. */
  #beside_us = Infinity;
  readonly #readers: Readers;
  /** Reads and writes that have not ended. */
  readonly #running = new Set<Promise<unknown>>();
  #committed_us: number;
  readonly #invalid = Promise.withResolvers<void>();
  #is_invalid = false;
  #write_refusal: string | undefined;
  #watcher: Watcher | undefined;

  private constructor(
    instance: Instance,
    writer: Connection,
    { effects, last_us }: Pick<DatabaseOptions, "effects"> & { readonly last_us: number },
  ) {
    this.vault = writer.vault;
    this.far = instance.far;
    this.#instance = instance;
    this.#writer = writer;
    this.#effects = effects;
    this.#readers = new Readers(() => this.session(), effects);
    this.#clock = new StampClock(effects, last_us);
    this.#committed_us = last_us;
  }

  /** Opens or creates the file and migrates it. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { path, effects, onMigrate, stamped_us = 0 } = options;
    // What is in memory alone is read by nobody else.
    const vault = new Vault(effects, path === ":memory:" ? new Uint8Array(32) : undefined);
    const instance = await openInstance(options, vault);
    const writer = instance.connect();
    try {
      const before = onMigrate && (async (migration: Migration) => {
        const connection = instance.connect();
        using cut = await cutOf(connection, { path, release() {} });
        return await onMigrate(migration, cut);
      });
      await migrate(writer, { before });
      await writer.run(order_keep);
      for (const day of await writer.rows(far_find)) instance.far.note(day);
      const [{ last }] = await writer.rows(stamp_last);
      return new Database(instance, writer, { effects, last_us: Math.max(last, stamped_us) });
    } catch (error) {
      await writer.script("PRAGMA disable_checkpoint_on_shutdown").catch(() => {});
      writer.close();
      instance.close();
      throw error;
    }
  }

  /** The stamp of the last committed write, in microseconds since 1970 UTC. */
  get committed_us(): number {
    return this.#committed_us;
  }

  /**
   * Whatever has a stamp up to this one is committed, in every table: a reader that goes on behind
   * it misses nothing. Samples alone are there up to `committed_us`.
   */
  get followed_us(): number {
    return Math.min(this.#committed_us, this.#beside_us - 1);
  }

  /** Now on the clock of stamps, which the age of what is stored is measured by. */
  get now_us(): number {
    return this.#clock.now_us;
  }

  /** The stamp of `time_us` ago, as time passed, however the wall clock was set meanwhile. */
  ago(time_us: number): number {
    return this.#clock.ago(time_us);
  }

  /** How far stamps run ahead of the wall clock: it was ahead itself, and was set back. */
  get ahead_us(): number {
    return this.#clock.ahead_us;
  }

  /** Resolves when a fatal error has invalidated the database: only a new process can go on. */
  get invalid(): Promise<void> {
    return this.#invalid.promise;
  }

  /** Whether that has happened. */
  get is_invalid(): boolean {
    return this.#is_invalid;
  }

  /** Why the disk refused the last write; undefined where it took it. */
  get write_refusal(): string | undefined {
    return this.#write_refusal;
  }

  /**
   * Runs `work` on a leased reader, of which there are few: `work` never waits for a client. Waits
   * while all of them are leased, and throws a `Fault` (unavailable) when that takes too long. When
   * `signal` aborts, it waits no longer, and the running statement is interrupted and throws.
   */
  read<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#heed(this.#readers.run(work, signal));
  }

  /** Runs `work` beside the leased readers: for what has to be known however busy they are. */
  async aside<T>(
    work: (connection: Connection) => Promise<T>,
    options?: ConnectionOptions,
  ): Promise<T> {
    const connection = this.session(options);
    try {
      return await this.#heed(work(connection));
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
   * computed before and is to be stored now. Takes turns with writes, which somebody waits for.
   */
  writeOn<T>(connection: Connection, work: (write: Write) => Promise<T>): Promise<T> {
    const lane = connection === this.#writer ? "asked" : "own";
    return this.#lock.run(lane, () => this.#store(this.#begin(connection), work, (run) => run()));
  }

  /**
   * The same beside the writer, which others have meanwhile: for `work` that takes long and only
   * adds rows, which nobody else adds, changes or removes. It waits for its turn to commit, so its
   * stamp may be older than those of writes that were committed before: see `followed_us`.
   */
  writeBeside<T>(connection: Connection, work: (write: Write) => Promise<T>): Promise<T> {
    return this.#beside.run(async () => {
      const write = this.#begin(connection);
      this.#beside_us = write.stamp_us;
      try {
        return await this.#store(write, work, (run) => this.#lock.run("own", run));
      } finally {
        this.#beside_us = Infinity;
      }
    });
  }

  /** Runs `work` as a write would be run and takes all of it back: to see whether it throws. */
  rehearse(work: (write: Write) => Promise<unknown>): Promise<void> {
    return this.#lock.run("asked", async () => {
      const write = this.#begin(this.#writer);
      await this.#writer.transaction(() => work(write), { end: "ROLLBACK" });
    });
  }

  /** Tells `watcher` from now on. */
  watch(watcher: Watcher): void {
    this.#watcher = watcher;
  }

  /** Lets somebody make each commit that changes the plant's outline, from now on. */
  watchOutline(before: BeforeCommit): void {
    this.#instance.outline.before = before;
  }

  /** A connection of one's own, to be closed by the caller. */
  session(options?: ConnectionOptions): Connection {
    return this.#instance.connect(options);
  }

  /**
   * Writes the log into the file, unless a cut of it is being copied or a statement that can't be
   * interrupted is in the way; says whether it did. Waits for the writer; readers go on. Closes all
   * gaps that rows left in tables, or a few of them, so that who writes waits less for it. Patient:
   * else this thread takes a processor from those that compress the rows, and from all others.
   */
  checkpoint(gaps: "all" | "few" = "all"): Promise<boolean> {
    const most = gaps === "all" ? database_limits.all_gaps : database_limits.few_gaps;
    const make = async (connection: Connection) => {
      if (this.is_copied) return false;
      try {
        await connection.run(checkpoint_make);
      } catch (error) {
        if (isHeldBack(error)) return false;
        throw error;
      }
      this.#watcher?.checkpointed();
      return true;
    };
    const work = (connection: Connection) =>
      this.#beside.run(async () => {
        await connection.script(`SET GLOBAL max_vacuum_tasks = ${most}`);
        return await this.#lock.run("own", () => make(connection));
      });
    return this.aside(work, { is_patient: true });
  }

  /**
   * Has new parts of tables made of so many rows; says whether they are. Not while a cut is copied,
   * or where what is read does not end soon: what comes waits for that.
   */
  async group(rows: number): Promise<boolean> {
    if (rows === this.#instance.group_rows) return true;
    if (!await this.checkpoint("few")) return false;
    return await this.#alone(async () => {
      const patience = (it: AbortSignal) => this.#effects.sleep(database_limits.group_wait_ms, it);
      const is_done = await this.#heed(this.#instance.group(rows, patience));
      if (is_done) this.#watcher?.checkpointed();
      return is_done;
    });
  }

  /**
   * Takes a cut between two writes, which its caller disposes of. The lengths are taken before
   * anything is copied: later commits may put blocks where the file has none yet, which only the
   * log behind these lengths refers to.
   */
  cut(): Promise<Cut> {
    return this.#alone(() => this.#instance.cuts.take(this.session()));
  }

  /** Whether files of a cut are being copied: until they are, no checkpoint is made. */
  get is_copied(): boolean {
    return !this.#instance.cuts.is_empty;
  }

  /** Resolves when no cut needs the files that were there until now: they may be removed then. */
  copied(): Promise<void> {
    return this.#instance.cuts.released();
  }

  /** Gives the memory that holds parts of the file for later reads back, between two writes. */
  dropCache(): Promise<void> {
    return this.#alone(() => this.#heed(this.#instance.dropCache()));
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

  /** Checkpoints and closes, as far as nothing is running. */
  async close(): Promise<void> {
    if (!await this.checkpoint()) return await this.abandon();
    await this.#closeAll();
  }

  /** Closes without touching the file, whose log is replayed at the next start; what runs ends. */
  async abandon(): Promise<void> {
    await this.#alone(() => this.#writer.script("PRAGMA disable_checkpoint_on_shutdown"));
    await this.#closeAll();
  }

  /** Runs `work` with neither a write nor one beside it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#beside.run(() => this.#lock.run("own", work));
  }

  /** One transaction, which is noted in the same `turn` in which it is committed. */
  async #store<T>(
    write: Write,
    work: (write: Write) => Promise<T>,
    turn: (run: () => Promise<void>) => Promise<void>,
  ): Promise<T> {
    const end = (commit: () => Promise<void>) =>
      turn(async () => {
        await commit();
        this.#write_refusal = undefined;
        this.#committed_us = Math.max(this.#committed_us, write.stamp_us);
        this.#watcher?.committed(this.#committed_us);
      });
    try {
      return await this.#heed(write.connection.transaction(() => work(write), { turn: end }));
    } catch (error) {
      this.#write_refusal = diskRefusal(error);
      throw diskFault(error);
    }
  }

  #begin(connection: Connection): Write {
    return {
      connection,
      stamp_us: this.#clock.next(),
      now_us: this.#effects.now_us(),
      ago: (time_us) => this.#clock.ago(time_us),
    };
  }

  /** Notices a fatal error, whichever work meets it first. */
  async #heed<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } catch (error) {
      if (isFatal(error)) {
        this.#is_invalid = true;
        this.#invalid.resolve();
      }
      throw error;
    } finally {
      this.#running.delete(work);
    }
  }

  async #closeAll(): Promise<void> {
    // Writes that wait go first: checkpoints take turns with them.
    await this.#lock.run("asked", () => Promise.resolve());
    await Promise.allSettled(this.#running);
    this.#watcher?.closed();
    this.#readers.close();
    this.#writer.close();
    this.#instance.close();
  }
}
