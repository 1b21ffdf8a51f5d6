// Workload W8: rows a second over HTTP, acknowledged after their commit, a reader beside it.
import { systemEffects } from "../../src/base/effects.ts";
import type { Server } from "../help/process.ts";
import type { Figure } from "./figure.ts";
import { arrowBody, measureIngest, ndjsonBody } from "./ingest.ts";
import { Reader } from "./read.ts";
import type { World } from "./world.ts";

const body_rows = 50_000;
const bodies = 16;
const lanes = 4;
const targets = { ndjson: 800_000, arrow: 1_500_000 } as const;
const media_types = {
  ndjson: "application/x-ndjson",
  arrow: "application/vnd.apache.arrow.stream",
} as const;

/** W8 against a running server; the limit is the same work in one process without HTTP. */
export async function* measureWrites(server: Server, world: World): AsyncGenerator<Figure> {
  const limits = await belowHttp();
  let from_us = Date.now() * 1000 - 86_400_000_000;
  for (const format of ["ndjson", "arrow"] as const) {
    const made = Array.from({ length: bodies }, () => {
      from_us += body_rows / 500 * 1_000_000;
      return format === "ndjson" ? ndjsonBody(from_us) : arrowBody(from_us);
    });
    const value = await sendAll(made, { server, world, format });
    yield {
      workload: "W8",
      what: `ingest over HTTP beside a reader, ${format}`,
      ...{ value, unit: "rows/s", target: `≥ ${targets[format].toLocaleString("en")}` },
      met: value >= targets[format],
      limit: { what: "without HTTP and reader", value: limits[format] },
    };
  }
}

/** Four clients send the bodies while a fifth reads; gives the rows acknowledged a second. */
async function sendAll(
  made: readonly Uint8Array[],
  { server, world, format }: {
    readonly server: Server;
    readonly world: World;
    readonly format: keyof typeof media_types;
  },
): Promise<number> {
  let busy = true;
  const reading = readWhile(() => busy, new Reader(server, world));
  const from = performance.now();
  await Promise.all(Array.from({ length: lanes }, async (_, lane) => {
    for (let i = lane; i < made.length; i += lanes) {
      const answer = await fetch(`${server.address}/ingest/v1/signals?project_id=p0`, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${world.token}`,
          "content-type": media_types[format],
        },
        body: made[i] as Uint8Array<ArrayBuffer>,
      });
      const { accepted } = await answer.json();
      if (accepted !== body_rows) throw new Error(`only ${accepted} rows were accepted`);
    }
  }));
  const seconds = (performance.now() - from) / 1000;
  busy = false;
  await reading;
  return made.length * body_rows / seconds;
}

async function readWhile(busy: () => boolean, reader: Reader): Promise<void> {
  const month = { dt_start: "2025-12-01", dt_end: "2025-12-31", time_interval: "OneDay" };
  while (busy()) await reader.performance(month);
}

async function belowHttp(): Promise<Record<string, number>> {
  const folder = await Deno.makeTempDir();
  const effects = systemEffects();
  const figures = await measureIngest({ path: `${folder}/ingest.duckdb`, bodies: 8, effects });
  await Deno.remove(folder, { recursive: true });
  return Object.fromEntries(figures.map(({ format, committed }) => [format, committed]));
}
