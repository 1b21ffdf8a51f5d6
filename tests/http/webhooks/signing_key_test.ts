// Signing keys over HTTP: the public key set, the list and the rotation, never a secret half.
import { deepEqual, equal, ok } from "node:assert/strict";
import { signingKeyRoutes } from "../../../src/http/webhooks/signing_key.ts";
import { openFrame } from "../../help/frame.ts";
import { queryRows } from "../../help/query.ts";

const path = "/admin/v1/signing-keys";

async function opened() {
  const frame = await openFrame(signingKeyRoutes);
  const seeds = async () =>
    (await frame.database.read((it) =>
      queryRows<{ seed: string }>(it, "SELECT seed FROM signing_key")
    ))
      .map(({ seed }) => seed);
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await frame.fetch(path, init);
    const text = await response.text();
    for (const seed of await seeds()) ok(!text.includes(seed));
    return { status: response.status, headers: response.headers, data: JSON.parse(text) };
  };
  return { ...frame, get };
}

Deno.test("the key set is public, cached shortly, and holds public halves only", async () => {
  const { get, services, close } = await opened();
  const headers = { authorization: "" };
  const { status, data, headers: answered } = await get("/webhooks/jwks.json", { headers });
  equal(status, 200);
  equal(answered.get("cache-control"), "public, max-age=300");
  const [{ kid, x }] = services.signing.current();
  const key = { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" };
  deepEqual(data, { keys: [key] });
  await close();
});

Deno.test("a rotation publishes the next key at once; again is refused meanwhile", async () => {
  const { get, services, clock, close } = await opened();
  const rotated = await get(`${path}/rotate`, { method: "POST" });
  equal(rotated.status, 200);
  const [, next] = rotated.data.signing_keys;
  deepEqual(next, {
    ...{ kid: next.kid, x: next.x, state: "next" },
    published_from: "2026-06-01T12:00:00.000000Z",
    signs_from: "2026-06-02T12:00:00.000000Z",
    ...{ signs_until: null, published_until: null },
  });
  const jwks = await get("/webhooks/jwks.json");
  equal(jwks.data.keys[1].kid, next.kid);
  const again = await get(`${path}/rotate`, { method: "POST" });
  deepEqual([again.status, again.data.detail], [
    409,
    "the next key is published already; it signs from 2026-06-02T12:00:00.000000Z",
  ]);
  clock.advance(24 * 3_600_000);
  await services.signing.settle();
  const { data: { signing_keys: [old, now] } } = await get(path);
  deepEqual([old.state, old.signs_until, now.state], [
    "retiring",
    "2026-06-03T12:00:00.000000Z",
    "signing",
  ]);
  await close();
});

Deno.test("only a token that reaches every organization sees or rotates the keys", async () => {
  const { get, token, close } = await opened();
  const refused = [
    { scopes: ["manage"] },
    { scopes: ["admin"], organization_id: "org-a" },
    { scopes: ["admin"], organization_id: "org-a", project_ids: ["project-1"] },
  ] as const;
  for (const wanted of refused) {
    const headers = { authorization: `Bearer ${await token(wanted)}` };
    equal((await get(path, { headers })).status, 403);
    equal((await get(`${path}/rotate`, { method: "POST", headers })).status, 403);
  }
  equal((await get(path, { headers: { authorization: "" } })).status, 401);
  equal((await get(path)).data.signing_keys.length, 1);
  await close();
});
