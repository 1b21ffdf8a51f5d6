// Values of a curve with their quality, in the order of time. NaN is no value.
import type { Span } from "../frame/span.ts";

/** How good a value is; the greater, the worse. */
export const flags = { good: 0, carried: 1, uncertain: 2, bad: 3 } as const;

/** Values at instants, each with its flag. */
export type Samples = {
  readonly instants: Float64Array;
  readonly values: Float64Array;
  readonly flags: Uint8Array;
};

export const no_samples: Samples = {
  instants: new Float64Array(0),
  values: new Float64Array(0),
  flags: new Uint8Array(0),
};

/** The samples at the places `from` to before `to`. */
export function part(
  samples: Samples,
  { from, to }: { readonly from: number; readonly to: number },
): Samples {
  return {
    instants: samples.instants.subarray(from, to),
    values: samples.values.subarray(from, to),
    flags: samples.flags.subarray(from, to),
  };
}

/** Pieces that follow each other as one. */
export function joined(pieces: readonly Samples[]): Samples {
  if (pieces.length === 1) return pieces[0];
  const length = pieces.reduce((sum, { instants }) => sum + instants.length, 0);
  const whole = {
    instants: new Float64Array(length),
    values: new Float64Array(length),
    flags: new Uint8Array(length),
  };
  let at = 0;
  for (const piece of pieces) {
    whole.instants.set(piece.instants, at);
    whole.values.set(piece.values, at);
    whole.flags.set(piece.flags, at);
    at += piece.instants.length;
  }
  return whole;
}

/** The first place whose instant is not before `at_ms`. */
export function placeAt(instants: ArrayLike<number>, at_ms: number): number {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instants[middle] < at_ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The samples within a span. */
export function within(samples: Samples, { from_ms, to_ms }: Span): Samples {
  const { instants } = samples;
  return part(samples, { from: placeAt(instants, from_ms), to: placeAt(instants, to_ms) });
}

/**
 * Those that were known by `until_ms`: samples taken until then, and buckets of `step_ms` that
 * were over.
 */
export function knownBy(
  samples: Samples,
  { until_ms, step_ms }: { readonly until_ms: number; readonly step_ms: number },
): Samples {
  const last_ms = step_ms > 0 ? until_ms - step_ms : until_ms;
  return part(samples, { from: 0, to: placeAt(samples.instants, last_ms + 0.001) });
}

/** The same values at later instants. */
export function shifted(samples: Samples, by_ms: number): Samples {
  return by_ms === 0 ? samples : { ...samples, instants: samples.instants.map((it) => it + by_ms) };
}

/** The place of the sample that an instant is told by: the last one, unless a gap follows it. */
export function toldAt(
  { samples: { instants }, gap_ms }: { readonly samples: Samples; readonly gap_ms: number },
  at_ms: number,
): number | undefined {
  const i = placeAt(instants, at_ms + 0.001) - 1;
  return i >= 0 && at_ms - instants[i] <= gap_ms ? i : undefined;
}

/** How far apart two values may stand that belong together. */
export function gapOf({ instants }: Samples, step_ms: number): number {
  if (step_ms > 0) return step_ms * 1.5;
  const some = Array.from(
    { length: Math.min(200, instants.length - 1) },
    (_, i) => instants[i + 1] - instants[i],
  ).sort((a, b) => a - b);
  return Math.max(carry_ms, 3 * (some[some.length >> 1] ?? 0));
}

/** How long a value holds where its site does not say. */
const carry_ms = 900_000;

/** The means of minutes in buckets of `step_ms`; of states, the last. */
export function bucketed(
  samples: Samples,
  { step_ms, is_state }: { readonly step_ms: number; readonly is_state: boolean },
): Samples {
  const { instants, values } = samples;
  const found: { at: number; sum: number; count: number; flag: number }[] = [];
  for (let i = 0; i < instants.length; i++) {
    const at = Math.floor(instants[i] / step_ms) * step_ms;
    let bucket = found.at(-1);
    if (bucket?.at !== at) found.push(bucket = { at, sum: 0, count: 0, flag: 0 });
    const flag = samples.flags[i];
    if (flag >= flags.uncertain) bucket.flag = flags.uncertain;
    if (Number.isNaN(values[i])) continue;
    bucket.sum = is_state ? values[i] : bucket.sum + values[i];
    bucket.count = is_state ? 1 : bucket.count + 1;
  }
  return {
    instants: Float64Array.from(found, ({ at }) => at),
    values: Float64Array.from(found, ({ sum, count }) => count > 0 ? sum / count : NaN),
    flags: Uint8Array.from(found, ({ flag, count }) => count > 0 ? flag : flags.bad),
  };
}
