// The clock of stamps: never back, never still, and the wall clock again as soon as it can be.
import { equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { StampClock } from "../../src/store/stamp_clock.ts";
import { fakeEffects } from "../help/effects.ts";

const day_ms = 86_400_000;

Deno.test("stamps are the wall clock's where that goes on, and rise while it stands", () => {
  const { effects, clock } = fakeEffects();
  const stamps = new StampClock(effects, 0);
  equal(stamps.next(), clock.now_us);
  equal(stamps.next(), clock.now_us + 1);
  clock.step(day_ms);
  equal(stamps.now_us, clock.now_us);
  equal(stamps.next(), clock.now_us);
  equal(stamps.ahead_us, 0);
});

Deno.test("a clock that is set back leaves stamps going on, until it has caught up", () => {
  const { effects, clock } = fakeEffects();
  const stamps = new StampClock(effects, 0);
  clock.step(day_ms);
  const last_us = stamps.next();
  clock.step(-day_ms);
  equal(stamps.now_us, last_us);
  equal(stamps.ahead_us, day_ms * 1000);
  clock.advance(10_000);
  equal(stamps.now_us, last_us + 9_000_000);
  equal(stamps.next(), last_us + 9_000_000);
  clock.advance(10 * day_ms);
  equal(stamps.ahead_us, 0);
  equal(stamps.next(), clock.now_us);
});

Deno.test("a clock that starts behind what is stored goes on from there", () => {
  const { effects, clock } = fakeEffects();
  const last_us = clock.now_us + 3_600_000_000;
  const stamps = new StampClock(effects, last_us);
  clock.advance(1_000);
  equal(stamps.next(), last_us + 900_000);
});

Deno.test("whatever the wall clock does, stamps rise and are past within their time", () => {
  const turn = fc.oneof(
    fc.record({ step: fc.integer({ min: -400 * day_ms, max: 400 * day_ms }) }),
    fc.record({ pass: fc.integer({ min: 0, max: 60_000 }) }),
  );
  fc.assert(fc.property(fc.array(turn, { maxLength: 30 }), (turns) => {
    const { effects, clock } = fakeEffects();
    const stamps = new StampClock(effects, 0);
    let last_us = 0;
    for (const turn of turns) {
      if ("step" in turn) clock.step(turn.step);
      else clock.advance(turn.pass);
      const stamp_us = stamps.next();
      ok(stamp_us > last_us);
      last_us = stamp_us;
    }
    clock.advance(6_000);
    ok(stamps.now_us - last_us >= 5_000_000, "it shows in a replay");
  }));
});
