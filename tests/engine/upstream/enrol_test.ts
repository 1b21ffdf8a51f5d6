// A code lets one gateway in: once, within an hour, for its projects; no secret is in the clear.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { Upstream } from "../../../src/engine/upstream/upstream.ts";
import { queryRows } from "../../help/query.ts";
import { test_settings } from "../../help/service.ts";
import { type Forwarding, openForwarding, storedRows } from "../../help/upstream.ts";

const url = "http://centre.example";
const settings = { upstream_url: "none" } as const;

function post({ fetch }: Forwarding["centre"], path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function codeOf(world: Forwarding): Promise<string> {
  const asked = { name: "gateway 1", projects: ["p1"] };
  const made = await post(world.centre, "/admin/v1/gateways/codes", asked);
  assert.equal(made.status, 201);
  const { code, expires_at } = await made.json();
  assert.match(code, /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/);
  assert.equal(expires_at, "2026-06-01T13:00:00.000000Z");
  return code;
}

const join = (world: Forwarding, code: string) =>
  post(world.gateway, "/admin/v1/upstream", { url, code });

Deno.test("a gateway joins by a code, forwards at once, and knows its centre later", async () => {
  const world = await openForwarding({ settings });
  const { gateway, centre } = world;
  try {
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    assert.equal(await world.turn(), Infinity);
    const code = await codeOf(world);
    assert.equal((await join(world, code.toLowerCase())).status, 200);
    await world.turn();
    assert.equal(await world.requireSame(), 1);
    const tokens = centre.services.access.list().filter(({ name }) => name === "gateway 1");
    assert.deepEqual(tokens.map(({ scopes }) => scopes), [["ingest", "sync"]]);
    // Once, and no more.
    const again = await join(world, code);
    assert.equal(again.status, 403);
    assert.match((await again.json()).detail, /unknown, used or over: make another one/);
    // After a start, without a setting.
    const meta = await gateway.services.database.read((connection) =>
      queryRows<{ value: string }>(connection, "SELECT value FROM meta")
    );
    assert.doesNotMatch(JSON.stringify(meta), /wk_/);
    const reopened = await Upstream.open({
      ...gateway.services,
      settings: { ...test_settings, ...settings },
    });
    assert.equal((await reopened.state())?.url, url);
    const left = await gateway.fetch("/admin/v1/upstream", { method: "DELETE" });
    assert.equal(left.status, 200);
    assert.equal(await world.turn(), Infinity);
  } finally {
    await world.close();
  }
});

Deno.test("a code ends after an hour, and what is no code is refused in words", async () => {
  const world = await openForwarding({ settings });
  try {
    const code = await codeOf(world);
    world.advance(upstream_limits.code_ms);
    assert.equal((await join(world, code)).status, 403);
    for (const bad of ["", "x".repeat(300), "0000-0000-0000-0000"]) {
      const answer = await join(world, bad);
      assert.ok([400, 403].includes(answer.status), bad);
    }
    world.line = () => Promise.reject(new TypeError("connection refused"));
    const down = await join(world, code);
    assert.equal(down.status, 503);
    assert.match((await down.json()).detail, /does not answer: connection refused/);
    const path = await post(world.gateway, "/admin/v1/upstream", { url: `${url}/x`, code });
    assert.match((await path.json()).detail, /address without a path/);
    const strange = { name: "g", projects: ["p9"] };
    assert.equal((await post(world.centre, "/admin/v1/gateways/codes", strange)).status, 400);
  } finally {
    await world.close();
  }
});

Deno.test("a setting is not overridden by a code", async () => {
  const world = await openForwarding();
  try {
    const answer = await join(world, await codeOf(world));
    assert.equal(answer.status, 409);
    assert.match((await answer.json()).detail, /the setting upstream_url names a centre/);
  } finally {
    await world.close();
  }
});

Deno.test("who left a centre sends it nothing more; another one gets all", async () => {
  const world = await openForwarding({ settings });
  const { gateway } = world;
  const other = await openForwarding({ settings });
  try {
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    assert.equal((await join(world, await codeOf(world))).status, 200);
    await world.turn();
    // The centre is left while it is being asked.
    const asked = Promise.withResolvers<void>();
    world.line = ({ signal }) => {
      asked.resolve();
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason))
      );
    };
    await world.send([{ tag: "a", ts: "2026-06-01T11:01:00Z", value: 2 }]);
    world.advance(upstream_limits.meet_ms);
    const turning = world.turn();
    await asked.promise;
    assert.equal((await gateway.fetch("/admin/v1/upstream", { method: "DELETE" })).status, 200);
    assert.equal(await turning, 0);
    assert.equal(await world.turn(), Infinity);
    // Another address: what the first one has is not there.
    world.line = other.direct;
    const code = await codeOf(other);
    const there = "http://other.example";
    assert.equal((await post(gateway, "/admin/v1/upstream", { url: there, code })).status, 200);
    await world.turn();
    assert.deepEqual(await storedRows(other.centre), await storedRows(gateway));
  } finally {
    await world.close();
    await other.close();
  }
});

Deno.test("a token of one organization neither joins nor leaves a centre", async () => {
  const { gateway, close } = await openForwarding({ settings });
  try {
    const { token } = await gateway.services.access.create({
      ...{ name: "admin of o1", organization_id: "o1", project_ids: null, scopes: ["admin"] },
      expires_at: null,
    });
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const body = JSON.stringify({ url, code: "x" });
    for (const init of [{ method: "POST", headers, body }, { method: "DELETE", headers }]) {
      assert.equal((await gateway.fetch("/admin/v1/upstream", init)).status, 403);
    }
  } finally {
    await close();
  }
});

Deno.test("what a centre that is none answers to a code is told, and kept nowhere", async () => {
  const world = await openForwarding({ settings });
  try {
    for (const text of ["<html>", "[]", '{"token":"a\\nb"}']) {
      world.line = () => Promise.resolve(new Response(text));
      const answer = await join(world, "x");
      assert.equal(answer.status, 503);
      assert.match((await answer.json()).detail, /none of Wattkeeper's/);
    }
    assert.equal(await world.turn(), Infinity);
  } finally {
    await world.close();
  }
});
