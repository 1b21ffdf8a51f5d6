// `deno run -A tests/bench/intake.ts [root] [--roll] [--bodies=100] [format …]`: over HTTP.
import { systemEffects } from "../../src/base/effects.ts";
import { type Server, startServer } from "../help/process.ts";
import { body_minutes, body_values, type Format, formats, makeBody } from "./bodies.ts";
import { explain } from "../help/usage.ts";
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

/** Clock ticks a second of `/proc/…/stat`. */
const ticks = 100;

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

/** Who sends bodies. */
class Client {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async call(method: string, path: string, type?: string, body?: BodyInit): Promise<string> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#server.token}` };
    if (type !== undefined) headers["content-type"] = type;
    const response = await fetch(`${this.#server.address}${path}`, { method, headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  /** Sends a body; milliseconds until it is acknowledged. */
  async send(format: Format, body: Uint8Array<ArrayBuffer>): Promise<number> {
    this.#project_id ??= JSON.parse(await this.call("GET", "/platform/v1/meta/projects"))
      .projects[0].project_id;
    const { path, media_type } = formats[format];
    const from_ms = performance.now();
    const at = `/ingest/v1/${path}?project_id=${this.#project_id}`;
    const { accepted } = JSON.parse(await this.call("POST", at, media_type, body));
    if (accepted !== body_values) throw new Error(`only ${accepted} rows were accepted`);
    return performance.now() - from_ms;
  }
  #project_id: string | undefined;

  /** Asks for something small again and again, until told to end; how long each answer took. */
  ask(): { readonly end: () => Promise<number[]> } {
    const took_ms: number[] = [];
    let over = false;
    const work = async () => {
      while (!over) {
        const from_ms = performance.now();
        await this.call("GET", "/healthz");
        took_ms.push(performance.now() - from_ms);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return took_ms;
    };
    const done = work();
    return {
      end: () => {
        over = true;
        return done;
      },
    };
  }

  /** Resolves when nothing waits for the roll-up. */
  async rolled(): Promise<void> {
    for (;;) {
      const metrics = await this.call("GET", "/metrics");
      if (/^\w*roll_backlog_rows 0$/m.test(metrics)) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Seconds of the processor that a server has taken. */
async function cpuOf({ pid }: Server): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14);
  return (Number(user) + Number(system)) / ticks;
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
