// Which rows are taken, by their times and what their tags hold.
import { isValid } from "../../model/data/chunk.ts";
import type { Encoding } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { numberHint, type SampleBatch } from "../../model/samples/sample.ts";
import type { Entry } from "../catalog/catalog.ts";
import type { StoreAs } from "../samples/staging.ts";

const bad = 2;
const exact = 2n ** 53n;

/** The last instant that does not lie too far ahead of `now_us`, both in microseconds. */
export function latestOf(now_us: number): number {
  return now_us + sample_limits.future_us;
}

/** Whether an instant lies too far ahead of `now_us`, both in microseconds. */
export function isAhead(us: number, now_us: number): boolean {
  return us > latestOf(now_us);
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

/** Why a row is rejected whose value is beyond what sums of its measure can hold. */
export const too_large = {
  reason: `value is beyond ±${sample_limits.mapped_value} in the unit of the tag's measure, and ` +
    "sums of it would overflow",
};

/** What the value of a row is, by itself; none for a bad sample, whose value is not kept. */
export function encodingOf(batch: SampleBatch, row: number): Encoding | "none" {
  if (batch.quality[row] === bad) return "none";
  if (!Number.isNaN(batch.value[row])) return "float";
  if (isValid(batch.int_valid, row)) return "integer";
  return batch.value_str.has(row) ? "string" : "none";
}

/**
 * How a row's value is stored: a number converts between float and integer where nothing of it is
 * lost. Otherwise the reason why it can't be stored.
 */
export function storeAs(
  batch: SampleBatch,
  row: number,
  { entry: { encoding, need }, given }: {
    readonly entry: Pick<Entry, "encoding" | "need">;
    readonly given: Encoding;
  },
): StoreAs | { readonly reason: string } {
  const tag = encoding ?? given;
  if (given === "string" && (need.measure !== null || tag !== "string")) {
    const held = need.measure === null ? `holds ${tag}s` : `measures ${need.measure}`;
    return {
      reason: `value is a text, and the tag ${held}${numberHint(batch.value_str.get(row)!)}`,
    };
  }
  if (given === "float" && !Number.isFinite(batch.value[row])) {
    return { reason: "value is not a finite number" };
  }
  if (given === "float" && Math.abs(batch.value[row]) > need.most) return too_large;
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
