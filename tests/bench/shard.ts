// `deno run -A tests/bench/shard.ts [plants] [tags] [minutes]`: what a shard costs that holds so
// many plants, each with so many tags of a value a minute, sent every ten seconds as its own.
//
// A gateway sends as one does, a sixth of the tags at a time. Four of ten tags are measured at an
// inverter and rolled up. The first minute is not counted. WATTKEEPER is a compiled program to try.
import { systemEffects } from "../../src/base/effects.ts";
import { type Server, startServer } from "../help/process.ts";

const [plants = 16, tags = 5_000, minutes = 3] = Deno.args.map(Number);
const sends_a_minute = 6;
const measures = ["active_power", "dc_power", "dc_voltage", "cabinet_temp"];
/** Clock ticks a second of `/proc/…/stat`. */
const ticks = 100;

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-shard-" });
const server = await startServer(folder);
const headers = { authorization: `Bearer ${server.token}` };
let [rows, bodies, slowest_ms] = [0, 0, 0];
try {
  for (let plant = 0; plant < plants; plant++) {
    await call("PUT", `/admin/v1/sites/s${plant}`, siteOf(plant));
  }
  const { projects } = JSON.parse(await call("GET", "/platform/v1/meta/projects"));
  const ids = (projects as { project_id: string }[]).map(({ project_id }) => project_id);
  await sendFor(ids, 1);
  [rows, bodies, slowest_ms] = [0, 0, 0];
  const before = { cpu_s: cpuOf(server), at_ms: performance.now() };
  await sendFor(ids, minutes);
  const seconds = (performance.now() - before.at_ms) / 1000;
  const cores = (cpuOf(server) - before.cpu_s) / seconds;
  const disk = Deno.readDirSync(folder).filter(({ isFile }) => isFile)
    .reduce((sum, { name }) => sum + Deno.statSync(`${folder}/${name}`).size, 0);
  print(
    `${plants} plants, ${tags} tags each: ${(rows / seconds).toFixed(0)} rows/s in ` +
      `${(bodies / seconds).toFixed(1)} bodies/s, ${cores.toFixed(3)} cores, ` +
      `${(memoryOf(server) / 1e6).toFixed(0)} MB, ${(disk / 1e6).toFixed(0)} MB on disk, ` +
      `slowest acknowledgement ${slowest_ms.toFixed(0)} ms`,
  );
} finally {
  await server.end("SIGTERM");
  await Deno.remove(folder, { recursive: true });
}

/** Sends what all plants have for so many minutes, spread over each ten seconds. */
async function sendFor(ids: readonly string[], minutes: number): Promise<void> {
  const from_ms = performance.now();
  const turns = minutes * sends_a_minute * plants;
  const turn_ms = 60_000 / sends_a_minute / Math.max(1, plants);
  for (let turn = 0; turn < turns; turn++) {
    await systemEffects().sleep(Math.max(0, from_ms + turn * turn_ms - performance.now()));
    const at_ms = performance.now();
    const part = Math.floor(turn / plants) % sends_a_minute;
    const path = `/ingest/v1/signals?project_id=${ids[turn % plants]}`;
    const body = bodyOf(part);
    const { accepted } = JSON.parse(await call("POST", path, body, "application/x-ndjson"));
    slowest_ms = Math.max(slowest_ms, performance.now() - at_ms);
    [rows, bodies] = [rows + accepted, bodies + 1];
  }
  const left_ms = from_ms + minutes * 60_000 - performance.now();
  await systemEffects().sleep(Math.max(0, left_ms));
}

function bodyOf(part: number): string {
  const ts = new Date().toISOString();
  const lines: string[] = [];
  for (let tag = part; tag < tags; tag += sends_a_minute) {
    lines.push(`{"tag":"t${tag}","ts":"${ts}","value":${(Math.random() * 900).toFixed(1)}}\n`);
  }
  return lines.join("");
}

/** Ten tags of an inverter; the first four are measured. */
function siteOf(plant: number): string {
  const head = `version = 1
[organization]
key = "fleet"
name = "Fleet"
[project]
key = "p${plant}"
name = "Plant ${plant}"
timezone = "Europe/Madrid"
[site]
key = "s${plant}"
name = "Plant ${plant}"
latitude = 39.3
longitude = -3.1
`;
  const inverters = Array.from({ length: tags / 10 }, (_, i) => {
    const sensors = measures.map((measure, n) =>
      `[[sensors]]\ntag = "t${10 * i + n}"\ndevice = "I${i}"\nmeasure = "${measure}"\n`
    );
    return `[[devices]]\nkey = "I${i}"\ntype = "inverter"\n${sensors.join("")}`;
  });
  return head + inverters.join("");
}

async function call(method: string, path: string, body?: string, type = "application/toml") {
  const sent = body === undefined ? {} : { body, headers: { ...headers, "content-type": type } };
  const response = await fetch(`${server.address}${path}`, { method, headers, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}

/** Seconds of the processor that a server has taken. */
function cpuOf({ pid }: Server): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(user) + Number(system)) / ticks;
}

/** Bytes of memory that a server holds. */
function memoryOf({ pid }: Server): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)![1]);
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}
