// One line of line protocol from its text: its samples, or why it is none.
import { ownText } from "../../base/bytes.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { earliest_us, instantText, latest_us } from "../bytes/instant.ts";
import { textFlaw } from "./row_builder.ts";
import { tagFlaw } from "./tag_index.ts";

/** What timestamps of a body count: how many microseconds, and the last digits that are cut off. */
export type StampUnit = { readonly scale_us: number; readonly cut: number };

const units = {
  ns: { scale_us: 1, cut: 3 },
  us: { scale_us: 1, cut: 0 },
  ms: { scale_us: 1000, cut: 0 },
  s: { scale_us: 1_000_000, cut: 0 },
  m: { scale_us: 60_000_000, cut: 0 },
  h: { scale_us: 3_600_000_000, cut: 0 },
} as const satisfies Readonly<Record<string, StampUnit>>;

/** Other names of these units: those of the InfluxDB versions. */
const unit_names = {
  ...{ n: "ns", u: "us", µ: "us" },
  ...{ nanosecond: "ns", microsecond: "us", millisecond: "ms", second: "s" },
} as const satisfies Readonly<Record<string, keyof typeof units>>;

/** What a body's timestamps can be said to count; `auto`: what their number of digits tells. */
export type Precision = keyof typeof units | keyof typeof unit_names | "auto";
export const precisions = [
  ...Object.keys(units),
  "auto",
  ...Object.keys(unit_names),
] as Precision[];

/** The unit of a timestamp of so many digits: that in which it is of our years. */
function unitOf(precision: Precision, digits: number): keyof typeof units {
  if (precision === "auto") {
    return digits > 16 ? "ns" : digits > 13 ? "us" : digits > 10 ? "ms" : "s";
  }
  return precision in unit_names
    ? unit_names[precision as keyof typeof unit_names]
    : precision as keyof typeof units;
}

/** The same as what it counts. */
export function stampUnit(precision: Precision, digits: number): StampUnit {
  return units[unitOf(precision, digits)];
}

/** The instants that timestamps may say, both inclusive, in microseconds since 1970. */
export function reachOf(now_us: number): { readonly from_us: number; readonly to_us: number } {
  const reach_us = sample_limits.stamp_reach_us;
  return {
    from_us: Math.max(earliest_us, now_us - reach_us),
    to_us: Math.min(latest_us, now_us + reach_us),
  };
}

/** How lines become samples, for the reference. */
export const line_doc = "Each field of a line is a sample of the tag `measurement.field`, or of " +
  "`measurement,key=value,key2=value2.field` if the line has tags, sorted by key. Escaped commas " +
  "and equals signs stay escaped. `1i` and `1u` are integers, `1` is a float, `t` and `false` " +
  "are integers of 0 or 1, a quoted text is a string. A line without a timestamp gets the time " +
  "when it arrives. A line whose timestamp is more than ten years off is rejected: mostly its " +
  "`precision` is another one. Older history goes to /ingest/v1/signals.";

/** What timestamps count, and the time of lines without one, in microseconds since 1970. */
export type LineTimes = { readonly precision: Precision; readonly now_us: number };

type Value = number | bigint | boolean | string;
type Point = { readonly ts_us: number; readonly values: readonly (readonly [string, Value])[] };

const no_fields = "must have fields as name=value";

/** Why a line is no point that may go on. */
export const broken_off = "ends before its fields do";

/** The point that a trimmed line of text is, or why it is none. */
export function readPoint(text: string, times: LineTimes): Point | string {
  const series_end = endOf(text, 0, " ");
  const series = seriesName(text.slice(0, series_end));
  if (series === undefined) return "must begin with measurement,tag=value";
  const values: [string, Value][] = [];
  let at = skipSpaces(text, series_end);
  for (;;) {
    const equals = endOf(text, at, "=, ");
    if (equals >= text.length) return broken_off;
    if (text[equals] !== "=" || equals === at) return no_fields + cutHint(text.slice(0, equals));
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
  const ts_us = stamp === "" ? times.now_us : microsOf(stamp, times);
  return typeof ts_us === "string" ? ts_us : { ts_us, values };
}

/** What is said where a line's begin ends in a number that a comma may have cut in two. */
export function cutHint(begin: string): string {
  const is_cut = /=-?\d+,\d+i?$/.test(begin);
  return is_cut ? "; a number is written with a decimal point, not with a comma" : "";
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

/** The instant that a timestamp says, or why it says none that may be. */
function microsOf(stamp: string, { precision, now_us }: LineTimes): number | string {
  if (!/^\d{1,19}$/.test(stamp)) {
    return `must end in a timestamp in ${unitOf(precision, stamp.length)}, a whole number`;
  }
  const { from_us, to_us } = reachOf(now_us);
  const instantIn = ({ scale_us, cut }: StampUnit) =>
    Number(stamp.slice(0, cut === 0 ? undefined : -cut)) * scale_us;
  const isNear = (us: number) => us >= from_us && us <= to_us;
  const unit = unitOf(precision, stamp.length);
  const ts_us = instantIn(units[unit]);
  if (isNear(ts_us)) return ts_us;
  const meant = (["ns", "us", "ms", "s"] as const).find((name) => isNear(instantIn(units[name])));
  const said = ts_us > latest_us ? "after the year 2200" : instantText(ts_us).slice(0, 10);
  const hint = meant
    ? `it seems to be in ${meant}: send precision=${meant}`
    : "send the right precision, or history to /ingest/v1/signals";
  return `its timestamp in ${unit} is ${said}, more than ten years off; ${hint}`;
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
