// One line of line protocol from its text: its samples, or why it is none.
import { ownText } from "../../base/bytes.ts";
import { earliest_us, latest_us } from "../bytes/instant.ts";
import { textFlaw } from "./row_builder.ts";
import { tagFlaw } from "./tag_index.ts";

/** Microseconds of what the timestamps of a body count, by its name; nanoseconds are cut off. */
export const precision_us = { ns: 0.001, us: 1, ms: 1000, s: 1_000_000 } as const;

/** Units of the timestamps of a body. */
export const precisions = Object.keys(precision_us) as (keyof typeof precision_us)[];

/** How lines become samples, for the reference. */
export const line_doc = "Each field of a line is a sample of the tag `measurement.field`, or of " +
  "`measurement,key=value,key2=value2.field` if the line has tags, sorted by key. Escaped commas " +
  "and equals signs stay escaped. `1i` and `1u` are integers, `1` is a float, `t` and `false` " +
  "are integers of 0 or 1, a quoted text is a string. A line without a timestamp gets the time " +
  "when it arrives.";

/** What timestamps count, and the time of lines without one, in microseconds since 1970. */
export type LineTimes = { readonly precision: keyof typeof precision_us; readonly now_us: number };

type Value = number | bigint | boolean | string;
type Point = { readonly ts_us: number; readonly values: readonly (readonly [string, Value])[] };

/** Why a line is no point that may go on. */
export const broken_off = "ends before its fields do";

/** The point that a trimmed line of text is, or why it is none. */
export function readPoint(text: string, { precision, now_us }: LineTimes): Point | string {
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
export function seriesName(text: string): string | undefined {
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

/** The value that a text writes; undefined where it is none. */
export function readValue(text: string): Value | undefined {
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

function microsOf(stamp: string, precision: LineTimes["precision"]): number {
  if (!/^\d{1,19}$/.test(stamp)) return NaN;
  const us = precision === "ns"
    ? Number(stamp.slice(0, -3))
    : Number(stamp) * precision_us[precision];
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
