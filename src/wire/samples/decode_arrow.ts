// Decodes samples from an Arrow IPC stream, column by column, without an object per row.
import { type Data, DataType, type RecordBatch, RecordBatchReader } from "apache-arrow";
import { Fault } from "../../base/fault.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { arrowMessages } from "../arrow/frames.ts";
import { ArrowRows, type RowColumns } from "./arrow_rows.ts";
import {
  instantColumn,
  integerColumn,
  need,
  textColumn,
  textValues,
  valueColumn,
} from "./arrow_column.ts";
import { type Decoded, type DecodeOptions, field_numbers, row_fields } from "./row_builder.ts";

/**
 * Rows of an Arrow IPC stream; a row's line is its number counted from 1. A stream cut short (it
 * must end in its end-of-stream marker), compressed buffers, or a field of another type than
 * wanted is a `Fault` (invalid), and nothing of the body is taken.
 */
export async function decodeArrow(
  body: AsyncIterable<Uint8Array>,
  options: DecodeOptions,
): Promise<Decoded> {
  const rows = new ArrowRows(options);
  const source = { error: undefined as unknown };
  try {
    const reader = await RecordBatchReader.from(arrowMessages(noting(body, source), options.meter));
    await reader.open();
    need(reader.schema !== undefined);
    const fields = fieldsOf(reader.schema.fields.map((each) => each.name));
    for await (const batch of reader) rows.take(columnsOf(batch, fields));
  } catch (error) {
    if (source.error !== undefined) throw source.error;
    if (error instanceof Fault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("invalid", `the body is not a readable Arrow IPC stream: ${reason}`);
  }
  return rows.decoded();
}

/** The body as it is, noting what it throws: that is no fault of the stream's form. */
async function* noting(
  body: AsyncIterable<Uint8Array>,
  source: { error: unknown },
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    source.error = error;
    throw error;
  }
}

/** By column of the stream, the number of the field that it is. */
function fieldsOf(names: readonly string[]): readonly number[] {
  const numbers = names.map((name) => {
    const number = field_numbers.get(name);
    if (number !== undefined) return number;
    const known = nearest(name, row_fields);
    const hint = known === undefined
      ? `known are ${row_fields.join(", ")}`
      : `did you mean ${known}?`;
    throw new Fault("invalid", `unknown field ${name}: ${hint}`);
  });
  const twice = numbers.find((number, i) => numbers.indexOf(number) !== i);
  if (twice !== undefined) throw new Fault("invalid", `field ${row_fields[twice]} comes twice`);
  return numbers;
}

function columnsOf(batch: RecordBatch, fields: readonly number[]): RowColumns {
  const found = new Map<string, Data>();
  fields.forEach((number, i) => {
    const data = batch.data.children[i];
    need(data !== undefined && data.length >= batch.numRows && data.offset === 0);
    if (!DataType.isNull(data.type)) found.set(row_fields[number], data);
  });
  const read = <T>(name: string, reader: (data: Data) => T | undefined, wanted: string) => {
    const data = found.get(name);
    const column = data === undefined ? undefined : reader(data);
    if (data === undefined || column !== undefined) return column;
    throw new Fault("invalid", `field ${name} must be ${wanted}, not ${data.type}`);
  };
  const instant = "Timestamp of any unit with a time zone, such as UTC";
  const text = "Utf8 or a dictionary of Utf8";
  const tag = read("tag", textColumn, text);
  const ts = read("ts", instantColumn, instant);
  if (tag === undefined || ts === undefined) {
    throw new Fault("invalid", "the stream needs the fields tag and ts");
  }
  return {
    rows: batch.numRows,
    tag,
    ts,
    value: read("value", valueColumn, "a number, a text or a boolean"),
    value_int: read("value_int", integerColumn, "a whole number"),
    value_str: read("value_str", textValues, text),
    quality: read("quality", textColumn, text),
    status_code: read("status_code", integerColumn, "a whole number"),
    issued_at: read("issued_at", instantColumn, instant),
  };
}
