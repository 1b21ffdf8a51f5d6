// Line protocol: what is read from bytes, with series known from before, is what texts say.
import assert from "node:assert/strict";
import fc from "fast-check";
import { strictTextOf } from "../../../src/base/bytes.ts";
import { Fault } from "../../../src/base/fault.ts";
import { decodeLines } from "../../../src/wire/samples/decode_line.ts";
import {
  broken_off,
  type LineTimes,
  precisions,
  readPoint,
} from "../../../src/wire/samples/line_text.ts";
import { TagIndex } from "../../../src/wire/samples/tag_index.ts";
import { rowsOf, utf8 } from "./decode_help.ts";

const now_us = 1_790_000_000_000_000;

/** Parts that lines are made of, most of them as a collector writes them. */
const series = ["inv", "inv,id=7", "inv,b=2,a=1", "inv,a=1,b=2", "my\\ meter", "m,k\\,1=a", "ü,ö=ä"]
  .concat(["", ",a=b", "m,a=", "m,=b", "#c", '"q"', "m\t", "m\x7f", "\u00a0m", "m,a=b=c"]);
const keys = ["p", "q", "u_dc", "state", "k k", "a\\ b", "a\\=b", "ß", "", "p\u0001", '"x"', "#"];
const values = ["1", "1.5", "-3.25", "0", "-0", "-0i", "007", "5.", ".5", ".", "-", "1e3", "-1E-7"]
  .concat(["1e999", "+2", "9007199254740993", "123456789.123456789", "0.1234567890123456789012345"])
  .concat(["1i", "-12u", "9007199254740993i", "9223372036854775807i", "9223372036854775808i"])
  .concat(["000000000000000000001i", "00000000000000000000000001i", "1.5i", "1ii", "+1i", "5.i"])
  .concat(["t", "T", "true", "True", "TRUE", "f", "False", "FALSE", "tr", "NaN", "inf", "", "abc"])
  .concat(['"text"', '"a \\"b\\" c, d=e"', '"open', '""', "1\\", "ü", "1\u00a0", "1\t", "0x10"]);
const stamps = ["1790000000123456789", "1790000000000000", "1790000000000", "1790000000", "", "0"]
  .concat(["999", "-5", "soon", "1 2", "9999999999999999999", "99999999999999999999", "1.5"])
  .concat(["7289654399999999999", "7289654400000000000", "1790000000\u00a0", "٣"]);
const ends = ["\n", "\n", "\n", "\r\n", " \n", "\t\r\n", "\n\n", "\u2003\n", "\v\n", " \r \n"];
const gaps = [" ", " ", " ", "  ", "\t", ""];

const any = (parts: readonly string[]) => fc.constantFrom(...parts);
/** Mostly one of the first parts, seldom any. */
const mostly = (count: number, parts: readonly string[]) =>
  fc.oneof(
    { weight: 12, arbitrary: any(parts.slice(0, count)) },
    { weight: 1, arbitrary: any(parts) },
  );
const field = fc.tuple(
  ...[mostly(4, keys), mostly(1, ["=", "", " ="])],
  fc.oneof(mostly(4, values), any(values)),
).map((parts) => parts.join(""));
const point = fc.tuple(
  ...[mostly(1, ["", " ", "\ufeff"]), mostly(4, series), mostly(1, gaps)],
  fc.array(field, { minLength: 1, maxLength: 4 }),
  ...[mostly(1, [",", ",,", ", "]), mostly(1, gaps), mostly(4, stamps), any(ends)],
).map(([before, name, gap, fields, comma, gap_after, stamp, end]) =>
  `${before}${name}${gap}${fields.join(comma)}${gap_after}${stamp}${end}`
);
const body = fc.array(
  fc.oneof({ weight: 30, arbitrary: point }, any(["# c\n", "\n", " \n", "x"])),
  { maxLength: 12 },
);
/** Bytes of which one may be another, so that it is no UTF-8, or no longer what it was. */
const bytes = fc.tuple(body, fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 6 })).map(
  ([lines, wrong]) => {
    const bytes = utf8.encode(lines.join(""));
    if (wrong && bytes.length > 0) bytes[wrong[0] % bytes.length] = wrong[1];
    return bytes;
  },
);

type Read = { readonly rows: unknown; readonly rejected: unknown } | { readonly fault: string };

async function read(body: Uint8Array, times: LineTimes & { tags: TagIndex; piece: number }) {
  const pieces = async function* () {
    for (let at = 0; at < body.length; at += times.piece) {
      yield body.slice(at, at + times.piece);
    }
  };
  try {
    const decoded = await decodeLines(pieces(), times);
    return { rows: rowsOf(decoded), rejected: decoded.rejected };
  } catch (error) {
    assert.ok(error instanceof Fault, `a Fault, not ${error}`);
    return { fault: error.message };
  }
}

/** The same, line by line from texts. */
function readPlainly(body: Uint8Array, times: LineTimes): Read {
  const rows: unknown[] = [];
  const rejected: unknown[] = [];
  const marked = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  for (let [start, line] = [marked ? 3 : 0, 1]; start < body.length; line++) {
    const feed = body.indexOf(0x0a, start);
    const end = feed < 0 ? body.length : feed;
    const text = strictTextOf(body.subarray(start, end))?.trim();
    start = end + 1;
    if (text === "" || text?.startsWith("#")) continue;
    const point = text === undefined ? "is not UTF-8" : readPoint(text, times);
    if (typeof point !== "string") {
      rows.push(...point.values.map(([tag, value]) => ({
        ...{
          line,
          tag,
          ts: point.ts_us,
          value: typeof value === "boolean" ? BigInt(value) : value,
        },
        ...{ quality: null, status: null },
      })));
    } else if (feed < 0 && point === broken_off) {
      return { fault: `the body broke off in line ${line}` };
    } else rejected.push({ line, tag: null, reason: point });
  }
  return { rows, rejected: rejected.slice(0, 100) };
}

/** Asserts that bodies are read, as often as said, as they are plainly. */
async function assertRead(
  bodies: fc.Arbitrary<Uint8Array<ArrayBuffer>>,
  { pieces, times, runs }: {
    readonly pieces: readonly string[];
    readonly times: number;
    readonly runs: number;
  },
): Promise<void> {
  // Series are known from earlier runs, under other fields and other values.
  const tags = new TagIndex();
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...precisions), any(pieces), async (
      body,
      precision,
      piece,
    ) => {
      const options = { precision, now_us, tags, piece: Number(piece) };
      for (let time = 0; time < times; time++) {
        assert.deepEqual(await read(body, options), readPlainly(body, options));
      }
    }),
    { numRuns: runs },
  );
}

Deno.test("lines read from bytes are those read from texts", () =>
  // The second time all of its own series are known.
  assertRead(bytes, { pieces: ["7", "64", "65536"], times: 2, runs: 1500 }));

/** Lines of some series in turns, each with its own fields, and seldom something else between. */
const alike = fc.array(fc.tuple(any(series), fc.array(any(keys), { minLength: 1, maxLength: 3 })), {
  minLength: 1,
  maxLength: 3,
}).chain((cycle) => {
  const line = (i: number) => {
    const [name, fields] = cycle[i % cycle.length];
    const cells = fields.map((key) => mostly(8, values).map((value) => `${key}=${value}`));
    const parts = fc.tuple(fc.tuple(...cells), mostly(3, stamps), mostly(3, ends));
    const usual = parts.map(([sent, stamp, end]) => `${name} ${sent.join()} ${stamp}${end}`);
    return fc.oneof({ weight: 20, arbitrary: usual }, point);
  };
  return fc.tuple(...Array.from({ length: 24 }, (_, i) => line(i)));
}).map((lines) => utf8.encode(lines.join("")));

Deno.test("lines that repeat series and fields are read as each is by itself", () =>
  assertRead(alike, { pieces: ["64", "300", "65536"], times: 1, runs: 1000 }));

Deno.test("a name that only begins like the expected one is another", async () => {
  const stamp = "1790000000000000000";
  const usual = [`m p=1 ${stamp}`, `m,a=b p=2 ${stamp}`, `m p=3 ${stamp}`, `m,a=b p=4 ${stamp}`];
  const others = [
    "m p15",
    "m,p=1",
    "m pq=1",
    "m,a=bc p=1",
    "m,a=b pp=1",
    "mp=1",
    "m  p=1",
    "m p=1,",
  ];
  for (const other of others) {
    const lines = [...usual, ...usual, `${other} ${stamp}`, ...usual, `${other} ${stamp}`];
    const body = utf8.encode(`${lines.join("\n")}\n`);
    const times = { precision: "ns", now_us, tags: new TagIndex(), piece: 65536 } as const;
    await read(utf8.encode(`${usual.join("\n")}\n`), times);
    assert.deepEqual(await read(body, times), readPlainly(body, times), other);
  }
});
