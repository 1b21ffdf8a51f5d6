// Days that are computed again: the list of them, and the header of answers whose figures they are.
import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { pendingOf } from "../../../src/engine/rollup/pending.ts";
import type { Project } from "../../../src/model/plant/plant.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { Database } from "../../../src/store/database.ts";
import { markTagsStale } from "../../../src/store/rollup/stale.ts";
import { fakeEffects } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";

const header = "x-svc-pending-days";
const path = "/platform/v1/performance/pending";
const june = "dt_start=2026-06-01&dt_end=2026-06-30";

type Change = { readonly scale?: number; readonly state?: string };

const siteFile = (
  key: string,
  timezone: string,
  { scale = 1, state = "full_capability" }: Change,
) => ({
  version: 1,
  organization: { key: "org", name: "Org" },
  project: { key, name: key, timezone },
  site: { key, name: key, latitude: 40, longitude: -88 },
  device_models: [{ key: "model", status: { 1: state } }],
  devices: [{ key: "inv", type: "inverter", name: "Inv", device_model: "model" }],
  sensors: [{ tag: "p", device: "inv", measure: "active_power", scale }],
});

/** A service with two plants, each with samples of 3 to 5 June by UTC, rolled up. */
async function openPlants() {
  const service = await testService({ at: "2026-06-20T12:00:00Z" });
  const json = { "content-type": "application/json" };
  const apply = async (key: string, timezone: string, change: Change = {}) => {
    const body = JSON.stringify(siteFile(key, timezone, change));
    const answer = await service.fetch(`/admin/v1/sites/${key}`, {
      ...{ method: "PUT", headers: json, body },
    });
    equal(answer.status, 200, await answer.text());
  };
  await apply("east", "Asia/Tokyo");
  await apply("west", "America/Chicago");
  const send = async (key: string, lines: readonly string[]) => {
    const answer = await service.fetch(`/ingest/v1/signals?project_id=${key}`, {
      ...{ method: "POST", headers: { "content-type": "application/x-ndjson" } },
      body: lines.join("\n"),
    });
    equal(answer.status, 200, await answer.text());
  };
  for (const key of ["east", "west"]) {
    // The last one is not carried on into the next day.
    const lines = Array.from({ length: 3 * 96 - 1 }, (_, i) => {
      const ts = new Date(Date.parse("2026-06-03") + i * 900_000).toISOString();
      return JSON.stringify({ tag: "p", ts, value: 50_000 });
    });
    await send(key, lines);
  }
  await service.settle();
  const list = async (query: string, token = service.token) => {
    const answer = await service.fetch(`${path}?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, said: await answer.json() };
  };
  const told = async (asked: string) => {
    const answer = await service.fetch(asked);
    const text = await answer.text();
    equal(answer.status, 200, text);
    return answer.headers.get(header);
  };
  const projectOf = (key: string) =>
    service.services.catalog.projects.find((it) => it.key === key)!;
  return { ...service, apply, send, list, told, projectOf };
}

const inverters = "component=inverter&component_measure=active_power";
/** Every answer of figures, by its project and days. */
const figures = [
  (key: string, days: string) =>
    `/platform/v1/performance-v2?project_ids=${key}&${days}&${inverters}&time_interval=OneDay`,
  (key: string, days: string) =>
    `/platform/v1/performance?project_id=${key}&${days}&${inverters}&interval=OneDay`,
  (key: string, days: string) => `/platform/v1/losses?project_ids=${key}&${days}`,
  (key: string, days: string) => `/platform/v1/losses/timeline?project_id=${key}&${days}`,
  (key: string, days: string) => `/platform/v1/availability?project_ids=${key}&${days}`,
  (key: string, days: string) => `/platform/v1/availability/timeline?project_id=${key}&${days}`,
];

Deno.test("after a change of the site file days wait until they are computed again", async () => {
  const { list, told, apply, settle, projectOf, close } = await openPlants();
  const both = `project_ids=east&project_ids=west&${june}`;
  deepEqual(await list(both), { status: 200, said: [] });
  for (const pathOf of figures) equal(await told(pathOf("west", june)), null);
  await apply("west", "America/Chicago", { scale: 2 });
  const { id } = projectOf("west");
  // 3 to 5 June by UTC begin on the 2nd in Chicago.
  const row = { project_id: id, first_day: "2026-06-02", last_day: "2026-06-05", days: 4 };
  deepEqual(await list(both), { status: 200, said: [{ ...row, tag_days: 3 }] });
  const days = "dt_start=2026-06-04&dt_end=2026-06-04";
  deepEqual(
    (await list(`project_ids=west&${days}`)).said,
    [{ ...row, first_day: "2026-06-04", last_day: "2026-06-04", days: 1, tag_days: 2 }],
  );
  for (const pathOf of figures) {
    for (const format of ["json", "csv", "arrow", "parquet"]) {
      equal(await told(`${pathOf("west", june)}&format=${format}`), "4");
    }
    equal(await told(pathOf("west", days)), "1");
    equal(await told(pathOf("west", "dt_start=2026-06-06&dt_end=2026-06-09")), null);
    equal(await told(pathOf("east", june)), null);
  }
  await settle();
  deepEqual(await list(both), { status: 200, said: [] });
  for (const pathOf of figures) equal(await told(pathOf("west", june)), null);
  await close();
});

Deno.test("states and losses that follow are waited for, also where nothing else is", async () => {
  const { apply, send, told, list, projectOf, services, close } = await openPlants();
  const { roll, availability } = services;
  await apply("west", "America/Chicago", { scale: 2 });
  await roll.settle();
  const { id: project_id } = projectOf("west");
  const days = { first_day: "2026-06-02", last_day: "2026-06-05", days: 4 };
  const row = { project_id, ...days, tag_days: 0 };
  const waiting = async () => (await list(`project_ids=west&${june}`)).said;
  deepEqual(await waiting(), [row]);
  for (const pathOf of figures) equal(await told(pathOf("west", june)), "4");
  await availability.settle();
  deepEqual(await waiting(), []);
  // What a status code means concerns no sample.
  await apply("west", "America/Chicago", { scale: 2, state: "forced_outage" });
  deepEqual(await waiting(), [row]);
  equal(await told(figures[4]("west", june)), "4");
  await roll.settle();
  deepEqual(await waiting(), [row]);
  await availability.settle();
  deepEqual(await waiting(), []);
  // Late samples wait for no day, although states follow them, too.
  await send("west", [JSON.stringify({ tag: "p", ts: "2026-06-04T18:01:00Z", value: 1 })]);
  await roll.settle();
  deepEqual(await waiting(), []);
  await close();
});

Deno.test("what is marked waits also where a pass runs before its write ends", async () => {
  const { services, told, close } = await openPlants();
  const { database, roll, availability, catalog } = services;
  const tags = catalog.sensors.map(({ tag_no }) => tag_no);
  const passes: Promise<void>[] = [];
  await database.write(async (write) => {
    await roll.markStale(write, tags);
    let is_over = false;
    const settled = roll.settle().then(() => availability.settle());
    passes.push(settled.then(() => void (is_over = true)));
    for (let i = 0; i < 100 && !is_over; i++) await database.read((it) => it.script("SELECT 1"));
  });
  equal(await told(figures[0]("west", june)), "4");
  await Promise.all(passes);
  await close();
});

Deno.test("days are of each plant's calendar, and in hours that are asked for", async () => {
  const { list, told, services, close } = await openPlants();
  const from = (at: string) => Date.parse(at) * 1000;
  const all = services.catalog.sensors.map(({ tag_no }) => tag_no);
  const span = { from_us: from("2026-06-04T00:00Z"), to_us: from("2026-06-04T01:00Z") };
  await services.database.write((write) => services.roll.markStale(write, all, span));
  // A mark more is no day more.
  await services.database.write((write) => markTagsStale(write, all, span));
  const daysOf = async (query: string) => {
    const { said } = await list(`project_ids=east&project_ids=west&${query}`);
    return Object.fromEntries(
      said.map((row: Record<string, string>) => [
        services.catalog.projects.find(({ id }) => id === row.project_id)!.key,
        [row.first_day, row.last_day, row.days, row.tag_days],
      ]),
    );
  };
  deepEqual(await daysOf(june), {
    east: ["2026-06-04", "2026-06-05", 2, 2],
    west: ["2026-06-03", "2026-06-04", 2, 2],
  });
  // Until midnight by UTC, when it is nine o'clock in Tokyo.
  deepEqual(await daysOf("dt_start=2026-06-03T20:00:00Z&dt_end=2026-06-04T00:00:00Z"), {});
  deepEqual(await daysOf("dt_start=2026-06-03T20:00:00Z&dt_end=2026-06-04T00:01:00Z"), {
    east: ["2026-06-04", "2026-06-04", 1, 2],
    west: ["2026-06-03", "2026-06-03", 1, 2],
  });
  const hours = "dt_start=2026-06-05T09:00&dt_end=2026-06-05T12:00";
  equal(await told(figures[0]("east", hours)), null);
  equal(await told(figures[0]("east", hours.replace("T09:00", "T08:00"))), "1");
  await close();
});

Deno.test("who asks for what waits is refused as with performance", async () => {
  const { list, apply, services, projectOf, close } = await openPlants();
  await apply("west", "America/Chicago", { scale: 2 });
  const project = projectOf("east");
  const { token } = await services.access.create({
    ...{ name: "east", organization_id: project.organization_id, project_ids: [project.id] },
    ...{ scopes: ["read"], expires_at: null },
  });
  deepEqual(await list(`project_ids=east&${june}`, token), { status: 200, said: [] });
  for (
    const [query, status, words] of [
      [`project_ids=west&${june}`, 403, /project/],
      [`project_ids=east&project_ids=west&${june}`, 403, /project/],
      [june, 400, /project_ids/],
      ["project_ids=east&dt_start=2026-06-01", 400, /dt_end/],
      ["project_ids=east&dt_start=2026-06-31&dt_end=2026-07-01", 400, /dt_start/],
      ["project_ids=east&dt_start=2026-06-02&dt_end=2026-06-01", 400, /swapped/],
      [`project_ids=east&${june}&days=3`, 400, /days/],
    ] as const
  ) {
    const answer = await list(query, token);
    equal(answer.status, status, query);
    match(JSON.stringify(answer.said), words);
  }
  await close();
});

Deno.test("a link tells of the answer that it keeps, whatever waits by then", async () => {
  const { told, apply, fetch, settle, clock, close } = await openPlants();
  await apply("west", "America/Chicago", { scale: 2 });
  const read = figures[0]("west", june);
  const made = await fetch("/platform/v1/links", {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ name: "june", read, format: "csv" }),
  });
  const { pathname } = new URL((await made.json()).url);
  const etagOf = async () => (await fetch(pathname, { method: "HEAD" })).headers.get("etag");
  equal(await told(pathname), "4");
  const etag = await etagOf();
  await settle();
  equal(await told(pathname), "4", "it is the answer of before");
  clock.advance(6_000);
  equal(await told(pathname), null);
  await apply("west", "America/Chicago");
  equal(await told(pathname), null, "nor is this one of now");
  const settled = await etagOf();
  clock.advance(6_000);
  equal(await told(pathname), "4");
  notEqual(await etagOf(), settled, "the figures are the same, and not the header");
  notEqual(etag, settled);
  await close();
});

Deno.test("nothing is asked of the database where nothing can wait", async () => {
  const database = {
    read: () => {
      throw new Error("nothing is asked");
    },
  } as unknown as Database;
  const projects = [{ project_no: 1, timezone: "UTC" } as Project];
  const range = { from_day: dayNumber("2026-06-01"), to_day: dayNumber("2026-07-01") };
  const parts = {
    ...{ database, effects: fakeEffects().effects },
    catalog: { fallbacks: [], sensors: [], sites: [] },
    ...{ roll: { state: { may_be_stale: false } }, availability: { may_be_stale: false } },
  };
  deepEqual(await pendingOf(parts, { projects, range }), []);
});
