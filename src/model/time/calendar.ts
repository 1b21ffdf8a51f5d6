// Calendar days as integers: days since 1970-01-01 on any wall clock, and their ISO text.

const day_ms = 86_400_000;
const iso_day = /^\d{4}-\d{2}-\d{2}$/;

/** Whether `text` is an ISO 8601 calendar date, `YYYY-MM-DD`, that exists. */
export function isDay(text: string): boolean {
  if (!iso_day.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text);
}

/** The days from 1970-01-01 to the date `text`, which is one that `isDay` accepts. */
export function dayNumber(text: string): number {
  return Date.parse(`${text}T00:00:00Z`) / day_ms;
}

/** A day number as `YYYY-MM-DD`. */
export function dayText(day: number): string {
  return new Date(day * day_ms).toISOString().slice(0, 10);
}

/** The first day of the month that holds `day`, moved by `months`. */
export function monthStart(day: number, months = 0): number {
  const date = new Date(day * day_ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / day_ms;
}

/** The first day of the year that holds `day`, moved by `years`. */
export function yearStart(day: number, years = 0): number {
  return Date.UTC(new Date(day * day_ms).getUTCFullYear() + years, 0, 1) / day_ms;
}

/** The Monday at or before `day`. */
export function weekStart(day: number): number {
  return day - ((day + 3) % 7 + 7) % 7;
}
