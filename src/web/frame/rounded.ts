// Rounded figures that add up on the screen as they do unrounded.
import { numberText, scaleOf } from "./number.ts";

/** How figures of one sum are shown: their unit, its size, and the decimals of all of them. */
export type Rounding = {
  readonly unit: string;
  readonly divisor: number;
  readonly decimals: number;
};

/** The unit and decimals in which a sum has four or five figures, so that small parts have some. */
export function roundingOf(total: number, unit: string): Rounding {
  const greatest = Math.abs(total) || 0;
  const scale = scaleOf(greatest / 10, unit);
  return { ...scale, decimals: greatest / scale.divisor >= 100 ? 1 : 2 };
}

/** The plain size of the last figure. */
export function stepOf({ divisor, decimals }: Rounding): number {
  return divisor / 10 ** decimals;
}

/** A number of steps as it is shown. */
export function stepsText(steps: number, rounding: Rounding): string {
  return numberText(steps / 10 ** rounding.decimals, rounding.decimals);
}

/** A value on an axis from zero to `greatest`: with as many figures as tell a half of it. */
export function axisText(value: number, greatest: number, { divisor, decimals }: Rounding): string {
  const half = greatest / divisor / 2;
  const needed = [1, 2, 3].find((it) => half * 10 ** it >= 10) ?? 3;
  return numberText(value / divisor, Math.max(decimals, needed));
}

/**
 * Values in whole steps that add up to `total` steps: each is rounded down, and what is left goes
 * to those with the largest remainders. What is not a number counts as nothing; of a total that is
 * none, nothing is left.
 */
export function apportion(
  values: readonly number[],
  step: number,
  total = Math.round(values.reduce((sum, it) => sum + (it || 0), 0) / step),
): number[] {
  // What is too little below zero to be divided is 0 then, not -0.
  const exact = values.map((it) => (it || 0) / step + 0);
  const steps = exact.map(Math.floor);
  const order = exact.map((_, i) => i).toSorted((a, b) =>
    exact[b] - steps[b] - (exact[a] - steps[a]) || a - b
  );
  let left = total - steps.reduce((sum, it) => sum + it, 0);
  const sign = Math.sign(left);
  const next = sign < 0 ? order.toReversed() : order;
  for (let i = 0; left * sign > 0 && next.length > 0; i = (i + 1) % next.length, left -= sign) {
    steps[next[i]] += sign;
  }
  return steps;
}

/**
 * Moves single steps between the rows of a column until the rows have their sums as well, where it
 * takes the figures the least from what they are exactly. Columns and sums have the same total.
 */
export function balance(
  columns: readonly number[][],
  { exact, sums }: {
    readonly exact: readonly (readonly number[])[];
    readonly sums: readonly number[];
  },
): void {
  const off = sums.map((sum, i) => columns.reduce((all, column) => all + column[i], 0) - sum);
  const worseBy = (c: number, i: number, by: number) =>
    Math.abs(columns[c][i] + by - exact[c][i]) - Math.abs(columns[c][i] - exact[c][i]);
  off.forEach((_, high) => {
    while (off[high] > 0) {
      let best = { c: 0, low: -1, worse: Infinity };
      columns.forEach((_, c) =>
        off.forEach((it, low) => {
          const worse = it < 0 ? worseBy(c, high, -1) + worseBy(c, low, 1) : Infinity;
          if (worse < best.worse) best = { c, low, worse };
        })
      );
      const { c, low } = best;
      if (low < 0) return;
      columns[c][high]--;
      columns[c][low]++;
      off[high]--;
      off[low]++;
    }
  });
}
