// Both performance endpoints over HTTP: parameters, headers, shapes, refusals.
import assert from "node:assert/strict";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { Project, Site } from "../../../src/model/plant/plant.ts";
import { performance_columns } from "../../../src/model/performance/performance.ts";
import { lightAt, putPlant, putReadings, type TestRow, testSensor } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

function projectOf(project_no: number, organization_id: string, timezone: string): Project {
  const key = `p${project_no}`;
  return { project_no, id: key, organization_id, key, name: key, portfolio: "north", timezone };
}

const projects = [
  projectOf(1, "org", "America/Chicago"),
  projectOf(2, "org", "Europe/Madrid"),
  projectOf(3, "other", "UTC"),
];
const sites: readonly Site[] = projects.map(({ project_no }) => (
  { site_no: project_no, project_no, id: "s", key: "s", name: "S", latitude: 40, longitude: -88 }
));
const power = { component: "inverter", measure: "active_power" } as const;
const sensors = [
  testSensor({ sensor_no: 1, project_no: 1, site_no: 1, ...power }, { block_id: "b1" }),
  testSensor({ sensor_no: 2, project_no: 1, site_no: 1, ...power }, { block_id: "b2" }),
  testSensor({ sensor_no: 3, project_no: 2, site_no: 2, ...power }),
  testSensor({ sensor_no: 4, project_no: 1, site_no: 1, ...power }, { sentinel_tag: "pilot" }),
];

/** A service with the readings of 2026-05-01 in Chicago: 100 × the sensor's number, model 400. */
async function openService() {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const { database, catalog } = service.services;
  await putPlant(database, { projects, sites, sensors });
  const first = dayNumber("2026-05-01") * 1440 + 300;
  await putReadings(
    database,
    sensors.flatMap(({ sensor_no, site_no }) =>
      Array.from({ length: 1440 }, (_, i) => {
        const { timezone } = projects[site_no - 1];
        const [value, model] = [100 * sensor_no, 400];
        const reading = { sensor_no, minute: first + i, value, model };
        const setpoints = { value_setpoint: value + 100, model_setpoint: 300 };
        return { ...reading, ...setpoints, ...lightAt(sites[site_no - 1], timezone, first + i) };
      })
    ),
  );
  await catalog.reload();
  const get = (path: string) => service.fetch(path, { headers: auth(service.token) });
  const rows = async (path: string): Promise<TestRow[]> => {
    const response = await get(path);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  return { ...service, get, rows };
}

function auth(token: string) {
  return { authorization: `Bearer ${token}`, accept: "application/json" };
}

const asked = "dt_start=2026-05-01&dt_end=2026-05-01&component=inverter" +
  "&component_measure=active_power";
const v2 = `/platform/v1/performance-v2?project_ids=p1&${asked}`;
const v1 = `/platform/v1/performance?project_id=p1&${asked}`;

Deno.test("a performance row has every field of the interface", async () => {
  const service = await openService();
  const rows = await service.rows(`${v2}&time_interval=OneDay`);
  assert.deepEqual(Object.keys(rows[0]), performance_columns.map((column) => column.name));
  assert.deepEqual(
    rows,
    [1, 2].map((no) => ({
      ts: "2026-05-01 00:00:00",
      project_id: "p1",
      svc_block_id: `b${no}`,
      hierarchy_id: sensors[no - 1].hierarchy_id,
      sensor_tag: `tag-${no}`,
      sentinel_tag: "default",
      portfolio: "north",
      component: "inverter",
      component_measure: "active_power",
      sensor_value: 100 * no,
      model_value: 400,
      sensor_value_setpoint: 100 * no + 100,
      model_value_setpoint: 300,
      performance_index: no / 4,
      performance_index_setpoint: no / 3,
    })),
  );
  await service.close();
});

Deno.test("group_by nulls what it leaves out and sums the sensors", async () => {
  const service = await openService();
  const rows = await service.rows(`${v2}&time_interval=Full&group_by=project_id`);
  assert.equal(rows.length, 1);
  const { project_id, svc_block_id, hierarchy_id, sensor_tag, sensor_value } = rows[0];
  assert.deepEqual(
    [project_id, svc_block_id, hierarchy_id, sensor_tag, sensor_value],
    ["p1", null, null, null, 300],
  );
  const [all] = await service.rows(
    `${v2}&project_ids=p2&project_ids=p2&time_interval=OneYear&group_by=block_id` +
      "&block_ids=b1&use_solar_bounds=false",
  );
  assert.deepEqual([all.ts, all.svc_block_id, all.sensor_value], [
    "2026-01-01 00:00:00",
    "b1",
    100,
  ]);
  await service.close();
});

Deno.test("the daylight grid holds a row of each key for every bucket of daylight", async () => {
  const service = await openService();
  const grid = await service.rows(`${v2}&time_interval=OneHour`);
  const hours = [...new Set(grid.map((row) => row.ts))];
  assert.equal(grid.length, hours.length * 2);
  assert.equal(hours[0], "2026-05-01 05:00:00");
  assert.equal(hours.at(-1), "2026-05-01 19:00:00");
  const late = v2.replaceAll("2026-05-01", "2031-05-01");
  const empty = await service.rows(`${late}&time_interval=OneHour&group_by=project_id`);
  assert.equal(empty.length, hours.length);
  assert.deepEqual(
    [empty[0].sensor_value, empty[0].model_value, empty[0].performance_index],
    [null, 0, null],
  );
  assert.deepEqual(await service.rows(`${late}&time_interval=OneHour&use_solar_bounds=false`), []);
  const all = await service.rows(`${v2}&time_interval=OneHour&use_solar_bounds=false`);
  assert.equal(all.length, 48);
  await service.close();
});

Deno.test("filters that match nothing give no rows", async () => {
  const service = await openService();
  for (const filter of ["hierarchy_ids=x", "block_ids=x", "sentinel_tag=x"]) {
    assert.deepEqual(await service.rows(`${v2}&time_interval=OneDay&${filter}`), []);
  }
  const [pilot] = await service.rows(`${v2}&time_interval=OneDay&sentinel_tag=pilot`);
  assert.deepEqual([pilot.sentinel_tag, pilot.sensor_value], ["pilot", 400]);
  await service.close();
});

Deno.test("the site's time zone stands in a header, in every format", async () => {
  const service = await openService();
  const one = await service.get(`${v2}&time_interval=OneDay`);
  assert.equal(one.headers.get("x-svc-site-timezone"), "America/Chicago");
  const two = await service.get(`${v2}&project_ids=p2&time_interval=OneDay&format=arrow`);
  assert.equal(two.headers.get("x-svc-site-timezone"), "America/Chicago,Europe/Madrid");
  await Promise.all([one.body?.cancel(), two.body?.cancel()]);
  await service.close();
});

Deno.test("the deprecated endpoint answers its own columns and says what replaces it", async () => {
  const service = await openService();
  const response = await service.get(`${v1}&interval=OneDay`);
  assert.match(response.headers.get("deprecation")!, /^@\d+$/);
  assert.ok(Date.parse(response.headers.get("sunset")!) > 0);
  assert.equal(
    response.headers.get("link"),
    '</platform/v1/performance-v2>; rel="successor-version"',
  );
  const rows = await response.json();
  assert.deepEqual(rows[1], {
    project_id: "p1",
    svc_block_id: "b2",
    hierarchy_id: sensors[1].hierarchy_id,
    sensor_tag: "tag-2",
    sentinel_tag: "default",
    portfolio: "north",
    component: "inverter",
    component_measure: "active_power",
    ts: "2026-05-01 00:00:00",
    sensor_value: 200,
    model_value: 400,
  });
  await service.close();
});

Deno.test("the deprecated endpoint cuts its range at instants", async () => {
  const service = await openService();
  const cut = (from: string, to: string, interval: string) =>
    service.rows(
      v1.replace("dt_start=2026-05-01", `dt_start=${encodeURIComponent(from)}`)
        .replace("dt_end=2026-05-01", `dt_end=${to}`) + `&interval=${interval}&block_id=b1`,
    );
  const hours = await cut("2026-05-01T10:07:00-05:00", "2026-05-01T17:00:00Z", "OneHour");
  assert.deepEqual(
    hours.map((row) => row.ts),
    ["2026-05-01 10:00:00", "2026-05-01 11:00:00"],
  );
  const minutes = await cut("2026-05-01T10:07:00-05:00", "2026-05-01T15:10:00Z", "OneMinute");
  assert.deepEqual(minutes.map((row) => String(row.ts).slice(11)), [
    "10:07:00",
    "10:08:00",
    "10:09:00",
  ]);
  const [day] = await cut("2026-05-01T10:07:00-05:00", "2026-05-01", "OneDay");
  assert.deepEqual([day.ts, day.sensor_value], ["2026-05-01 00:00:00", 100]);
  await service.close();
});

Deno.test("dt_start and dt_end take days, local times and instants alike", async () => {
  const service = await openService();
  const ask = (from: string, to: string, more = "") =>
    service.rows(
      `/platform/v1/performance-v2?project_ids=p1&dt_start=${from}&dt_end=${to}${more}` +
        "&component=inverter&component_measure=active_power&use_solar_bounds=false",
    );
  const quarter = "&time_interval=FifteenMinutes&include=ts_utc,evidence,matched"
    .replace(/,/g, "&include=");
  const day = await ask("2026-05-01", "2026-05-01", quarter);
  assert.equal(day.length, 2 * 96);
  const spans = [
    ["2026-05-01T06:00", "2026-05-01T08:30:00"],
    ["2026-05-01 06:00:00", "2026-05-01T13:30:00Z"],
    ["2026-05-01T11:00:00Z", "2026-05-01T15:30:00+02:00"],
    ["2026-05-01T06:00:00-05:00", "2026-05-01T08:30"],
  ].map(([from, to]) => [from, to].map(encodeURIComponent));
  const within = day.filter(({ ts }) =>
    String(ts) >= "2026-05-01 06:00:00" && String(ts) < "2026-05-01 08:30:00"
  );
  assert.equal(within.length, 2 * 10);
  for (const [from, to] of spans) assert.deepEqual(await ask(from, to, quarter), within);
  const whole = await ask("2026-05-01T00:00", "2026-05-02T05:00:00Z", "&time_interval=Full");
  assert.deepEqual(whole, await ask("2026-05-01", "2026-05-01", "&time_interval=Full"));
  const [cut] = await ask("2026-05-01T11:00:00Z", "2026-05-02", "&time_interval=Full");
  assert.equal(cut.ts, "2026-05-01 06:00:00");
  await service.close();
});

Deno.test("a local time must be one instant, and figures of days want whole days", async () => {
  const service = await openService();
  const refusalOf = async (path: string, from: string, to: string) => {
    const query = `dt_start=${from}&dt_end=${to}&component=inverter&time_interval=OneDay` +
      "&component_measure=active_power";
    const answer = await service.get(`${path}&${query}`);
    const { errors } = await answer.json();
    return errors?.[0] && `${errors[0].path}: ${errors[0].message}`;
  };
  const v2 = "/platform/v1/performance-v2?project_ids=p1";
  const skipped = await refusalOf(v2, "2026-03-08T02:30", "2026-03-09");
  assert.match(skipped, /dt_start: .* skips it; give/);
  assert.match(await refusalOf(v2, "2026-10-31", "2026-11-01T01:30"), /dt_end: .* shows it twice/);
  const both = await refusalOf(`${v2}&project_ids=p2`, "2026-05-01T06:00", "2026-05-02");
  assert.match(both, /dt_start: .*several time zones; give an offset/);
  assert.match(await refusalOf(v2, "2026-05-02", "2026-05-01"), /dt_end: .*are the two swapped/);
  const days = "/platform/v1/availability?project_ids=p1";
  const strip = (path: string, from: string, to: string) =>
    service.get(`${path}&dt_start=${from}&dt_end=${to}`);
  const whole = await strip(days, "2026-05-01T05:00:00Z", "2026-05-02T00:00");
  assert.equal(whole.status, 200);
  assert.equal(await whole.text(), await (await strip(days, "2026-05-01", "2026-05-01")).text());
  const part = await strip(days, "2026-05-01", "2026-05-01T12:00");
  assert.match((await part.json()).detail, /^dt_end: these figures are of whole days: give a day/);
  await service.close();
});

const refused = [
  [`${v2}`, "time_interval"],
  [`${v2}&time_interval=OneDecade`, "time_interval"],
  [`${v2}&time_interval=OneDay&group_by=site`, "group_by"],
  [`${v2}&time_interval=OneDay&use_solar_bounds=maybe`, "use_solar_bounds"],
  [`${v2}&time_interval=OneDay&limit=5`, "limit"],
  [`${v2.replace("dt_end=2026-05-01", "dt_end=2026-04-30")}&time_interval=OneDay`, "dt_end"],
  [`${v2.replace("dt_end=2026-05-01", "dt_end=2026-02-30")}&time_interval=OneDay`, "dt_end"],
  [`${v2.replace("active_power", "active_powr")}&time_interval=OneDay`, "component_measure"],
  [`${v2}&project_ids=p3&time_interval=OneDay`, "project_ids"],
  [`${v1}&interval=Full`, "interval"],
  [
    `${v1.replace("dt_start=2026-05-01", "dt_start=2026-05-01T00:00:99")}&interval=OneDay`,
    "dt_start",
  ],
  [`${v1.replace("dt_start=2026-05-01", "dt_start=0001-05-01")}&interval=OneDay`, "dt_start"],
  [`${v1.replace("dt_end=2026-05-01", "dt_end=2026-05-01T05:00:00Z")}&interval=OneDay`, "dt_end"],
] as const;

Deno.test("a wrong parameter is refused by its name", async (test) => {
  const service = await openService();
  for (const [path, parameter] of refused) {
    await test.step(`${parameter} of ${path}`, async () => {
      const response = await service.get(path);
      const { errors } = await response.json();
      assert.equal(response.status, 400);
      assert.deepEqual(errors.map((error: { path: string }) => error.path), [parameter]);
    });
  }
  await service.close();
});

Deno.test("a century of minutes is refused or cut to its data", async () => {
  const service = await openService();
  const century = v2.replace("dt_start=2026-05-01", "dt_start=1970-01-01")
    .replace("dt_end=2026-05-01", "dt_end=2199-12-31");
  const response = await service.get(`${century}&time_interval=OneMinute`);
  assert.equal(response.status, 400);
  assert.match((await response.json()).detail, /longer interval, fewer days or fewer groups/);
  const rows = await service.rows(`${century}&time_interval=OneMinute&use_solar_bounds=false`);
  assert.equal(rows.length, 2880);
  const years = await service.rows(`${century}&time_interval=OneYear&group_by=project_id`);
  assert.equal(years.length, 230);
  await service.close();
});

Deno.test("a project out of the token's reach is forbidden, whatever else is wrong", async () => {
  const service = await openService();
  const response = await service.get(`${v2}&project_ids=nowhere&time_interval=OneDay`);
  assert.equal(response.status, 403);
  await response.body?.cancel();
  await service.close();
});
