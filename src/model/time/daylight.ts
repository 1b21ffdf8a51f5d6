// When the sun is up at a place on a local day, to the second and as the minutes of daylight.
import { getTimes } from "suncalc";
import { minute_us } from "./series.ts";
import { daySpans, type MinuteSpan } from "./zone.ts";

/** A place on the earth, degrees north and east, and the zone of its wall clock. */
export type Place = {
  readonly latitude: number;
  readonly longitude: number;
  readonly timezone: string;
};

/** The sun in seconds since 1970 UTC; a polar day or night has only a transit. */
type SunEvents = {
  readonly transit_s: number;
  readonly sunrise_s: number | null;
  readonly sunset_s: number | null;
  readonly polar: "day" | "night" | null;
};

/** Instants in microseconds since 1970 UTC, [from, to). */
export type TimeSpan = { readonly from_us: number; readonly to_us: number };

const second_us = 1_000_000;
const half_day_s = 43_200;
const solar_day_minutes = 1440;

/**
 * The sun's course around its transit nearest to the middle of the local day (`day` counts from
 * 1970-01-01), by Meeus: within 5 s of the NREL Solar Position Algorithm below 60 degrees and 30 s
 * above. Undefined for a day that the zone skipped.
 */
export function sunEvents(place: Place, day: number): SunEvents | undefined {
  const middle = middleOf(daySpans(place.timezone, day));
  return middle === undefined ? undefined : sunAround(place, middle);
}

/**
 * The daylight of a local day as UTC minutes: every minute of the day that the sun is up in. Up to
 * three spans: before the day's own, the end of one that began the day before (a sunset after
 * midnight), and behind it the start of the next day's.
 */
export function daylightOf(place: Place, day: number): readonly MinuteSpan[] {
  const key = `${place.latitude} ${place.longitude} ${place.timezone} ${day}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const minutes = minutesOf(place, day);
  if (known.size >= most_known) known.delete(keys[oldest]);
  keys[oldest] = key;
  oldest = (oldest + 1) % most_known;
  known.set(key, minutes);
  return minutes;
}

/**
 * What was worked out, each of three courses of the sun: the days of a portfolio are asked for
 * again and again. The ones that came first go.
 */
const known = new Map<string, readonly MinuteSpan[]>();
const most_known = 65_536;

/** Its keys in a ring: the map itself would look for its first one past all that went. */
const keys: string[] = [];
let oldest = 0;

/** Gives the memory of what was worked out back. */
export function forgetDaylight(): void {
  known.clear();
  keys.length = 0;
  oldest = 0;
}

function minutesOf(place: Place, day: number): readonly MinuteSpan[] {
  const minutes = sunlightOf(place, day).map(({ from_us, to_us }) => ({
    from_us: Math.floor(from_us / minute_us) * minute_us,
    to_us: Math.ceil(to_us / minute_us) * minute_us,
  }));
  return joined(minutes, 0).map(({ from_us, to_us }) => ({
    from_minute: from_us / minute_us,
    to_minute: to_us / minute_us,
  }));
}

/** The same to the millisecond: [sunrise, sunset) as far as it lies in the local day. */
export function sunlightOf(place: Place, day: number): readonly TimeSpan[] {
  const spans = daySpans(place.timezone, day);
  const middle = middleOf(spans);
  if (middle === undefined) return [];
  const suns = [-1, 0, 1].map((days) => sunSpan(place, middle + days * solar_day_minutes));
  const lit = spans.flatMap(({ from_minute, to_minute }) =>
    suns.filter((sun) => sun !== undefined).map((sun) => ({
      from_us: Math.max(from_minute * minute_us, sun.from_us),
      to_us: Math.min(to_minute * minute_us, sun.to_us),
    }))
  );
  return joined(lit.filter((span) => span.from_us < span.to_us), minute_us);
}

function middleOf(spans: readonly MinuteSpan[]): number | undefined {
  if (spans.length === 0) return undefined;
  return (spans[0].from_minute + spans[spans.length - 1].to_minute) / 2;
}

function sunAround(place: Place, minute: number): SunEvents {
  const times = getTimes(new Date(minute * 60_000), place.latitude, place.longitude);
  const transit_s = times.solarNoon.getTime() / 1000;
  if (times.sunrise === null || times.sunset === null) {
    return { transit_s, sunrise_s: null, sunset_s: null, polar: times.alwaysUp ? "day" : "night" };
  }
  return {
    transit_s,
    sunrise_s: times.sunrise.getTime() / 1000,
    sunset_s: times.sunset.getTime() / 1000,
    polar: null,
  };
}

/** One course of the sun; a polar day's reaches half a day to both sides. */
function sunSpan(place: Place, minute: number): TimeSpan | undefined {
  const sun = sunAround(place, minute);
  if (sun.polar === "night") return undefined;
  return {
    from_us: Math.round((sun.sunrise_s ?? sun.transit_s - half_day_s) * second_us),
    to_us: Math.round((sun.sunset_s ?? sun.transit_s + half_day_s) * second_us),
  };
}

/**
 * Spans in order, those that overlap or are at most `apart_us` apart made one: solar days differ
 * by some seconds, which is no night between two polar days.
 */
function joined(spans: readonly TimeSpan[], apart_us: number): readonly TimeSpan[] {
  const out: TimeSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from_us - b.from_us)) {
    const last = out.at(-1);
    if (last && span.from_us <= last.to_us + apart_us) {
      out[out.length - 1] = { ...last, to_us: Math.max(last.to_us, span.to_us) };
    } else out.push(span);
  }
  return out;
}
