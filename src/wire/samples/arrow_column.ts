// Reads one column of an Arrow batch as typed arrays, checking the buffers that its sender filled.
import { type Data, DataType, Type, type Vector } from "apache-arrow";
import { Fault } from "../../base/fault.ts";

/** Text of rows: row i is entry `codes[i]`, none where that is -1. */
export type TextColumn = { readonly codes: Int32Array; readonly entries: TextEntries };

/** Texts as UTF-8: entry i is `[starts[i], ends[i])` of `sources[source[i]]`. */
export type TextEntries = {
  readonly sources: readonly Uint8Array[];
  readonly source: Int32Array | undefined;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
};

/** Values of rows as their sender typed them; row i has one where `valid` says so (bool: bit i). */
export type ValueColumn =
  | { readonly kind: "float"; readonly values: ArrayLike<number>; readonly valid?: Uint8Array }
  | { readonly kind: "small"; readonly values: ArrayLike<number>; readonly valid?: Uint8Array }
  | { readonly kind: "big"; readonly values: ArrayLike<bigint>; readonly valid?: Uint8Array }
  | { readonly kind: "bool"; readonly values: Uint8Array; readonly valid?: Uint8Array }
  | { readonly kind: "text"; readonly values: TextColumn; readonly valid?: undefined };

/** Which rows have a value; absent when all have. */
function validityOf(data: Data): Uint8Array | undefined {
  if (data.nullCount === 0 || data.nullBitmap.length === 0) return undefined;
  need(data.offset === 0 && data.nullBitmap.length * 8 >= data.length);
  return data.nullBitmap;
}

/** Whether row `i` has a value. */
export function has(valid: Uint8Array | undefined, i: number): boolean {
  return valid === undefined || (valid[i >> 3] >> (i & 7) & 1) === 1;
}

/** A text column, plain or by dictionary; undefined when the type is no text. */
export function textColumn(data: Data): TextColumn | undefined {
  const valid = validityOf(data);
  const codes = new Int32Array(data.length);
  const { type } = data;
  if (DataType.isDictionary(type)) {
    const dictionary = data.dictionary;
    if (!dictionary || !DataType.isInt(type.indices)) return undefined;
    const entries = dictionaryEntries(dictionary);
    if (entries === undefined) return undefined;
    const indices = data.values as ArrayLike<number | bigint>;
    need(indices.length >= data.length);
    for (let i = 0; i < data.length; i++) {
      const code = has(valid, i) ? Number(indices[i]) : -1;
      need(code >= -1 && code < entries.starts.length);
      codes[i] = code;
    }
    return { codes, entries };
  }
  const entries = textEntries(data);
  if (entries === undefined) return undefined;
  for (let i = 0; i < data.length; i++) codes[i] = has(valid, i) ? i : -1;
  return { codes, entries };
}

/** A column of whole numbers, or undefined when its type is another. */
export function integerColumn(data: Data): ValueColumn | undefined {
  if (!DataType.isInt(data.type)) return undefined;
  need(data.values.length >= data.length);
  const valid = validityOf(data);
  return data.type.bitWidth === 64
    ? { kind: "big", values: data.values, valid }
    : { kind: "small", values: data.values, valid };
}

/** A column of values of any type that a sample can have (half floats are none of them). */
export function valueColumn(data: Data): ValueColumn | undefined {
  const { values } = data;
  if (values instanceof Float64Array || values instanceof Float32Array) {
    need(values.length >= data.length);
    return { kind: "float", values, valid: validityOf(data) };
  }
  if (DataType.isBool(data.type)) {
    need(values.length * 8 >= data.length);
    return { kind: "bool", values, valid: validityOf(data) };
  }
  return integerColumn(data) ?? textValues(data);
}

/** A text column as values. */
export function textValues(data: Data): ValueColumn | undefined {
  const values = textColumn(data);
  return values && { kind: "text", values };
}

/** Microseconds since 1970 of a column of timestamps; NaN where there is none. */
export function instantColumn(data: Data): Float64Array | undefined {
  if (!DataType.isTimestamp(data.type) || !data.type.timezone) return undefined;
  const valid = validityOf(data);
  const values = data.values as BigInt64Array;
  need(values instanceof BigInt64Array && values.length >= data.length);
  const halves = new Int32Array(values.buffer, values.byteOffset, 2 * data.length);
  const micros = new Float64Array(data.length);
  const scale = [1_000_000, 1000, 1, 0][data.type.unit];
  for (let i = 0; i < data.length; i++) {
    if (!has(valid, i)) micros[i] = NaN;
    else if (scale === 0) micros[i] = Number(values[i] / 1000n);
    else micros[i] = (halves[2 * i + 1] * 4_294_967_296 + (halves[2 * i] >>> 0)) * scale;
  }
  return micros;
}

/** Fails the whole body when its buffers contradict its lengths. */
export function need(holds: unknown): asserts holds {
  if (!holds) throw new Fault("invalid", "the Arrow stream's buffers contradict its lengths");
}

function textEntries(data: Data): TextEntries | undefined {
  const { length } = data;
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  if (data.typeId === Type.Utf8View) return viewEntries(data, { starts, ends });
  if (data.typeId !== Type.Utf8 && data.typeId !== Type.LargeUtf8) return undefined;
  const bytes = data.values as Uint8Array;
  const offsets = data.valueOffsets as ArrayLike<number | bigint>;
  need(length === 0 || offsets.length > length);
  for (let i = 0; i < length; i++) {
    starts[i] = Number(offsets[i]);
    ends[i] = Number(offsets[i + 1]);
    need(starts[i] >= 0 && starts[i] <= ends[i] && ends[i] <= bytes.length);
  }
  return { sources: [bytes], source: undefined, starts, ends };
}

/** Views of 16 bytes: the length, then up to 12 bytes of text, or its buffer and place there. */
function viewEntries(
  data: Data,
  { starts, ends }: { readonly starts: Int32Array; readonly ends: Int32Array },
): TextEntries {
  const views = data.values as Uint8Array;
  need(views.length >= 16 * data.length);
  const numbers = new DataView(views.buffer, views.byteOffset, views.byteLength);
  const sources = [views, ...data.variadicBuffers];
  const source = new Int32Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const length = numbers.getInt32(16 * i, true);
    const inside = length <= 12;
    source[i] = inside ? 0 : 1 + numbers.getInt32(16 * i + 8, true);
    starts[i] = inside ? 16 * i + 4 : numbers.getInt32(16 * i + 12, true);
    ends[i] = starts[i] + length;
    need(length >= 0 && starts[i] >= 0 && ends[i] <= (sources[source[i]]?.length ?? -1));
  }
  return { sources, source, starts, ends };
}

/** Entries by dictionary: a stream's batches share theirs, which may be large. */
const known = new WeakMap<Vector, TextEntries>();

function dictionaryEntries(dictionary: Vector): TextEntries | undefined {
  need(dictionary.data.length === 1);
  const entries = known.get(dictionary) ?? textEntries(dictionary.data[0]);
  if (entries !== undefined) known.set(dictionary, entries);
  return entries;
}
