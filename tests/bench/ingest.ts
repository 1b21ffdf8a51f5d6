// `deno run -A tests/bench/ingest.ts [bodies] [format …]`: ingest below HTTP, by format.
import process from "node:process";
import { type Effects, systemEffects } from "../../src/base/effects.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../src/engine/ingest/ingest.ts";
import { SampleStage, sourceOf } from "../../src/engine/samples/staging.ts";
import type { Project } from "../../src/model/plant/plant.ts";
import type { SampleBatch } from "../../src/model/samples/sample.ts";
import { Database } from "../../src/store/database.ts";
import { appendSamples } from "../../src/store/samples/sample.ts";
import { type Decoded, decodeSamples } from "../../src/wire/decode.ts";
import { assert } from "../../src/base/assert.ts";
import { decodeLines } from "../../src/wire/samples/decode_line.ts";
import type { TagIndex } from "../../src/wire/samples/tag_index.ts";
import { openRuleEngine } from "../../src/engine/rules/open.ts";
import { body_minutes, body_values, type Format, formats, makeBody } from "./bodies.ts";

const project: Project = {
  project_no: 1,
  id: "bench",
  organization_id: "bench",
  key: "bench",
  name: "Bench",
  portfolio: null,
  timezone: "UTC",
};

/** Values a second, and seconds of the processor for a million of them. */
type Rate = { readonly rate: number; readonly cpu_s: number };

/** Decoded only, from bytes to committed, and the limit: committed only. */
export type IngestFigures = {
  readonly format: Format;
  readonly decode: Rate;
  readonly committed: Rate;
  readonly limit: Rate;
};

/** Decodes `bodies` bodies of each format and stores them in the database file at `path`. */
export async function* measureIngest(
  { path, bodies, effects, wanted }: {
    readonly path: string;
    readonly bodies: number;
    readonly effects: Effects;
    readonly wanted: readonly Format[];
  },
): AsyncGenerator<IngestFigures> {
  const database = await Database.open({ path, effects });
  try {
    const catalog = await Catalog.load(database);
    const parts = { database, catalog, effects };
    const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts) });
    const at = {
      tags: ingest.tags.of(project.project_no, "signal"),
      now_us: effects.now_us(),
    };
    const limit = await measureAppend(database, bodies);
    const body_us = body_minutes * 60_000_000;
    let from_us = effects.now_us() - (bodies + 1) * wanted.length * body_us;
    for (const format of wanted) {
      const [first, ...made] = Array.from({ length: bodies + 1 }, () => {
        from_us += body_us;
        return makeBody(format, from_us);
      });
      await ingest.add(project, await decodeBody(first, format, at));
      const decode = await rateOf(made.length, async () => {
        for (const bytes of made) await decodeBody(bytes, format, at);
      });
      const committed = await rateOf(made.length, async () => {
        // Four bodies under way: some are decoded while another is committed, as over HTTP.
        const lanes = [0, 1, 2, 3].map(async (lane) => {
          for (let body = lane; body < made.length; body += 4) {
            await ingest.add(project, await decodeBody(made[body], format, at));
          }
        });
        await Promise.all(lanes);
      });
      yield { format, decode, committed, limit };
    }
  } finally {
    await database.close();
  }
}

/** Appending and committing alone, in transactions of a body each. */
export async function measureAppend(database: Database, bodies: number): Promise<Rate> {
  const { batches: [batch] } = await decodeBody(makeBody("arrow", 0), "arrow", { now_us: 0 });
  const source = sourceOf(batch as SampleBatch);
  const stage = new SampleStage(body_values);
  for (let row = 0; row < batch.rows; row++) {
    stage.put(source, { row, tag_no: 1 + batch.tag[row], store_as: "float", owner: 0 });
  }
  return await rateOf(bodies, async () => {
    for (let body = 0; body < bodies; body++) {
      await database.write(({ connection, stamp_us }) =>
        appendSamples(connection, stage.chunk(stamp_us))
      );
    }
  });
}

/** The rows of a body of about `now_us`, none of which may be refused. */
export async function decodeBody(
  bytes: Uint8Array,
  format: Format,
  { tags, now_us }: { readonly tags?: TagIndex; readonly now_us: number },
): Promise<Decoded> {
  const pieces = piecesOf(bytes);
  const { media_type } = formats[format];
  const found = format === "line"
    ? await decodeLines(pieces, { precision: "ns", now_us, tags })
    : await decodeSamples(pieces, { media_type, encoding: null, tags });
  assert(found.rejected_count === 0, "nothing of a body is rejected");
  return found;
}

/** As a body comes in over HTTP. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536);
}

async function rateOf(bodies: number, work: () => Promise<void>): Promise<Rate> {
  const values = bodies * body_values;
  const from_ms = performance.now();
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return { rate: values / (performance.now() - from_ms) * 1000, cpu_s: (user + system) / values };
}

async function main(): Promise<void> {
  const effects = systemEffects();
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-ingest-" });
  const named = Deno.args.filter((arg): arg is Format => arg in formats);
  const wanted = named.length > 0 ? named : Object.keys(formats) as Format[];
  const bodies = Number(Deno.args.find((arg) => /^\d+$/.test(arg)) ?? 50);
  const print = (parts: readonly (string | Rate)[]) => {
    const cells = parts.map((part) =>
      typeof part === "string" ? part : `${part.cpu_s.toFixed(2)} (${(part.rate / 1e6).toFixed(2)})`
    );
    effects.out(`${cells.map((cell) => cell.padEnd(14)).join("")}\n`);
  };
  effects.out("CPU seconds per million values (million values a second)\n");
  print(["format", "decode", "committed", "append alone"]);
  try {
    const path = `${folder}/ingest.duckdb`;
    for await (const row of measureIngest({ path, bodies, effects, wanted })) {
      print([row.format, row.decode, row.committed, row.limit]);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await main();
