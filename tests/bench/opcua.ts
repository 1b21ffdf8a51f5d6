// `deno run -A tests/bench/opcua.ts [kills=20]`: what is lost where an OPC UA server, and the
// service that reads it, are killed. Needs PYTHON with the package asyncua; WATTKEEPER is a
// compiled program to run instead of the sources.
import { systemEffects } from "../../src/base/effects.ts";
import { freePort, startServer as startPlant } from "../help/opcua.ts";
import { type Server, startServer } from "../help/process.ts";
import { plain } from "../help/site.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const print = (text: string) => systemEffects().out(text + "\n");
const [kills = 20] = Deno.args.map(Number);

/** Declares a site whose only source has so many counters. */
async function declare(server: Server, token: string, { port, counters }: Plant): Promise<void> {
  const points = Array.from(
    { length: counters },
    (_, i) => ({ tag: `c${i}`, node: `ns=2;i=${1001 + i}` }),
  );
  const endpoint = `opc.tcp://127.0.0.1:${port}/plant/`;
  const sampling = { publish_ms: 500, sampling_ms: 10 };
  const source = { key: "plant", kind: "opcua", security: "none", endpoint, ...sampling, points };
  const answer = await fetch(`${server.address}/admin/v1/sites/s`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...plain, sources: [source] }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

type Plant = { readonly port: number; readonly counters: number };

/** Source's time in microseconds and value of all that the server's history has of a counter. */
async function historyOf(file: string, number: number): Promise<Map<number, number>> {
  const script = `import sqlite3, sys, datetime
table = f'"2_{sys.argv[2]}"'
rows = sqlite3.connect(sys.argv[1]).execute(f'SELECT SourceTimestamp, Value FROM {table}')
for at, value in rows:
    when = datetime.datetime.fromisoformat(at)
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.timezone.utc)
    since = when - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    print(since // datetime.timedelta(microseconds=1), value)`;
  const { stdout, stderr } = await new Deno.Command(Deno.env.get("PYTHON") ?? "python3", {
    args: ["-c", script, file, `${1001 + number}`],
  }).output();
  const said = new TextDecoder().decode(stderr);
  if (said) throw new Error(said);
  const lines = new TextDecoder().decode(stdout).trim().split("\n").map((it) => it.split(" "));
  return new Map(lines.map(([at, value]) => [Number(at), Number(value)]));
}

/** The same of what is stored. */
async function storedOf(server: Server, token: string, tag: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  const page = 100_000;
  for (let offset = 0, count = page; count === page; offset += page) {
    const query = new URLSearchParams({
      ...{
        project_id: "p",
        tag,
        lane: "raw_signal",
        resolution: "raw",
        limit: `${page}`,
        offset: `${offset}`,
      },
      ...{ from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" },
    });
    const answer = await fetch(`${server.address}/platform/v1/signals?${query}`, {
      headers: { authorization: `Bearer ${token}`, accept: "application/json-seq" },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    const rows = text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
    count = rows.length;
    for (const { ts, value } of rows) if (value !== null) found.set(instant(ts), value);
  }
  return found;
}

const instant = (text: string) => {
  const [, whole, part = ""] = /^(.*?)(?:\.(\d+))?Z$/.exec(text)!;
  return Date.parse(`${whole}Z`) * 1000 + Number(part.padEnd(6, "0").slice(0, 6));
};

async function losses(): Promise<void> {
  const folder = await Deno.makeTempDir();
  const history = `${folder}/history`;
  const port = freePort();
  const counters = 3;
  const args = ["--history", history, "--counters", `${counters}`, "--every", "0.05"];
  let plant = await startPlant(port, args);
  let server = await startServer(`${folder}/data`);
  const { token } = server;
  await declare(server, token!, { port, counters });
  await pause(8000);
  for (let i = 0; i < kills; i++) {
    await pause(Math.random() * 6000);
    if (i % 2 === 0) {
      await plant.kill();
      await pause(Math.random() * 2000);
      plant = await startPlant(port, args);
    } else {
      await server.end("SIGKILL");
      await pause(Math.random() * 2000);
      server = await startServer(`${folder}/data`);
    }
    print(`kill ${i + 1} of ${kills}`);
  }
  await pause(40_000);
  // What it had no time to send any more is its own.
  const end_us = (Date.now() - 3000) * 1000;
  await plant.kill();
  await pause(3000);
  let [held_count, lost_count] = [0, 0];
  for (let i = 0; i < counters; i++) {
    const stored = await storedOf(server, token!, `c${i}`);
    const first = Math.min(...stored.keys());
    const held = [...await historyOf(history, i)].filter(([at]) => at >= first && at < end_us);
    const lost = held.filter(([at, value]) => stored.get(at) !== value);
    held_count += held.length;
    lost_count += lost.length;
    print(`c${i}: the server holds ${held.length}, stored ${stored.size}, missing ${lost.length}`);
    for (const [at, value] of lost.slice(0, 5)) {
      print(`  ${new Date(at / 1000).toISOString()} ${value}`);
    }
  }
  print(`${kills} kills: of ${held_count} values that the server holds ${lost_count} are missing`);
  await server.end("SIGTERM");
  await Deno.remove(folder, { recursive: true });
  if (lost_count > 0 || held_count === 0) Deno.exit(1);
}

await losses();
