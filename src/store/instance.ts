// The open database file: how the library opens it, what it may use, its connections, its cuts.
import { setting_limits } from "../model/limits.ts";
import { WholeSpan } from "../model/rollup/whole.ts";
import { isLockedElsewhere } from "../base/c_library.ts";
import { Barrier } from "../base/lock.ts";
import { Connection, type ConnectionOptions, type Kit } from "./connection.ts";
import { DuckFile } from "./duckdb/client.ts";
import { DuckError } from "./duckdb/symbols.ts";
import { unpackLibrary } from "./duckdb/library.ts";
import { all_days, far_list, FarDays, type FarFile, type LakePlace } from "./far.ts";
import { farPath, sizeOf } from "./folder.ts";
import { database_limits } from "./limits.ts";
import { tier_version, versionOf } from "./migrate.ts";
import { filled, quoted, statement } from "./statement.ts";
import type { Vault } from "./vault.ts";

/** What is opened, and what of the machine it may use: `path` may be `:memory:` in a test. */
export type InstanceOptions = {
  readonly path: string;
  /** The folder of the files that hold old days; by default the one beside the database. */
  readonly far_path?: string;
  /** Where old days are moved to in place of that folder. */
  readonly lake?: LakePlace;
  /** What the setting says; `none` if not given. */
  readonly library_dir?: string;
  readonly memory_mb?: number;
  readonly threads?: number;
  /** Called while another thread opens the file: this one has time for other work. */
  readonly meanwhile?: () => void;
};

/** What all connections of a file share. */
type OwnKit = Kit & Required<Pick<Kit, "outline" | "barrier">>;

/** An open file. */
export class Instance {
  readonly #duckdb: DuckFile;
  readonly #path: string;
  /** The cuts whose files are being copied. */
  readonly cuts: Cuts;
  /** Which samples lie in files. */
  readonly far: FarDays;
  /** Who makes the commits that change the plant's outline. */
  readonly outline: NonNullable<Kit["outline"]>;
  readonly #kit: OwnKit;
  readonly #memory_limit: string;
  readonly #threads: number;
  /** Which file it opened; undefined where there is none. */
  readonly #file_id: string | undefined;
  #group_rows: number = database_limits.group_rows;

  private constructor(
    duckdb: DuckFile,
    kit: OwnKit,
    { path, file_id, memory_limit, threads }: {
      readonly path: string;
      readonly file_id: string | undefined;
      readonly memory_limit: string;
      readonly threads: number;
    },
  ) {
    this.#duckdb = duckdb;
    this.#path = path;
    this.#file_id = file_id;
    this.cuts = new Cuts(path);
    this.far = kit.far;
    this.outline = kit.outline;
    this.#kit = kit;
    this.#memory_limit = memory_limit;
    this.#threads = threads;
  }

  static async open(options: InstanceOptions, vault?: Vault): Promise<Instance> {
    const { path, far_path, lake, memory_mb, meanwhile } = options;
    const { threads = navigator.hardwareConcurrency } = options;
    const memory_limit = `${memory_mb ?? 2048}MiB`;
    const duckdb = await DuckFile.open(":memory:", {
      threads: String(threads),
      memory_limit,
      preserve_insertion_order: "false",
      checkpoint_threshold: "1TB",
      auto_checkpoint_skip_wal_threshold: "1000000000000",
      // A row group that is full is written while rows come, and not as they are committed.
      write_buffer_row_group_count: "1",
      // What stands around few instants is looked up by sorting too, not pair by pair.
      asof_loop_join_threshold: "0",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      enable_external_access: "true",
      // Of a file that is made; one that is there keeps its own. What a table's part of a column
      // leaves of its last block is lost: a value takes 8.5 bytes in small blocks, 11 in those of
      // 256 KiB. Doubles are compressed in small ones from this form on.
      default_block_size: String(database_limits.block_bytes),
      storage_compatibility_version: "v1.5.0",
      ...isFile(path) && { temp_directory: `${path}.tmp` },
    });
    if (isFile(path)) await attach(duckdb, path, meanwhile);
    const kit = {
      far: new FarDays(far_path ?? farPath(path), lake),
      vault,
      wholes: new WholeSpan(),
      outline: {},
      barrier: new Barrier(),
    };
    const file_id = isFile(path) ? await idOf(path) : undefined;
    const instance = new Instance(duckdb, kit, { path, file_id, memory_limit, threads });
    await lake?.begin(() => instance.connect());
    return instance;
  }

  /**
   * Gives the memory that holds blocks of the file for later reads back to the system. DuckDB drops
   * them before it takes a limit, or refuses one that it can't keep; its allocator gives back what
   * is free when a limit is set. What runs at that moment must be able to work by the low one: the
   * lowest that may be set, and less than any work needs where nothing runs. What comes waits.
   */
  async dropCache(): Promise<void> {
    const { barrier } = this.#kit;
    const connection = this.#duckdb.connect();
    const setLimits = async (...limits: readonly string[]) => {
      const sql = limits.map((it) => `SET memory_limit = '${it}'`).join("; ");
      (await connection.run(sql)).close();
    };
    await barrier.hold(async () => {
      const unused_mb = barrier.is_empty ? [database_limits.unused_mb] : [];
      for (const low_mb of [setting_limits.memory_mb_min, ...unused_mb]) {
        await setLimits(`${low_mb}MiB`, this.#memory_limit)
          .catch(() => setLimits(this.#memory_limit));
      }
    }).finally(() => connection.close());
  }

  /** Of how many rows new parts of its tables are made. */
  get group_rows(): number {
    return this.#group_rows;
  }

  /**
   * Has new parts of tables made of so many rows; says whether they are. DuckDB learns that as it
   * opens a file, which takes some milliseconds where its log is empty: what comes meanwhile waits.
   * Nothing is done where what is at work takes longer than `patience`, a cut is being copied, or
   * the file could not be opened again: there is none, or another one, or others have locked it.
   */
  async group(
    group_rows: number,
    patience: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    if (!this.cuts.is_empty || !await this.#isOwn() || isLockedElsewhere(this.#path)) return false;
    const openAgain = async () => {
      const sql = attachment(this.#path, group_rows);
      await this.#duckdb.attachAgain(sql, {
        tries: database_limits.attach_tries,
        wait_ms: database_limits.attach_wait_ms,
      });
      if (!await this.#isOwn()) throw new DuckError("FATAL Error: the file is another one");
    };
    const is_done = await this.#kit.barrier.alone(openAgain, patience);
    if (is_done) this.#group_rows = group_rows;
    return is_done;
  }

  /** Whether the file that is open still lies at its path. */
  async #isOwn(): Promise<boolean> {
    return this.#file_id !== undefined && await idOf(this.#path) === this.#file_id;
  }

  connect({ is_patient = false }: ConnectionOptions = {}): Connection {
    // Where there is no other thread, there is nothing to wait for.
    const options = { is_patient: is_patient && this.#threads > 1 };
    return new Connection(this.#duckdb.connect(), this.#kit, options);
  }

  close(): void {
    this.#duckdb.close();
  }
}

function isFile(path: string): boolean {
  return path !== ":memory:";
}

/** Which file lies at a path, whatever its name; undefined where there is none. */
async function idOf(path: string): Promise<string | undefined> {
  return await Deno.stat(path).then(({ dev, ino }) => `${dev} ${ino}`, () => undefined);
}

/** The file's name in statements, whatever it is called on the disk. */
const name = "wattkeeper";

/** DuckDB takes this layout of no file that it is opened with. A file that is open stays so. */
const file_attach =
  "ATTACH IF NOT EXISTS {path} AS {name} (TYPE duckdb, ROW_GROUP_SIZE {group_rows})";

/** Opens or makes a file, whose new parts of tables are made of so many rows. */
function attachment(path: string, group_rows: number): string {
  return filled(file_attach, { path: quoted(path), name, group_rows });
}

/** Lets a file be what connections work in. */
async function attach(duckdb: DuckFile, path: string, meanwhile?: () => void): Promise<void> {
  const sql = attachment(path, database_limits.group_rows);
  try {
    await duckdb.attach({ sql, name }, meanwhile);
  } catch (error) {
    duckdb.close();
    throw error;
  }
}

/** Opens a file, its library put where it can be loaded from. */
export async function openInstance(options: InstanceOptions, vault?: Vault): Promise<Instance> {
  const { path, library_dir = "none" } = options;
  await unpackLibrary({ library_dir, data_dir: path.replace(/[^/]*$/, ".") });
  return await Instance.open(options, vault);
}

/** Runs `work` on a file as it is: nothing is migrated. What is in its log is in the file then. */
export async function withFile<T>(
  options: InstanceOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const instance = await openInstance(options);
  const connection = instance.connect();
  try {
    const result = await work(connection);
    await connection.script("CHECKPOINT");
    return result;
  } finally {
    connection.close();
    instance.close();
  }
}

/**
 * Lets the rows that a connection appends lie as they came. For the few thousand of a body that
 * takes a quarter less than to let each thread put in what it has (DuckDB 1.5.5).
 */
export const order_keep = statement({ sql: "SET SESSION preserve_insertion_order = true" });

/** One state of the database, to be copied while writes go on. */
export type Cut = Disposable & {
  /** Reads this state. */
  readonly connection: Connection;
  /** The version of its tables. */
  readonly version: number;
  readonly path: string;
  /** So many bytes of the file and of its log are this state, until `release` is called. */
  readonly file_bytes: number;
  readonly log_bytes: number;
  /** The files in which old days of it lie. */
  readonly far: readonly FarFile[];
  /** Says that the files are copied: checkpoints may change them again. */
  readonly release: () => void;
};

/** What `connection` sees from now on, in a transaction of its own; nothing may be written now. */
export async function cutOf(
  connection: Connection,
  { path, release }: Pick<Cut, "path" | "release">,
): Promise<Cut> {
  const dispose = () => {
    release();
    // What it began ends with it.
    connection.close();
  };
  try {
    await connection.begin();
    return {
      ...{ connection, path, release },
      ...await farOf(connection),
      file_bytes: await sizeOf(path),
      log_bytes: await sizeOf(`${path}.wal`),
      [Symbol.dispose]: dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Cuts of a file whose parts are being copied. */
export class Cuts {
  /** Each resolves when it is released. */
  readonly #open = new Set<Promise<void>>();
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  get is_empty(): boolean {
    return this.#open.size === 0;
  }

  /** What `connection` sees; nothing may be written now. */
  take(connection: Connection): Promise<Cut> {
    const copied = Promise.withResolvers<void>();
    this.#open.add(copied.promise);
    const release = () => {
      this.#open.delete(copied.promise);
      copied.resolve();
    };
    return cutOf(connection, { path: this.#path, release });
  }

  /** Resolves when none is copied any more that was until now. */
  async released(): Promise<void> {
    await Promise.all(this.#open);
  }
}

/** The version of a database, and the files of its old days, which older versions have none of. */
export async function farOf(connection: Connection): Promise<Pick<Cut, "version" | "far">> {
  const version = await versionOf(connection);
  const far = version < tier_version ? [] : await connection.rows(far_list, all_days);
  return { version, far };
}
