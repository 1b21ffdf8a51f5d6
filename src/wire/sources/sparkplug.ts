// Payloads of Sparkplug B: protobuf read into metrics, and the request for a rebirth written.
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { source_limits } from "../../model/sources/limits.ts";
import {
  boolean_type,
  type RawValue,
  rebirth_metric,
  type SparkplugMetric,
  type SparkplugPayload,
} from "../../model/sources/sparkplug.ts";

/** Field numbers of org.eclipse.tahu.protobuf.Payload that are read. */
const payload = { timestamp: 1, metrics: 2, seq: 3 } as const;
const metric = {
  name: 1,
  alias: 2,
  timestamp: 3,
  datatype: 4,
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
  const wanted = new BinaryWriter().uint32(metric.name << 3 | 2).string(rebirth_metric)
    .uint32(metric.timestamp << 3).uint64(now_ms)
    .uint32(metric.datatype << 3).uint32(boolean_type)
    .uint32(14 << 3).bool(true).finish();
  return new BinaryWriter().uint32(payload.timestamp << 3).uint64(now_ms)
    .uint32(payload.metrics << 3 | 2).bytes(wanted).finish();
}
