// `deno run -A tests/bench/soak.ts [minutes] [hours] [PNG] [memory_mb]`: hours of a plant in less.
//
// Serves a plant of 100 inverters, sends every second of it, and reads, follows, backs up and
// raises alarms meanwhile. Every five seconds it notes memory, open files and the log; it draws
// them. The database's own memory rises with the log and with the file, up to `memory_mb`, so this
// is small here: the end is to be reached within the run. It rests before and after each quarter,
// when the process keeps what it needs: a leak would show as an ever higher rest.
import { systemEffects } from "../../src/base/effects.ts";
import { startServer } from "../help/process.ts";
import { savePlot } from "./plot.ts";

const [minutes, hours] = [Number(Deno.args[0] ?? 60), Number(Deno.args[1] ?? 8)];
const picture = Deno.args[2] ?? "soak.png";
const memory_mb = Number(Deno.args[3] ?? 384);
const inverters = 100;
const speed = hours * 60 / minutes;
const note_ms = 5_000;
const follow_ms = 30_000;
const folder = await Deno.makeTempDir();
const data_dir = `${folder}/data`;
const receiver = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  await request.body?.cancel();
  delivered++;
  return new Response();
});
let [delivered, sent, slowest_ms, refused] = [0, 0, 0, 0];

const server = await startServer(data_dir, {
  args: ["--webhook-allow", "127.0.0.1", "--memory-mb", String(memory_mb)],
});
/** When work began, moved on by the rests: what passed since is time of work. */
let began_ms = performance.now();
/** How long the quarter in hand lets it work. */
let work_ms = 0;
const begin_s = Math.floor(Date.now() / 1000 - hours * 3600);
let sent_s = begin_s;
const headers = { authorization: `Bearer ${server.token}` };
const notes: Note[] = [];
const rest_ms = 60_000;
try {
  await ask("PUT", "/admin/v1/sites/soak-1", siteFile());
  const { projects } = await ask("GET", "/platform/v1/meta/projects");
  const { project_id } = (projects as { project_id: string }[])[0];
  const target = `http://127.0.0.1:${receiver.addr.port}/`;
  await ask("POST", "/admin/v1/subscriptions", {
    ...{ name: "soak", organization: "soak", target, event_types: ["*"] },
  });
  const rests_mb = [await memoryAtRest()];
  began_ms = performance.now();
  for (let quarter = 1; quarter <= 4; quarter++) {
    work_ms = quarter / 4 * minutes * 60_000;
    await Promise.all([
      every(1000, () => sendSeconds(project_id)),
      every(1000, () => read(project_id)),
      every(60_000, () => follow(project_id)),
      every(600_000, backUp),
      every(note_ms, note),
    ]);
    const rest_from_ms = performance.now();
    rests_mb.push(await memoryAtRest());
    began_ms += performance.now() - rest_from_ms;
  }
  await checkCount();
  print(`${sent} rows sent, ${refused} requests refused, ${delivered} deliveries`);
  report();
  const [before_mb, ...after_mb] = rests_mb.map((mb) => mb.toFixed(0));
  print(`at rest: ${before_mb} MB before, after each quarter ${after_mb.join(", ")}`);
  await savePlot(picture, plotOf());
  print(`drawn: ${picture}`);
} finally {
  await server.end("SIGTERM");
  await receiver.shutdown();
  await Deno.remove(folder, { recursive: true });
}

type Note = {
  readonly minute: number;
  readonly memory_mb: number;
  /** Of that, what the database holds: rows since the last checkpoint, and blocks of its file. */
  readonly held_mb: number;
  readonly rest_mb: number;
  readonly files: number;
  readonly log_mb: number;
  readonly database_mb: number;
  readonly slowest_ms: number;
};

/** What has passed of the plant's time since the last turn, in one body. */
async function sendSeconds(project_id: string): Promise<void> {
  const until_s = begin_s + Math.floor((performance.now() - began_ms) / 1000 * speed);
  const rows: object[] = [];
  for (let s = sent_s; s < until_s; s++) {
    const ts = new Date(s * 1000).toISOString();
    const sun = Math.max(0, Math.sin(Math.PI * (s - begin_s) / hours / 3600));
    for (let i = 0; i < inverters; i++) {
      rows.push({ tag: `inv${i}.p`, ts, value: 250 * sun * (0.95 + 0.05 * Math.sin(s / 97 + i)) });
    }
    if (s % 60 > 0) continue;
    const faulty = s / 60 % inverters;
    rows.push({ tag: "met1.poa", ts, value: 1000 * sun }, { tag: "met1.air", ts, value: 20 });
    for (let i = 0; i < inverters; i++) {
      rows.push({ tag: `inv${i}.status`, ts, value: i === faulty ? 7 : 4 });
    }
  }
  sent_s = until_s;
  const from_ms = performance.now();
  await ask("POST", `/ingest/v1/signals?project_id=${project_id}`, rows);
  slowest_ms = Math.max(slowest_ms, performance.now() - from_ms);
  sent += rows.length;
}

/** The screens' questions, and a client that leaves in the middle of an answer. */
async function read(project_id: string): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  await ask("GET", `/platform/v1/alarms?project_id=${project_id}`);
  const asked = new URLSearchParams({
    ...{ project_ids: project_id, dt_start: day, dt_end: day, time_interval: "FifteenMinutes" },
    ...{ component: "inverter", component_measure: "active_power" },
  });
  await ask("GET", `/platform/v1/performance-v2?${asked}`);
  const response = await fetch(`${server.address}/platform/v1/alarms?project_id=${project_id}`, {
    headers,
  });
  await response.body?.cancel();
}

/** Holds the stream of alarm events open for a while. */
async function follow(project_id: string): Promise<void> {
  const path = `/platform/v1/alarms/stream?project_id=${project_id}`;
  const response = await fetch(`${server.address}${path}`, { headers });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await new Promise((resolve) => setTimeout(resolve, follow_ms));
  await response.body?.cancel();
}

async function backUp(): Promise<void> {
  const { backups } = await ask("GET", "/admin/v1/backups");
  for (const { name, state } of backups as { name: string; state: string }[]) {
    if (state !== "running") await ask("DELETE", `/admin/v1/backups/${name}`);
  }
  await ask("POST", "/admin/v1/backups");
}

/** Memory of the process in MB. */
async function memoryMb(): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${server.pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024 / 1e6;
}

/** The same once it has had nothing to do for a while. */
async function memoryAtRest(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, rest_ms));
  return await memoryMb();
}

async function note(): Promise<void> {
  const memory_mb = await memoryMb();
  const files = await Array.fromAsync(Deno.readDir(`/proc/${server.pid}/fd`));
  const metrics = await (await fetch(`${server.address}/metrics`, { headers })).text();
  const held_mb = Number(/database_bytes\{.*"memory"\} (\S+)/.exec(metrics)![1]) / 1e6;
  notes.push({
    minute: (performance.now() - began_ms) / 60_000,
    ...{ memory_mb, held_mb, rest_mb: memory_mb - held_mb },
    files: files.length,
    log_mb: await megabytes(`${data_dir}/wattkeeper.duckdb.wal`),
    database_mb: await megabytes(`${data_dir}/wattkeeper.duckdb`),
    slowest_ms,
  });
  slowest_ms = 0;
}

/** Every row that was acknowledged is there, once. */
async function checkCount(): Promise<void> {
  const sql = "SELECT count(*) AS rows FROM sample WHERE tag_no IN (SELECT tag_no FROM tag)";
  const { rows } = await ask("POST", "/admin/v1/query", { sql, json: true });
  if (Number(rows) !== sent) throw new Error(`${sent} rows were acknowledged, ${rows} are there`);
}

/** The mean of the second and of the last quarter: flat, if they are alike. */
function report(): void {
  const quarter = Math.floor(notes.length / 4);
  const mean = (of: keyof Note, from: number) =>
    notes.slice(from, from + quarter).reduce((sum, note) => sum + note[of], 0) / quarter;
  print("                2nd quarter  last quarter");
  const { minute: _, ...figures } = notes[0];
  for (const name of Object.keys(figures) as (keyof Note)[]) {
    const [then, now] = [mean(name, quarter), mean(name, 3 * quarter)];
    print(`${name.padEnd(14)}${then.toFixed(1).padStart(13)}${now.toFixed(1).padStart(14)}`);
  }
}

function plotOf() {
  const values = (name: keyof Note) => notes.map((note) => note[name]);
  return {
    title: `${hours} hours of ${inverters} inverters in ${minutes} minutes: ${sent} rows`,
    times: values("minute"),
    panels: [
      { name: "Memory of the process", unit: "MB", values: values("memory_mb") },
      { name: "Of that, the database's", unit: "MB", values: values("held_mb") },
      { name: "The rest of the process", unit: "MB", values: values("rest_mb") },
      { name: "Open files", unit: "files", values: values("files") },
      { name: "Log", unit: "MB", values: values("log_mb") },
      { name: "Database file", unit: "MB", values: values("database_mb") },
      { name: "Slowest acknowledgement in 5 s", unit: "ms", values: values("slowest_ms") },
    ],
  };
}

function siteFile(): string {
  const each = (text: (i: number) => string) =>
    Array.from({ length: inverters }, (_, i) => text(i));
  return `version = 1
organization = { key = "soak", name = "Soak" }
project = { key = "soak", name = "Soak", timezone = "Europe/Madrid" }
site = { key = "soak-1", name = "Soak", latitude = 39.3, longitude = -3.1 }
[[device_models]]
key = "M"
status = "sunspec"
pv = { rated_dc_w = 300e3, rated_ac_w = 250e3, tilt = 25, azimuth = 180 }
[[devices]]
key = "MET1"
type = "met"
${each((i) => `[[devices]]\nkey = "INV${i}"\ntype = "inverter"\ndevice_model = "M"\n`).join("")}
[[sensors]]
tag = "met1.poa"
device = "MET1"
measure = "poa_front"
[[sensors]]
tag = "met1.air"
device = "MET1"
measure = "ambient_temp"
${
    each((i) =>
      `[[sensors]]
tag = "inv${i}.p"
device = "INV${i}"
measure = "active_power"
scale = 1000
capacity = 250e3
[[sensors]]
tag = "inv${i}.status"
device = "INV${i}"
measure = "operating_status"
`
    ).join("")
  }
[[rules]]
key = "fault"
name = "Inverter fault"
kind = "enum"
measure = "operating_status"
component = "inverter"
codes = [7]
labels = { 7 = "Fault" }
severity = "high"
alarm_class = "fault"
`;
}

async function ask(method: string, path: string, body?: unknown) {
  const is_text = typeof body === "string";
  const type = is_text ? "application/toml" : "application/json";
  const response = await fetch(`${server.address}${path}`, {
    method,
    headers: { ...headers, "content-type": type },
    body: body === undefined || is_text ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text.startsWith("{") ? JSON.parse(text) : {};
}

async function megabytes(path: string): Promise<number> {
  const { size } = await Deno.stat(path).catch(() => ({ size: 0 }));
  return size / 1e6;
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}

/** Does it again and again until the end; a failure is told, and counted. */
async function every(period_ms: number, work: () => Promise<void>): Promise<void> {
  for (let next = performance.now(); next < began_ms + work_ms; next += period_ms) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
    try {
      await work();
    } catch (error) {
      refused++;
      print(`${((performance.now() - began_ms) / 60_000).toFixed(1)} min: ${error}`);
    }
  }
}
