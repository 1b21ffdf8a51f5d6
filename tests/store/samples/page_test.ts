// Entries in any order come out as a page: every row of it, in order, with all its values.
import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  isValid,
  noneValid,
  setValid,
  type Vector,
  wordAt,
  wordsOf,
} from "../../../src/model/data/chunk.ts";
import { type EntryPart, orderedPage } from "../../../src/store/samples/page.ts";

/** Entry i as a row of plain values; its number stands in `value_int`, `value` and `value_str`. */
type Entry = {
  readonly tag_no: number;
  readonly ts: number;
  readonly received_at: number;
  readonly resolution: number;
  readonly has_value: boolean;
};

const names: readonly EntryPart[] = [
  ...["tag_no", "ts", "received_at", "resolution", "value", "value_int", "value_str"] as const,
];

function vectorsOf(entries: readonly Entry[]): readonly Vector[] {
  const valid = noneValid(entries.length);
  entries.forEach(({ has_value }, i) => has_value && setValid(valid, i));
  const has = entries.every(({ has_value }) => has_value) ? undefined : valid;
  const int32 = (read: (entry: Entry) => number): Vector => (
    { kind: "int32", values: Int32Array.from(entries, read) }
  );
  const int64 = (read: (entry: Entry, i: number) => number): Vector => (
    { kind: "int64", values: BigInt64Array.from(entries, (it, i) => BigInt(read(it, i))) }
  );
  return [
    int32(({ tag_no }) => tag_no),
    int64(({ ts }) => ts),
    int64(({ received_at }) => received_at),
    int32(({ resolution }) => resolution),
    {
      kind: "float64",
      values: Float64Array.from(entries, ({ has_value }, i) => has_value ? i + 0.5 : 0),
      valid: has,
    },
    { kind: "int64", values: BigInt64Array.from(entries, (_, i) => BigInt(~i) << 52n) },
    {
      kind: "text",
      words: wordsOf(entries.map(({ has_value }, i) => has_value ? `é${i}` : "")),
      valid: has,
    },
  ];
}

/** Row i of a vector. */
function at(vector: Vector, i: number): unknown {
  if (!isValid(vector.valid, i)) return null;
  return vector.kind === "text" ? wordAt(vector.words, vector.codes?.[i] ?? i) : vector.values[i];
}

const time = fc.oneof(
  fc.nat({ max: 3 }),
  fc.nat({ max: 5000 }),
  fc.integer({ min: -(2 ** 40), max: 2 ** 50 }),
);
const entry = fc.record({
  tag_no: fc.integer({ min: 10, max: 16 }),
  ts: time,
  received_at: time,
  resolution: fc.nat({ max: 1 }),
  has_value: fc.boolean(),
});
const keyOf = ({ tag_no, ts, resolution }: Entry) => [tag_no, ts, resolution].join();
const found = fc.uniqueArray(entry, { selector: keyOf, maxLength: 60 });
const tag_nos = fc.shuffledSubarray([10, 11, 11, 12, 14, 14, 14, 16], { minLength: 1 });
const parts = ["value_str", "line", "ts", "resolution", "value", "value_int"] as const;

/** The same by comparing all with all. */
function expected(
  entries: readonly Entry[],
  lines: readonly number[],
  compare: (a: Entry, b: Entry) => number,
) {
  return entries.flatMap((entry, i) =>
    lines.flatMap((tag_no, line) => tag_no === entry.tag_no ? [{ entry, i, line }] : [])
  ).toSorted((a, b) =>
    compare(a.entry, b.entry) || a.entry.ts - b.entry.ts || a.line - b.line ||
    a.entry.resolution - b.entry.resolution
  );
}

const plain = ({ entry, i, line }: { readonly entry: Entry; readonly i: number; line: number }) => [
  entry.has_value ? `é${i}` : null,
  line,
  BigInt(entry.ts),
  entry.resolution,
  entry.has_value ? i + 0.5 : null,
  BigInt(~i) << 52n,
];

Deno.test("a page by time has each line's entries in order, up to its limit", () => {
  fc.assert(
    fc.property(found, tag_nos, fc.integer({ min: 1, max: 90 }), (entries, lines, limit) => {
      const range = { from_us: 0, to_us: 0, offset: 0, resolution: undefined };
      const page = orderedPage(
        { names, rows: entries.length, vectors: vectorsOf(entries) },
        { ...range, tag_nos: lines, parts, limit },
      );
      const wanted = expected(entries, lines, () => 0).slice(0, limit);
      const rows = Array.from(
        { length: page.rows },
        (_, i) => parts.map((name) => at(page.parts[name]!, i)),
      );
      deepEqual(rows, wanted.map(plain));
    }),
  );
});

Deno.test("a page after a watermark goes on behind its row, by stamp before all", () => {
  const mark = fc.record({ since_us: time, after_us: time, after_line: fc.nat({ max: 3 }) });
  const lines = fc.shuffledSubarray([10, 11, 12, 14, 16], { minLength: 1 });
  fc.assert(
    fc.property(found, lines, mark, (all, tag_nos, { since_us, after_us, after_line }) => {
      const entries = all.filter(({ received_at }) => received_at >= since_us);
      const range = { from_us: 0, to_us: 0, offset: 0, resolution: undefined };
      const page = orderedPage(
        { names, rows: entries.length, vectors: vectorsOf(entries) },
        { ...range, tag_nos, parts, limit: 20 },
        { since_us, until_us: Infinity, after_us, after_line },
      );
      const behind = expected(entries, tag_nos, (a, b) => a.received_at - b.received_at)
        .filter(({ entry: { received_at, ts }, line }) =>
          received_at > since_us || ts > after_us || (ts === after_us && line >= after_line)
        );
      const wanted = behind.slice(0, 20);
      const rows = Array.from(
        { length: page.rows },
        (_, i) => parts.map((name) => at(page.parts[name]!, i)),
      );
      deepEqual(rows, wanted.map(plain));
      // The page behind it ends with the fortieth row.
      const next = behind[39]?.entry;
      deepEqual(page.next_end, next && { until_us: next.received_at + 1, upto_us: next.ts });
    }),
  );
});
