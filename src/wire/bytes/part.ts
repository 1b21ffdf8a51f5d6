// The bytes of a part of an answer between two shards: facts as JSON, then numbers as they are.
import { assert } from "../../base/assert.ts";
import { concat, textOf, utf8 } from "../../base/bytes.ts";

/** What one shard says to another. */
export type Part = {
  readonly facts?: unknown;
  readonly numbers?: Readonly<Record<string, Float64Array>>;
};

/**
 * The form of the bytes and of what they say; nodes of another form are not understood. It is
 * raised with any change of either: of the numbers' names, too.
 */
export const part_form = 3;

/** The name of the form. */
export const part_type = `application/x-wattkeeper-part-${part_form}`;

const wide = Float64Array.BYTES_PER_ELEMENT;

/**
 * A part as bytes: how long its head is (a uint32), the head (JSON with the facts, and the name and
 * length of each array), then the arrays one behind the other, in the machine's order of bytes,
 * which is little-endian wherever this runs.
 */
export function encodePart({ facts = null, numbers = {} }: Part): Uint8Array<ArrayBuffer> {
  const arrays = Object.entries(numbers);
  const head = utf8(JSON.stringify({
    facts,
    arrays: arrays.map(([name, values]) => [name, values.length]),
  }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, head.length, true);
  return concat([
    length,
    head,
    ...arrays.map(([, { buffer, byteOffset, byteLength }]) =>
      new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
    ),
  ]);
}

/** The part that bytes say. */
export function decodePart(bytes: Uint8Array<ArrayBuffer>): Required<Part> {
  const { buffer, byteOffset, byteLength } = bytes;
  const length = new DataView(buffer, byteOffset, byteLength).getUint32(0, true);
  const { facts, arrays } = JSON.parse(textOf(bytes.subarray(4, 4 + length)));
  const numbers: Record<string, Float64Array> = {};
  let at = 4 + length;
  for (const [name, count] of arrays as [string, number][]) {
    const values = new Float64Array(count);
    new Uint8Array(values.buffer).set(bytes.subarray(at, at + count * wide));
    numbers[name] = values;
    at += count * wide;
  }
  assert(at === bytes.length, "a part is whole");
  return { facts, numbers };
}
