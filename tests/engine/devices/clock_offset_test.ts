// By how much a source's clock is ahead: what is late on its way does not count.
import { equal } from "node:assert/strict";
import { ClockOffset } from "../../../src/engine/devices/state.ts";

const minute_us = 60_000_000;

Deno.test("the freshest time of the last two minutes shows the clock, late ones do not", () => {
  const clock = new ClockOffset();
  equal(clock.ahead_us, null);
  const hear = (at_us: number, ahead_us: number) => clock.heard(at_us + ahead_us, at_us);
  hear(10 * minute_us, -3_600_000_000);
  equal(clock.ahead_us, -3_600_000_000);
  hear(10 * minute_us + 1, 5_000_000);
  hear(10 * minute_us + 2, -40_000_000);
  equal(clock.ahead_us, 5_000_000);
  // Its clock was set back: known a minute later at the latest.
  hear(11 * minute_us, -2_000_000);
  equal(clock.ahead_us, 5_000_000);
  hear(12 * minute_us, -2_000_000);
  equal(clock.ahead_us, -2_000_000);
});

Deno.test("a clock that is set here forgets nothing that was heard since", () => {
  const clock = new ClockOffset();
  clock.heard(100 * minute_us, 100 * minute_us);
  // This machine's clock was an hour ahead.
  clock.heard(40 * minute_us, 40 * minute_us);
  clock.heard(41 * minute_us + 7, 41 * minute_us);
  equal(clock.ahead_us, 7);
});
