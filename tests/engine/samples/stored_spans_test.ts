// Which rows are known to be new: never one whose time is stored.
import assert from "node:assert/strict";
import fc from "fast-check";
import { StoredSpans } from "../../../src/engine/samples/stored_spans.ts";

type Row = { readonly tag_no: number; readonly ts_us: number; readonly owner: number };

function rowsOf(rows: readonly Row[]) {
  return {
    rows: rows.length,
    tagAt: (row: number) => rows[row].tag_no,
    tsAt: (row: number) => rows[row].ts_us,
    ownerAt: (row: number) => rows[row].owner,
  };
}

/** A body of one tag, every second of [from_us, to_us]. */
function body(owner: number, from_us: number, to_us: number): Row[] {
  return Array.from({ length: to_us - from_us + 1 }, (_, i) => (
    { tag_no: 7, ts_us: from_us + i, owner }
  ));
}

Deno.test("bodies that come in another order leave each other's times free", () => {
  const spans = new StoredSpans(99);
  const free = (ts_us: number) => spans.isFree(7, ts_us);
  assert.deepEqual([98, 99, 100].map(free), [false, false, true]);
  // The second and the fourth of five, in one commit.
  spans.take(rowsOf([...body(0, 110, 119), ...body(1, 130, 139)]));
  assert.deepEqual([100, 109, 110, 119, 120, 129, 135, 140].map(free), [
    ...[true, true, false, false],
    ...[true, true, false, true],
  ]);
  spans.take(rowsOf(body(0, 120, 129)));
  assert.deepEqual([109, 120, 129, 139, 140].map(free), [true, false, false, false, true]);
  assert.equal(spans.isFree(8, 110), true);
});

/** Bodies of ten minutes: four clients send them in turns, the last of them so many turns late. */
function assertFree({ late, minutes }: { late: number; minutes: (body: number) => number }) {
  const spans = new StoredSpans(-Infinity);
  const send = (body: number) => {
    const from_minute = minutes(body);
    const times = Array.from({ length: 10 }, (_, i) => (from_minute + i) * 60_000_000);
    for (const ts_us of times) assert.equal(spans.isFree(7, ts_us), true, `body ${body}`);
    spans.take(rowsOf(times.map((ts_us) => ({ tag_no: 7, ts_us, owner: 0 }))));
  };
  for (let turn = 0; turn < 720; turn++) {
    for (const client of [0, 1, 2]) send(4 * turn + client);
    if (turn >= late) send(4 * (turn - late) + 3);
  }
  // Nothing is known of what lies before all of them.
  assert.equal(spans.isFree(7, -1), true);
}

Deno.test("bodies of a client that falls behind three others stay free", () => {
  for (const late of [0, 1, 5, 11]) assertFree({ late, minutes: (body) => 10 * body });
});

Deno.test("nights without samples do not take the places of bodies that come late", () => {
  const minutes = (body: number) => 1440 * Math.floor(body / 84) + 10 * (body % 84);
  for (const late of [0, 1, 5, 8]) assertFree({ late, minutes });
});

Deno.test("a new tag has all its times free", () => {
  const spans = new StoredSpans(99);
  spans.begin(5000);
  assert.equal(spans.isFree(5000, 1), true);
  assert.equal(spans.isFree(4999, 1), false);
});

Deno.test("what was stored is never free", () => {
  const rows = fc.record({
    tag_no: fc.constantFrom(1, 2, 3000),
    ts_us: fc.integer({ min: 0, max: 400 }),
    owner: fc.nat(2),
  });
  fc.assert(fc.property(
    fc.array(fc.array(rows, { minLength: 1, maxLength: 12 }), { maxLength: 40 }),
    (commits) => {
      const spans = new StoredSpans(50);
      const stored = new Set<string>();
      for (const commit of commits) {
        spans.take(rowsOf(commit.toSorted((a, b) => a.owner - b.owner)));
        for (const { tag_no, ts_us } of commit) stored.add(`${tag_no} ${ts_us}`);
        for (const key of stored) {
          const [tag_no, ts_us] = key.split(" ").map(Number);
          assert.equal(spans.isFree(tag_no, ts_us), false, key);
        }
        assert.equal(spans.isFree(1, 50), false);
        assert.equal(spans.isFree(2, 401), true);
      }
    },
  ));
});
