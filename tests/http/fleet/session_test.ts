// Who signs in in a browser is at the home, and reaches the projects of all shards.
import { deepEqual, equal } from "node:assert/strict";
import { testFleet } from "../../help/fleet.ts";
import { insertRows } from "../../help/inverter_day.ts";
import { putPlant } from "../../help/reading.ts";
import { anna, Browser } from "../access/session_help.ts";

const tagsOf = (project: string) => `/platform/v1/meta/tags?project_id=${project}`;
const issues = "/platform/v1/issues?project_id=p2";
const both = "/platform/v1/availability?project_ids=p1&project_ids=p2" +
  "&dt_start=2026-05-01&dt_end=2026-05-02&group_by=project_id";

/** A fleet with a project in each of two shards, and a user whom these do not know yet. */
async function openFleet() {
  // A shard does not know at which address browsers see the node that they ask.
  const fleet = await testFleet({ count: 2, settings: { public_url: "http://elsewhere:1" } });
  for (const [i, { services }] of fleet.shards.entries()) {
    const id = `p${i + 1}`;
    const project = { project_no: 1, id, key: id, name: id, timezone: "UTC", portfolio: null };
    const projects = [{ ...project, organization_id: "org" }];
    await putPlant(services.database, { projects, sites: [], sensors: [] });
    await insertRows(services.database, "organization", [{ id: "org", key: "o", name: "O" }]);
    await services.catalog.reload();
  }
  await fleet.tell();
  const { users, sign_in } = fleet.home.services;
  const scopes = ["read", "manage"];
  const { id } = await users.create({ ...anna, organization: "o", scopes });
  const browser = async () => {
    const own = new Browser(fleet.fetch);
    const { code } = await sign_in.makeUserLink(users.get(id)!);
    equal((await own.signIn({ link: code })).status, 201);
    return own;
  };
  const pass = (hours: number) =>
    [fleet.home, ...fleet.shards].forEach(({ clock }) => clock.advance(hours * 3_600_000));
  return { ...fleet, users, user_id: id, browser, pass };
}

Deno.test("who has signed in reaches the projects of all shards, until that ends", async () => {
  const { tell, away, users, user_id, browser, close } = await openFleet();
  const first = await browser();
  const early = await first.call("GET", tagsOf("p1"));
  deepEqual([early.status, early.response.headers.get("retry-after")], [503, "2"], early.text);
  await tell();
  equal(await first.status(tagsOf("p1")), 200);

  // A session that shards have not heard of is asked for at the home.
  const own = await browser();
  const late = await browser();
  for (const path of [tagsOf("p1"), both, tagsOf("p2")]) equal(await own.status(path), 200, path);
  away.add(0);
  equal(await own.status(tagsOf("p1")), 200, "which is known by now");
  equal(await late.status(tagsOf("p1")), 503, "nobody can tell");
  const page = { headers: { accept: "text/html" } };
  const asked = ["/overview", "/web/icon.svg", "/admin/v1/tokens"].map((path) =>
    own.status(path, page)
  );
  deepEqual(await Promise.all(asked), [200, 200, 503], "the screens are everywhere");
  away.clear();

  const body = { name: "It hums" };
  const post = async (headers: Record<string, string>) =>
    (await own.call("POST", issues, { body, headers })).status;
  equal(await post({ "sec-fetch-site": "cross-site" }), 403);
  equal(await post({}), 403);
  equal(await post({ origin: "http://other.example" }), 403);
  equal(await post({ origin: "http://node" }), 201, "its browser sees this address");
  equal(await post({ "sec-fetch-site": "same-origin" }), 201);

  await users.allow(user_id, { scopes: ["read"], projects: ["p1"] });
  await tell();
  const allowed = [tagsOf("p1"), tagsOf("p2"), both].map((path) => own.status(path));
  deepEqual(await Promise.all(allowed), [200, 403, 403]);

  const copy = new Map(own.cookies);
  equal((await own.call("DELETE", "/platform/v1/session")).status, 200);
  for (const [name, value] of copy) own.cookies.set(name, value);
  await tell();
  equal(await own.status(tagsOf("p1")), 401);
  equal(await late.status(tagsOf("p1")), 200);
  await users.disable(user_id);
  await tell();
  equal(await late.status(tagsOf("p1")), 401);
  await close();
});

Deno.test("a session that ends before its home has told it ends in all shards", async () => {
  const { tell, away, browser, pass, close } = await openFleet();
  await tell();
  const [own, late] = [await browser(), await browser()];
  equal(await own.status(tagsOf("p1")), 200, "the home was asked");
  equal(await late.status(tagsOf("p1")), 200);
  const copy = new Map(own.cookies);
  equal((await own.call("DELETE", "/platform/v1/session")).status, 200);
  for (const [name, value] of copy) own.cookies.set(name, value);
  // The home has nothing new to tell.
  pass(5 / 3600);
  equal(await own.status(tagsOf("p1")), 401);
  equal(await late.status(tagsOf("p1")), 200, "the home is asked again");
  away.add(0);
  pass(5 / 3600);
  equal(await late.status(tagsOf("p1")), 503, "nobody can tell");
  await close();
});

Deno.test("a token that a shard has not heard of yet is asked for at the home", async () => {
  const { home, user_id, tell, away, fetch, pass, close } = await openFleet();
  const { access } = home.services;
  const wish = { organization_id: null, project_ids: ["p1"], expires_at: null };
  const make = async (more: { readonly user_id?: string } = {}) =>
    await access.create({ ...wish, ...more, name: "gateway", scopes: ["read"] });
  const ask = async (token: string, project = "p1") => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(tagsOf(project), { headers });
    await answer.body?.cancel();
    return [answer.status, answer.headers.get("retry-after")];
  };
  const [one, other, persons] = [await make(), await make(), await make({ user_id })];
  const brief = await make();
  for (const { token } of [one, brief]) deepEqual(await ask(token), [200, null]);
  await access.revoke(brief.id);
  pass(5 / 3600);
  deepEqual(await ask(brief.token), [401, null], "it ended before the home has told it");
  deepEqual(await ask(one.token), [200, null]);
  deepEqual(await ask(one.token, "p2"), [403, null]);
  deepEqual(await ask(persons.token), [503, "2"], "the user is not known here yet");
  away.add(0);
  deepEqual(await ask(one.token), [200, null], "which is known by now");
  deepEqual(await ask(other.token), [503, "2"], "nobody can tell");
  away.clear();
  deepEqual(await ask(`wk_${"0".repeat(43)}`), [401, null]);
  await tell();
  for (const { token } of [one, other, persons]) deepEqual(await ask(token), [200, null]);
  await access.revoke(one.id);
  await tell();
  deepEqual(await ask(one.token), [401, null]);
  await close();
});

Deno.test("a session lasts while it is used in any shard, and no longer", async () => {
  const { tell, home, browser, pass, close } = await openFleet();
  const [own, idle] = [await browser(), await browser()];
  await tell();
  pass(8);
  equal(await own.status(tagsOf("p1")), 200);
  await tell();
  await tell();
  pass(8);
  equal(home.services.sign_in.sessions.list().length, 1);
  equal(await own.status(tagsOf("p2")), 200, "it was used in another one");
  equal(await idle.status(tagsOf("p2")), 401);
  pass(12);
  equal(await own.status(tagsOf("p2")), 401);
  await close();
});
