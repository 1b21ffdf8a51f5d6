// Values in registers: types, the order of words, and what SunSpec means by none.

import type { RegisterType, WordOrder } from "../../model/sources/register.ts";

/** A value in registers that were read: a number, an exact whole one, or a text. */
export type RegisterValue = number | bigint | string;

/** The value of some bytes, two a register. */
export function valueIn(
  bytes: Uint8Array,
  { type, words }: { readonly type: RegisterType; readonly words: WordOrder },
): RegisterValue {
  const ordered = words === "little" && type !== "string" ? turned(bytes) : bytes;
  const view = new DataView(ordered.buffer, ordered.byteOffset, ordered.length);
  switch (type) {
    case "int16":
      return view.getInt16(0);
    case "uint16":
      return view.getUint16(0);
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
