// A real day, from two loggers' files to answers: every figure as pandas works it out by itself.
import assert from "node:assert/strict";
import { openService, version } from "../../../src/app.ts";
import { runCli } from "../../../src/cli/cli.ts";
import type { Service } from "../../../src/engine/service/service.ts";
import { resolveSettings } from "../../../src/model/setting.ts";
import { fakeEffects } from "../../help/effects.ts";
import expected from "../../data/albuquerque/expected.json" with { type: "json" };

const here = new URL("../../data/albuquerque/", import.meta.url).pathname;
const files = ["Baseline6kW_2015_11_11.dat", "MET_2015_11_11.dat"].map((name) => here + name);
const small = ["--memory-mb", "512", "--threads", "1"];

type Row = Record<string, string | number | boolean | null>;
type Day = {
  readonly rows: (path: string, query: Record<string, string>) => Promise<Row[]>;
  readonly performance: (component: string, measure: string, interval: string) => Promise<Row[]>;
  readonly printed: { out: string; err: string };
};

/** Applies the site file, imports both files as a person would, and asks the service. */
async function withDay(ask: (day: Day) => Promise<void>): Promise<void> {
  const data_dir = await Deno.makeTempDir();
  const { effects, printed } = fakeEffects("2026-06-01T12:00:00Z");
  const run = (...args: string[]) =>
    runCli(["--data-dir", data_dir, ...small, ...args], { effects, version, openService });
  try {
    assert.equal(await run("site", "apply", `${here}site.toml`), 0, printed.err);
    const import_args = ["--project", "albuquerque", "--timezone=-07:00"];
    assert.equal(await run("import", ...files, ...import_args), 0, printed.err);
    const { settings } = resolveSettings({
      flags: { data_dir, log_level: "error" },
      environment: {},
      file: {},
      file_path: "",
      machine: { memory_mb: 512, threads: 1 },
    });
    const service = await openService(settings, effects, { on_loss: "refuse" });
    try {
      await ask({ ...(await askerOf(service)), printed });
    } finally {
      await service.close();
    }
  } finally {
    await Deno.remove(data_dir, { recursive: true });
  }
}

async function askerOf({ fetch, parts }: Service) {
  const [project] = parts.catalog.projects;
  const { token } = await parts.access.create({
    name: "test",
    organization_id: null,
    project_ids: null,
    scopes: ["read"],
    expires_at: null,
  });
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  const rows = async (path: string, query: Record<string, string>) => {
    const search = new URLSearchParams(query);
    const response = await fetch(new Request(`http://localhost${path}?${search}`, { headers }));
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as Row[];
  };
  return {
    rows: (path: string, query: Record<string, string>) =>
      rows(path, { project_id: project.id, ...query }),
    performance: (component: string, component_measure: string, time_interval: string) =>
      rows("/platform/v1/performance-v2", {
        project_ids: project.id,
        dt_start: "2015-11-11",
        dt_end: "2015-11-11",
        component,
        component_measure,
        time_interval,
        group_by: component_measure === "energy" ? "hierarchy_id" : "project_id",
        use_solar_bounds: "false",
      }),
  };
}

function close(actual: unknown, wanted: number, what: string): void {
  assert.equal(typeof actual, "number", what);
  const error = Math.abs(actual as number - wanted);
  assert(error <= 1e-9 * Math.max(1, Math.abs(wanted)), `${what}: ${actual}, not ${wanted}`);
}

const signals = "/platform/v1/signals";
// The first minute of the file ends at midnight on the site's clock.
const whole_day = { from: "2015-11-11T06:59:00Z", to: "2015-11-12T07:00:00Z" };

/** Tags that the site file maps: 14 of the inverters, 17 of the modules, 8 of the weather. */
const mapped_tags = 39;

type Step = readonly [name: string, ask: (day: Day) => Promise<void> | void];

const steps: readonly Step[] = [
  [
    "every sample is accepted",
    ({ printed }) => {
      const samples = Object.values(expected.minutes).reduce((sum, count) => sum + count, 0);
      const accepted = [...printed.out.matchAll(/(\d+) accepted, 0 duplicates, 0 rejected/g)]
        .reduce((sum, [, count]) => sum + Number(count), 0);
      assert.equal(accepted, samples);
    },
  ],
  [
    "each tag has its minutes, as samples and as 1m rows",
    async ({ rows }) => {
      for (const tag of ["Sys1Wac_Avg", "ModTemp9_Avg", "RH_pct_Avg"] as const) {
        for (const resolution of ["raw", "1m"]) {
          const query = { tag, resolution, lane: "raw_signal", ...whole_day };
          const own = (await rows(signals, query)).filter(({ carried }) => carried === false);
          assert.equal(own.length, expected.minutes[tag], `${tag} ${resolution}`);
          assert.equal(
            own[0].ts,
            new Date(`${expected.first}Z`).toISOString().slice(0, 19) +
              ".000000Z",
          );
          assert.equal(
            own.at(-1)!.ts,
            new Date(`${expected.last}Z`).toISOString().slice(0, 19) +
              ".000000Z",
          );
        }
      }
    },
  ],
  [
    "a minute has a row for each tag in one lane, for each sensor in the other",
    async ({ rows }) => {
      const minute = { from: "2015-11-11T19:00:00Z", to: "2015-11-11T19:01:00Z" };
      for (const resolution of ["raw", "1m"]) {
        const all = await rows(signals, { ...minute, resolution });
        const raw = all.filter(({ lane }) => lane === "raw_signal");
        assert.equal(raw.length, expected.raw_rows_per_minute);
        const mapped = all.filter(({ lane }) => lane === "performance");
        assert.equal(mapped.length, mapped_tags);
        for (const [tag, value] of Object.entries(expected.noon)) {
          const own = all.filter(({ sensor_tag }) => sensor_tag === tag);
          assert.deepEqual(own.map((row) => row.value), [value, value]);
        }
      }
    },
  ],
  [
    "the logger's units are the tags'",
    async ({ rows }) => {
      const minute = { from: "2015-11-11T19:00:00Z", to: "2015-11-11T19:01:00Z" };
      const [row] = await rows(signals, { ...minute, tag: "Wdir_Std", resolution: "raw" });
      assert.equal(row.unit, "Deg");
    },
  ],
  [
    "the day's energy and insolation are the trapezoids'",
    async ({ performance }) => {
      const energy = await performance("inverter", "energy", "OneDay");
      const by_tag = new Map(energy.map((row) => [row.sensor_tag, row.sensor_value]));
      close(by_tag.get("Sys1Wac_Avg"), expected.energy_wh.inverter1, "inverter 1");
      close(by_tag.get("Sys2Wac_Avg"), expected.energy_wh.inverter2, "inverter 2");
      const [insolation] = await performance("met", "poa_front_insolation", "OneDay");
      close(insolation.sensor_value, expected.insolation_wh_m2, "insolation");
      const [rain] = await performance("met", "precipitation", "OneDay");
      close(rain.sensor_value, expected.rain_mm, "rain");
    },
  ],
  [
    "expected energy is PVWatts' of the weather measured, and near what the inverters gave",
    checkExpected,
  ],
];

/**
 * Measured over expected energy, in each hour from 8 to 16 h and in all. Both arrays give more DC
 * than the model (4 and 6 %): the pyranometer reads 6 to 12 % under the plane's irradiance by GHI,
 * DNI and DHI of a clear afternoon. Inverter 1 turns 95 % of it into AC, inverter 2 97 %, the model
 * 96 %. At 10 h inverter 1 seeks its maximum twice, then stands at its limit of 3.1 kW. Left out:
 * inverter 1 starts late at 7 h, and from 16:28 the strings are shaded, the pyranometer from 16:42.
 */
const gains = {
  Sys1Wac_Avg: { hours: [1, 1.05], day: [1.02, 1.04] },
  Sys2Wac_Avg: { hours: [1.04, 1.11], day: [1.07, 1.09] },
} as const;

async function checkExpected(day: Day) {
  const found = await day.performance("inverter", "energy", "OneHour");
  for (const [tag, bounds] of Object.entries(gains)) {
    const hours = found.filter((row) => row.sensor_tag === tag);
    assert.deepEqual(hours.map(({ ts }) => ts), Object.keys(expected.power.expected));
    let [measured_wh, expected_wh] = [0, 0];
    for (const { ts, sensor_value, model_value, performance_index } of hours) {
      const wanted = expected.power.expected[ts as keyof typeof expected.power.expected];
      close(model_value, wanted, `expected ${tag} ${ts}`);
      const hour = Number(String(ts).slice(11, 13));
      if (hour < 8 || hour > 15) continue;
      measured_wh += sensor_value as number;
      expected_wh += model_value as number;
      const gain = performance_index as number;
      assert.ok(gain >= bounds.hours[0] && gain <= bounds.hours[1], `${tag} ${ts} ${gain}`);
    }
    const gain = measured_wh / expected_wh;
    assert.ok(gain >= bounds.day[0] && gain <= bounds.day[1], `${tag} ${gain}`);
  }
}

async function checkHours(day: Day, measure: string, hours: Record<string, number>) {
  const component = ["active_power", "dc_voltage"].includes(measure) ? "inverter" : "met";
  const found = await day.performance(component, measure, "OneHour");
  assert.deepEqual(found.map(({ ts }) => ts), Object.keys(hours));
  for (const { ts, sensor_value } of found) {
    close(sensor_value, hours[ts as string], `${measure} ${ts}`);
  }
}

Deno.test("Albuquerque: a real day comes back as pandas works it out", async (t) => {
  await withDay(async (day) => {
    for (const [name, ask] of steps) await t.step(name, async () => await ask(day));
    for (const [measure, hours] of Object.entries(expected.hourly)) {
      const check = () => checkHours(day, measure, hours);
      await t.step(`the hourly means of ${measure} are right`, check);
    }
  });
});
