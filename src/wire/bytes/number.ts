// Reads JSON numbers from bytes: doubles correctly rounded, whole numbers exact to 64 bits.
import type { Span } from "../../base/bytes.ts";

/** Powers of ten that a double has exactly. */
export const exact_powers = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));
const characters = Array.from({ length: 256 }, (_, i) => String.fromCharCode(i));

/**
 * The double that a run of `bytes` writes in JSON's grammar: NaN when it is not a number, an
 * Infinity when it is too large. Up to 2^53 / 10^22 one division is exact (Clinger 1990).
 */
export function numberAt(bytes: Uint8Array, { start, end }: Span): number {
  let at = start;
  const negative = bytes[at] === 0x2d;
  if (negative) at++;
  const first = at;
  let mantissa = 0;
  for (; at < end && isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - 0x30);
  const whole = at - first;
  if (whole === 0 || (whole > 1 && bytes[first] === 0x30)) return NaN;
  let decimals = 0;
  if (at < end && bytes[at] === 0x2e) {
    const point = at++;
    for (; at < end && isDigit(bytes[at]); at++) mantissa = mantissa * 10 + (bytes[at] - 0x30);
    decimals = at - point - 1;
    if (decimals === 0) return NaN;
  }
  if (at === end && decimals <= 22 && mantissa <= Number.MAX_SAFE_INTEGER) {
    const value = mantissa / exact_powers[decimals];
    return negative ? -value : value;
  }
  return at === end || isExponent(bytes, at, end) ? Number(asciiAt(bytes, { start, end })) : NaN;
}

/** The whole number that a run of `bytes` writes, or undefined: not digits, or not an Int64. */
export function int64At(bytes: Uint8Array, { start, end }: Span): number | bigint | undefined {
  const negative = bytes[start] === 0x2d;
  const first = negative ? start + 1 : start;
  const digits = end - first;
  if (digits < 1 || digits > 19 || (digits > 1 && bytes[first] === 0x30)) return undefined;
  let value = 0;
  for (let at = first; at < end; at++) {
    if (!isDigit(bytes[at])) return undefined;
    value = value * 10 + (bytes[at] - 0x30);
  }
  if (digits <= 15) return negative ? -value : value;
  const exact = BigInt(asciiAt(bytes, { start, end }));
  return BigInt.asIntN(64, exact) === exact ? exact : undefined;
}

/** Bytes as text, one character each; quicker than a decoder for a few of them. */
export function asciiAt(bytes: Uint8Array, { start, end }: Span): string {
  let text = "";
  for (let at = start; at < end; at++) text += characters[bytes[at]];
  return text;
}

function isExponent(bytes: Uint8Array, at: number, end: number): boolean {
  if ((bytes[at++] | 0x20) !== 0x65) return false;
  if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
  const first = at;
  while (at < end && isDigit(bytes[at])) at++;
  return at === end && at > first;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
