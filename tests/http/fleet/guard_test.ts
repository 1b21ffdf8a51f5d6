// No answer leaves a shard while it is not certain whose that is.
import { equal, rejects } from "node:assert/strict";
import { fakeEffects } from "../../help/effects.ts";
import { guarded, ownOfHome, passing } from "../../../src/http/fleet/guard.ts";

const request = new Request("http://node/a");

Deno.test("what is not certain before or after the work is not answered", async () => {
  const lease = { is_certain: true };
  let asked = 0;
  const answer = guarded(() => {
    asked++;
    return Promise.resolve(new Response("rows"));
  }, lease);
  equal(await (await answer(request)).text(), "rows");
  lease.is_certain = false;
  const before = await answer(request);
  equal(before.status, 503);
  equal(before.headers.get("retry-after"), "2");
  equal(asked, 1, "and nothing is done for it");
  lease.is_certain = true;
  const late = guarded(() => {
    lease.is_certain = false;
    return Promise.resolve(new Response("acknowledged"));
  }, lease);
  equal((await late(request)).status, 503);
});

Deno.test("the home stores nothing of other shards' projects", async () => {
  const named = [{ id: "1", key: "p" }];
  const answer = ownOfHome(() => Promise.resolve(new Response("stored")), {
    catalog: { projects: named, sites: [{ id: "2", key: "s" }] },
    effects: fakeEffects().effects,
  });
  const statusOf = async (path: string, method = "GET") =>
    (await answer(new Request(`http://node${path}`, { method }))).status;
  equal(await statusOf("/ingest/v1/samples?project_id=1", "POST"), 503);
  equal(await statusOf("/write?db=p", "POST"), 503);
  equal(await statusOf("/admin/v1/sites/s"), 503);
  // What nobody knows it refuses itself, and what is its own it answers.
  equal(await statusOf("/write?db=q", "POST"), 200);
  equal(await statusOf("/platform/v1/meta/tags?project_ids=p&project_ids=q"), 200);
  equal(await statusOf("/admin/v1/tokens"), 200);
});

Deno.test("a stream breaks off, and never ends well, once it is not certain", async () => {
  const lease = { is_certain: true };
  let ends = 0;
  const chunks = ["a", "b", "c"].map((it) => new TextEncoder().encode(it));
  const source = ReadableStream.from((async function* () {
    yield chunks[0];
    lease.is_certain = false;
    yield chunks[1];
  })());
  await rejects(new Response(passing(source, lease, () => ends++)).text());
  equal(ends, 1);
  lease.is_certain = true;
  const whole = passing(ReadableStream.from(chunks), lease, () => ends++);
  equal(await new Response(whole).text(), "abc");
  equal(ends, 2);
});
