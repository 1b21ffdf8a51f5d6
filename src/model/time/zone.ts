// A zone's offsets from UTC as a handful of segments of minutes, so that no row ever needs a zone.
import { meant } from "../../base/did_you_mean.ts";

/** Minutes since 1970 UTC in `[from_minute, to_minute)` read `minute + offset_minutes` locally. */
type ZoneSegment = {
  readonly from_minute: number;
  readonly to_minute: number;
  readonly offset_minutes: number;
};

/** A range of UTC minutes, `[from_minute, to_minute)`. */
export type MinuteSpan = { readonly from_minute: number; readonly to_minute: number };

/** Minutes of a day. */
export const day_minutes = 1440;

/** Rules come from the IANA database for these years; outside them the outermost offset holds. */
const first_known = "1900-01-01T00:00:00Z";
const last_known = "2202-01-01T00:00:00Z";
const known = new Map<string, readonly ZoneSegment[]>();

/** Whether `name` is an IANA time zone (`Europe/Madrid`, `UTC`); a bare offset is none. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** Why a name is no time zone, with what may be meant. */
export function zoneFlaw(name: string): string {
  const zones = Intl.supportedValuesOf("timeZone");
  const is_offset = /^(UTC|GMT|CET)? ?[+-]?\d/i.test(name);
  const hint = is_offset
    ? "; an offset knows no summer time: give the zone of a place, such as Europe/Madrid"
    : meant(name, zones);
  return `${JSON.stringify(name)} is not an IANA time zone${hint}`;
}

/** The offsets of `timezone` over a span of minutes, clipped to it. */
export function clippedSegments(timezone: string, span: MinuteSpan): readonly ZoneSegment[] {
  return segmentsOf(timezone)
    .filter((it) => it.from_minute < span.to_minute && it.to_minute > span.from_minute)
    .map((it) => ({ ...it, ...overlap(it, span) }));
}

/**
 * The UTC minutes of the local days `[day, day + days)`: one span, or two where a clock goes back
 * over midnight; none for a day that the zone skipped.
 */
export function daySpans(timezone: string, day: number, days = 1): readonly MinuteSpan[] {
  const spans: MinuteSpan[] = [];
  const wall = { from_minute: day * day_minutes, to_minute: (day + days) * day_minutes };
  const around = {
    from_minute: wall.from_minute - 2 * day_minutes,
    to_minute: wall.to_minute + 2 * day_minutes,
  };
  for (const segment of clippedSegments(timezone, around)) {
    const span = overlap(segment, {
      from_minute: wall.from_minute - segment.offset_minutes,
      to_minute: wall.to_minute - segment.offset_minutes,
    });
    if (span.from_minute >= span.to_minute) continue;
    const last = spans.at(-1);
    if (last?.to_minute === span.from_minute) {
      spans[spans.length - 1] = { ...last, to_minute: span.to_minute };
    } else spans.push(span);
  }
  return spans;
}

/** The first UTC minute of a local day; for a day that the zone skipped, of the next one. */
export function dayStart(timezone: string, day: number): number {
  return daySpans(timezone, day, 2)[0].from_minute;
}

/** The UTC minutes at which a wall clock reads so: one; none or two where it is changed. */
export function minutesAt(timezone: string, wall: number): readonly number[] {
  const around = { from_minute: wall - 2 * day_minutes, to_minute: wall + 2 * day_minutes };
  return clippedSegments(timezone, around).flatMap((segment) => {
    const minute = wall - segment.offset_minutes;
    return minute >= segment.from_minute && minute < segment.to_minute ? [minute] : [];
  });
}

/** The local day that a UTC minute is in. */
export function dayAt(timezone: string, minute: number): number {
  return Math.floor(wallMinute(timezone, minute) / day_minutes);
}

/** What the wall clock reads at a UTC minute, in minutes since 1970. */
export function wallMinute(timezone: string, minute: number): number {
  const [segment] = clippedSegments(timezone, { from_minute: minute, to_minute: minute + 1 });
  return minute + segment.offset_minutes;
}

/** An instant in microseconds as people of a zone write it: `2026-06-01 10:00:00 +02:00`. */
export function localText(timezone: string, at_us: number): string {
  const minute = Math.floor(at_us / 60e6);
  const [{ offset_minutes }] = clippedSegments(timezone, {
    from_minute: minute,
    to_minute: minute + 1,
  });
  const wall = (ms: number) => new Date(ms).toISOString();
  const local = wall(at_us / 1000 + offset_minutes * 60_000).slice(0, 19).replace("T", " ");
  const offset = wall(Math.abs(offset_minutes) * 60_000).slice(11, 16);
  return `${local} ${offset_minutes < 0 ? "-" : "+"}${offset}`;
}

/** What two spans share; empty (`from_minute >= to_minute`) when they are apart. */
export function overlap(a: MinuteSpan, b: MinuteSpan): MinuteSpan {
  return {
    from_minute: Math.max(a.from_minute, b.from_minute),
    to_minute: Math.min(a.to_minute, b.to_minute),
  };
}

function segmentsOf(timezone: string): readonly ZoneSegment[] {
  const found = known.get(timezone);
  if (found) return found;
  const segments: ZoneSegment[] = [];
  const last_ms = Date.parse(last_known);
  let at = Temporal.Instant.from(first_known).toZonedDateTimeISO(timezone);
  for (let from_minute = -Infinity; from_minute < Infinity;) {
    const next = at.getTimeZoneTransition("next");
    const last = next === null || next.epochMilliseconds >= last_ms;
    const to_minute = last ? Infinity : Math.round(next.epochMilliseconds / 60_000);
    segments.push({ from_minute, to_minute, offset_minutes: offsetOf(at) });
    from_minute = to_minute;
    if (next) at = next;
  }
  known.set(timezone, segments);
  return segments;
}

/** Offsets of local mean time, before zones, have seconds: they count as the nearest minute. */
function offsetOf(at: Temporal.ZonedDateTime): number {
  return Math.round(at.offsetNanoseconds / 60e9);
}
