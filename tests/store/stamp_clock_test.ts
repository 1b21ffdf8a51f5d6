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

Deno.test("what was a while ago is so by time that passed, however the wall clock was set", () => {
  const { effects, clock } = fakeEffects();
  const stamps = new StampClock(effects, clock.now_us - 1000);
  const given: number[] = [];
  const minute = () => {
    given.push(stamps.next());
    clock.advance(60_000);
  };
  for (const step_ms of [0, 400 * day_ms, -400 * day_ms, -400 * day_ms, 800 * day_ms]) {
    clock.step(step_ms);
    for (let i = 0; i < 20; i++) minute();
  }
  stamps.next();
  for (const [i, stamp_us] of given.entries()) {
    const passed_us = (given.length - i) * 60_000_000;
    ok(stamps.ago(passed_us + 2_000_000) <= stamp_us, `${i} is no older`);
    ok(stamps.ago(passed_us - 8_000_000) > stamp_us, `${i} is no younger`);
  }
});

Deno.test("before its start a clock knows of the last stamp, and of no time between", () => {
  const { effects, clock } = fakeEffects();
  const last_us = clock.now_us - 400 * day_ms * 1000;
  const stamps = new StampClock(effects, last_us);
  clock.advance(60_000);
  stamps.next();
  equal(stamps.ago(90_000_000), last_us - 30_000_000);
});
