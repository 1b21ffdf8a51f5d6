// The time axis of a request: which bucket each minute or day of each zone falls into, in order.
import { monthStart, weekStart, yearStart } from "./calendar.ts";
import type { Interval } from "../performance/performance.ts";
import { clockAxis } from "./wall_clock.ts";
import { day_minutes, dayAt, daySpans, dayStart, type MinuteSpan, overlap } from "./zone.ts";

/** Local days `[from_day, to_day)`, and the UTC minutes that are left of them, if not all. */
export type DayRange = {
  readonly from_day: number;
  readonly to_day: number;
  readonly clip?: MinuteSpan;
};

/** Positions on the axis, `[from, to)`. */
export type Positions = { readonly from: number; readonly to: number };

/**
 * A stretch of a zone's UTC minutes on which the bucket is plain arithmetic: minute m falls to
 * position `floor((m + shift) / width)`. Its minutes lie in the local days `[from_day, to_day)`.
 */
export type Piece = MinuteSpan & {
  readonly from_day: number;
  readonly to_day: number;
  readonly shift: number;
  readonly width: number;
};

/**
 * The ordered buckets of a request. A position is a bucket: a label on the wall clock and, in an
 * hour that a clock repeats, the pass. Buckets of several zones with one label and pass share a
 * position; a position that no zone reaches (an hour that the clock skips) never gets a row.
 */
export type Axis = {
  readonly size: number;
  /** The first local day of each bucket, where buckets are whole days; else null. */
  readonly day_starts: readonly number[] | null;
  /** Bucket starts on the wall clock, minutes since 1970. */
  readonly labelsOf: (positions: Positions) => Int32Array<ArrayBuffer>;
  /** How a zone's minutes map to those positions. */
  readonly piecesOf: (timezone: string, positions: Positions) => readonly Piece[];
};

const sub_day_minutes: Partial<Record<Interval, number>> = {
  OneMinute: 1,
  FiveMinutes: 5,
  TenMinutes: 10,
  FifteenMinutes: 15,
  ThirtyMinutes: 30,
  OneHour: 60,
};

/** The minutes of a bucket that divides a day, or undefined for a whole day and longer. */
export function minutesOf(interval: Interval): number | undefined {
  return sub_day_minutes[interval];
}

/** How many buckets a range has, repeated hours aside, without making them. */
export function countBuckets(interval: Interval, range: DayRange): number {
  return (range.to_day - range.from_day) * day_minutes / (minutesOf(interval) ?? day_minutes);
}

/** The local days that a span of UTC minutes touches, clipped to it unless it is whole days. */
export function rangeOfMinutes(timezone: string, clip: MinuteSpan): DayRange {
  const from_day = dayAt(timezone, clip.from_minute);
  const to_day = dayAt(timezone, clip.to_minute - 1) + 1;
  const whole = dayStart(timezone, from_day) === clip.from_minute &&
    dayStart(timezone, to_day) === clip.to_minute;
  return whole ? { from_day, to_day } : { from_day, to_day, clip };
}

/** What an axis is for: the same local days in each of some time zones. */
export type AxisScope = { readonly range: DayRange; readonly timezones: readonly string[] };

/** The axis of a request. */
export function axisOf(interval: Interval, scope: AxisScope): Axis {
  const { range } = scope;
  const width = minutesOf(interval);
  if (width !== undefined) return clockAxis(width, scope);
  return calendarAxis(startsOf(interval, range), range);
}

/** The local days `[from_day, to_day)` and the position of each. */
export type DayPositions = {
  readonly from_day: number;
  readonly to_day: number;
  readonly buckets: Int32Array;
};

/** The days of `range` that fall to those positions, for an axis of whole days. */
export function dayPositions(
  starts: readonly number[],
  range: DayRange,
  positions: Positions,
): DayPositions {
  const { from_day, to_day } = daysOf(starts, range, positions);
  const buckets = new Int32Array(Math.max(0, to_day - from_day));
  for (let at = positions.from; at < positions.to; at++) {
    const end = (starts[at + 1] ?? to_day) - from_day;
    buckets.fill(at, Math.max(0, starts[at] - from_day), Math.min(buckets.length, end));
  }
  return { from_day, to_day, buckets };
}

/** The first day of each bucket. That of a week, month or year may lie before the range. */
function startsOf(interval: Interval, { from_day, to_day }: DayRange): readonly number[] {
  const starts: number[] = [];
  const { first, next } = calendarSteps(interval, to_day);
  for (let day = first(from_day); day < to_day; day = next(day)) starts.push(day);
  return starts;
}

type Steps = { first: (day: number) => number; next: (day: number) => number };

function calendarSteps(interval: Interval, to_day: number): Steps {
  if (interval === "OneWeek") return { first: weekStart, next: (day) => day + 7 };
  if (interval === "OneMonth") return { first: monthStart, next: (day) => monthStart(day, 1) };
  if (interval === "OneYear") return { first: yearStart, next: (day) => yearStart(day, 1) };
  return { first: (day) => day, next: interval === "Full" ? () => to_day : (day) => day + 1 };
}

function daysOf(starts: readonly number[], range: DayRange, { from, to }: Positions): DayRange {
  return {
    ...range,
    from_day: Math.max(range.from_day, starts[from]),
    to_day: Math.min(range.to_day, starts[to] ?? range.to_day),
  };
}

/** Buckets of whole local days: the same labels in every zone, and nothing repeats. */
function calendarAxis(starts: readonly number[], range: DayRange): Axis {
  return {
    size: starts.length,
    day_starts: range.clip ? null : starts,
    labelsOf: ({ from, to }) => Int32Array.from(starts.slice(from, to), (it) => it * day_minutes),
    piecesOf: (timezone, { from, to }) => {
      const pieces: Piece[] = [];
      for (let at = from; at < to; at++) {
        const days = daysOf(starts, range, { from: at, to: at + 1 });
        const piece = wholePiece(timezone, days, at);
        if (piece) pieces.push(piece);
      }
      return pieces;
    },
  };
}

/** All minutes of some days as one bucket; where a clock goes back over midnight they lie apart. */
function wholePiece(timezone: string, { from_day, to_day, clip }: DayRange, at: number) {
  const spans = daySpans(timezone, from_day, to_day - from_day);
  if (spans.length === 0) return undefined;
  const { from_minute } = spans[0];
  const { to_minute } = spans[spans.length - 1];
  const left = overlap({ from_minute, to_minute }, clip ?? { from_minute, to_minute });
  const width = left.to_minute - left.from_minute;
  if (width <= 0) return undefined;
  return { ...left, from_day, to_day, width, shift: at * width - left.from_minute };
}
