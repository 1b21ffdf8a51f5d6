// Work orders over HTTP: made under issues, guarded, changed with their lines, ended, deleted.
import { deepEqual, equal, match } from "node:assert/strict";
import { type Json, openWork, pathsOf } from "./work_help.ts";

/** A plant with an issue of both inverters. */
async function open() {
  const world = await openWork();
  const devices = ["A", "B"].map((key) => ({ device_id: world.deviceOf(key).id }));
  const body = { name: "Filters", priority: "high", devices };
  const { data: issue } = await world.post("issues", body);
  return { ...world, issue, a: devices[0].device_id, b: devices[1].device_id };
}

const lines = (data: Json) =>
  (data.devices as Json[]).map(({ status, completed_at }) => [status, completed_at !== null]);

Deno.test("a work order goes through its life with its lines", async () => {
  const { post, patch, get, historyOf, issue, project, anna, a, b, as_anna: as, clock, close } =
    await open();
  const made = await post("work-orders", {
    ...{ issue_id: issue.id, title: "Change filters", work_type: "preventive" },
    ...{ due_date: "2026-06-05T16:00:00+02:00", payload: { crew: ["x"], n: 1 } },
    external_url: "https://cmms.test/7",
  }, { as });
  equal(made.status, 201, JSON.stringify(made.data));
  const { id, created_at: _, updated_at: __, created_by, devices, ...rest } = made.data;
  equal((created_by as Json).id, anna.id);
  const pending = { component: "inverter", status: "pending", completed_at: null };
  deepEqual(devices, [{ device_id: a, ...pending }, { device_id: b, ...pending }]);
  const head = { project_id: project.id, project: { key: "p-a" } };
  deepEqual(rest, {
    ...{ number: 1, organization_id: project.organization_id, ...head, issue_id: issue.id },
    ...{ title: "Change filters", description: null, status: "open", priority: "high" },
    ...{ due_date: "2026-06-05T14:00:00.000000Z", work_type: "preventive" },
    ...{ external_system: null, external_id: null, external_ref: null },
    ...{ external_url: "https://cmms.test/7", payload: { crew: ["x"], n: 1 }, assigned_to: null },
    issue: { id: issue.id, number: 1, name: "Filters", status: "open", ...head },
  });
  const path = `work-orders/${id}`;
  clock.advance(1000);
  const begun = await patch(path, { status: "in_progress", payload: null }, { as });
  deepEqual([begun.data.status, begun.data.payload], ["in_progress", null]);
  const one = await patch(path, {
    devices: [{ device_id: a, status: "completed" }, { device_id: b, status: "skipped" }],
  });
  deepEqual(lines(one.data), [["completed", true], ["skipped", false]]);
  await patch(path, { devices: [{ device_id: a }, { device_id: b, status: "pending" }] });
  const done = await patch(path, { status: "completed" }, { as });
  deepEqual(lines(done.data), [["completed", true], ["completed", true]]);
  for (const body of [{ status: "in_progress" }, { devices: [] }, { status: "cancelled" }]) {
    const late = await patch(path, body);
    deepEqual([late.status, late.data.detail], [409, "it is completed, for good"]);
  }
  equal((await patch(path, { external_ref: "closed by 7" })).status, 200);
  const { data: now } = await get(`issues/${issue.id}`);
  const [embedded] = now.work_orders as Json[];
  deepEqual(["created_by" in embedded, "issue" in embedded, embedded.status], [
    false,
    false,
    "completed",
  ]);
  deepEqual(await historyOf(issue.id), ["created", "work_order_added"]);
  await close();
});

Deno.test("an active work order of issue and device is answered instead of another", async () => {
  const { post, patch, get, issue, a, b, close } = await open();
  const make = (devices: readonly string[]) => {
    const body = { issue_id: issue.id, title: "w" };
    return post("work-orders", { ...body, devices: devices.map((device_id) => ({ device_id })) });
  };
  const first = await make([a]);
  deepEqual([first.status, first.headers.get("x-svc-existing")], [201, null]);
  const second = await make([b, a]);
  deepEqual([second.status, second.headers.get("x-svc-existing")], [200, "true"]);
  deepEqual(second.data, first.data);
  equal(second.headers.get("etag"), first.headers.get("etag"));
  equal((await make([b])).status, 201);
  equal((await make([])).status, 201);
  equal((await make([])).status, 201);
  await patch(`work-orders/${first.data.id}`, { status: "cancelled" });
  const third = await make([a]);
  deepEqual([third.status, third.data.number], [201, 5]);
  const both = await Promise.all([make([b, a]), make([a, b])]);
  deepEqual(both.map(({ status }) => status), [200, 200]);
  equal((await get<Json[]>("work-orders")).data.length, 5);
  await close();
});

Deno.test("of two who make a work order for a device at once one gets the other's", async () => {
  const { post, issue, a, close } = await open();
  const body = { issue_id: issue.id, title: "w", devices: [{ device_id: a }] };
  const both = await Promise.all([post("work-orders", body), post("work-orders", body)]);
  deepEqual(both.map(({ status }) => status).sort(), [200, 201]);
  equal(both[0].data.id, both[1].data.id);
  await close();
});

Deno.test("a list is filtered by issue, device, status and change", async () => {
  const { post, patch, get, issue, a, b, clock, close } = await open();
  const { data: other } = await post("issues", { name: "other" });
  const make = (issue_id: unknown, device_id: string) =>
    post("work-orders", { issue_id, title: "w", devices: [{ device_id }] });
  for (const [id, device] of [[issue.id, a], [issue.id, b], [other.id, a]] as const) {
    clock.advance(1000);
    await make(id, device);
  }
  const numbers = async (query: string) =>
    (await get<Json[]>(`work-orders${query}`)).data.map(({ number }) => number);
  deepEqual(await numbers(""), [1, 2, 3]);
  deepEqual(await numbers(`?issue_id=${issue.id}`), [1, 2]);
  deepEqual(await numbers(`?device_id=${a}`), [1, 3]);
  deepEqual(await numbers(`?device_id=${a}&issue_id=${other.id}&status=open`), [3]);
  deepEqual(await numbers("?issue_id=nowhere"), []);
  deepEqual(await numbers("?limit=1&offset=2"), [3]);
  const { data: list } = await get<Json[]>("work-orders");
  clock.advance(1000);
  const { data: changed } = await patch(`work-orders/${list[0].id}`, { status: "scheduled" });
  deepEqual((await get<Json[]>(`work-orders?updated_since=${changed.updated_at}`)).data, [changed]);
  deepEqual(pathsOf(await get("work-orders?status=done")), ["status"]);
  deepEqual(pathsOf(await get("work-orders?limit=10001")), ["limit"]);
  await close();
});

Deno.test("a deleted work order is gone from everywhere but its issue's history", async () => {
  const { post, patch, get, remove, historyOf, issue, close } = await open();
  const { data } = await post("work-orders", { issue_id: issue.id, title: "w" });
  const path = `work-orders/${data.id}`;
  const lost = await patch(path, { title: "v" }, { headers: { "if-match": '"2"' } });
  equal(lost.status, 412);
  deepEqual((await remove(path)).data, { id: data.id, title: "w" });
  for (const again of [await remove(path), await get(path), await patch(path, {})]) {
    equal(again.status, 404);
  }
  deepEqual((await get<Json[]>("work-orders")).data, []);
  deepEqual((await get(`issues/${issue.id}`)).data.work_orders, []);
  deepEqual(await historyOf(issue.id), [
    "created",
    "work_order_added",
    "field_changed work_orders",
  ]);
  const next = await post("work-orders", { issue_id: issue.id, title: "w" });
  equal(next.data.number, 2);
  await close();
});

Deno.test("a bad work order names every flaw and is not made", async () => {
  const { post, patch, get, send, at, other, deviceOf, issue, a, close } = await open();
  const { data: theirs } = await send("POST", at("issues", other.id), { body: { name: "t" } });
  const base = { issue_id: issue.id, title: "w" };
  const bad: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ["issue_id", "title"]],
    [{ ...base, issue_id: theirs.id }, ["issue_id"]],
    [{ ...base, issue_id: "nowhere" }, ["issue_id"]],
    [{ ...base, status: "completed" }, ["status"]],
    [{ ...base, work_type: "Corrective" }, ["work_type"]],
    [{ ...base, due_date: "2026-06-05" }, ["due_date"]],
    [{ ...base, payload: [] }, ["payload"]],
    [{ ...base, payload: { x: "y".repeat(2 ** 14) } }, ["payload"]],
    [{ ...base, payload: JSON.parse(`{"a":${"[".repeat(40)}${"]".repeat(40)}}`) }, ["payload"]],
    [{ ...base, payload: { x: [{ y: 2 ** 53 }] } }, ["payload"]],
    [{ ...base, assigned_to: "eve@x.test" }, ["assigned_to"]],
    [{ ...base, devices: [{ device_id: deviceOf("A", other).id }] }, ["devices[0].device_id"]],
    [{ ...base, devices: [{ device_id: a, status: "completed" }] }, ["devices[0].status"]],
    [{ ...base, ttile: "x" }, ["ttile"]],
  ];
  for (const [body, paths] of bad) {
    const refused = await post("work-orders", body);
    deepEqual([refused.status, pathsOf(refused)], [400, paths], JSON.stringify(refused.data));
  }
  await patch(`issues/${issue.id}`, { status: "resolved" });
  const late = await post("work-orders", base);
  equal(late.status, 409);
  match(String(late.data.detail), /^the issue is resolved/);
  deepEqual((await get<Json[]>("work-orders")).data, []);
  await close();
});
