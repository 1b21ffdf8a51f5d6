// A fleet answers what concerns projects of several shards as one service does, byte for byte.
import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { textOf } from "../../../src/base/bytes.ts";
import { markOf } from "../../../src/engine/core/gather.ts";
import type { Scope } from "../../../src/model/access/token.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { ComponentName, MeasureName } from "../../../src/model/plant/measure.ts";
import type { Project, Sensor, Site } from "../../../src/model/plant/plant.ts";
import type { Database } from "../../../src/store/database.ts";
import { decodePart } from "../../../src/wire/bytes/part.ts";
import { format_names } from "../../../src/wire/format.ts";
import { singleAndFleet, type TestFleet } from "../../help/fleet.ts";
import { insertRows, putDays, type TestDay } from "../../help/inverter_day.ts";
import {
  lightAt,
  type PlacedReading,
  putPlant,
  putReadings,
  testSensor,
} from "../../help/reading.ts";

const at = "2026-06-01T12:00:00Z";

/** Where each project lies: the first and the last in one shard. */
const shard_of = [1, 2, 3, 1];
const zones = ["America/Chicago", "Europe/Madrid", "Australia/Lord_Howe", "America/Chicago"];
const projects: readonly Project[] = zones.map((timezone, i) => ({
  ...{ project_no: i + 1, id: `p${i + 1}`, key: `key-${i + 1}`, name: `P ${i + 1}`, timezone },
  ...{ organization_id: "org", portfolio: i < 2 ? "north" : null },
}));
const sites: readonly Site[] = projects.map(({ project_no }) => ({
  ...{ site_no: project_no, project_no, id: `s${project_no}`, key: `s${project_no}`, name: "S" },
  ...{ latitude: 40 - 20 * project_no, longitude: -87.6 },
}));

const kinds: readonly (readonly [ComponentName, MeasureName])[] = [
  ["inverter", "active_power"],
  ["inverter", "power_factor"],
  ["meter", "energy"],
];

/** Of each project, two of each kind: one in a block, and one in none where that is so. */
const sensors: readonly Sensor[] = projects.flatMap(({ project_no }, i) =>
  kinds.flatMap(([component, measure], kind) =>
    [0, 1].map((place) => {
      const sensor_no = 1 + (i * kinds.length + kind) * 2 + place;
      return testSensor({ sensor_no, project_no, site_no: project_no, component, measure }, {
        device_id: `device-${component}-${i}-${place}`,
        block_id: component === "meter" ? null : `block-${i}-${place}`,
        capacity: measure === "active_power" ? 1000 * sensor_no : null,
      });
    })
  )
);
const inverters = sensors.filter(({ measure }) => measure === "active_power");

const first_day = dayNumber("2026-04-04");

/** Scattered minutes of two days, in whose middle a clock of Lord Howe shows half an hour twice. */
function readingsOf({ sensor_no, project_no, measure }: Sensor): readonly PlacedReading[] {
  const first = first_day * 1440 - 600;
  return Array.from({ length: 300 }, (_, i) => first + 11 * i + (i * sensor_no) % 7).map(
    (minute) => {
      const value = Math.round(1000 * Math.sin(sensor_no * minute)) / 7;
      const has_setpoint = measure === "active_power" && project_no === 2;
      return {
        ...{ sensor_no, minute, value, model: (minute * sensor_no) % 900 / 3 },
        ...(has_setpoint ? { value_setpoint: value + 1.5, model_setpoint: 100 / 3 } : {}),
        ...lightAt(sites[project_no - 1], zones[project_no - 1], minute),
      };
    },
  );
}

const days: readonly TestDay[] = inverters.flatMap(({ sensor_no: no }, i) =>
  [0, 1].map((day) => ({
    ...{ day: first_day + day, no, daylight_s: 36_000, basis_s: 36_000 - 77 * i },
    ...{ unavailable_s: 100 * i, expected_wh: 1000 / (i + 3), produced_wh: 700 / (i + 3) },
    ...{ unavailable_wh: i / 3, curtailed_wh: 5, clipped_wh: 1 / 7 },
  }))
);

/** Puts the plants of some projects into a database. */
async function put(
  { database, catalog }: { database: Database; catalog: { reload: () => Promise<void> } },
  isOwn: (project_no: number) => boolean,
): Promise<void> {
  const own = <T extends { project_no: number }>(rows: readonly T[]) =>
    rows.filter(({ project_no }) => isOwn(project_no));
  await putPlant(database, { projects: own(projects), sites: own(sites), sensors: own(sensors) });
  await insertRows(
    database,
    "device",
    own(inverters).map(({ device_id, site_no }) => (
      { id: device_id, site_no, key: device_id, name: device_id, type: "inverter" }
    )),
  );
  const numbers = new Set(own(sensors).map(({ sensor_no }) => sensor_no));
  await putReadings(database, own(sensors).flatMap(readingsOf));
  await putDays(database, days.filter(({ no }) => numbers.has(no)));
  await catalog.reload();
}

/** What of an answer is the same whenever it is asked for. */
async function saidBy(response: Response) {
  const headers = Object.fromEntries(response.headers);
  const { "x-request-id": id, ...kept } = headers;
  const text = new TextDecoder("latin1").decode(await response.bytes()).replaceAll(id, "id");
  return { status: response.status, headers: kept, body: text };
}

const everywhere = "project_ids=p1&project_ids=key-2&project_ids=p3&project_ids=p4";
const span = "dt_start=2026-04-04&dt_end=2026-04-05";
const power = "component=inverter&component_measure=active_power";
const performance = `/platform/v1/performance-v2?${everywhere}&${power}`;

/** One row over the sensors of several shards. */
const meters = `${performance}&${span}&group_by=block_id&format=csv`
  .replace(power, "component=meter&component_measure=energy");

const asked: readonly string[] = [
  ...["Full", "OneHour", "OneDay&include=matched"].map((it) => `${meters}&time_interval=${it}`),
  ...format_names.map((format) => `${performance}&${span}&time_interval=OneHour&format=${format}`),
  ...["Full", "OneDay", "OneMonth", "ThirtyMinutes", "TenMinutes"].flatMap((interval) =>
    ["", "&group_by=project_id", "&group_by=block_id", "&group_by=hierarchy_id"].map((group) =>
      `${performance}&${span}&time_interval=${interval}&use_solar_bounds=false${group}&format=csv`
    )
  ),
  `${performance}&${span}&time_interval=OneHour&include=matched&include=evidence&include=ts_utc` +
  "&include=forecast&format=arrow",
  `${performance}&${span}&time_interval=OneHour&group_by=project_id&include=ts_utc&format=parquet` +
  "&columns=ts_utc,project_id,performance_index,sensor_value",
  `${performance}&${span}&time_interval=OneMinute&format=arrow`,
  `/platform/v1/performance-v2?${everywhere}&component=inverter&component_measure=power_factor` +
  `&${span}&time_interval=OneHour&group_by=project_id&format=ndjson`,
  `${performance}&dt_start=2026-04-04T11:00:00Z&dt_end=2026-04-04T18:30:00Z&time_interval=Full` +
  "&format=csv",
  // More cells than are read at once: only the days with data are.
  `${performance}&dt_start=2010-01-01&dt_end=2026-05-30&time_interval=OneHour` +
  "&use_solar_bounds=false&format=csv",
  `${performance}&${span}&time_interval=OneDay&hierarchy_ids=hierarchy-001&format=json`,
  ...["availability", "losses"].flatMap((noun) => [
    ...format_names.map((format) => `/platform/v1/${noun}?${everywhere}&${span}&format=${format}`),
    `/platform/v1/${noun}?${everywhere}&${span}&group_by=project_id&time_interval=Full&format=csv`,
    `/platform/v1/${noun}?${everywhere}&${span}&include=ts_utc&time_interval=OneWeek&format=json`,
  ]),
  // What is refused.
  `${performance}&${span}&time_interval=OneHour&columns=sensor_valu`,
  `${performance}&${span}&time_interval=Hour`,
  `${performance}&dt_start=2026-04-04T11:00&dt_end=2026-04-05&time_interval=OneHour`,
  `${performance}&dt_start=2026-04-06&dt_end=2026-04-05&time_interval=OneHour`,
  `${performance}&dt_start=1970-01-01&dt_end=2190-01-01&time_interval=OneMinute`,
  `${performance}&${span}&time_interval=OneHour&format=xml`,
  `${performance}&project_ids=nowhere&${span}&time_interval=OneHour`,
  "/platform/v1/signals?project_id=p1&project_id=p2&received_since=2026-04-04T00:00:00Z",
  `/platform/v1/alarms?project_id=p1&project_ids=p2`,
];

type Step = readonly [title: string, run: (fleet: TestFleet) => Promise<void>];

/** With a shard away there is no part of an answer, and others answer. */
async function answersWholeOnly(fleet: TestFleet): Promise<void> {
  fleet.away.add(2);
  const all = await fleet.fetch(asked[0]);
  deepEqual([all.status, all.headers.get("retry-after")], [503, "2"], await all.text());
  equal((await fleet.fetch(asked[0].replace("project_ids=key-2&", ""))).status, 200);
  fleet.away.delete(2);
}

/** A shard that moves is waited for, and so is the home. */
async function waitsForMoves(fleet: TestFleet): Promise<void> {
  const wanted = await (await fleet.fetch(asked[0])).text();
  for (const no of [0, 2]) {
    fleet.away.add(no);
    fleet.moving.add(no);
    const answer = await fleet.fetch(asked[0]);
    deepEqual([answer.status, await answer.text()], [200, wanted]);
    equal(fleet.away.has(no), false, "it was waited for");
  }
}

/** Only who may read the projects gets their parts. */
async function keepsReach(fleet: TestFleet): Promise<void> {
  const { token } = await fleet.home.services.access.create({
    ...{ name: "of p1", organization_id: "org", project_ids: ["p1"], scopes: ["read"] },
    expires_at: null,
  });
  await fleet.tell();
  const headers = {
    authorization: `Bearer ${token}`,
    "x-fleet-part": JSON.stringify({ want: "groups", range: { from_day: 0, to_day: 1 } }),
    // What only a node may say is not believed.
    "x-fleet-parts": encodeURIComponent('[["p2"]]'),
  };
  const ask = (project: string) =>
    fleet.fetch(`${performance}&${span}&time_interval=OneDay`.replace(everywhere, project), {
      headers,
    });
  equal((await ask("project_ids=p2")).status, 403);
  equal((await ask("project_ids=p1&project_ids=p2")).status, 403);
  const own = await ask("project_ids=p1");
  match(own.headers.get("content-type")!, /wattkeeper-part/);
  doesNotMatch(await own.text(), /p2/);
}

/** What a shard says of its projects, to a question of who puts an answer together. */
async function partOf(fleet: TestFleet, path: string, question: object) {
  const answer = await fleet.fetch(path, { headers: { "x-fleet-part": JSON.stringify(question) } });
  const said = await answer.bytes();
  return answer.ok
    ? { status: 200, ...decodePart(said) }
    : { status: answer.status, text: textOf(said), facts: [] };
}

/** Numbers are of the groups that were told, and cost no more than an answer of one service. */
async function saysNothingElse(fleet: TestFleet): Promise<void> {
  const range = { from_day: first_day, to_day: first_day + 2 };
  const slab = { range, from: 0, to: 1 };
  const cells = { want: "cells", timezones: [zones[0]], is_single: true, ...slab };
  const reads = [
    [`${performance}&${span}&time_interval=OneDay`, cells],
    [`/platform/v1/losses?${everywhere}&${span}`, { want: "sums", is_plain: true, ...slab }],
  ] as const;
  for (const [path, question] of reads) {
    const own = path.replace(everywhere, "project_ids=p1");
    const { facts } = await partOf(fleet, own, { want: "groups", range });
    const groups = markOf(facts as readonly object[]);
    equal((await partOf(fleet, own, { ...question, groups })).status, 200, path);
    const others = markOf((facts as readonly object[]).slice(1));
    equal((await partOf(fleet, own, { ...question, groups: others })).status, 503, path);
    equal((await partOf(fleet, own, question)).status, 400, path);
    // Asked of several shards, the home has nothing to say for them.
    equal((await partOf(fleet, path, { want: "groups", range })).status, 503, path);
    const far = { ...question, groups, range: { from_day: 2 ** 31 - 3, to_day: 2 ** 31 - 1 } };
    equal((await partOf(fleet, own, far)).status, 400, "a day that no request can name");
    const long = { from_day: 0, to_day: 20_000 };
    if (question.want !== "cells") continue;
    const elsewhere = await partOf(fleet, own, { ...question, groups, timezones: [zones[1]] });
    equal(elsewhere.status, 400, "without the zone of its project");
    const costly = await partOf(fleet, `${own}&include=stats`.replace("OneDay", "Full"), {
      ...{ ...question, range: long, groups },
    });
    match(`${costly.status} ${costly.text}`, /^400 .*Statistics read/);
  }
}

/** A link is kept by the shard of its project, and found from anywhere. */
async function findsLinks(fleet: TestFleet): Promise<void> {
  const made = await Promise.all(["p3", "p1"].map(async (project) => {
    const read = `/platform/v1/meta/tags?project_id=${project}`;
    const answer = await fleet.fetch("/platform/v1/links", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: project, read, format: "json" }),
    });
    equal(answer.status, 201, await answer.clone().text());
    return await answer.json();
  }));
  await fleet.tell();
  const { links } = await (await fleet.fetch("/platform/v1/links")).json();
  deepEqual(links.map(({ name }: { name: string }) => name).toSorted(), ["p1", "p3"]);
  const path = new URL(made[0].url).pathname;
  const tags = await (await fleet.fetch(path)).json();
  match(tags[0].sensor_tag, /^tag-13$/);
  const everywhere = await fleet.fetch("/platform/v1/links", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "all", read: "/platform/v1/gateways", format: "json" }),
  });
  equal(everywhere.status, 501, "it would read a part");
  match(await everywhere.text(), /ask for it with an access token/);
  await fleet.fetch(`/platform/v1/links/${made[0].id}`, { method: "DELETE" });
  equal((await fleet.fetch(path)).status, 404);
  equal((await fleet.fetch(path.replace(made[0].id, "no-such"))).status, 404);
}

/** What a body says of projects is asked of their one shard, or refused. */
async function asksByBody(fleet: TestFleet): Promise<void> {
  const ask = async (projects: readonly string[] | undefined, authorization?: string) => {
    const answer = await fleet.fetch("/platform/v1/query", {
      method: "POST",
      headers: {
        // What follows the type says nothing of it.
        "content-type": "application/json; form=toml",
        ...(authorization && { authorization }),
      },
      body: JSON.stringify({ sql: "SELECT no_such FROM signals", projects }),
    });
    return [answer.status, await answer.text()] as const;
  };
  const [together, said] = await ask(undefined);
  equal(together, 501);
  match(said, /p1 with p4; p2; p3/);
  equal((await ask(["p2", "p3"]))[0], 501);
  equal((await ask(["nowhere"]))[0], 403);
  // It is asked, and is no question.
  equal((await ask(["p1", "key-4"]))[0], 400);
  // Where projects lie is not for everybody to know.
  equal((await ask(["p1", "p2"], "Bearer wk_none"))[0], 401);
  const token = await tokenOf(fleet, { organization_id: "org", project_ids: ["p1"] }, "query");
  equal((await ask(["p1", "p2"], `Bearer ${token}`))[0], 403);
}

/** Every shard has its part of retention, metrics and gateways. */
async function asksAll(fleet: TestFleet): Promise<void> {
  const { growth, due } = await (await fleet.fetch("/admin/v1/retention")).json();
  deepEqual([due, growth.full_on], [[], null]);
  const metrics = await (await fleet.fetch("/metrics")).text();
  // Those that this node holds.
  for (const no of [0, 1, 2, 3]) equal(metrics.includes(`{shard="${no}"`), no % 2 === 1);
  equal(metrics.match(/# TYPE wattkeeper_http_requests_total /g)?.length, 1);
  const heard = await fleet.fetch("/ingest/v1/gateways", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "g", version: "1", lag_s: 0, waiting_rows: 0, lost_rows: 0 }),
  });
  const told = await heard.json();
  equal(heard.status, 200, JSON.stringify(told));
  equal(told.projects.length, projects.length);
  const listed = await (await fleet.fetch("/platform/v1/gateways")).json();
  deepEqual(listed.map(({ name }: { name: string }) => name), ["g"]);
  // Each shard of its projects has heard it.
  for (const { services } of fleet.shards) equal(services.gateways.list().length, 1);
  fleet.away.add(3);
  for (const path of ["/admin/v1/retention", "/platform/v1/gateways", "/platform/v1/links"]) {
    equal((await fleet.fetch(path)).status, 503, path);
  }
}

/** A token that reads, and does one thing more. */
async function tokenOf(
  fleet: TestFleet,
  reach: { readonly organization_id: string; readonly project_ids: readonly string[] | null },
  scope: Scope,
): Promise<string> {
  const { token } = await fleet.home.services.access.create({
    ...{ name: "of some", ...reach, scopes: ["read", scope], expires_at: null },
  });
  await fleet.tell();
  return token;
}

/** A key that projects of two organizations have is each time that of the token's. */
async function tellsOwnKeys(fleet: TestFleet): Promise<void> {
  fleet.away.clear();
  const { services } = fleet.shards[2];
  await putPlant(services.database, {
    projects: [{ ...projects[0], project_no: 9, id: "p9", key: "key-2", organization_id: "other" }],
    ...{ sites: [], sensors: [] },
  });
  await services.catalog.reload();
  await fleet.tell();
  const path = "/platform/v1/meta/tags?project_id=key-2";
  const ask = async (authorization: string, path: string, init?: RequestInit) =>
    (await fleet.fetch(path, { ...init, headers: { authorization } })).status;
  const all = await fleet.fetch(path);
  equal(all.status, 400);
  match(await all.text(), /several have the key key-2/);
  equal(await ask("Bearer wk_none", path), 401, "which nobody else hears");
  for (const organization_id of ["org", "other"]) {
    const reach = { organization_id, project_ids: null };
    const token = await tokenOf(fleet, reach, "ingest");
    equal(await ask(`Bearer ${token}`, path), 200, organization_id);
    const write = { method: "POST", body: "power,tag=t value=1" };
    equal(await ask(`Bearer ${token}`, "/write?db=key-2", write), 204, organization_id);
  }
  const token = await tokenOf(fleet, { organization_id: "org", project_ids: ["p1"] }, "ingest");
  equal(await ask(`Bearer ${token}`, path), 403);
}

/** What a fleet does beside, in this order. */
const steps: readonly Step[] = [
  ["with a shard away there is no part of an answer, and others answer", answersWholeOnly],
  ["a shard that moves is waited for, and the answer is whole", waitsForMoves],
  ["only who may read the projects gets their parts", keepsReach],
  ["a shard's numbers are of the groups that it told", saysNothingElse],
  ["a link is kept by the shard of its project, and found from anywhere", findsLinks],
  ["what a body says of projects is asked of their one shard, or refused", asksByBody],
  ["every shard has its part of retention, metrics and gateways", asksAll],
  ["a key that projects of two organizations have is each time the token's", tellsOwnKeys],
];

Deno.test("projects of three shards are answered as by one service, byte for byte", async (t) => {
  const { single, fleet } = await singleAndFleet(
    { at, shard_of },
    (it, isHere) => put(it.services, isHere),
  );
  for (const path of asked) {
    const headers = { authorization: `Bearer ${single.token}` };
    const [wanted, said] = [await single.ask(path, { headers }), await fleet.fetch(path)];
    deepEqual(await saidBy(said), await saidBy(wanted), path);
  }
  for (const [title, run] of steps) await t.step(title, () => run(fleet));
  await fleet.close();
  await single.close();
});
