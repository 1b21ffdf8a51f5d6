// Tests saved views: kept, listed, changed, removed; by whom; within their bounds; by two at once.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { view_limits } from "../../../src/model/views/limits.ts";
import { view_pages } from "../../../src/model/views/view.ts";
import { openWork, pathsOf } from "../work/work_help.ts";

const address = "curves=INV-A:active_power,inverter:energy*&range=6h&find=a+b%26c";

async function opened() {
  const work = await openWork();
  const scopes = ["read", "operate"] as const;
  const operator = await work.tokenOf(scopes, work.anna.id);
  const save = (name: unknown, more: Record<string, unknown> = {}, as = operator) =>
    work.post("views", { page: "trends", name, address, ...more }, { as });
  const names = async (query = "") => {
    const { data } = await work.get<{ name: string }[]>(`views${query}`);
    return data.map(({ name }) => name);
  };
  return { ...work, operator, save, names };
}

Deno.test("a view is saved, listed, changed and removed", async () => {
  const { save, get, patch, remove, names, clock, project, anna, operator: as, close } =
    await opened();
  deepEqual((await get("views")).data, []);
  const { status, data: first, headers } = await save("Power");
  equal(status, 201);
  equal(headers.get("etag"), '"1"');
  deepEqual(first, {
    id: first.id,
    project_id: project.id,
    page: "trends",
    name: "Power",
    address,
    created_by: anna.id,
    created_at: first.created_at,
    updated_at: first.created_at,
    version: 1,
  });
  match(String(first.created_at), /^2026-06-01T12:00:3\d/);
  clock.advance(1000);
  equal((await save("Energy")).status, 201);
  equal((await save("Power", { page: "losses", address: "" })).status, 201, "another page's name");
  deepEqual(await names(), ["Power", "Energy", "Power"], "the one that changed last first");
  deepEqual(await names("?page=trends"), ["Energy", "Power"]);
  deepEqual(await names("?limit=1&offset=1"), ["Energy"]);

  const renamed = await patch(`views/${first.id}`, { name: "Leistung" }, { as });
  equal(renamed.headers.get("etag"), '"2"');
  const { updated_at } = renamed.data;
  deepEqual(renamed.data, { ...first, name: "Leistung", updated_at, version: 2 });
  ok(String(updated_at) > String(first.updated_at));
  const moved = await patch(`views/${first.id}`, { address: "range=1h" }, { as });
  deepEqual([moved.data.name, moved.data.address], ["Leistung", "range=1h"]);
  deepEqual(await names("?page=trends"), ["Leistung", "Energy"]);

  deepEqual((await remove(`views/${first.id}`, { as })).data, moved.data);
  equal((await remove(`views/${first.id}`, { as })).status, 404);
  equal((await patch(`views/${first.id}`, { name: "x" }, { as })).status, 404);
  deepEqual(await names("?page=trends"), ["Energy"]);
  await close();
});

Deno.test("readers see views, operators save them, another tenant does neither", async () => {
  const { save, send, get, patch, remove, tokenOf, operator, at, other, services, close } =
    await opened();
  const { data: { id } } = await save("Power");
  const reader = await tokenOf(["read"]);
  equal((await get<unknown[]>("views", { as: reader })).data.length, 1);
  equal((await save("Other", {}, reader)).status, 403);
  equal((await patch(`views/${id}`, { name: "x" }, { as: reader })).status, 403);
  equal((await remove(`views/${id}`, { as: reader })).status, 403);
  equal((await get("views", { as: await tokenOf(["ingest"]) })).status, 403);

  const { token: stranger } = await services.access.create({
    ...{ name: "b", organization_id: other.organization_id, project_ids: null },
    ...{ scopes: ["read", "operate"], expires_at: null },
  });
  const there = (path: string) => at(path, other.id);
  const body = { page: "trends", name: "Power", address };
  const forbidden = [
    send("GET", at("views"), { as: stranger }),
    send("POST", at("views"), { as: stranger, body }),
    send("PATCH", at(`views/${id}`), { as: stranger, body: { name: "x" } }),
    send("DELETE", at(`views/${id}`), { as: stranger }),
    send("POST", there("views"), { as: operator, body }),
  ];
  const statuses = (await Promise.all(forbidden)).map(({ status }) => status);
  deepEqual([...new Set(statuses)], [403], "the project is none of theirs");
  // Nor by its id from a project of one's own.
  const own = { as: stranger, body: { name: "x" } };
  equal((await send("PATCH", there(`views/${id}`), own)).status, 404);
  equal((await send("DELETE", there(`views/${id}`), { as: stranger })).status, 404);
  // The same name in each project is two views.
  equal((await send("POST", there("views"), { as: stranger, body })).status, 201);
  const { data } = await get<{ id: string }[]>("views");
  deepEqual(data.map((it) => it.id), [id]);
  await close();
});

Deno.test("a machine's view has no user, and its own words stay as they are", async () => {
  const { save, get, tokenOf, close } = await opened();
  const name = '<script>alert("1")</script> & <img src=x onerror=alert(2)> — 日本';
  const { data, headers } = await save(name, {}, await tokenOf(["operate"]));
  deepEqual([data.name, data.created_by], [name, null]);
  match(headers.get("content-type")!, /^application\/json/);
  deepEqual((await get<unknown[]>("views")).data, [data]);
  await close();
});

Deno.test("names that look the same are the same", async () => {
  const { save, close } = await opened();
  equal((await save("Caf\u00e9")).data.name, "Caf\u00e9");
  equal((await save("Cafe\u0301")).status, 409);
  await close();
});

Deno.test("a view that is not of its form is refused with every flaw", async () => {
  const { save, patch, operator: as, names, close } = await opened();
  const { name_length, address_length } = view_limits;
  const { data: { id } } = await save("kept");
  const unseen = ["a\nb", "a\u0000", "a\u200bb", "a\u202eb", "a\u00a0b"];
  for (const name of ["", " ", " a", "a ", ...unseen, 7, "x".repeat(name_length + 1)]) {
    deepEqual(pathsOf(await save(name)), ["name"], JSON.stringify(name));
    deepEqual(pathsOf(await patch(`views/${id}`, { name }, { as })), ["name"]);
  }
  const wrong = [
    ...["https://evil.test/", "//evil.test", "/trends?range=6h", "?range=6h", "#range=6h"],
    ...["javascript:alert(1)", "range=6h#x", "range=6h&", "&range=6h", "range", "=6h", "a=b=c"],
    ...['a="><script>', "a=%zz", "a=%2", "a=b c", "a=b;c", "a=ü", "a=\\b", "a=b\n", "a=/b"],
    ...["a=%00", "a=%FF", "a=%C3", "range=1h&range=6h", "range=1h&project=p-b", 7, null],
    "a=" + "x".repeat(address_length - 1),
  ];
  for (const address of wrong) {
    deepEqual(pathsOf(await save("new", { address })), ["address"], String(address));
    deepEqual(pathsOf(await patch(`views/${id}`, { address }, { as })), ["address"]);
  }
  deepEqual(pathsOf(await save("new", { page: "docs" })), ["page"]);
  deepEqual(pathsOf(await save("", { page: "docs", address: "?" })).toSorted(), [
    ...["address", "name", "page"],
  ]);
  equal((await save("new", { created_by: "anna" })).status, 400);
  equal((await patch(`views/${id}`, { page: "losses" }, { as })).status, 400);
  deepEqual(await names(), ["kept"]);
  const longest = "a=" + "x".repeat(address_length - 2);
  for (const [i, address] of ["", "at=2026-06-01T12:00Z", "q=%3Cb%3E", longest].entries()) {
    equal((await save(`${i}`.repeat(name_length), { address })).status, 201, address);
  }
  for (const page of view_pages) equal((await save("of each page", { page })).status, 201);
  await close();
});

Deno.test("a name stands once on a page, and a project has so many views", async () => {
  const { save, patch, operator: as, names, remove, close } = await opened();
  const { data: a } = await save("A");
  const { data: b } = await save("B");
  const clash = await save("A");
  equal(clash.status, 409);
  match(String(clash.data.detail), /the page trends has a view of this name already/);
  equal((await patch(`views/${b.id}`, { name: "A" }, { as })).status, 409);
  equal((await patch(`views/${a.id}`, { name: "A" }, { as })).status, 200, "its own name");
  equal(
    (await patch(`views/${b.id}`, { name: "A" }, { as, headers: { "if-match": '"7"' } })).status,
    412,
  );
  for (let i = 2; i < view_limits.per_project; i++) equal((await save(`${i}`)).status, 201);
  const full = await save("one too many");
  equal(full.status, 409);
  match(String(full.data.detail), /has 200 views/);
  equal((await names()).length, view_limits.per_project);
  equal((await remove(`views/${b.id}`, { as })).status, 200);
  equal((await save("B")).status, 201);
  await close();
});

Deno.test("of two who change the same view, the later one is told", async () => {
  const { save, patch, remove, get, operator: as, close } = await opened();
  const { data: { id } } = await save("Power");
  const headers = { "if-match": '"1"' };
  const both = await Promise.all([
    patch(`views/${id}`, { name: "Anna's" }, { as, headers }),
    patch(`views/${id}`, { name: "Ben's" }, { as, headers }),
  ]);
  deepEqual(both.map(({ status }) => status).toSorted(), [200, 412]);
  const won = both.find(({ status }) => status === 200)!;
  deepEqual((await get("views")).data, [won.data]);
  equal((await remove(`views/${id}`, { as, headers })).status, 412);
  equal((await patch(`views/${id}`, {}, { as, headers: { "if-match": "1" } })).status, 400);
  const now = { "if-match": won.headers.get("etag")! };
  equal((await patch(`views/${id}`, { address: "" }, { as, headers: now })).status, 200);
  equal((await remove(`views/${id}`, { as, headers: { "if-match": '"3"' } })).status, 200);
  // Two save the same name at once: one has it.
  const saved = await Promise.all([save("Same"), save("Same")]);
  deepEqual(saved.map(({ status }) => status).toSorted(), [201, 409]);
  await close();
});
