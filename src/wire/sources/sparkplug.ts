// Payloads of Sparkplug B: protobuf read into metrics, and metrics written.
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { source_limits } from "../../model/sources/limits.ts";
import {
  boolean_type,
  type RawValue,
  rebirth_metric,
  type SparkplugMetric,
  type SparkplugPayload,
} from "../../model/sources/sparkplug.ts";
import { wholeIn } from "./raw.ts";

/** Field numbers of org.eclipse.tahu.protobuf.Payload that are read. */
const payload = { timestamp: 1, metrics: 2, seq: 3 } as const;
const metric = {
  name: 1,
  alias: 2,
  timestamp: 3,
  datatype: 4,
  is_historical: 5,
  is_null: 7,
  properties: 9,
  value: 10,
} as const;
const template = { metrics: 2, is_definition: 5 } as const;
const properties = { keys: 1, values: 2 } as const;
const property_int = 3;
const property_long = 4;

/** Reads a payload. Throws an `Error` for bytes that are none. */
export function decodeSparkplug(bytes: Uint8Array): SparkplugPayload {
  const reader = new BinaryReader(bytes);
  const read: { ts_ms?: number; seq?: number; metrics: SparkplugMetric[] } = { metrics: [] };
  let room = source_limits.metrics;
  const take = () => {
    if (--room < 0) throw new Error(`it has more than ${source_limits.metrics} metrics`);
  };
  eachField(reader, reader.len, (field, type) => {
    if (field === payload.timestamp) read.ts_ms = Number(reader.uint64());
    else if (field === payload.seq) read.seq = Number(reader.uint64());
    else if (field === payload.metrics) read.metrics.push(readMetric(reader, { take, depth: 0 }));
    else reader.skip(type, field);
  });
  return read;
}

/** What is left of a message's bounds. */
type Bounds = { readonly take: () => void; readonly depth: number };

/** Reads the fields up to `end`, each by `read`, which leaves nothing of it. */
function eachField(
  reader: BinaryReader,
  end: number,
  read: (field: number, type: Parameters<BinaryReader["skip"]>[0]) => void,
): void {
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    read(field, type);
  }
  if (reader.pos !== end) throw new RangeError("a field is longer than its message");
}

function endOf(reader: BinaryReader): number {
  const length = reader.uint32();
  if (reader.pos + length > reader.len) throw new RangeError("a message is cut short");
  return reader.pos + length;
}

function readMetric(reader: BinaryReader, bounds: Bounds): SparkplugMetric {
  bounds.take();
  const read: { -readonly [K in keyof SparkplugMetric]: SparkplugMetric[K] } = { is_null: false };
  eachField(reader, endOf(reader), (field, type) => {
    if (field === metric.name) read.name = reader.string();
    else if (field === metric.alias) read.alias = `${reader.uint64()}`;
    else if (field === metric.timestamp) read.ts_ms = Number(reader.uint64());
    else if (field === metric.datatype) read.type = reader.uint32();
    else if (field === metric.is_historical) read.is_historical = reader.bool();
    else if (field === metric.is_null) read.is_null = reader.bool();
    else if (field === metric.properties) read.quality = readQuality(reader);
    else if (field >= metric.value) read.raw = readValue(reader, field - metric.value, bounds);
    else reader.skip(type, field);
  });
  return read;
}

/** Readers of a metric's value, by its field from int_value on. */
const values: readonly ((reader: BinaryReader, bounds: Bounds) => RawValue)[] = [
  (reader) => ({ kind: "integer", value: BigInt(reader.uint32()) }),
  (reader) => ({ kind: "integer", value: BigInt(reader.uint64()) }),
  (reader) => ({ kind: "number", value: reader.float() }),
  (reader) => ({ kind: "number", value: reader.double() }),
  (reader) => ({ kind: "boolean", value: reader.bool() }),
  (reader) => ({ kind: "text", value: reader.string() }),
  (reader) => skipped(reader, "an array or a run of bytes"),
  (reader) => skipped(reader, "a data set"),
  readTemplate,
  (reader) => skipped(reader, "an extension"),
];

function readValue(reader: BinaryReader, field: number, bounds: Bounds): RawValue {
  const read = values.at(field);
  if (read === undefined) throw new Error("a metric has a field that nobody knows");
  return read(reader, bounds);
}

function skipped(reader: BinaryReader, what: string): RawValue {
  reader.pos = endOf(reader);
  return { kind: "other", what };
}

function readTemplate(reader: BinaryReader, { take, depth }: Bounds): RawValue {
  if (depth >= source_limits.template_depth) throw new Error("its templates are nested too deep");
  const metrics: SparkplugMetric[] = [];
  let is_definition = false;
  eachField(reader, endOf(reader), (field, type) => {
    if (field === template.metrics) metrics.push(readMetric(reader, { take, depth: depth + 1 }));
    else if (field === template.is_definition) is_definition = reader.bool();
    else reader.skip(type, field);
  });
  return { kind: "template", metrics: is_definition ? [] : metrics };
}

/** The property `Quality` of a metric. */
function readQuality(reader: BinaryReader): number | undefined {
  const keys: string[] = [];
  const numbers: (number | undefined)[] = [];
  eachField(reader, endOf(reader), (field, type) => {
    if (field === properties.keys) keys.push(reader.string());
    else if (field === properties.values) numbers.push(readProperty(reader));
    else reader.skip(type, field);
  });
  return numbers[keys.indexOf("Quality")];
}

function readProperty(reader: BinaryReader): number | undefined {
  let value: number | undefined;
  eachField(reader, endOf(reader), (field, type) => {
    if (field === property_int) value = reader.uint32();
    else if (field === property_long) value = Number(reader.uint64());
    else reader.skip(type, field);
  });
  return value;
}

/** The payload that asks a node to send its births again. */
export function rebirthRequest(now_ms: number): Uint8Array {
  const wanted = { name: rebirth_metric, ts_ms: now_ms, type: "boolean", value: true } as const;
  return encodeSparkplug({ ts_ms: now_ms, metrics: [wanted] });
}

/** A metric to send; undefined is no value. */
export type WrittenMetric = {
  /** In births; data have the alias alone. */
  readonly name?: string;
  readonly alias?: number;
  readonly ts_ms: number;
  readonly type: keyof typeof written_types;
  readonly value: number | bigint | string | boolean | undefined;
  readonly is_historical?: boolean;
  /** 192 good, 64 uncertain, 0 bad: its property `Quality`; good by default. */
  readonly quality?: number;
};

/** Numbers of the types of metrics that are sent, and the fields of their values. */
const written_types = {
  int8: { type: 1, field: 10 },
  int16: { type: 2, field: 10 },
  int32: { type: 3, field: 10 },
  int64: { type: 4, field: 11 },
  uint8: { type: 5, field: 10 },
  uint16: { type: 6, field: 10 },
  uint32: { type: 7, field: 10 },
  uint64: { type: 8, field: 11 },
  float: { type: 9, field: 12 },
  double: { type: 10, field: 13 },
  boolean: { type: boolean_type, field: 14 },
  string: { type: 12, field: 15 },
} as const;

/** The bytes of a payload; a death has no number in the row of messages. */
export function encodeSparkplug(
  { ts_ms, seq, metrics }: {
    readonly ts_ms: number;
    readonly seq?: number;
    readonly metrics: readonly WrittenMetric[];
  },
): Uint8Array {
  const writer = new BinaryWriter().uint32(payload.timestamp << 3).uint64(ts_ms);
  for (const one of metrics) {
    writer.uint32(payload.metrics << 3 | 2).fork();
    writeMetric(writer, one);
    writer.join();
  }
  if (seq !== undefined) writer.uint32(payload.seq << 3).uint64(seq);
  return writer.finish();
}

function writeMetric(
  writer: BinaryWriter,
  { name, alias, ts_ms, type, value, is_historical, quality }: WrittenMetric,
): void {
  if (name !== undefined) writer.uint32(metric.name << 3 | 2).string(name);
  if (alias !== undefined) writer.uint32(metric.alias << 3).uint64(alias);
  writer.uint32(metric.timestamp << 3).uint64(ts_ms);
  writer.uint32(metric.datatype << 3).uint32(written_types[type].type);
  if (is_historical) writer.uint32(metric.is_historical << 3).bool(true);
  if (value === undefined) writer.uint32(metric.is_null << 3).bool(true);
  if (quality !== undefined) writeQuality(writer, quality);
  if (value !== undefined) writeValue(writer, type, value);
}

function writeQuality(writer: BinaryWriter, quality: number): void {
  writer.uint32(metric.properties << 3 | 2).fork();
  writer.uint32(properties.keys << 3 | 2).string("Quality");
  writer.uint32(properties.values << 3 | 2).fork();
  writer.uint32(1 << 3).uint32(3).uint32(property_int << 3).uint32(quality);
  writer.join();
  writer.join();
}

function writeValue(
  writer: BinaryWriter,
  type: keyof typeof written_types,
  value: number | bigint | string | boolean,
): void {
  const { field } = written_types[type];
  switch (type) {
    case "int8":
    case "int16":
    case "int32":
    case "uint8":
    case "uint16":
    case "uint32":
      writer.uint32(field << 3).uint32(Number(value) >>> 0);
      return;
    case "float":
      writer.uint32(field << 3 | 5).float(Number(value));
      return;
    case "int64":
    case "uint64":
      writer.uint32(field << 3).uint64(BigInt.asUintN(64, BigInt(value)));
      return;
    case "double":
      writer.uint32(field << 3 | 1).double(Number(value));
      return;
    case "boolean":
      writer.uint32(field << 3).bool(Boolean(value));
      return;
    case "string":
      writer.uint32(field << 3 | 2).string(String(value));
  }
}

/**
 * A metric that sets a value, of the type (a number of the standard's) that its birth gave; or why
 * there is none.
 */
export function settingMetric(
  name: string,
  { type: number, value, ts_ms }: {
    readonly type: number | undefined;
    readonly value: number;
    readonly ts_ms: number;
  },
): WrittenMetric | string {
  const found = Object.entries(written_types).find(([, { type }]) => type === number);
  if (found === undefined || found[0] === "string") return `is of a type (${number}) of no numbers`;
  const type = found[0] as WrittenMetric["type"];
  const held = heldBy(type, value);
  return held === undefined ? `can't hold ${value}` : { name, ts_ms, type, value: held };
}

/** A number as a type holds it; undefined where it can't. */
function heldBy(type: WrittenMetric["type"], value: number): number | boolean | undefined {
  if (type === "double") return value;
  if (type === "float") return Number.isFinite(Math.fround(value)) ? value : undefined;
  if (type === "boolean") return value === 0 || value === 1 ? value === 1 : undefined;
  const bits = Number(/\d+$/.exec(type)![0]);
  return wholeIn(value, { bits, is_signed: type.startsWith("int") });
}
