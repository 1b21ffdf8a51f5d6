// Thrift's compact protocol, as far as Parquet's headers and footer need it to be written.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
import { assert } from "../../base/assert.ts";
import { utf8 } from "../../base/bytes.ts";

/** A value that knows its type's number and how to write itself. */
export type Thrift = { readonly type: number; readonly write: (out: number[]) => void };

/** A field of a struct: its id, and its value; without one it is left out. */
export type ThriftField = readonly [id: number, value: Thrift | undefined];

/** The bytes of one struct. */
export function thriftBytes(value: Thrift): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  value.write(out);
  return Uint8Array.from(out);
}

/** A number as it is written in 7 bits a byte, the low ones first. */
export function varint(value: number, out: number[]): void {
  assert(Number.isSafeInteger(value) && value >= 0, "a varint is a whole number from 0");
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push(rest % 0x80 | 0x80);
  out.push(rest);
}

/** A whole number from 0 to 127. */
export function i8(value: number): Thrift {
  return { type: 3, write: (out) => out.push(value) };
}

/** A whole number from 0: Parquet's sizes and codes are never negative. */
export function i32(value: number): Thrift {
  return { type: 5, write: (out) => varint(2 * value, out) };
}

/** A whole number from 0, up to 2^52. */
export function i64(value: number): Thrift {
  return { type: 6, write: (out) => varint(2 * value, out) };
}

/** The two values of a boolean field, which is all in its type. */
export const flags: { readonly yes: Thrift; readonly no: Thrift } = {
  yes: { type: 1, write: () => {} },
  no: { type: 2, write: () => {} },
};

/** A text as UTF-8 behind its length. */
export function text(value: string): Thrift {
  const write = (out: number[]) => {
    const bytes = utf8(value);
    varint(bytes.length, out);
    for (const byte of bytes) out.push(byte);
  };
  return { type: 8, write };
}

/** Values of one type; an empty list is said to be of structs. */
export function list(values: readonly Thrift[]): Thrift {
  const write = (out: number[]) => {
    const type = values[0]?.type ?? 12;
    if (values.length < 15) out.push(values.length << 4 | type);
    else {
      out.push(0xf0 | type);
      varint(values.length, out);
    }
    for (const value of values) value.write(out);
  };
  return { type: 9, write };
}

/** A struct or a union of fields in rising order of their ids, less than 16 apart. */
export function struct(...fields: readonly ThriftField[]): Thrift {
  const write = (out: number[]) => {
    let last = 0;
    for (const [id, value] of fields) {
      if (value === undefined) continue;
      out.push((id - last) << 4 | value.type);
      value.write(out);
      last = id;
    }
    out.push(0);
  };
  return { type: 12, write };
}
