// Subscriptions and signing keys are the home's, and hold in every shard.
import { deepEqual, equal } from "node:assert/strict";
import type { Post } from "../../../src/base/effects_post.ts";
import { adoptTold, allTold, toldBy } from "../../../src/engine/fleet/told.ts";
import { home_shard, organizationId } from "../../../src/model/fleet/shard.ts";
import { type TestService, testService } from "../../help/service.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
};

const target = "https://hooks.example/in";

type Asking = { readonly body?: unknown; readonly method?: string; readonly token?: string };

async function ask(
  service: TestService,
  path: string,
  { body, method = "POST", token = service.token }: Asking = {},
) {
  const answer = await service.fetch(path, {
    ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
  });
  equal(answer.ok, true, await answer.clone().text());
  return await answer.json();
}

/** A home and a shard with a project, and what they post. */
async function openFleet() {
  const posts: Post[] = [];
  const network = { status: 200 };
  const post = (post: Post) => {
    posts.push(post);
    return Promise.resolve({
      ...{ status: network.status, error: null, is_timeout: false, retry_after: null },
      ...{ address: "192.0.2.1", answer: "" },
    });
  };
  const home = await testService({ post });
  const shard = await testService({ post, seed: 7, is_signing_told: true });
  Object.assign(shard.services, { organizationId });
  await ask(shard, "/admin/v1/sites/s", { body: site, method: "PUT" });
  return {
    ...{ home, shard, posts, network },
    /** Each hears what the other tells. */
    async tell() {
      await adoptTold(home_shard, allTold([toldBy(1, shard.services)]), home.services);
      await adoptTold(1, toldBy(home_shard, home.services), shard.services);
    },
    /** An event of the shard's project, and whatever is sent of it. */
    async happen() {
      const { database, catalog, outbox, deliveries } = shard.services;
      const project = catalog.projects[0];
      const draft = { type: "issue.deleted", occurred_at: 0, data: '{"id":"i"}' } as const;
      const queued = await database.write((write) =>
        outbox.add(write, [{ ...draft, project, origin: null }])
      );
      outbox.committed(queued);
      await deliveries.settle();
    },
    async close() {
      for (const service of [home, shard]) await service.close();
    },
  };
}

const stateOf = async (home: TestService, id: string) =>
  (await ask(home, `/admin/v1/subscriptions/${id}`)).state;

Deno.test("a shard sends to the home's subscriptions, signed with the home's keys", async () => {
  const { home, shard, posts, tell, happen, close } = await openFleet();
  deepEqual(shard.services.signing.kept, [], "it makes no keys of its own");
  await tell();
  const wanted = { name: "n", target, organization: "o", event_types: ["*"], headers: { k: "v" } };
  const { id } = await ask(home, "/admin/v1/subscriptions", { body: wanted });
  await happen();
  equal(posts.length, 0);
  await tell();
  await happen();
  deepEqual(posts.map(({ url, headers }) => [url.href, headers.k]), [[target, "v"]]);
  deepEqual(shard.services.signing.kept, home.services.signing.kept);
  const secretsIn = ({ services: { subscriptions } }: TestService) =>
    subscriptions.secretsOf(subscriptions.find(id)).map(({ secret }) => secret);
  deepEqual(secretsIn(shard), secretsIn(home));

  await ask(home, `/admin/v1/subscriptions/${id}/rotate-secret`, { body: {} });
  await home.services.signing.rotate();
  await tell();
  deepEqual(secretsIn(shard), secretsIn(home));
  equal(secretsIn(shard).length, 2);
  deepEqual(shard.services.signing.kept, home.services.signing.kept);

  await ask(home, `/admin/v1/subscriptions/${id}/pause`, { body: {} });
  await tell();
  await happen();
  equal(posts.length, 1);
  await ask(home, `/admin/v1/subscriptions/${id}/resume`, { body: {} });
  await tell();
  await shard.services.deliveries.settle();
  equal(posts.length, 2, "what was held is sent");

  const removed = await home.fetch(`/admin/v1/subscriptions/${id}`, { method: "DELETE" });
  equal(removed.status, 200);
  await tell();
  await happen();
  deepEqual([posts.length, shard.services.subscriptions.list().length], [2, 0]);
  await close();
});

Deno.test("a receiver that a shard gave up on is disabled everywhere until resumed", async () => {
  const { home, shard, posts, network, tell, happen, close } = await openFleet();
  await tell();
  const wanted = { name: "n", target, organization: "o", event_types: ["*"] };
  const { id } = await ask(home, "/admin/v1/subscriptions", { body: wanted });
  await tell();
  network.status = 410;
  await happen();
  equal(shard.services.subscriptions.find(id).state, "disabled");
  equal(await stateOf(home, id), "enabled");
  await tell();
  equal(await stateOf(home, id), "disabled");
  await tell();
  network.status = 200;
  // The home's clock is behind, as the shard's word came later by its own.
  home.clock.step(-60_000);
  await ask(home, `/admin/v1/subscriptions/${id}/resume`, { body: {} });
  await tell();
  deepEqual([await stateOf(home, id), shard.services.subscriptions.find(id).state], [
    "enabled",
    "enabled",
  ]);
  const before = posts.length;
  await shard.services.deliveries.settle();
  equal(posts.length, before + 1, "what it refused is sent again");
  await close();
});

Deno.test("deliveries are listed and sent again by project", async () => {
  const { home, shard, posts, tell, happen, close } = await openFleet();
  await tell();
  const wanted = { name: "n", target, organization: "o", event_types: ["*"] };
  await ask(home, "/admin/v1/subscriptions", { body: wanted });
  await tell();
  await happen();
  const { token } = home;
  const other = { project: { ...site.project, key: "p2" }, site: { ...site.site, key: "s2" } };
  await ask(shard, "/admin/v1/sites/s2", { body: { ...site, ...other }, method: "PUT", token });
  const of = async (project: string) =>
    (await ask(shard, `/admin/v1/deliveries?project_id=${project}`, { token })).deliveries;
  const [delivery] = await of("p");
  deepEqual([delivery.type, delivery.state, await of("p2")], ["issue.deleted", "acknowledged", []]);
  const { event_id } = delivery;
  const replay = (project: string) =>
    shard.fetch(`/admin/v1/deliveries/replay?project_id=${project}`, {
      ...{ method: "POST", body: JSON.stringify({ event_id }) },
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    });
  equal((await replay("p2")).status, 404);
  equal((await replay("p")).status, 202);
  await shard.services.deliveries.settle();
  equal(posts.length, 2);
  await close();
});
