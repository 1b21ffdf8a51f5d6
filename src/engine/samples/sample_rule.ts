// The rules that a sample must pass to be stored: when it is of, and what its tag can hold.
import { limits } from "../../base/limits.ts";
import type { Encoding } from "../../model/plant/plant.ts";
import type { SampleBatch } from "../../model/samples/sample.ts";
import { isValid } from "../../model/data/chunk.ts";
import type { StoreAs } from "./staging.ts";

const bad = 2;
const exact = 2n ** 53n;

/** Whether an instant lies too far ahead of `now_us`, both in microseconds. */
export function isAhead(us: number, now_us: number): boolean {
  return us > now_us + limits.future_us;
}

/** Why a row is rejected whose `ts` or `issued_at` is ahead. */
export function aheadReason(field: string): string {
  return `${field} is more than ${limits.future_us / 60_000_000} minutes in the future`;
}

/** Why a forecast's row is rejected, or undefined; all in microseconds. */
export function forecastFlaw(
  { ts_us, issued_us }: { readonly ts_us: number; readonly issued_us: number },
  now_us: number,
): string | undefined {
  if (isAhead(issued_us, now_us)) return aheadReason("issued_at");
  return issued_us > ts_us ? "issued_at is after ts, the time that it forecasts" : undefined;
}

/** What the value of a row is, by itself; none for a bad sample, whose value is not kept. */
export function encodingOf(batch: SampleBatch, row: number): Encoding | "none" {
  if (batch.quality[row] === bad) return "none";
  if (!Number.isNaN(batch.value[row])) return "float";
  if (isValid(batch.int_valid, row)) return "integer";
  return batch.value_str.has(row) ? "string" : "none";
}

/**
 * How a row's value is stored in a tag of an encoding: a number converts between float and integer
 * where nothing of it is lost. Otherwise the reason why it can't be stored.
 */
export function storeAs(
  batch: SampleBatch,
  row: number,
  { tag, given }: { readonly tag: Encoding; readonly given: Encoding },
): StoreAs | { readonly reason: string } {
  if (given === "float" && !Number.isFinite(batch.value[row])) {
    return { reason: "value is not a finite number" };
  }
  if (given === tag) return tag;
  if (tag === "float" && given === "integer") {
    const value = batch.value_int[row];
    if (value <= exact && value >= -exact) return tag;
    return { reason: "value_int is beyond 2^53, and the tag holds floats" };
  }
  if (tag === "integer" && given === "float") {
    const value = batch.value[row];
    if (Number.isInteger(value) && Math.abs(value) <= Number(exact)) return tag;
    return { reason: `value ${value} is not a whole number, and the tag holds integers` };
  }
  return { reason: `the tag holds ${tag}s, the row a ${given}` };
}
