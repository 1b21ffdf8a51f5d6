// The days that are looked at: whole local days, none of them later than the last that is over.
import { dayAfter, isDay } from "../frame/zone.ts";

/** Ranges that have a name. */
export const presets = ["yesterday", "week", "month", "last_month", "year"] as const;
export type Preset = typeof presets[number];

/** Sizes of buckets of days. */
export type Interval = "OneDay" | "OneWeek" | "OneMonth";

/** Days, both included. */
export type Days = { readonly from: string; readonly to: string };

/** The days of a range, and the size of the buckets in which they are shown. */
export type Range = Days & { readonly interval: Interval; readonly preset: Preset | undefined };

/** Up to this many days are shown by day, and by week. */
const most_days = { OneDay: 45, OneWeek: 190 } as const;

/** The range that parameters of the address name; `last` is the last day that is over. */
export function rangeOf(
  { range, from, to }: Readonly<Record<"range" | "from" | "to", string | undefined>>,
  last: string,
): Range {
  const preset = presets.find((it) => it === range) ?? "month";
  const named = daysOf(preset, last);
  if (!isDay(from) && !isDay(to)) return { ...named, interval: intervalOf(named), preset };
  const end = isDay(to) && to < last ? to : last;
  const days = { from: isDay(from) && from < end ? from : end, to: end };
  return { ...days, interval: intervalOf(days), preset: undefined };
}

/** The days of a named range. */
function daysOf(preset: Preset, last: string): Days {
  if (preset === "yesterday") return { from: last, to: last };
  if (preset === "week") return { from: dayAfter(last, -6), to: last };
  if (preset === "year") return { from: `${last.slice(0, 4)}-01-01`, to: last };
  const first = monthStart(last);
  if (preset === "month") return { from: first, to: last };
  const end = dayAfter(first, -1);
  return { from: monthStart(end), to: end };
}

/** The first day of the month that a day is in. */
export function monthStart(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

/** The last day of the month that a day is in. */
export function monthEnd(day: string): string {
  return dayAfter(monthStart(dayAfter(monthStart(day), 31)), -1);
}

/** How many days there are. */
export function lengthOf({ from, to }: Days): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
}

/** The days of a range that the bucket has that begins on `start`. */
export function bucketDays(start: string, { from, to, interval }: Range): Days {
  const end = interval === "OneDay"
    ? start
    : interval === "OneWeek"
    ? dayAfter(start, 6)
    : monthEnd(start);
  return { from: start < from ? from : start, to: end > to ? to : end };
}

function intervalOf(days: Days): Interval {
  const length = lengthOf(days);
  if (length <= most_days.OneDay) return "OneDay";
  return length <= most_days.OneWeek ? "OneWeek" : "OneMonth";
}
