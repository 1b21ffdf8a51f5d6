// A subscription whose receiver keeps failing shows that it is left alone, since and until when.
import { deepEqual, equal, match } from "node:assert/strict";
import { subscriptionRoutes } from "../../../src/http/webhooks/subscription.ts";
import { webhook_limits } from "../../../src/model/webhooks/limits.ts";
import { openFrame } from "../../help/frame.ts";

const failed = {
  status: 500,
  error: null,
  is_timeout: false,
  retry_after: null,
  address: "192.0.2.1",
  answer: "no",
};

Deno.test("include=breaker tells since when a receiver is left alone, and until when", async () => {
  const frame = await openFrame(subscriptionRoutes);
  const { services, database, clock } = frame;
  const network = { status: 500 };
  Object.assign(services.effects, { post: () => Promise.resolve({ ...failed, ...network }) });
  const { subscriptions, outbox, catalog, deliveries } = services;
  const target = "https://hooks.example.org/";
  const said = { name: "hook", organization: "org-a", target, event_types: ["*"] };
  const { subscription: { id } } = await subscriptions.create(said);
  const ask = async (more = "?include=breaker", one = `/${id}`) =>
    await (await frame.fetch(`/admin/v1/subscriptions${one}${more}`)).json();
  const tell = async () => {
    const project = catalog.project("project-1")!;
    const data = { project, occurred_at: clock.now_us, data: "{}", origin: null };
    const drafts = [{ type: "issue.updated", ...data } as const];
    outbox.committed(await database.write((write) => outbox.add(write, drafts)));
    await deliveries.settle();
  };
  equal("breaker" in await ask(""), false);
  deepEqual((await ask()).breaker, { state: "closed", since: null, next_try_at: null });
  for (let i = 0; i < webhook_limits.breaker_failures; i++) await tell();
  const { state, since, next_try_at } = (await ask()).breaker;
  equal(state, "open");
  const us = (text: string) => Date.parse(text) * 1000;
  equal(us(next_try_at) - us(since), webhook_limits.breaker_wait_us);
  match(since, /^2026-06-01T12:00:00/);
  deepEqual((await ask("?include=breaker", "")).subscriptions[0].breaker.state, "open");
  // The wait doubles where the attempt that decides fails, and the beginning stays.
  clock.advance(webhook_limits.breaker_wait_us / 1000);
  await deliveries.settle();
  const again = (await ask()).breaker;
  deepEqual([again.state, again.since], ["open", since]);
  equal(us(again.next_try_at) - us(next_try_at), 2 * webhook_limits.breaker_wait_us);
  network.status = 200;
  clock.advance(2 * webhook_limits.breaker_wait_us / 1000);
  await deliveries.settle();
  equal((await ask()).breaker.state, "closed");
  const wrong = await frame.fetch(`/admin/v1/subscriptions/${id}?include=braker`);
  match((await wrong.json()).detail, /include: there is no "braker"; meant breaker\?/);
  await frame.close();
});
