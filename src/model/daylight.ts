// When the sun is up at a place on a local day, to the second and as the minutes of daylight.
import { getTimes } from "suncalc";
import { daySpans, type MinuteSpan, overlap } from "./zone.ts";

/** A place on the earth, degrees north and east, and the zone of its wall clock. */
export type Place = {
  readonly latitude: number;
  readonly longitude: number;
  readonly timezone: string;
};

/** The sun in seconds since 1970 UTC; a polar day or night has only a transit. */
export type SunEvents = {
  readonly transit_s: number;
  readonly sunrise_s: number | null;
  readonly sunset_s: number | null;
  readonly polar: "day" | "night" | null;
};

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
  const spans = daySpans(place.timezone, day);
  const middle = middleOf(spans);
  if (middle === undefined) return [];
  const suns = [-1, 0, 1].map((days) => sunMinutes(place, middle + days * solar_day_minutes));
  const lit = spans.flatMap((span) =>
    suns.filter((sun) => sun !== undefined).map((sun) => overlap(span, sun))
  );
  return joined(lit.filter((span) => span.from_minute < span.to_minute));
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

/** The minutes of one course of the sun; a polar day's reach half a day to both sides. */
function sunMinutes(place: Place, minute: number): MinuteSpan | undefined {
  const sun = sunAround(place, minute);
  if (sun.polar === "night") return undefined;
  return {
    from_minute: Math.floor((sun.sunrise_s ?? sun.transit_s - half_day_s) / 60),
    to_minute: Math.ceil((sun.sunset_s ?? sun.transit_s + half_day_s) / 60),
  };
}

/** Spans in order, those that touch or overlap made one. */
function joined(spans: readonly MinuteSpan[]): readonly MinuteSpan[] {
  const out: MinuteSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from_minute - b.from_minute)) {
    const last = out.at(-1);
    if (last && span.from_minute <= last.to_minute) {
      const to_minute = Math.max(last.to_minute, span.to_minute);
      out[out.length - 1] = { ...last, to_minute };
    } else out.push(span);
  }
  return out;
}
