// Numbers as JSON prints them.
import type { TextStore } from "./text_store.ts";

/** The longest text of a number: from 10^-6 on it has no exponent. */
export const number_width = "-0.0000012345678901234567".length;

/**
 * Puts a finite number as JSON does: its shortest text, and -0 as `-0`. One with up to six decimals
 * is written digit by digit: fewer than 16 digits in all are the shortest.
 */
export function putNumber(store: TextStore, value: number): void {
  const millionths = Math.round(value * 1e6);
  const size = Math.abs(millionths);
  if (millionths / 1e6 !== value || size >= 1e15) {
    store.putAscii(String(value));
    return;
  }
  const whole = Math.floor(size / 1e6);
  let rest = (size - whole * 1e6) | 0;
  if (value < 0 || 1 / value < 0) store.putCode(0x2d);
  store.putDigits(whole, 1);
  if (rest === 0) return;
  let decimals = 6;
  for (; rest % 10 === 0; rest = (rest / 10) | 0) decimals--;
  store.putCode(0x2e);
  store.putDigits(rest, decimals);
}
