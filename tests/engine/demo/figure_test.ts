// The demo's figures on the days of its stuck and dead sensors and replaced registers, over HTTP.
import assert from "node:assert/strict";
import { Demo } from "../../../src/engine/demo/demo.ts";
import { DemoPlant, met_blocks, size } from "../../../src/engine/demo/plant.ts";
import { deviceKey, times } from "../../../src/engine/demo/point.ts";
import { incidentsUntil } from "../../../src/engine/demo/story.ts";
import { testService } from "../../help/service.ts";
import { downDaysOf } from "./story_help.ts";
import { replacementsOf, trueEnergy } from "./truth_help.ts";

const days = 3;
const dates = ["2026-06-01", "2026-06-02", "2026-06-03"];
/** The plant's local midnight before the first of them. */
const midnight_s = Date.parse("2026-06-01T06:00:00Z") / 1000;
const story = { seed: 1, from_us: Date.parse("2026-06-01T07:00:00Z") * 1000 };
const to_us = (midnight_s + days * 86_400) * 1e6;
/** From sunrise to sunset at the plant in these days. */
const daylight_s = 14.66 * 3600;

/**
 * How far the index of a healthy inverter is from 1 on these days: its health is 0.965 to 0.99,
 * and a cloud doesn't pass it when it passes the station.
 */
const noise = 0.03;

type Row = {
  readonly ts: string;
  readonly sensor_tag: string;
  readonly sensor_value: number | null;
  readonly model_value: number;
  readonly performance_index_matched: number | null;
  readonly performance_index_setpoint_matched: number | null;
  readonly coverage: number | null;
};

type EventRow = Readonly<Record<"kind" | "sensor_tag" | "ts" | "before_ts", string>>;

/** The demo after three days of its story, and how to ask it. */
async function openDemo() {
  const at = new Date((midnight_s + days * 86_400 + 3600) * 1000).toISOString();
  const { services, settle, close, fetch } = await testService({ at });
  const demo = await Demo.open(services, story);
  await demo.fill(() => {});
  await settle();
  const read = async <T>(path: string, query: Readonly<Record<string, string>>): Promise<T[]> => {
    const response = await fetch(`/platform/v1/${path}?${new URLSearchParams(query)}`);
    assert.equal(response.status, 200, await response.clone().text());
    return await response.json();
  };
  const ask = (component: string, component_measure: string, query = {}) =>
    read<Row>("performance-v2", {
      ...{ project_ids: demo.project.id, component, component_measure, time_interval: "OneDay" },
      ...{ dt_start: dates[0], dt_end: dates[days - 1], include: "matched", format: "json" },
      ...query,
    });
  const events = () => read<EventRow>("counters/resets", { project_id: demo.project.id });
  return { ask, events, close };
}

type Ask = Awaited<ReturnType<typeof openDemo>>["ask"];

/** The day (from 0) of an instant. */
function dayOf(at_s: number): number {
  return Math.floor((at_s - midnight_s) / 86_400);
}

/** The inverter (from 0) and the day (from 0) of a row. */
function storyPlace({ sensor_tag, ts }: Row) {
  return { inverter: Number(sensor_tag.slice(4, 6)) - 1, day: dates.indexOf(ts.slice(0, 10)) };
}

/** For how long an inverter sends nothing on a day, s. */
function unheardOf({ inverter, day }: ReturnType<typeof storyPlace>): number {
  return incidentsUntil(story, to_us)
    .filter(({ kind, target }) => ["silence", "replaced"].includes(kind) && target === inverter)
    .filter((it) => dayOf(it.from_s) === day)
    .reduce((sum, it) => sum + it.to_s - it.from_s, 0);
}

/** Every inverter that could do what it should has an index of 1, whatever was not known of it. */
async function judgeInverters(ask: Ask, measure: string): Promise<void> {
  const { inverters } = new DemoPlant(story);
  const rows = await ask("inverter", measure);
  const down_days = downDaysOf(story, to_us);
  assert.equal(rows.length, days * inverters.length);
  for (const row of rows) {
    const { sensor_tag, ts, performance_index_setpoint_matched: index, coverage } = row;
    const place = storyPlace(row);
    const unheard_s = unheardOf(place);
    // A difference reaches the readings before and after, and over an hour it has no place.
    const slack_s = measure === "energy" && unheard_s > 0 ? 600 : 90;
    const missing = (1 - coverage!) * daylight_s - unheard_s;
    assert(missing >= -90 && missing <= slack_s, `coverage ${coverage}: ${sensor_tag} on ${ts}`);
    const down = down_days.has(`${deviceKey("INV", place.inverter)} ${dates[place.day]}`);
    if (down || inverters[place.inverter].health < 0.95) continue;
    assert(Math.abs(index! - 1) <= noise, `an index of ${index}: ${sensor_tag} on ${ts}`);
  }
}

/** The meter's power is matched but for the minutes in which it was replaced. */
async function judgeMeter(ask: Ask): Promise<void> {
  const replaced = incidentsUntil(story, to_us).filter(({ kind }) => kind === "new_meter");
  for (const { ts, coverage } of await ask("meter", "active_power")) {
    const unheard_s = replaced.filter((it) => ts.startsWith(dates[dayOf(it.from_s)]))
      .reduce((sum, it) => sum + it.to_s - it.from_s, 0);
    const missing_s = (1 - coverage!) * daylight_s;
    assert(Math.abs(missing_s - unheard_s) <= 90, `a meter's coverage of ${coverage} on ${ts}`);
  }
}

/**
 * While a station's sensor is stuck or dead, what is expected of its block is what is expected of
 * a block without one, which only the other station can tell: from the first quarter-hour on.
 */
async function judgeSky(ask: Ask): Promise<void> {
  const rows = await ask("inverter", "active_power", { time_interval: "FifteenMinutes" });
  const byTag = Map.groupBy(rows, ({ sensor_tag }) => sensor_tag);
  const modelsOf = (block: number) =>
    byTag.get(`${deviceKey("INV", block * size.per_block)}.P_AC`)!;
  const flawed = incidentsUntil(story, to_us).filter(({ kind }) =>
    ["stuck", "dead"].includes(kind)
  );
  for (const { kind, target, from_s, to_s } of flawed) {
    // Below a low sun 0 can be a sensor's truth.
    const end_s = Math.min(to_s, midnight_s + dayOf(from_s) * 86_400 + 18 * 3600);
    const own = modelsOf(met_blocks[target]);
    const blind = modelsOf(1);
    const within = times(own.length).filter((i) => {
      const at_s = Date.parse(`${own[i].ts.replace(" ", "T")}-06:00`) / 1000;
      return at_s >= from_s && at_s + 900 <= end_s;
    });
    assert(within.length >= 6, `${within.length} quarter-hours of a ${kind} sensor`);
    for (const i of within) {
      const { ts, model_value } = own[i];
      const share = model_value / blind[i].model_value;
      assert(Math.abs(share - 1) <= 0.02, `${share} beside a ${kind} sensor at ${ts}`);
    }
  }
}

/** Counters tell what their plant made, but for the minutes of a replacement. */
async function judgeEnergy(ask: Ask): Promise<void> {
  const truth = trueEnergy(story, { midnight_s, days });
  const nights = { use_solar_bounds: "false" };
  const rows = [
    ...await ask("inverter", "energy", nights),
    ...await ask("meter", "active_energy_delivered", nights),
    ...await ask("meter", "active_energy_received", nights),
  ];
  assert.equal(rows.length, days * truth.size);
  for (const row of rows) {
    const { sensor_tag, ts, sensor_value } = row;
    const wh = truth.get(sensor_tag)![storyPlace(row).day];
    // Registers show whole Wh.
    const flaw = `${sensor_value} Wh instead of ${wh}: ${sensor_tag} on ${ts}`;
    assert(Math.abs(sensor_value! - wh) <= 2, flaw);
  }
}

/** Each replacement is a new track between its readings, and nothing else is told but the wrap. */
function judgeEvents(rows: readonly EventRow[]): void {
  const iso = (at_s: number) => new Date(at_s * 1000).toISOString();
  const told = rows.filter(({ kind }) => kind !== "wrap").map((row) => ({
    ...{ kind: row.kind, tag: row.sensor_tag },
    ...{ from: new Date(row.before_ts).toISOString(), to: new Date(row.ts).toISOString() },
  }));
  const expected = replacementsOf(story, to_us)
    .map(({ tag, from_s, to_s }) => ({ kind: "new_track", tag, from: iso(from_s), to: iso(to_s) }));
  const byTag = (a: { tag: string }, b: { tag: string }) => a.tag < b.tag ? -1 : 1;
  assert.deepEqual(told.toSorted(byTag), expected.toSorted(byTag));
  const wraps = rows.filter(({ kind }) => kind === "wrap").map(({ sensor_tag }) => sensor_tag);
  assert.deepEqual(wraps, [`${deviceKey("INV", 6)}.E_TOTAL`]);
}

/** What stands before and behind the transformer has one index: its losses are declared. */
async function judgeLevels(ask: Ask, time_interval: string): Promise<void> {
  const query = { time_interval, group_by: "project_id" };
  const [inverters, meter, system] = [
    await ask("inverter", "active_power", query),
    await ask("meter", "active_power", query),
    await ask("system", "active_power", query),
  ];
  const rows = times(inverters.length).map((i) => [inverters[i], meter[i], system[i]]);
  const lit = rows.filter((levels) => levels.every((it) => it.performance_index_matched !== null));
  assert(lit.length >= 0.9 * rows.length && lit.length >= days);
  const whole_rows = lit.filter((levels) => levels.every(({ coverage }) => coverage === 1));
  assert(time_interval === "OneDay" || whole_rows.length > 0.8 * lit.length);
  for (const levels of lit) {
    const whole = whole_rows.includes(levels);
    // An inverter that isn't heard for an hour changes little of a day, and much of a minute.
    if (!whole && time_interval !== "OneDay") continue;
    const indices = levels.map(({ performance_index_matched: index }) => index!);
    const apart = Math.max(...indices) - Math.min(...indices);
    const flaw = `${indices.join(", ")} at ${levels[0].ts}, by ${time_interval}`;
    assert(apart <= (whole ? 1e-6 : 0.01), flaw);
  }
}

Deno.test("demo: its figures are true on the days of flawed sensors and registers", async (t) => {
  const kinds = new Set(incidentsUntil(story, to_us).map(({ kind }) => kind));
  for (const kind of ["stuck", "dead", "replaced", "new_meter", "silence"] as const) {
    assert(kinds.has(kind), kind);
  }
  const { ask, events, close } = await openDemo();
  try {
    await t.step("power of inverters", () => judgeInverters(ask, "active_power"));
    await t.step("energy of inverters beside their model", () => judgeInverters(ask, "energy"));
    await t.step("power of the meter", () => judgeMeter(ask));
    await t.step("what is expected beside flawed sensors", () => judgeSky(ask));
    await t.step("energy that counters tell", () => judgeEnergy(ask));
    await t.step("events of counters", async () => judgeEvents(await events()));
    for (const interval of ["OneDay", "OneHour", "FifteenMinutes", "OneMinute"]) {
      await t.step(`levels of the grid, ${interval}`, () => judgeLevels(ask, interval));
    }
  } finally {
    await close();
  }
});
