// Issues over HTTP: opened, changed, listed, deleted; who may, who acts, what is refused.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Json, openWork, pathsOf } from "./work_help.ts";

Deno.test("an issue that is opened shows all that is known of it", async () => {
  const { post, anna, project, deviceOf, as_anna: as, close } = await openWork();
  const { id: device_id } = deviceOf("A");
  const made = await post("issues", { name: "Fan is loud", devices: [{ device_id }] }, { as });
  equal(made.status, 201, JSON.stringify(made.data));
  equal(made.headers.get("etag"), '"1"');
  const { id: _, created_at, updated_at, ...rest } = made.data;
  equal(created_at, updated_at);
  const user = { id: anna.id, first_name: "anna", last_name: "X", email: "anna@x.test" };
  deepEqual(rest, {
    number: 1,
    organization_id: project.organization_id,
    project_id: project.id,
    project: { key: "p-a" },
    sentinel_tag: null,
    name: "Fan is loud",
    description: null,
    status: "open",
    priority: "medium",
    source: "manual",
    effective_from: null,
    effective_to: null,
    resolved_at: null,
    assigned_to: null,
    created_by: user,
    devices: [{ device_id, component: "inverter", effective_from: null, effective_to: null }],
    work_orders: [],
    merged_into: null,
  });
  await close();
});

Deno.test("an issue goes through its life, each step in its history", async () => {
  const { post, patch, get, historyOf, ben, as_anna: as, clock, close } = await openWork();
  const { id } = (await post("issues", { name: "Fan is loud" }, { as })).data;
  const path = `issues/${id}`;
  clock.advance(1000);
  const change = {
    ...{ status: "in_progress", priority: "high", assigned_to: "BEN@x.test" },
    effective_from: "2026-06-01T10:00:00+02:00",
  };
  const changed = await patch(path, change, { as });
  equal(changed.data.status, "in_progress");
  equal((changed.data.assigned_to as Json).id, ben.id);
  equal(changed.data.effective_from, "2026-06-01T08:00:00.000000Z");
  const resolved = await patch(path, { status: "resolved" }, { as });
  ok(resolved.data.resolved_at);
  equal((await patch(path, { status: "on_hold" }, { as })).status, 409);
  const reopened = await patch(path, { status: "open", assigned_to: null }, { as });
  deepEqual([reopened.data.resolved_at, reopened.data.assigned_to], [null, null]);
  await patch(path, { status: "resolved" }, { as });
  const closed = await patch(path, { status: "closed" }, { as });
  deepEqual(await get(path).then(({ data, headers }) => [data, headers.get("etag")]), [
    closed.data,
    '"6"',
  ]);
  const late = await patch(path, { status: "open" }, { as });
  deepEqual([late.status, late.data.detail], [409, "it is closed, for good"]);
  deepEqual((await historyOf(id)).slice(0, 6), [
    "created",
    "status_changed status",
    "priority_changed priority",
    "field_changed effective_from",
    "assignee_changed assigned_to",
    "status_changed status",
  ]);
  await close();
});

Deno.test("a change that changes nothing leaves the issue as it is", async () => {
  const { post, patch, historyOf, clock, close } = await openWork();
  const { data } = await post("issues", { name: "x", priority: "low" });
  clock.advance(1000);
  const again = await patch(`issues/${data.id}`, { priority: "low", status: "open" });
  deepEqual([again.status, again.headers.get("etag"), again.data], [200, '"1"', data]);
  deepEqual(await historyOf(data.id), ["created"]);
  await close();
});

Deno.test("If-Match keeps a change from undoing another one", async () => {
  const { post, patch, remove, close } = await openWork();
  const path = `issues/${(await post("issues", { name: "x" })).data.id}`;
  const match_of = (text: string) => ({ headers: { "if-match": text } });
  equal((await patch(path, { name: "y" }, match_of('"1"'))).headers.get("etag"), '"2"');
  for (const text of ['"1"', 'W/"2"', '"x"', '"02"']) {
    const lost = await patch(path, { name: "z" }, match_of(text));
    equal(lost.status, 412, text);
    match(String(lost.data.detail), /version 2/);
  }
  equal((await patch(path, { name: "z" }, match_of('"1", "2"'))).status, 200);
  equal((await patch(path, { name: "z" }, match_of("*"))).status, 200);
  deepEqual(pathsOf(await patch(path, { name: "z" }, match_of("3"))), ["If-Match"]);
  equal((await remove(path, match_of('"2"'))).status, 412);
  equal((await remove(path, match_of('"3"'))).status, 200);
  await close();
});

Deno.test("of two changes of the same version at once one is made", async () => {
  const { post, patch, get, close } = await openWork();
  const path = `issues/${(await post("issues", { name: "x" })).data.id}`;
  const headers = { "if-match": '"1"' };
  const both = await Promise.all(["y", "z"].map((name) => patch(path, { name }, { headers })));
  deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  const made = both.find(({ status }) => status === 200)!;
  deepEqual((await get(path)).data, made.data);
  await close();
});

Deno.test("a list gives snapshots as they changed, filtered, page by page", async () => {
  const { post, patch, get, clock, close } = await openWork();
  const ids: unknown[] = [];
  for (const [name, priority] of [["a", "low"], ["b", "high"], ["c", "high"]]) {
    clock.advance(1000);
    ids.push((await post("issues", { name, priority })).data.id);
  }
  clock.advance(1000);
  const { data: changed } = await patch(`issues/${ids[0]}`, { status: "resolved" });
  const names = async (query: string) =>
    (await get<Json[]>(`issues${query}`)).data.map(({ name }) => name);
  deepEqual(await names(""), ["b", "c", "a"]);
  deepEqual(await names("?limit=1&offset=1"), ["c"]);
  deepEqual(await names("?priority=high&status=open"), ["b", "c"]);
  deepEqual(await names("?status=merged"), []);
  deepEqual((await get<Json[]>(`issues?updated_since=${changed.updated_at}`)).data, [changed]);
  for (
    const [query, path] of [
      ["?limit=0", "limit"],
      ["?limit=10001", "limit"],
      ["?offset=-1", "offset"],
      ["?status=opne", "status"],
      ["?priority=hihg", "priority"],
      ["?updated_since=2026-06-01", "updated_since"],
      ["?statsu=open", "statsu"],
    ]
  ) {
    const refused = await get(`issues${query}`);
    deepEqual([refused.status, pathsOf(refused)], [400, [path]], query);
  }
  await close();
});

Deno.test("another tenant's issue is as unknown as one that is not there", async () => {
  const { send, at, project, other, as_anna: as, tokenOf, close } = await openWork();
  const made = await send("POST", at("issues", other.id), { body: { name: "t" } });
  const shape = async (method: string, id: unknown, project_id = project.id) => {
    const body = method === "PATCH" ? {} : undefined;
    const { status, data } = await send(method, at(`issues/${id}`, project_id), { as, body });
    return [status, { ...data, instance: null }];
  };
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const theirs = await shape(method, made.data.id);
    deepEqual([theirs[0], theirs], [404, await shape(method, "nowhere")]);
    const elsewhere = await shape(method, made.data.id, other.id);
    deepEqual([elsewhere[0], elsewhere], [403, await shape(method, "nowhere", "nowhere")]);
  }
  const reader = await tokenOf(["read", "operate", "sync", "ingest"]);
  equal((await send("POST", at("issues"), { as: reader, body: { name: "x" } })).status, 403);
  equal((await send("GET", at("issues"), { as: reader })).status, 200);
  await close();
});

Deno.test("who acts is a token's user, one who is named, or nobody", async () => {
  const { post, remove, services, get, anna, ben, eve, as_anna, as_machine, close } =
    await openWork();
  const byWhom = async (body: Json, as: string) => {
    const { status, data } = await post("issues", { name: "x", ...body }, { as });
    return status === 201 ? (data.created_by as Json | null)?.id ?? null : status;
  };
  equal(await byWhom({}, as_anna), anna.id);
  equal(await byWhom({ user: "ben@x.test" }, as_machine), ben.id);
  equal(await byWhom({}, as_machine), null);
  equal(await byWhom({ user: ben.id }, as_anna), 403);
  equal(await byWhom({ user: eve.id }, as_machine), 400);
  equal(await byWhom({ assigned_to: "eve@x.test" }, as_machine), 400);
  const { data } = await post("issues", { name: "x" }, { as: as_machine });
  equal(
    (await remove(`issues/${data.id}`, { as: as_machine, body: { user: ben.id } })).status,
    200,
  );
  const history = await get<Json[]>(`issues/${data.id}/history`);
  deepEqual(history.data.map(({ kind, user_id }) => [kind, user_id]), [
    ["created", null],
    ["deleted", ben.id],
  ]);
  await services.users.disable(ben.id);
  equal(await byWhom({ user: ben.id }, as_machine), 400);
  await close();
});

Deno.test("a bad request names every flaw and makes nothing", async () => {
  const { post, patch, get, deviceOf, other, close } = await openWork();
  const theirs = deviceOf("A", other).id;
  const { id: device_id } = deviceOf("A");
  const bad: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ["name"]],
    [{ name: "" }, ["name"]],
    [{ name: "x".repeat(201) }, ["name"]],
    [{ name: "a\nb" }, ["name"]],
    [{ name: "x", nmae: "y" }, ["nmae"]],
    [{ name: "x", priority: "hihg" }, ["priority"]],
    [{ name: "x", status: "closed" }, ["status"]],
    [{ name: "x", source: "alarm" }, ["source"]],
    [{ name: "x", assigned_to: "nobody@x.test" }, ["assigned_to"]],
    [{ name: "x", description: "x".repeat(4001) }, ["description"]],
    [{ name: "x", effective_from: "soon", effective_to: "2026-06-01" }, [
      "effective_from",
      "effective_to",
    ]],
    [{ name: "x", effective_from: "2026-06-02T00:00:00Z", effective_to: "2026-06-01T00:00:00Z" }, [
      "effective_to",
    ]],
    [{ name: "x", devices: [{ device_id: theirs }, { device_id: "zz" }] }, [
      "devices[0].device_id",
      "devices[1].device_id",
    ]],
    [{ name: "x", devices: [{ device_id }, { device_id, component: "inverter" }] }, ["devices[1]"]],
    [{ name: "x", devices: [{ device_id, componet: "x" }] }, ["devices[0].componet"]],
    [{ name: "x", devices: [{ device_id, component: "invertr" }] }, ["devices[0].component"]],
    [{ from: {} }, ["from"]],
    [{ from: { alarm: "nowhere" } }, ["from.alarm"]],
    [{ from: { alrm: "x" } }, ["from.alrm", "from"]],
    [[], [""]],
    ["{", ["body"]],
  ];
  for (const [body, paths] of bad) {
    const refused = await post("issues", body);
    deepEqual([refused.status, pathsOf(refused)], [400, paths], JSON.stringify(refused.data));
  }
  const { data } = await post("issues", { name: "x", priority: "hihg" });
  match(JSON.stringify(data.errors), /meant high\?/);
  const path = `issues/${(await post("issues", { name: "x" })).data.id}`;
  const late = { effective_to: "2026-06-01T00:00:00Z", effective_from: "2026-06-02T00:00:00Z" };
  deepEqual(pathsOf(await patch(path, late)), ["effective_to"]);
  deepEqual(pathsOf(await patch(path, { status: "opne" })), ["status"]);
  deepEqual(pathsOf(await post(`${path}/comment`, { body: " " })), ["body"]);
  deepEqual(pathsOf(await post(`${path}/alarms`, { occurrence_ids: ["q"] })), [
    "occurrence_ids[0]",
  ]);
  equal((await post("issues", { name: "x", description: "y".repeat(2 ** 18) })).status, 413);
  equal((await get<Json[]>("issues")).data.length, 1);
  await close();
});

Deno.test("switched off, a noun's endpoints ask for the token, then answer 501", async () => {
  const { send, at, close } = await openWork({ settings: { planned_off: "issues,work_orders" } });
  const calls = [
    ["GET", "issues"],
    ["POST", "issues"],
    ["GET", "issues/x"],
    ["PATCH", "issues/x"],
    ["DELETE", "issues/x"],
    ["GET", "issues/x/history"],
    ["POST", "issues/x/merge"],
    ["GET", "work-orders"],
    ["POST", "work-orders"],
    ["PATCH", "work-orders/x"],
  ] as const;
  for (const [method, path] of calls) {
    equal((await send(method, at(path), { as: "wk_x" })).status, 401, path);
    equal((await send(method, at(path))).status, 501, path);
  }
  equal((await send("POST", "/integrations/v1/issues/sync", { as: "wk_x" })).status, 401);
  equal((await send("POST", "/integrations/v1/issues/sync")).status, 501);
  await close();
});
