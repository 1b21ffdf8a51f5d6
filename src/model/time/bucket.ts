// The time axis of a request: the bucket of each minute or day of a zone, and its label.
import { dayText, monthStart, weekStart, yearStart } from "./calendar.ts";
import {
  clippedSegments,
  day_minutes,
  daySpans,
  dayStart,
  type MinuteSpan,
  overlap,
  wallMinute,
} from "./zone.ts";
import { utf8 } from "../../base/bytes.ts";
import type { Words } from "../data/chunk.ts";
import type { Column } from "../data/column.ts";

/** Bucket sizes; the deprecated performance endpoint has all but Full. */
export const intervals = [
  "Full",
  "OneMinute",
  "FiveMinutes",
  "TenMinutes",
  "FifteenMinutes",
  "ThirtyMinutes",
  "OneHour",
  "OneDay",
  "OneWeek",
  "OneMonth",
  "OneYear",
] as const;
export type Interval = typeof intervals[number];

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

/** What adds the start of a bucket as an instant. */
export const instant_inclusion = "ts_utc";

/** The start of a row's bucket, which in a repeated hour tells the passes apart. */
export const instant_column: Column = {
  name: "ts_utc",
  kind: "instant",
  nullable: true,
  optional: true,
  doc: "Start of the bucket as an instant, UTC. Null if the row combines time zones in which the " +
    "bucket starts at different instants. With include=ts_utc.",
};

/** How many buckets a range has, repeated hours aside, without making them. */
export function countBuckets(interval: Interval, range: DayRange): number {
  return (range.to_day - range.from_day) * day_minutes / (minutesOf(interval) ?? day_minutes);
}

/** What an axis is for: the same local days in each of some time zones. */
type AxisScope = { readonly range: DayRange; readonly timezones: readonly string[] };

/** The axis of a request. */
export function axisOf(interval: Interval, scope: AxisScope): Axis {
  const { range } = scope;
  const width = minutesOf(interval);
  if (width !== undefined) return clockAxis(width, scope);
  const axis = calendarAxis(startsOf(interval, range), range);
  if (interval !== "Full" || !range.clip) return axis;
  // The one bucket of a range that begins within a day is called by that time.
  const label = wallMinute(scope.timezones[0], range.clip.from_minute);
  return { ...axis, labelsOf: ({ from, to }) => new Int32Array(to - from).fill(label) };
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

/**
 * The words of the distinct labels in ascending order, and the code of each label. Labels ascend,
 * but for passes that come again.
 */
export function labelWords(labels: Int32Array): {
  readonly words: Words;
  readonly codes: Int32Array;
} {
  const distinct = new Int32Array(labels.length);
  const codes = new Int32Array(labels.length);
  let count = 0;
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i];
    const is_new = count === 0 || label > distinct[count - 1];
    if (is_new) distinct[count++] = label;
    codes[i] = is_new ? count - 1 : indexOf(distinct.subarray(0, count), label);
  }
  return { words: wordsOfLabels(distinct.subarray(0, count)), codes };
}

/** When each bucket starts in a zone, in UTC minutes; NaN where its clock skips the bucket. */
export function startMinutes(axis: Axis, timezone: string): Float64Array {
  if (axis.day_starts) {
    return Float64Array.from(axis.day_starts, (day) => dayStart(timezone, day));
  }
  const starts = new Float64Array(axis.size).fill(NaN);
  const pieces = axis.piecesOf(timezone, { from: 0, to: axis.size });
  for (const { from_minute, to_minute, shift, width } of pieces) {
    const end = Math.ceil((to_minute + shift) / width);
    for (let at = Math.floor((from_minute + shift) / width); at < end; at++) {
      const start = Math.max(from_minute, at * width - shift);
      if (!(starts[at] <= start)) starts[at] = start;
    }
  }
  return starts;
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

/**
 * Buckets of `width` minutes of the wall clock. Where a clock goes back, the buckets that it
 * repeats come again as a second pass behind the first. The zones' repeated hours stand beside one
 * another, each moving whatever is later on the wall clock, so that one order holds for all zones.
 */
function clockAxis(width: number, { range, timezones }: AxisScope): Axis {
  const wall = {
    from_minute: range.from_day * day_minutes,
    to_minute: range.to_day * day_minutes,
  };
  const runs = new Map(timezones.map((zone) => [zone, runsOf(zone, wall, width)]));
  const stretches = stretchesOf(wall, repeatsOf([...runs.values()].flat(), width));
  const last = stretches[stretches.length - 1];
  return {
    size: (last.to_minute + last.shift) / width,
    day_starts: null,
    labelsOf: (positions) => labelsOf(stretches, positions, width),
    piecesOf: (timezone, positions) =>
      runs.get(timezone)!.flatMap((run) =>
        stretches
          .filter((stretch) => stretch.pass === run.pass)
          .flatMap((stretch) => pieceOf(run, stretch, { width, positions, clip: range.clip }))
      ),
  };
}

/** Wall minutes that one offset of one zone covers in one pass. */
type Run = MinuteSpan & {
  readonly offset_minutes: number;
  /** 1 where the clock shows them for the second time. */
  readonly pass: 0 | 1;
};

/** Wall minutes of one pass; on the axis the bucket of label l starts at minute `l + shift`. */
type Stretch = MinuteSpan & { readonly pass: 0 | 1; readonly shift: number };

/** A zone's runs in order. A bucket begun under the offset before comes again, as a second pass. */
function runsOf(timezone: string, wall: MinuteSpan, width: number): readonly Run[] {
  const segments = clippedSegments(timezone, {
    from_minute: wall.from_minute - 2 * day_minutes,
    to_minute: wall.to_minute + 2 * day_minutes,
  });
  return segments.flatMap(({ from_minute, to_minute, offset_minutes }, i) => {
    const local = {
      from_minute: from_minute + offset_minutes,
      to_minute: to_minute + offset_minutes,
    };
    const begun = i === 0 ? -Infinity : from_minute + segments[i - 1].offset_minutes;
    const turn = Math.max(local.from_minute, ceilTo(width, begun));
    const runs: readonly Run[] = [
      { ...overlap(local, { ...wall, to_minute: turn }), offset_minutes, pass: 1 },
      { ...overlap(local, { ...wall, from_minute: turn }), offset_minutes, pass: 0 },
    ];
    return runs
      .map((run) => ({ ...run, ...overlap(run, wall) }))
      .filter((run) => run.from_minute < run.to_minute);
  });
}

/** The buckets that some zone repeats, as spans of labels in order, overlapping ones made one. */
function repeatsOf(runs: readonly Run[], width: number): readonly MinuteSpan[] {
  const repeats: MinuteSpan[] = [];
  const again = runs.filter((run) => run.pass === 1);
  for (const run of again.toSorted((a, b) => a.from_minute - b.from_minute)) {
    const from_minute = Math.floor(run.from_minute / width) * width;
    const to_minute = ceilTo(width, run.to_minute);
    const last = repeats.at(-1);
    if (last && from_minute < last.to_minute) {
      repeats[repeats.length - 1] = {
        from_minute: Math.min(from_minute, last.from_minute),
        to_minute: Math.max(to_minute, last.to_minute),
      };
    } else repeats.push({ from_minute, to_minute });
  }
  return repeats;
}

/** Both passes of all repeats, and what lies between them, in the order of the axis. */
function stretchesOf(wall: MinuteSpan, repeats: readonly MinuteSpan[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let { from_minute } = wall;
  let shift = -wall.from_minute;
  for (const repeat of repeats) {
    stretches.push({ from_minute, to_minute: repeat.to_minute, pass: 0, shift });
    shift += repeat.to_minute - repeat.from_minute;
    stretches.push({ ...repeat, pass: 1, shift });
    from_minute = repeat.to_minute;
  }
  return [...stretches, { from_minute, to_minute: wall.to_minute, pass: 0, shift }];
}

function labelsOf(stretches: readonly Stretch[], positions: Positions, width: number) {
  const labels = new Int32Array(positions.to - positions.from);
  for (const { from_minute, to_minute, shift } of stretches) {
    const from = Math.max(positions.from, (from_minute + shift) / width);
    const to = Math.min(positions.to, (to_minute + shift) / width);
    for (let at = from; at < to; at++) labels[at - positions.from] = at * width - shift;
  }
  return labels;
}

type Cut = { readonly width: number; readonly positions: Positions; readonly clip?: MinuteSpan };

/** The part of a run that lies in a stretch, in the positions and in the clip, if there is one. */
function pieceOf(run: Run, stretch: Stretch, { width, positions, clip }: Cut): readonly Piece[] {
  const labels = overlap(stretch, {
    from_minute: positions.from * width - stretch.shift,
    to_minute: positions.to * width - stretch.shift,
  });
  const local = overlap(run, labels);
  const all = {
    from_minute: local.from_minute - run.offset_minutes,
    to_minute: local.to_minute - run.offset_minutes,
  };
  const left = clip ? overlap(all, clip) : all;
  if (left.from_minute >= left.to_minute) return [];
  return [{
    ...left,
    from_day: Math.floor(local.from_minute / day_minutes),
    to_day: Math.ceil(local.to_minute / day_minutes),
    shift: run.offset_minutes + stretch.shift,
    width,
  }];
}

function ceilTo(width: number, minute: number): number {
  return Math.ceil(minute / width) * width;
}

const label_length = "YYYY-MM-DD HH:MM:SS".length;

/** The place of a label in an ascending list that has it. */
function indexOf(sorted: Int32Array, label: number): number {
  let low = 0;
  for (let high = sorted.length - 1; low < high;) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < label) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wordsOfLabels(labels: Int32Array): Words {
  const bytes = new Uint8Array(labels.length * label_length);
  const offsets = new Int32Array(labels.length + 1);
  let day = NaN;
  let date = utf8("");
  for (let i = 0, at = 0; i < labels.length; i++, at += label_length) {
    const label_day = Math.floor(labels[i] / day_minutes);
    if (label_day !== day) date = utf8(`${dayText(day = label_day)} 00:00:00`);
    for (let j = 0; j < label_length; j++) bytes[at + j] = date[j];
    const minute = labels[i] - day * day_minutes;
    putTwoDigits(bytes, at + "YYYY-MM-DD ".length, Math.floor(minute / 60));
    putTwoDigits(bytes, at + "YYYY-MM-DD HH:".length, minute % 60);
    offsets[i + 1] = at + label_length;
  }
  return { bytes, offsets };
}

function putTwoDigits(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = "0".charCodeAt(0) + Math.floor(value / 10);
  bytes[at + 1] = "0".charCodeAt(0) + value % 10;
}
