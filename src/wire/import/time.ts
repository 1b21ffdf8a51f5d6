// The ways exports write a row's time, and telling from the rows which one it is.
import { offsetMinutes, zone_marks } from "./zone_mark.ts";
import { importRefusal } from "./refusal.ts";

/** A time as written: microseconds of the wall clock's own 1970, and the offset if one was said. */
type WrittenTime = {
  readonly wall_us: number;
  readonly offset_minutes: number | null;
  /** Whether letters such as CEST say the offset, which mean others elsewhere. */
  readonly lettered?: boolean;
};

/** Reads a time in one form; undefined for what is none. */
type Reader = (text: string) => WrittenTime | undefined;

const half = String.raw`(?<half>[AaPp]\.?\s?[Mm]\.?|上午|下午|午前|午後|오전|오후)`;
const zone = String.raw`(?<zone>${Object.keys(zone_marks).join("|")}|` +
  String.raw`(?:UTC|GMT)[+-]\d{1,2}(?::?\d\d)?|[+-]\d\d(?::?\d\d)?)`;
const clock_text = String.raw`(?:${half}?\s?(?<hour>\d{1,2})(?<colon>[:.h])(?<minute>\d\d)` +
  String.raw`(?:\k<colon>(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?` +
  String.raw`(?:\s?${half.replace("half", "half_behind")})?)`;
const clock = String.raw`(?:,?[T ]\s*(?:${clock_text}|(?<hour_alone>\d{1,2})(?=$| )))?\s*${zone}?$`;
const year_first = new RegExp(
  String.raw`^(?<year>\d{4})(?<sign>[-/.]|年)\s?(?<month>\d{1,2})(?:\k<sign>|月)\s?` +
    String.raw`(?<day>\d{1,2})(?:\.|日)?` + clock,
);
const year_last = new RegExp(
  String.raw`^(?<first>\d{1,2})(?<sign>[-/.])(?<other>\d{1,2})\k<sign>(?<year>\d{4}|\d\d)` + clock,
);
const short_year_first = new RegExp(
  String.raw`^(?<year>\d\d)(?<sign>[-/.])(?<month>\d\d)\k<sign>(?<day>\d\d)` + clock,
);
const year_last_dots = /^\d{1,2}\.\d{1,2}\./;
const word = String.raw`(?<name>[\p{L}\u0300-\u036f]{3,})\.?`;
const day_name = new RegExp(
  String.raw`^(?:[\p{L}]{2,}\.?,? )?(?<day>\d{1,2})\.?[- ](?:de )?${word}[- ](?:de )?` +
    String.raw`(?<year>\d{4}|\d\d)` + clock,
  "u",
);
const name_day = new RegExp(
  String.raw`^(?:[\p{L}]{2,}\.?,? )?${word} (?<day>\d{1,2}),? (?<year>\d{4})` + clock,
  "u",
);
const packed = new RegExp(
  String.raw`^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)` +
    String.raw`(?:[T :]?(?<hour>\d\d):?(?<minute>\d\d):?(?<second>\d\d)?)?${zone}?$`,
);
const day_of_year = new RegExp(
  String.raw`^(?<year>\d{4})[-/ ](?<day>\d{1,3})(?:[T ](?:(?<packed>\d{1,4})$|` +
    clock_text.replaceAll(/\?<(half|half_behind)>/g, "?<$1>") + "))?$",
);
const parts = /^(\d{4}) (\d{1,2}) (\d{1,2})(?: (\d{1,2})(?: (\d{1,2})(?: (\d{1,2})(?:\.0*)?)?)?)?$/;
const clock_alone = new RegExp(`^${clock_text}$`);
const day_us = 86_400_000_000;
/** A wall clock goes back at most this far. */
const back_us = day_us / 12;

/** Languages whose names of months are read. */
const languages = "en de fr es it pt nl pl cs sk sv da nb fi tr hu ro el ru uk".split(" ");

/** Every form by the name that `--time-format` takes, with an example. */
export const time_forms = {
  iso: { example: "2026-11-21 05:00:00.5", read: isoTime },
  mdy: { example: "11/21/2026 5:00 AM", read: monthFirst },
  dmy: { example: "21.11.2026 05:00:00", read: dayFirst },
  ymd: { example: "26/11/21 05:00", read: shortYearFirst },
  dby: { example: "21-Nov-2026 05:00:00", read: monthName },
  packed: { example: "20261121 0500", read: packedTime },
  ydoy: { example: "2026 325 0500", read: dayOfYear },
  parts: { example: "2026 11 21 5 0", read: timeInParts },
  epoch_s: { example: "1795237200", read: epoch(1_000_000, /^\d{9,10}(\.\d+)?$/) },
  epoch_ms: { example: "1795237200000", read: epoch(1000, /^\d{12,13}(\.\d+)?$/) },
  epoch_us: { example: "1795237200000000", read: epoch(1, /^\d{15,16}$/) },
  epoch_ns: { example: "1795237200000000000", read: epochNanos },
  excel: { example: "46347.2083333", read: excelTime },
} satisfies Record<string, { readonly example: string; readonly read: Reader }>;

/** The name of a form of time. */
export type TimeForm = keyof typeof time_forms;

/** Forms that only a table's names or a person can choose: their numbers could be anything. */
const chosen_forms: readonly TimeForm[] = ["parts", "ydoy"];
const day_orders: readonly TimeForm[] = ["mdy", "dmy", "ymd"];

/**
 * The form that most of `texts` (rows' times, in order) are written in; `complete` when these are
 * all of the file, `more` reads further ones. Day, month and a short year are told apart by numbers
 * that only one of them can be, by dots, which only days before months have, else by rows through a
 * day that go on without a jump in one reading only. Throws a `Fault` (invalid) when no form fits
 * half of them, and when the order can't be told.
 */
export function detectTimeForm(
  texts: readonly string[],
  { complete, more }: { readonly complete: boolean; readonly more?: () => readonly string[] },
): TimeForm {
  const forms = (Object.keys(time_forms) as TimeForm[]).filter((it) => !chosen_forms.includes(it));
  const scored = forms.map((form) => {
    const times = texts.map(time_forms[form].read).filter((time) => time !== undefined);
    return { form, times: times.map(({ wall_us }) => wall_us) };
  }).toSorted((a, b) => b.times.length - a.times.length);
  const [best] = scored;
  if (best.times.length * 2 < texts.length || best.times.length === 0) {
    throw importRefusal(
      `no known form of time fits the time column: ${shown(texts)}. Say which columns are the ` +
        "time with --time-column, and how it is written with --time-format",
      { name: "time_unknown", values: { example: shown(texts) } },
    );
  }
  const tied = scored.filter(({ times }) => times.length === best.times.length);
  if (tied.length === 1 || !day_orders.includes(best.form)) return best.form;
  // Every row on 11/11: all readings are the same.
  const alike = tied.every(({ times }) => times.every((time, i) => time === best.times[i]));
  if (complete && alike) return best.form;
  const [steady, ...others] = tied.filter(({ times }) => isSteady(times));
  if (steady && others.length === 0) return steady.form;
  if (more !== undefined) return detectTimeForm(more(), { complete });
  throw importRefusal(
    `can't tell day, month and year apart in ${shown(texts)}: say ` +
      tied.map(({ form }) => `--time-format ${form}`).toSorted().reverse().join(" or "),
    { name: "day_order", values: { example: shown(texts) } },
  );
}

/** Whether rows run through the day, none more than a day apart nor far back. */
function isSteady(all: readonly number[]): boolean {
  const times = all.length > 1 && all[0] > all[all.length - 1] ? all.toReversed() : all;
  const steps = times.slice(1).map((time, i) => time - times[i]);
  if (steps.some((step) => step < -back_us || step > day_us)) return false;
  return steps.filter((step) => step < day_us / 2).length * 2 > steps.length;
}

/** The form that words such as `dd/MM/yyyy HH:mm` in a header announce, if they do. */
export function announcedForm(header: string): TimeForm | undefined {
  const [letters] = /(?:[dmy]{1,4}[-/. ]+){2}[dmy]{2,4}/i.exec(header) ?? [];
  if (letters === undefined) return undefined;
  const order = letters.toLowerCase().replaceAll(/[^dmy]/g, "").replaceAll(/(.)\1+/g, "$1");
  if (order === "mdy" || order === "dmy") return order;
  if (order !== "ymd") return undefined;
  return /^y{1,2}[^y]/i.test(letters) ? "ymd" : "iso";
}

/** Whether a cell is a time of day alone. */
export function isClock(text: string): boolean {
  return clock_alone.test(text);
}

function shown(texts: readonly string[]): string {
  return texts.slice(0, 2).map((text) => JSON.stringify(text.slice(0, 40))).join(", ");
}

type Groups = Readonly<Record<string, string | undefined>>;

function isoTime(text: string): WrittenTime | undefined {
  const groups = year_first.exec(text)?.groups;
  return groups && timeOf(groups, [Number(groups.year), groups.month, groups.day]);
}

function monthFirst(text: string): WrittenTime | undefined {
  const groups = year_last_dots.test(text) ? undefined : year_last.exec(text)?.groups;
  return groups && timeOf(groups, [fullYear(groups.year), groups.first, groups.other]);
}

function dayFirst(text: string): WrittenTime | undefined {
  const groups = year_last.exec(text)?.groups;
  return groups && timeOf(groups, [fullYear(groups.year), groups.other, groups.first]);
}

function shortYearFirst(text: string): WrittenTime | undefined {
  const groups = short_year_first.exec(text)?.groups;
  return groups && timeOf(groups, [fullYear(groups.year), groups.month, groups.day]);
}

function monthName(text: string): WrittenTime | undefined {
  const groups = (day_name.exec(text) ?? name_day.exec(text))?.groups;
  const month = groups && monthNames().get(plainName(groups.name ?? ""));
  return !month ? undefined : timeOf(groups, [fullYear(groups.year), String(month), groups.day]);
}

function packedTime(text: string): WrittenTime | undefined {
  const groups = packed.exec(text)?.groups;
  return groups && timeOf(groups, [Number(groups.year), groups.month, groups.day]);
}

/** The time of day may be a number without a colon: 905 is five past nine. */
function dayOfYear(text: string): WrittenTime | undefined {
  const groups = day_of_year.exec(text)?.groups;
  const day = Number(groups?.day);
  if (!groups || day < 1 || day > 366) return undefined;
  const whole = groups.packed?.padStart(4, "0");
  const time = whole ? { hour: whole.slice(0, 2), minute: whole.slice(2) } : groups;
  const first = timeOf(time, [Number(groups.year), "1", "1"]);
  return first && { ...first, wall_us: first.wall_us + (day - 1) * day_us };
}

function timeInParts(text: string): WrittenTime | undefined {
  const [, year, month, day, hour, minute, second] = parts.exec(text) ?? [];
  return year ? timeOf({ hour, minute, second }, [Number(year), month, day]) : undefined;
}

function epoch(unit_us: number, pattern: RegExp): Reader {
  return (text) => {
    if (!pattern.test(text)) return undefined;
    return { wall_us: Math.round(Number(text) * unit_us), offset_minutes: 0 };
  };
}

function epochNanos(text: string): WrittenTime | undefined {
  if (!/^\d{18,19}$/.test(text)) return undefined;
  return { wall_us: Number(BigInt(text) / 1000n), offset_minutes: 0 };
}

/** Days since 30 December 1899, as exact as their decimals: the whole minute or second meant. */
function excelTime(text: string): WrittenTime | undefined {
  const [, decimals] = /^\d{5}(?:[.,](\d+))?$/.exec(text) ?? [];
  const days = Number(text.replace(",", "."));
  if (!/^\d{5}([.,]\d+)?$/.test(text) || days < 25_569 || days >= 110_000) return undefined;
  const wall_us = Math.round((days - 25_569) * 86_400_000) * 1000;
  const error_us = Math.max(2000, 0.6 * day_us / 10 ** (decimals?.length ?? 0));
  const meant_us = [60_000_000, 1_000_000].map((step) => Math.round(wall_us / step) * step)
    .find((it) => Math.abs(it - wall_us) <= error_us);
  return { wall_us: decimals === undefined ? wall_us : meant_us ?? wall_us, offset_minutes: null };
}

let month_names: ReadonlyMap<string, number> | undefined;

/** The months by their names, long and short, in every language where these say one month only. */
function monthNames(): ReadonlyMap<string, number> {
  if (month_names) return month_names;
  const found = new Map<string, number>();
  for (const language of languages) {
    for (const month of ["long", "short"] as const) {
      for (const day of [undefined, "numeric"] as const) {
        const format = new Intl.DateTimeFormat(language, { month, day, timeZone: "UTC" });
        for (let i = 0; i < 12; i++) {
          const parts = format.formatToParts(new Date(Date.UTC(2026, i, 1)));
          const name = plainName(parts.find(({ type }) => type === "month")?.value ?? "");
          const known = found.get(name);
          if (name.length > 2) found.set(name, known === undefined || known === i + 1 ? i + 1 : 0);
        }
      }
    }
  }
  for (const [name, month] of [["mrz", 3], ["okt", 10], ["dez", 12], ["sept", 9]] as const) {
    found.set(name, month);
  }
  return month_names = found;
}

/** A name in small letters, without a dot and signs above letters. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(".", "").normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** Two digits mean the years 1970 to 2069. */
function fullYear(text = ""): number {
  if (text.length === 4) return Number(text);
  return Number(text) + (Number(text) < 70 ? 2000 : 1900);
}

/** A day with the time of day and the offset in `groups`; undefined for one that is none. */
function timeOf(
  groups: Groups,
  [year, month_text, day]: readonly [number, string | undefined, string | undefined],
): WrittenTime | undefined {
  const { hour = groups.hour_alone ?? "0", minute = "0", second = "0", fraction = "", zone } =
    groups;
  const month = Number(month_text);
  const date = new Date(Date.UTC(year, month - 1, Number(day)));
  if (year < 1970 || year > 2200 || date.getUTCMonth() !== month - 1) return undefined;
  const half = groups.half ?? groups.half_behind;
  const hours = half ? hoursOf(Number(hour), half) : Number(hour);
  // Loggers write the end of a day as 24:00.
  const midnight = hours === 24 && Number(minute) === 0 && Number(second) === 0;
  if (!(hours < 24 || midnight) || Number(minute) > 59 || Number(second) > 59) return undefined;
  const seconds = hours * 3600 + Number(minute) * 60 + Number(second);
  const micros = Number(fraction.slice(0, 6).padEnd(6, "0"));
  const wall_us = date.getTime() * 1000 + seconds * 1_000_000 + micros;
  const lettered = zone !== undefined && /^[A-Z]{3,}$/.test(zone) && !/^(UTC|GMT)$/.test(zone);
  return { wall_us, offset_minutes: zone ? offsetMinutes(zone) : null, lettered };
}

/** NaN for an hour that no twelve-hour clock shows. */
function hoursOf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return NaN;
  return hour % 12 + (/^p|下午|午後|오후/i.test(half) ? 12 : 0);
}
