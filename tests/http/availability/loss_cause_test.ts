// What other losses are made of, over HTTP: causes with their evidence, and what nothing tells of.
import { deepEqual, equal, ok } from "node:assert/strict";
import { type Faults, fullEnergy, sunAt, sunnyService, within } from "../../help/sunny.ts";

const peers = { b: {}, c: {}, d: {} };

type More = Partial<Parameters<typeof sunnyService>[0]> & {
  /** Overrides, of all inverters but where `of` says otherwise. */
  readonly overrides?: readonly Readonly<Record<string, unknown> & { of?: string[] }>[];
};

/** The account of inverter `a`, and what tells of it. */
async function accountOf(a: Faults, { overrides = [], ...more }: More = {}) {
  const service = await sunnyService({
    inverters: { a, ...peers },
    spacing: 5,
    expects: true,
    ...more,
  });
  for (const { of = ["a", "b", "c", "d"], ...override } of overrides) {
    const response = await service.fetch(
      `/platform/v1/availability/overrides?project_id=${service.project_id}`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          hierarchy_ids: of.map(service.of),
          from: "2026-06-01T00:00:00Z",
          to: "2026-06-02T00:00:00Z",
          reason: "seen",
          ...override,
        }),
      },
    );
    equal(response.status, 201, await response.text());
  }
  await service.settle();
  const rows = await service.rows("losses?include=causes");
  const timeline = await service.rows("losses/timeline");
  const site = await service.rows("losses?include=causes&group_by=project_id&time_interval=Full");
  await service.close();
  for (const row of [...rows, ...site]) {
    const whole = parts.reduce((sum, name) => sum + Number(row[name]), 0);
    near(whole, Number(row.expected_energy), 1e-3);
    const others = causes.reduce((sum, name) => sum + Number(row[name]), 0);
    near(others, Number(row.other_loss), 1e-3);
  }
  const own = rows.find((row) => row.hierarchy_id === service.of("a"))!;
  const spans = timeline.filter((row) => row.hierarchy_id === service.of("a"));
  for (const [part, name] of columns) {
    const told = spans.filter((row) => row.part === part)
      .reduce((sum, { energy }) => sum + Number(energy), 0);
    near(told, Number(own[name]), 1e-3);
  }
  return { own, spans };
}

const causes = [
  ...["grid_loss", "dc_loss", "derate_loss", "snow_loss", "soiling_loss", "unknown_loss"],
];
const parts = [
  ...["produced_energy", "unavailability_loss", "curtailment_loss", "clipping_loss"],
  ...causes,
];
const columns = [
  ["unavailability", "unavailability_loss"],
  ["grid", "grid_loss"],
  ["dc", "dc_loss"],
  ["derate", "derate_loss"],
  ["snow", "snow_loss"],
  ["soiling", "soiling_loss"],
  ["unmeasured", "unmeasured_energy"],
] as const;

/** The whole day's energy of an inverter that works. */
const whole_wh = fullEnergy("05:00", "19:30");

function near(found: unknown, wanted: number, tolerance = whole_wh * 0.002): void {
  ok(Math.abs(Number(found) - wanted) <= tolerance, `${found} is not near ${wanted}`);
}

const share = (value: number, isSo: (ms: number) => boolean) => (ms: number) =>
  isSo(ms) ? value : 1;
const words = (row: Record<string, unknown>) =>
  `${String(row.from).slice(11, 16)}..${String(row.to).slice(11, 16)} ${row.part} ${row.evidence}`;

for (const spacing of [1, 5, 15]) {
  Deno.test(`missing readings are no loss, every ${spacing} minutes`, async () => {
    const isMute = within("10:00", "14:00");
    const { own, spans } = await accountOf({
      power: (ms, { power_w }) => isMute(ms) ? undefined : power_w,
      counter: null,
    }, { spacing });
    const silent_wh = fullEnergy("10:00", "14:00");
    near(own.unmeasured_energy, silent_wh);
    near(own.expected_energy, whole_wh - silent_wh);
    near(own.produced_energy, whole_wh - silent_wh);
    near(own.other_loss, 0);
    deepEqual(spans.map(words), ["10:00..14:00 unmeasured none"]);
  });

  Deno.test(`a gap with a counter has an account, every ${spacing} minutes`, async () => {
    const isMute = within("10:00", "14:00");
    const { own } = await accountOf({
      works: share(0, within("12:00", "13:00")),
      power: (ms, { power_w }) => isMute(ms) ? undefined : power_w,
      counter: (ms, { counter_wh }) => isMute(ms) ? undefined : counter_wh,
    }, { spacing });
    equal(own.unmeasured_energy, 0);
    near(own.expected_energy, whole_wh);
    near(own.unavailability_loss, fullEnergy("12:00", "13:00"));
    near(own.other_loss, 0);
  });

  Deno.test(`an inverter below its peers is derated, every ${spacing} minutes`, async () => {
    const isDerated = within("10:00", "12:00");
    const { own, spans } = await accountOf({ works: share(0.7, isDerated) }, { spacing });
    near(own.derate_loss, 0.3 * fullEnergy("10:00", "12:00"));
    near(own.unknown_loss, 0);
    deepEqual(spans.map(words), ["10:00..12:00 derate peers"]);
  });
}

Deno.test("what all inverters lack is no derate, and nothing says why", async () => {
  const works = () => 0.9;
  const { own, spans } = await accountOf({ works }, {
    inverters: { a: { works }, b: { works }, c: { works }, d: { works } },
  });
  near(own.derate_loss, 0);
  near(own.unknown_loss, 0.1 * whole_wh);
  deepEqual(spans, []);
});

Deno.test("a grid outage takes what was expected meanwhile", async () => {
  const works = share(0, within("11:00", "13:00"));
  const { own, spans } = await accountOf({ works }, {
    inverters: { a: { works }, b: { works }, c: { works }, d: { works } },
    overrides: [{
      state: "out_of_electrical_specification",
      from: "2026-06-01T11:00:00Z",
      to: "2026-06-01T13:00:00Z",
    }],
  });
  near(own.grid_loss, fullEnergy("11:00", "13:00"));
  near(own.unknown_loss, 0);
  deepEqual(spans.map(words), ["11:00..13:00 grid override"]);
});

Deno.test("a string without current is the DC side's loss", async () => {
  const { own, spans } = await accountOf({ works: () => 0.75 }, {
    devices: [1, 2, 3, 4].map((n) => ({ key: `s${n}`, type: "combiner", parent: "a" })),
    sensors: [1, 2, 3, 4].map((n) => ({ tag: `s${n}`, device: `s${n}`, measure: "dc_current" })),
    more: (ms) =>
      [1, 2, 3, 4].map((
        n,
      ) => [`s${n}`, n === 4 ? 0 : Math.max(0, Math.sin((ms % 864e5) / 27.5e6))]),
  });
  near(own.dc_loss, 0.25 * whole_wh, whole_wh * 0.02);
  ok(spans.some((row) => row.part === "dc" && row.detail === "below its siblings: s4"));
});

Deno.test("declared soiling and snow take no more than what is missing", async () => {
  const works = () => 0.95;
  const inverters = { a: { works }, b: { works }, c: { works: () => 0.98 }, d: { works } };
  const { own, spans } = await accountOf({ works }, {
    inverters,
    overrides: [{ loss: "soiling", share: 0.04 }, { loss: "snow", share: 0.3, of: ["c"] }],
  });
  near(own.soiling_loss, 0.04 * whole_wh);
  near(own.unknown_loss, 0.01 * whole_wh);
  deepEqual(spans.map(({ part, evidence, detail }) => [part, evidence, detail]), [
    ["soiling", "declared", "seen (test)"],
  ]);
});

for (const spacing of [1, 5, 15]) {
  Deno.test(`curtailment names its tag and limit, each ${spacing} min`, async () => {
    const isLimited = within("10:00", "14:00");
    // All of 4 MW may give 1.2 MW, and inverter a by itself 20 % of 1 MW from 12:00.
    const { own, spans } = await accountOf({ works: (ms) => worksUnder(ms, isLimited) }, {
      spacing,
      devices: [{ key: "plant", type: "system" }],
      sensors: [
        { tag: "ppc.limit", device: "plant", measure: "active_power_setpoint" },
        { tag: "a.pct", device: "a", measure: "active_power_setpoint_ac_pct" },
      ],
      more: (ms) => [
        ["ppc.limit", isLimited(ms) ? 1.2e6 : 4e6],
        ["a.pct", within("12:00", "14:00")(ms) ? 20 : 100],
      ],
    });
    ok(Number(own.curtailment_loss) > 0);
    deepEqual(
      spans.filter(({ part }) => part === "curtailment")
        .map(({ from, to, evidence, detail }) => [
          ...[from, to].map((it) => String(it).slice(11, 16)),
          evidence,
          detail,
        ]),
      [
        ["10:00", "12:00", "setpoint", "ppc.limit at 1.2 MW"],
        ["12:00", "14:00", "setpoint", "a.pct at 20 %"],
      ],
    );
  });
}

/** Under a limit an inverter of 1 MW makes what the limit leaves it. */
function worksUnder(ms: number, isLimited: (ms: number) => boolean): number {
  if (!isLimited(ms)) return 1;
  const limit_w = within("12:00", "14:00")(ms) ? 200_000 : 300_000;
  return Math.min(1, limit_w / (sunAt(ms) * 900));
}
