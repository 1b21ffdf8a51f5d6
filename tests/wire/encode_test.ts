// Every format holds every kind of column, read back by implementations that are not ours.
import assert from "node:assert/strict";
import { body_limits } from "../../src/wire/bytes/limits.ts";
import { noneValid, type Vector, wordsOf } from "../../src/model/data/chunk.ts";
import type { Column } from "../../src/model/data/column.ts";
import {
  answerOf,
  bytesOf,
  type Cell,
  chunksOf,
  compareText,
  every_column,
  everyCell,
  readArrow,
  readParquet,
  sizesOf,
} from "./encode_help.ts";
import { encode, type Format } from "../../src/wire/format.ts";

const shapes = [
  { rows: 0, chunk_rows: 1 },
  { rows: 1, chunk_rows: 1 },
  { rows: 7, chunk_rows: 3 },
  { rows: 2048, chunk_rows: 1001 },
  { rows: 65_537, chunk_rows: 65_537 },
  { rows: 200_000, chunk_rows: 65_536 },
];

for (const { rows, chunk_rows } of shapes) {
  const cells = everyCell(rows);
  const chunks = chunksOf(every_column, cells, sizesOf(rows, chunk_rows));
  const encoded = async (format: Format) => {
    const { bytes, sizes } = await bytesOf(answerOf(every_column, chunks), format);
    assert.ok(sizes.every((size) => size > 0 && size <= body_limits.piece_bytes));
    assert.ok(sizes.length <= 2 + 4 * bytes.length / body_limits.piece_bytes);
    return bytes;
  };
  const parquet = encoded("parquet");

  Deno.test(`arrow: ${rows} rows of every kind come back as they were`, async () => {
    assertCells(await readArrow(await encoded("arrow"), every_column), cells);
  });
  Deno.test(`parquet: ${rows} rows of every kind come back as they were`, async () => {
    assertCells(await readParquet(await parquet, every_column), cells);
  });
  for (const format of ["ndjson", "csv", "json"] as const) {
    Deno.test(`${format}: ${rows} rows of every kind come back as they were`, async () => {
      const found = await compareText(await encoded(format), { format, parquet: await parquet });
      assert.deepEqual(found, { rows, equal: rows, differing: null });
    });
  }
}

Deno.test("a short answer makes room for little", async () => {
  const answer = answerOf(every_column, chunksOf(every_column, everyCell(7), [7]));
  for (const format of ["arrow", "ndjson", "csv", "json"] as const) {
    for (const { buffer } of await Array.fromAsync(encode(answer, format))) {
      assert.ok(buffer.byteLength < 2 * body_limits.first_piece_bytes, format);
    }
  }
});

/** Compares column by column; a comparison of all at once would print millions of lines. */
function assertCells(found: readonly Cell[][], wanted: readonly Cell[][]): void {
  every_column.forEach(({ name }, c) => {
    assert.equal(found[c].length, wanted[c].length, `${name}: rows`);
    const row = wanted[c].findIndex((cell, i) => cell !== found[c][i]);
    if (row >= 0) assert.equal(found[c][row], wanted[c][row], `${name}, row ${row}`);
  });
}

for (const format of ["arrow", "parquet"] as const) {
  Deno.test(`${format}: a dictionary column without any word comes back empty`, async () => {
    const columns: readonly Column[] = [
      { name: "word", kind: "text", nullable: true, dictionary: true, doc: "Never there." },
    ];
    const valid = noneValid(1000);
    const vector: Vector = { kind: "text", codes: new Int32Array(1000), words: wordsOf([]), valid };
    const { bytes } = await bytesOf(answerOf(columns, [{ rows: 1000, vectors: [vector] }]), format);
    const read = format === "arrow" ? readArrow : readParquet;
    assert.deepEqual(await read(bytes, columns), [Array(1000).fill(null)]);
  });
}
