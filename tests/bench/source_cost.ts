// `deno run -A tests/bench/source_cost.ts [KIND …] [--seconds=20] [--turns=3] [--alone]`: what the
// processor does for 1 000 values a second of each kind of source, in percent of a core. Needs
// PYTHON with the packages asyncua and c104; WATTKEEPER is a compiled program to run in place of
// the sources.
//
// Three figures of each: the driver alone, in a program that stores nothing; a service that reads
// the source; and the same service that gets the same tags over HTTP, in as many bodies a second as
// the source's samples were committed in. Service and HTTP are less what the service takes idle.
// They are measured in turns, and the least of each counts: what else the machine does only adds.
// `--alone` measures the driver alone: the other two take minutes.
import { cpuUsage } from "node:process";
import { systemEffects } from "../../src/base/effects.ts";
import { type Driver, keepRunning, type SourceTools } from "../../src/engine/devices/driver.ts";
import { SourceState } from "../../src/engine/devices/state.ts";
import { parseSource } from "../../src/model/sources/form.ts";
import type { SourceEntry } from "../../src/model/sources/kinds.ts";
import { type Client, declareProject } from "../help/client.ts";
import { type Server, startServer } from "../help/process.ts";
import { sourceTools } from "../help/sources.ts";
import { type Plant, plant_values, plants } from "./source_plants.ts";

type Kind = keyof typeof plants;

/** Each is loaded when it is measured: the others would be in its way. */
const drivers = {
  modbus: async () => (await import("../../src/engine/devices/modbus.ts")).modbus_driver,
  opcua: async () => (await import("../../src/engine/opcua/opcua.ts")).opcua_driver,
  mqtt: async () => (await import("../../src/engine/devices/mqtt.ts")).mqtt_driver,
  iec104: async () => (await import("../../src/engine/devices/iec104.ts")).iec104_driver,
} as const;
/** Percent of a core. */
const targets: Readonly<Record<Kind, number>> = { modbus: 0.5, opcua: 1, mqtt: 1.5, iec104: 1.5 };

const { sleep, out, err } = systemEffects();
const kinds = Object.keys(plants) as Kind[];
const wanted = Deno.args.filter((it) => !it.startsWith("--"));
const is_alone = Deno.args.includes("--alone");
const option = (name: string, or: number) =>
  Number(Deno.args.find((it) => it.startsWith(`--${name}=`))?.split("=")[1] ?? or);
const [seconds, turns] = [option("seconds", 20), option("turns", 3)];
const strange = wanted.filter((it) => !kinds.includes(it as Kind));
if (strange.length > 0) {
  err(`there is no kind ${strange.join(", ")}; there are ${kinds.join(", ")}\n`);
  Deno.exit(2);
}
/** Until what has just begun, or ended, goes its way. */
const settle_ms = 5_000;
/** Until the runtime has compiled what runs often: a gateway runs for months. */
const warm_ms = 20_000;

for (const kind of kinds.filter((it) => wanted.length === 0 || wanted.includes(it))) {
  const plant = await plants[kind]();
  try {
    const alone = await driverAlone(kind, plant);
    if (is_alone) {
      out(`${kind}, 1 000 values/s: driver alone ${alone.toFixed(2)} % of a core\n`);
      continue;
    }
    const { idle, source, http, bodies } = await inService(plant);
    out(
      `${kind}, 1 000 values/s: driver alone ${alone.toFixed(2)} % of a core; service ` +
        `${(source - idle).toFixed(2)} above the idle ${
          idle.toFixed(2)
        }, in ${bodies} commits/s; ` +
        `the same over HTTP ${(http - idle).toFixed(2)}: the source itself ` +
        `${(source - http).toFixed(2)} (target ${targets[kind]})\n`,
    );
  } finally {
    await plant.end();
  }
}
Deno.exit();

/** What the driver takes in a program that stores nothing. */
async function driverAlone(kind: Kind, { source }: Plant): Promise<number> {
  const effects = systemEffects();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  let values = 0;
  const store = (rows: { readonly length: number }) => {
    values += rows.length;
    return Promise.resolve();
  };
  const tools: SourceTools = {
    ...sourceTools({ effects, state, store }),
    vet: () => Promise.resolve(["127.0.0.1"]),
    newest: () => Promise.resolve(undefined),
    lastValues: () => Promise.resolve(new Map()),
    certificates: await Deno.makeTempDir(),
  };
  const entry = parseSource(JSON.stringify(source));
  const driver = await drivers[kind]() as Driver<SourceEntry>;
  const links = driver.open(entry, tools);
  const stop = new AbortController();
  const running = links.map((link) => keepRunning(link, tools, stop.signal));
  await sleep(warm_ms);
  let least = Infinity;
  for (let turn = 0; turn < turns; turn++) {
    values = 0;
    const [before, from_ms] = [cpuUsage(), performance.now()];
    await sleep(seconds * 1000);
    const { user, system } = cpuUsage(before);
    if (values === 0) throw new Error(state.last_error?.message ?? "nothing came");
    const rate = values / (performance.now() - from_ms) * 1000;
    least = Math.min(least, (user + system) / 1e4 / seconds * plant_values / rate);
  }
  stop.abort();
  await Promise.all(running);
  return least;
}

/** What a service takes: idle, while it reads, and while it gets the same over HTTP. */
async function inService(plant: Plant) {
  const folder = await Deno.makeTempDir();
  const server = await startServer(folder);
  try {
    const client = await declareProject(server);
    const turn = async (phase: "idle" | "source" | "http", bodies: number) => {
      await declare({ server, client }, { ...plant.source, enabled: phase === "source" });
      const post = () => sendPaced({ server, client }, { tags: plant.tags, bodies });
      const stop = phase === "http" ? post() : () => Promise.resolve();
      if (phase === "source") await untilConnected({ server, client });
      await sleep(settle_ms);
      const before = { s: await cpuSeconds(server.pid), ms: performance.now(), us: nowUs() };
      await sleep(seconds * 1000);
      const spent_s = await cpuSeconds(server.pid) - before.s;
      const share = 100_000 * spent_s / (performance.now() - before.ms);
      const to_us = nowUs();
      await stop();
      const stored = await storedIn({ server, client }, before.us, to_us);
      return { share, ...stored };
    };
    await declare({ server, client }, { ...plant.source, enabled: true });
    await untilConnected({ server, client });
    await sleep(warm_ms);
    const least = { idle: Infinity, source: Infinity, http: Infinity };
    let bodies = 1;
    for (let i = 0; i < turns; i++) {
      least.idle = Math.min(least.idle, (await turn("idle", 0)).share);
      const read = await turn("source", 0);
      const rate = read.rows / seconds / plant_values;
      if (Math.abs(rate - 1) > 2 / seconds) {
        throw new Error(`${rate} times as many values as there are`);
      }
      least.source = Math.min(least.source, read.share);
      bodies = Math.max(1, Math.round(read.commits / seconds));
      least.http = Math.min(least.http, (await turn("http", bodies)).share);
    }
    return { ...least, bodies };
  } finally {
    await server.end("SIGTERM");
    await Deno.remove(folder, { recursive: true });
  }
}

type Side = { readonly server: Server; readonly client: Client };

async function ask({ server, client }: Side, path: string, more: RequestInit = {}) {
  const headers = { authorization: `Bearer ${client.token}`, "content-type": "application/json" };
  const answer = await fetch(`${server.address}${path}`, {
    ...more,
    headers: { ...headers, ...more.headers },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

async function declare(side: Side, { key, ...source }: Plant["source"]): Promise<void> {
  const path = `/platform/v1/sources/${key}?project_id=${side.client.project_id}`;
  await ask(side, path, { method: "PUT", body: JSON.stringify(source) });
}

async function untilConnected(side: Side): Promise<void> {
  const path = `/platform/v1/sources?project_id=${side.client.project_id}`;
  while (JSON.parse(await ask(side, path))[0].state?.connected !== true) await sleep(200);
}

/** Commits, and rows of the plant, that were stored in a span. */
async function storedIn(side: Side, from_us: number, to_us: number) {
  const sql = "SELECT count(DISTINCT received_at)::INTEGER AS commits, count(*)::INTEGER AS rows " +
    "FROM sample JOIN tag USING (tag_no) WHERE sensor_tag NOT LIKE 'bench.%' " +
    `AND received_at >= ${from_us} AND received_at < ${to_us}`;
  const body = JSON.stringify({ sql, json: true });
  return JSON.parse(await ask(side, "/admin/v1/query", { method: "POST", body })) as {
    readonly commits: number;
    readonly rows: number;
  };
}

/** Sends so many bodies a second, which have each tag once; gives what ends it. */
function sendPaced(
  side: Side,
  { tags, bodies }: { readonly tags: readonly string[]; readonly bodies: number },
): () => Promise<void> {
  let is_over = false;
  const size = Math.ceil(tags.length / bodies);
  const running = (async () => {
    const from_ms = performance.now();
    for (let n = 0; !is_over; n++) {
      const first = n % bodies * size;
      const ts = new Date().toISOString();
      const rows = tags.slice(first, first + size).map((tag, i) =>
        JSON.stringify({ tag, ts, value: (n + i) % 997 / 7 })
      );
      const path = `/ingest/v1/signals?project_id=${side.client.project_id}`;
      const headers = { "content-type": "application/x-ndjson" };
      if (rows.length > 0) {
        await ask(side, path, { method: "POST", headers, body: rows.join("\n") });
      }
      await sleep(Math.max(0, from_ms + 1000 * (n + 1) / bodies - performance.now()));
    }
  })();
  return async () => {
    is_over = true;
    await running;
  };
}

/** Seconds of processor time that a process has used; 100 ticks each. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await Deno.readTextFile(`/proc/${pid}/stat`)).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function nowUs(): number {
  return systemEffects().now_us();
}
