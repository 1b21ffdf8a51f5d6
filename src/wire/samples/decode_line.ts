// Decodes samples from InfluxDB line protocol, as a Telegraf sends it.
import { type Meter, unmetered } from "../../base/budget.ts";
import { strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "../bytes/limits.ts";
import { readLines } from "../bytes/lines.ts";
import { Rejections } from "../bytes/rejections.ts";
import { LineReader } from "./line_reader.ts";
import { broken_off, type LineTimes, precision_us, readPoint } from "./line_text.ts";
import type { Decoded } from "./row_builder.ts";
import { SampleBatchBuilder } from "./sample_builder.ts";
import type { TagIndex } from "./tag_index.ts";

/** Units of the timestamps of a body. */
export const precisions = Object.keys(precision_us) as (keyof typeof precision_us)[];

/** How lines become samples, for the reference. */
export const line_doc = "Each field of a line is a sample of the tag `measurement.field`, or of " +
  "`measurement,key=value,key2=value2.field` if the line has tags, sorted by key. Escaped commas " +
  "and equals signs stay escaped. `1i` and `1u` are integers, `1` is a float, `t` and `false` " +
  "are integers of 0 or 1, a quoted text is a string. A line without a timestamp gets the time " +
  "when it arrives.";

/** Rows of a line protocol body. A line is taken whole or rejected. */
export async function decodeLines(
  body: AsyncIterable<Uint8Array>,
  options: LineTimes & { readonly meter?: Meter; readonly tags?: TagIndex },
): Promise<Decoded> {
  const { meter = unmetered, tags } = options;
  const builder = new SampleBatchBuilder("signal", { meter, tags });
  const rejections = new Rejections(meter);
  const reader = new LineReader(builder, options);
  await readLines(body, {
    line: (bytes, { start, end, line, ended }) => {
      if (reader.take(bytes, { start, end, line })) return;
      const text = strictTextOf(bytes.subarray(start, end))?.trim();
      if (text === "" || text?.startsWith("#")) return;
      const point = text === undefined ? "is not UTF-8" : readPoint(text, options);
      if (typeof point !== "string") {
        for (const [tag, value] of point.values) {
          builder.add({ line, tag, ts_us: point.ts_us, value });
        }
      } else if (!ended && point === broken_off) {
        throw new Fault("invalid", `the body broke off in line ${line}`);
      } else {
        rejections.add({ line, tag: null, reason: point });
      }
    },
    tooLong: (line) => {
      const reason = `is longer than ${body_limits.ingest_line_bytes} bytes`;
      rejections.add({ line, tag: null, reason });
    },
    meter,
  });
  return {
    batches: builder.rows === 0 ? [] : [builder.build()],
    rejected: rejections.shown,
    rejected_count: rejections.count,
  };
}
