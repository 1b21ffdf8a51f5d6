// Overrides and the timeline: an operator's word is checked, kept, seen, and taken back.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { hierarchyOf, insertRows, putInverters } from "../../help/inverter_day.ts";
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
const projects = [project, { ...project, project_no: 2, id: "p2", key: "p2" }];
const sites = projects.map(({ project_no }) => (
  { site_no: project_no, project_no, id: "s", key: "s", name: "S", latitude: 40, longitude: -105 }
));
const inverters = [[1, 1], [2, 1], [3, 2]].map(([no, project_no]) => (
  { no, project_no, site_no: project_no, capacity: 1e6, block_id: "b1" }
));

const base = "/platform/v1/availability/overrides";
const timeline = "/platform/v1/availability/timeline";

type Json = Record<string, unknown>;

async function openService() {
  const service = await testService({ at: "2024-03-12T18:00:00Z" });
  const { database, catalog, access } = service.services;
  await putInverters(database, { projects, sites, inverters });
  await catalog.reload();
  const { token } = await access.create({
    name: "shift lead",
    organization_id: null,
    project_ids: ["p1"],
    scopes: ["read", "operate"],
    expires_at: null,
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = async (method: string, path: string, body?: unknown): Promise<[number, Json]> => {
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await service.fetch(path, init);
    return [response.status, await response.json()];
  };
  const post = (body: unknown, project_id = "p1") =>
    call("POST", `${base}?project_id=${project_id}`, body);
  return { ...service, call, post };
}

const outage = {
  hierarchy_ids: [hierarchyOf(1)],
  state: "forced_outage",
  from: "2024-03-10T09:00:00-06:00",
  to: "2024-03-10T11:00:00-06:00",
  reason: "Fan replaced",
};

Deno.test("an override is stored with its author, listed and removed", async () => {
  const service = await openService();
  const [status, made] = await service.post({
    ...outage,
    hierarchy_ids: [hierarchyOf(1), hierarchyOf(1), hierarchyOf(2)],
  });
  equal(status, 201);
  const { override_id, created_at, ...rest } = made;
  deepEqual(rest, {
    project_id: "p1",
    hierarchy_ids: [hierarchyOf(1), hierarchyOf(2)],
    state: "forced_outage",
    loss: null,
    share: null,
    from: "2024-03-10T15:00:00.000000Z",
    to: "2024-03-10T17:00:00.000000Z",
    reason: "Fan replaced",
    author: "shift lead",
  });
  match(String(created_at), /^2024-03-12T18:00:00/);
  const list = `${base}?project_id=p1`;
  deepEqual((await service.call("GET", list))[1], [made]);
  const from = "&from=2024-03-10T17:00:00Z";
  deepEqual((await service.call("GET", list + from))[1], []);
  deepEqual((await service.call("GET", `${list}&to=2024-03-10T15:00:00Z`))[1], []);
  equal((await service.call("GET", `${list}${from}&to=2024-03-10T15:00:00Z`))[0], 400);
  const one = `${base}/${override_id}?project_id=p1`;
  deepEqual(await service.call("DELETE", one), [200, made]);
  equal((await service.call("DELETE", one))[0], 404);
  deepEqual((await service.call("GET", list))[1], []);
  await service.close();
});

Deno.test("an override changes availability and the timeline until it is removed", async () => {
  const service = await openService();
  const [, { override_id }] = await service.post(outage);
  await service.settle();
  const day = "dt_start=2024-03-10&dt_end=2024-03-10&format=json";
  const figure = async () => {
    const path = `/platform/v1/availability?project_ids=p1&group_by=hierarchy_id&${day}`;
    const rows = (await service.call("GET", path))[1] as unknown as Json[];
    return rows.map((row) => [row.capacity_hours, row.unavailable_capacity_hours]);
  };
  const spans = async (more = "") =>
    (await service.call("GET", `${timeline}?project_id=p1&${day}${more}`))[1] as unknown as Json[];
  deepEqual(await figure(), [[2000, 2000], [0, 0]]);
  const [spoken, ...others] = await spans("&state=forced_outage");
  deepEqual(others, []);
  const { detail: _, ...shown } = spoken;
  deepEqual(shown, {
    hierarchy_id: hierarchyOf(1),
    device_id: "device-1",
    device_name: "Inverter 1",
    from: "2024-03-10T15:00:00.000000Z",
    to: "2024-03-10T17:00:00.000000Z",
    state: "forced_outage",
    evidence: "override",
    unavailable: 1,
    override_id,
    override_reason: "Fan replaced",
    override_author: "shift lead",
  });
  equal((await spans("&limit=1")).length, 1);
  await service.call("DELETE", `${base}/${override_id}?project_id=p1`);
  await service.settle();
  deepEqual(await figure(), [[0, 0], [0, 0]]);
  deepEqual(await spans("&state=forced_outage"), []);
  await service.close();
});

Deno.test("a timeline is cut to its days and comes by inverter, then time", async () => {
  const service = await openService();
  const at = (text: string) => Date.parse(text) * 1000;
  const span = { state: "unknown", evidence: "none", detail: null, unavailable: null };
  await insertRows(
    service.services.database,
    "inverter_state",
    [
      { day: 19_793, sensor_no: 2, from_us: at("2024-03-11T14:00:00Z"), to_us: 0 },
      { day: 19_792, sensor_no: 2, from_us: at("2024-03-10T06:00:00Z"), to_us: 0 },
      { day: 19_792, sensor_no: 1, from_us: at("2024-03-10T20:00:00Z"), to_us: 0 },
      { day: 19_792, sensor_no: 3, from_us: at("2024-03-10T20:00:00Z"), to_us: 0 },
      { day: 19_791, sensor_no: 1, from_us: at("2024-03-09T20:00:00Z"), to_us: 0 },
    ].map((row) => ({ ...row, ...span, to_us: row.from_us + 7_200_000_000 })),
  );
  const query = `${timeline}?project_id=p1&dt_start=2024-03-10&dt_end=2024-03-10&format=json`;
  const rows = (await service.call("GET", query))[1] as unknown as Json[];
  deepEqual(
    rows.map((row) => [row.hierarchy_id, row.from, row.to, row.override_id]),
    [
      [hierarchyOf(1), "2024-03-10T20:00:00.000000Z", "2024-03-10T22:00:00.000000Z", null],
      [hierarchyOf(2), "2024-03-10T07:00:00.000000Z", "2024-03-10T08:00:00.000000Z", null],
    ].filter(([, from, to]) => from !== to),
  );
  for (const format of ["arrow", "parquet", "csv", "ndjson"]) {
    const answer = await service.fetch(query.replace("json", format));
    equal(answer.status, 200);
    equal(answer.headers.get("x-svc-site-timezone"), "America/Denver");
    ok((await answer.bytes()).length > 0);
  }
  await service.close();
});

const flawed = [
  [{ ...outage, state: "forced_outrage" }, "state", /meant forced_outage\?/],
  [{ ...outage, state: "sleeping" }, "state", /there is no such name/],
  [{ ...outage, to: outage.from }, "to", /must be later than from/],
  [
    { ...outage, from: "2024-03-10 09:00" },
    "from",
    /has no offset.*such as 2024-03-10T09:00:00Z for UTC/,
  ],
  [{ ...outage, from: "2024-02-30T09:00:00Z" }, "from", /names a day that does not exist/],
  [{ ...outage, to: "2999-01-01T00:00:00Z" }, "to", /outside the years 1970 to 2200/],
  [{ ...outage, from: undefined }, "from", /is missing/],
  [{ ...outage, reason: "" }, "reason", /at least 1 character/],
  [{ ...outage, reason: " \u00a0" }, "reason", /give a reason/],
  [{ ...outage, reason: "x".repeat(1001) }, "reason", /at most 1000 characters/],
  [{ ...outage, hierarchy_ids: [] }, "hierarchy_ids", /at least 1 item/],
  [
    { ...outage, hierarchy_ids: [hierarchyOf(1), hierarchyOf(3)] },
    "hierarchy_ids[1]",
    /no inverter of the project/,
  ],
  [{ ...outage, to: "2026-03-10T11:00:00Z" }, "to", /at most 400 days in one override/],
  [{ ...outage, from: "2025-12-01T00:00:00Z", to: "2025-12-02T00:00:00Z" }, "to", /from now/],
  [{ ...outage, resaon: "x" }, "resaon", /no such key; meant reason\?/],
  [[outage], "", /object/],
] as const;

Deno.test("a wrong override is refused with the path of each flaw", async () => {
  const service = await openService();
  for (const [body, path, message] of flawed) {
    const [status, { errors }] = await service.post(body);
    equal(status, 400, path);
    const [flaw] = errors as { path: string; message: string }[];
    equal(flaw.path, path);
    match(flaw.message, message);
  }
  const [, { errors }] = await service.post({ state: "x", to: "y" });
  deepEqual((errors as Json[]).map(({ path }) => path), [
    "hierarchy_ids",
    "state",
    "from",
    "reason",
  ]);
  deepEqual((await service.call("GET", `${base}?project_id=p1`))[1], []);
  await service.close();
});

Deno.test("overrides of one inverter may touch but not overlap", async () => {
  const service = await openService();
  await service.post(outage);
  const later = { ...outage, from: outage.to, to: "2024-03-10T12:00:00-06:00" };
  equal((await service.post(later))[0], 201);
  equal((await service.post({ ...outage, hierarchy_ids: [hierarchyOf(2)] }))[0], 201);
  const [status, { errors }] = await service.post({
    ...later,
    from: "2024-03-10T10:59:59-06:00",
    hierarchy_ids: [hierarchyOf(2), hierarchyOf(1)],
  });
  equal(status, 409);
  deepEqual((errors as Json[]).map(({ path }) => path).sort(), [
    "hierarchy_ids[0]",
    "hierarchy_ids[1]",
  ]);
  match(String((errors as Json[])[0].message), /already sets its state from 2024-03-10T15:00:00/);
  await service.close();
});

Deno.test("a declared loss stands beside a state, and needs its share", async () => {
  const service = await openService();
  await service.post(outage);
  const { state: _, ...plain } = outage;
  const [status, made] = await service.post({ ...plain, loss: "soiling", share: 0.04 });
  deepEqual([status, made.state, made.loss, made.share], [201, null, "soiling", 0.04]);
  equal((await service.post({ ...plain, loss: "snow", share: 1 }))[0], 201);
  const [again, { errors }] = await service.post({ ...plain, loss: "soiling", share: 0.1 });
  equal(again, 409);
  match(String((errors as Json[])[0].message), /already declares its soiling from 2024-03-10T15/);
  for (const wrong of [{ loss: "soiling" }, { share: 0.1 }, { loss: "snow", share: 1.2 }, {}]) {
    equal((await service.post({ ...plain, ...wrong }))[0], 400);
  }
  equal((await service.post({ ...outage, loss: "snow", share: 0.5 }))[0], 400);
  await service.close();
});

Deno.test("overrides need the project, the scope and a JSON body", async () => {
  const service = await openService();
  equal((await service.post(outage, "p2"))[0], 403);
  equal((await service.call("POST", base, outage))[0], 400);
  const { token } = await service.services.access.create({
    name: "reader",
    organization_id: null,
    project_ids: null,
    scopes: ["read"],
    expires_at: null,
  });
  const path = `${base}?project_id=p1`;
  const body = JSON.stringify(outage);
  const status = async (headers: Record<string, string>, text = body) => {
    const response = await service.fetch(path, { method: "POST", headers, body: text });
    await response.body?.cancel();
    return response.status;
  };
  equal(await status({ authorization: `Bearer ${token}` }), 403);
  const admin = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
  equal(await status({ ...admin, "content-type": "text/plain" }), 415);
  equal(await status(admin, "{"), 400);
  equal(await status(admin, " ".repeat(1024 * 1024 + 1)), 413);
  equal(await status(admin), 201);
  await service.close();
});
