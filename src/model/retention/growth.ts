// How the database grows, and when its disk will be full.
import { dayText } from "../time/calendar.ts";

/** What there is to judge by: what was used day by day, rising, and what may still be used. */
export type Space = {
  readonly uses: readonly { readonly day: number; readonly used_bytes: number }[];
  readonly free_bytes: number;
};

/** Growth in bytes a day, null as long as it is not known; the day (since 1970) it ends on. */
export type Growth = { readonly bytes_per_day: number | null; readonly full_day: number | null };

const century_days = 36_525;

/** The growth since the first of the days, and when it has used up what is free: null for never. */
export function growthOf({ uses, free_bytes }: Space): Growth {
  const [first, last] = [uses.at(0), uses.at(-1)];
  if (first === undefined || last === undefined || first.day === last.day) {
    return { bytes_per_day: null, full_day: null };
  }
  const bytes_per_day = (last.used_bytes - first.used_bytes) / (last.day - first.day);
  const days = Math.floor(free_bytes / bytes_per_day);
  const is_near = bytes_per_day > 0 && days < century_days;
  return { bytes_per_day, full_day: is_near ? last.day + days : null };
}

/** The same in words. */
export function growthText({ bytes_per_day, full_day }: Growth): string {
  if (bytes_per_day === null) return "growth is known after a day";
  const growth = `grows by ${(bytes_per_day / 1024 ** 2).toFixed(1)} MiB a day`;
  return full_day === null
    ? `${growth}, not full for decades`
    : `${growth}, full on ${dayText(full_day)}`;
}
