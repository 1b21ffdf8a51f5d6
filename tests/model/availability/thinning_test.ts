// Properties of the verdict: spacing changes nothing, and silence never makes an outage.
import assert from "node:assert/strict";
import fc from "fast-check";
import { sumSpans } from "../../../src/model/availability/availability.ts";
import { type InverterFacts, noFacts, sceneOf } from "../../../src/model/availability/fact.ts";
import { Inference } from "../../../src/model/availability/infer.ts";

const hours = 12;
const quarters = hours * 4;
const start_us = Date.parse("2024-06-01T06:00:00Z") * 1000;
const day = sceneOf([{
  day: 19_875,
  light: [{ from_us: start_us, to_us: start_us + hours * 3_600_000_000 }],
}], Infinity);
const capacity_w = 1e6;

/** What the sun gives in a minute of the day, in W. */
const sun = (minute: number) => 900_000 * Math.sin(Math.PI * (minute + 1) / (hours * 60 + 2));

/** A day of an inverter: when it is out, how its power reads then and now, and what is not sent. */
type Case = {
  readonly out: readonly (readonly [from: number, to: number])[];
  readonly power: "true" | "zero" | "stuck";
  readonly counter: boolean;
  readonly lost: ReadonlySet<number>;
};

/** The quarter-hours that a roll-up makes of its samples `spacing` minutes apart. */
function factsOf({ out, power, counter, lost }: Case, spacing: number): InverterFacts {
  const facts = noFacts(day, { capacity_w, has_counter: counter });
  const isOut = (minute: number) => out.some(([from, to]) => from <= minute && minute < to);
  const works = (minute: number) => isOut(minute) ? 0 : sun(minute);
  const read = { true: works, zero: () => 0, stuck: () => 400_000 }[power];
  let [made_wh, counted_wh, counted_at] = [0, 0, 0];
  const amounts = new Float64Array(hours * 60).fill(NaN);
  const values: number[][] = Array.from({ length: quarters }, () => []);
  for (let minute = 0; minute <= hours * 60; minute++) {
    const is_sent = minute % spacing === 0 && !lost.has(Math.floor(minute / 15));
    if (is_sent && counter) {
      const even = minute - counted_at <= 60;
      for (
        let at = even ? counted_at : minute;
        at < Math.max(minute, even ? 0 : minute + 1);
        at++
      ) {
        const share = even ? minute - counted_at : 1;
        if (at < amounts.length) amounts[at] = (amounts[at] || 0) + (made_wh - counted_wh) / share;
      }
      [counted_wh, counted_at] = [made_wh, minute];
    }
    if (is_sent && minute < hours * 60) values[Math.floor(minute / 15)].push(read(minute));
    made_wh += works(minute) / 60;
  }
  values.forEach((sent, i) => {
    const own = amounts.subarray(i * 15, i * 15 + 15);
    const known = own.filter((amount) => !Number.isNaN(amount));
    const before = i === 0 || amounts.subarray(i * 15 - 15, i * 15).some((it) => !Number.isNaN(it));
    const amount = known.reduce((sum, it) => sum + it, 0);
    if (known.length > 0) facts.energy_wh[i] = amount;
    if (known.length > 13 && before) facts.counter_wh[i] = amount;
    if (sent.length === 0) return;
    facts.heard[i] = 1;
    facts.covered[i] = 1;
    facts.power_w[i] = sent.reduce((sum, it) => sum + it, 0) / sent.length;
    if (new Set(sent).size === 1) facts.flat_w[i] = sent[0];
  });
  return facts;
}

const good: Case = { out: [], power: "true", counter: true, lost: new Set() };

function spansOf(given: Case, spacing: number) {
  const inverters = [given, good, good, good].map((it) => factsOf(it, spacing));
  const poa = new Float64Array(day.count).fill(700);
  return new Inference({ scene: day, inverters, poaOf: () => poa }).daysOf(0, [])[0].spans;
}

const quarter = fc.integer({ min: 2, max: quarters - 2 });
const any_case: fc.Arbitrary<Case> = fc.record({
  out: fc.tuple(quarter, quarter).map((
    [a, b],
  ) => [[Math.min(a, b) * 15, Math.max(a, b) * 15] as const]),
  power: fc.constantFrom("true", "zero", "stuck"),
  counter: fc.constant(true),
  lost: fc.tuple(quarter, fc.integer({ min: 0, max: 12 })).map(([from, length]) =>
    new Set(Array.from({ length }, (_, i) => Math.min(quarters - 2, from + i)))
  ),
});

Deno.test("samples 1, 5 and 15 minutes apart give the same verdict", () => {
  fc.assert(
    fc.property(any_case, (given) => {
      const [fine, ...coarse] = [1, 5, 15].map((spacing) => sumSpans(spansOf(given, spacing)));
      for (const sums of coarse) {
        // At each edge of a gap or an outage a quarter-hour may fall to either side.
        assert.ok(Math.abs(sums.unavailable_s - fine.unavailable_s) <= 3 * 900 + 1, words(given));
        assert.ok(Math.abs(sums.basis_s - fine.basis_s) <= 3 * 900 + 1, words(given));
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("an outage is as long as it was, whatever its power reads", () => {
  fc.assert(
    fc.property(any_case, (given) => {
      const whole = { ...given, lost: new Set<number>() };
      const [[from, to]] = given.out;
      for (const spacing of [1, 5, 15]) {
        const { unavailable_s, basis_s } = sumSpans(spansOf(whole, spacing));
        assert.ok(Math.abs(unavailable_s - (to - from) * 60) <= 900, `${spacing} ${words(given)}`);
        assert.equal(basis_s, hours * 3600);
      }
    }),
    { numRuns: 100 },
  );
});

Deno.test("removing an inverter's samples never turns what is unknown into an outage", () => {
  const more = fc.array(quarter, { maxLength: 30 });
  fc.assert(
    fc.property(any_case, fc.boolean(), more, (given, counter, removed) => {
      const before = spansOf({ ...given, counter }, 5);
      const lost = new Set([...given.lost, ...removed]);
      const after = spansOf({ ...given, counter, lost }, 5);
      for (const { from_us, to_us, state } of before) {
        if (state !== "unknown") continue;
        const outages = after.filter((it) =>
          it.state === "forced_outage" && it.from_us < to_us && it.to_us > from_us
        );
        assert.deepEqual(outages, [], words(given));
      }
    }),
    { numRuns: 200 },
  );
});

function words({ out, power, counter, lost }: Case): string {
  return JSON.stringify({ out, power, counter, lost: [...lost] });
}
