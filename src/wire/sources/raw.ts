// Raw values of samples, as a device takes them.

/** How a sample's value comes of a raw one: raw * scale + offset. */
export type Scaling = { readonly scale: number; readonly offset: number };

/** The raw value of a sample's. */
export function rawOf(value: number, { scale, offset }: Scaling): number {
  // Divided by where it can be: a tenth is no number that a double holds.
  const divisor = 1 / scale;
  return Number.isInteger(divisor) ? (value - offset) * divisor : (value - offset) / scale;
}

/** A number that is whole but for what doubles leave over as that whole number; else as it is. */
export function wholeOf(number: number): number {
  const whole = Math.round(number);
  return Math.abs(whole - number) <= 1e-9 * Math.max(1, Math.abs(number)) ? whole : number;
}

/** A number that so many bits hold as a whole one; undefined for any other. */
export function wholeIn(
  number: number,
  { bits, is_signed }: { readonly bits: number; readonly is_signed: boolean },
): number | undefined {
  const [least, end] = is_signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1)] : [0, 2 ** bits];
  return Number.isSafeInteger(number) && number >= least && number < end ? number : undefined;
}
