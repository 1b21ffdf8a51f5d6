// Workload W8 below HTTP: rows a second from a body's bytes to committed rows, NDJSON and Arrow.
import { type Data, makeData, RecordBatch, RecordBatchStreamWriter, Schema } from "apache-arrow";
import { Dictionary, Field, Int32, makeVector, Struct } from "apache-arrow";
import { TimestampMicrosecond, Utf8, vectorFromArray } from "apache-arrow";
import type { Effects } from "../../src/base/effects.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Ingest } from "../../src/engine/ingest/ingest.ts";
import { SampleStage, sourceOf } from "../../src/engine/samples/staging.ts";
import type { Project } from "../../src/model/plant/plant.ts";
import type { SampleBatch } from "../../src/model/samples/sample.ts";
import { Database } from "../../src/store/database.ts";
import { appendSamples } from "../../src/store/samples/sample.ts";
import { decodeSamples } from "../../src/wire/decode.ts";
import { openRuleEngine } from "../../src/engine/rules/open.ts";

const tags = 500;
const body_rows = 50_000;
const project: Project = {
  project_no: 1,
  id: "bench",
  organization_id: "bench",
  key: "bench",
  name: "Bench",
  portfolio: null,
  timezone: "UTC",
};

/** Rows a second: decoded only, from bytes to committed, and the limit: committed only. */
export type IngestFigures = {
  readonly format: string;
  readonly decode: number;
  readonly committed: number;
  readonly limit: number;
};

/** Decodes `bodies` bodies of 50 000 rows and stores them in the database file at `path`. */
export async function measureIngest(
  { path, bodies, effects }: {
    readonly path: string;
    readonly bodies: number;
    readonly effects: Effects;
  },
): Promise<readonly IngestFigures[]> {
  const database = await Database.open({ path, effects });
  const figures: IngestFigures[] = [];
  try {
    const catalog = await Catalog.load(database);
    const parts = { database, catalog, effects };
    const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts) });
    const limit = await measureLimit(database, { bodies, effects });
    const start_us = effects.now_us() - 86_400_000_000;
    for (const [i, format] of (["ndjson", "arrow"] as const).entries()) {
      const made = Array.from({ length: bodies }, (_, body) => {
        const from_us = start_us + (i * bodies + body) * (body_rows / tags) * 1_000_000;
        return format === "ndjson" ? ndjsonBody(from_us) : arrowBody(from_us);
      });
      const decode = await rate(effects, made.length * body_rows, async () => {
        for (const bytes of made) await decoded(bytes, format);
      });
      const committed = await rate(effects, made.length * body_rows, async () => {
        // Four bodies under way: some are decoded while another is committed, as over HTTP.
        const lanes = [0, 1, 2, 3].map(async (lane) => {
          for (let body = lane; body < made.length; body += 4) {
            await ingest.add(project, await decoded(made[body], format));
          }
        });
        await Promise.all(lanes);
      });
      figures.push({ format, decode, committed, limit });
    }
  } finally {
    await database.close();
  }
  return figures;
}

/** Rows a second of appending and committing alone, in transactions of the same size. */
async function measureLimit(
  database: Database,
  { bodies, effects }: { readonly bodies: number; readonly effects: Effects },
): Promise<number> {
  const [batch] = (await decoded(arrowBody(0), "arrow")).batches as readonly SampleBatch[];
  const source = sourceOf(batch);
  const stage = new SampleStage(body_rows);
  for (let row = 0; row < batch.rows; row++) {
    stage.put(source, { row, tag_no: 1 + batch.tag[row], store_as: "float", owner: 0 });
  }
  return await rate(effects, bodies * body_rows, async () => {
    for (let body = 0; body < bodies; body++) {
      await database.write(({ connection, stamp_us }) =>
        appendSamples(connection, stage.chunk(stamp_us))
      );
    }
  });
}

const media_types = {
  ndjson: "application/x-ndjson",
  arrow: "application/vnd.apache.arrow.stream",
} as const;

function decoded(bytes: Uint8Array, format: keyof typeof media_types) {
  return decodeSamples(piecesOf(bytes), { media_type: media_types[format], encoding: null });
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function rate(effects: Effects, rows: number, work: () => Promise<void>): Promise<number> {
  const from_ms = effects.monotonic_ms();
  await work();
  return rows / ((effects.monotonic_ms() - from_ms) / 1000);
}

function valueAt(row: number): number {
  return Math.round((row * 7.31) % 50_000) / 10;
}

/** One second of every tag after another, as NDJSON in the form that a collector writes. */
export function ndjsonBody(from_us: number): Uint8Array {
  const lines = Array.from({ length: body_rows }, (_, row) => {
    const ts = new Date(from_us / 1000 + Math.floor(row / tags) * 1000).toISOString();
    return `{"tag":"INV${row % tags}.P_AC","ts":"${ts}","value":${valueAt(row)},"quality":"good"}`;
  });
  return new TextEncoder().encode(lines.join("\n") + "\n");
}

/** The same rows as an Arrow stream, tags and qualities by dictionary. */
export function arrowBody(from_us: number): Uint8Array {
  const ts = BigInt64Array.from(
    { length: body_rows },
    (_, row) => BigInt(from_us + Math.floor(row / tags) * 1_000_000),
  );
  const value = Float64Array.from({ length: body_rows }, (_, row) => valueAt(row));
  const columns: Readonly<Record<string, Data>> = {
    tag: words(Array.from({ length: tags }, (_, i) => `INV${i}.P_AC`), (row) => row % tags),
    ts: makeData({ type: new TimestampMicrosecond("UTC"), data: ts, length: body_rows }),
    value: makeVector(value).data[0],
    quality: words(["good", "uncertain", "bad"], () => 0),
  };
  const fields = Object.entries(columns).map(([name, data]) => new Field(name, data.type, true));
  const children = Object.values(columns);
  const rows = makeData({ type: new Struct(fields), length: body_rows, children });
  const batch = new RecordBatch(new Schema(fields), rows);
  return RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true);
}

function words(texts: readonly string[], codeOf: (row: number) => number): Data {
  return makeData({
    type: new Dictionary(new Utf8(), new Int32()),
    data: Int32Array.from({ length: body_rows }, (_, row) => codeOf(row)),
    dictionary: vectorFromArray(texts, new Utf8()),
    length: body_rows,
  });
}
