// The axis of buckets that divide a day, through the hours that clocks skip and repeat.
import type { Axis, AxisScope, Piece, Positions } from "./bucket.ts";
import { clippedSegments, day_minutes, type MinuteSpan, overlap } from "./zone.ts";

/**
 * Buckets of `width` minutes of the wall clock. Where a clock goes back, the buckets that it
 * repeats come again as a second pass behind the first. The zones' repeated hours stand beside one
 * another, each moving whatever is later on the wall clock, so that one order holds for all zones.
 */
export function clockAxis(width: number, { range, timezones }: AxisScope): Axis {
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
