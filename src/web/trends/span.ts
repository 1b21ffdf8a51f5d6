// The span that is shown, and in which steps its data are read. Instants in milliseconds.
import type { Span } from "../frame/span.ts";
import { offsetMinutes } from "../frame/zone.ts";

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const day_ms = 24 * hour_ms;

/** The steps from fine to coarse: how long each is, and the longest span it is taken for. */
export const steps = {
  raw: { ms: 0, most_ms: 3 * hour_ms },
  minute: { ms: minute_ms, most_ms: 36 * hour_ms },
  quarter: { ms: 15 * minute_ms, most_ms: 16 * day_ms },
  hour: { ms: hour_ms, most_ms: 90 * day_ms },
  day: { ms: day_ms, most_ms: Infinity },
} as const;
export type Step = keyof typeof steps;

/** The steps' names, from fine to coarse. */
export const step_names = Object.keys(steps) as readonly Step[];

/** The finest step that has no more values than the eye sees. */
export function stepFor({ from_ms, to_ms }: Span): Step {
  return step_names.find((it) => to_ms - from_ms <= steps[it].most_ms)!;
}

/** The ranges that are offered, in milliseconds. */
export const presets = {
  "1h": hour_ms,
  "6h": 6 * hour_ms,
  "24h": day_ms,
  "3d": 3 * day_ms,
  "7d": 7 * day_ms,
  "30d": 30 * day_ms,
  "1y": 365 * day_ms,
} as const;
export type Preset = keyof typeof presets;

/** The preset that is taken where the address names none. */
export const usual_preset: Preset = "24h";

/** The span that the address names by its two ends, or by how long it is; never past `last_ms`. */
export function spanOf(
  { from, to, range }: { readonly from?: string; readonly to?: string; readonly range?: string },
  last_ms: number,
): Span {
  const [from_ms, to_ms] = [Date.parse(from ?? ""), Math.min(Date.parse(to ?? ""), last_ms)];
  if (from_ms < to_ms) return { from_ms, to_ms };
  const length = Object.hasOwn(presets, range ?? "") ? range as Preset : usual_preset;
  return { from_ms: last_ms - presets[length], to_ms: last_ms };
}

/** An instant as addresses say it, to the second or finer where it must be. */
export function instantWord(at_ms: number): string {
  return new Date(Math.round(at_ms)).toISOString().replace(".000Z", "Z");
}

/** The span of as many days before, by the clock on the wall. */
export function daysBefore(
  { from_ms, to_ms }: Span,
  { days, zone }: { readonly days: number; readonly zone: string },
) {
  const away = days * day_ms;
  const turned = offsetMinutes(from_ms, zone) - offsetMinutes(from_ms - away, zone);
  const shift_ms = away - turned * minute_ms;
  return { from_ms: from_ms - shift_ms, to_ms: to_ms - shift_ms, shift_ms };
}

/** How much of time is read at once, by step. */
const block_ms: Readonly<Record<Step, number>> = {
  raw: 6 * hour_ms,
  minute: 2 * day_ms,
  quarter: 16 * day_ms,
  hour: 64 * day_ms,
  day: 512 * day_ms,
};

/** What is read for a span: somewhat more than is seen, and the same while it moves a little. */
export function around({ from_ms, to_ms }: Span, step: Step): Span {
  const length = to_ms - from_ms;
  const quarters = Math.floor(Math.log2(length / block_ms[step] / 4));
  const grain_ms = block_ms[step] * 2 ** Math.max(0, quarters);
  return {
    from_ms: Math.floor((from_ms - length / 4) / grain_ms) * grain_ms,
    to_ms: Math.ceil((to_ms + length / 4) / grain_ms) * grain_ms,
  };
}

/** The blocks that a span needs, aligned so that the next span needs the same ones. */
export function blocksOf({ from_ms, to_ms }: Span, step: Step): readonly Span[] {
  const length = block_ms[step];
  const first = Math.floor(from_ms / length);
  const count = Math.max(1, Math.ceil(to_ms / length) - first);
  return Array.from({ length: count }, (_, i) => ({
    from_ms: (first + i) * length,
    to_ms: (first + i + 1) * length,
  }));
}
