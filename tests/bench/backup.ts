// `deno run -A tests/bench/backup.ts [rows in millions]`: acknowledgements while a backup is made.
//
// Makes a data directory of its own (320 million samples of random digits: 4.5 GB), serves it,
// sends 1 000 rows a second in ten requests, has a backup made meanwhile, and restores it beside.
import { systemEffects } from "../../src/base/effects.ts";
import { withFile } from "../../src/store/instance.ts";
import { runProgram, startServer } from "../help/process.ts";

const million = Number(Deno.args[0] ?? 320);
const site = new URL("../../data/example.site.toml", import.meta.url).pathname;
const folder = await Deno.makeTempDir({ dir: Deno.args[1] });
const data_dir = `${folder}/data`;
try {
  await run("site", "apply", site);
  await fill(`${data_dir}/wattkeeper.duckdb`);
  const { size } = await Deno.stat(`${data_dir}/wattkeeper.duckdb`);
  print(`${million} million samples, ${(size / 1e9).toFixed(2)} GB`);
  const token = await made("token", "create", "--name", "bench", "--scope", "admin");
  const server = await startServer(data_dir);
  try {
    await measure(server.address, token);
  } finally {
    await server.end("SIGTERM");
  }
  const began_ms = performance.now();
  print((await run("backup", "verify", `${folder}/plant.tar`)).trim());
  print(`restored and compared in ${seconds(began_ms)} s`);
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Samples of tags that no sensor has: rows to be copied, and no work for the roll-up. */
async function fill(path: string): Promise<void> {
  await withFile({ path, memory_mb: 2048 }, async (connection) => {
    for (let at = 0; at < million; at += 10) {
      await connection.script(`
        INSERT INTO sample (tag_no, ts, value, received_at)
        SELECT
          1000000 + i % 1000, 1700000000000000 + i // 1000 * 10000000 + hash(i) % 1000000,
          500 * sin(i / 1e6) + hash(i) / 1e19,
          1700000000000000 + i // 1000 * 10000000
        FROM range(${at}000000, ${Math.min(million, at + 10)}000000) AS numbers(i)`);
      await connection.script("CHECKPOINT");
    }
  });
}

async function measure(address: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const ask = async (method: string, path: string, body?: string) => {
    const response = await fetch(`${address}${path}`, { method, headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { projects } = await ask("GET", "/platform/v1/meta/projects");
  const path = `/ingest/v1/signals?project_id=${projects[0].project_id}`;
  let phase = "before";
  const waits: Record<string, number[]> = { before: [], during: [], after: [] };
  let over = false;
  const send = async (turn: number) => {
    const rows = Array.from({ length: 100 }, (_, i) => ({
      ...{ tag: `bench.${i}`, ts: new Date().toISOString(), value: turn + i / 10 },
    }));
    const began = { ms: performance.now(), phase };
    await ask("POST", path, JSON.stringify(rows));
    waits[began.phase].push(performance.now() - began.ms);
  };
  const writer = async () => {
    const sending: Promise<void>[] = [];
    const began_ms = performance.now();
    for (let turn = 0; !over; turn++) {
      sending.push(send(turn));
      await pause(Math.max(0, began_ms + 100 * (turn + 1) - performance.now()));
    }
    await Promise.all(sending);
  };
  const writing = writer();
  await pause(20_000);
  phase = "during";
  const began_ms = performance.now();
  print((await run("backup", `${folder}/plant.tar`)).trim());
  print(`backed up and read again in ${seconds(began_ms)} s`);
  phase = "after";
  await pause(20_000);
  over = true;
  await writing;
  for (const [phase, list] of Object.entries(waits)) print(`${phase.padEnd(6)}  ${lineOf(list)}`);
}

function lineOf(waits: number[]): string {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0);
  return `${sorted.length} requests, median ${at(0.5)} ms, 99 % ${at(0.99)} ms, slowest ${
    at(1)
  } ms`;
}

async function run(...args: string[]): Promise<string> {
  const { code, out, err } = await runProgram([...args, "--data-dir", data_dir]);
  if (code !== 0) throw new Error(err);
  return out;
}

async function made(...args: string[]): Promise<string> {
  return (await run(...args)).trim();
}

function seconds(began_ms: number): string {
  return ((performance.now() - began_ms) / 1000).toFixed(1);
}

function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}

function print(text: string): void {
  systemEffects().out(`${text}\n`);
}
