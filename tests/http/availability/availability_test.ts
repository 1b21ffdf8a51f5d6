// GET /platform/v1/availability: rows, buckets, groups, formats, nulls and refusals.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { dayNumber, dayText, monthStart, weekStart } from "../../../src/model/time/calendar.ts";
import type { Project, Site } from "../../../src/model/plant/plant.ts";
import { availability_columns } from "../../../src/model/availability/row.ts";
import { hierarchyOf, putDays, putInverters, type TestDay } from "../../help/inverter_day.ts";
import { testService } from "../../help/service.ts";

const zones = ["America/Denver", "Europe/Madrid", "UTC"];
const projects: readonly Project[] = zones.map((timezone, i) => ({
  project_no: i + 1,
  id: `p${i + 1}`,
  organization_id: i === 2 ? "other" : "org",
  key: `p${i + 1}`,
  name: `P${i + 1}`,
  portfolio: null,
  timezone,
}));
const sites: readonly Site[] = projects.map(({ project_no }) => (
  { site_no: project_no, project_no, id: "s", key: "s", name: "S", latitude: 40, longitude: -105 }
));
const inverters = [
  { no: 1, project_no: 1, site_no: 1, capacity: 1_000_000, block_id: "b1" },
  { no: 2, project_no: 1, site_no: 1, capacity: 2_000_000, block_id: "b1" },
  { no: 3, project_no: 1, site_no: 1, capacity: null, block_id: "b2" },
  { no: 4, project_no: 2, site_no: 2, capacity: 500_000, block_id: "b4" },
  { no: 5, project_no: 1, site_no: 1, capacity: 7_000, sentinel_tag: "pilot" },
] as const;
const capacity_kw = inverters.map(({ capacity }) => (capacity ?? 0) / 1000);

type Row = Record<string, string | number | boolean | null>;

/** A service with those inverters and some of their days. */
async function openService(days: readonly TestDay[], settings = {}) {
  const service = await testService({ at: "2024-06-01T12:00:00Z", settings });
  const { database, catalog } = service.services;
  await putInverters(database, { projects, sites, inverters });
  await putDays(database, days);
  await catalog.reload();
  const get = (query: string, init?: RequestInit) =>
    service.fetch(`/platform/v1/availability?${query}`, init);
  const rows = async (query: string): Promise<Row[]> => {
    const response = await get(`${query}&format=json`);
    const text = await response.text();
    equal(response.status, 200, text);
    return JSON.parse(text);
  };
  return { ...service, get, rows };
}

const denver = dayNumber("2024-03-10");
const light_s = 11.733611 * 3600;
const known = { daylight_s: light_s, basis_s: light_s };
/** The day of the vectors: inverter 1 out for two hours, 2 derated, 3 without a capacity. */
const vector_days: readonly TestDay[] = [
  { day: denver, no: 1, ...known, unavailable_s: 7200 },
  { day: denver, no: 2, ...known },
  { day: denver, no: 3, ...known, unavailable_s: light_s },
  { day: denver, no: 4, daylight_s: 36_000, basis_s: 18_000, unavailable_s: 18_000 },
  { day: denver, no: 5, ...known },
];
const day = "dt_start=2024-03-10&dt_end=2024-03-10";

function near(actual: unknown, expected: number, tolerance = 1e-6): void {
  ok(Math.abs(Number(actual) - expected) <= tolerance, `${actual} is not ${expected}`);
}

Deno.test("a row of each inverter has every field of the interface", async () => {
  const service = await openService(vector_days);
  const rows = await service.rows(`project_ids=p1&${day}`);
  deepEqual(Object.keys(rows[0]), availability_columns.map((column) => column.name));
  deepEqual(rows.map((row) => row.hierarchy_id), [1, 2, 3].map(hierarchyOf));
  const [first, second, third] = rows;
  near(first.capacity_hours, 11_733.611, 2);
  near(first.unavailable_capacity_hours, 2000);
  near(first.availability, 0.829549, 1e-4);
  equal(second.availability, 1);
  deepEqual(third, {
    bucket_start: "2024-03-10",
    project_id: "p1",
    svc_block_id: "b2",
    hierarchy_id: hierarchyOf(3),
    sentinel_tag: "default",
    capacity_hours: 0,
    unavailable_capacity_hours: 0,
    availability: null,
    inverter_count: 1,
    capacity_known_inverter_count: 0,
    is_partial: true,
  });
  await service.close();
});

Deno.test("a project's row adds its inverters up", async () => {
  const service = await openService(vector_days);
  const [project, ...none] = await service.rows(`project_ids=p1&${day}&group_by=project_id`);
  deepEqual(none, []);
  const { project_id, svc_block_id, hierarchy_id, inverter_count, is_partial } = project;
  deepEqual([project_id, svc_block_id, hierarchy_id], ["p1", null, null]);
  deepEqual([inverter_count, project.capacity_known_inverter_count, is_partial], [3, 2, true]);
  near(project.capacity_hours, 35_200.833, 2);
  near(project.unavailable_capacity_hours, 2000);
  near(project.availability, 0.943183, 1e-4);
  const blocks = await service.rows(`project_ids=p1&${day}&group_by=block_id`);
  deepEqual(blocks.map((row) => [row.project_id, row.svc_block_id, row.is_partial]), [
    [null, "b1", false],
    [null, "b2", true],
  ]);
  await service.close();
});

Deno.test("projects of one organization are combined by label", async () => {
  const service = await openService(vector_days);
  const both = `project_ids=p1&project_ids=p2&${day}`;
  const response = await service.get(`${both}&format=json`);
  equal(response.headers.get("x-svc-site-timezone"), "America/Denver,Europe/Madrid");
  equal((await response.json()).length, 4);
  const [all] = await service.rows(`${both}&group_by=block_id&block_ids=b1&block_ids=b4`);
  equal(all.svc_block_id, "b1");
  const [total] = await service.rows(
    `${both}&time_interval=Full&group_by=project_id&block_ids=b4`,
  );
  deepEqual([total.capacity_hours, total.unavailable_capacity_hours, total.availability], [
    2500,
    2500,
    0,
  ]);
  await service.close();
});

Deno.test("filters choose inverters; each data stream has its own", async () => {
  const service = await openService(vector_days);
  const one = await service.rows(`project_ids=p1&${day}&hierarchy_ids=${hierarchyOf(2)}`);
  deepEqual(one.map((row) => row.hierarchy_id), [hierarchyOf(2)]);
  const pilot = await service.rows(`project_ids=p1&${day}&sentinel_tag=pilot`);
  deepEqual(pilot.map((row) => [row.sentinel_tag, row.hierarchy_id]), [["pilot", hierarchyOf(5)]]);
  deepEqual(await service.rows(`project_ids=p1&${day}&block_ids=none`), []);
  await service.close();
});

Deno.test("every bucket of every group has a row, also where no day is known", async () => {
  const service = await openService(vector_days);
  const rows = await service.rows("project_ids=p1&dt_start=2024-03-09&dt_end=2024-03-11");
  equal(rows.length, 9);
  deepEqual(rows.slice(0, 3).map((row) => [row.bucket_start, row.capacity_hours]), [
    ["2024-03-09", 0],
    ["2024-03-09", 0],
    ["2024-03-09", 0],
  ]);
  ok(rows.slice(6).every((row) => row.availability === null));
  await service.close();
});

Deno.test("weeks start on Monday, months on the 1st, Full on dt_start", async () => {
  const days = Array.from({ length: 40 }, (_, i) => ({
    day: dayNumber("2024-02-25") + i,
    no: 1,
    daylight_s: 36_000,
    basis_s: i * 60,
  }));
  const service = await openService(days);
  const range = "project_ids=p1&group_by=project_id&dt_start=2024-03-06&dt_end=2024-04-02";
  const chosen = days.filter(({ day }) =>
    day >= dayNumber("2024-03-06") && day <= dayNumber("2024-04-02")
  );
  for (
    const [interval, startOf] of [
      ["OneDay", (day: number) => day],
      ["OneWeek", weekStart],
      ["OneMonth", (day: number) => monthStart(day)],
      ["Full", () => dayNumber("2024-03-06")],
    ] as const
  ) {
    const expected = [...Map.groupBy(chosen, ({ day }) => startOf(day))];
    const rows = await service.rows(`${range}&time_interval=${interval}`);
    deepEqual(rows.map((row) => row.bucket_start), expected.map(([start]) => dayText(start)));
    for (const [i, [, members]] of expected.entries()) {
      const basis_s = members.reduce((sum, it) => sum + it.basis_s, 0);
      near(rows[i].capacity_hours, 1000 * basis_s / 3600);
    }
  }
  await service.close();
});

Deno.test("the union of groups is their weighted mean at every interval", async () => {
  const first = dayNumber("2024-01-01");
  const choice = fc.array(
    fc.record({
      basis: fc.integer({ min: 0, max: 40_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 12, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(choice, async (cells) => {
      const days = cells.map(({ basis, share }, i) => ({
        day: first + Math.floor(i / 4) * 15,
        no: i % 4 + 1,
        basis_s: basis,
        unavailable_s: basis * share,
      }));
      const service = await openService(days);
      const range = "project_ids=p1&project_ids=p2&dt_start=2024-01-01&dt_end=2024-02-10";
      const [capacity, lost] = ["basis_s", "unavailable_s"].map((name) =>
        days.reduce(
          (sum, it) => sum + it[name as "basis_s"] * capacity_kw[it.no - 1] / 3600,
          0,
        )
      );
      for (const group_by of ["", "&group_by=project_id", "&group_by=block_id"]) {
        for (const interval of ["OneDay", "OneWeek", "OneMonth", "Full"]) {
          const rows = await service.rows(`${range}${group_by}&time_interval=${interval}`);
          const sum = (name: string) => rows.reduce((all, row) => all + Number(row[name]), 0);
          near(sum("capacity_hours"), capacity, 1e-6 * (1 + capacity));
          near(sum("unavailable_capacity_hours"), lost, 1e-6 * (1 + capacity));
          const weighted = rows.reduce(
            (all, row) => all + Number(row.availability ?? 0) * Number(row.capacity_hours),
            0,
          );
          near(weighted, capacity - lost, 1e-6 * (1 + capacity));
        }
      }
      await service.close();
    }),
    { numRuns: 5 },
  );
});

Deno.test("availability streams in every format", async () => {
  const service = await openService(vector_days);
  for (
    const [accept, type] of [
      ["*/*", "application/vnd.apache.arrow.stream"],
      ["application/vnd.apache.parquet", "application/vnd.apache.parquet"],
      ["application/json-seq", "application/json-seq"],
      ["text/csv", "text/csv"],
    ]
  ) {
    const response = await service.get(`project_ids=p1&${day}`, { headers: { accept } });
    equal(response.status, 200);
    equal(response.headers.get("content-type"), type);
    ok((await response.bytes()).length > 100);
  }
  const csv = await (await service.get(`project_ids=p1&${day}&format=csv`)).text();
  match(csv, /^bucket_start,project_id,svc_block_id,hierarchy_id,sentinel_tag,capacity_hours,/);
  match(csv, /,0,0,,1,0,true\r?\n$/);
  await service.close();
});

Deno.test("include=known tells how much of the daylight is known, at every interval", async () => {
  const service = await openService(vector_days);
  const [, , , fourth] = await service.rows(
    `project_ids=p1&project_ids=p2&${day}&include=known`,
  );
  deepEqual([fourth.known_capacity_hours, fourth.daylight_capacity_hours], [2500, 5000]);
  for (const interval of ["OneDay", "OneWeek", "OneMonth", "Full"]) {
    const [row] = await service.rows(
      `project_ids=p2&${day}&group_by=project_id&include=known&time_interval=${interval}`,
    );
    deepEqual([row.known_capacity_hours, row.daylight_capacity_hours], [2500, 5000]);
  }
  const [none] = await service.rows(
    "project_ids=p1&dt_start=2024-03-11&dt_end=2024-03-11&" +
      "include=known&group_by=project_id",
  );
  deepEqual([none.known_capacity_hours, none.daylight_capacity_hours], [0, 0]);
  await service.close();
});

const refusals = [
  [`project_ids=p1&${day}&time_interval=OneHour`, "time_interval", /one of OneDay, OneWeek/],
  [`project_ids=p1&${day}&time_interval=OneWeeks`, "time_interval", /meant OneWeek\?/],
  [`project_ids=p1&${day}&definition=contract`, "definition", /give iec_time_based/],
  [`project_ids=p1&${day}&group_by=project`, "group_by", /meant project_id\?/],
  [`project_ids=p1&${day}&component=inverter`, "component", /no such parameter/],
  ["project_ids=p1&dt_start=2024-03-10", "dt_end", /is required/],
  ["project_ids=p1&dt_start=2024-03-10&dt_end=2024-03-09", "dt_end", /not be before dt_start/],
  ["project_ids=p1&dt_start=2024-02-30&dt_end=2024-03-09", "dt_start", /YYYY-MM-DD/],
  [day, "project_ids", /is required/],
  [`project_ids=p1&project_ids=p3&${day}`, "project_ids", /one organization/],
] as const;

Deno.test("wrong parameters are refused by their name", async () => {
  const service = await openService([]);
  for (const [query, path, message] of refusals) {
    const response = await service.get(query);
    const { errors } = await response.json();
    equal(response.status, 400, query);
    equal(errors[0].path, path);
    match(errors[0].message, message);
  }
  const unknown = await service.get(`project_ids=p1&project_ids=nobody&${day}`);
  equal(unknown.status, 403);
  await unknown.body?.cancel();
  const long = "project_ids=p1&dt_start=1970-01-01&dt_end=2199-12-31&time_interval=Full";
  equal((await service.rows(long)).length, 3);
  await service.close();
});

Deno.test("a switched-off noun answers 501 on all its routes, after the token", async () => {
  const service = await openService([], { planned_off: "availability" });
  const base = "/platform/v1/availability";
  const calls = [["GET", base], ["GET", `${base}/timeline`], ["GET", `${base}/overrides`]];
  for (const [method, path] of [...calls, ["POST", `${base}/overrides`]]) {
    const response = await service.fetch(path, { method });
    equal(response.status, 501, path);
    match((await response.json()).detail, /is switched off at this site/);
    const stranger = await service.fetch(path, { method, headers: { authorization: "Bearer x" } });
    equal(stranger.status, 401);
    await stranger.body?.cancel();
  }
  const losses = await service.fetch(`/platform/v1/losses?project_ids=p1&${day}`);
  equal(losses.status, 200);
  await losses.body?.cancel();
  await service.close();
});
