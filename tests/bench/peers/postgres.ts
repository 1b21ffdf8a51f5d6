// The peer PostgreSQL: a cluster of its own, reached by psql over a socket in its folder.
import { inverters } from "../bodies.ts";
import type { Peer, Store } from "./peer.ts";
import { type Child, outputOf, runChild, startChild, untilReady } from "./process.ts";
import { type Dialect, measure_columns, statementsOf, valuesInRow } from "./sql.ts";
import type { Work } from "./work.ts";

const programs = Deno.env.get("POSTGRES_BIN");
const programOf = (name: string) => programs === undefined ? name : `${programs}/${name}`;

const sent = `inverter, ts, ${measure_columns.join(", ")}`;

const dialect: Dialect = {
  table: "sample",
  bucket: (minutes) => `date_bin('${minutes} minutes', ts, 'epoch')`,
  instant: (ts_us) => `to_timestamp(${ts_us / 1e6})`,
  latest: `SELECT newest.* FROM generate_series(0, ${inverters - 1}) AS number, LATERAL (` +
    `SELECT ${sent} FROM sample WHERE inverter = number ORDER BY ts DESC LIMIT 1) AS newest`,
};

const tables = [
  `CREATE TABLE sample (inverter smallint, ts timestamptz, ${
    measure_columns.map((name) => `${name} float8`).join()
  }, received_at timestamptz DEFAULT now())`,
  "CREATE INDEX ON sample (inverter, ts)",
  "CREATE INDEX ON sample (received_at)",
  "CREATE INDEX ON sample USING brin (ts)",
];

/** As the documentation advises for a machine with 16 GB or more and for bulk loading. */
const settings = {
  shared_buffers: "4GB",
  effective_cache_size: "12GB",
  work_mem: "64MB",
  maintenance_work_mem: "512MB",
  max_wal_size: "8GB",
};

export const postgres: Peer = {
  name: "PostgreSQL",
  sought: "initdb, postgres and psql on the PATH, or in the folder POSTGRES_BIN, such as " +
    "/usr/lib/postgresql/15/bin",
  durability: "on disk: an fsync of its log a body",
  settings: "binary COPY by psql in and out; a row for each inverter and minute; indexes " +
    "(inverter, ts), (received_at), BRIN (ts); " +
    Object.entries(settings).map(([name, value]) => `${name} = ${value}`).join(", "),
  is_server: true,
  formats: ["copy"],
  lacks: {},
  find: async () => {
    const found = await Promise.all(
      ["initdb", "psql", "postgres"].map((name) => outputOf(programOf(name), "--version")),
    );
    return found.includes(undefined) ? undefined : found[2];
  },
  open,
};

async function open(folder: string, work: Work): Promise<Store> {
  const owner = await ownerOf();
  const data = `${folder}/data`;
  const is_new = !await Deno.stat(data).then(() => true, () => false);
  if (owner) await Deno.chown(folder, owner.uid, owner.gid);
  if (is_new) {
    const args = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"];
    await runChild(programOf("initdb"), args, { ...owner, cwd: folder });
  }
  const args = ["-D", data, "-k", folder, "-c", "listen_addresses="];
  for (const [name, value] of Object.entries(settings)) args.push("-c", `${name}=${value}`);
  // At once, but its shared memory is given back.
  const options = { ...owner, cwd: folder, quit: "SIGQUIT" } as const;
  const server = startChild(programOf("postgres"), args, options);
  const reach = ["-h", folder, "-U", "bench", "-d", "postgres", "-XAt", "-v", "ON_ERROR_STOP=1"];
  const isUp = () => outputOf(programOf("psql"), ...reach, "-c", "SELECT 1");
  await untilReady(async () => await isUp() !== undefined, server);
  const clients = new Map<number, Child>();
  const clientOf = (number: number): Child => {
    const client = clients.get(number) ?? startChild(programOf("psql"), reach, { talks: true });
    clients.set(number, client);
    return client;
  };
  const { ask } = clientOf(0);
  if (is_new) { for (const table of tables) await ask(`${table};`); }
  const statements = statementsOf(dialect, work);
  return {
    pid: server.pid,
    load: async ({ path, client }) => {
      await clientOf(client).ask(`\\copy sample (${sent}) FROM '${path}' (FORMAT binary)`);
    },
    settle: () => Promise.resolve(),
    rest: async () => {
      await ask("VACUUM (ANALYZE) sample;");
      await ask("CHECKPOINT;");
    },
    bytes: async () => Number(await ask("SELECT pg_total_relation_size('sample');")),
    ask: async (question) => {
      const said = await ask(`\\copy (${statements[question]}) TO '/dev/null' (FORMAT binary)`);
      return () => Number(/^COPY (\d+)$/.exec(said)?.[1]) * valuesInRow(question);
    },
    close: async () => {
      for (const client of clients.values()) await client.end("SIGTERM");
      // A fast stop: it writes what is not on the disk yet.
      await server.end("SIGINT");
    },
  };
}

/** Whom it runs as: it refuses to run as root. Its folder must be that user's. */
async function ownerOf(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (Deno.uid() !== 0) return undefined;
  const users = await Deno.readTextFile("/etc/passwd");
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [null, 65534, 65534];
  return { uid: Number(uid), gid: Number(gid) };
}
