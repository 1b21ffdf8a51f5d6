// Tenancy over HTTP: sites put and shown, tokens made and revoked, what each token reaches.
import assert from "node:assert/strict";
import { testService } from "../../help/service.ts";

const plain = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", portfolio: "F", timezone: "Europe/Madrid" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [{ key: "I", type: "inverter" }],
  sensors: [{ tag: "i.p", device: "I", measure: "active_power", scale: 1000 }],
};

const other = {
  ...plain,
  organization: { key: "o2", name: "O2" },
  site: { ...plain.site, key: "s2" },
};

async function opened() {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const send = async (method: string, path: string, body?: unknown, more: object = {}) => {
    const response = await service.fetch(path, {
      method,
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...more },
    });
    return { status: response.status, response, data: await response.json() };
  };
  const tokenOf = async (more: object) => {
    const { data } = await send("POST", "/admin/v1/tokens", {
      name: "t",
      scopes: ["admin"],
      ...more,
    });
    return { authorization: `Bearer ${data.token}` };
  };
  return { ...service, send, tokenOf };
}

Deno.test("a site put is applied, a dry run is not, and what is got can be put back", async () => {
  const { send, close } = await opened();
  const dry = await send("PUT", "/admin/v1/sites/s?dry_run=true", plain);
  assert.deepEqual([dry.status, dry.data.dry_run, dry.data.changes.length], [200, true, 6]);
  assert.equal((await send("GET", "/admin/v1/sites/s")).status, 404);
  const put = await send("PUT", "/admin/v1/sites/s", plain);
  assert.deepEqual(put.data.changes.at(-1), {
    action: "create",
    kind: "sensor",
    key: "i.p > I active_power",
    fields: [],
    history: false,
  });
  const shown = await send("GET", "/admin/v1/sites/s");
  const none = {
    blocks: [],
    device_models: [],
    tags: [],
    counter_resets: [],
    sources: [],
    retention: [],
    fallbacks: [],
    rules: [],
  };
  assert.deepEqual(shown.data, { ...plain, ...none });
  const again = await send("PUT", "/admin/v1/sites/s", shown.data);
  assert.deepEqual(again.data, { site: "s", dry_run: false, changes: [] });
  await close();
});

Deno.test("a site put as TOML is the same as in JSON", async () => {
  const { fetch, close } = await opened();
  const body = await Deno.readTextFile(new URL("../../../data/example.site.toml", import.meta.url));
  const put = () =>
    fetch("/admin/v1/sites/la-mancha-1", {
      method: "PUT",
      body,
      headers: { "content-type": "application/toml; charset=utf-8" },
    });
  assert.equal((await (await put()).json()).changes.length, 40);
  assert.deepEqual((await (await put()).json()).changes, []);
  await close();
});

Deno.test("a bad site put gets a problem that names each place", async () => {
  const { send, close } = await opened();
  const put = (body: unknown, more = {}) => send("PUT", "/admin/v1/sites/s", body, more);
  const broken = await put({ ...plain, sensors: [{ ...plain.sensors[0], device: "J", scale: 0 }] });
  assert.equal(broken.status, 400);
  assert.equal(broken.response.headers.get("content-type"), "application/problem+json");
  assert.deepEqual(broken.data.errors.map((it: { path: string }) => it.path), [
    "sensors[0].device",
    "sensors[0].scale",
  ]);
  assert.deepEqual((await put("{")).status, 400);
  for (const body of ["null", "[]", "7", '"s"', '{"site": null}']) {
    assert.equal((await put(body)).status, 400, body);
  }
  const renamed = await put({ ...plain, site: { ...plain.site, key: "t" } });
  assert.deepEqual([renamed.status, renamed.data.errors[0].path], [400, "site.key"]);
  assert.equal((await put(plain, { "content-type": "text/plain" })).status, 415);
  assert.equal((await put(plain, { "content-encoding": "gzip" })).status, 415);
  assert.equal((await send("GET", "/admin/v1/sites")).data.sites.length, 0);
  await put(plain);
  const moved = await put({ ...plain, project: { ...plain.project, key: "q" } });
  assert.deepEqual([moved.status, moved.data.errors[0].path], [409, "project.key"]);
  await close();
});

Deno.test("an organization's administrator works within the organization", async () => {
  const { send, tokenOf, close } = await opened();
  await send("PUT", "/admin/v1/sites/s", plain);
  await send("PUT", "/admin/v1/sites/s2", other);
  const mine = await tokenOf({ organization: "o" });
  const as = (method: string, path: string, body?: unknown) => send(method, path, body, mine);
  assert.deepEqual((await as("PUT", "/admin/v1/sites/s", plain)).data.changes, []);
  assert.equal((await as("PUT", "/admin/v1/sites/s2", other)).status, 403);
  assert.equal((await as("PUT", "/admin/v1/sites/s2", { ...plain, site: other.site })).status, 403);
  assert.equal((await as("GET", "/admin/v1/sites/s2")).status, 404);
  const keys = (data: { key: string }[]) => data.map(({ key }) => key);
  assert.deepEqual(keys((await as("GET", "/admin/v1/sites")).data.sites), ["s"]);
  assert.deepEqual(keys((await as("GET", "/admin/v1/organizations")).data.organizations), ["o"]);
  assert.deepEqual(keys((await as("GET", "/platform/v1/meta/projects")).data.projects), ["p"]);
  const [token] = (await as("GET", "/admin/v1/tokens")).data.tokens;
  assert.deepEqual((await as("GET", "/admin/v1/tokens")).data.tokens.length, 1);
  const wide = await as("POST", "/admin/v1/tokens", {
    name: "w",
    scopes: ["read"],
    organization: "o2",
  });
  assert.equal(wide.status, 403);
  const narrow = await as("POST", "/admin/v1/tokens", {
    name: "n",
    scopes: ["read"],
    projects: ["p"],
  });
  assert.deepEqual([narrow.status, Object.keys(narrow.data)], [201, ["token_id", "token"]]);
  const unseen = await as("POST", "/admin/v1/tokens", { name: " ", scopes: ["read"] });
  assert.deepEqual([unseen.status, unseen.data.errors[0].path], [400, "name"]);
  const all = (await send("GET", "/admin/v1/tokens")).data.tokens as { token_id: string }[];
  const foreign = all.find((it) => ![token.token_id, narrow.data.token_id].includes(it.token_id))!;
  assert.equal((await as("DELETE", `/admin/v1/tokens/${foreign.token_id}`)).status, 404);
  await close();
});

Deno.test("a token is revoked at once, answers the same again, and is then of no use", async () => {
  const { send, tokenOf, close } = await opened();
  const ended = await tokenOf({ scopes: ["read"], expires_at: "2026-07-01T00:00:00Z" });
  assert.equal((await send("GET", "/platform/v1/meta/projects", undefined, ended)).status, 200);
  assert.equal((await send("GET", "/admin/v1/tokens", undefined, ended)).status, 403);
  const { tokens } = (await send("GET", "/admin/v1/tokens")).data;
  const { token_id, ...info } = tokens.at(-1);
  assert.deepEqual(info, {
    name: "t",
    organization_id: null,
    project_ids: null,
    scopes: ["read"],
    user_id: null,
    created_at: "2026-06-01T12:00:00.000000Z",
    expires_at: "2026-07-01T00:00:00.000000Z",
    revoked_at: null,
    last_used_at: "2026-06-01T12:00:00.000000Z",
  });
  const revoked = await send("DELETE", `/admin/v1/tokens/${token_id}`);
  assert.equal(revoked.data.revoked_at, "2026-06-01T12:00:00.000000Z");
  assert.deepEqual((await send("DELETE", `/admin/v1/tokens/${token_id}`)).data, revoked.data);
  assert.equal((await send("GET", "/platform/v1/meta/projects", undefined, ended)).status, 401);
  assert.equal((await send("DELETE", "/admin/v1/tokens/unknown")).status, 404);
  await close();
});

Deno.test("projects are listed with their sites, to a token that may read", async () => {
  const { send, tokenOf, services, close } = await opened();
  await send("PUT", "/admin/v1/sites/s", plain);
  const [project] = services.catalog.projects;
  const [site] = services.catalog.sites;
  const { data } = await send("GET", "/platform/v1/meta/projects");
  assert.deepEqual(data.projects, [{
    project_id: project.id,
    organization_id: project.organization_id,
    key: "p",
    name: "P",
    portfolio: "F",
    timezone: "Europe/Madrid",
    sites: [{ site_id: site.id, key: "s", name: "S", latitude: 40, longitude: -3 }],
  }]);
  const ingester = await tokenOf({ scopes: ["ingest"] });
  assert.equal((await send("GET", "/platform/v1/meta/projects", undefined, ingester)).status, 403);
  await close();
});
