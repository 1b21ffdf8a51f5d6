// Instants as a plant's people read them: in the plant's zone with its offset, whatever the
// browser's. Instants are milliseconds since 1970 UTC; days are texts, YYYY-MM-DD.
import { computed } from "@preact/signals";
import { locale } from "./words.ts";

type Fields = Intl.DateTimeFormatOptions;

const clock: Fields = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const date: Fields = { day: "numeric", month: "short" };

const formats = computed(() => {
  const made = new Map<string, Intl.DateTimeFormat>();
  const tag = locale.value;
  return (timeZone: string, fields: Fields) => {
    const key = timeZone + JSON.stringify(fields);
    let format = made.get(key);
    if (!format) made.set(key, format = new Intl.DateTimeFormat(tag, { ...fields, timeZone }));
    return format;
  };
});

/** 14:05 */
export const timeText = (at_ms: number, zone: string): string =>
  formats.value(zone, clock).format(at_ms);

/** 14:05:09 */
export const secondText = (at_ms: number, zone: string): string =>
  formats.value(zone, { ...clock, second: "2-digit" }).format(at_ms);

/** 21 Nov */
export const dateText = (at_ms: number, zone: string): string =>
  formats.value(zone, date).format(at_ms);

/** 21 Nov 2026 */
export const longDateText = (at_ms: number, zone: string): string =>
  formats.value(zone, { ...date, year: "numeric" }).format(at_ms);

/** 1 Nov 2026 – 21 Nov 2026, of days, both included; one alone where they are the same. */
export function daysText({ from, to }: { readonly from: string; readonly to: string }): string {
  const text = (day: string) => longDateText(Date.parse(day), "UTC");
  return from === to ? text(from) : `${text(from)} – ${text(to)}`;
}

/** 21 Nov, 14:05 */
export const instantText = (at_ms: number, zone: string): string =>
  formats.value(zone, { ...date, ...clock }).format(at_ms);

/** November 2026, of a month's first day. */
export const monthText = (day: string): string =>
  formats.value("UTC", { month: "long", year: "numeric" }).format(Date.parse(day));

/** −07:00 */
export function offsetText(at_ms: number, zone: string): string {
  const minutes = offsetMinutes(at_ms, zone);
  const two = (it: number) => String(it).padStart(2, "0");
  const abs = Math.abs(minutes);
  return `${minutes < 0 ? "−" : "+"}${two(Math.floor(abs / 60))}:${two(abs % 60)}`;
}

/** How far local time is ahead of UTC, in minutes. */
export function offsetMinutes(at_ms: number, zone: string): number {
  return Math.round((wallOf(at_ms, zone) - Math.floor(at_ms / 1000) * 1000) / 60_000);
}

/** The local day that an instant is in. */
export function dayOf(at_ms: number, zone: string): string {
  return new Date(wallOf(at_ms, zone)).toISOString().slice(0, 10);
}

/** Whether a text is a day from the year 2000 on, such as 2026-11-28. */
export function isDay(text: string | undefined): text is string {
  const at_ms = /^2\d{3}-\d\d-\d\d$/.test(text ?? "") ? Date.parse(text!) : NaN;
  // The 30th of February is taken for the 2nd of March.
  return !Number.isNaN(at_ms) && new Date(at_ms).toISOString().startsWith(text!);
}

/** The instant at which a local day begins. */
export function dayStart(day: string, zone: string): number {
  return instantOf(`${day}T00:00`, zone);
}

/** The instant of a local time, YYYY-MM-DDTHH:MM; of two the first, of none the next. */
export function instantOf(local: string, zone: string): number {
  const wall = Date.parse(`${local}Z`);
  const day_ms = 86_400_000;
  const [before, after] = [wall - day_ms, wall + day_ms]
    .map((at) => wall - offsetMinutes(at, zone) * 60_000);
  if (wallOf(before, zone) === wall) return before;
  return wallOf(after, zone) === wall ? after : before;
}

/** The day `days` after another; before it where `days` is negative. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}

const wall_fields: Fields = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
};

const walls = new Map<string, Intl.DateTimeFormat>();

/** A local time as if it were UTC. */
function wallOf(at_ms: number, timeZone: string): number {
  let format = walls.get(timeZone);
  if (!format) {
    walls.set(timeZone, format = new Intl.DateTimeFormat("en-US", { ...wall_fields, timeZone }));
  }
  const part = Object.fromEntries(
    format.formatToParts(at_ms).map(({ type, value }) => [type, Number(value)]),
  );
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
}
