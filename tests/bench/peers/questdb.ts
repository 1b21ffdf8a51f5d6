// The peer QuestDB: a server under Java, over HTTP.
import { measures } from "../bodies.ts";
import type { Peer, Store } from "./peer.ts";
import { freePort, isUp, outputOf, request, startChild, untilReady } from "./process.ts";
import { valuesInRow } from "./sql.ts";
import { one_inverter, type Question, spansOf, type Work } from "./work.ts";

const jars = Deno.env.get("QUESTDB_JAR");
const java = Deno.env.get("QUESTDB_JAVA") ?? "java";
const columns = Object.keys(measures);

/** Its settings, as variables of the environment. */
const settings = {
  QDB_CAIRO_COMMIT_MODE: "sync",
  QDB_PG_ENABLED: "false",
  QDB_LINE_TCP_ENABLED: "false",
  QDB_HTTP_MIN_ENABLED: "false",
  QDB_TELEMETRY_ENABLED: "false",
};

export const questdb: Peer = {
  name: "QuestDB",
  sought: "QUESTDB_JAR, its jar (org.questdb:questdb), and java on the PATH or as QUESTDB_JAVA",
  durability: "on disk: its log is synced at each commit (cairo.commit.mode=sync)",
  settings: "line protocol over HTTP; answers as CSV; a table by day with a log, no " +
    "deduplication; " +
    Object.entries(settings).map(([name, value]) => `${name}=${value}`).join(", "),
  is_server: true,
  formats: ["line"],
  lacks: { replay: "keeps no time of storing" },
  find: async () => {
    if (jars === undefined || await outputOf(java, "-version") === undefined) return undefined;
    return /questdb-([\d.]+\d)/.exec(jars)?.[1] ?? "?";
  },
  open,
};

const table = `CREATE TABLE IF NOT EXISTS inverter (id SYMBOL, timestamp TIMESTAMP, ${
  columns.map((name) => `${name} DOUBLE`).join(", ")
}) TIMESTAMP(timestamp) PARTITION BY DAY WAL`;

async function open(folder: string, work: Work): Promise<Store> {
  const address = `127.0.0.1:${freePort()}`;
  const env = { ...settings, QDB_HTTP_BIND_TO: address };
  const args = ["-cp", jars!, "io.questdb.ServerMain", "-d", folder];
  const child = startChild(java, args, { env });
  const url = `http://${address}`;
  const exec = async (query: string) => {
    const bytes = await request(`${url}/exec?${new URLSearchParams({ query })}`);
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  await untilReady(() => isUp(`${url}/exec?query=SELECT%201`), child);
  await exec(table);
  const statements = statementsFor(work);
  const numberOf = async (query: string) => Number((await exec(query)).dataset[0][0]);
  return {
    pid: child.pid,
    load: async ({ path }) => {
      const body = await Deno.readFile(path);
      await request(`${url}/write?precision=n`, { method: "POST", body });
    },
    settle: () =>
      untilReady(async () =>
        await numberOf(
          "SELECT sequencerTxn - writerTxn FROM wal_tables() WHERE name = 'inverter'",
        ) === 0
      ),
    rest: () => Promise.resolve(),
    bytes: () => numberOf("SELECT sum(diskSize) FROM table_partitions('inverter')"),
    ask: async (question) => {
      const search = new URLSearchParams({ query: statements[question] });
      const bytes = await request(`${url}/exp?${search}`);
      return () => (linesIn(bytes) - 1) * valuesInRow(question);
    },
    close: () => child.end("SIGTERM"),
  };
}

function statementsFor(work: Work): Readonly<Record<Question, string>> {
  const { all, one_day, page, minutes } = spansOf(work);
  const within = ([from_us, to_us]: readonly [number, number]) =>
    `timestamp >= ${from_us} AND timestamp < ${to_us}`;
  const one = `id = 'INV${one_inverter}'`;
  const mean = "SELECT timestamp, id, avg(p_ac) AS p_ac FROM inverter";
  const rows = `SELECT timestamp, id, ${columns.join()} FROM inverter`;
  return {
    days: `${mean} SAMPLE BY 1d`,
    hours: `${mean} SAMPLE BY 1h`,
    quarters: `${mean} WHERE ${within(one_day)} SAMPLE BY 15m`,
    latest: `${rows} LATEST ON timestamp PARTITION BY id`,
    tag_day: `SELECT timestamp, p_ac FROM inverter WHERE ${one} AND ${within(one_day)}`,
    page: `${rows} WHERE ${within(page)}`,
    replay: "",
    minutes: `SELECT timestamp, id, p_ac FROM inverter WHERE ${within(minutes)}`,
    whole: "SELECT avg(p_ac) AS p_ac FROM inverter",
    inverter_minutes: `SELECT timestamp, p_ac FROM inverter WHERE ${one} AND ${within(all)}`,
  };
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}
