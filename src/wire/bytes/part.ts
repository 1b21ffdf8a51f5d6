// The bytes of a part of an answer between two shards: facts as JSON, then numbers as they are.
import { assert } from "../../base/assert.ts";
import { textOf, utf8 } from "../../base/bytes.ts";

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

const head_bytes = Uint32Array.BYTES_PER_ELEMENT;
const wide = Float64Array.BYTES_PER_ELEMENT;

/**
 * A part as bytes, piece by piece: how long its head is (a uint32), the head (JSON with the facts,
 * and the name and length of each array; spaces behind it let numbers begin where they may lie),
 * then the arrays one behind the other, in the machine's order of bytes, which is little-endian
 * wherever this runs. These are the arrays' own.
 */
export function encodePart({ facts = null, numbers = {} }: Part): Uint8Array<ArrayBuffer>[] {
  const arrays = Object.entries(numbers);
  const text = JSON.stringify({
    facts,
    arrays: arrays.map(([name, values]) => [name, values.length]),
  });
  const before = head_bytes + utf8(text).length;
  const head = utf8(text + " ".repeat(-before & (wide - 1)));
  const length = new Uint8Array(head_bytes);
  new DataView(length.buffer).setUint32(0, head.length, true);
  return [
    length,
    head,
    ...arrays.map(([, { buffer, byteOffset, byteLength }]) =>
      new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
    ),
  ];
}

/** The part that bytes say; where its numbers may lie where they are, they are these bytes. */
export function decodePart(bytes: Uint8Array<ArrayBuffer>): Required<Part> {
  const { buffer, byteOffset, byteLength } = bytes;
  const length = new DataView(buffer, byteOffset, byteLength).getUint32(0, true);
  const begin = head_bytes + length;
  const { facts, arrays } = JSON.parse(textOf(bytes.subarray(head_bytes, begin)));
  const rest = (byteOffset + begin) % wide === 0 ? bytes.subarray(begin) : bytes.slice(begin);
  const numbers: Record<string, Float64Array> = {};
  let at = 0;
  for (const [name, count] of arrays as [string, number][]) {
    numbers[name] = new Float64Array(rest.buffer, rest.byteOffset + at, count);
    at += count * wide;
  }
  assert(at === rest.length, "a part is whole");
  return { facts, numbers };
}
