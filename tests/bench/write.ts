// Workload W8: values a second over HTTP, acknowledged after their commit, a reader beside it.
import { systemEffects } from "../../src/base/effects.ts";
import type { Server } from "../help/process.ts";
import type { Figure } from "./figure.ts";
import { body_minutes, body_values, type Format, formats, makeBody } from "./bodies.ts";
import { measureIngest } from "./ingest.ts";
import { Reader } from "./read.ts";
import type { World } from "./world.ts";

const bodies = 40;
const lanes = 4;
const targets = { line: 1_300_000, ndjson: 1_000_000, arrow: 2_000_000 } as const;
type Measured = keyof typeof targets;

/** W8 against a running server; the limit is the same work in one process without HTTP. */
export async function* measureWrites(server: Server, world: World): AsyncGenerator<Figure> {
  const limits = await belowHttp();
  let from_us = Date.now() * 1000 - 86_400_000_000;
  for (const format of ["line", "ndjson", "arrow"] as const) {
    const made = Array.from({ length: bodies }, () => {
      from_us += body_minutes * 60_000_000;
      return makeBody(format, from_us);
    });
    const value = await sendAll(made, { server, world, format });
    yield {
      workload: "W8",
      what: `ingest over HTTP beside a reader, ${format}`,
      ...{ value, unit: "values/s", target: `≥ ${targets[format].toLocaleString("en")}` },
      met: value >= targets[format],
      limit: { what: "without HTTP and reader", value: limits[format] },
    };
  }
}

/** Four clients send the bodies while a fifth reads; gives the values acknowledged a second. */
async function sendAll(
  made: readonly Uint8Array<ArrayBuffer>[],
  { server, world, format }: {
    readonly server: Server;
    readonly world: World;
    readonly format: Measured;
  },
): Promise<number> {
  let busy = true;
  const reading = readWhile(() => busy, new Reader(server, world));
  const from = performance.now();
  await Promise.all(Array.from({ length: lanes }, async (_, lane) => {
    for (let i = lane; i < made.length; i += lanes) {
      const { path, media_type } = formats[format];
      const answer = await fetch(`${server.address}/ingest/v1/${path}?project_id=p0`, {
        method: "POST",
        headers: {
          "authorization": `Bearer ${world.token}`,
          "content-type": media_type,
        },
        body: made[i],
      });
      const { accepted } = await answer.json();
      if (accepted !== body_values) throw new Error(`only ${accepted} rows were accepted`);
    }
  }));
  const seconds = (performance.now() - from) / 1000;
  busy = false;
  await reading;
  return made.length * body_values / seconds;
}

async function readWhile(busy: () => boolean, reader: Reader): Promise<void> {
  const month = { dt_start: "2025-12-01", dt_end: "2025-12-31", time_interval: "OneDay" };
  while (busy()) await reader.performance(month);
}

async function belowHttp(): Promise<Readonly<Record<Format, number>>> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/ingest.duckdb`;
  const wanted = Object.keys(targets) as Measured[];
  const figures = measureIngest({ path, bodies, effects: systemEffects(), wanted });
  const rates = { line: 0, ndjson: 0, json: 0, csv: 0, arrow: 0 };
  for await (const { format, committed } of figures) rates[format] = committed.rate;
  await Deno.remove(folder, { recursive: true });
  return rates;
}
