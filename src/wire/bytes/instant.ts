// Reads ISO 8601 instants from bytes into whole microseconds since 1970 UTC, strictly and fast.
import { type Span, utf8 } from "../../base/bytes.ts";

/** Instants from this on are taken, in microseconds: 1970-01-01T00:00:00Z. */
export const earliest_us = 0;
/** The last instant that is taken: the end of the year 2200. */
export const latest_us = Date.UTC(2201, 0, 1) * 1000 - 1;

/** The form that is wanted, for messages. */
export const instant_form = "an ISO 8601 instant with an offset, such as 2026-11-21T05:00:00.5Z";

const day_us = 86_400_000_000;
const month_days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

let last_date = -1;
let last_date_us = 0;

const pairs = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"));
let text_day = NaN;
let text_date = "";

/**
 * The instant written in a run of `bytes`: `YYYY-MM-DD`, `T`, `HH:MM:SS`, up to nine digits of a
 * fraction (what is finer than a microsecond is cut off), then `Z` or an offset `±HH:MM`, `±HHMM`
 * or `±HH`. NaN when it is not one, or lies outside the years 1970 to 2200 (see `instantFlaw`).
 */
export function instantAt(bytes: Uint8Array, { start, end }: Span): number {
  const date = dateAt(bytes, start, end);
  if (date < 0 || end - start < 20) return NaN;
  const separator = bytes[start + 10];
  if (separator !== 0x54 && separator !== 0x74 && separator !== 0x20) return NaN;
  if (bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return NaN;
  const hour = pairAt(bytes, start + 11);
  const minute = pairAt(bytes, start + 14);
  const second = pairAt(bytes, start + 17);
  if (!(hour < 24 && minute < 60 && second < 60)) return NaN;
  let at = start + 19;
  let micros = 0;
  if (bytes[at] === 0x2e) {
    const first = ++at;
    let scale = 100_000;
    for (; at < end && isDigit(bytes[at]); at++) {
      micros += (bytes[at] - 0x30) * scale;
      scale = scale === 1 ? 0 : scale / 10;
    }
    if (at === first || at - first > 9) return NaN;
  }
  const offset_minutes = offsetAt(bytes, at, end);
  const minutes = hour * 60 + minute - offset_minutes;
  const us = dayStart(date) + (minutes * 60 + second) * 1_000_000 + micros;
  return us >= earliest_us && us <= latest_us ? us : NaN;
}

/** The instant that `text` writes, or NaN; see `instantAt`. */
export function instantOf(text: string): number {
  const bytes = utf8(text);
  return instantAt(bytes, { start: 0, end: bytes.length });
}

/** A local time without an offset, `2026-06-01T06:00` or with seconds, as if it were of UTC. */
export function asUtc(text: string): string {
  return /^.{10}[Tt ]\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`;
}

/** The instant `us` (microseconds since 1970 UTC) as `2026-11-21T05:00:00.123456Z`. */
export function instantText(us: number): string {
  const day = Math.floor(us / day_us);
  if (day !== text_day) {
    text_date = new Date(day * 86_400_000).toISOString().slice(0, 11);
    text_day = day;
  }
  const of_day = us - day * day_us;
  const s = Math.floor(of_day / 1_000_000);
  const micros = of_day - s * 1_000_000;
  const time = `${pairs[Math.floor(s / 3600)]}:${pairs[Math.floor(s / 60) % 60]}:${pairs[s % 60]}`;
  const upper = `${pairs[Math.floor(micros / 10_000)]}${pairs[Math.floor(micros / 100) % 100]}`;
  return `${text_date}${time}.${upper}${pairs[micros % 100]}Z`;
}

/** Why `text` is no instant, as the end of a sentence that begins with its field's name. */
export function instantFlaw(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const year = Number(text.slice(0, 4));
    if (year < 1970 || year > 2200) return `lies outside the years 1970 to 2200: ${shown}`;
    const flaw = dayFlaw(text) ?? clockFlaw(text);
    if (flaw !== undefined) return `${flaw}: ${shown}`;
    if (!Number.isNaN(instantOf(asUtc(text)))) {
      const meant = asUtc(text.replace(" ", "T"));
      return `has no offset: ${shown}; say the zone, such as ${meant} for UTC, or ` +
        meant.replace("Z", "-07:00");
    }
  }
  return `must be ${instant_form}, not ${shown}${meantTime(text)}`;
}

/**
 * Which part of a day `YYYY-MM-DD` is none, as the end of a sentence; undefined for a real day, and
 * for what is not written so.
 */
function dayFlaw(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(text) ?? [];
  if (year === undefined) return undefined;
  if (!(Number(month) >= 1 && Number(month) <= 12)) {
    return `names a day that does not exist, there is no month ${month}`;
  }
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) >= 1 && Number(day) <= days) return undefined;
  return `names a day that does not exist, ${year}-${month} has ${days} days`;
}

/** The same of the time of day behind it. */
function clockFlaw(text: string): string | undefined {
  const [, hour, minute, second = "0"] = /^.{10}[Tt ](\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
  if (hour === undefined) return undefined;
  if (Number(hour) > 23) return `names a time that does not exist, there is no hour ${hour}`;
  if (Number(minute) > 59) return `names a time that does not exist, there is no minute ${minute}`;
  return Number(second) > 59
    ? `names a time that does not exist, there is no second ${second}`
    : undefined;
}

/** The end of a message about a wrong time: what may be meant by it, if that can be told. */
function meantTime(text: string, { day = false } = {}): string {
  const meant = likelyTime(text);
  return meant === undefined ? "" : `; meant ${day ? meant.slice(0, 10) : meant}?`;
}

/** The end of a message about a wrong day: the part that no day has, or what may be meant. */
export function dayHint(text: string): string {
  const flaw = dayFlaw(text);
  return flaw === undefined ? meantTime(text, { day: true }) : `, which ${flaw}`;
}

/** The time of other ways to write one: since 1970, day alone, no offset, other signs. */
function likelyTime(text: string): string | undefined {
  const scale = /^\d+$/.test(text) ? epoch_scales[text.length] : undefined;
  if (scale !== undefined) return `${new Date(Number(text) * scale).toISOString().slice(0, 19)}Z`;
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/.exec(text);
  const [, year, month, day] = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?!\d)/.exec(text) ?? [];
  const [, lone_year, lone_month = "01"] = /^(\d{4})(?:-(\d\d))?$/.exec(text) ?? [];
  const parts = dotted
    ? [dotted[3], dotted[2], dotted[1]]
    : lone_year === undefined
    ? [year, month, day]
    : [lone_year, lone_month, "01"];
  const date = /^\d{4}-\d\d-\d\d(?!\d)/.exec(text)?.[0] ??
    parts.map((part = "") => part.padStart(2, "0")).join("-");
  const [time] = /(?<!\d)\d\d:\d\d(:\d\d)?/.exec(text.slice(8)) ?? [];
  const meant = time === undefined ? `${date}T00:00:00Z` : asUtc(`${date}T${time}`);
  return Number.isNaN(instantOf(meant)) ? undefined : meant;
}

/** What makes milliseconds of a count since 1970, by its digits: s, ms, µs, ns. */
const epoch_scales: Readonly<Record<number, number>> = { 10: 1000, 13: 1, 16: 1e-3, 19: 1e-6 };

/** Year × 10000 + month × 100 + day of a real day, or -1. */
function dateAt(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 10 || bytes[start + 4] !== 0x2d || bytes[start + 7] !== 0x2d) return -1;
  const year = pairAt(bytes, start) * 100 + pairAt(bytes, start + 2);
  const month = pairAt(bytes, start + 5);
  const day = pairAt(bytes, start + 8);
  const date = year * 10_000 + month * 100 + day;
  if (date === last_date) return date;
  if (!(year >= 1969 && year <= 2201 && month >= 1 && month <= 12 && day >= 1)) return -1;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= month_days[month - 1] + (leap ? 1 : 0) ? date : -1;
}

/** Start of a real day in microseconds; the day before is kept, since rows come day by day. */
function dayStart(date: number): number {
  if (date !== last_date) {
    const year = Math.floor(date / 10_000);
    const days = Date.UTC(year, Math.floor(date / 100) % 100 - 1, date % 100) / 86_400_000;
    last_date = date;
    last_date_us = days * day_us;
  }
  return last_date_us;
}

/** Minutes east of UTC of the offset that fills `bytes[at, end)`, or NaN. */
function offsetAt(bytes: Uint8Array, at: number, end: number): number {
  const sign = bytes[at];
  const length = end - at;
  if (length === 1) return (sign | 0x20) === 0x7a ? 0 : NaN;
  if (sign !== 0x2b && sign !== 0x2d) return NaN;
  const colon = length === 6 && bytes[at + 3] === 0x3a;
  if (!colon && length !== 5 && length !== 3) return NaN;
  const hours = pairAt(bytes, at + 1);
  const minutes = length === 3 ? 0 : pairAt(bytes, at + (colon ? 4 : 3));
  if (!(hours < 24 && minutes < 60)) return NaN;
  return (sign === 0x2d ? -1 : 1) * (hours * 60 + minutes);
}

/** The two digits at `at` as a number, or NaN. */
function pairAt(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - 0x30;
  const ones = bytes[at + 1] - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
