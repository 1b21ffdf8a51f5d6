// Deliveries over days: the schedule, what ends it, what is held, and what every attempt says.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { parseSignature, signatureRefusal } from "../../../src/model/webhooks/signature.ts";
import { day_us, hour_us, isOnSchedule, minute_us, openDelivery } from "./dispatcher_help.ts";
import { runQuery } from "../../help/query.ts";

const schedule_s = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

Deno.test("an event arrives once, signed for now, with the headers of both ways", async () => {
  const world = await openDelivery();
  const { subscriptions, tell, calls, deliveries, clock, states } = world;
  const { subscription, secret } = await subscriptions.create({
    ...{ name: "hook", organization: "a", target: "https://hooks.example.org/x" },
    ...{ event_types: ["*"], headers: { "X-Own": "mine" } },
  });
  await tell(world.draft());
  await deliveries.settle();
  equal(calls.length, 1);
  const [{ headers, body, id }] = calls;
  equal(JSON.parse(body).id, id);
  equal(headers["webhook-id"], id);
  equal(headers["x-svc-event-type"], "issue.updated");
  equal(headers["X-Own"], "mine");
  equal(headers["user-agent"], "Wattkeeper/test");
  const received = { header: headers["x-svc-signature"], body: new TextEncoder().encode(body) };
  const now_us = clock.now_us;
  const { keys } = world.signing.jwks();
  const by_secret = { ...received, now_us, secrets: [secret], keys: [] };
  equal(signatureRefusal(by_secret), undefined);
  const by_key = { ...received, now_us, secrets: [], keys: keys.map(({ x }) => x) };
  equal(signatureRefusal(by_key), undefined);
  deepEqual(await states(), ["acknowledged"]);
  equal(subscriptions.get(subscription.subscription_no)?.state, "enabled");
  await deliveries.settle();
  equal(calls.length, 1);
  await world.database.close();
});

Deno.test("a failing receiver is tried ten times on schedule, then no more", async () => {
  const world = await openDelivery({ answer: () => ({ status: 500 }) });
  const { tell, calls, clock, live, states, rows } = world;
  await world.subscribe();
  await tell(world.draft());
  await live(clock.now_us + 4.5 * day_us);
  equal(calls.length, 10);
  isOnSchedule(calls.slice(1).map(({ at_us }, i) => at_us - calls[i].at_us), schedule_s);
  deepEqual(await states(), ["dead"]);
  equal(new Set(calls.map(({ id, body }) => id + body)).size, 1, "the same id and bytes");
  const times = calls.map(({ headers }) => parseSignature(headers["x-svc-signature"]));
  equal(new Set(times.map((it) => JSON.stringify(it))).size, 10, "each signed anew");
  const attempts = await rows("SELECT attempt, status FROM delivery_attempt ORDER BY attempt");
  deepEqual(attempts, Array.from({ length: 10 }, (_, i) => ({ attempt: i + 1, status: 500 })));
  await world.database.close();
});

Deno.test("five days of nothing but failures disable at the first failure after them", async () => {
  const world = await openDelivery({ answer: () => ({ status: 500 }) });
  const { tell, calls, clock, live, states, subscriptions } = world;
  const { id } = await world.subscribe();
  const from_us = clock.now_us;
  await tell(world.draft());
  await live(from_us + 3 * day_us);
  await tell(world.draft());
  await live(from_us + 5 * day_us - hour_us);
  equal(subscriptions.find(id).state, "enabled");
  await live(from_us + 7 * day_us);
  const { state, reason } = subscriptions.find(id);
  equal(state, "disabled");
  match(reason!, /nothing but failures for five days; the last: answered 500/);
  const last_us = calls.at(-1)!.at_us - from_us;
  ok(last_us >= 5 * day_us && calls.at(-2)!.at_us - from_us < 5 * day_us, `${last_us / day_us}`);
  deepEqual(await states(), ["dead", "held"]);
  await world.database.close();
});

Deno.test("one success in five days keeps a subscription enabled", async () => {
  const world = await openDelivery();
  const { tell, calls, clock, live, subscriptions, network } = world;
  const { id } = await world.subscribe();
  const from_us = clock.now_us;
  network.answer = ({ at_us }) => ({ status: at_us - from_us === 4 * day_us ? 200 : 500 });
  for (let day = 0; day < 8; day++) {
    await tell(world.draft());
    await live(from_us + (day + 1) * day_us);
  }
  ok(calls.length > 20);
  equal(subscriptions.find(id).state, "enabled");
  await world.database.close();
});

Deno.test("410 disables at once; what waits is held, and freed when it is resumed", async () => {
  const world = await openDelivery({ answer: () => ({ status: 410 }) });
  const { tell, calls, deliveries, states, subscriptions, network } = world;
  const { id } = await world.subscribe({ is_ordered: true });
  await tell(world.draft(), world.draft(), world.draft());
  await deliveries.settle();
  equal(calls.length, 1);
  equal(subscriptions.find(id).reason, "the receiver answered 410 Gone");
  deepEqual(await states(), ["held", "held", "held"]);
  await tell(world.draft());
  network.answer = () => ({});
  await deliveries.settle();
  equal(calls.length, 1);
  await subscriptions.resume(id);
  await deliveries.settle();
  deepEqual(await states(), Array(4).fill("acknowledged"));
  equal(calls.length, 5);
  await world.database.close();
});

Deno.test("a paused subscription gets nothing, even what failed while it was paused", async () => {
  const world = await openDelivery();
  const { tell, calls, deliveries, states, subscriptions, network } = world;
  const { id } = await world.subscribe();
  network.answer = async () => {
    await subscriptions.pause(id);
    return { status: 500 };
  };
  await tell(world.draft());
  await deliveries.settle();
  deepEqual(await states(), ["held"]);
  network.answer = () => ({});
  await subscriptions.resume(id);
  await deliveries.settle();
  deepEqual([await states(), calls.length], [["acknowledged"], 2]);
  await subscriptions.pause(id);
  await tell(world.draft());
  await subscriptions.remove(id);
  await deliveries.settle();
  deepEqual([await states(), calls.length], [["acknowledged", "dead"], 2]);
  await world.database.close();
});

Deno.test("an ordered subscription gets each event after the one before it", async () => {
  const world = await openDelivery();
  const { tell, calls, clock, live, network } = world;
  await world.subscribe({ is_ordered: true });
  let failures = 3;
  network.answer = () => ({ status: failures-- > 0 ? 500 : 200 });
  const from_us = clock.now_us;
  await tell(...[1, 2, 3, 4].map((n) => world.draft({ data: `{"id":"${n}"}` })));
  await live(from_us + hour_us);
  const seen = calls.map(({ body }) => JSON.parse(body).data.id);
  deepEqual(seen, ["1", "1", "1", "1", "2", "3", "4"]);
  await world.database.close();
});

Deno.test("secrets and headers that a receiver echoes are not kept", async () => {
  const world = await openDelivery();
  const { tell, deliveries, rows, network, subscriptions } = world;
  const subscription = await world.subscribe({ headers: { authorization: "Bearer s3cret" } });
  const [{ secret }] = subscriptions.secretsOf(subscription);
  network.answer = (_, { headers }) => ({
    status: 500,
    answer: `${JSON.stringify(headers)}${secret} ${"x".repeat(3000)}`,
  });
  await tell(world.draft());
  await deliveries.settle();
  const [{ answer, address }] = await rows("SELECT answer, address FROM delivery_attempt");
  notEqual(answer, null);
  ok(!String(answer).includes("s3cret") && !String(answer).includes(secret));
  equal(String(answer).length, 1024);
  equal(address, "192.0.2.1");
  await world.database.close();
});

Deno.test("an open breaker leaves a receiver alone, and one attempt closes it", async () => {
  const world = await openDelivery({ answer: () => ({ status: 500 }) });
  const { tell, calls, clock, deliveries, network, states } = world;
  await world.subscribe();
  await tell(...Array.from({ length: 40 }, () => world.draft()));
  await deliveries.settle();
  const first = calls.length;
  ok(first >= 10 && first <= 13, `${first}`);
  equal(deliveries.state.breakers_open, 1);
  clock.advance(59_000);
  await deliveries.settle();
  equal(calls.length, first);
  clock.advance(1_000);
  await deliveries.settle();
  equal(calls.length, first + 1, "one tries");
  network.answer = () => ({});
  clock.advance(2 * 60_000);
  await deliveries.settle();
  equal(deliveries.state.breakers_open, 0);
  clock.advance(10 * 60_000);
  await deliveries.settle();
  deepEqual(new Set(await states()), new Set(["acknowledged"]));
  await world.database.close();
});

Deno.test("a breaker lets the next one decide where one is gone or can't be sent", async () => {
  const world = await openDelivery({ answer: () => ({ status: 500 }) });
  const { tell, calls, deliveries, clock, network, database, signing, states } = world;
  await world.subscribe();
  await tell(...Array.from({ length: 10 }, () => world.draft()));
  await deliveries.settle();
  const first = calls.length;
  equal(deliveries.state.breakers_open, 1);
  // Due before the others' next attempts.
  const [gone] = await tell(world.draft());
  await database.write(({ connection }) =>
    runQuery(connection, "DELETE FROM outbox WHERE event_no = $event_no", {
      event_no: gone.event_no,
    })
  );
  network.answer = () => ({});
  let failures = 1;
  const { current } = signing;
  Object.assign(signing, {
    current() {
      if (failures-- > 0) throw new Error("there is no key");
      return current.call(signing);
    },
  });
  clock.advance(60_000);
  await deliveries.settle();
  deepEqual([calls.length, failures], [first, 0], "one is gone, the next can't be sent");
  equal((await states()).at(-1), "dead");
  equal(deliveries.state.breakers_open, 1);
  clock.advance(2 * 60_000);
  await deliveries.settle();
  equal(deliveries.state.breakers_open, 0);
  clock.advance(10 * 60_000);
  await deliveries.settle();
  deepEqual(await states(), [...Array(10).fill("acknowledged"), "dead"]);
  await database.close();
});

Deno.test("clocks that jump hold nothing up and disable nobody", async () => {
  const world = await openDelivery({ answer: () => ({ status: 500 }) });
  const { tell, calls, clock, deliveries, subscriptions, effects } = world;
  const { id } = await world.subscribe();
  let jump_us = 0;
  // The wall clock alone jumps.
  Object.assign(effects, { now_us: () => clock.now_us + jump_us });
  await tell(world.draft());
  await deliveries.settle();
  for (const jump of [30 * day_us, -60 * day_us]) {
    const before = calls.length;
    jump_us += jump;
    await deliveries.settle();
    equal(calls.length, before, "a jump that nobody noticed makes nothing due");
    clock.advance(6 * minute_us / 1000 * (before === 1 ? 1 : 6));
    await deliveries.settle();
    equal(calls.length, before + 1, "and delays nothing");
    equal(subscriptions.find(id).state, "enabled");
  }
  await world.database.close();
});
