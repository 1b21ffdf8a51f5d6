// The peer DuckDB, by the package that the product uses.
import { Host } from "./host.ts";
import type { Peer, Store } from "./peer.ts";
import { startChild } from "./process.ts";
import { type Dialect, measure_columns, statementsOf, valuesInRow } from "./sql.ts";
import type { Work } from "./work.ts";

/** How DuckDB says what dialects say differently. */
export const duckdb_dialect: Dialect = {
  table: "sample",
  bucket: (minutes) => `time_bucket(INTERVAL ${minutes} MINUTE, ts)`,
  instant: (ts_us) => `make_timestamp(${ts_us})`,
  latest: `SELECT inverter, max(ts), ${
    measure_columns.map((name) => `arg_max(${name}, ts)`).join()
  } FROM sample GROUP BY inverter`,
};

export const duckdb: Peer = {
  name: "DuckDB",
  sought: "always there: the package of the product",
  durability: "on disk: a transaction and an fsync a body",
  settings: "appender; results as vectors in its own process; all by default",
  is_server: false,
  formats: ["columns"],
  lacks: {},
  find: () => Promise.resolve("@duckdb/node-api as in deno.json"),
  open,
};

async function open(folder: string, work: Work): Promise<Store> {
  const path = `${folder}/peer.duckdb`;
  const program = new URL("duckdb_host.ts", import.meta.url).pathname;
  const args = ["run", "-A", "--no-check", program, path];
  const child = startChild(Deno.execPath(), args, { talks: true });
  const host = new Host(child);
  const run = async (sql: string) => {
    await host.ask({ run: sql });
  };
  await run("SELECT 1");
  const statements = statementsOf(duckdb_dialect, work);
  return {
    pid: child.pid,
    load: async ({ path: load, client }) => {
      await host.ask({ load, client });
    },
    settle: () => Promise.resolve(),
    rest: () => run("CHECKPOINT"),
    bytes: async () => (await Deno.stat(path)).size,
    ask: async (question) => {
      const rows = await host.ask({ rows: statements[question] });
      return () => rows * valuesInRow(question);
    },
    close: () => child.end("SIGTERM"),
  };
}
