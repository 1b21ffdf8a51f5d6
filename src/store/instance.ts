// DuckDB on one file, as this program sets it up.
import { DuckDBInstance } from "@duckdb/node-api";
import { Connection } from "./connection.ts";

/** What is opened, and what of the machine it may use: `path` may be `:memory:` in a test. */
export type InstanceOptions = {
  readonly path: string;
  /** What the setting says; `none` if not given. */
  readonly library_dir?: string;
  readonly memory_mb?: number;
  readonly threads?: number;
};

/** An open file. */
export class Instance {
  readonly #duckdb: DuckDBInstance;

  private constructor(duckdb: DuckDBInstance) {
    this.#duckdb = duckdb;
  }

  static async open({ path, memory_mb, threads }: InstanceOptions): Promise<Instance> {
    return new Instance(
      await DuckDBInstance.create(path, {
        threads: String(threads ?? navigator.hardwareConcurrency),
        memory_limit: `${memory_mb ?? 2048}MiB`,
        preserve_insertion_order: "false",
        checkpoint_threshold: "1TB",
        auto_checkpoint_skip_wal_threshold: "1000000000000",
        // What stands around few instants is looked up by sorting too, not pair by pair.
        asof_loop_join_threshold: "0",
        autoinstall_known_extensions: "false",
        autoload_known_extensions: "false",
        enable_external_access: "true",
      }),
    );
  }

  async connect(): Promise<Connection> {
    return new Connection(await this.#duckdb.connect());
  }

  close(): void {
    this.#duckdb.closeSync();
  }
}
