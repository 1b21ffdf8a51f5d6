// Vectors of DuckDB whose memory holds something else where a row has no value.
import assert from "node:assert/strict";
import fc from "fast-check";
import { isValid, type Vector, wordAt } from "../../../src/model/data/chunk.ts";
import { DuckFile } from "../../../src/store/duckdb/client.ts";
import { gather, Part, Type } from "../../../src/store/duckdb/result.ts";
import { duckdb, memoryAt } from "../../../src/store/duckdb/symbols.ts";
import { textOf, utf8 } from "../../../src/base/bytes.ts";

const arrays = {
  [Type.DOUBLE]: Float64Array,
  [Type.BIGINT]: BigInt64Array,
  [Type.INTEGER]: Int32Array,
  [Type.UINTEGER]: Uint32Array,
  [Type.BOOLEAN]: Uint8Array,
} as const;
const types = [Type.DOUBLE, Type.BIGINT, Type.INTEGER, Type.UINTEGER, Type.BOOLEAN, Type.VARCHAR];

/** What lies in the memory of a row without a value. */
const left_over = 0x5a;

/** A part of those types: numbers that count from `first` on, and memory used before elsewhere. */
function partOf(has: readonly boolean[], first: number): Part {
  const c = duckdb();
  const columns = BigUint64Array.from(types, (type) => c.duckdb_create_logical_type(type));
  const chunk = c.duckdb_create_data_chunk(columns, BigInt(types.length));
  for (let i = 0; i < types.length; i++) c.duckdb_destroy_logical_type(columns.subarray(i));
  c.duckdb_data_chunk_set_size(chunk, BigInt(has.length));
  types.forEach((type, i) => {
    const vector = c.duckdb_data_chunk_get_vector(chunk, BigInt(i));
    putValidity(vector, has);
    if (type === Type.VARCHAR) return putTexts(vector, { has, first });
    const array = arrays[type as keyof typeof arrays];
    const data = c.duckdb_vector_get_data(vector);
    const items = new array(memoryAt(data, array.BYTES_PER_ELEMENT * has.length));
    new Uint8Array(items.buffer).fill(left_over);
    const valueOf = (n: number) => items instanceof BigInt64Array ? BigInt(n) : n;
    has.forEach((one, i) => one && (items[i] = valueOf(numberAt(type, first + i)) as number));
  });
  return new Part(chunk);
}

/** A flag is 0 or 1. */
function numberAt(type: Type, i: number): number {
  return type === Type.BOOLEAN ? i & 1 : i;
}

function putValidity(vector: bigint, has: readonly boolean[]): void {
  duckdb().duckdb_vector_ensure_validity_writable(vector);
  const memory = memoryAt(duckdb().duckdb_vector_get_validity(vector), 2048 / 8);
  const bits = new Uint8Array(memory).fill(left_over);
  has.forEach((one, i) => {
    if (one) bits[i >> 3] |= 1 << (i & 7);
    else bits[i >> 3] &= ~(1 << (i & 7));
  });
}

function putTexts(
  vector: bigint,
  { has, first }: { readonly has: readonly boolean[]; readonly first: number },
): void {
  const data = new Uint8Array(memoryAt(duckdb().duckdb_vector_get_data(vector), 16 * has.length));
  data.fill(left_over);
  has.forEach((one, i) => {
    if (!one) return;
    const text = utf8(textAt(first + i));
    const length = BigInt(text.length);
    duckdb().duckdb_vector_assign_string_element_len(vector, BigInt(i), text, length);
  });
}

/** Texts of up to 15 bytes: some lie in the vector itself, some elsewhere. */
function textAt(i: number): string {
  return `${i}${"é".repeat(i % 7)}`;
}

/** Asserts that a vector has its rows' numbers, zeros elsewhere, and no bit behind its end. */
function assertClean(vector: Vector, has: readonly boolean[]): void {
  const { valid } = vector;
  assert.equal(valid === undefined, has.every((one) => one));
  has.forEach((one, i) => assert.equal(isValid(valid, i), one));
  if (valid) {
    assert.equal(valid.length, Math.ceil(has.length / 8));
    for (let i = has.length; i < 8 * valid.length; i++) assert.equal(isValid(valid, i), false);
  }
  if (vector.kind === "text") {
    const { offsets } = vector.words;
    has.forEach((one, i) => {
      const text = textOf(vector.words.bytes.subarray(offsets[i], offsets[i + 1]));
      assert.equal(text, one ? textAt(i) : "");
    });
    return;
  }
  const of = vector.kind === "bool" ? (i: number) => i & 1 : (i: number) => i;
  assert.deepEqual(Array.from(vector.values, Number), has.map((one, i) => one ? of(i) : 0));
}

/** Rows with and without a value: runs of words of validity, and mixed ones. */
const part = fc.oneof(
  fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }),
  fc.array(fc.tuple(fc.nat({ max: 90 }), fc.boolean()), { minLength: 1, maxLength: 4 })
    .map((runs) => runs.flatMap(([length, one]) => Array.from({ length: length + 1 }, () => one))),
  fc.constantFrom(1, 8, 31, 32, 33, 64, 2048).chain((length) =>
    fc.boolean().map((one) => Array.from({ length }, () => one))
  ),
);

Deno.test("a row without a value is zero, whatever DuckDB's memory holds there", () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
      const firsts = parts.map((_, i) => parts.slice(0, i).flat().length);
      const chunk = gather(parts.map((has, i) => partOf(has, firsts[i])), types);
      assert.equal(chunk.rows, parts.flat().length);
      for (const vector of chunk.vectors) assertClean(vector, parts.flat());
    }),
    { numRuns: 150 },
  );
});

Deno.test("texts of any length come as they are, however they lie in DuckDB's memory", async () => {
  // Few enough to lie in the vector, longer ones, some longer than what is copied together.
  const lengths = [0, 1, 12, 13, 40, 49, 500, 300_000];
  const length = `list_extract([${lengths}], 1 + CASE WHEN i % 900 = 7 THEN 7 ELSE i % 7 END)`;
  const texts = `SELECT i::INTEGER AS i, if(i % 11 = 5, NULL, left(repeat('é' || i, ${length}), ` +
    `${length})) AS text FROM range(3000) AS r(i)`;
  const textOfRow = (i: number) =>
    i % 11 === 5 ? undefined : `é${i}`.repeat(lengths[i % 900 === 7 ? 7 : i % 7])
      .slice(0, lengths[i % 900 === 7 ? 7 : i % 7]);
  const file = await DuckFile.open(":memory:", {});
  const connection = file.connect();
  (await connection.run(`CREATE TABLE stored AS ${texts}`)).close();
  for (
    const [from, order] of [
      [`(${texts})`, ""],
      ["stored", ""],
      ["stored", " ORDER BY hash(i)"],
      ["(SELECT * FROM stored AS a JOIN (SELECT i FROM stored ORDER BY hash(i)) USING (i))", ""],
    ]
  ) {
    const { rows, vectors: [nos, words] } = (await connection.run(`FROM ${from}${order}`)).chunk();
    assert.equal(rows, 3000);
    assert.ok(nos.kind === "int32" && words.kind === "text");
    nos.values.forEach((i, row) => {
      const text = isValid(words.valid, row) ? wordAt(words.words, row) : undefined;
      assert.equal(text, textOfRow(i), `row ${i} of ${from}${order}`);
    });
  }
  connection.close();
  file.close();
});

Deno.test("a statement on a closed connection fails, and the process goes on", async () => {
  const file = await DuckFile.open(":memory:", {});
  const connection = file.connect();
  connection.close();
  await assert.rejects(connection.run("SELECT 1"), /the connection is closed/);
  file.close();
});
