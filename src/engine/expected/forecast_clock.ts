// The buckets of a slab as a site's forecasts see them: which minutes count, when each starts.
import type { Axis, Piece, Positions } from "../../model/time/bucket.ts";
import { daylightOf, type Place } from "../../model/time/daylight.ts";
import { type RunBuckets, runBuckets, type Stretch } from "../../model/expected/forecast.ts";
import { dayStart, overlap } from "../../model/time/zone.ts";

/** Which buckets, and whether only their daylight counts. */
type Wanted = { readonly positions: Positions; readonly light_only: boolean };

/** The buckets of an axis at a place. */
export function forecastClock(
  axis: Axis,
  place: Place,
  { positions, light_only }: Wanted,
): RunBuckets {
  const pieces = axis.piecesOf(place.timezone, positions);
  const stretches = light_only ? pieces.flatMap((piece) => litParts(piece, place)) : [...pieces];
  return runBuckets({
    positions,
    stretches: stretches.sort((a, b) => a.from_minute - b.from_minute),
    starts: axis.day_starts
      ? dayStarts(axis.day_starts, place.timezone, positions)
      : clockStarts(pieces, positions),
  });
}

function litParts(piece: Piece, place: Place): readonly Stretch[] {
  const days = Array.from({ length: piece.to_day - piece.from_day }, (_, i) => piece.from_day + i);
  return days.flatMap((day) => daylightOf(place, day))
    .map((span) => ({ ...piece, ...overlap(span, piece) }))
    .filter((part) => part.from_minute < part.to_minute);
}

/** A week, a month or a year may start before the range that is asked for. */
function dayStarts(starts: readonly number[], timezone: string, { from, to }: Positions) {
  return Float64Array.from(starts.slice(from, to), (day) => dayStart(timezone, day));
}

function clockStarts(pieces: readonly Piece[], { from, to }: Positions): Float64Array {
  const starts = new Float64Array(to - from).fill(NaN);
  for (const { from_minute, to_minute, shift, width } of pieces) {
    for (let minute = from_minute; minute < to_minute;) {
      const at = Math.floor((minute + shift) / width);
      if (!(starts[at - from] <= minute)) starts[at - from] = minute;
      minute = (at + 1) * width - shift;
    }
  }
  return starts;
}
