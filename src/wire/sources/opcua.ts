// What a value of an OPC UA server becomes: a sample, or words why it can't be one; and back.
import { rawOf, type Scaling, wholeIn, wholeOf } from "./raw.ts";

/** A value as a server sends it. */
export type ServerValue = {
  readonly value?: {
    readonly dataType: number;
    readonly arrayType: number;
    readonly value: unknown;
  } | null;
  readonly statusCode: { readonly value: number };
  readonly sourceTimestamp: Date | null;
  /** What the instant has behind its milliseconds. */
  readonly sourcePicoseconds: number;
  readonly serverTimestamp: Date | null;
  readonly serverPicoseconds: number;
};

/** How the number of a value is taken. */
export type ValueTarget = Scaling & { readonly element?: number };

/** The types of values, as the standard numbers them. */
const types = {
  null: 0,
  boolean: 1,
  sbyte: 2,
  byte: 3,
  int16: 4,
  uint16: 5,
  int32: 6,
  uint32: 7,
  int64: 8,
  uint64: 9,
  float: 10,
  double: 11,
  string: 12,
  instant: 13,
  guid: 14,
  node_id: 17,
  expanded_node_id: 18,
  status_code: 19,
  qualified_name: 20,
  localized_text: 21,
} as const;

const scalar = 0;

/** The numbers of types that a node of the standard stands for. */
const number_types: Readonly<Record<number, { bits: number; is_signed: boolean } | "other">> = {
  [types.boolean]: "other",
  [types.sbyte]: { bits: 8, is_signed: true },
  [types.byte]: { bits: 8, is_signed: false },
  [types.int16]: { bits: 16, is_signed: true },
  [types.uint16]: { bits: 16, is_signed: false },
  [types.int32]: { bits: 32, is_signed: true },
  [types.uint32]: { bits: 32, is_signed: false },
  [types.int64]: { bits: 64, is_signed: true },
  [types.uint64]: { bits: 64, is_signed: false },
  [types.float]: "other",
  [types.double]: "other",
};

/** The standard's own name for a kind of double: a time in milliseconds. */
const duration = 290;

/**
 * The type of the numbers of a node: that of its attribute DataType (a node id), or where that is
 * one of several, that of the value that it has; or why there is none.
 */
export function numberType(data_type: string, value: ServerValue["value"]): number | string {
  const [, id] = /^(?:ns=0;)?i=(\d+)$/.exec(data_type) ?? [];
  const named = Number(id) === duration ? types.double : Number(id);
  if (named in number_types) return named;
  // A type of the standard, or of the server, that stands for several: Number, an enumeration.
  const held = value?.dataType ?? types.null;
  if (held in number_types) return held;
  if (held === types.null) return `it has no value, and its type ${data_type} leaves it open`;
  return `it holds no number (its type is ${data_type})`;
}

/** A value that is written, and its number when it is read back. */
export type WrittenValue = {
  readonly dataType: number;
  readonly value: unknown;
  readonly raw: number;
};

/** A sample's value as one of a type; undefined where the type can't hold it. */
export function writtenValue(
  value: number,
  { type, ...scaling }: Scaling & { readonly type: number },
): WrittenValue | undefined {
  const plain = rawOf(value, scaling);
  const width = number_types[type];
  if (type === types.float || type === types.double) {
    const raw = type === types.float ? Math.fround(plain) : plain;
    return Number.isFinite(raw) ? { dataType: type, value: raw, raw } : undefined;
  }
  if (width === "other") {
    const raw = wholeIn(wholeOf(plain), { bits: 1, is_signed: false });
    return raw === undefined ? undefined : { dataType: type, value: raw === 1, raw };
  }
  const raw = wholeIn(wholeOf(plain), width);
  if (raw === undefined) return undefined;
  if (width.bits < 64) return { dataType: type, value: raw, raw };
  const bits = BigInt.asUintN(64, BigInt(raw));
  const halves = [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
  return { dataType: type, value: halves, raw };
}

/** The queue of the server was full: a value before this one is missing. */
export function isOverflown(status_code: number): boolean {
  return (status_code & 0x0c80) === 0x0480;
}

/** A historian's marks (raw, calculated, …) are of the reading, not of the value. */
export function withoutHistorian(status_code: number): number {
  return (status_code & 0x0c00) === 0x0400 ? (status_code & ~0x041f) >>> 0 : status_code;
}

/** The instant that a value has of its source, or else of its server; undefined without both. */
export function serverInstant(value: ServerValue): number | undefined {
  if (value.sourceTimestamp) return microseconds(value.sourceTimestamp, value.sourcePicoseconds);
  if (value.serverTimestamp) return microseconds(value.serverTimestamp, value.serverPicoseconds);
}

function microseconds(at: Date, picoseconds: number): number {
  return at.getTime() * 1000 + Math.floor(picoseconds / 1e6);
}

/** What a value becomes; without a value its status says why. */
export type ServerSample = {
  readonly ts_us: number;
  readonly value?: number | bigint | string;
  readonly status_code?: number;
};

/**
 * The sample of a value; `now_us` where it says no instant. A value that can't be kept leaves a
 * sample without one, and `flaw` says why.
 */
export function serverSample(
  value: ServerValue,
  { now_us, ...target }: ValueTarget & { readonly now_us: number },
): { readonly sample: ServerSample; readonly flaw?: string } {
  const ts_us = serverInstant(value) ?? now_us;
  const code = value.statusCode.value;
  const status = code === 0 ? {} : { status_code: code };
  // The value of a bad one says nothing.
  if (code >= 0x8000_0000) return { sample: { ts_us, ...status } };
  const taken = take(value.value, target);
  if (taken === undefined) return { sample: { ts_us, status_code: code || no_data } };
  if (typeof taken === "object") {
    return { sample: { ts_us, status_code: code || not_supported }, flaw: taken.flaw };
  }
  return { sample: { ts_us, value: taken, ...status } };
}

/** OPC UA's BadNoData and BadNotSupported, for good values that are none here. */
const no_data = 0x809b_0000;
const not_supported = 0x803d_0000;

type Taken = number | bigint | string | { readonly flaw: string } | undefined;

function take(value: ServerValue["value"], { element, scale, offset }: ValueTarget): Taken {
  if (!value || value.dataType === types.null || value.value === null) return undefined;
  let item = value.value;
  if (value.arrayType !== scalar) {
    const items = item as ArrayLike<unknown>;
    if (element === undefined) return { flaw: arrayFlaw(items.length) };
    if (element >= items.length) {
      return { flaw: `has ${items.length} elements, so none at ${element}` };
    }
    item = items[element]!;
  } else if (element !== undefined) return { flaw: "is no array: leave element out" };
  const plain = plainOf(item, value.dataType);
  if (scale === 1 && offset === 0) return plain;
  return typeof plain === "number" || typeof plain === "bigint"
    ? Number(plain) * scale + offset
    : plain;
}

function arrayFlaw(length: number): string {
  if (length === 0) return "is an empty array";
  return `is an array of ${length}: say which one is meant, with element = 0 to ${length - 1}`;
}

/** A single value: numbers as they are, whole ones of 64 bits as bigint, instants as texts. */
function plainOf(item: unknown, type: number): Taken {
  switch (type) {
    case types.boolean:
      return item ? 1 : 0;
    case types.int64:
      return BigInt.asIntN(64, bitsOf(item));
    case types.uint64:
      return keptWhole(bitsOf(item));
    case types.float:
    case types.double:
      return Number.isFinite(item) ? item as number : undefined;
    case types.instant:
      return (item as Date).toISOString();
    case types.status_code:
      return (item as { readonly value: number }).value;
    case types.string:
    case types.guid:
      return item as string;
    case types.localized_text:
      return (item as { readonly text: string | null }).text ?? undefined;
    case types.qualified_name:
    case types.node_id:
    case types.expanded_node_id:
      return `${item}`;
  }
  if (typeof item === "number") return item;
  return { flaw: `is of a type (${type}) that can't be kept: no number, text or instant` };
}

/** 64 bits from their high and low half. */
function bitsOf(item: unknown): bigint {
  const [high, low] = item as readonly [number, number];
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

function keptWhole(bits: bigint): Taken {
  if (bits <= 0x7fff_ffff_ffff_ffffn) return bits;
  return { flaw: "is beyond the largest whole number that can be kept, 2^63 - 1" };
}
