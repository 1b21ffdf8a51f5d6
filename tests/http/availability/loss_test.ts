// GET /platform/v1/losses: the parts sum to the whole; what has no account is not made up.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { loss_columns } from "../../../src/model/availability/loss.ts";
import { hierarchyOf, putDays, putInverters, type TestDay } from "../../help/inverter_day.ts";
import { testService } from "../../help/service.ts";

const project = {
  project_no: 1,
  id: "p1",
  organization_id: "org",
  key: "p1",
  name: "P1",
  portfolio: null,
  timezone: "America/Denver",
};
const site = {
  site_no: 1,
  project_no: 1,
  id: "s",
  key: "s",
  name: "S",
  latitude: 40,
  longitude: -105,
};
const inverters = [1, 2].map((no) => (
  { no, project_no: 1, site_no: 1, capacity: 1e6, block_id: `b${no}` }
));

const first = dayNumber("2023-12-30");

/** Four days of two inverters around a new year. */
const days: readonly TestDay[] = Array.from({ length: 8 }, (_, i) => ({
  day: first + Math.floor(i / 2),
  no: i % 2 + 1,
  daylight_s: 36_000,
  basis_s: 36_000,
  expected_wh: 1000 * (i + 1),
  produced_wh: 700 * (i + 1),
  unavailable_wh: 100 * (i + 1),
  curtailed_wh: 50 * i,
  clipped_wh: 25,
}));

type Row = Record<string, string | number | boolean | null>;

async function openService(stored: readonly TestDay[]) {
  const service = await testService({ at: "2024-06-01T12:00:00Z" });
  const { database, catalog } = service.services;
  await putInverters(database, { projects: [project], sites: [site], inverters });
  await putDays(database, stored);
  await catalog.reload();
  const get = (query: string) =>
    service.fetch(`/platform/v1/losses?project_ids=p1&format=json&${query}`);
  const rows = async (query: string): Promise<Row[]> => {
    const response = await get(query);
    const text = await response.text();
    equal(response.status, 200, text);
    return JSON.parse(text);
  };
  return { ...service, get, rows };
}

const parts = [
  "produced_energy",
  "unavailability_loss",
  "curtailment_loss",
  "clipping_loss",
  "other_loss",
];
const range = "dt_start=2023-12-30&dt_end=2024-01-02";

Deno.test("a row of losses has its declared columns", async () => {
  const service = await openService(days);
  const [row] = await service.rows(range);
  deepEqual(row, {
    bucket_start: "2023-12-30",
    project_id: "p1",
    svc_block_id: "b1",
    hierarchy_id: hierarchyOf(1),
    sentinel_tag: "default",
    expected_energy: 1000,
    produced_energy: 700,
    unavailability_loss: 100,
    curtailment_loss: 0,
    clipping_loss: 25,
    other_loss: 175,
    inverter_count: 1,
    is_partial: false,
  });
  deepEqual(Object.keys(row), loss_columns.map((column) => column.name));
  await service.close();
});

Deno.test("the parts sum to the whole in every interval and group", async () => {
  const service = await openService(days);
  for (const interval of ["OneDay", "OneWeek", "OneMonth", "OneYear", "Full"]) {
    for (const group of ["", "&group_by=project_id", "&group_by=block_id"]) {
      const rows = await service.rows(`${range}&time_interval=${interval}${group}`);
      const sum = (name: string) => rows.reduce((all, row) => all + Number(row[name]), 0);
      equal(sum("expected_energy"), 36_000);
      for (const row of rows) {
        const whole = parts.reduce((all, name) => all + Number(row[name]), 0);
        ok(Math.abs(whole - Number(row.expected_energy)) < 1e-6);
        equal(row.is_partial, false);
      }
    }
  }
  const years = await service.rows(`${range}&time_interval=OneYear&group_by=project_id`);
  deepEqual(years.map((row) => [row.bucket_start, row.expected_energy, row.inverter_count]), [
    ["2023-01-01", 10_000, 2],
    ["2024-01-01", 26_000, 2],
  ]);
  await service.close();
});

Deno.test("days without a model or a value are in no sum and make a row partial", async () => {
  const [a, b, c, d] = days;
  const { expected_wh: _, ...no_model } = b;
  const { produced_wh: __, ...no_value } = c;
  const night = { day: d.day, no: d.no, daylight_s: 0 };
  const service = await openService([a, no_model, no_value, night]);
  const two = "dt_start=2023-12-30&dt_end=2023-12-31";
  const rows = await service.rows(two);
  deepEqual(rows.map((row) => [row.expected_energy, row.other_loss, row.is_partial]), [
    [1000, 175, false],
    [null, null, true],
    [null, null, true],
    [null, null, false],
  ]);
  const [total] = await service.rows(`${two}&time_interval=Full&group_by=project_id`);
  deepEqual([total.expected_energy, total.produced_energy, total.is_partial], [1000, 700, true]);
  const [later] = await service.rows("dt_start=2024-03-01&dt_end=2024-03-01&group_by=project_id");
  deepEqual([later.expected_energy, later.is_partial, later.inverter_count], [null, true, 2]);
  await service.close();
});

Deno.test("an interval below a day is refused", async () => {
  const service = await openService([]);
  const response = await service.get(`${range}&time_interval=OneHour`);
  equal(response.status, 400);
  match((await response.json()).errors[0].message, /OneDay, OneWeek, OneMonth, OneYear, Full/);
  await service.close();
});
