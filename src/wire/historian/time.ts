// The ways historians and loggers write a row's time, and telling from the rows which one it is.
import { Fault } from "../../base/fault.ts";

/** A time as written: microseconds of the wall clock's own 1970, and the offset if one was said. */
type WrittenTime = { readonly wall_us: number; readonly offset_minutes: number | null };

type Reader = (text: string) => WrittenTime | undefined;

const clock =
  String.raw`(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([AaPp][Mm]))?)?` +
  String.raw`\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$`;
const year_first = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})` + clock);
const year_last = new RegExp(String.raw`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d),?` + clock);
const month_name = new RegExp(
  String.raw`^(\d{1,2})[- ]([A-Za-z]{3})[a-z]*[- ](\d{4}|\d\d),?` + clock,
);
const packed = /^(\d{4})(\d\d)(\d\d)(?:[T ]?(\d\d):?(\d\d):?(\d\d)?)?$/;
const month_names = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const day_us = 86_400_000_000;
/** A wall clock goes back at most this far. */
const back_us = day_us / 12;

/** Every form by the name that `--time-format` takes, with an example. */
export const time_forms = {
  iso: { example: "2026-11-21 05:00:00.5", read: isoTime },
  mdy: { example: "11/21/2026 5:00 AM", read: monthFirst },
  dmy: { example: "21.11.2026 05:00:00", read: dayFirst },
  dby: { example: "21-Nov-2026 05:00:00", read: dayMonthName },
  packed: { example: "20261121 0500", read: packedTime },
  epoch_s: { example: "1795237200", read: epoch(1_000_000, /^\d{9,10}(\.\d+)?$/) },
  epoch_ms: { example: "1795237200000", read: epoch(1000, /^\d{12,13}(\.\d+)?$/) },
  epoch_us: { example: "1795237200000000", read: epoch(1, /^\d{15,16}$/) },
} as const satisfies Record<string, { readonly example: string; readonly read: Reader }>;

/** The name of a form of time. */
export type TimeForm = keyof typeof time_forms;

const day_orders: readonly TimeForm[] = ["mdy", "dmy"];

/**
 * The form that most of `texts` (rows' times, in order) are written in; `complete` when these are
 * all of the file. Day and month are told apart by a number over 12, else by rows through a day
 * that go on without a jump in one reading only. Throws a `Fault` (invalid) when no form fits half
 * of them, and when the order can't be told.
 */
export function detectTimeForm(
  texts: readonly string[],
  { complete }: { readonly complete: boolean },
): TimeForm {
  const scored = (Object.keys(time_forms) as TimeForm[]).map((form) => {
    const times = texts.map(time_forms[form].read).filter((time) => time !== undefined);
    return { form, times: times.map(({ wall_us }) => wall_us) };
  }).toSorted((a, b) => b.times.length - a.times.length);
  const [best, second] = scored;
  if (best.times.length * 2 < texts.length || best.times.length === 0) {
    throw new Fault("invalid", `no known form of time fits the time column: ${shown(texts)}`);
  }
  const tied = second.times.length === best.times.length;
  if (!tied || !day_orders.includes(best.form)) return best.form;
  // Every row on 11/11: both readings are the same.
  if (complete && best.times.every((time, i) => time === second.times[i])) return best.form;
  const [steady, ...others] = [best, second].filter(({ times }) => isSteady(times));
  if (steady && others.length === 0) return steady.form;
  throw new Fault(
    "invalid",
    `can't tell day from month in ${shown(texts)}: name the form, mdy or dmy`,
  );
}

/** Whether rows run through the day, none more than a day apart nor far back. */
function isSteady(times: readonly number[]): boolean {
  const steps = times.slice(1).map((time, i) => time - times[i]);
  if (steps.some((step) => step < -back_us || step > day_us)) return false;
  return steps.filter((step) => step < day_us / 2).length * 2 > steps.length;
}

function shown(texts: readonly string[]): string {
  return texts.slice(0, 2).map((text) => JSON.stringify(text.slice(0, 40))).join(", ");
}

function isoTime(text: string): WrittenTime | undefined {
  const match = year_first.exec(text);
  if (!match) return undefined;
  const [, year, month, day, ...rest] = match;
  return timeOf({ year: Number(year), month: Number(month), day: Number(day) }, rest);
}

function monthFirst(text: string): WrittenTime | undefined {
  const match = year_last.exec(text);
  if (!match) return undefined;
  const [, month, day, year, ...rest] = match;
  return timeOf({ year: fullYear(year), month: Number(month), day: Number(day) }, rest);
}

function dayFirst(text: string): WrittenTime | undefined {
  const match = year_last.exec(text);
  if (!match) return undefined;
  const [, day, month, year, ...rest] = match;
  return timeOf({ year: fullYear(year), month: Number(month), day: Number(day) }, rest);
}

function dayMonthName(text: string): WrittenTime | undefined {
  const match = month_name.exec(text);
  if (!match) return undefined;
  const [, day, name, year, ...rest] = match;
  const month = month_names.indexOf(name.toLowerCase()) + 1;
  return timeOf({ year: fullYear(year), month, day: Number(day) }, rest);
}

function packedTime(text: string): WrittenTime | undefined {
  const match = packed.exec(text);
  if (!match) return undefined;
  const [, year, month, day, ...rest] = match;
  return timeOf({ year: Number(year), month: Number(month), day: Number(day) }, rest);
}

function epoch(unit_us: number, pattern: RegExp): Reader {
  return (text) => {
    if (!pattern.test(text)) return undefined;
    return { wall_us: Math.round(Number(text) * unit_us), offset_minutes: 0 };
  };
}

/** Two digits mean the years 1970 to 2069. */
function fullYear(text: string): number {
  if (text.length === 4) return Number(text);
  return Number(text) + (Number(text) < 70 ? 2000 : 1900);
}

type Day = { readonly year: number; readonly month: number; readonly day: number };

/** A day and hour, minute, second, fraction, AM or PM, offset; undefined for one that is none. */
function timeOf(
  { year, month, day }: Day,
  [hour = "0", minute = "0", second = "0", fraction = "", half, offset]: readonly string[],
): WrittenTime | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (year < 1970 || year > 2200 || date.getUTCMonth() !== month - 1) return undefined;
  const hours = half ? hoursOf(Number(hour), half) : Number(hour);
  // Loggers write the end of a day as 24:00.
  const midnight = hours === 24 && Number(minute) === 0 && Number(second) === 0;
  if (!(hours < 24 || midnight) || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = hours * 3600 + Number(minute) * 60 + Number(second);
  const micros = Number(fraction.slice(0, 6).padEnd(6, "0"));
  const wall_us = date.getTime() * 1000 + seconds * 1_000_000 + micros;
  return { wall_us, offset_minutes: offset ? offsetMinutes(offset) : null };
}

/** NaN for an hour that no twelve-hour clock shows. */
function hoursOf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return NaN;
  return hour % 12 + (half.toLowerCase() === "pm" ? 12 : 0);
}

/** Minutes east of UTC of `Z`, `UTC`, `-07:00` or `-0700`. */
function offsetMinutes(text: string): number {
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(text);
  if (!match) return 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}
