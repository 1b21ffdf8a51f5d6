// Rows of a body are read like those before them: each must come out as it would alone.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Decoded } from "../../../src/wire/decode.ts";
import { TagIndex } from "../../../src/wire/samples/tag_index.ts";
import { Fault } from "../../../src/base/fault.ts";
import { csv, decode, json, ndjson, rowsOf, utf8 } from "./decode_help.ts";

const instant = "2026-11-21T05:00:00Z";
const any = (...parts: readonly string[]) => fc.constantFrom(...parts);

/** The rows and rejections of a body, its line numbers moved on by `lines`. */
function readOf(decoded: Decoded, lines: number) {
  return {
    rows: rowsOf(decoded).map((row) => ({ ...row, line: row.line + lines })),
    rejected: decoded.rejected.map((row) => ({ ...row, line: row.line + lines })),
  };
}

/** Reads a body of `rows`, in pieces of `piece` bytes, and each of them alone. */
async function compare(
  rows: readonly Uint8Array[],
  { type, head = "", piece }: { readonly type: string; readonly head?: string; piece: number },
): Promise<void> {
  const bodyOf = (parts: readonly Uint8Array[]) =>
    Uint8Array.from([...utf8.encode(head), ...parts.flatMap((part) => [...part, 0x0a])]);
  const whole = readOf(await decode(bodyOf(rows), type, { piece }), 0);
  const alone = await Promise.all(
    rows.map(async (row, i) => readOf(await decode(bodyOf([row]), type), i)),
  );
  assert.deepEqual(whole, {
    rows: alone.flatMap(({ rows }) => rows),
    rejected: alone.flatMap(({ rejected }) => rejected),
  });
}

/** Rows as bytes, of which one may be another, so that they are no UTF-8 or mean another thing. */
const spoilt = (row: fc.Arbitrary<string>) =>
  fc.array(
    fc.tuple(row, fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 12 })).map(([row, wrong]) => {
      const bytes = utf8.encode(row);
      // A line feed would make two of it.
      if (wrong && wrong[1] !== 0x0a) bytes[wrong[0] % bytes.length] = wrong[1];
      return bytes;
    }),
    { minLength: 1, maxLength: 20 },
  );

/** Texts of which some begin as others do, in few bytes or in many. */
const alike = any(
  ...['"a"', '"b"', '"inv1.p"', '"inv1.power"', '"inv1.powers"', '"inv10.p"', '"inv1"'],
  `"inv1.${"p".repeat(40)}"`,
);
const words = any('"a"', '"inv1.p"', '"ü"', '"a\\u0062"', '"a\\n"', '""', '"\\"', '"a\tb"', "1");
const stamps = any(`"${instant}"`, '"2026-11-21T05:00:00.25+01:00"', '"now"', "null", "5");
const numbers = any(
  "1",
  "1.5",
  "-3.25e2",
  "-0",
  "9007199254740993",
  "01",
  "1e999",
  "-",
  "1.",
  "+1",
);
const others = any("true", "false", "null", '"812.5"', '"text"', '"x\\ty"', "[1]", "{}", "nul");
const qualities = any('"good"', '"bad"', '"uncertain"', '"fine"', "0", "null");

const members: Readonly<Record<string, fc.Arbitrary<string>>> = {
  tag: fc.oneof({ weight: 4, arbitrary: alike }, words),
  ts: fc.oneof({ weight: 4, arbitrary: any(`"${instant}"`) }, stamps),
  value: fc.oneof({ weight: 3, arbitrary: numbers }, others),
  value_int: any("1", '"-7"', "1.5", "9223372036854775807", "null"),
  value_str: any('"t"', "5", "null"),
  quality: qualities,
  status_code: any("0", "2147483648", "-1", "null"),
  unknown: any("1"),
};
/** Which members rows have: bodies have few such layouts, in turns. */
const layouts = any(
  ...["tag,ts,value,quality", "tag,ts,value", "tag,ts,value_int", "ts,tag,value_str,status_code"],
  ...["tag,ts,quality", "quality,value,ts,tag", "tag,value", "tag,ts,value,value_int,unknown"],
);
const json_rows = fc.tuple(layouts, layouts).chain((some) =>
  spoilt(
    fc.tuple(any(some[0], ...some), fc.record(members), any("", "", "", "", " ", "\r", "}")).map(
      ([layout, members, after]) =>
        `{${layout.split(",").map((name) => `"${name}":${members[name]}`).join()}}${after}`,
    ),
  )
);
Deno.test("a row of NDJSON among others is read as it is alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      json_rows,
      any("9", "100", "65536"),
      (rows, piece) => compare(rows, { type: ndjson, piece: Number(piece) }),
    ),
    { numRuns: 600 },
  );
});

/** What comes of an array: its rows and rejections, or why it is refused. */
async function arrayOf(body: Uint8Array, piece: number) {
  const decoded = await decode(body, json, { piece }).catch((error) => {
    assert.ok(error instanceof Fault, `${error}`);
    return error.message;
  });
  return typeof decoded === "string" ? decoded : readOf(decoded, 0);
}

const gaps = any(",", ",", ",\n", " , ", ",,");

Deno.test("an array is read the same in large pieces as byte by byte", async () => {
  await fc.assert(
    fc.asyncProperty(json_rows, gaps, any("", "\n"), async (rows, gap, edge) => {
      const parts = rows.flatMap((row, i) => [...utf8.encode(i === 0 ? `[${edge}` : gap), ...row]);
      const body = Uint8Array.from([...parts, ...utf8.encode(`${edge}]`)]);
      const wanted = await arrayOf(body, 1);
      for (const piece of [100, 65_536]) assert.deepEqual(await arrayOf(body, piece), wanted);
    }),
    { numRuns: 600 },
  );
});

/** A quote that is a cell's first sign and does not close takes what follows with it. */
function isClosed(row: Uint8Array): boolean {
  const text = Array.from(row, (byte) => String.fromCharCode(byte)).join("");
  return /^(?:(?:^|,)[ \t\r]*(?:(?:"[^"]*"[^",]*)+|(?:[^ \t\r",][^,]*)?))+$/.test(text);
}

const cells = any("", "1", "1.5", "-0", "NaN", "true", "false", '"a"', '"a ""b"""', '"a"b', "a b")
  .chain((cell) => any(cell, cell, ` ${cell}`, `${cell}\t`));
const csv_row = fc.tuple(
  ...[any("a", '"a,b"', "", "ü", '"a""b"'), any(instant, ` ${instant} `, "now", "")],
  fc.array(cells, { minLength: 2, maxLength: 4 }),
  ...[any("good", "bad", "", "x"), any("", "", "\r")],
).map(([tag, ts, values, quality, end]) => `${[tag, ts, ...values, quality].join()}${end}`);

Deno.test("a row of CSV among others is read as it is alone", async () => {
  const head = "tag,ts,value,value_int,value_str,quality\n";
  await fc.assert(
    fc.asyncProperty(spoilt(csv_row), any("9", "100", "65536"), async (rows, piece) => {
      await compare(rows.filter(isClosed), { type: csv, head, piece: Number(piece) });
    }),
    { numRuns: 600 },
  );
});

/** Cells by column, of which a body's rows have the same signs around them or others. */
const csv_names = any(
  "a",
  "b",
  "inv1.p",
  "inv1.power",
  "inv10.p",
  "",
  "inv 1",
  `inv1.${"p".repeat(40)}`,
);
const csv_layouts = any(
  ...["T,S,N,,,Q", '"T",S,N,,,Q', '"T","S","N",,,Q', "T,S,,I,,Q", "T,S,,,X,", 'T,S,,,"X",'],
  ...[" T ,S,N,,,Q\r", '"T", S,N,,,Q', "T,S,N,,,Q,", "T,S,N", "T,S,B,,,Q"],
);
const csv_alike = fc.tuple(csv_layouts, csv_layouts).chain((some) =>
  spoilt(
    fc.tuple(
      any(some[0], some[0], some[0], ...some),
      fc.record({
        T: fc.oneof({ weight: 5, arbitrary: csv_names }, any('a"b"c', "ü", 'a""b', 'a""b')),
        S: fc.oneof({ weight: 6, arbitrary: any(instant) }, any("2026-11-21 05:00:01Z", "now", "")),
        N: fc.oneof({ weight: 4, arbitrary: numbers }, any("", "true", "1 ", "1,5", "x", "Nan")),
        I: any("1", "-7", "1.5", "9223372036854775808", ""),
        X: any("on", "off", "off", "", "o n", " on"),
        Q: fc.oneof({ weight: 6, arbitrary: any("good") }, any("bad", "uncertain", "fine", "")),
        B: any("true", "true", "false", "1"),
      }),
    ).map(([layout, cells]) =>
      layout.replace(/[TSNIXQB]/g, (name) => cells[name as keyof typeof cells])
    ),
  )
);

Deno.test("a row of CSV is read as it is alone beside rows that are written alike", async () => {
  const head = "tag,ts,value,value_int,value_str,quality\n";
  await fc.assert(
    fc.asyncProperty(csv_alike, any("9", "100", "65536"), async (rows, piece) => {
      await compare(rows.filter(isClosed), { type: csv, head, piece: Number(piece) });
    }),
    { numRuns: 600 },
  );
});

Deno.test("lines are counted where the texts of alike rows take two", async () => {
  const row = `"a\nb",${instant},1\n`;
  const decoded = await decode(`tag,ts,value\n${row}${row}${row}c,now,1\n`, csv);
  assert.deepEqual(rowsOf(decoded).map(({ line }) => line), []);
  assert.deepEqual(decoded.rejected.map(({ line }) => line), [2, 4, 6, 8]);
  const texts = `a,${instant},"x\ny"\n`;
  const taken = await decode(`tag,ts,value_str\n${texts}${texts}${texts}c,now,1\n`, csv);
  assert.deepEqual(rowsOf(taken).map(({ line }) => line), [2, 4, 6]);
  assert.deepEqual(taken.rejected.map(({ line }) => line), [8]);
});

Deno.test("the times of a forecast's row are each their own", async () => {
  const issued = ["2026-11-20T00:00:00Z", "2026-11-20T06:00:00Z"];
  const rows = Array.from({ length: 40 }, (_, i) => ({
    tag: "a",
    ts: Math.floor(i / 3) % 2 === 0 ? instant : "2026-11-21T06:00:00Z",
    issued_at: issued[Math.floor(i / 8) % 2],
    value: i,
  }));
  const lines = rows.map((row) => JSON.stringify(row)).join("\n");
  const { batches: [batch] } = await decode(`${lines}\n`, ndjson, { lane: "forecast" });
  assert.ok(batch.lane === "forecast");
  const times = (times: BigInt64Array) =>
    Array.from(times, (us) => new Date(Number(us / 1000n)).toISOString().replace(".000", ""));
  assert.deepEqual(times(batch.ts), rows.map(({ ts }) => ts));
  assert.deepEqual(times(batch.issued_at), rows.map(({ issued_at }) => issued_at));
});

/** Texts of numbers, some of them at the edges of what digits alone tell. */
const number_texts = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer({ min: -5000, max: 5000 }).map((tenths) => String(tenths / 10)),
  any("-0", "0.1", "9007199254740991", "9007199254740992", "9007199254740993", "1e5", "1E-3"),
  any("0.1234567890123456789012", "0.12345678901234567890123", "123456789012345678901234.5"),
);
const plain_rows = fc.array(
  fc.record({
    tag: any("a", "b", "inv1.p", "inv1.power", "inv 1,x", "\u00fc", "a\\b", 'a"b'),
    ts: any(instant, instant, instant, "2026-11-21T05:01:00.25Z", "2026-11-21T05:00:00+01:00"),
    value: number_texts,
    quality: any("good", "good", "good", "bad", "uncertain"),
  }),
  { minLength: 1, maxLength: 12 },
);
const key_orders = any(
  ...["tag,ts,value,quality", "tag,ts,value", "quality,value,ts,tag", "value,tag,ts"],
);

Deno.test("bodies whose tags come in one order hold what JSON.parse finds in them", async () => {
  const check = async (rows: Row[], order: string, { gap, piece }: Layout) => {
    const names = order.split(",") as (keyof Row)[];
    const lines = Array.from({ length: 5 }, () => rows).flat().map((row) => {
      const parts = names.map((name) =>
        `"${name}":${gap}${name === "value" ? row.value : JSON.stringify(row[name])}`
      );
      return `{${parts.join(`,${gap}`)}}`;
    });
    const wanted = lines.map((line, i) => {
      const { tag, ts, value, quality } = JSON.parse(line);
      return {
        ...{ line: i + 1, tag, value, ts: Date.parse(ts) * 1000, status: null },
        quality: quality === undefined ? null : ["good", "uncertain", "bad"].indexOf(quality),
      };
    });
    const tags = new TagIndex();
    const bodies = [
      ...[[lines.join("\n"), ndjson], [`${lines.join("\n")}\n`, ndjson]],
      ...[[`[${lines.join()}]`, json], [`[\n  ${lines.join(",\n  ")}\n]\n`, json]],
    ];
    for (const [body, type] of bodies) {
      const decoded = await decode(body, type, { piece, tags });
      assert.equal(decoded.rejected_count, 0);
      assert.deepEqual(rowsOf(decoded), wanted);
    }
  };
  const layouts = fc.record({ gap: any("", " ", " \t"), piece: fc.constantFrom(9, 100, 65_536) });
  await fc.assert(fc.asyncProperty(plain_rows, key_orders, layouts, check), { numRuns: 300 });
});
type Row = { tag: string; ts: string; value: string; quality: string };
type Layout = { gap: string; piece: number };

Deno.test("a tag that another format brought ends no text of a row", async () => {
  for (const name of ['a"', "a\\", "a,1", "a 1"]) {
    const tags = new TagIndex();
    const cell = `"${name.replaceAll('"', '""')}"`;
    const pair = `b,${instant},1\n${cell},${instant},1\n`;
    await decode(`tag,ts,value\n${pair}${pair}`, csv, { tags });
    const row = (tag: string) => `{"tag":"${tag}","ts":"${instant}","value":1}\n`;
    const { rejected } = await decode(`${row("b")}${row(name)}`.repeat(2), ndjson, { tags });
    const is_json = !/["\\]/.test(name);
    assert.deepEqual(rejected.map(({ line }) => line), is_json ? [] : [2, 4], name);
    const bare = `b,${instant},1\n${name},${instant},1\n`;
    await decode(`tag,ts,value\n${pair}${pair}`, csv, { tags });
    const cells = await decode(`tag,ts,value\n${bare}${bare}`, csv, { tags });
    assert.deepEqual(cells.rejected.map(({ line }) => line), name === "a,1" ? [3, 5] : [], name);
  }
});
