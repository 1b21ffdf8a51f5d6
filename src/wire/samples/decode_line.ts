// Decodes samples from InfluxDB line protocol, as a Telegraf sends it.
import { type Meter, unmetered } from "../../base/budget.ts";
import { ownText, strictTextOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "../bytes/limits.ts";
import { earliest_us, latest_us } from "../bytes/instant.ts";
import { readLines } from "../bytes/lines.ts";
import { Rejections } from "../bytes/rejections.ts";
import { type Decoded, textFlaw } from "./row_builder.ts";
import { SampleBatchBuilder } from "./sample_builder.ts";
import { tagFlaw } from "./tag_index.ts";

/** Units of the timestamps of a body. */
export const precisions = ["ns", "us", "ms", "s"] as const;
type Precision = typeof precisions[number];

/** How lines become samples, for the reference. */
export const line_doc = "Each field of a line is a sample of the tag `measurement.field`, or of " +
  "`measurement,key=value,key2=value2.field` if the line has tags, sorted by key. Escaped commas " +
  "and equals signs stay escaped. `1i` and `1u` are integers, `1` is a float, `t` and `false` " +
  "are integers of 0 or 1, a quoted text is a string. A line without a timestamp gets the time " +
  "when it arrives.";

type Value = number | bigint | boolean | string;
type Point = { readonly ts_us: number; readonly values: readonly (readonly [string, Value])[] };

/** Rows of a line protocol body. A line is taken whole or rejected. */
export async function decodeLines(
  body: AsyncIterable<Uint8Array>,
  options: { readonly precision: Precision; readonly now_us: number; readonly meter?: Meter },
): Promise<Decoded> {
  const { meter = unmetered } = options;
  const builder = new SampleBatchBuilder("signal", meter);
  const rejections = new Rejections(meter);
  await readLines(body, {
    line: (bytes, { start, end, line, ended }) => {
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

const broken_off = "ends before its fields do";

function readPoint(
  text: string,
  { precision, now_us }: { readonly precision: Precision; readonly now_us: number },
): Point | string {
  const series_end = endOf(text, 0, " ");
  const series = seriesName(text.slice(0, series_end));
  if (series === undefined) return "must begin with measurement,tag=value";
  const values: [string, Value][] = [];
  let at = skipSpaces(text, series_end);
  for (;;) {
    const equals = endOf(text, at, "=, ");
    if (equals >= text.length) return broken_off;
    if (text[equals] !== "=" || equals === at) return "must have fields as name=value";
    const end = valueEnd(text, equals + 1);
    if (end < 0) return broken_off;
    const value = readValue(text.slice(equals + 1, end));
    const name = `${series}.${plain(text.slice(at, equals))}`;
    const flaw = tagFlaw(name);
    if (flaw !== undefined) return `tag ${flaw}`;
    if (value === undefined) return `field ${text.slice(at, equals)} has no readable value`;
    values.push([name, value]);
    at = end + 1;
    if (text[end] !== ",") break;
  }
  const stamp = text.slice(at).trim();
  const ts_us = stamp === "" ? now_us : microsOf(stamp, precision);
  return Number.isNaN(ts_us)
    ? `must end in a timestamp in ${precision} within the years 1970 to 2200`
    : { ts_us, values };
}

/** `measurement` or `measurement,key=value…` with the keys sorted; undefined when it is neither. */
function seriesName(text: string): string | undefined {
  const parts: string[] = [];
  for (let at = 0; at <= text.length;) {
    const end = endOf(text, at, ",");
    parts.push(plain(text.slice(at, end)));
    at = end + 1;
  }
  const [measurement, ...tags] = parts;
  if (measurement === "") return undefined;
  for (const tag of tags) {
    const equals = endOf(tag, 0, "=");
    if (equals === 0 || equals >= tag.length - 1) return undefined;
  }
  return [measurement, ...tags.sort()].join(",");
}

/** Where the first of `stops` without a backslash before it stands, or the end. */
function endOf(text: string, from: number, stops: string): number {
  let at = from;
  for (; at < text.length && !stops.includes(text[at]); at++) if (text[at] === "\\") at++;
  return Math.min(at, text.length);
}

/** Where a field's value ends, or -1 when its quotes don't. */
function valueEnd(text: string, from: number): number {
  if (text[from] !== '"') return endOf(text, from, ", ");
  const end = endOf(text, from + 1, '"');
  return end >= text.length ? -1 : end + 1;
}

function readValue(text: string): Value | undefined {
  if (text.startsWith('"')) {
    const value = text.slice(1, -1).replace(/\\(["\\])/g, "$1");
    return textFlaw(value) === undefined ? ownText(value) : undefined;
  }
  if (/^(t|T|true|True|TRUE)$/.test(text)) return true;
  if (/^(f|F|false|False|FALSE)$/.test(text)) return false;
  if (/^-?\d{1,20}[iu]$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function microsOf(stamp: string, precision: Precision): number {
  if (!/^\d{1,19}$/.test(stamp)) return NaN;
  const scale = { ns: 0, us: 1, ms: 1000, s: 1_000_000 }[precision];
  const us = scale === 0 ? Number(stamp.slice(0, -3)) : Number(stamp) * scale;
  return us >= earliest_us && us <= latest_us ? us : NaN;
}

/** Escaped spaces are no separators in a tag's name: they become plain ones. */
function plain(text: string): string {
  return text.replaceAll("\\ ", " ");
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at++;
  return at;
}
