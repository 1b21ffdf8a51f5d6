// `deno run -A tests/bench/forward.ts [millions] [kbit]`: a gateway's backlog drains to its centre.
import { systemEffects } from "../../src/base/effects.ts";
import { type Server, startServer } from "../help/process.ts";
import { body_minutes, body_values, formats, inverters, makeBody, measures } from "./bodies.ts";
import { plantText } from "./plant.ts";

const [millions = 2, kbit = 0] = Deno.args.map(Number);

/** Clock ticks a second of `/proc/…/stat`. */
const ticks = 100;
const minute_us = 60_000_000;

/** Readings with a decimal, as registers have them: a day's curve, clouds, an offset of each. */
function valuesFrom(first_minute: number): Float64Array {
  const fields = Object.keys(measures).length;
  return Float64Array.from({ length: body_values }, (_, row) => {
    const minute = first_minute + Math.floor(row / (inverters * fields));
    const inverter = Math.floor(row / fields) % inverters;
    const curve = Math.sin(minute / 229) ** 2 * (1 - 0.2 * Math.sin(minute / 7 + inverter / 50));
    const noise = Math.sin(minute * 12.9898 + inverter * 78.233 + row % fields) * 43_758.5453 % 1;
    return Math.round(10 * (100 * (1 + row % fields) + 700 * curve + 8 * noise)) / 10;
  });
}

/** One side, and what is asked of it. */
class Side {
  readonly server: Server;
  readonly #token: string;

  constructor(server: Server, token: string) {
    this.server = server;
    this.#token = token;
  }

  async ask(method: string, path: string, type?: string, body?: BodyInit): Promise<string> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (type !== undefined) headers["content-type"] = type;
    const response = await fetch(`${this.server.address}${path}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  async send(from_us: number): Promise<void> {
    const values = valuesFrom(from_us / minute_us % 1_000_000);
    const { media_type } = formats.arrow;
    const path = "/ingest/v1/signals?project_id=bench";
    await this.ask("POST", path, media_type, makeBody("arrow", from_us, values));
  }

  async count(): Promise<number> {
    const sql = "SELECT count(*)::INTEGER AS n FROM sample";
    const body = JSON.stringify({ sql, json: true });
    return JSON.parse(await this.ask("POST", "/admin/v1/query", "application/json", body)).n;
  }

  /** Seconds of the processor that it has taken. */
  async cpu(): Promise<number> {
    const stat = await Deno.readTextFile(`/proc/${this.server.pid}/stat`);
    const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
    return (Number(user) + Number(system)) / ticks;
  }

  async rolled(): Promise<void> {
    while (!/^\w*roll_backlog_rows 0$/m.test(await this.ask("GET", "/metrics"))) await rest(200);
  }
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function open(folder: string, options: Parameters<typeof startServer>[1], token?: string) {
  const server = await startServer(folder, options);
  return { side: new Side(server, token ?? server.token!), token: token ?? server.token! };
}

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-forward-" });
const site = plantText({ has_sensors: false, timezone: "UTC" });
const { side: centre, token } = await open(`${folder}/centre`, {});
const { side: filled, token: own } = await open(`${folder}/gateway`, {});
for (const side of [centre, filled]) {
  await side.ask("PUT", "/admin/v1/sites/s", "application/toml", site);
}
const bodies = Math.round(millions * 1e6 / body_values);
const end_us = Math.floor(Date.now() / 60_000) * minute_us;
for (let body = bodies; body > 0; body--) {
  await filled.send(end_us - body * body_minutes * minute_us);
}
await filled.rolled();
await filled.server.end("SIGTERM");
const args = ["--upstream-url", centre.server.address, "--upstream-max-kbit", `${kbit}`];
const env = { WATTKEEPER_UPSTREAM_TOKEN: token };
const { side: gateway } = await open(`${folder}/gateway`, { args, env }, own);
const before = { ms: performance.now(), there: await centre.cpu() };
let worst_s = 0;
let live = 0;
for (let waiting = Infinity; waiting > 0;) {
  await rest(1_000);
  const row = { tag: "live", ts: new Date().toISOString(), value: live++ };
  await gateway.ask(
    "POST",
    "/ingest/v1/signals?project_id=bench",
    "application/json",
    `[${JSON.stringify(row)}]`,
  );
  const { projects: [project] } = JSON.parse(await gateway.ask("GET", "/platform/v1/upstream"));
  // The first look finds a past without an end.
  if (live > 10) worst_s = Math.max(worst_s, project.lag_s);
  waiting = bodies * body_values - await centre.count();
}
const took_s = (performance.now() - before.ms) / 1000;
const [here_s, there_s] = [await gateway.cpu(), await centre.cpu() - before.there];
await rest(6_000);
const { days } = JSON.parse(await gateway.ask("GET", "/platform/v1/upstream"));
const [rows, bytes] = ["rows", "bytes"].map((name) =>
  days.reduce((sum: number, day: Record<string, number>) => sum + day[name], 0)
);
const figures = [
  `${(rows / took_s / 1000).toFixed(1)} k rows/s`,
  `${(bytes / rows).toFixed(2)} bytes a row`,
  `live ${worst_s.toFixed(1)} s behind at most`,
  `CPU s/M rows: gateway ${(here_s / millions).toFixed(2)}, ` +
  `centre ${(there_s / millions).toFixed(2)}`,
  `${rows - bodies * body_values - live} rows more than once`,
];
systemEffects().out(`${bodies * body_values} rows: ${figures.join("; ")}\n`);
await gateway.server.end("SIGTERM");
await centre.server.end("SIGTERM");
await Deno.remove(folder, { recursive: true });
