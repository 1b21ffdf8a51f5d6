// Forecasts over HTTP: which run tells a bucket, and how its points become the bucket's value.
import assert from "node:assert/strict";
import type { Project, Sensor, Site } from "../../../src/model/plant/plant.ts";
import { putPlant, type TestRow, testSensor } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

const project: Project = {
  project_no: 1,
  id: "p1",
  organization_id: "org",
  key: "p1",
  name: "P1",
  portfolio: null,
  timezone: "America/Chicago",
};
const site: Site = {
  ...{ site_no: 1, project_no: 1, id: "s", key: "s", name: "S" },
  latitude: 40,
  longitude: -88,
};
const meter = { project_no: 1, site_no: 1, component: "meter" } as const;
const inverter = { ...meter, component: "inverter", measure: "active_power" } as const;
const sensors: readonly Sensor[] = [
  testSensor({ sensor_no: 1, ...meter, measure: "active_power" }, {
    device_id: "limited",
    scale: 1000,
  }),
  testSensor({ sensor_no: 2, ...meter, measure: "energy" }, {
    device_id: "limited",
    accumulation: "counter",
  }),
  testSensor({ sensor_no: 3, ...inverter }, { block_id: "b1" }),
  testSensor({ sensor_no: 4, ...inverter }, { block_id: "b1" }),
  testSensor({ sensor_no: 5, ...inverter }, { block_id: "b2" }),
];

/** A service on a summer's noon in Chicago, with nothing but a hierarchy. */
async function openService() {
  const service = await testService({ at: "2026-06-10T17:00:00Z" });
  const { database, catalog } = service.services;
  await putPlant(database, { projects: [project], sites: [site], sensors });
  await database.write(({ connection }) =>
    connection.script(
      "INSERT INTO device (id, site_no, key, name, type, grid) VALUES " +
        `('limited', 1, 'm', 'M', 'meter', '{"limit_w": 5000}')`,
    )
  );
  await catalog.reload();
  const send = async (rows: readonly object[]) => {
    const response = await service.fetch("/ingest/v1/signals?project_id=p1&lane=forecast", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: rows.map((row) => JSON.stringify(row)).join("\n"),
    });
    return await response.json();
  };
  const ask = (query: Readonly<Record<string, string>>) =>
    service.fetch(`/platform/v1/performance-v2?${new URLSearchParams({ ...asked, ...query })}`);
  const rows = async (query: Readonly<Record<string, string>>): Promise<TestRow[]> => {
    const response = await ask({ format: "json", ...query });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  return { ...service, send, ask, rows };
}

const asked = {
  project_ids: "p1",
  dt_start: "2026-06-11",
  dt_end: "2026-06-11",
  time_interval: "OneHour",
  component: "inverter",
  component_measure: "active_power",
  hierarchy_ids: "hierarchy-003",
  use_solar_bounds: "false",
  include: "forecast",
};

/** Points of one run of a tag, each `step_s` behind the other. */
function runOf(
  tag: string,
  { issued_at, from, step_s = 3600, values }: {
    readonly issued_at: string;
    readonly from: string;
    readonly step_s?: number;
    readonly values: readonly number[];
  },
): readonly object[] {
  return values.map((value, i) => ({
    tag,
    ts: new Date(Date.parse(from) + i * step_s * 1000).toISOString(),
    issued_at,
    value,
  }));
}

function told(rows: readonly TestRow[]) {
  return rows.map((row) => [
    String(row.ts).slice(11, 16),
    row.forecast_value,
    row.forecast_issued_at,
    row.forecast_lead_time_minutes,
  ]);
}

const midnight = "2026-06-11T05:00:00Z"; // in Chicago
const noon = "2026-06-11T17:00:00Z";
const early = "2026-06-10T12:00:00.000000Z";
const late = "2026-06-10T16:30:00.000000Z";

Deno.test("a bucket is told by the latest run from before it, with its lead time", async () => {
  const service = await openService();
  await service.send(runOf("tag-3", { issued_at: early, from: noon, values: [1, 2, 3] }));
  await service.send(runOf("tag-3", { issued_at: late, from: noon, values: [10, 20] }));
  assert.deepEqual(told(await service.rows({})), [
    ["12:00", 10, late, 1470],
    ["13:00", 20, late, 1530],
    ["14:00", 3, early, 1860],
  ]);
  const [{ sensor_value, model_value }] = await service.rows({});
  assert.deepEqual([sensor_value, model_value], [null, 0]);
  await service.close();
});

Deno.test("a run tells nothing of buckets that had begun when it was issued", async () => {
  const service = await openService();
  const issued_at = "2026-06-10T16:20:30.000000Z"; // 11:20:30
  const from = "2026-06-10T16:30:00Z";
  const step_s = 900;
  await service.send(runOf("tag-3", { issued_at, from, step_s, values: [1, 2, 3, 4, 5, 6] }));
  const day = { dt_start: "2026-06-10", dt_end: "2026-06-10" };
  assert.deepEqual(told(await service.rows(day)), [["12:00", 4.5, issued_at, 39]]);
  const quarters = await service.rows({ ...day, time_interval: "FifteenMinutes" });
  assert.deepEqual(told(quarters)[0], ["11:30", 1, issued_at, 9]);
  assert.equal(quarters.length, 6, "the last point holds as long as the others");
  await service.close();
});

Deno.test("forecast_issued_before brings old runs back", async () => {
  const service = await openService();
  await service.send(runOf("tag-3", { issued_at: early, from: noon, values: [1] }));
  await service.send(runOf("tag-3", { issued_at: late, from: noon, values: [10] }));
  for (const [before, value] of [[late, 1], ["2026-06-10T11:30:00.000001-05:00", 10]] as const) {
    assert.equal((await service.rows({ forecast_issued_before: before }))[0].forecast_value, value);
  }
  assert.deepEqual(await service.rows({ forecast_issued_before: early }), []);
  await service.close();
});

Deno.test("an hourly run fills shorter buckets, and a gap in it nothing", async () => {
  const service = await openService();
  const points = runOf("tag-3", { issued_at: early, from: noon, values: [4, 8, 0, 12] });
  await service.send(points.filter((_, i) => i !== 2));
  const rows = await service.rows({ time_interval: "ThirtyMinutes" });
  const values = told(rows).map(([ts, value]) => `${ts} ${value}`);
  assert.equal(values.join(), "12:00 4,12:30 4,13:00 8,13:30 8,15:00 12,15:30 12");
  assert.equal((await service.rows({ time_interval: "OneMinute" })).length, 180);
  await service.close();
});

Deno.test("days and longer take the mean of a power and the sum of an energy", async () => {
  const service = await openService();
  const values = Array.from({ length: 48 }, (_, hour) => Math.floor(hour / 24) + 1);
  const run = { issued_at: early, from: midnight, values };
  await service.send(runOf("tag-1", run));
  const power = { dt_end: "2026-06-12", component: "meter", hierarchy_ids: "hierarchy-001" };
  const energy = { ...power, hierarchy_ids: "hierarchy-002", component_measure: "energy" };
  const value = async (query: Readonly<Record<string, string>>) =>
    (await service.rows(query)).map((row) => row.forecast_value);
  assert.deepEqual(await value({ ...power, time_interval: "OneDay" }), [1000, 2000]);
  assert.deepEqual(await value({ ...power, time_interval: "Full" }), [1500]);
  assert.deepEqual(await value({ ...energy, time_interval: "OneDay" }), [24_000, 48_000]);
  assert.deepEqual(await value({ ...energy, time_interval: "Full" }), [72_000]);
  assert.deepEqual(await value({ ...energy, time_interval: "OneMonth" }), [], "no run from May");
  await service.send(runOf("tag-2", { ...run, values: values.slice(0, 24).map(() => 7) }));
  assert.deepEqual(await value({ ...energy, time_interval: "OneDay" }), [168, 48_000]);
  await service.close();
});

Deno.test("a short late run does not stand for a day that an older one covers", async () => {
  const service = await openService();
  const from = midnight;
  await service.send(runOf("tag-3", { issued_at: early, from, values: Array(24).fill(2) }));
  await service.send(runOf("tag-3", { issued_at: late, from, values: Array(6).fill(9) }));
  const [day] = await service.rows({ time_interval: "OneDay" });
  assert.deepEqual([day.forecast_value, day.forecast_issued_at], [2, early]);
  const [hour] = await service.rows({});
  assert.deepEqual([hour.forecast_value, hour.forecast_issued_at], [9, late]);
  await service.close();
});

Deno.test("a group sums its sensors and names the latest run", async () => {
  const service = await openService();
  await service.send([
    ...runOf("tag-3", { issued_at: early, from: noon, values: [1] }),
    ...runOf("tag-4", { issued_at: late, from: noon, values: [10] }),
    ...runOf("tag-5", { issued_at: early, from: noon, values: [100] }),
  ]);
  const all = "&hierarchy_ids=hierarchy-004&hierarchy_ids=hierarchy-005&group_by=block_id";
  const query = new URLSearchParams({ ...asked, format: "json" });
  const rows = await (await service.fetch(`/platform/v1/performance-v2?${query}${all}`)).json();
  assert.deepEqual(told(rows), [["12:00", 11, late, 1470], ["12:00", 100, early, 1740]]);
  await service.close();
});

Deno.test("a device's grid limit bounds its power and its energy", async () => {
  const service = await openService();
  await service.send(runOf("tag-1", { issued_at: early, from: noon, values: [4, 9] }));
  const power = { component: "meter", hierarchy_ids: "hierarchy-001" };
  assert.deepEqual((await service.rows(power)).map((row) => row.forecast_value), [4000, 5000]);
  const energy = { ...power, hierarchy_ids: "hierarchy-002", component_measure: "energy" };
  assert.deepEqual((await service.rows(energy)).map((row) => row.forecast_value), [4000, 5000]);
  await service.close();
});

Deno.test("a day of 25 hours has both passes of its repeated hour", async () => {
  const service = await openService();
  service.clock.now_us = Date.parse("2026-10-31T12:00:00Z") * 1000;
  const issued_at = "2026-10-31T12:00:00.000000Z";
  const values = Array.from({ length: 25 }, (_, hour) => hour);
  await service.send(runOf("tag-3", { issued_at, from: "2026-11-01T05:00:00Z", values }));
  const day = { dt_start: "2026-11-01", dt_end: "2026-11-01" };
  const rows = told(await service.rows(day));
  assert.equal(rows.length, 25);
  assert.deepEqual(rows.slice(0, 4), [
    ["00:00", 0, issued_at, 1020],
    ["01:00", 1, issued_at, 1080],
    ["01:00", 2, issued_at, 1140],
    ["02:00", 3, issued_at, 1200],
  ]);
  assert.equal((await service.rows({ ...day, time_interval: "OneDay" }))[0].forecast_value, 12);
  await service.close();
});

Deno.test("on the daylight grid only daylight is forecast, and each bucket has a row", async () => {
  const service = await openService();
  const values = Array.from({ length: 24 }, (_, hour) => hour < 5 ? 1000 : 10);
  await service.send(runOf("tag-3", { issued_at: early, from: midnight, values }));
  const grid = { use_solar_bounds: "true" };
  assert.equal((await service.rows({ ...grid, time_interval: "OneDay" }))[0].forecast_value, 10);
  const hours = await service.rows({ ...grid, dt_end: "2026-06-12" });
  const days = Map.groupBy(hours, (row) => String(row.ts).slice(0, 10));
  const [first, second] = [...days.values()];
  assert.equal(first.length, second.length);
  assert.ok(first.every((row) => row.forecast_value === 10));
  assert.ok(second.every((row) => row.forecast_value === null && row.forecast_issued_at === null));
  await service.close();
});

Deno.test("every format has the columns of a forecast, and none without include", async () => {
  const service = await openService();
  await service.send(runOf("tag-3", { issued_at: early, from: noon, values: [1.5] }));
  const csv = await (await service.ask({ format: "csv" })).text();
  assert.match(csv, /,forecast_value,forecast_issued_at,forecast_lead_time_minutes\r?\n/);
  assert.match(csv, /,1\.5,2026-06-10T12:00:00\.000000Z,1740\r?\n/);
  for (const format of ["arrow", "parquet", "ndjson"]) {
    const response = await service.ask({ format });
    const text = new TextDecoder("latin1").decode(await response.arrayBuffer());
    assert.match(text, /forecast_lead_time_minutes/, format);
  }
  const { include: _, ...plain } = asked;
  const query = new URLSearchParams({ ...plain, use_solar_bounds: "true", format: "csv" });
  const without = await (await service.fetch(`/platform/v1/performance-v2?${query}`)).text();
  assert.doesNotMatch(without, /forecast/);
  await service.close();
});

Deno.test("what can't be asked of forecasts is refused by name", async () => {
  const service = await openService();
  const flawOf = async (query: Readonly<Record<string, string>>) => {
    const response = await service.ask(query);
    assert.equal(response.status, 400);
    return (await response.json()).errors;
  };
  assert.deepEqual(await flawOf({ include: "forcast" }), [
    { path: "include", message: 'there is no "forcast"; meant forecast?' },
  ]);
  const { include: _, ...plain } = { ...asked, forecast_issued_before: late };
  const lone = await service.fetch(`/platform/v1/performance-v2?${new URLSearchParams(plain)}`);
  assert.equal(lone.status, 400);
  assert.equal((await lone.json()).errors[0].path, "forecast_issued_before");
  const [flaw] = await flawOf({ forecast_issued_before: "2026-06-10T16:30:00" });
  assert.equal(flaw.path, "forecast_issued_before");
  await service.close();
});

Deno.test("a forecast issued after what it forecasts is rejected by its line", async () => {
  const service = await openService();
  const row = { tag: "tag-3", ts: "2026-06-10T12:00:00Z", value: 1 };
  const answer = await service.send([
    { ...row, issued_at: "2026-06-10T12:00:00Z" },
    { ...row, issued_at: "2026-06-10T12:00:00.000001Z" },
  ]);
  assert.equal(answer.accepted, 1);
  assert.deepEqual(answer.rejected, [
    { line: 2, tag: "tag-3", reason: "issued_at is after ts, the time that it forecasts" },
  ]);
  await service.close();
});
