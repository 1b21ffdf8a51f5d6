// The text formats letter by letter: what stands where, and what never does.
import assert from "node:assert/strict";
import { textOf } from "../../src/base/bytes.ts";
import type { Column } from "../../src/model/data/column.ts";
import { answerOf, bytesOf, type Cell, chunksOf, every_column } from "./encode_help.ts";
import type { Format } from "../../src/wire/format.ts";

const columns: readonly Column[] = [
  { name: "tag", kind: "text", nullable: true, dictionary: true, doc: "" },
  { name: "ts", kind: "instant", nullable: true, doc: "" },
  { name: "value", kind: "float64", nullable: true, doc: "" },
  { name: "code", kind: "int64", nullable: true, doc: "" },
  { name: "carried", kind: "bool", nullable: true, doc: "" },
  { name: "note", kind: "text", nullable: true, doc: "" },
];
const cells: readonly (readonly Cell[])[] = [
  ['INV "1"', null, ""],
  [1795237200123456n, null, 0n],
  [12.5, null, -0],
  [9007199254740993n, null, -1n],
  [true, null, false],
  ["a,b\n", null, ""],
];

async function text(format: Format, rows: number): Promise<string> {
  const chunks = chunksOf(columns, cells.map((column) => column.slice(0, rows)), [rows]);
  return textOf((await bytesOf(answerOf(columns, chunks), format)).bytes);
}

const lines = [
  '{"tag":"INV \\"1\\"","ts":"2026-11-21T05:00:00.123456Z","value":12.5,' +
  '"code":9007199254740993,"carried":true,"note":"a,b\\n"}',
  '{"tag":null,"ts":null,"value":null,"code":null,"carried":null,"note":null}',
  '{"tag":"","ts":"1970-01-01T00:00:00.000000Z","value":-0,"code":-1,"carried":false,"note":""}',
];

Deno.test("ndjson: an object a line, every column in each, no RS byte", async () => {
  assert.equal(await text("ndjson", 3), `${lines.join("\n")}\n`);
  assert.equal(await text("ndjson", 0), "");
});

Deno.test("json: one array, a row a line", async () => {
  assert.equal(await text("json", 3), `[\n${lines.join(",\n")}\n]\n`);
  assert.equal(await text("json", 1), `[\n${lines[0]}\n]\n`);
  assert.equal(await text("json", 0), "[]\n");
});

Deno.test("csv: a header, CRLF, an empty field for no value, a quoted empty text", async () => {
  assert.equal(
    await text("csv", 3),
    "tag,ts,value,code,carried,note\r\n" +
      '"INV ""1""",2026-11-21T05:00:00.123456Z,12.5,9007199254740993,true,"a,b\n"\r\n' +
      ",,,,,\r\n" +
      '"",1970-01-01T00:00:00.000000Z,-0,-1,false,""\r\n',
  );
  assert.equal(await text("csv", 0), "tag,ts,value,code,carried,note\r\n");
});

Deno.test("text formats print NaN and Infinity as no value", async () => {
  const value: readonly Column[] = [columns[2]];
  const chunks = chunksOf(value, [[NaN, Infinity, -Infinity, 1]], [4]);
  const found = await Promise.all(
    (["ndjson", "csv"] as const).map(async (format) =>
      textOf((await bytesOf(answerOf(value, chunks), format)).bytes)
    ),
  );
  assert.equal(found[0], '{"value":null}\n{"value":null}\n{"value":null}\n{"value":1}\n');
  assert.equal(found[1], "value\r\n\r\n\r\n\r\n1\r\n");
});

Deno.test("text formats print numbers as JavaScript does, short ones digit by digit", async () => {
  const numbers = [
    0.001,
    -0.001,
    0.01,
    0.1,
    1.05,
    -20.3,
    2147483.647,
    2147483.648,
    1e-4,
    123456.7891,
  ];
  const columns = [every_column.find(({ name }) => name === "float64")!];
  const chunks = chunksOf(columns, [numbers], [numbers.length]);
  const { bytes } = await bytesOf(answerOf(columns, chunks), "csv");
  assert.deepEqual(textOf(bytes).split("\r\n").slice(1, -1), numbers.map(String));
});

Deno.test("a text longer than a piece goes through whole", async () => {
  const columns = [every_column.find(({ name }) => name === "text")!];
  const long = "Grüße\n".repeat(200_000);
  const chunks = chunksOf(columns, [["a", long, "b"]], [3]);
  const { bytes } = await bytesOf(answerOf(columns, chunks), "json");
  assert.deepEqual(JSON.parse(textOf(bytes)), [{ text: "a" }, { text: long }, { text: "b" }]);
});

Deno.test("one long text leaves the rows beside it together", async () => {
  const columns = [every_column.find(({ name }) => name === "text")!];
  const texts = Array.from({ length: 2_000 }, (_, i) => i === 5 ? "x".repeat(200_000) : `${i}`);
  const chunks = chunksOf(columns, [texts], [texts.length]);
  const { bytes, sizes } = await bytesOf(answerOf(columns, chunks), "ndjson");
  assert.equal(textOf(bytes).split("\n").length, 2_001);
  assert.ok(sizes.length <= 2, `${sizes.length} pieces`);
});

Deno.test("ndjson: a number that came before is printed as it was, over pieces", async () => {
  const rows = 20_000;
  const of = (row: number, turn: number) => Math.sin(Math.floor((row + turn) / 3)) * 1e5 / 3;
  const numbers = [0, 1, 0, 2].map((turn) => Array.from({ length: rows }, (_, i) => of(i, turn)));
  // A text that must be quoted is put plain first, and taken back.
  const notes = Array.from({ length: rows }, (_, row) => row % 5 === 0 ? `${of(row, 0)}"` : "n");
  const cells = [numbers[0], numbers[1], notes, numbers[2], numbers[3]];
  const columns = cells.map((_, i): Column => ({
    ...{ name: `c${i}`, kind: i === 2 ? "text" : "float64", nullable: false, doc: "" },
  }));
  const { bytes } = await bytesOf(answerOf(columns, chunksOf(columns, cells, [rows])), "ndjson");
  const wanted = Array.from({ length: rows }, (_, row) => {
    return JSON.stringify(Object.fromEntries(cells.map((column, i) => [`c${i}`, column[row]])));
  });
  assert.equal(textOf(bytes), `${wanted.join("\n")}\n`);
});

Deno.test("ndjson: numbers and instants beyond those kept are printed as well", async () => {
  const rows = 40_000;
  const numbers = Array.from({ length: rows }, (_, i) => i % 3 === 0 ? [0, -0][i % 2] : i / 7);
  const longs = numbers.map((_, i) => i % 5 === 0 ? null : 2n ** 53n + BigInt(i));
  const instants = numbers.map((_, i) => 1795237200000000n + BigInt(i * 1_000_001));
  const some = columns.filter(({ kind }) => ["float64", "int64", "instant"].includes(kind));
  const chunks = chunksOf(some, [instants, numbers, longs], [30_000, rows - 30_000]);
  const { bytes } = await bytesOf(answerOf(some, chunks), "ndjson");
  const wanted = numbers.map((value, i) => {
    const second = new Date(1795237200000 + i * 1000).toISOString().slice(0, 20);
    const shown = Object.is(value, -0) ? "-0" : String(value);
    const ts = `${second}${String(i).padStart(6, "0")}Z`;
    return `{"ts":"${ts}","value":${shown},"code":${longs[i]}}\n`;
  });
  assert.equal(textOf(bytes), wanted.join(""));
});

Deno.test("text formats: the longest numbers fit, wherever a piece ends in a row", async () => {
  const rows = 3_000;
  const numbers = Array.from({ length: rows }, (_, i) => -1.2345678901234567e-6 - i * 1e-16);
  assert.equal(String(numbers[0]).length, 25);
  const row = JSON.stringify(Array(4).fill(numbers[0])).length;
  for (let more = 0; more < row; more++) {
    const some = Array.from({ length: 4 }, (_, i): Column => ({
      ...{ name: `v${i}${i === 0 ? "x".repeat(more) : ""}`, kind: "float64", nullable: false },
      doc: "",
    }));
    const chunks = chunksOf(some, some.map(() => numbers), [rows]);
    const { bytes } = await bytesOf(answerOf(some, chunks), "json");
    assert.equal(JSON.parse(textOf(bytes)).length, rows);
  }
});
