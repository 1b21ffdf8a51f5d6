// The peer ClickHouse, embedded as chDB in a Python process.
import { Host } from "./host.ts";
import type { Peer, Store } from "./peer.ts";
import { outputOf, startChild, untilReady } from "./process.ts";
import { type Dialect, measure_columns, statementsOf, valuesInRow } from "./sql.ts";
import type { Work } from "./work.ts";

const python = Deno.env.get("CHDB_PYTHON") ?? "python3";

const dialect: Dialect = {
  table: "plant.sample",
  bucket: (minutes) => `toStartOfInterval(ts, INTERVAL ${minutes} MINUTE)`,
  instant: (ts_us) => `fromUnixTimestamp64Milli(${ts_us / 1000}, 'UTC')`,
  latest: `SELECT inverter, max(ts), ${
    measure_columns.map((name) => `argMax(${name}, ts)`).join()
  } FROM plant.sample GROUP BY inverter`,
};

const table = `CREATE TABLE IF NOT EXISTS plant.sample (
  inverter UInt16, ts DateTime64(3, 'UTC'), ${
  measure_columns.map((name) => `${name} Float64`).join()
},
  received_at DateTime64(6, 'UTC') DEFAULT now64(6)
) ENGINE = MergeTree ORDER BY (inverter, ts)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

export const chdb: Peer = {
  name: "ClickHouse (chDB)",
  sought: "CHDB_PYTHON, or python3 on the PATH: a Python that has the package chdb",
  durability: "on disk: fsync of each part and its folder",
  settings: "MergeTree by (inverter, ts); INSERT of Native; answers as Arrow in its own process; " +
    "fsync_after_insert, fsync_part_directory",
  is_server: false,
  formats: ["native"],
  lacks: {},
  find: () =>
    outputOf(python, "-c", "import chdb; print(chdb.__version__, chdb.query('SELECT version()'))")
      .then((said) => said?.replaceAll('"', "")),
  open,
};

async function open(folder: string, work: Work): Promise<Store> {
  const program = new URL("chdb_host.py", import.meta.url).pathname;
  const child = startChild(python, [program, `${folder}/data`], { talks: true });
  const host = new Host(child);
  await host.ask({ run: "CREATE DATABASE IF NOT EXISTS plant ENGINE = Atomic" });
  await host.ask({ run: table });
  const statements = statementsOf(dialect, work);
  return {
    pid: child.pid,
    load: async ({ path: load, client }) => {
      await host.ask({ load, client });
    },
    settle: () => Promise.resolve(),
    rest: () =>
      untilReady(async () =>
        await host.ask({ run: "SELECT count() FROM system.merges WHERE database = 'plant'" }) === 0
      ),
    bytes: () =>
      host.ask({
        run: "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'plant'",
      }),
    ask: async (question) => {
      const rows = await host.ask({ rows: statements[question] });
      return () => rows * valuesInRow(question);
    },
    close: () => child.end("SIGTERM"),
  };
}
