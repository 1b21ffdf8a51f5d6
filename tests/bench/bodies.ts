// Bodies of 20 000 values in each format: ten minutes of 500 inverters with four measures each.
import { type Data, makeData, RecordBatch, RecordBatchStreamWriter, Schema } from "apache-arrow";
import { Dictionary, Field, Int32, makeVector, Struct } from "apache-arrow";
import { TimestampMicrosecond, Utf8, vectorFromArray } from "apache-arrow";

/** The formats, with the path and the media type that a body of each is sent to. */
export const formats = {
  line: { path: "line", media_type: "text/plain" },
  ndjson: { path: "signals", media_type: "application/x-ndjson" },
  json: { path: "signals", media_type: "application/json" },
  csv: { path: "signals", media_type: "text/csv" },
  arrow: { path: "signals", media_type: "application/vnd.apache.arrow.stream" },
} as const;
export type Format = keyof typeof formats;

export const inverters = 500;
/** The fields of an inverter, with the measure that each is. */
export const measures = {
  p_ac: "active_power",
  p_dc: "dc_power",
  u_dc: "dc_voltage",
  t_cab: "cabinet_temp",
} as const;
/** Minutes of a body, and the values of them all. */
export const body_minutes = 10;
export const body_values = body_minutes * inverters * Object.keys(measures).length;

const fields = Object.keys(measures);
const minute_us = 60_000_000;

/** Every row of a body, in the order of a collector: minute by minute, inverter by inverter. */
const rows = Array.from({ length: body_values }, (_, row) => ({
  row,
  minute: Math.floor(row / (inverters * fields.length)),
  inverter: Math.floor(row / fields.length) % inverters,
  field: row % fields.length,
}));

/** Values of all rows, where a bench has none of its own. */
const some_values = Float64Array.from(rows, ({ row }) => Math.round((row * 7.31) % 50_000) / 10);

/** The name of the tag that a field of an inverter becomes. */
export function tagOf(inverter: number, field: number): string {
  return `inverter,id=INV${inverter}.${fields[field]}`;
}

/** The body of ten minutes from `from_us` on, with a value for each of its rows. */
export function makeBody(
  format: Format,
  from_us: number,
  values: Float64Array = some_values,
): Uint8Array<ArrayBuffer> {
  if (format === "arrow") return arrowBody(from_us, values);
  const texts = { line: lineText, ndjson: ndjsonText, json: jsonText, csv: csvText };
  return new TextEncoder().encode(texts[format](from_us, values));
}

function lineText(from_us: number, values: Float64Array): string {
  const points = rows.filter(({ field }) => field === 0).map(({ row, minute, inverter }) => {
    const sent = fields.map((name, i) => `${name}=${values[row + i]}`);
    return `inverter,id=INV${inverter} ${sent.join()} ${from_us + minute * minute_us}000\n`;
  });
  return points.join("");
}

function ndjsonText(from_us: number, values: Float64Array): string {
  return rows.map(({ row, minute, inverter, field }) => {
    const tag = tagOf(inverter, field);
    const sent = { tag, ts: isoOf(from_us, minute), value: values[row], quality: "good" };
    return `${JSON.stringify(sent)}\n`;
  }).join("");
}

function jsonText(from_us: number, values: Float64Array): string {
  return `[${ndjsonText(from_us, values).trimEnd().replaceAll("\n", ",")}]`;
}

function csvText(from_us: number, values: Float64Array): string {
  const lines = rows.map(({ row, minute, inverter, field }) =>
    `"${tagOf(inverter, field)}",${isoOf(from_us, minute)},${values[row]},good\n`
  );
  return `tag,ts,value,quality\n${lines.join("")}`;
}

function isoOf(from_us: number, minute: number): string {
  return new Date((from_us + minute * minute_us) / 1000).toISOString();
}

/** Tags and qualities by dictionary. */
function arrowBody(from_us: number, values: Float64Array): Uint8Array<ArrayBuffer> {
  const ts = BigInt64Array.from(rows, ({ minute }) => BigInt(from_us + minute * minute_us));
  const names = Array.from(
    { length: inverters * fields.length },
    (_, i) => tagOf(Math.floor(i / fields.length), i % fields.length),
  );
  const columns: Readonly<Record<string, Data>> = {
    tag: words(names, (row) => row % names.length),
    ts: makeData({ type: new TimestampMicrosecond("UTC"), data: ts, length: body_values }),
    value: makeVector(values).data[0],
    quality: words(["good", "uncertain", "bad"], () => 0),
  };
  const types = Object.entries(columns).map(([name, data]) => new Field(name, data.type, true));
  const children = Object.values(columns);
  const data = makeData({ type: new Struct(types), length: body_values, children });
  const batch = new RecordBatch(new Schema(types), data);
  return Uint8Array.from(RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true));
}

function words(texts: readonly string[], codeOf: (row: number) => number): Data {
  return makeData({
    type: new Dictionary(new Utf8(), new Int32()),
    data: Int32Array.from({ length: body_values }, (_, row) => codeOf(row)),
    dictionary: vectorFromArray(texts, new Utf8()),
    length: body_values,
  });
}
