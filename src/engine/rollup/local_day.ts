// The local day of quarter-hours, their minutes with daylight, and how high the sun stands.
import { type Chunk, int32sOf } from "../../model/data/chunk.ts";
import { quarter_minutes } from "../../model/rollup/whole.ts";
import { daylightOf } from "../../model/time/daylight.ts";
import { minute_us } from "../../model/time/series.ts";
import { sunAt } from "../../model/time/sun.ts";
import { clippedSegments, day_minutes, type MinuteSpan } from "../../model/time/zone.ts";
import type { RollPlace } from "../../store/rollup/plant.ts";

/** Minutes and local days with their ends. */
type LocalDays = {
  /** As `roll_day` has them. */
  readonly days: Chunk;
  readonly from_minute: number;
  readonly to_minute: number;
  readonly from_day: number;
  readonly to_day: number;
};

/**
 * Gives each quarter-hour (columns project_no, site_no, quarter, in this order) its local day, the
 * mask of its daylight minutes (bit i for minute i) and the sun's altitude in degrees.
 */
export function localDays(needed: Chunk, sites: readonly RollPlace[]): LocalDays {
  const places = new Map(
    sites.map((place) => [`${place.project_no}/${place.site_no}`, place]),
  );
  const [project_no, site_no, quarter] = needed.vectors.map(int32sOf);
  const day = new Int32Array(needed.rows);
  const light = new Int32Array(needed.rows);
  const altitude = new Int32Array(needed.rows);
  for (let from = 0, i = 1; i <= needed.rows; i++) {
    if (
      i < needed.rows && project_no[i] === project_no[from] && site_no[i] === site_no[from]
    ) continue;
    const place = places.get(`${project_no[from]}/${site_no[from]}`);
    if (place) {
      const run = {
        quarter: quarter.subarray(from, i),
        day: day.subarray(from, i),
        light: light.subarray(from, i),
        altitude: altitude.subarray(from, i),
      };
      fillDays(place, run);
    }
    from = i;
  }
  return {
    days: chunkOf([project_no, site_no, quarter, day, light, altitude]),
    from_minute: leastOf(quarter) * quarter_minutes,
    to_minute: (mostOf(quarter) + 1) * quarter_minutes - 1,
    from_day: leastOf(day),
    to_day: mostOf(day),
  };
}

function leastOf(values: Int32Array): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}

function mostOf(values: Int32Array): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity);
}

type DayRun = {
  /** In rising order. */
  readonly quarter: Int32Array;
  readonly day: Int32Array;
  readonly light: Int32Array;
  /** Degrees. */
  readonly altitude: Int32Array;
};

/** Every zone's offset is a multiple of a quarter-hour, so a quarter-hour has one local day. */
function fillDays(place: RollPlace, run: DayRun): void {
  const { quarter, day, light, altitude } = run;
  const segments = clippedSegments(place.timezone, {
    from_minute: quarter[0] * quarter_minutes,
    to_minute: (quarter[quarter.length - 1] + 1) * quarter_minutes,
  });
  const daylight = new Map<number, readonly MinuteSpan[]>();
  for (let i = 0, s = 0; i < quarter.length; i++) {
    const minute = quarter[i] * quarter_minutes;
    while (segments[s].to_minute <= minute) s++;
    day[i] = Math.floor((minute + segments[s].offset_minutes) / day_minutes);
    const { latitude, longitude, timezone } = place;
    if (latitude === null || longitude === null) continue;
    let spans = daylight.get(day[i]);
    if (!spans) {
      spans = daylightOf({ latitude, longitude, timezone }, day[i]);
      daylight.set(day[i], spans);
    }
    light[i] = spans.reduce((mask, span) => mask | maskOf(span, minute), 0);
    const middle_us = (minute + quarter_minutes / 2) * minute_us;
    altitude[i] = Math.round(90 - sunAt({ latitude, longitude }, middle_us).zenith);
  }
}

/** The minutes of the quarter-hour from `minute` on that a span holds, as bits. */
function maskOf(span: MinuteSpan, minute: number): number {
  const from = Math.min(Math.max(span.from_minute - minute, 0), quarter_minutes);
  const to = Math.min(Math.max(span.to_minute - minute, 0), quarter_minutes);
  return (1 << to) - (1 << from);
}

function chunkOf(columns: readonly Int32Array<ArrayBuffer>[]): Chunk {
  return {
    rows: columns[0].length,
    vectors: columns.map((values) => ({ kind: "int32", values })),
  };
}
