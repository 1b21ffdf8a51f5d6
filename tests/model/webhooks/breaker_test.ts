// When a receiver that keeps failing is left alone, and how it is tried again.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { Breaker } from "../../../src/model/webhooks/retry.ts";

const second_us = 1_000_000;
const minute_us = 60 * second_us;

/** A breaker after attempts a second apart from second 0 on: `.` acknowledged, `x` failed. */
function after(ends: string): Breaker {
  const breaker = new Breaker();
  [...ends].forEach((end, second) => note(breaker, end, second * second_us));
  return breaker;
}

function note(breaker: Breaker, end: string, now_us: number): void {
  const attempt = breaker.begin();
  if (end === ".") attempt.succeed(now_us);
  else attempt.fail(now_us);
}

Deno.test("a breaker opens at the tenth failure in a row, and not before", () => {
  equal(after("xxxxxxxxx").isOpen, false);
  equal(after("xxxxxxxxxx").isOpen, true);
  equal(after("xxxxxxxxx.xxx").isOpen, true, "and by share: 12 of 13");
  equal(after(`${".".repeat(100)}xxxxxxxxx`).isOpen, false);
  equal(after(`${".".repeat(100)}xxxxxxxxxx`).isOpen, true);
});

Deno.test("a breaker opens where 70 % of ten attempts or more failed within five minutes", () => {
  equal(after("xx.xx.xx.x").isOpen, true, "7 of 10");
  equal(after("xx.xx.xx..").isOpen, false, "6 of 10");
  equal(after("xx.xx.xx.").isOpen, false, "6 of 9");
  equal(after("..........xxxxxxxxx").isOpen, false, "9 of 19");
});

Deno.test("a breaker forgets what ended more than five minutes ago", () => {
  const breaker = after("x.xxxxxx");
  note(breaker, ".", 5 * minute_us + 20 * second_us);
  note(breaker, "x", 5 * minute_us + 21 * second_us);
  equal(breaker.isOpen, false);
});

Deno.test("an open breaker lets one attempt through after its wait, which doubles", () => {
  const breaker = after("xxxxxxxxxx");
  let opened_us = 9 * second_us;
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    equal(breaker.from_us, opened_us + minutes * minute_us);
    const attempt = breaker.begin();
    equal(breaker.from_us, Infinity);
    opened_us += 60 * minute_us;
    attempt.fail(opened_us);
  }
});

Deno.test("one success closes a breaker, and all before it is forgotten", () => {
  const breaker = after("xxxxxxxxxx");
  note(breaker, ".", 2 * minute_us);
  equal(breaker.isOpen, false);
  equal(breaker.from_us, -Infinity);
  for (let i = 1; i <= 6; i++) note(breaker, "x", 2 * minute_us + i * second_us);
  equal(breaker.isOpen, false);
  for (let i = 7; i <= 9; i++) note(breaker, "x", 2 * minute_us + i * second_us);
  equal(breaker.from_us, 2 * minute_us + 9 * second_us + minute_us, "it waits a minute again");
});

Deno.test("failures of attempts that began before a breaker opened do not prolong it", () => {
  const breaker = new Breaker();
  const early = [0, 1, 2].map(() => breaker.begin());
  for (let i = 0; i < 10; i++) note(breaker, "x", i * second_us);
  const { from_us } = breaker;
  early[0].fail(20 * second_us);
  equal(breaker.from_us, from_us);
  const trial = breaker.begin();
  early[1].fail(70 * second_us);
  early[2].end();
  equal(breaker.from_us, Infinity, "the one that decides is still under way");
  trial.fail(71 * second_us);
  equal(breaker.from_us, 71 * second_us + 2 * minute_us);
});

Deno.test("an attempt that ends without a word of the receiver lets the next one decide", () => {
  const breaker = after("xxxxxxxxxx");
  const { from_us } = breaker;
  breaker.begin().end();
  equal(breaker.from_us, from_us, "at once, and the wait is no longer");
  const attempt = breaker.begin();
  attempt.succeed(2 * minute_us);
  attempt.end();
  equal(breaker.isOpen, false);
});

Deno.test("a breaker is open exactly where the attempts of the last minutes say so", () => {
  const ends = fc.array(fc.constantFrom(".", "x", "x"), { maxLength: 60 });
  fc.assert(fc.property(ends, (ends) => {
    const breaker = new Breaker();
    let expected = false;
    const seen: string[] = [];
    for (const [i, end] of ends.entries()) {
      seen.push(end);
      note(breaker, end, i * second_us);
      const failed = seen.filter((end) => end === "x").length;
      const in_row = seen.length - 1 - seen.lastIndexOf(".");
      expected = in_row >= 10 || (seen.length >= 10 && failed / seen.length >= 0.7 && end === "x");
      deepEqual(breaker.isOpen, expected, seen.join(""));
      if (expected) return;
    }
    ok(!expected);
  }));
});
