// The pure decision: states from evidence, spans and their sums, and the worked example.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Evidence,
  evidences,
  layClaims,
  type State,
  type StateSpan,
  sumSpans,
} from "../../../src/model/availability/availability.ts";
import { type InverterFacts, noFacts, sceneOf } from "../../../src/model/availability/fact.ts";
import { Inference } from "../../../src/model/availability/infer.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { sunlightOf } from "../../../src/model/time/daylight.ts";
import { claimsOf, nothing_held } from "../../../src/model/availability/state_code.ts";
import {
  bright,
  claim,
  hour,
  inverter,
  judgeLosses,
  noon,
  scene,
  silentIn,
  spansOf,
  words,
} from "../../help/inverter.ts";
import vector from "../../vectors/availability.json" with { type: "json" };

const us = (text: string) => Date.parse(text) * 1000;

Deno.test("power makes full capability, over daylight alone", () => {
  assert.deepEqual(words(spansOf([inverter()])), [
    "0..8 full_capability power",
    "12..20 full_capability power",
  ]);
});

Deno.test("no power while half of the peers produce is a forced outage", () => {
  const down = inverter(({ power_w }) => power_w.fill(400, 2, 4));
  const idle = inverter(({ power_w }) => power_w.fill(1000));
  const found = (peers: InverterFacts[], poa = bright) =>
    words(spansOf([down, ...peers], { poa }))[1];
  assert.equal(found([inverter(), idle]), "2..4 forced_outage peers");
  assert.equal(found([inverter(), idle, idle]), "2..4 unknown none");
  assert.equal(found([]), "2..4 unknown none");
  const dark = new Float64Array(scene.count).fill(50);
  assert.equal(found([inverter()], dark), "2..4 out_of_environmental_specification power");
});

Deno.test("where no irradiance is measured peers tell light, and the sun's edge dark", () => {
  const down = inverter(({ power_w }) => power_w.fill(0));
  const none = new Float64Array(scene.count).fill(NaN);
  assert.deepEqual(words(spansOf([down, inverter()], { poa: none })), [
    "0..8 forced_outage peers",
    "12..20 forced_outage peers",
  ]);
  assert.deepEqual(words(spansOf([down, down], { poa: none })).slice(0, 1), [
    "0..8 out_of_environmental_specification power",
  ]);
  const long = sceneOf([{ day: 1, light: [{ from_us: noon, to_us: noon + 3 * hour }] }], Infinity);
  const idle = { ...noFacts(long, { capacity_w: 1, has_counter: false }) };
  idle.heard.fill(1);
  idle.power_w.fill(0);
  const poaOf = () => new Float64Array(long.count).fill(NaN);
  const [{ spans }] = new Inference({ scene: long, inverters: [idle], poaOf }).daysOf(0, []);
  assert.deepEqual(words(spans), [
    "0..4 out_of_environmental_specification power",
    "4..8 unknown none",
    "8..12 out_of_environmental_specification power",
  ]);
});

Deno.test("a setpoint that holds an inverter is service, down to none", () => {
  const held = inverter(({ model_wh, setpoint_wh, power_w }) => {
    model_wh.fill(20_000);
    setpoint_wh.fill(12_500, 0, 2).fill(0, 2, 4).fill(20_000, 4);
    power_w.fill(0, 2, 4);
  });
  assert.deepEqual(words(spansOf([held])).slice(0, 3), [
    "0..2 service_setpoint power",
    "2..4 service_setpoint power",
    "4..8 full_capability power",
  ]);
});

Deno.test("no power under a setpoint that allows some is an outage", () => {
  const held = inverter(({ model_wh, setpoint_wh, power_w }) => {
    model_wh.fill(20_000);
    setpoint_wh.fill(10_000);
    power_w.fill(0, 0, 4);
  });
  assert.equal(words(spansOf([held, inverter()]))[0], "0..4 forced_outage peers");
});

Deno.test("stronger evidence holds, at its exact instants", () => {
  const at = (minute: number) => noon + minute * 60_000_000 + 7;
  const claims = [
    claim(at(10), at(50), "forced_outage", "status"),
    claim(at(20), at(30), "out_of_electrical_specification", "grid"),
    claim(at(25), at(40), "scheduled_maintenance", "work_order"),
    claim(at(35), at(45), "full_capability", "override"),
    claim(at(0), at(600), "forced_outage", "alarm"),
  ];
  const spans = spansOf([inverter()], { claims });
  const found = spans.slice(0, 8).map(({ from_us, evidence }) =>
    `${Math.round((from_us - noon) / 60e6)} ${evidence}`
  );
  assert.deepEqual(found, [
    "0 power",
    "0 alarm",
    "10 status",
    "20 grid",
    "25 work_order",
    "35 override",
    "45 status",
    "50 alarm",
  ]);
  assert.equal(spans[1].from_us, at(0));
});

Deno.test("spans cover the daylight, and sums are those of the spans", () => {
  const instant = fc.integer({ min: -60, max: 320 }).map((minute) => noon + minute * 60_000_000);
  const any_claim = fc.record({
    from_us: instant,
    to_us: instant,
    state: fc.constantFrom<State>("forced_outage", "unknown", "suspended", "full_capability"),
    evidence: fc.constantFrom<Evidence>("override", "work_order", "grid", "status", "alarm"),
  }).filter(({ from_us, to_us }) => from_us < to_us)
    .map(({ from_us, to_us, state, evidence }) => claim(from_us, to_us, state, evidence));
  const base = spansOf([inverter()]);
  fc.assert(fc.property(fc.array(any_claim, { maxLength: 8 }), (claims) => {
    const spans = layClaims(base, claims);
    const sums = sumSpans(spans);
    assert.equal(Math.round(sums.daylight_s), 4 * 3600);
    for (let at = noon; at < noon + 5 * hour; at += 60_000_000) {
      const here = (span: StateSpan) => span.from_us <= at && at < span.to_us;
      if (!base.some(here)) continue;
      const strongest = claims.filter(here)
        .toSorted((a, b) => evidences.indexOf(b.evidence) - evidences.indexOf(a.evidence)).at(-1);
      const [found, ...others] = spans.filter(here);
      assert.equal(others.length, 0);
      assert.equal(found.evidence, strongest?.evidence ?? "power");
      assert.equal(found.state, strongest?.state ?? "full_capability");
    }
  }));
});

Deno.test("codes speak minute by minute; working codes stand against event bits", () => {
  const facts = inverter(silentIn(5, 6));
  const codes = {
    status: new Map<number, State>([[4, "full_capability"], [7, "forced_outage"]]),
    events: new Map<number, State>([[2, "forced_outage"], [4, "out_of_electrical_specification"]]),
  };
  const held = (rows: readonly (readonly [at: number, code: number, minutes?: number])[]) => ({
    quarter: rows.map(([at]) => scene.from + at),
    code: rows.map(([, code]) => code),
    minutes: rows.map(([, , minutes = 0x7fff]) => minutes),
  });
  const said = {
    status: held([[0, 4], [1, 4, 0x7], [1, 7, 0x7ff8], [2, 7], [5, 7], [6, 1]]),
    events: held([[0, 2], [2, 2, 0xff], [2, 4, 0xf], [6, 2, 0x1]]),
  };
  const found = claimsOf(said, { codes, facts, scene }).toSorted((a, b) => a.from_us - b.from_us)
    .map(({ from_us, to_us, state, detail }) =>
      `${(from_us - noon) / 60e6}..${(to_us - noon) / 60e6} ${state} ${detail}`
    );
  assert.deepEqual(found, [
    "0..18 full_capability status 4",
    "18..30 forced_outage status 7",
    "30..34 out_of_electrical_specification event bit 4",
    "34..38 forced_outage event bit 2",
    "38..45 forced_outage status 7",
    "90..91 forced_outage event bit 2",
  ]);
});

Deno.test("a derate by a setpoint is service", () => {
  const facts = inverter(({ model_wh, setpoint_wh }) => {
    model_wh.fill(20_000);
    setpoint_wh.fill(20_000).fill(10_000, 1);
  });
  const codes = { status: new Map<number, State>([[5, "partial_capability"]]), events: new Map() };
  const status = {
    quarter: [scene.from, scene.from + 1],
    code: [5, 5],
    minutes: [0x7fff, 0x7fff],
  };
  const states = claimsOf({ status, events: nothing_held }, { codes, facts, scene })
    .map((it) => it.state);
  assert.deepEqual(states, ["partial_capability", "service_setpoint"]);
});

Deno.test("the parts of the expected energy make no more than the whole", () => {
  const facts = inverter((it) => {
    it.model_wh.fill(20_000);
    it.setpoint_wh.fill(20_000).fill(15_000, 2, 4);
    it.clipped_wh.fill(1_000);
    it.light_energy_wh.fill(0, 4, 6);
    it.power_w.fill(0, 4, 6);
  });
  const spans = spansOf([facts, inverter()]);
  assert.deepEqual(judgeLosses(facts, spans).energy, {
    expected_wh: 16 * 21_000,
    produced_wh: 14 * 12_500,
    unavailable_wh: 2 * 21_000,
    curtailed_wh: 2 * 5_000,
    clipped_wh: 14 * 1_000,
    grid_wh: 0,
    dc_wh: 0,
    derate_wh: 0,
    snow_wh: 0,
    soiling_wh: 0,
    unmeasured_wh: 0,
  });
  assert.equal(judgeLosses(inverter(), spans).energy.expected_wh, null);
});

for (const it of vector.cases) {
  Deno.test(`availability of ${it.name}`, () => {
    const place = { latitude: it.lat, longitude: it.lon, timezone: it.tz };
    const day = dayNumber(it.day);
    const scene = sceneOf([{ day, light: sunlightOf(place, day) }], Infinity);
    const facts = it.inverters.map(({ capacity }) => {
      const capacity_w = capacity === null ? null : capacity * 1000;
      const facts = noFacts(scene, { capacity_w, has_counter: false });
      facts.heard.fill(1);
      facts.power_w.fill(1e6);
      return facts;
    });
    const poaOf = () => new Float64Array(scene.count).fill(500);
    const inference = new Inference({ scene, inverters: facts, poaOf });
    let [known_kwh, lost_kwh] = [0, 0];
    it.inverters.forEach(({ capacity, states, ...wanted }, n) => {
      const claims = states.map(({ state, from, to }) =>
        claim(us(from), us(to), state as State, "override")
      );
      const [{ spans }] = inference.daysOf(n, claims);
      const { daylight_s, basis_s, unavailable_s } = sumSpans(spans);
      near(daylight_s / 3600, it.daylight_hours, 0.002);
      const capacity_hours = (capacity ?? 0) * basis_s / 3600;
      const unavailable_hours = (capacity ?? 0) * unavailable_s / 3600;
      near(capacity_hours, wanted.capacity_hours, it.tolerance.capacity_hours);
      near(unavailable_hours, wanted.unavailable_capacity_hours, it.tolerance.capacity_hours);
      if (wanted.availability === null) assert.equal(capacity_hours, 0);
      else near(1 - unavailable_hours / capacity_hours, wanted.availability, 1e-4);
      known_kwh += capacity_hours;
      lost_kwh += unavailable_hours;
    });
    near(known_kwh, it.project.capacity_hours, 2 * it.tolerance.capacity_hours);
    near(1 - lost_kwh / known_kwh, it.project.availability, it.tolerance.availability);
  });
}

function near(found: number, wanted: number, tolerance: number): void {
  assert.ok(Math.abs(found - wanted) <= tolerance, `${found} is not near ${wanted}`);
}
