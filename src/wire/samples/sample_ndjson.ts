// Prints a batch of rows as the NDJSON that the ingest endpoint takes.
import { utf8 } from "../../base/bytes.ts";
import { isValid } from "../../model/data/chunk.ts";
import { type ForecastBatch, quality_names, type SampleBatch } from "../../model/samples/sample.ts";

/** The rows of a batch as NDJSON; its lane goes into the request. */
export function ndjsonOf(batch: SampleBatch | ForecastBatch): Uint8Array<ArrayBuffer> {
  const lines: string[] = [];
  const fieldsOf = batch.lane === "forecast"
    ? (row: number) => ({
      issued_at: isoOf(batch.issued_at[row]),
      value: batch.value[row],
    })
    : (row: number) => sampleFields(batch, row);
  for (let row = 0; row < batch.rows; row++) {
    const key = { tag: batch.tags[batch.tag[row]], ts: isoOf(batch.ts[row]) };
    lines.push(JSON.stringify({ ...key, ...fieldsOf(row) }) + "\n");
  }
  return utf8(lines.join(""));
}

function sampleFields(batch: SampleBatch, row: number): object {
  const quality = batch.quality[row];
  return {
    ...valueOf(batch, row),
    ...(quality < quality_names.length ? { quality: quality_names[quality] } : {}),
    ...(isValid(batch.status_valid, row) ? { status_code: batch.status_code[row] } : {}),
  };
}

function valueOf(batch: SampleBatch, row: number): object {
  if (isValid(batch.int_valid, row)) return { value_int: String(batch.value_int[row]) };
  const text = batch.value_str.get(row);
  if (text !== undefined) return { value_str: text };
  return Number.isNaN(batch.value[row]) ? {} : { value: batch.value[row] };
}

/** `2026-11-21T05:00:00.123456Z`. */
function isoOf(us: bigint): string {
  const iso = new Date(Number(us / 1000n)).toISOString();
  return `${iso.slice(0, -1)}${String(us % 1000n).padStart(3, "0")}Z`;
}
