// Text as bytes: one encoder and one decoder for the whole program.

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
const lenient = new TextDecoder();
const pairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** A run of bytes, [start, end). */
export type Span = { readonly start: number; readonly end: number };

/** UTF-8 bytes of `text`. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes; broken sequences become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

/** The text of UTF-8 bytes, or undefined when they are not UTF-8. */
export function strictTextOf(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The same text in memory of its own: a part of a text keeps the whole of it alive. */
export function ownText(text: string): string {
  // Joined texts are parts too, until a look at them writes them out.
  const joined = `${text} `;
  joined.charCodeAt(0);
  return joined.slice(0, -1);
}

/** Whether `bytes` hold all of `wanted` from `at` on. */
export function holdAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** Lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += pairs[byte];
  return text;
}

/** One array that holds all `parts`, in order. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Orders texts as their UTF-8 bytes do: negative, zero or positive. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = rankOf(a.charCodeAt(i)) - rankOf(b.charCodeAt(i));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** A UTF-16 unit's place in the order of code points: surrogates stand for the highest ones. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
