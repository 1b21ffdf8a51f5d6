// What a tag's value is at an instant, by the samples around it (OPC 10000-13, 3.1.8 and 5.4.3.4).
import status_codes from "../data/status_codes.json" with { type: "json" };
import { statistics_limits } from "./limits.ts";

/** A usable sample beside an instant; `value` is NaN where it holds no number. */
export type Neighbour = {
  readonly ts_us: number;
  readonly value: number;
  /** Whether its quality is uncertain. */
  readonly uncertain: boolean;
};

/** What stands around an instant. */
export type Surroundings = {
  readonly at_us: number;
  /** The last usable sample at or before it, and the first one at or behind it. */
  readonly before: Neighbour | undefined;
  readonly after: Neighbour | undefined;
  /** The first sample behind `before` that is not usable. */
  readonly bad_us: number | undefined;
};

/** How a tag's values hold between its samples. */
export type HoldRule = {
  /** Values of a state hold until the next; others run in a straight line to it. */
  readonly stepped: boolean;
  /** The longest time that a sample speaks for: a next one farther away counts as missing. */
  readonly hold_us: number;
};

/** How far from a usable sample the next may be where bad ones are passed over. */
export function bridgeOf({ hold_us }: HoldRule): number {
  return Math.max(hold_us, statistics_limits.bridge_s * 1_000_000);
}

/**
 * The value at an instant, and where it comes from: a sample at that very time, the line between
 * two samples, an earlier sample whose value holds, or nothing.
 */
export type Interpolated = {
  readonly source: "sample" | "line" | "held" | "none";
  readonly value: number;
  /** Whether a sample is missing beside it, or one that it comes from or skips is not good. */
  readonly uncertain: boolean;
};

/** The bits of a status code that say so: its info is of a value, which is interpolated. */
const interpolated_bits = 0x402;

/** Status codes of what is not a sample's own: of a good value, an uncertain one, and none. */
export const interpolated_status = {
  good: interpolated_bits,
  uncertain: status_codes.UncertainDataSubNormal + interpolated_bits,
  none: status_codes.BadNoData,
} as const;

const nothing: Interpolated = { source: "none", value: NaN, uncertain: false };

/** Interpolates at an instant. */
export function interpolate(around: Surroundings, rule: HoldRule): Interpolated {
  const { at_us, before, after, bad_us = Infinity } = around;
  if (!before) return nothing;
  const { ts_us, value, uncertain } = before;
  if (ts_us === at_us) return { source: "sample", value, uncertain };
  const skips = after !== undefined && bad_us < after.ts_us;
  const is_next = after !== undefined &&
    after.ts_us - ts_us <= (skips ? bridgeOf(rule) : rule.hold_us);
  if (is_next && !rule.stepped) {
    return {
      source: "line",
      value: between([value, after.value], (at_us - ts_us) / (after.ts_us - ts_us)),
      uncertain: uncertain || after.uncertain || skips,
    };
  }
  const until_us = ts_us + rule.hold_us;
  if (!is_next && at_us > until_us) return nothing;
  const is_heard = rule.stepped && around.bad_us !== undefined && bad_us <= until_us;
  const is_followed = is_next || is_heard;
  return { source: "held", value, uncertain: uncertain || bad_us < at_us || !is_followed };
}

/** The number at a share of the way from one to another; between the largest, no step overflows. */
function between([from, to]: readonly [number, number], share: number): number {
  const step = to - from;
  return Number.isFinite(step) ? from + step * share : from * (1 - share) + to * share;
}
