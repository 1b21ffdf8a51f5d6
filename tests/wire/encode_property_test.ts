// Any answer at all comes back from every format: columns, chunks, values and gaps by chance.
import assert from "node:assert/strict";
import fc from "fast-check";
import { textOf } from "../../src/base/bytes.ts";
import type { Chunk } from "../../src/model/data/chunk.ts";
import type { Column } from "../../src/model/data/column.ts";
import type { Kind } from "../../src/model/data/kind.ts";
import { answerOf, bytesOf, type Cell, chunksOf, readArrow, readParquet } from "./encode_help.ts";

type Sample = { columns: readonly Column[]; cells: readonly (readonly Cell[])[]; chunks: Chunk[] };

const values: { readonly [K in Kind]: fc.Arbitrary<Cell> } = {
  text: fc.string({ unit: "grapheme" }),
  float64: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => n / 1000),
  ).map((value) => value + 0),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  int32: fc.integer(),
  uint32: fc.nat({ max: 2 ** 32 - 1 }),
  bool: fc.boolean(),
  instant: fc.bigInt({ min: -(2n ** 50n), max: 2n ** 53n - 1n }),
};

const shape = fc.record({
  sizes: fc.array(fc.nat(40), { maxLength: 5 }),
  kinds: fc.array(
    fc.record({
      kind: fc.constantFrom(...(Object.keys(values) as Kind[])),
      nullable: fc.boolean(),
      coded: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const samples: fc.Arbitrary<Sample> = shape.chain(({ sizes, kinds }) => {
  const length = sizes.reduce((sum, size) => sum + size, 0);
  const columns = kinds.map(({ kind, nullable, coded }, i): Column => ({
    name: `c${i}`,
    kind,
    nullable,
    doc: "A column by chance.",
    dictionary: coded && kind === "text" ? true : undefined,
  }));
  const columnOf = ({ kind, nullable }: Column): fc.Arbitrary<Cell[]> => {
    const cell = nullable ? fc.option(values[kind]) : values[kind];
    return fc.array(cell, { minLength: length, maxLength: length });
  };
  return fc.tuple(...columns.map(columnOf)).map((cells) => ({
    columns,
    cells,
    chunks: chunksOf(columns, cells, sizes),
  }));
});

Deno.test("arrow: any answer comes back", async () => {
  await fc.assert(
    fc.asyncProperty(samples, async ({ columns, cells, chunks }) => {
      const { bytes } = await bytesOf(answerOf(columns, chunks), "arrow");
      assert.deepEqual(await readArrow(bytes, columns), cells);
    }),
  );
});

Deno.test("parquet: any answer comes back", async () => {
  await fc.assert(
    fc.asyncProperty(samples, async ({ columns, cells, chunks }) => {
      const { bytes } = await bytesOf(answerOf(columns, chunks), "parquet");
      assert.deepEqual(await readParquet(bytes, columns), cells);
    }),
  );
});

Deno.test("ndjson and json: any answer comes back", async () => {
  await fc.assert(
    fc.asyncProperty(samples, async ({ columns, cells, chunks }) => {
      const rows = (cells[0] ?? []).map((_, row) =>
        Object.fromEntries(columns.map(({ name, kind }, c) => [name, printed(cells[c][row], kind)]))
      );
      const lines = textOf((await bytesOf(answerOf(columns, chunks), "ndjson")).bytes);
      assert.deepEqual(lines.split("\n").slice(0, -1).map(parseExact), rows);
      const array = textOf((await bytesOf(answerOf(columns, chunks), "json")).bytes);
      assert.deepEqual(parseExact(array), rows);
    }),
  );
});

/** JSON with every number as its digits. */
function parseExact(text: string): unknown {
  type Revive = (key: string, value: unknown, more: { source: string }) => unknown;
  const revive: Revive = (_, value, { source }) => typeof value === "number" ? source : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

function printed(cell: Cell, kind: Kind): string | boolean | null {
  if (cell === null || typeof cell === "boolean") return cell;
  if (kind !== "instant") return String(cell);
  const at_us = cell as bigint;
  const part_us = ((at_us % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const second = new Date(Number((at_us - part_us) / 1000n)).toISOString().slice(0, 19);
  return `${second}.${String(part_us).padStart(6, "0")}Z`;
}
