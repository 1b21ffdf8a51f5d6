// What Arrow and Parquet say of their columns, read by implementations that are not ours.
import assert from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import { Table } from "parquet-wasm";
import { answerOf, bytesOf, chunksOf, every_column, everyCell, sizesOf } from "./encode_help.ts";

const rows = 3000;
const chunks = chunksOf(every_column, everyCell(rows), sizesOf(rows, 1000));
const answer = () => answerOf(every_column, chunks);

Deno.test("arrow: types, nullability and facts reach arrow-rs, rows or no rows", async () => {
  for (const some of [answer(), answerOf(every_column, [])]) {
    const { bytes } = await bytesOf(some, "arrow");
    const schema = tableFromIPC(Table.fromIPCStream(bytes).schema.intoIPCStream()).schema;
    const fields = schema.fields.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`);
    assert.deepEqual(
      fields,
      every_column.map(({ name, kind, nullable, dictionary }) => {
        const code = name === "one" || name === "fixed" ? "Int8" : "Int32";
        return `${name} ${
          dictionary ? `Dictionary<${code}, Utf8>` : arrow_types[kind]
        } ${nullable}`;
      }),
    );
    assert.deepEqual(
      schema.metadata,
      new Map([["site_timezone", "America/Denver"], ["note", "Grüße"]]),
    );
    assert.deepEqual(schema.fields[1].metadata, new Map([["doc", "A text."], ["unit", "W"]]));
    assert.deepEqual(schema.fields[2].metadata, new Map([["doc", "A text or null."]]));
  }
});

const arrow_types = {
  text: "Utf8",
  float64: "Float64",
  int64: "Int64",
  int32: "Int32",
  uint32: "Uint32",
  bool: "Bool",
  instant: "Timestamp<MICROSECOND, UTC>",
};

Deno.test("arrow: a dictionary is sent once for all batches", async () => {
  const { bytes } = await bytesOf(answer(), "arrow");
  const word = "INV-699";
  // Two columns have a dictionary with that word.
  assert.equal(new TextDecoder("latin1").decode(bytes).split(word).length - 1, 2);
  assert.equal(Table.fromIPCStream(bytes).numBatches, 3);
});

Deno.test("parquet: types, nullability and facts, rows or no rows", async () => {
  for (const some of [answer(), answerOf(every_column, [])]) {
    const { bytes } = await bytesOf(some, "parquet");
    const { schema, key_value_metadata } = parquetMetadata(bytes.buffer);
    const found = schema.slice(1).map(({ name, type, repetition_type, logical_type }) => ({
      name,
      type,
      repetition_type,
      logical_type,
    }));
    const wanted = every_column.map(({ name, kind, nullable }) => ({
      name,
      repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
      ...parquet_types[kind],
    }));
    assert.deepEqual(found, wanted);
    assert.deepEqual(key_value_metadata, [
      { key: "site_timezone", value: "America/Denver" },
      { key: "note", value: "Grüße" },
    ]);
  }
});

const parquet_types = {
  text: { type: "BYTE_ARRAY", logical_type: { type: "STRING" } },
  float64: { type: "DOUBLE", logical_type: undefined },
  int64: { type: "INT64", logical_type: undefined },
  int32: { type: "INT32", logical_type: undefined },
  uint32: { type: "INT32", logical_type: { type: "INTEGER", bitWidth: 32, isSigned: false } },
  bool: { type: "BOOLEAN", logical_type: undefined },
  instant: {
    type: "INT64",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
};
