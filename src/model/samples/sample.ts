// What a source sends: OPC UA quality and status, rows of one request by column, the answer.
import type { Validity } from "../data/chunk.ts";
import status_codes from "../data/status_codes.json" with { type: "json" };
import { isNumeric } from "../plant/measure.ts";
import type { Sensor, TagLane } from "../plant/plant.ts";
import { sample_limits } from "./limits.ts";

/** OPC UA quality classes as stored; `partial` is of a minute only. */
export const quality_names = ["good", "uncertain", "bad", "partial"] as const;

/** Quality of an OPC UA status code: its top two bits, 0 good, 1 uncertain, 2 and 3 bad. */
export function qualityOf(status_code: number): number {
  return Math.min(status_code >>> 30, 2);
}

/** Every known name of an OPC UA status code without flags, in a fixed order. */
export const status_names: readonly string[] = Object.keys(status_codes);

const places = new Map(Object.values(status_codes).map((code, place) => [code, place]));

/** Place in `status_names` of a code's name (its low half is flags), or -1 when it is unknown. */
export function statusPlace(status_code: number): number {
  return places.get((status_code & 0xffff0000) >>> 0) ?? -1;
}

/**
 * Decoded rows of one body, of one lane. Row i is of tag `tags[tag[i]]`. At most one of `value`,
 * `value_int`, `value_str` has a value in a row; none where the source sent none (a bad sample).
 */
export type SampleBatch = {
  readonly lane: TagLane;
  readonly rows: number;
  /** Distinct tag names of the body. */
  readonly tags: readonly string[];
  readonly tag: Int32Array<ArrayBuffer>;
  /** Microseconds since 1970 UTC. */
  readonly ts: BigInt64Array<ArrayBuffer>;
  /** NaN where the row has no float. */
  readonly value: Float64Array<ArrayBuffer>;
  readonly value_int: BigInt64Array<ArrayBuffer>;
  readonly int_valid: Validity;
  /** Text of string rows by row number: few rows have one. */
  readonly value_str: ReadonlyMap<number, string>;
  /** Index into `quality_names`, 255 where the source reports none. */
  readonly quality: Uint8Array<ArrayBuffer>;
  readonly status_code: Uint32Array<ArrayBuffer>;
  readonly status_valid: Validity;
  /** Where each row stood in the body, for messages: its line, or its number counted from 1. */
  readonly line: Int32Array<ArrayBuffer>;
};

/** Decoded forecast rows: one value of one run each. */
export type ForecastBatch = {
  readonly lane: "forecast";
  readonly rows: number;
  readonly tags: readonly string[];
  readonly tag: Int32Array<ArrayBuffer>;
  readonly ts: BigInt64Array<ArrayBuffer>;
  readonly issued_at: BigInt64Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
  readonly line: Int32Array<ArrayBuffer>;
};

/** One row that was not taken, and why. */
export type Rejection = {
  readonly line: number;
  readonly tag: string | null;
  readonly reason: string;
};

/**
 * The answer to an ingest: `rejected` shows the first `limits.rejected_shown` of `rejected_count`.
 */
export type IngestAnswer = {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected_count: number;
  readonly rejected: readonly Rejection[];
};

/** The same with how many of the accepted rows replaced a stored one. */
export type StoredAnswer = IngestAnswer & { readonly corrected: number };

/** What the sensors of a tag ask of its values. */
export type Need = {
  /** A measure of numbers that reads the tag, null where none does. */
  readonly measure: string | null;
  /** The largest size of a value as it is sent. */
  readonly most: number;
};

/** What sensors ask of the values of the tag that they read. */
export function needOf(sensors: readonly Pick<Sensor, "measure" | "scale" | "offset">[]): Need {
  const numeric = sensors.find(({ measure }) => isNumeric(measure));
  const most = sensors.map(({ scale, offset }) =>
    (sample_limits.mapped_value - Math.abs(offset)) / Math.abs(scale)
  );
  return { measure: numeric?.measure ?? null, most: Math.min(Infinity, ...most) };
}

/** How to mend a text that should be a number: the end of a sentence, empty where nobody knows. */
export function numberHint(text: string): string {
  if (/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return ": send the number without quotes";
  if (!/^[+-]?\d[\d.,' \u00a0\u202f]*$/.test(text)) return "";
  return ": write it with a decimal point and no other separator";
}
