// Spans of what waits: every stamp is in or out as it should be, and the order of pieces.
import assert from "node:assert/strict";
import { Dice } from "../../../src/base/random.ts";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import {
  addSpan,
  backlogPiece,
  firstSpans,
  lagUs,
  livePiece,
  open_end_us,
  type StampSpans,
  takeOut,
} from "../../../src/model/upstream/span.ts";

const size = 60;

/** All stamps wait. */
const never: StampSpans = [{ from_us: 0, to_us: open_end_us }];

function stampsOf(spans: StampSpans): boolean[] {
  return Array.from(
    { length: size },
    (_, us) => spans.some(({ from_us, to_us }) => from_us <= us && us < to_us),
  );
}

Deno.test("putting in and taking out is what it is for sets of stamps", () => {
  const dice = new Dice(7);
  for (let round = 0; round < 200; round++) {
    let spans: StampSpans = [];
    const held = new Array<boolean>(size).fill(false);
    for (let step = 0; step < 12; step++) {
      const at = round * 100 + step;
      const [a, b] = [1, 2].map((channel) => dice.pick(size, { channel, step: at }));
      const is_in = dice.unit(3, at) < 0.6;
      const span = { from_us: a, to_us: b };
      spans = is_in ? addSpan(spans, span) : takeOut(spans, span);
      for (let us = a; us < b; us++) held[us] = is_in;
      assert.deepEqual(stampsOf(spans), held);
      for (const [i, { from_us, to_us }] of spans.entries()) {
        assert.ok(from_us < to_us && (i === 0 || spans[i - 1].to_us < from_us));
      }
    }
  }
});

Deno.test("what is live is the newest window, and the rest of it becomes backlog", () => {
  const { live_window_us } = upstream_limits;
  const head_us = 10 * live_window_us;
  const live = livePiece(never, head_us);
  assert.deepEqual(live, { from_us: head_us + 1 - live_window_us, to_us: head_us + 1 });
  const left = takeOut(never, live!);
  assert.deepEqual(left, [
    { from_us: 0, to_us: live!.from_us },
    { from_us: head_us + 1, to_us: open_end_us },
  ]);
  assert.equal(livePiece(left, head_us), undefined);
  assert.deepEqual(backlogPiece(left), left[0]);
  assert.deepEqual(livePiece(left, head_us + 5), { from_us: head_us + 1, to_us: head_us + 6 });
  assert.equal(backlogPiece(never), undefined);
  assert.deepEqual(backlogPiece(firstSpans(99)), { from_us: 0, to_us: 100 });
  assert.equal(livePiece(firstSpans(99), 99), undefined);
  assert.deepEqual(backlogPiece(addSpan(left, { from_us: head_us - 9, to_us: head_us - 5 })), {
    from_us: head_us - 9,
    to_us: head_us - 5,
  });
});

Deno.test("the lag is the age of the oldest live stamp that waits", () => {
  const left = takeOut(never, { from_us: 0, to_us: 1_000 });
  assert.equal(lagUs(left, { head_us: 999, now_us: 9_000 }), 0);
  assert.equal(lagUs(left, { head_us: 1_000, now_us: 9_000 }), 8_000);
});

Deno.test("too many spans become fewer, and none of what waits is lost", () => {
  let spans: StampSpans = never;
  const most = upstream_limits.spans;
  for (let i = 0; i < most + 50; i++) {
    spans = takeOut(spans, { from_us: 100 * i + 50 - i % 7, to_us: 100 * i + 60 });
  }
  assert.equal(spans.length, most);
  assert.equal(spans.at(-1)!.to_us, open_end_us);
  for (let i = 0; i < most + 50; i++) {
    const us = 100 * i + 40;
    assert.ok(spans.some(({ from_us, to_us }) => from_us <= us && us < to_us));
  }
});
