// Offsets from UTC as exports write them: -07:00, UTC+1, CEST.
import { Fault } from "../../base/fault.ts";
import { clippedSegments, day_minutes, isTimezone } from "../../model/time/zone.ts";
import { importRefusal } from "./refusal.ts";

/** Offsets in minutes that letters behind a time say. Some mean others elsewhere. */
export const zone_marks: Readonly<Record<string, number>> = {
  ...{ Z: 0, UTC: 0, GMT: 0, WET: 0, WEST: 60, BST: 60, CET: 60, MEZ: 60, CEST: 120, MESZ: 120 },
  ...{ EET: 120, EEST: 180, MSK: 180, JST: 540, KST: 540, SAST: 120, AWST: 480, ACST: 570 },
  ...{ ACDT: 630, AEST: 600, AEDT: 660, NZST: 720, NZDT: 780, HST: -600, AKST: -540, AKDT: -480 },
  ...{ PST: -480, PDT: -420, MST: -420, MDT: -360, CST: -360, CDT: -300, EST: -300, EDT: -240 },
};

/** Minutes east of UTC of `Z`, `CEST`, `UTC+01`, `-07:00` or `-0700`. */
export function offsetMinutes(text: string): number {
  const match = /([+-])(\d{1,2})(?::?(\d\d))?$/.exec(text);
  if (!match) return zone_marks[text] ?? 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3] ?? 0));
}

/** An offset in minutes as `-07:00`. */
export function offsetText(minutes: number): string {
  const pad = (value: number) => String(value).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

/** The offsets in minutes that a header says of its times: `Time (UTC+1)`, `MST`, `MEZ/MESZ`. */
export function announcedOffsets(header: string): readonly number[] {
  const said = [...header.matchAll(/(?<![A-Za-z])(?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d\d)?(?!\d)/g)]
    .map(([text]) => offsetMinutes(text.replace(/\s/g, "")));
  // As a whole, or in brackets or behind a line: "West" alone is no zone, "WEST" may be.
  const marks = header.split(/[^A-Za-z]+/).filter((it) => it.length > 1).filter((it) =>
    it.toUpperCase() in zone_marks && (it === it.toUpperCase() || /^(utc|gmt)$/i.test(it))
  ).filter((it) => said.length === 0 || !/^(utc|gmt)$/i.test(it));
  return [...new Set([...said, ...marks.map((it) => zone_marks[it.toUpperCase()])])];
}

const zone_words = "time ?_?zone|zeitzone|fuseau(?: horaire)?|huso(?: horario)?|" +
  "fuso(?: orario| horário)?|tijdzone|tidszon|utc ?_?offset";
const zone_line = new RegExp(
  `(?:${zone_words}|(?<![a-z])tz)["']?\\s*[:=;,\\t|]?\\s*["']?([^;,\\t|"'\\r]*)`,
  "i",
);
const utc_line = /\b(?:times?|timestamps?|zeit\w*|heures?|horas?)\b[^\d]*\b(?:utc|gmt)\b/i;
const zone_name = new RegExp(`^(?:tz|${zone_words})$`, "i");

/** Whether a column with such a name says the zone of each row. */
export function isZoneName(name: string): boolean {
  return zone_name.test(name);
}

/** A zone of times, and who says so. */
export type SaidZone = { readonly name: string; readonly by: "flag" | "file" | "project" };

/** The project's zone, and the first time on the wall clock. */
type Home = { readonly home_timezone: string | undefined; readonly wall_us: number };

/**
 * The zone that a header says of its times. Throws a `Fault` (invalid) where it says winter and
 * summer time of a zone that is not the project's.
 */
export function zoneInHeader(
  header: string,
  { home_timezone, wall_us }: Home,
): SaidZone | undefined {
  const offsets = announcedOffsets(header);
  if (offsets.length === 0) return undefined;
  if (offsets.length === 1) return { name: offsetText(offsets[0]), by: "file" };
  if (home_timezone !== undefined) {
    const own = offsetsOf(home_timezone, wall_us);
    if (offsets.every((it) => own.includes(it))) return { name: home_timezone, by: "project" };
  }
  throw new Fault(
    "invalid",
    `the header ${header.trim()} says two offsets, ${offsets.map(offsetText).join(" and ")}, as ` +
      "of a zone with summer time: say the zone's name, such as --timezone America/New_York",
  );
}

/**
 * The zone that lines above a header say. Throws a `Fault` (invalid) where one says a zone that is
 * not understood.
 */
export function zoneAbove(lines: readonly string[]): SaidZone | undefined {
  for (const line of lines) {
    const value = zone_line.exec(line)?.[1].trim();
    if (value === undefined && !utc_line.test(line)) continue;
    if (value !== undefined && isTimezone(value) && !(value in zone_marks)) {
      return { name: value, by: "file" };
    }
    if (/^(?:UTC|GMT|Z|(?:UTC|GMT)?\s?[+-]\d{1,2}(?::?\d\d)?)$/i.test(value ?? "")) {
      return { name: offsetText(offsetMinutes(value!)), by: "file" };
    }
    throw new Fault(
      "invalid",
      `a line above the names says something of a zone: ${JSON.stringify(line.trim())}. Say the ` +
        "zone with --timezone, such as America/Denver or -07:00",
    );
  }
  return undefined;
}

/**
 * Throws a `Fault` (invalid) where times have letters of a zone that is never an offset of the
 * project's.
 */
export function checkMarks(
  texts: readonly string[],
  { home_timezone: home, wall_us }: Home & { readonly home_timezone: string },
): void {
  const offsets = offsetsOf(home, wall_us);
  const strange = texts.map(zoneMark).find((it) =>
    it !== undefined && !offsets.includes(zone_marks[it])
  );
  if (strange === undefined || zone_marks[strange] === 0) return;
  const offset = offsetText(zone_marks[strange]);
  throw importRefusal(
    `the times say ${strange}, which may be ${offset}, and never in the project's zone ${home}: ` +
      `say --timezone ${offset}, or the file's own zone`,
    { name: "zone_strange", values: { mark: strange, offset, zone: home } },
  );
}

/** The offsets in minutes of a zone in the year from a time on. */
function offsetsOf(timezone: string, wall_us: number): readonly number[] {
  const span = { from_minute: wall_us / 60e6, to_minute: wall_us / 60e6 + 366 * day_minutes };
  return clippedSegments(timezone, span).map((it) => it.offset_minutes);
}

/** The letters of a zone behind a time, if there are any. */
function zoneMark(text: string): string | undefined {
  const [, mark] = /[\d ]([A-Z]{3,5})$/.exec(text) ?? [];
  return mark !== undefined && mark in zone_marks ? mark : undefined;
}
