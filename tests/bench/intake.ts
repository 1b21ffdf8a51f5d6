// `deno run -A tests/bench/intake.ts [root] [--roll] [--bodies=100] [format …]`: over HTTP.
import { systemEffects } from "../../src/base/effects.ts";
import { startServer } from "../help/process.ts";
import { body_minutes, body_values, type Format, formats, makeBody } from "./bodies.ts";
import { explain } from "../help/usage.ts";
import { Client, cpuOf } from "./intake_client.ts";
import { plantText } from "./plant.ts";

const usage = `deno run -A tests/bench/intake.ts [ROOT=.] [${Object.keys(formats).join("|")} …] ` +
  "[--bodies=100] [--roll] [--cpu-prof …]\n" +
  "ROOT: of the sources that serve. What begins with --cpu-prof goes to the service.";
const flags = /^--(roll|bodies=[1-9]\d*|cpu-prof.*)$/;
explain(usage, (it) => it in formats || it.includes("/") || it === "." || flags.test(it));

const words = Deno.args.filter((arg) => !arg.startsWith("--"));
const root = Deno.realPathSync(words.find((word) => word.includes("/") || word === ".") ?? ".");
const named = words.filter((word): word is Format => word in formats);
const wanted = named.length > 0 ? named : Object.keys(formats) as Format[];
const rolls = Deno.args.includes("--roll");
const bodies = Number(Deno.args.find((arg) => arg.startsWith("--bodies="))?.slice(9) ?? 100);
const profile = Deno.args.filter((arg) => arg.startsWith("--cpu-prof"));

/** One line of the table: a service of its own takes the bodies; the first is not timed. */
async function measure(format: Format, clients: number): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-intake-" });
  const args = ["run", "-A", "--no-check", ...profile, `${root}/main.ts`];
  const server = await startServer(folder, { program: { command: Deno.execPath(), args } });
  try {
    const client = new Client(server);
    await client.call(
      "PUT",
      "/admin/v1/sites/s",
      "application/toml",
      plantText({ has_sensors: rolls, timezone: "Europe/Madrid" }),
    );
    const from_us = Math.floor(Date.now() / 60_000 - (bodies + 2) * body_minutes) * 60_000_000;
    const made = Array.from(
      { length: bodies + 1 },
      (_, body) => makeBody(format, from_us + body * body_minutes * 60_000_000),
    );
    const first_ms = await client.send(format, made[0]);
    const before = { cpu_s: await cpuOf(server), ms: performance.now() };
    const took_ms: number[] = [];
    const asking = client.ask();
    await Promise.all(Array.from({ length: clients }, async (_, lane) => {
      for (let i = 1 + lane; i <= bodies; i += clients) {
        took_ms.push(await client.send(format, made[i]));
      }
    }));
    const beside_ms = (await asking.end()).sort((a, b) => a - b);
    const since = async () => {
      const seconds = (performance.now() - before.ms) / 1000;
      const rate = bodies * body_values / seconds / 1000;
      return [rate, (await cpuOf(server) - before.cpu_s) / (bodies * body_values / 1e6)];
    };
    const [rate, cpu] = await since();
    const [median, slowest] = [took_ms.sort((a, b) => a - b)[bodies >> 1], took_ms.at(-1)!];
    const shown = [rate.toFixed(0), cpu.toFixed(2), ...[first_ms, median, slowest].map(whole)];
    shown.push(beside_ms[Math.floor(beside_ms.length * 0.99)].toFixed(1));
    const widths = [12, 9, 10, 11, 12, 12];
    let line = format.padEnd(8) + String(clients).padStart(7);
    line += shown.map((text, i) => text.padStart(widths[i])).join("");
    if (rolls) {
      await client.rolled();
      const [rolled_rate, rolled_cpu] = await since();
      line += `${rolled_rate.toFixed(0).padStart(15)}, ${rolled_cpu.toFixed(2)}`;
    }
    print(line);
  } finally {
    await server.end("SIGTERM");
    await Deno.remove(folder, { recursive: true });
  }
}

function whole(ms: number): string {
  return ms.toFixed(0);
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}

print(`${root}, ${bodies} bodies of ${body_values} values, ${rolls ? "" : "not "}rolled up`);
print(
  "format  clients  k values/s  CPU s/M  first ms  median ms  slowest ms  beside p99  rolled up",
);
for (const format of wanted) for (const clients of [1, 4]) await measure(format, clients);
