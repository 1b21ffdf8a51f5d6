// `deno run -A tests/bench/again.ts [ROOT] [--today] [--values=100000]`: what is rolled up, again.
//
// A load is corrected, and given another scale. Beside it one alarm is sent again and again: its
// slowest acknowledgement tells how long the rest of a plant waits meanwhile.
import { systemEffects } from "../../src/base/effects.ts";
import { startServer } from "../help/process.ts";
import { explain } from "../help/usage.ts";
import { body_minutes, body_values, inverters, makeBody, measures, tagOf } from "./bodies.ts";
import { Client, cpuOf } from "./intake_client.ts";
import { plantText } from "./plant.ts";

const usage = "deno run -A tests/bench/again.ts [ROOT=.] [--today] [--values=100000]\n" +
  "ROOT: of the sources that serve. --today: of the running day, else of the two before it.\n" +
  "--values: how many are corrected.";
explain(usage, (it) => /^--(today|values=[1-9]\d*)$/.test(it) || it.includes("/") || it === ".");

const day_us = 86_400_000_000;
const minute_us = 60_000_000;
const values = Number(Deno.args.find((arg) => arg.startsWith("--values="))?.slice(9) ?? 100_000);
const is_today = Deno.args.includes("--today");
const root = Deno.realPathSync(Deno.args.find((arg) => !arg.startsWith("--")) ?? ".");
const today_us = Math.floor(Date.now() * 1000 / day_us) * day_us;
const from_us = is_today ? today_us : today_us - 3 * day_us;
const to_us = is_today ? Date.now() * 1000 - body_minutes * minute_us : today_us - day_us;
const bodies = Math.floor((to_us - from_us) / minute_us / body_minutes);
const fields = Object.keys(measures).length;

let sent = 0;

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-again-" });
const args = ["run", "-A", "--no-check", "--node-modules-dir=manual", `${root}/main.ts`];
const server = await startServer(folder, { program: { command: Deno.execPath(), args } });
const client = new Client(server);
try {
  print(`${root}, ${bodies * body_values} values, then ${values} of them corrected`);
  await plant(1);
  await timed("a load", async () => {
    for (let body = 0; body < bodies; body++) {
      await client.send("line", makeBody("line", from_us + body * body_minutes * minute_us));
    }
  });
  await timed("corrections anywhere", () => client.send("ndjson", corrections(), values));
  await timed("another scale", () => plant(1.25));
} finally {
  await server.end("SIGTERM");
  await Deno.remove(folder, { recursive: true });
}

async function plant(scale: number): Promise<void> {
  const text = plantText({ has_sensors: true, timezone: "Etc/UTC" });
  const scaled = text.replaceAll("[[sensors]]\n", `[[sensors]]\nscale = ${scale}\n`);
  await client.call("PUT", "/admin/v1/sites/s", "application/toml", scaled);
}

/** Values that differ from what was sent before, of any tag, at any of its minutes. */
function corrections(): Uint8Array<ArrayBuffer> {
  const minutes = bodies * body_minutes;
  // A step that has no factor with it goes to each place once.
  const places = minutes * inverters * fields;
  const lines = Array.from({ length: values }, (_, i) => {
    const place = i * 7_919_933 % places;
    const minute = Math.floor(place / inverters / fields);
    const tag = tagOf(Math.floor(place / fields) % inverters, place % fields);
    const ts = new Date((from_us + minute * minute_us) / 1000).toISOString();
    return `{"tag":"${tag}","ts":"${ts}","value":${i / 8 + 0.03125}}\n`;
  });
  return new TextEncoder().encode(lines.join(""));
}

/** An alarm: no row for the roll-up. */
async function sendAlarm(): Promise<void> {
  const alarm = {
    occurrence_id: `alarm-${++sent}`,
    source: "scada:s",
    rule_name: "Over-temperature",
    ...{ kind: "threshold", severity: "high", status: "open", resolution_policy: "auto" },
    raised_at: new Date().toISOString(),
    params: { operator: ">", threshold: 90 },
  };
  const path = `/ingest/v1/alarms?project_id=${await client.projectId()}`;
  await client.call("POST", path, "application/json", JSON.stringify([alarm]));
}

/** Prints how long some work takes until it is acknowledged, and until it is rolled up. */
async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const from = { cpu_s: await cpuOf(server), ms: performance.now() };
  const since = async () => {
    const s = (performance.now() - from.ms) / 1000;
    return `${s.toFixed(2)} s (${(await cpuOf(server) - from.cpu_s).toFixed(2)} of processor)`;
  };
  const asking = client.ask(sendAlarm);
  await work();
  const acknowledged = await since();
  // The roll-up gathers for a second, and the metrics are up to a second old.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await client.rolled();
  const rolled = await since();
  const slowest_ms = Math.max(...await asking.end());
  print(
    `${what}: acknowledged after ${acknowledged}, rolled up after ${rolled}, ` +
      `slowest alarm beside it ${slowest_ms.toFixed(0)} ms`,
  );
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}
