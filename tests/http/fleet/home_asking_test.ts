// While the home is away, others answer what they know, and a token can be ended.
import { deepEqual, equal, match } from "node:assert/strict";
import { testFleet } from "../../help/fleet.ts";
import { insertRows } from "../../help/inverter_day.ts";
import { putPlant } from "../../help/reading.ts";
import { anna, Browser } from "../access/session_help.ts";

/** A fleet of a home and two shards, each of these with a project and its site. */
async function openFleet() {
  const fleet = await testFleet({ count: 2 });
  for (const [i, { services }] of fleet.shards.entries()) {
    const [id, no] = [`p${i + 1}`, 1];
    const project = { project_no: no, id, key: id, name: id, timezone: "UTC", portfolio: null };
    const site = { site_no: no, id: `s-${id}`, project_no: no, key: `s-${id}`, name: id };
    await putPlant(services.database, {
      projects: [{ ...project, organization_id: "org" }],
      sites: [{ ...site, latitude: 1, longitude: 2 }],
      sensors: [],
    });
    await insertRows(services.database, "organization", [{ id: "org", key: "o", name: "O" }]);
    await services.catalog.reload();
  }
  await fleet.tell();
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fleet.fetch(path, init);
    return { status: answer.status, text: await answer.text() };
  };
  return { ...fleet, ask };
}

const paths = [
  ...["/platform/v1/meta/projects", "/ingest/v1/projects", "/platform/v1/meta/measures", "/ping"],
  ...["/admin/v1/sites", "/admin/v1/organizations", "/admin/v1/users", "/webhooks/jwks.json"],
  "/platform/v1/session/ways",
];

Deno.test("while the home is away, lists are those of all others, byte for byte", async () => {
  const { home, shards, away, tell, ask, fetch, close } = await openFleet();
  const { users, sign_in } = home.services;
  const { id } = await users.create({ ...anna, organization: "o", scopes: ["read"] });
  const browser = async () => {
    const one = new Browser(fetch);
    const { code } = await sign_in.makeUserLink(users.get(id)!);
    equal((await one.signIn({ link: code })).status, 201);
    return one;
  };
  const own = await browser();
  await tell();
  const late = await browser();
  const ownSession = async () => (await own.call("GET", "/platform/v1/session")).text;
  const all = async () => [
    await ownSession(),
    ...await Promise.all(paths.map(async (path) => (await ask(path)).text)),
  ];
  const before = await all();
  equal(before.join("").includes("s-p2"), true);
  away.add(0);
  deepEqual(await all(), before);
  equal(await late.status("/platform/v1/session?optional=true"), 503, "nobody can tell");
  equal((await ask("/admin/v1/tokens")).status, 503, "when each was used, the home alone knows");
  const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  equal((await ask("/admin/v1/tokens", post)).status, 503);
  equal((await ask("/ingest/v1/projects", { headers: { authorization: "Bearer x" } })).status, 401);
  const [first] = shards;
  const part = await first.fetch("/admin/v1/sites", {
    headers: { authorization: `Bearer ${home.token}` },
  });
  const known = { headers: { "if-none-match": part.headers.get("etag")! } };
  match(await part.text(), /s-p1/);
  match((await ask("/admin/v1/sites", known)).text, /s-p2/, "a part that is known is not all");
  equal((await ask("/query", { headers: { accept: "text/html" } })).status, 503, "it is no page");
  away.add(2);
  equal((await ask("/admin/v1/sites")).status, 503, "a part is no answer");
  await close();
});

Deno.test("a token that is ended while the home is away is ended everywhere", async () => {
  const { home, shards, away, tell, ask, close } = await openFleet();
  const { access } = home.services;
  const make = (scope: "admin" | "read") =>
    access.create({
      ...{ name: scope, organization_id: "org", project_ids: null },
      ...{ scopes: [scope], expires_at: null },
    });
  const [lost, reader] = [await make("admin"), await make("read")];
  await tell();
  const late = await make("read");
  const end = (id: string, token?: string) =>
    ask(`/admin/v1/tokens/${id}`, {
      method: "DELETE",
      ...(token && { headers: { authorization: `Bearer ${token}` } }),
    });
  away.add(0);
  equal((await end(lost.id, reader.token)).status, 403);
  equal((await end(late.id)).status, 503, "the home alone knows it");
  const [first] = access.list();
  equal((await end(first.id, lost.token)).status, 503, "it is not within its reach");
  const ended = await end(lost.id);
  equal(ended.status, 200, ended.text);
  equal(JSON.parse(ended.text).revoked_at !== null, true);
  equal((await end(lost.id)).status, 200, "again changes nothing");
  away.clear();
  const headers = { authorization: `Bearer ${lost.token}` };
  const { status } = await ask("/platform/v1/meta/tags?project_id=p1", { headers });
  equal(status, 401, "the home has not heard of it yet");
  await tell();
  for (const { services } of [home, ...shards]) {
    equal(services.access.verify(lost.token), undefined);
    equal(services.access.verify(reader.token)?.name, "read");
  }
  equal((await end(reader.id, lost.token)).status, 401);
  equal((await end(reader.id)).status, 200);
  await close();
});
