// Decodes samples from newline-delimited JSON and from one JSON array of rows.
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { isBlank, readElements } from "../json/json_array.ts";
import { JsonRowReader } from "./json_row.ts";
import { readLines } from "../bytes/lines.ts";
import { type Decoded, type DecodeOptions, RowTaker } from "./row_builder.ts";

const too_long = `is longer than ${limits.ingest_line_bytes} bytes`;

/**
 * Rows of a body with one JSON object a line; blank lines are skipped. A last line without a line
 * feed whose object is not finished means that the body broke off: a `Fault` (invalid).
 */
export async function decodeNdjson(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const taker = new RowTaker(options);
  const reader = new JsonRowReader(taker);
  await readLines(body, {
    line: (bytes, at) => {
      let start = at.start;
      while (start < at.end && isBlank(bytes[start])) start++;
      if (start === at.end || reader.row(bytes, start, at)) return;
      if (!at.ended) throw new Fault("invalid", `the body broke off in line ${at.line}`);
      taker.reject(bytes, at.line, "is not JSON: the line ends inside its object");
    },
    tooLong: (line) => taker.rejections.add({ line, tag: null, reason: too_long }),
    meter: options.meter,
  });
  return taker.decoded();
}

/**
 * Rows of a body that is one JSON array of objects; a row's line is its number counted from 1.
 * Anything but one whole array is a `Fault` (invalid).
 */
export async function decodeJsonArray(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const taker = new RowTaker(options);
  const reader = new JsonRowReader(taker);
  await readElements(body, {
    row: (bytes, at) => {
      if (reader.row(bytes, at.start, at)) return;
      taker.reject(bytes, at.line, "is not JSON: the row ends inside its object");
    },
    tooLong: (line) => taker.rejections.add({ line, tag: null, reason: too_long }),
    row_bytes: limits.ingest_line_bytes,
    meter: options.meter,
  });
  return taker.decoded();
}
