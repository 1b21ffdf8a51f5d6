// `deno run -A tests/bench/bounds.ts`: what the runtime and the database's library cost by
// themselves, beside W5 (rows as a stream), W7 (a page of events), W8 (rows that are stored) and
// W11 (memory at rest).
import { systemEffects } from "../../src/base/effects.ts";
import { own_process } from "../../src/engine/core/process.ts";
import type { Chunk } from "../../src/model/data/chunk.ts";
import { DuckFile } from "../../src/store/duckdb/client.ts";
import { run_source } from "../help/process.ts";
import { explain } from "../help/usage.ts";
import { cpuSeconds } from "./peers/process.ts";
import { statusMb } from "./read.ts";

const stream_bytes = 750_000_000;
const row_bytes = 75;
const piece_bytes = 262_144;
const rest_ms = 2_000;
const body_rows = 20_000;
const bodies = 200;
const pass_bodies = 50;

const roles = ["stream", "rest", "store"];
explain("deno run -A tests/bench/bounds.ts", (it, i) => i === 0 && roles.includes(it));
const [role] = Deno.args;
if (role === "stream") serveStream();
else if (role === "rest") await rest();
else if (role === "store") await store();
else await measure();

/** A stream of the same bytes again and again, from memory. */
function serveStream(): void {
  const piece = new Uint8Array(piece_bytes).fill(7);
  const onListen = ({ port }: Deno.NetAddr) => say(`http://127.0.0.1:${port}`);
  Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, () => {
    let left = stream_bytes;
    const pull = (to: ReadableStreamDefaultController<Uint8Array>) => {
      if (left <= 0) return to.close();
      to.enqueue(piece.slice());
      left -= piece.length;
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 1 }));
  });
}

/** An open file, and nothing else. */
async function rest(): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = await DuckFile.open(`${folder}/rest.duckdb`, {});
  file.connect();
  own_process.collectGarbage({ and_shrinks: true });
  own_process.trim();
  say("at rest");
  setInterval(() => {}, 60_000);
}

/**
 * Rows of a body in a transaction each: as samples alone, then also as minutes and readings, those
 * of many bodies in one. Nothing is read, compared or computed. A checkpoint is part of it.
 */
async function store(): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const alone = await storedSeconds(`${folder}/alone.duckdb`, []);
    const rolled = await storedSeconds(`${folder}/rolled.duckdb`, ["minute", "reading"]);
    say(
      `W8: a million rows in commits of ${body_rows}: ${alone.toFixed(2)} s of processor; with a ` +
        `minute and a reading of each, in commits of ${body_rows * pass_bodies}: ` +
        rolled.toFixed(2),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Seconds of the processor for a million samples, stored in other tables too, in larger parts. */
async function storedSeconds(path: string, others: readonly string[]): Promise<number> {
  const file = await DuckFile.open(path, {});
  const connection = file.connect();
  const run = async (sql: string) => (await connection.run(sql)).close();
  const put = (table: string, chunk: Chunk) =>
    connection.append({ table, chunk }, { part_rows: body_rows, flush: "whole" });
  for (const table of ["sample", ...others]) {
    await run(
      `CREATE TABLE ${table} (tag_no INTEGER, ts BIGINT, received_at BIGINT, value DOUBLE)`,
    );
  }
  const begun = await cpuSeconds(Deno.pid);
  for (let from = 0; from < bodies; from += pass_bodies) {
    const chunks = Array.from({ length: pass_bodies }, (_, i) => bodyOf(from + i));
    for (const chunk of chunks) await put("sample", chunk);
    for (const table of others) {
      await run("BEGIN");
      for (const chunk of chunks) await put(table, chunk);
      await run("COMMIT");
    }
  }
  await run("CHECKPOINT");
  const took = await cpuSeconds(Deno.pid) - begun;
  connection.close();
  file.close();
  return took / (bodies * body_rows / 1e6);
}

/** Ten minutes of 2 000 tags. */
function bodyOf(body: number): Chunk {
  const at = (i: number) => BigInt(body * 10 + Math.floor(i / 2_000)) * 60_000_000n;
  const instants = BigInt64Array.from({ length: body_rows }, (_, i) => at(i));
  return {
    rows: body_rows,
    vectors: [
      { kind: "int32", values: Int32Array.from({ length: body_rows }, (_, i) => i % 2_000) },
      { kind: "int64", values: instants },
      { kind: "int64", values: instants },
      {
        kind: "float64",
        values: Float64Array.from({ length: body_rows }, (_, i) => (i * 7_919 + body) % 5_000 / 8),
      },
    ],
  };
}

async function measure(): Promise<void> {
  await beside("stream", async ({ pid, said }) => {
    const rows_m = stream_bytes / row_bytes / 1e6;
    const begun = [await cpuSeconds(pid), await cpuSeconds(Deno.pid)];
    const answer = await fetch(said);
    for await (const _ of answer.body!);
    const sent = await cpuSeconds(pid) - begun[0];
    // What a process took has its children's time in it.
    const read = await cpuSeconds(Deno.pid) - begun[1] - sent;
    const shown = [sent, read].map((seconds) => (seconds / rows_m).toFixed(3));
    say(
      `W5: a million rows of ${row_bytes} bytes: ${shown[0]} s of processor to send, ` +
        `${shown[1]} to read`,
    );
  });
  const events = Array.from({ length: 10_000 }, (_, i) => ({
    event_id: `${i}`.padStart(36, "0"),
    text: "x".repeat(230),
  }));
  JSON.stringify(events);
  const from = performance.now();
  const { length } = JSON.stringify(events);
  const took_ms = performance.now() - from;
  say(`W7: ${(length / 1e6).toFixed(1)} MB of JSON printed in ${took_ms.toFixed(1)} ms`);
  await beside("store", ({ said }) => Promise.resolve(say(said)));
  await beside("rest", async ({ pid }) => {
    await new Promise((resolve) => setTimeout(resolve, rest_ms));
    const mb = async (name: "VmRSS" | "RssFile") => (await statusMb(pid, name)).toFixed(0);
    say(`W11: ${await mb("VmRSS")} MB at rest, ${await mb("RssFile")} of them files`);
  });
}

/** Runs `work` beside a process of its own that plays a role, once that has said something. */
async function beside(
  role: string,
  work: (side: { readonly pid: number; readonly said: string }) => Promise<void>,
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...run_source, "--v8-flags=--expose-gc", Deno.mainModule, role],
    stdout: "piped",
  }).spawn();
  try {
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const { value = "" } = await lines.read();
    await work({ pid: child.pid, said: value.trim() });
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
}

function say(text: string): void {
  systemEffects().out(`${text}\n`);
}
