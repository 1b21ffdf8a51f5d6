// Why an inverter is red, in a sentence.
import { equal } from "node:assert/strict";
import { verdictOf, type WhyFacts, whySentence } from "../../../src/web/inverters/why.ts";
import type { LostSpan, StateSpan } from "../../../src/web/inverters/states.ts";
import { inverters_en } from "../../../src/web/words/en/inverters.ts";

const hour = 3_600_000;

const fine: StateSpan = {
  from_ms: 0,
  to_ms: 9 * hour,
  state: "full_capability",
  evidence: "status",
  detail: "status 1",
};

const facts: WhyFacts = {
  from_ms: 4 * hour,
  to_ms: 5 * hour,
  until_ms: 9 * hour,
  shortfall: 0.01,
  against_peers: 0,
  lost_wh: 10,
  expected_wh: 1000,
  is_early: false,
  is_dark: false,
  is_measured: true,
  states: [fine],
  losses: [],
  alarms: [],
  issues: [],
};

const trip = {
  name: "Inverter trip",
  labels: ["Overcurrent"],
  is_outage: true,
  raised_ms: 3 * hour,
  cleared_ms: undefined,
};

const format = {
  percent: (part: number) => `${Math.round(part * 100)} %`,
  energy: (wh: number) => `${wh / 1000} kWh`,
  time: (at_ms: number) => `${at_ms / hour}:00`,
};

const sentence = (more: Partial<WhyFacts>) =>
  whySentence({ ...facts, ...more }, inverters_en, format);

function loss(part: LostSpan["part"], more: Partial<LostSpan> = {}): LostSpan {
  return {
    from_ms: 4 * hour,
    to_ms: 5 * hour,
    part,
    energy_wh: 1000,
    evidence: "peers",
    detail: "it makes less than its peers do",
    ...more,
  };
}

Deno.test("nothing is wrong where it makes what is expected", () => {
  equal(sentence({}), "Nothing is wrong: it makes 99 % of what is expected.");
});

Deno.test("an outage is told as a whole, with evidence, alarm, peers, loss and issue", () => {
  const states: StateSpan[] = [
    { ...fine, to_ms: 3 * hour },
    { ...fine, from_ms: 3 * hour, to_ms: 4 * hour, state: "forced_outage", detail: "status 3" },
    { ...fine, from_ms: 4 * hour, to_ms: 6 * hour, state: "forced_outage", detail: "bit 2" },
  ];
  const more = {
    states,
    shortfall: 1,
    against_peers: 1,
    lost_wh: 800_000,
    alarms: [trip],
    issues: [{ number: 7, name: "It trips" }],
  };
  equal(
    sentence(more),
    "It is out of service since 3:00 (forced outage); known by its status (bit 2); the alarm " +
      "“Inverter trip, Overcurrent” stood; its peers run; 800 kWh lost; issue 7 is about it " +
      "(It trips).",
  );
  const over = [...states, { ...fine, from_ms: 6 * hour, to_ms: 9 * hour }];
  equal(
    sentence({ ...more, states: over, alarms: [], issues: [] }),
    "It was out of service from 3:00 to 6:00 (forced outage); known by its status (bit 2); " +
      "its peers run; 800 kWh lost; no issue is open about it.",
  );
});

Deno.test("an override is told with who said so and why", () => {
  const override = { author: "Robin", reason: "flooded" };
  const state = { ...fine, state: "suspended", evidence: "override", override } as const;
  equal(
    sentence({ states: [state], is_measured: false, against_peers: NaN, lost_wh: NaN }),
    "It is out of service since 0:00 (suspended); Robin said so: flooded; no issue is open " +
      "about it.",
  );
});

Deno.test("clouds that all peers have are no fault of this one", () => {
  const more = { shortfall: 0.4, against_peers: 0.02, lost_wh: 50_000 };
  equal(verdictOf({ ...facts, ...more }), "shared");
  equal(
    sentence(more),
    "40 % of what is expected is missing, but its peers miss about as much: clouds or the " +
      "model, not this inverter.",
  );
});

Deno.test("a shortfall of its own says that nothing tells why", () => {
  equal(
    sentence({ shortfall: 0.4, against_peers: 0.3, lost_wh: 50_000 }),
    "40 % of what is expected is missing, and neither a state nor an alarm tells why; it makes " +
      "30 % less than its peers; 50 kWh lost; no issue is open about it.",
  );
});

Deno.test("of several losses the greatest is told; a setpoint is no fault", () => {
  const losses = [
    loss("curtailment", { energy_wh: 900, evidence: "setpoint", detail: null }),
    loss("derate"),
  ];
  equal(
    sentence({ losses, shortfall: 0.13, against_peers: 0.12, lost_wh: 1000 }),
    "13 % of what is expected is missing, by derating; known by comparison with its peers; its " +
      "peers make what is expected of them; 1 kWh lost; no issue is open about it.",
  );
  const clipped = [loss("clipping", { energy_wh: 9000, evidence: "rating" }), loss("derate")];
  equal(verdictOf({ ...facts, losses: clipped, shortfall: 0.1, against_peers: 0.1 }), "loss");
  equal(
    verdictOf({ ...facts, losses: losses.slice(0, 1), shortfall: 0.1, against_peers: 0 }),
    "limited",
  );
  equal(
    sentence({ losses: losses.slice(0, 1) }),
    "A setpoint limits it; known by the power limit.",
  );
});

Deno.test("what goes on is told though its energy is not known yet", () => {
  const losses = [loss("dc", { energy_wh: NaN, evidence: "strings", detail: "string 4" })];
  equal(
    verdictOf({ ...facts, losses, shortfall: 0.2, against_peers: 0.2 }),
    "loss",
  );
});

Deno.test("silence and night are told as such", () => {
  equal(verdictOf({ ...facts, is_measured: false, shortfall: NaN }), "silent");
  equal(verdictOf({ ...facts, is_dark: true }), "dark");
  equal(
    sentence({ is_measured: false, shortfall: NaN, against_peers: NaN }),
    "Nothing of its power was measured, so nothing is known of it; no issue is open about it.",
  );
});

Deno.test("a time that is not over is not taken for a dark one", () => {
  const early = { is_early: true, is_dark: true, is_measured: false, shortfall: NaN };
  equal(sentence(early), "This time is not over yet, and nothing is known of it so far.");
  equal(verdictOf({ ...facts, ...early, alarms: [{ ...trip, raised_ms: 4 * hour }] }), "out");
});

Deno.test("without a model its peers are what it is compared with", () => {
  equal(verdictOf({ ...facts, shortfall: NaN, against_peers: 0.2 }), "alone");
  equal(
    sentence({ shortfall: NaN, against_peers: NaN }),
    "Nothing is wrong: it runs, and there is no model to compare it with.",
  );
});

Deno.test("a cause that explains little of what is missing is not told", () => {
  // A day until 12:03 of 1 MW: 4.42 kWh clipped about eleven, and 800 kWh less than expected now.
  const day = { from_ms: 0, to_ms: 24 * hour, until_ms: 12 * hour + 180_000 };
  const clipped = loss("clipping", {
    from_ms: 11 * hour,
    to_ms: 11.25 * hour,
    energy_wh: 4420,
    evidence: "rating",
  });
  const more = { ...day, losses: [clipped], expected_wh: 4_000_000 };
  equal(
    sentence({ ...more, shortfall: 0.2, against_peers: 0.19, lost_wh: 800_000 }),
    "20 % of what is expected is missing, and neither a state nor an alarm tells why; its peers " +
      "make what is expected of them; 800 kWh lost; no issue is open about it.",
  );
  equal(
    verdictOf({ ...facts, ...more, shortfall: 0.2, against_peers: 0.02, lost_wh: 800_000 }),
    "shared",
  );
  equal(verdictOf({ ...facts, ...more, shortfall: 0.01, against_peers: 0 }), "fine");
  const little = [loss("dc", { from_ms: 11 * hour, to_ms: 12 * hour, energy_wh: 20_000 })];
  const missing = { shortfall: 0.2, against_peers: 0.19, lost_wh: 800_000 };
  equal(verdictOf({ ...facts, ...more, ...missing, losses: little }), "alone");
  // Where clipping is a good part of what was expected, it is the answer.
  const long = [loss("clipping", { energy_wh: 200_000, evidence: "rating", to_ms: 9 * hour })];
  equal(verdictOf({ ...facts, ...more, losses: long, shortfall: 0.01 }), "limited");
});

Deno.test("a trip in the quarter-hour comes first, before its state is known", () => {
  const minute = hour / 60;
  // Tripped 12:01:30 for five minutes; looked at 12:07.
  const more = {
    from_ms: 12 * hour,
    to_ms: 12.25 * hour,
    until_ms: 12 * hour + 7 * minute,
    states: [{ ...fine, to_ms: 12 * hour }],
    shortfall: 0.6,
    against_peers: 0.1,
    lost_wh: NaN,
    expected_wh: NaN,
  };
  const time = (at_ms: number) => new Date(at_ms).toISOString().slice(11, 16);
  const say = (alarms: WhyFacts["alarms"]) =>
    whySentence({ ...facts, ...more, alarms }, inverters_en, { ...format, time });
  const tripped = { ...trip, raised_ms: 12 * hour + 90_000, cleared_ms: 12 * hour + 390_000 };
  equal(
    say([tripped]),
    "It was out of service from 12:01 to 12:06 (Inverter trip, Overcurrent); " +
      "no issue is open about it.",
  );
  const graver = { ...tripped, name: "Fire", labels: [], is_outage: false };
  equal(
    say([graver, { ...tripped, cleared_ms: undefined }]),
    "It is out of service since 12:01 (Inverter trip, Overcurrent); one more alarm stood; " +
      "no issue is open about it.",
  );
});

Deno.test("of a whole day an outage that is long over and cost little is not the answer", () => {
  const day = { from_ms: 0, to_ms: 24 * hour, until_ms: 9 * hour, lost_wh: 500_000 };
  const states: StateSpan[] = [
    { ...fine, to_ms: hour },
    { ...fine, from_ms: hour, to_ms: 1.25 * hour, state: "forced_outage" },
    { ...fine, from_ms: 1.25 * hour },
  ];
  const over = [{ ...trip, raised_ms: hour, cleared_ms: 1.25 * hour }];
  const more = { ...facts, ...day, states, alarms: over, shortfall: 0.2, against_peers: 0.2 };
  equal(verdictOf(more), "alone");
  const cost = { from_ms: hour, to_ms: 1.25 * hour, energy_wh: 300_000 };
  equal(verdictOf({ ...more, losses: [loss("unavailability", cost)] }), "out");
});

Deno.test("an outage is not charged with what the rest of the day lost", () => {
  const day = { from_ms: 0, to_ms: 24 * hour, until_ms: 9 * hour, lost_wh: 43_300 };
  const since = { ...trip, raised_ms: 8.5 * hour };
  const more = { ...day, alarms: [since], shortfall: 0.05, against_peers: 0.05 };
  equal(
    sentence(more),
    "It is out of service since 8.5:00 (Inverter trip, Overcurrent); no issue is open about it.",
  );
  const cost = loss("unavailability", {
    from_ms: 8.25 * hour,
    to_ms: 8.75 * hour,
    energy_wh: 9000,
  });
  equal(
    sentence({ ...more, losses: [cost] }),
    "It is out of service since 8.5:00 (Inverter trip, Overcurrent); 9 kWh lost; " +
      "no issue is open about it.",
  );
});

Deno.test("with an alarm it is neither acquitted nor said that no alarm tells", () => {
  const alarms = [{ ...trip, name: "Inverter derated", labels: [], is_outage: false }];
  equal(
    sentence({ alarms, shortfall: 0.4, against_peers: 0.02 }),
    "40 % of what is expected is missing; the alarm “Inverter derated” stood; " +
      "its peers make as little.",
  );
  equal(
    sentence({ alarms, shortfall: 0.4, against_peers: 0.4 }),
    "40 % of what is expected is missing; the alarm “Inverter derated” stood; its peers make " +
      "what is expected of them; 0.01 kWh lost; no issue is open about it.",
  );
  equal(
    sentence({ alarms }),
    "It makes 99 % of what is expected; the alarm “Inverter derated” stood.",
  );
});
