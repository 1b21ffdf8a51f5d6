// Which times a row may have: none too far ahead, none of which nothing is kept any more.
import { sample_limits } from "../../model/samples/limits.ts";

/** Whether an instant lies too far ahead of `now_us`, both in microseconds. */
export function isAhead(us: number, now_us: number): boolean {
  return us > now_us + sample_limits.future_us;
}

/** Why a row is rejected whose `ts` or `issued_at` is ahead. */
function aheadReason(field: string): string {
  return `${field} is more than ${sample_limits.future_us / 60_000_000} minutes in the future`;
}

/** Why a row is rejected whose `ts` is. */
export const ahead = { reason: aheadReason("ts") };

/** Why a row is rejected that comes later than data of its time are kept. */
export function closedReason(consequence: string): string {
  return `ts is too long ago: data of that time are no longer kept, and ${consequence}`;
}

/** Why a forecast's row is rejected, or undefined; all in microseconds. */
export function forecastFlaw(
  { ts_us, issued_us }: { readonly ts_us: number; readonly issued_us: number },
  now_us: number,
): string | undefined {
  if (isAhead(issued_us, now_us)) return aheadReason("issued_at");
  return issued_us > ts_us ? "issued_at is after ts, the time that it forecasts" : undefined;
}
