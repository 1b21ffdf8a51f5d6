// One watchpoint: what each kind of condition shows, and when a machine raises and clears.
import assert from "node:assert/strict";
import type { Condition } from "../../../src/model/rules/kinds.ts";
import type { Rule, Watchpoint } from "../../../src/model/rules/rule.ts";
import type { Transition } from "../../../src/model/rules/state_machine.ts";
import { Follower } from "../../../src/model/rules/series.ts";
import { above, testPoint, testRule } from "../../help/rule.ts";

const second_us = 1_000_000;

type Seen = readonly [at_s: number, value: number | bigint | string | null, expected?: number];

/** What a rule reports samples (seconds, value), as text; `wait_s`: then looks at the clock. */
function told(
  condition: Condition,
  samples: readonly Seen[],
  { wait_s, begun_s, point = {}, ...rule }: Partial<Rule> & {
    wait_s?: number;
    begun_s?: number;
    point?: Partial<Watchpoint>;
  } = {},
): string[] {
  const begun_us = begun_s === undefined ? undefined : begun_s * second_us;
  const follower = new Follower(testPoint(testRule(condition, rule), point), { begun_us });
  const all = samples.flatMap(([at_s, value, expected]) =>
    follower.see({ ts_us: at_s * second_us, value, expected })
  );
  if (wait_s !== undefined) all.push(...follower.wait(wait_s * second_us));
  return all.map(textOf);
}

function textOf(it: Transition): string {
  const source = it.source_ts === null ? "-" : it.source_ts / second_us;
  const peak = it.peak_value === null ? "" : ` peak ${it.peak_value}@${it.peak_at! / second_us}`;
  const labels = it.decoded_labels.length > 0 ? ` [${it.decoded_labels.join(", ")}]` : "";
  const value = Number(it.value.toFixed(6));
  return `${it.kind} ${it.at_us / second_us} of ${source}: ${value}${peak}${labels}`;
}

Deno.test("a threshold raises at the first value beyond, clears at the next within", () => {
  assert.deepEqual(told(above(), [[0, 9], [1, 10], [2, 11], [3, 15], [4, 12], [5, 10], [6, 9]]), [
    "raise 2 of 2: 11 peak 11@2",
    "clear 5 of 2: 10 peak 15@3",
  ]);
  const below = above({ operator: "<=" });
  assert.deepEqual(told(below, [[0, 11], [1, 10], [2, 3], [3, 10.5]]), [
    "raise 1 of 1: 10 peak 10@1",
    "clear 3 of 1: 10.5 peak 3@2",
  ]);
});

Deno.test("a deadband is left before a threshold clears, and is no part of its raising", () => {
  const banded = above({ deadband: 2 });
  assert.deepEqual(told(banded, [[0, 9], [1, 11], [2, 9], [3, 8.1], [4, 8], [5, 9], [6, 11]]), [
    "raise 1 of 1: 11 peak 11@1",
    "clear 4 of 1: 8 peak 11@1",
    "raise 6 of 6: 11 peak 11@6",
  ]);
});

const band: Condition = { kind: "outside", low: 0, high: 10, deadband: 2 };

Deno.test("a band raises above and below it, clears within by the deadband", () => {
  assert.deepEqual(told(band, [[0, 0], [1, 10], [2, 10.5], [3, 12], [4, 8.5], [5, 8]]), [
    "raise 2 of 2: 10.5 peak 10.5@2 [above]",
    "clear 5 of 2: 8 peak 12@3 [above]",
  ]);
  assert.deepEqual(told(band, [[0, -1], [1, -4], [2, 1.5], [3, 2], [4, 1]]), [
    "raise 0 of 0: -1 peak -1@0 [below]",
    "clear 3 of 0: 2 peak -4@1 [below]",
  ]);
});

Deno.test("both sides of a band are one alarm, named by both, its peak the furthest out", () => {
  assert.deepEqual(told(band, [[0, 11], [1, -3], [2, 12], [3, 5]]), [
    "raise 0 of 0: 11 peak 11@0 [above]",
    "labels 1 of 0: -3 peak -3@1 [above, below]",
    "clear 3 of 0: 5 peak -3@1 [above, below]",
  ]);
  assert.deepEqual(told(band, [[0, 11], [6, -3], [10, -1]], { on_delay_s: 10 }), [
    "raise 10 of 0: 11 peak -3@6 [above, below]",
  ], "a delay goes on from one side to the other");
});

Deno.test("a band is in the rule's unit, and exact for an Int64", () => {
  const point = { scale: 2, offset: -1 };
  assert.deepEqual(told(band, [[0, 5], [1, 6]], { point }), ["raise 1 of 1: 11 peak 11@1 [above]"]);
  const wide: Condition = { ...band, high: 2 ** 53, deadband: 0 };
  assert.deepEqual(told(wide, [[0, 2n ** 53n], [1, 2n ** 53n + 1n]]).length, 1);
  const nothing: Seen[] = [[0, null], [1, NaN], [2, "on"], [3, Infinity]];
  assert.deepEqual(told(band, nothing), []);
});

Deno.test("a fraction or a number beyond 2^53 is no code: the code before it is over", () => {
  const labels = new Map<number, string>();
  const samples: Seen[] = [[0, 17], [1, 17.5], [2, 17n], [3, -(2n ** 63n) + 1n], [4, 0]];
  for (const codes of [new Set([17]), "points"] as const) {
    const turns = told({ kind: "enum", codes, labels }, samples).map((it) => it.split(" of")[0]);
    assert.deepEqual(turns, ["raise 0", "clear 1", "raise 2", "clear 3"]);
  }
});

Deno.test("a value is held in the rule's unit, an Int64 without a scale exactly", () => {
  assert.deepEqual(told(above(), [[0, 4], [1, 6]], { point: { scale: 2, offset: -1 } }), [
    "raise 1 of 1: 11 peak 11@1",
  ]);
  const edge = above({ threshold: 2 ** 53 });
  assert.deepEqual(told(edge, [[0, 2n ** 53n], [1, 2n ** 53n + 1n]]).length, 1);
});

Deno.test("an on delay counts from the first sample that shows the condition", () => {
  const delay = { on_delay_s: 10 };
  assert.deepEqual(told(above(), [[0, 11], [5, 12], [9, 9], [12, 11], [22, 11]], delay), [
    "raise 22 of 12: 11 peak 11@12",
  ]);
  assert.deepEqual(told(above(), [[0, 11], [30, 12]], delay), ["raise 10 of 0: 11 peak 11@0"]);
});

Deno.test("a later sample proves that a delay had passed, whatever it shows itself", () => {
  const delays = { on_delay_s: 10, off_delay_s: 5 };
  assert.deepEqual(told(above(), [[0, 11], [11, 9], [17, 11], [18, 9]], delays), [
    "raise 10 of 0: 11 peak 11@0",
    "clear 16 of 0: 9 peak 11@0",
  ]);
  assert.deepEqual(told(above(), [[0, 11], [10, 9]], delays), [], "it was gone in time");
});

Deno.test("an off delay counts from the first sample that shows recovery, and starts again", () => {
  const delay = { off_delay_s: 10 };
  assert.deepEqual(told(above(), [[0, 11], [1, 5], [9, 14], [12, 6], [20, 7], [22, 8]], delay), [
    "raise 0 of 0: 11 peak 11@0",
    "clear 22 of 0: 6 peak 14@9",
  ]);
});

Deno.test("the clock ends a delay where no newer sample comes", () => {
  const delays = { on_delay_s: 10, off_delay_s: 10 };
  assert.deepEqual(told(above(), [[0, 11]], { ...delays, wait_s: 9 }), []);
  assert.deepEqual(told(above(), [[0, 11]], { ...delays, wait_s: 10 }), [
    "raise 10 of 0: 11 peak 11@0",
  ]);
});

Deno.test("samples without a number neither show nor end anything", () => {
  const delay = { on_delay_s: 10 };
  const nothing = [[5, null], [11, NaN], [12, Infinity], [13, "on"]] as const;
  assert.deepEqual(told(above(), [[0, 11], ...nothing], delay), []);
  assert.deepEqual(told(above(), [[0, 11], ...nothing, [20, 12]], delay).length, 1);
});

Deno.test("bits of a mask are one alarm, whose labels grow with them", () => {
  const bitmask: Condition = {
    kind: "bitmask",
    mask: 0b1011n | 1n << 63n,
    labels: new Map([[0, "Overtemp"], [1, "Fan"]]),
  };
  assert.deepEqual(told(bitmask, [[0, 0], [1, 0b100], [2, 0b101], [3, 0b11], [4, 0b11], [5, 4]]), [
    "raise 2 of 2: 5 [Overtemp]",
    "labels 3 of 2: 3 [Overtemp, Fan]",
    "clear 5 of 2: 4 [Overtemp, Fan]",
  ]);
  assert.deepEqual(told(bitmask, [[0, -(2n ** 63n)], [1, 0n]]), [
    `raise 0 of 0: ${Number(-(2n ** 63n))} [bit 63]`,
    "clear 1 of 0: 0 [bit 63]",
  ]);
  assert.deepEqual(told(bitmask, [[0, -1]])[0], "raise 0 of 0: -1 [Overtemp, Fan, bit 3, bit 63]");
  assert.deepEqual(told(bitmask, [[0, 1.5], [1, 2 ** 60]]), [], "no word of bits");
});

Deno.test("bits that show while a delay waits are labels of the alarm from its beginning", () => {
  const bitmask: Condition = { kind: "bitmask", mask: 255n, labels: new Map() };
  assert.deepEqual(told(bitmask, [[0, 1], [4, 2], [10, 2], [11, 1]], { on_delay_s: 10 }), [
    "raise 10 of 0: 1 [bit 0, bit 1]",
  ]);
});

Deno.test("another code clears an enum's alarm at once and raises its own", () => {
  const codes: Condition = {
    kind: "enum",
    codes: new Set([3, 5]),
    labels: new Map([[3, "Trip"]]),
  };
  assert.deepEqual(told(codes, [[0, 3], [1, 4], [2, 5], [3, 3n], [9, 3]], { off_delay_s: 5 }), [
    "raise 0 of 0: 3 [Trip]",
    "clear 2 of 0: 5 [Trip]",
    "raise 2 of 2: 5 [5]",
    "clear 3 of 2: 3 [5]",
    "raise 3 of 3: 3 [Trip]",
  ]);
  assert.deepEqual(told(codes, [[0, 3], [5, 5], [14, 5], [16, 3]], { on_delay_s: 10 }), [
    "raise 15 of 5: 5 [5]",
    "clear 16 of 5: 3 [5]",
  ], "each code waits for its own delay");
});

Deno.test("alarm points are every code but 0, named by the device model's list", () => {
  const points: Condition = { kind: "enum", codes: "points", labels: new Map() };
  const point = {
    points: new Map([[17, { label: "Door", severity: null, alarm_class: null, is_nerc: false }]]),
  };
  assert.deepEqual(told(points, [[0, 0], [1, 17], [2, 18], [3, 0]], { point }), [
    "raise 1 of 1: 17 [Door]",
    "clear 2 of 1: 18 [Door]",
    "raise 2 of 2: 18 [Error-18]",
    "clear 3 of 2: 0 [Error-18]",
  ]);
  assert.deepEqual(told(points, [[0, 2n ** 60n], [1, 0.5]], { point }), [], "no code");
});

Deno.test("a tag is stale from its last value and the age on, until a value comes", () => {
  const stale: Condition = { kind: "stale", max_age_s: 60 };
  assert.deepEqual(told(stale, [[0, 1], [60, 1], [121, 2]]), [
    "raise 120 of 60: 60 peak 60@120",
    "clear 121 of 60: 0 peak 61@121",
  ]);
  assert.deepEqual(told(stale, [[0, 1], [30, null], [59, null]], { wait_s: 60 }).length, 1);
  assert.deepEqual(told(stale, [[0, "up"], [50, "up"], [100, "up"]], { wait_s: 150 }), []);
  assert.deepEqual(told(stale, [], { wait_s: 100, begun_s: 40 }), [
    "raise 100 of -: 60 peak 60@100",
  ]);
  assert.deepEqual(told(stale, [], { wait_s: 1e6 }), [], "nothing to count from");
});

Deno.test("a stale rule has its delays: a short silence is none, a short return neither", () => {
  const stale: Condition = { kind: "stale", max_age_s: 60 };
  const samples = [[0, 1], [65, 1], [200, 1], [205, 1], [270, 1]] as const;
  assert.deepEqual(
    told(stale, samples, { on_delay_s: 10, off_delay_s: 100 }),
    [
      "raise 135 of 65: 60 peak 60@125",
      "clear 370 of 65: 0 peak 135@200",
    ].slice(0, 1),
  );
});

Deno.test("a rate of change counts from the newest value that is old enough", () => {
  const rate = (direction: "rising" | "falling" | "both"): Condition => (
    { kind: "rate_of_change", direction, limit_per_min: 10, over_s: 60 }
  );
  const ramp = [[0, 0], [30, 5], [60, 10], [90, 20], [120, 20], [150, 20]] as const;
  assert.deepEqual(told(rate("rising"), ramp), [
    "raise 90 of 90: 15 peak 15@90",
    "clear 120 of 90: 10 peak 15@90",
  ]);
  const fall = ramp.map(([at_s, value]) => [at_s, -value] as const);
  assert.deepEqual(told(rate("rising"), fall), []);
  assert.deepEqual(told(rate("falling"), fall).length, 2);
  assert.deepEqual(told(rate("both"), fall)[0], "raise 90 of 90: -15 peak -15@90");
});

Deno.test("a rate says nothing over a gap or before there is a value to count from", () => {
  const rate: Condition = {
    kind: "rate_of_change",
    direction: "both",
    limit_per_min: 1,
    over_s: 60,
  };
  assert.deepEqual(told(rate, [[0, 0], [59, 1000]]), []);
  assert.deepEqual(told(rate, [[0, 0], [961, 1000]]), []);
  assert.deepEqual(told(rate, [[0, 0], [960, 1000]]).length, 1);
});

Deno.test("a deviation is percent of what is expected; of too little nothing is said", () => {
  const below: Condition = {
    ...{ kind: "deviation", from: "model", side: "below", limit_pct: 20, min_expected: 100 },
    span_minutes: 1,
  };
  assert.deepEqual(
    told(below, [[0, 90, 100], [60, 79, 100], [120, 50, 100], [180, 0, 50], [240, 80, 100]]),
    ["raise 60 of 60: -21 peak -21@60", "clear 240 of 60: -20 peak -50@120"],
  );
  assert.deepEqual(told({ ...below, side: "above" }, [[0, 121, 100]]).length, 1);
  assert.deepEqual(told({ ...below, min_expected: 0 }, [[0, 5, 0], [1, 5, -3]]), []);
});

Deno.test("where little is expected, a deviation's delays begin anew", () => {
  const below: Condition = {
    ...{ kind: "deviation", from: "model", side: "below", limit_pct: 20, min_expected: 100 },
    span_minutes: 1,
  };
  const night: Seen[] = [[60, 0, 0], [600, 0, 0]];
  const dusk: Seen[] = [[0, 50, 100], ...night, [660, 50, 100], [719, 50, 100]];
  assert.deepEqual(told(below, dusk, { on_delay_s: 60 }), []);
  assert.deepEqual(told(below, [...dusk, [720, 50, 100]], { on_delay_s: 60 }).length, 1);
  const gone: Seen[] = [[0, 50, 100], [30, 90, 100], ...night, [660, 90, 100], [719, 90, 100]];
  assert.deepEqual(told(below, gone, { off_delay_s: 60 }).length, 1);
  assert.deepEqual(told(below, [...gone, [720, 90, 100]], { off_delay_s: 60 }).length, 2);
});
