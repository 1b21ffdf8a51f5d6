// Numbers as people read them: three figures, the prefix that fits, and a dash for what is unknown.
import { computed } from "@preact/signals";
import type { UnitHint } from "../../model/samples/excess.ts";
import { say } from "./say.ts";
import { locale } from "./words.ts";

/** Stands for a number that is not known. */
export const no_number = "–";

const formats = computed(() => {
  const tag = locale.value;
  const made = new Map<string, Intl.NumberFormat>();
  return (options: Intl.NumberFormatOptions) => {
    const key = JSON.stringify(options);
    let format = made.get(key);
    if (!format) made.set(key, format = new Intl.NumberFormat(tag, options));
    return format;
  };
});

/** A number with as many decimals; a dash where it is not one. */
export function numberText(value: number | null | undefined, decimals = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return no_number;
  const text = formats.value({
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: "negative",
  }).format(value);
  return text.replace("-", "−");
}

/** A number with at most as many decimals and no zeros behind them: 10, not 10.000. */
export function shortNumberText(value: number, most_decimals: number): string {
  const decimals = Array.from({ length: most_decimals + 1 }, (_, i) => i);
  const rounded = Number(value.toFixed(most_decimals));
  return numberText(rounded, decimals.find((it) => Number(rounded.toFixed(it)) === rounded));
}

/** A share of one as percent, `97.3 %`. */
export function percentText(value: number | null | undefined, decimals = 1): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return no_number;
  const options = {
    style: "percent",
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: "negative",
  } as const;
  return formats.value(options).format(value).replace("-", "−").replace(/(?<=\d)%/, "\u202f%");
}

/** A unit with a prefix, and what a number in the plain unit is to be divided by. */
export type Scaled = { readonly unit: string; readonly divisor: number };

const prefixed = new Set(["W", "Wh", "VA", "var", "VAr", "varh", "VAh"]);
const prefixes = [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const;

/** The prefix in which a number of `unit` has one to four figures before the point. */
export function scaleOf(greatest: number, unit: string): Scaled {
  if (!prefixed.has(unit)) return { unit, divisor: 1 };
  const found = prefixes.find(([divisor]) => Math.abs(greatest) >= divisor);
  return found ? { unit: found[1] + unit, divisor: found[0] } : { unit, divisor: 1 };
}

/** A number with three figures in a unit that is chosen already. */
export function scaledText(value: number | null | undefined, { divisor }: Scaled): string {
  if (value === null || value === undefined) return no_number;
  const scaled = value / divisor;
  const abs = Math.abs(scaled);
  return numberText(scaled, abs >= 100 || scaled === 0 ? 0 : abs >= 10 ? 1 : 2);
}

/** A number of `unit` with three figures, its prefix and its unit, `9.07 MW`; a code is whole. */
export function quantityText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return no_number;
  if (unit === "code") return numberText(value);
  const scale = scaleOf(value, unit);
  return `${scaledText(value, scale)}\u202f${scale.unit}`;
}

/** Which unit was likely taken for another one, where a power is beyond its rating. */
export function unitHintText({ divisor, read_as, fits_as }: UnitHint): string {
  if (divisor === null) return say().unit_unknown;
  const fits = say().unit_fits(numberText(divisor));
  return `${read_as && fits_as ? say().unit_taken(fits_as, read_as) : say().unit_wrong} ${fits}`;
}

/** A span of time in its two greatest units, `2 d 4 h`. */
export function spanText(span_ms: number): string {
  const minutes = Math.max(0, Math.round(span_ms / 60_000));
  const [days, hours, rest] = [
    Math.floor(minutes / 1440),
    Math.floor(minutes / 60) % 24,
    minutes % 60,
  ];
  if (days > 0) return `${days}\u202fd ${hours}\u202fh`;
  return hours > 0 ? `${hours}\u202fh ${rest}\u202fmin` : `${rest}\u202fmin`;
}

/** How far behind something is: in seconds at first, then in the units of a span. */
export function lagText(lag_s: number): string {
  return lag_s < 120 ? `${numberText(lag_s)}\u202fs` : spanText(lag_s * 1000);
}

/** Names with numbers in the order in which people count: INV-2 before INV-10. */
export const natural = new Intl.Collator("en", { numeric: true });
