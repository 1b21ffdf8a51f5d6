// Sums that have the same digits in whichever order a statement's threads add up.

const parts_a_unit = 1024;

/**
 * Two SQL sums of a number: of its whole parts of a unit, which add up without rounding up to
 * 2^53 of them, and of what is left of each, which is so small that its sum is as good as exact.
 */
export function partSums(number: string): { readonly whole: string; readonly rest: string } {
  const whole = `round(${number} * ${parts_a_unit}) / ${parts_a_unit}`;
  return { whole: `sum(${whole})`, rest: `sum(${number} - ${whole})` };
}

/** The SQL sum of a number; null where it has no row. */
export function exactSum(number: string): string {
  const { whole, rest } = partSums(number);
  return `(${whole} + ${rest})`;
}
