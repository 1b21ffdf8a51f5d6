// Deliveries over HTTP: who sees which, their attempts, and events told again.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Posted } from "../../../src/base/effects_post.ts";
import { openFrame } from "../../help/frame.ts";
import { deliveryRoutes } from "../../../src/http/webhooks/delivery.ts";
import { retainDeliveries } from "../../../src/engine/webhooks/dispatcher.ts";
import { queryRows } from "../../help/query.ts";

const posted: Posted = {
  status: 500,
  error: null,
  is_timeout: false,
  retry_after: null,
  address: "192.0.2.1",
  answer: "no",
};

/** Three events for a subscription of one organization, and one of another. */
async function opened() {
  const frame = await openFrame(deliveryRoutes);
  const { services, database, clock } = frame;
  const network = { status: 500 };
  Object.assign(services.effects, {
    post: () => Promise.resolve({ ...posted, ...network }),
  });
  const { subscriptions, outbox, catalog, deliveries } = services;
  const subscribe = async (organization: string) => {
    const target = "https://hooks.example.org/";
    const said = { name: "hook", organization, target, event_types: ["*"] };
    return (await subscriptions.create(said)).subscription;
  };
  const [own, foreign] = [await subscribe("org-a"), await subscribe("org-b")];
  const tell = async (project_id: string) => {
    const project = catalog.project(project_id)!;
    const data = { project, occurred_at: clock.now_us, data: "{}", origin: null };
    const drafts = [{ type: "issue.updated", ...data } as const];
    outbox.committed(await database.write((write) => outbox.add(write, drafts)));
    clock.advance(1000);
  };
  for (const project of ["project-1", "project-1", "project-2", "project-3"]) await tell(project);
  await deliveries.settle();
  const token = await frame.token({ scopes: ["manage"], organization_id: "org-a" });
  const call = async (
    path: string,
    { body, as = frame.admin }: { body?: object; as?: string } = {},
  ) => {
    const answer = await frame.app.fetch(
      new Request(`http://x/admin/v1/deliveries${path}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
        body: body && JSON.stringify(body),
      }),
    );
    return { status: answer.status, data: await answer.json() };
  };
  return { ...frame, own, foreign, network, token, call };
}

Deno.test("deliveries are listed newest first, by what is asked for, within reach", async () => {
  const { call, token, own, foreign, close } = await opened();
  const all = await call("");
  deepEqual(all.data.deliveries.map(({ id }: { id: string }) => id), ["4", "3", "2", "1"]);
  const mine = await call("", { as: token });
  deepEqual(mine.data.deliveries.map(({ id }: { id: string }) => id), ["3", "2", "1"]);
  const [last] = mine.data.deliveries;
  deepEqual([last.subscription_id, last.state, last.attempts], [own.id, "pending", 1]);
  ok(last.due_at > last.created_at);
  equal((await call(`?event_id=${last.event_id}`)).data.deliveries.length, 1);
  equal((await call("?state=dead")).data.deliveries.length, 0);
  equal((await call("?type=issue.updated&limit=2&offset=3")).data.deliveries.length, 1);
  equal((await call("?type=issue.upd")).status, 400);
  const unknown = await call(`?subscription_id=${foreign.id}`, { as: token });
  equal(unknown.status, 404);
  await close();
});

Deno.test("a delivery shows its attempts; another organization's is unknown", async () => {
  const { call, token, close } = await opened();
  const { status, data } = await call("/1", { as: token });
  equal(status, 200);
  const [{ sent_at, took_ms, ...attempt }] = data.attempt_log;
  match(sent_at, /^2026-/);
  ok(took_ms >= 0);
  deepEqual(attempt, {
    ...{ attempt: 1, status: 500, error: null, address: "192.0.2.1", answer: "no" },
  });
  for (const id of ["4", "99", "x", "1e0"]) {
    equal((await call(`/${id}`, { as: token })).status, 404, id);
  }
  await close();
});

Deno.test("an event is told again under the same id; what is on its way stays so", async () => {
  const { call, token, network, services, clock, rows, close } = await openedWithRows();
  const { data: { deliveries: [{ event_id }] } } = await call("?limit=1&offset=1");
  const early = await call("/replay", { body: { event_id }, as: token });
  deepEqual([early.status, early.data], [202, { events: 1, deliveries: 0 }]);
  network.status = 200;
  clock.advance(60_000);
  await services.deliveries.settle();
  const again = await call("/replay", { body: { event_id }, as: token });
  deepEqual([again.status, again.data], [202, { events: 1, deliveries: 1 }]);
  await services.deliveries.settle();
  const both = await call(`?event_id=${event_id}`);
  deepEqual(both.data.deliveries.map(({ state }: { state: string }) => state), [
    "acknowledged",
    "acknowledged",
  ]);
  equal((await rows("SELECT id FROM outbox")).length, 4);
  const foreign = (await call("/4")).data.event_id;
  equal((await call("/replay", { body: { event_id: foreign }, as: token })).status, 404);
  await close();
});

Deno.test("a span is told again to one subscription", async () => {
  const { call, network, services, clock, own, close } = await openedWithRows();
  network.status = 200;
  clock.advance(60_000);
  await services.deliveries.settle();
  const span = { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" };
  const body = { ...span, subscription_id: own.id };
  const { status, data } = await call("/replay", { body });
  deepEqual([status, data], [202, { events: 3, deliveries: 3 }]);
  const past = { ...body, to: "2026-01-02T00:00:00Z" };
  deepEqual((await call("/replay", { body: past })).data, { events: 0, deliveries: 0 });
  await close();
});

Deno.test("a replay that is wrong is refused with each flaw's place", async () => {
  const { call, own, close } = await opened();
  const from = "2026-01-01T00:00:00Z";
  const cases = [
    [{}, ["subscription_id", "from", "to"]],
    [{ event_id: "x", from }, ["event_id"]],
    [{ subscription_id: own.id, from, to: from }, ["to"]],
    [{ subscription_id: own.id, from: "yesterday", to: from }, ["from"]],
    [{ evnt_id: "x" }, ["evnt_id"]],
  ] as const;
  for (const [body, paths] of cases) {
    const { status, data } = await call("/replay", { body });
    equal(status, 400, JSON.stringify(data));
    deepEqual(data.errors.map(({ path }: { path: string }) => path), paths);
  }
  equal((await call("/replay", { body: { event_id: "none" } })).status, 404);
  await close();
});

Deno.test("settled deliveries are dropped after their days, what waits is not", async () => {
  const { network, services, clock, rows, subscriptionOf, close } = await openedWithRows();
  const { database } = services;
  const retain = () => retainDeliveries({ database, settings: { webhook_keep_days: 30 } });
  await services.subscriptions.pause(subscriptionOf.foreign.id);
  network.status = 200;
  clock.advance(60_000);
  await services.deliveries.settle();
  await retain();
  equal((await rows("SELECT delivery_no FROM delivery")).length, 4);
  clock.advance(31 * 86_400_000);
  await retain();
  deepEqual(await rows("SELECT delivery_no, state FROM delivery"), [
    { delivery_no: 4, state: "held" },
  ]);
  equal((await rows("SELECT delivery_no FROM delivery_attempt")).length, 1);
  equal((await rows("SELECT event_no FROM outbox")).length, 1);
  await close();
});

async function openedWithRows() {
  const all = await opened();
  const { database, own, foreign } = all;
  const rows = (sql: string) => database.read((connection) => queryRows(connection, sql));
  return { ...all, rows, subscriptionOf: { own, foreign } };
}
