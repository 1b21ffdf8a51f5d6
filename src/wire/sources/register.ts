// Values in registers: types, the order of words, and what SunSpec means by none.

import {
  register_counts,
  type RegisterType,
  type WordOrder,
} from "../../model/sources/register.ts";
import { wholeIn } from "./raw.ts";

/** A value in registers that were read: a number, an exact whole one, or a text. */
export type RegisterValue = number | bigint | string;

/** The value of some bytes, two a register. */
export function valueIn(
  bytes: Uint8Array,
  { type, words }: { readonly type: RegisterType; readonly words: WordOrder },
): RegisterValue {
  const ordered = words === "little" && type !== "string" ? turned(bytes) : bytes;
  // Most points are one register, and a view of their own would cost more than they do.
  if (type === "uint16") return ordered[0] << 8 | ordered[1];
  if (type === "int16") return (ordered[0] << 24 | ordered[1] << 16) >> 16;
  const view = new DataView(ordered.buffer, ordered.byteOffset, ordered.length);
  switch (type) {
    case "int32":
      return view.getInt32(0);
    case "uint32":
      return view.getUint32(0);
    case "int64":
      return view.getBigInt64(0);
    case "uint64":
      return view.getBigUint64(0);
    case "float32":
      return view.getFloat32(0);
    case "float64":
      return view.getFloat64(0);
    case "string":
      return textIn(ordered);
  }
}

/**
 * The bytes that hold a number, for `valueIn` to give it again; undefined where the type can't hold
 * it. A float32 holds the nearest one.
 */
export function bytesOf(
  value: number,
  { type, words }: { readonly type: RegisterType; readonly words: WordOrder },
): Uint8Array | undefined {
  if (type === "string" || !Number.isFinite(value)) return undefined;
  const bytes = new Uint8Array(2 * register_counts[type]);
  const view = new DataView(bytes.buffer);
  if (type === "float32") view.setFloat32(0, value);
  else if (type === "float64") view.setFloat64(0, value);
  else {
    const held = wholeIn(value, { bits: 8 * bytes.length, is_signed: type.startsWith("int") });
    if (held === undefined) return undefined;
    const whole = BigInt.asUintN(64, BigInt(held));
    for (let i = 0; i < bytes.length; i++) {
      bytes[bytes.length - 1 - i] = Number(whole >> BigInt(8 * i) & 0xffn);
    }
  }
  if (type === "float32" && !Number.isFinite(view.getFloat32(0))) return undefined;
  return words === "little" ? turned(bytes) : bytes;
}

/** The same words, the last one first. */
function turned(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i += 2) {
    out[i] = bytes[bytes.length - 2 - i];
    out[i + 1] = bytes[bytes.length - 1 - i];
  }
  return out;
}

/** A text up to its first zero, without spaces at its ends. */
function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end)).trim();
}

/** Values, each another one, that look wrong before it is said, or right before it is believed. */
const values_odd = 8;
const values_right = 3;
/** Sizes of numbers with a fraction that measurements have. */
const [least_size, most_size] = [1e-9, 1e12];

/**
 * Watches the values of a point of several registers. A whole number that changes does so in its
 * lowest word first; a number with a fraction has a size that measurements have.
 */
export class WordOrderWatch {
  readonly #type: RegisterType;
  readonly #words: WordOrder;
  readonly #odd = new Set<number>();
  #right = 0;
  #low: number | undefined;
  #is_over: boolean;

  constructor({ type, words }: { readonly type: RegisterType; readonly words: WordOrder }) {
    this.#type = type;
    this.#words = words;
    this.#is_over = !/(32|64)$/.test(type);
  }

  /** What the registers hold in the other order, once that seems to be the right one. */
  other(bytes: Uint8Array): RegisterValue | undefined {
    if (this.#is_over) return undefined;
    const words = this.#words === "big" ? "little" : "big";
    const other = valueIn(bytes, { type: this.#type, words });
    const is_odd = this.#type.startsWith("float")
      ? this.#isStrange(bytes, Number(other))
      : this.#isTopHeavy(bytes);
    if (is_odd === undefined) return undefined;
    if (!is_odd) {
      this.#is_over = ++this.#right >= values_right;
      return undefined;
    }
    this.#odd.add(Number(other));
    this.#is_over = this.#odd.size >= values_odd;
    return this.#is_over ? other : undefined;
  }

  /** Whether the lowest word stays as it was; that of a value that changes does not. */
  #isTopHeavy(bytes: Uint8Array): boolean | undefined {
    const at = this.#words === "big" ? bytes.length - 2 : 0;
    const before = this.#low;
    this.#low = bytes[at] << 8 | bytes[at + 1];
    return before === undefined ? undefined : this.#low === before;
  }

  /** Whether nothing has this size, and the other one is usual. */
  #isStrange(bytes: Uint8Array, other: number): boolean | undefined {
    const value = Number(valueIn(bytes, { type: this.#type, words: this.#words }));
    return isUsual(value) === isUsual(other) ? undefined : isUsual(other);
  }
}

function isUsual(value: number): boolean {
  const size = Math.abs(value);
  return size >= least_size && size <= most_size;
}
