// Samples in Arrow streams: every type that is taken, what is rejected, what is refused whole.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  Bool,
  type DataType,
  Dictionary,
  Field,
  Float32,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint32,
  Uint64,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { Table } from "parquet-wasm";
import { arrow, decode, faultOf, rowsOf, ts_us } from "./decode_help.ts";

type Columns = Readonly<Record<string, Vector>>;

/** A stream of one record batch for each of `batches`, all of the same fields. */
function streamOf(...batches: readonly Columns[]): Uint8Array {
  return RecordBatchStreamWriter.writeAll(recordsOf(batches)).toUint8Array(true);
}

function recordsOf(batches: readonly Columns[]): readonly RecordBatch[] {
  const fields = Object.entries(batches[0]).map(([name, each]) => new Field(name, each.type, true));
  const schema = new Schema(fields);
  return batches.map((columns) => {
    const children = Object.values(columns).map((column) => column.data[0]);
    const length = children[0].length;
    return new RecordBatch(schema, makeData({ type: new Struct(fields), length, children }));
  });
}

function column(type: DataType, values: readonly unknown[]): Vector {
  return vectorFromArray(values, type);
}

const at_us = BigInt(ts_us);
const micros = new TimestampMicrosecond("UTC");
/** A column of timestamps that holds exactly these numbers. */
function instants(values: readonly (bigint | null)[], type: DataType = micros): Vector {
  const vector = vectorFromArray(values.map((value) => value === null ? null : 0), type);
  values.forEach((value, i) => (vector.data[0].values as BigInt64Array)[i] = value ?? 0n);
  return vector;
}

const texts = (...values: readonly (string | null)[]) => column(new Utf8(), values);
const words = (...values: readonly (string | null)[]) =>
  column(new Dictionary(new Utf8(), new Int32()), values);

Deno.test("an Arrow stream keeps every value, over batches and dictionaries", async () => {
  const first = {
    tag: words("a", "b", "a", "c"),
    ts: instants([at_us, at_us + 1n, at_us + 2n, at_us + 3n]),
    value: column(new Float64(), [1.5, null, NaN, -2]),
    value_int: column(new Int64(), [null, 2n ** 63n - 1n, null, null]),
    quality: words("good", null, "bad", "uncertain"),
    status_code: column(new Uint32(), [0, null, 4294967295, null]),
  };
  const second = { ...first, tag: words("d", "a", "e", "b") };
  const rows = rowsOf(await decode(streamOf(first, second), arrow, { piece: 100 }));
  assert.deepEqual(rows.map((row) => row.tag), ["a", "b", "a", "c", "d", "a", "e", "b"]);
  assert.deepEqual(rows.map((row) => row.line), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(rows.slice(0, 4).map(({ tag: _tag, line: _line, ...row }) => row), [
    { ts: ts_us, value: 1.5, quality: 0, status: 0 },
    { ts: ts_us + 1, value: 2n ** 63n - 1n, quality: null, status: null },
    { ts: ts_us + 2, value: null, quality: 2, status: 4294967295 },
    { ts: ts_us + 3, value: -2, quality: 1, status: null },
  ]);
});

Deno.test("an Arrow instant of any unit is cut to microseconds", async () => {
  const types: readonly (readonly [DataType, bigint])[] = [
    [new TimestampSecond("UTC"), at_us / 1_000_000n],
    [new TimestampMillisecond("Europe/Madrid"), at_us / 1000n],
    [micros, at_us],
    [new TimestampNanosecond("UTC"), at_us * 1000n + 999n],
  ];
  for (const [type, value] of types) {
    const ts = instants([value], type);
    const body = streamOf({ tag: texts("a"), ts, value: column(new Float32(), [0.5]) });
    const [row] = rowsOf(await decode(body, arrow));
    assert.deepEqual([row.ts, row.value], [ts_us, 0.5], String(type));
  }
});

Deno.test("an Arrow value is a float, an integer, a boolean or a text by its type", async () => {
  const values: readonly (readonly [Vector, unknown])[] = [
    [column(new Int32(), [7]), 7n],
    [column(new Int64(), [-(2n ** 63n)]), -(2n ** 63n)],
    [column(new Uint64(), [2n ** 63n - 1n]), 2n ** 63n - 1n],
    [column(new Bool(), [true]), 1n],
    [texts("on"), "on"],
    [words("off"), "off"],
  ];
  for (const [value, wanted] of values) {
    const [row] = rowsOf(
      await decode(streamOf({ tag: texts("a"), ts: instants([at_us]), value }), arrow),
    );
    assert.equal(row.value, wanted);
  }
});

Deno.test("a bad Arrow row is rejected beside its neighbours", async () => {
  const good = { tag: "a", ts: at_us, value: 1 };
  const bad: readonly (readonly [Partial<Record<string, unknown>>, RegExp])[] = [
    [{ tag: null }, /has no tag/],
    [{ tag: "" }, /tag is empty/],
    [{ ts: null }, /has no ts/],
    [{ ts: -1n }, /1970 to 2200/],
    [{ ts: 2n ** 62n }, /1970 to 2200/],
    [{ value: null }, /no value/],
    [{ value: NaN }, /no value/],
    [{ value: Infinity }, /finite/],
    [{ int: 5n }, /more than one/],
    [{ value: null, int: 2n ** 63n }, /beyond 2\^63/],
    [{ quality: "great" }, /quality must be/],
    [{ quality: "bad", status: 0n }, /contradicts/],
  ];
  const rows: readonly Readonly<Record<string, unknown>>[] = bad.flatMap(([row]) => [
    { ...good, ...row },
    good,
  ]);
  const pick = (name: string) => rows.map((row) => row[name] ?? null);
  const body = streamOf({
    tag: column(new Utf8(), pick("tag")),
    ts: instants(pick("ts") as (bigint | null)[]),
    value: column(new Float64(), pick("value")),
    value_int: column(new Uint64(), pick("int")),
    quality: column(new Utf8(), pick("quality")),
    status_code: column(new Int64(), pick("status")),
  });
  const decoded = await decode(body, arrow);
  assert.equal(decoded.batches[0].rows, bad.length);
  decoded.rejected.forEach(({ line, reason }, i) => {
    assert.equal(line, 2 * i + 1);
    assert.match(reason, bad[i][1]);
  });
});

Deno.test("an Arrow row among others is read as it is alone", async () => {
  const row = fc.record({
    tag: fc.constantFrom("a", "a", "b", "b", "", null),
    ts: fc.constantFrom(at_us, at_us, at_us + 1n, null, -1n, 2n ** 62n),
    value: fc.constantFrom(1, 2.5, -0, 7, 8, null, NaN, Infinity),
    quality: fc.constantFrom("good", "good", null, "uncertain", "bad", "great"),
    status: fc.constantFrom(null, 0n, 2n ** 31n),
    issued_at: fc.constantFrom(null, null, at_us),
  });
  const layouts = [[], ["quality"], ["quality", "status_code"], ["issued_at"], ["value_int"]];
  await fc.assert(fc.asyncProperty(
    fc.array(row, { minLength: 1, maxLength: 30 }),
    fc.constantFrom(...layouts),
    fc.constantFrom(texts, words),
    async (rows, layout, textsOf) => {
      const bodyOf = (rows: readonly Readonly<Record<string, unknown>>[], beside = {}) => {
        const pick = (name: string) => rows.map((row) => row[name]);
        const times = (name: string) => instants(pick(name) as (bigint | null)[]);
        const more: Record<string, () => Vector> = {
          quality: () => textsOf(...pick("quality") as (string | null)[]),
          status_code: () => column(new Int64(), pick("status")),
          issued_at: () => times("issued_at"),
          value_int: () => column(new Int64(), pick("status")),
        };
        return streamOf({
          tag: textsOf(...pick("tag") as (string | null)[]),
          ts: times("ts"),
          value: column(new Float64(), pick("value")),
          ...Object.fromEntries(layout.map((name) => [name, more[name]()])),
          ...beside,
        });
      };
      const whole = await decode(bodyOf(rows), arrow);
      // Beside another column, though it is empty, each is looked at by itself.
      const alone = await Promise.all(
        rows.map((row) => decode(bodyOf([row], { value_str: texts(null) }), arrow)),
      );
      const moved = <T extends { readonly line: number }>(all: readonly T[], i: number) =>
        all.map((it) => ({ ...it, line: it.line + i }));
      assert.deepEqual(rowsOf(whole), alone.flatMap((it, i) => moved(rowsOf(it), i)));
      assert.deepEqual(whole.rejected, alone.flatMap((it, i) => moved(it.rejected, i)));
    },
  ));
});

Deno.test("an Arrow stream cut anywhere is refused whole", async () => {
  const body = streamOf(
    { tag: words("a", "b"), ts: instants([at_us, at_us]), value: column(new Float64(), [1, 2]) },
    { tag: words("b", "c"), ts: instants([at_us, at_us]), value: column(new Float64(), [3, 4]) },
  );
  assert.equal((await decode(body, arrow)).batches[0].rows, 4);
  for (let end = 0; end < body.length; end++) {
    const fault = await faultOf(body.subarray(0, end), arrow);
    assert.equal(fault.code, "invalid", `cut at ${end} of ${body.length}`);
  }
});

/** A row that pyarrow wrote, its buffers in lz4. */
const lz4_stream = "/////7AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABU" +
  "AAAABAAAAMT///8AAAEKEAAAABwAAAAEAAAAAAAAAAIAAAB0cwAACAAMAAYACAAIAAAAAAACAAQAAAADAAAAVVRDABAA" +
  "FAAIAAYABwAMAAAAEAAQAAAAAAABBRAAAAAYAAAABAAAAAAAAAADAAAAdGFnAAQABAAEAAAAAAAAAP/////YAAAAFAAA" +
  "AAAAAAAMABgABgAFAAgADAAMAAAAAAMEABwAAABYAAAAAAAAAAAAAAAMABwAEAAEAAgADAAMAAAAeAAAABwAAAAUAAAA" +
  "AQAAAAAAAAAAAAAABAAEAAQAAAAFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAHwAAAAAAAAAgAAAAAAAAABgAAAAA" +
  "AAAAOAAAAAAAAAAAAAAAAAAAADgAAAAAAAAAHwAAAAAAAAAAAAAAAgAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAA" +
  "AAAAAAAACAAAAAAAAAAEIk0YYECCCAAAgAAAAAABAAAAAAAAAAAABAAAAAAAAAAQiTRhgQIIBAACAYQAAAAAIAAAAAAA" +
  "AAAAQiTRhgQIIIAACAAAAAAAAAAAAAAAAAAAP////8AAAAA";

Deno.test("what is no plain Arrow stream is refused with what to send", async () => {
  const records = recordsOf([{ tag: texts("a"), ts: instants([at_us]) }]);
  const file = RecordBatchFileWriter.writeAll(records).toUint8Array(true);
  assert.match((await faultOf(file, arrow)).message, /is an Arrow file: send an Arrow stream/);
  const parquet = new TextEncoder().encode("PAR1\x15\x04\x15\x10");
  assert.match((await faultOf(parquet, arrow)).message, /is a Parquet file: send an Arrow/);
  const compressed = Uint8Array.fromBase64(lz4_stream);
  assert.match((await faultOf(compressed, arrow)).message, /compressed buffers: send it unc/);
});

Deno.test("an Arrow stream with damaged bytes is refused or read, never a crash", async () => {
  const body = streamOf({
    tag: words("a", "b"),
    ts: instants([at_us, at_us]),
    value: column(new Float64(), [1, 2]),
    value_str: texts(null, null),
  });
  for (let at = 0; at < body.length; at++) {
    for (const byte of [0x00, 0x7f, 0xff]) {
      const damaged = body.slice();
      damaged[at] = byte;
      const error = await decode(damaged, arrow).then(() => undefined, (error) => error);
      assert.ok(error === undefined || error.name === "Fault", `byte ${at}: ${error}`);
    }
  }
});

Deno.test("an Arrow stream with wrong fields is refused by name", async () => {
  const [tag, ts, value] = [texts("a"), instants([at_us]), column(new Float64(), [1])];
  const naive = instants([at_us], new TimestampMicrosecond());
  const wrong: readonly (readonly [Columns, RegExp])[] = [
    [{ tag, ts, vlaue: value }, /did you mean value/],
    [{ tag, sensor_tag: tag, ts, value }, /tag comes twice/],
    [{ tag, value }, /needs the fields tag and ts/],
    [{ tag, ts: naive, value }, /ts must be Timestamp .* with a time zone/],
    [{ tag, ts: column(new Float64(), [2]), value }, /ts must be/],
    [{ tag: column(new Float64(), [2]), ts, value }, /tag must be Utf8/],
    [{ tag, ts, value, quality: column(new Float64(), [2]) }, /quality must be Utf8/],
    [
      { tag, ts, value, status_code: column(new Float64(), [2]) },
      /status_code must be a whole number/,
    ],
  ];
  for (const [columns, message] of wrong) {
    assert.match((await faultOf(streamOf(columns), arrow)).message, message);
  }
});

Deno.test("a stream that another implementation wrote is read the same", async () => {
  const body = streamOf({
    tag: words("a", "b"),
    ts: instants([at_us, at_us + 1n]),
    value: column(new Float64(), [1.5, null]),
    value_str: texts(null, "on"),
  });
  const rewritten = Table.fromIPCStream(body).intoIPCStream();
  assert.notDeepEqual(rewritten, body);
  assert.deepEqual(rowsOf(await decode(rewritten, arrow)), rowsOf(await decode(body, arrow)));
});
