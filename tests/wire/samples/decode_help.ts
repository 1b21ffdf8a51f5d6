// Bodies of samples for tests, cut into pieces, and what was decoded as plain records.
import assert from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { isValid } from "../../../src/model/data/chunk.ts";
import type { SampleBatch } from "../../../src/model/samples/sample.ts";
import { type Decoded, decodeSamples, type IngestLane } from "../../../src/wire/decode.ts";
import type { TagIndex } from "../../../src/wire/samples/tag_index.ts";

export const ndjson = "application/x-ndjson";
export const json = "application/json";
export const csv = "text/csv";
export const arrow = "application/vnd.apache.arrow.stream";

/** The instant of most rows, as text and in microseconds. */
export const ts = "2026-11-21T05:00:00Z";
export const ts_us = Date.UTC(2026, 10, 21, 5) * 1000;

export const utf8 = new TextEncoder();

export type Options = { encoding?: string; lane?: IngestLane; piece?: number; tags?: TagIndex };

async function* piecesOf(bytes: Uint8Array, piece: number) {
  for (let at = 0; at < bytes.length; at += piece) yield bytes.slice(at, at + piece);
}

/** Decodes a body that comes in pieces of `piece` bytes. */
export function decode(
  body: string | Uint8Array,
  media_type: string,
  { encoding, lane, piece = 65_536, tags }: Options = {},
): Promise<Decoded> {
  const bytes = typeof body === "string" ? utf8.encode(body) : body;
  const options = { media_type, encoding: encoding ?? null, lane, tags };
  return decodeSamples(piecesOf(bytes, piece), options);
}

/** The rows of a decoded body as plain records. */
export function rowsOf({ batches }: Decoded) {
  return (batches as readonly SampleBatch[]).flatMap((batch) =>
    Array.from({ length: batch.rows }, (_, i) => ({
      line: batch.line[i],
      tag: batch.tags[batch.tag[i]],
      ts: Number(batch.ts[i]),
      value: Number.isNaN(batch.value[i])
        ? isValid(batch.int_valid, i) ? batch.value_int[i] : batch.value_str.get(i) ?? null
        : batch.value[i],
      quality: batch.quality[i] === 255 ? null : batch.quality[i],
      status: isValid(batch.status_valid, i) ? batch.status_code[i] : null,
    }))
  );
}

/** The one rejection of a body. */
export async function reasonOf(body: string | Uint8Array, media_type: string, options?: Options) {
  const { batches, rejected, rejected_count } = await decode(body, media_type, options);
  assert.equal(rejected_count, 1, JSON.stringify({ rejected, rows: batches[0]?.rows }));
  return rejected[0];
}

/** The fault that a body is refused with. */
export function faultOf(body: string | Uint8Array, media_type: string, options?: Options) {
  return faultFrom(decode(body, media_type, options));
}

/** The fault that a decoding ends in. */
export async function faultFrom(decoding: Promise<Decoded>): Promise<Fault> {
  const error = await decoding.then(() => undefined, (error) => error);
  assert.ok(error instanceof Fault, `a Fault, not ${error}`);
  return error;
}
