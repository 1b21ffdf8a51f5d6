// What a query in PromQL asks: its expressions, and the functions over ranges that it may name.

/** How a label is compared. */
export type MatchOp = "=" | "!=" | "=~" | "!~";

/** What a label of a series must be; one that the series has not is the empty text. */
export type SeriesMatcher = {
  readonly name: string;
  readonly op: MatchOp;
  readonly value: string;
  readonly matches: (text: string) => boolean;
  /** Steps that this takes, for each character of the text. */
  readonly step: number;
};

export const aggregate_names = ["sum", "avg", "min", "max", "count"] as const;
export const binary_names = [
  ...["+", "-", "*", "/", "%", "^"],
  ...["==", "!=", ">", "<", ">=", "<="],
] as readonly BinaryName[];
type BinaryName = "+" | "-" | "*" | "/" | "%" | "^" | "==" | "!=" | ">" | "<" | ">=" | "<=";

/** An expression; times are microseconds. */
export type PromExpr =
  | { readonly kind: "number"; readonly value: number }
  | {
    readonly kind: "selector";
    readonly matchers: readonly SeriesMatcher[];
    /** Null: the newest sample at each instant. */
    readonly range_us: number | null;
    readonly offset_us: number;
  }
  | {
    readonly kind: "call";
    readonly name: keyof typeof range_functions;
    readonly selector: PromExpr & { readonly kind: "selector" };
  }
  | {
    readonly kind: "aggregate";
    readonly op: typeof aggregate_names[number];
    readonly labels: readonly string[];
    /** Whether the labels are those that go; else they are those that stay. */
    readonly is_without: boolean;
    readonly operand: PromExpr;
  }
  | {
    readonly kind: "binary";
    readonly op: BinaryName;
    /** Whether a comparison gives 0 or 1; else it leaves out what is not so. */
    readonly is_bool: boolean;
    readonly left: PromExpr;
    readonly right: PromExpr;
  };

/** The samples of a series in a window `(end - range, end]`, at least one. */
export type RangeWindow = {
  readonly times_us: readonly number[];
  readonly values: readonly number[];
  /** Those of the window are `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly end_us: number;
  readonly range_us: number;
};

/** The functions over ranges: the value of a window, or undefined where it has none. */
export const range_functions = {
  rate: (window) => perSecond(increaseOf(window, { is_counter: true }), window),
  increase: (window) => increaseOf(window, { is_counter: true }),
  delta: (window) => increaseOf(window, { is_counter: false }),
  avg_over_time: (window) => sumOf(window) / (window.to - window.from),
  sum_over_time: sumOf,
  min_over_time: (window) => reduceOf(window, Math.min),
  max_over_time: (window) => reduceOf(window, Math.max),
  last_over_time: ({ values, to }) => values[to - 1],
  count_over_time: ({ from, to }) => to - from,
} as const satisfies Readonly<Record<string, (window: RangeWindow) => number | undefined>>;

function sumOf({ values, from, to }: RangeWindow): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i];
  return sum;
}

function reduceOf(
  { values, from, to }: RangeWindow,
  better: (a: number, b: number) => number,
): number {
  let found = values[from];
  for (let i = from + 1; i < to; i++) found = better(found, values[i]);
  return found;
}

function perSecond(increase: number | undefined, { range_us }: RangeWindow): number | undefined {
  return increase === undefined ? undefined : increase / (range_us / 1e6);
}

/**
 * How much a value rose in a window, as Prometheus estimates it: what the samples show, extended to
 * the ends of the window where the samples come near them, else by half of their usual distance.
 */
function increaseOf(
  { times_us, values, from, to, end_us, range_us }: RangeWindow,
  { is_counter }: { readonly is_counter: boolean },
): number | undefined {
  if (to - from < 2) return undefined;
  const [first, last] = [from, to - 1];
  let rise = values[last] - values[first];
  for (let i = first + 1; is_counter && i <= last; i++) {
    if (values[i] < values[i - 1]) rise += values[i - 1];
  }
  const sampled_us = times_us[last] - times_us[first];
  const usual_us = sampled_us / (to - from - 1);
  const reach = (gap_us: number) => gap_us < usual_us * 1.1 ? gap_us : usual_us / 2;
  let before_us = reach(times_us[first] - (end_us - range_us));
  // A counter was not below zero.
  if (is_counter && rise > 0 && values[first] >= 0) {
    before_us = Math.min(before_us, sampled_us * (values[first] / rise));
  }
  return rise * ((sampled_us + before_us + reach(end_us - times_us[last])) / sampled_us);
}
