// `deno run -A tests/bench/bounds.ts`: what the runtime and the database's library cost by
// themselves, beside W5 (rows as a stream), W7 (a page of events) and W11 (memory at rest).
import { systemEffects } from "../../src/base/effects.ts";
import { own_process } from "../../src/engine/core/process.ts";
import { DuckFile } from "../../src/store/duckdb/client.ts";
import { run_source } from "../help/process.ts";
import { cpuSeconds } from "./peers/process.ts";
import { statusMb } from "./read.ts";

const stream_bytes = 750_000_000;
const row_bytes = 75;
const piece_bytes = 262_144;
const rest_ms = 2_000;

const [role] = Deno.args;
if (role === "stream") serveStream();
else if (role === "rest") await rest();
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
