// Gaps in communication: what the energy counter says of them, and when nothing does.
import assert from "node:assert/strict";
import type { InverterFacts } from "../../../src/model/availability/fact.ts";
import { bright, inverter, silentIn, spansOf, words } from "../../help/inverter.ts";

Deno.test("a gap is available as far as the counter says it produced", () => {
  const gap = (wh: number, quarters = 2) =>
    inverter((facts) => {
      silentIn(2, 2 + quarters)(facts);
      facts.energy_wh[2 + quarters] += wh;
    });
  const found = (own: InverterFacts) => spansOf([own, inverter(), inverter()])[1];
  assert.equal(found(gap(25_000)).unavailable, 0);
  assert.equal(found(gap(25_000)).state, "full_capability");
  assert.equal(found(gap(25_000)).evidence, "counter");
  assert.equal(found(gap(7_500)).unavailable, 0.7);
  assert.equal(found(gap(7_500)).state, "forced_outage");
  assert.equal(found(gap(0)).unavailable, 1);
  assert.deepEqual(words([found(gap(50_000))]), ["2..4 full_capability counter"]);
  // Over the dark hour: six quarter-hours of daylight before it, two after.
  assert.equal(found(gap(50_000, 12)).unavailable, 0.5);
});

Deno.test("a gap without a counter, an end or a beginning is unknown", () => {
  const without = { ...inverter(silentIn(2, 4)), has_counter: false };
  assert.equal(words(spansOf([without, inverter()]))[1], "2..4 unknown none");
  assert.equal(words(spansOf([inverter(silentIn(18, 20)), inverter()]))[2], "18..20 unknown none");
  assert.equal(words(spansOf([inverter(silentIn(0, 2)), inverter()]))[0], "0..2 unknown none");
});

Deno.test("a gap over dark, or while the peers stood still in dim light, is the weather's", () => {
  const poa = bright.slice();
  poa.fill(20, 0, 3);
  const gap = inverter(silentIn(1, 4));
  assert.deepEqual(words(spansOf([gap, inverter()], { poa })).slice(0, 3), [
    "0..1 full_capability power",
    "1..3 out_of_environmental_specification peers",
    "3..4 forced_outage counter",
  ]);
  const still = inverter(({ power_w }) => power_w.fill(500));
  // Under a good sun it is not the weather that stops them all.
  assert.equal(words(spansOf([gap, still]))[1], "1..4 unknown none");
  const unmeasured = bright.slice().fill(NaN);
  assert.equal(
    words(spansOf([gap, still], { poa: unmeasured }))[1],
    "1..4 out_of_environmental_specification peers",
  );
});

Deno.test("a gap of the whole plant is judged by its counters against each other", () => {
  const gap = (wh: number) =>
    inverter((facts) => {
      silentIn(2, 6)(facts);
      facts.energy_wh[6] += wh;
    });
  const spans = spansOf([gap(25_000), gap(50_000), gap(50_000)]);
  assert.equal(spans[1].unavailable, 0.5);
});

Deno.test("a gap that ends within a quarter-hour counts what its power does not show", () => {
  const own = inverter((facts) => {
    silentIn(2, 4)(facts);
    // Two thirds of the resuming quarter-hour were silent too, and nothing was made in them.
    facts.covered[4] = 1 / 3;
    facts.energy_wh[4] = 12_500 / 3 + 25_000;
  });
  const { unavailable } = spansOf([own, inverter()])[1];
  assert.ok(Math.abs(unavailable! - 0.25) < 1e-12, String(unavailable));
});
