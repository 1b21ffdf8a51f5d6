// Rows of a body are read like those before them: each must come out as it would alone.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Decoded } from "../../../src/wire/decode.ts";
import { csv, decode, ndjson, rowsOf, utf8 } from "./decode_help.ts";

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
