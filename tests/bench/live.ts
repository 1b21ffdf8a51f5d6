// `deno run -A tests/bench/live.ts [ROOT] [--seconds=150] [--bodies=10]`: a plant as it runs.
//
// Each body has a value of 2 000 tags at this moment. When a minute is over, it is asked for until
// it is there: how long that takes from the last acknowledgement of its values on is printed.
import { systemEffects } from "../../src/base/effects.ts";
import { startServer } from "../help/process.ts";
import { explain } from "../help/usage.ts";
import { inverters, measures } from "./bodies.ts";
import { Client, cpuOf } from "./intake_client.ts";
import { plantText } from "./plant.ts";

const usage = "deno run -A tests/bench/live.ts [ROOT=.] [--seconds=150] [--bodies=10]\n" +
  "ROOT: of the sources that serve. --bodies: so many a second, each with 2 000 values.";
explain(usage, (it) => /^--(seconds|bodies)=[1-9]\d*$/.test(it) || it.includes("/") || it === ".");

const given = (name: string) =>
  Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
const seconds = Number(given("seconds") ?? 150);
const per_s = Number(given("bodies") ?? 10);
const root = Deno.realPathSync(Deno.args.find((arg) => !arg.startsWith("--")) ?? ".");
const fields = Object.keys(measures);
const values = inverters * fields.length;
const minute_ms = 60_000;

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-live-" });
const args = ["run", "-A", "--no-check", "--node-modules-dir=manual", `${root}/main.ts`];
const server = await startServer(folder, { program: { command: Deno.execPath(), args } });
const client = new Client(server);
try {
  const text = plantText({ has_sensors: true, timezone: "Etc/UTC" });
  await client.call("PUT", "/admin/v1/sites/s", "application/toml", text);
  const from = { cpu_s: await cpuOf(server), ms: performance.now() };
  const took_ms: number[] = [];
  const seen: Promise<number>[] = [];
  let minute = Math.ceil(Date.now() / minute_ms);
  for (let body = 0; performance.now() - from.ms < seconds * 1000; body++) {
    const now_ms = Date.now();
    // The first minute is not whole.
    if (now_ms >= (minute + 1) * minute_ms) seen.push(visibleMs(minute++));
    took_ms.push(await client.send("line", bodyOf(now_ms, body), values));
    const wait_ms = from.ms + (body + 1) * 1000 / per_s - performance.now();
    if (wait_ms > 0) await new Promise((resolve) => setTimeout(resolve, wait_ms));
  }
  const rate = took_ms.length * values / (performance.now() - from.ms) * 1000;
  const cpu = (await cpuOf(server) - from.cpu_s) / (took_ms.length * values / 1e6);
  took_ms.sort((a, b) => a - b);
  const visible = (await Promise.all(seen)).map((ms) => (ms / 1000).toFixed(2));
  systemEffects().out(
    `${root}: ${rate.toFixed(0)} values/s, ${cpu.toFixed(2)} s of processor a million; ` +
      `acknowledged after ${took_ms[took_ms.length >> 1].toFixed(1)} ms, at most ` +
      `${took_ms.at(-1)!.toFixed(0)}; minutes visible after ${visible.join(", ")} s\n`,
  );
} finally {
  await server.end("SIGTERM");
  await Deno.remove(folder, { recursive: true });
}

function bodyOf(now_ms: number, body: number): Uint8Array<ArrayBuffer> {
  const lines = Array.from({ length: inverters }, (_, inverter) => {
    const sent = fields.map((name, i) => `${name}=${(inverter * 7 + i + body) % 999 / 8}`);
    return `inverter,id=INV${inverter} ${sent.join()} ${now_ms}000000\n`;
  });
  return new TextEncoder().encode(lines.join(""));
}

/** How long it takes from now on until a minute of the last inverter is told. */
async function visibleMs(minute: number): Promise<number> {
  const from_ms = performance.now();
  const start = new Date(minute * minute_ms).toISOString().slice(0, 16).replace("T", " ");
  const asked = new URLSearchParams({
    project_ids: await client.projectId(),
    ...{ component: "inverter", component_measure: "active_power", time_interval: "OneMinute" },
    ...{ dt_start: start.slice(0, 10), dt_end: start.slice(0, 10), use_solar_bounds: "false" },
    group_by: "project_id",
  });
  for (;;) {
    const answer = await client.call("GET", `/platform/v1/performance-v2?${asked}`);
    const row = answer.split("\n").find((line) => line.includes(start));
    if (row && JSON.parse(row).sensor_value !== null) return performance.now() - from_ms;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
