// `deno run -A tests/bench/upload.ts [MB]`: a file imported over HTTP beside one of a quarter.
//
// Each goes to a server of its own, as a table of 20 columns. The most memory of both is compared,
// and small requests are sent all along: how long they wait beside how long they do alone.
import { declareProject, send } from "../help/client.ts";
import { startServer } from "../help/process.ts";
import { peakMemoryMb } from "./read.ts";

const columns = 20;

type Shown = {
  readonly import_id: string;
  readonly state: string;
  readonly detail: string | null;
  readonly check: { readonly rows: number } | null;
  readonly report: { readonly accepted: number } | null;
};

/** Minutes of `columns` inverters, as they are read, of about so many bytes. */
function wideBody(bytes: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const header = `time,${Array.from({ length: columns }, (_, i) => `INV${i}.P`).join(",")}\n`;
  let [made, row] = [0, 0];
  return new ReadableStream({
    pull(to) {
      if (made >= bytes) return to.close();
      const lines = Array.from({ length: 1000 }, () => {
        const time = new Date(Date.UTC(2000, 0, 1) + row++ * 60_000).toISOString();
        const cells = Array.from(
          { length: columns },
          (_, at) => ((row * 7919 + at * 104_729) % 99_991 / 100).toFixed(2),
        );
        return `${time},${cells.join(",")}\n`;
      });
      const part = encoder.encode((made === 0 ? header : "") + lines.join(""));
      made += part.length;
      to.enqueue(part);
    },
  });
}

/** Imports a file of so many megabytes; what it took. */
async function measure(megabytes: number) {
  const server = await startServer(await Deno.makeTempDir(), { args: ["--memory-mb", "256"] });
  const client = await declareProject(server);
  const call = async (path: string, init?: RequestInit): Promise<Shown> => {
    const url = `${server.address}/ingest/v1/imports${path}?project_id=${client.project_id}`;
    const headers = { authorization: `Bearer ${client.token}` };
    const answer = await fetch(url, { ...init, headers });
    if (!answer.ok) throw new Error(await answer.text());
    return await answer.json();
  };
  let n = 0;
  const small = async () => {
    const from = performance.now();
    await send(server, client, n++);
    return performance.now() - from;
  };
  const alone = await waits(20, small);
  const started = performance.now();
  const { import_id } = await call("", { method: "POST", body: wideBody(megabytes * 1e6) });
  const sent_mb = await peakMemoryMb(server.pid);
  await call(`/${import_id}/import`, { method: "POST" });
  const beside: number[] = [];
  for (;;) {
    beside.push(await small());
    const { state, detail, report } = await call(`/${import_id}`);
    if (state === "imported") {
      const seconds = (performance.now() - started) / 1000;
      const peak_mb = await peakMemoryMb(server.pid);
      await server.end("SIGTERM");
      return { megabytes, sent_mb, peak_mb, seconds, values: report!.accepted, alone, beside };
    }
    const is_busy = ["waiting", "checking", "importing"].includes(state);
    if (!is_busy) throw new Error(`${state} ${detail}`);
  }
}

async function waits(count: number, work: () => Promise<number>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push(await work());
  return found;
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

if (import.meta.main) {
  const megabytes = Number(Deno.args[0] ?? 60);
  const figures = [await measure(megabytes / 4), await measure(megabytes)];
  for (const { megabytes, sent_mb, peak_mb, seconds, values, alone, beside } of figures) {
    const rate = Math.round(values / seconds).toLocaleString("en");
    // deno-lint-ignore no-console -- a command
    console.log(
      `${megabytes} MB: ${values} values in ${seconds.toFixed(1)} s (${rate} values/s), memory ` +
        `at most ${sent_mb.toFixed(0)} MB once it was sent, ${peak_mb.toFixed(0)} MB in all; a ` +
        `small request ${middle(alone).toFixed(0)} ms alone, ` +
        `${middle(beside).toFixed(0)} ms beside, ` +
        `at most ${Math.max(...beside).toFixed(0)} ms`,
    );
  }
  const [quarter, whole] = figures;
  // deno-lint-ignore no-console -- a command
  console.log(
    `memory: ${(whole.peak_mb / quarter.peak_mb).toFixed(2)} times for 4 times the bytes; sent: ` +
      `${(whole.sent_mb / quarter.sent_mb).toFixed(2)} times`,
  );
}
