// Tests what habits of other programs ask for: keys for ids, HEAD, tags, pages of other sites.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { openFrame, testRoute } from "../../help/frame.ts";
import { testService } from "../../help/service.ts";
import { routesOf } from "../../../src/http/routes.ts";

const projects = {
  name: "project_ids",
  in: "query",
  kind: "text",
  required: true,
  repeated: true,
  names: "project",
  doc: "Projects.",
} as const;

Deno.test("a project is named by id or key, and an id wins over a key", async () => {
  const frame = await openFrame(() => [
    testRoute({ project: "project_ids", params: [projects] }),
  ]);
  await frame.database.write(({ connection }) =>
    connection.script(`INSERT INTO project VALUES
      (4, 'one', 'org-a', 'four', 'Four', NULL, 'UTC'),
      (5, 'project-5', 'org-b', 'two', 'Other two', NULL, 'UTC')`)
  );
  await frame.services.catalog.reload();
  const of_a = await frame.token({ organization_id: "org-a" });
  const ask = async (token: string, ...names: string[]) => {
    const query = names.map((name) => `project_ids=${name}`).join("&");
    const headers = { authorization: `Bearer ${token}` };
    const answer = await frame.fetch(`/test?${query}`, { headers });
    const { project_ids, detail } = await answer.json();
    return project_ids ?? [answer.status, detail];
  };
  deepEqual(await ask(of_a, "two", "project-1", "one"), ["project-2", "project-1", "one"]);
  deepEqual((await ask(frame.admin, "two"))[0], 400);
  match((await ask(frame.admin, "two"))[1], /^2 projects have this key: send the id of one$/);
  deepEqual(await ask(frame.admin, "project-5"), ["project-5"]);
  match((await ask(of_a, "tow"))[1], /reaches no such project; it reaches one, two, four$/);
  await frame.close();
});

Deno.test("every parameter that has an id of a known noun takes its key", async () => {
  const { services, close } = await testService();
  const nouns = {
    project: "project",
    project_id: "project",
    project_ids: "project",
    db: "project",
    bucket: "project",
    site: "site",
    device_id: "device",
    assigned_to: "user",
  };
  const seen = new Set<string>();
  for (const { path, params } of routesOf(services)) {
    for (const { name, names } of params) {
      const wanted = nouns[name as keyof typeof nouns] ??
        (name === "id" && path.startsWith("/admin/v1/users/") ? "user" : undefined) ??
        (name === "key" && path.startsWith("/admin/v1/sites/") ? "site" : undefined);
      equal(names, wanted, `${path} ${name}`);
      if (wanted) seen.add(name);
    }
  }
  equal(seen.size, Object.keys(nouns).length + 2);
  await close();
});

Deno.test("a missing scope is named, with the command that makes a token with it", async () => {
  const frame = await openFrame(() => [testRoute({ scope: "manage" })]);
  const token = await frame.token({ scopes: ["read", "ingest"] });
  const headers = { authorization: `Token ${token}` };
  const details = new Set<string>();
  for (const name of ["one", "three", "unknown"]) {
    const answer = await frame.fetch(`/test?project_id=${name}`, { headers });
    equal(answer.status, 403);
    details.add((await answer.json()).detail);
  }
  deepEqual([...details], [
    "this needs the scope manage, the token has read, ingest; an administrator makes another: " +
    "wattkeeper token create --name NAME --scope read ingest manage",
  ]);
  await frame.close();
});

Deno.test("HEAD has the headers of GET alone; a tag gets 304 for the same bytes", async () => {
  let count = 0;
  const frame = await openFrame(() => [
    testRoute({ is_tagged: true, handle: () => Response.json({ count }) }),
  ]);
  const ask = async (method: string, tag?: string) => {
    const headers: HeadersInit = tag === undefined ? {} : { "if-none-match": tag };
    const answer = await frame.fetch("/test?project_id=one", { method, headers });
    const { "x-request-id": _, ...shown } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers: shown, text: await answer.text() };
  };
  const first = await ask("GET");
  deepEqual(await ask("HEAD"), { ...first, text: "" });
  const tag = first.headers.etag;
  equal(first.headers["content-length"], String(first.text.length));
  for (const same of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const answer = await ask("GET", same);
    deepEqual([answer.status, answer.text, answer.headers.etag], [304, "", tag]);
    equal(answer.headers["content-type"], undefined);
  }
  equal((await ask("HEAD", tag)).status, 304);
  count++;
  const changed = await ask("GET", tag);
  deepEqual([changed.status, changed.text], [200, '{"count":1}']);
  notEqual(changed.headers.etag, tag);
  await frame.close();
});

Deno.test("HEAD of what is streamed tells no length and begins no stream", async () => {
  let read = 0;
  const pieces = async function* () {
    yield new Uint8Array(++read);
  };
  const answer = { kind: "stream", row: "Row", columns: [] } as const;
  const handle = () => new Response(ReadableStream.from(pieces()), { headers: { vary: "accept" } });
  const frame = await openFrame(() => [testRoute({ answer, handle })]);
  const head = await frame.fetch("/test?project_id=one", { method: "HEAD" });
  deepEqual([head.status, head.headers.get("vary"), await head.text()], [200, "accept", ""]);
  equal(head.headers.get("content-length"), null);
  equal(read, 0);
  const missing = await frame.fetch("/tset", { method: "HEAD" });
  equal(missing.status, 404);
  equal(
    missing.headers.get("content-length"),
    `${(await (await frame.fetch("/tset")).text()).length}`,
  );
  await frame.close();
});

const plant = (more: object) => ({
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [{ key: "I", type: "inverter" }],
  sensors: [{ tag: "i.p", device: "I", measure: "active_power", scale: 1000 }],
  ...more,
});

Deno.test("304 comes for the very bytes alone, whatever plant or token they are of", async () => {
  const { services, ask, token, close } = await testService();
  const tagged = [...routesOf(services), { ...{ path: "/docs/alarms", is_tagged: true } }]
    .filter((route) => route.is_tagged);
  const paths = tagged.map(({ path }) => path.replace("{key}", "s") + "?project_id=p")
    .map((path) => /tags|rules/.test(path) ? path : path.replace(/\?.*/, ""));
  const json = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const send = async (method: string, path: string, body: object) =>
    await (await ask(path, { method, headers: json, body: JSON.stringify(body) })).json();
  const get = async (path: string, headers: Record<string, string>) => {
    const answer = await ask(path, { headers });
    const { status } = answer;
    return { status, tag: answer.headers.get("etag") ?? "", text: await answer.text() };
  };
  const plants = [{}, { project: { key: "p", name: "Q", timezone: "UTC" } }, { devices: [] }, {}];
  const told = new Map<string, Map<string, string>>();
  const counts = { same: 0, other: 0 };
  for (const more of plants) {
    const sensors = "devices" in more ? { sensors: [] } : {};
    await send("PUT", "/admin/v1/sites/s?remap=true", plant({ ...more, ...sensors }));
    const reading = { name: "r", scopes: ["read"], projects: ["p"] };
    const { token: of_p } = await send("POST", "/admin/v1/tokens", reading);
    for (const path of paths) {
      const known = told.get(path) ?? new Map<string, string>();
      told.set(path, known);
      for (const bearer of [token, of_p]) {
        const headers = { authorization: `Bearer ${bearer}`, "accept-encoding": "gzip" };
        const { status, tag, text } = await get(path, headers);
        if (status !== 200) continue;
        for (const [other, bytes] of known) {
          const again = await get(path, { ...headers, "if-none-match": other });
          equal(again.status, bytes === text ? 304 : 200, path);
          counts[bytes === text ? "same" : "other"]++;
        }
        known.set(tag, text);
      }
    }
  }
  ok(counts.same > 20 && counts.other > 10, JSON.stringify(counts));
  await close();
});

const site = "https://pages.example";
const cors_names = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

Deno.test("pages of other sites may call where they are listed, never with a session", async () => {
  const { ask, token, close } = await testService({ settings: { cors_origins: site } });
  const from = (origin: string, more = {}) => ({ headers: { origin, ...more } });
  const bearer = { authorization: `Bearer ${token}` };
  for (const path of ["/platform/v1/meta/projects", "/platform/v1/signals", "/nowhere", "/docs"]) {
    const answer = await ask(path, from(site, bearer));
    equal(answer.headers.get("access-control-allow-origin"), site, path);
    match(answer.headers.get("access-control-expose-headers")!, /\bx-request-id\b/);
    equal(answer.headers.get("access-control-allow-credentials"), null);
    match(answer.headers.get("vary")!, /\borigin\b/);
  }
  const stranger = await ask("/healthz", from("https://evil.example"));
  deepEqual([cors_names(stranger.headers), stranger.headers.get("vary")], [[], "origin"]);
  const wanted = { "access-control-request-method": "PUT" };
  const put = { method: "OPTIONS", ...from(site, wanted) };
  const preflight = await ask("/admin/v1/sites/x", put);
  equal(preflight.status, 204);
  equal(preflight.headers.get("access-control-allow-methods"), "PUT, GET, HEAD, OPTIONS");
  match(preflight.headers.get("access-control-allow-headers")!, /\bauthorization\b/);
  const refused = await ask("/healthz", { method: "OPTIONS", ...from("null", wanted) });
  deepEqual([refused.status, cors_names(refused.headers)], [204, []]);
  await close();
  const closed = await testService();
  const answer = await closed.ask("/healthz", from(site));
  deepEqual([cors_names(answer.headers), answer.headers.get("vary")], [[], null]);
  await closed.close();
});
