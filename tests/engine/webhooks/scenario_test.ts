// Many deliveries at once: beside dead receivers, within bounds, beyond what fits into memory.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { webhook_limits } from "../../../src/model/webhooks/limits.ts";
import { openDelivery } from "./dispatcher_help.ts";
import { aTurn, until } from "../../help/until.ts";

Deno.test("five dead receivers among fifty delay nobody else", async () => {
  const world = await openDelivery();
  const { tell, calls, clock, deliveries, network, rows } = world;
  for (let i = 0; i < 50; i++) await world.subscribe({ target: `https://r${i}.example/` });
  const is_dead = (host: string) => Number(/\d+/.exec(host)![0]) < 5;
  // The dead ones take ten seconds to time out, the others answer at once.
  let asleep = 0;
  network.answer = async ({ host }) => {
    if (!is_dead(host)) return {};
    asleep++;
    await world.effects.sleep(10_000);
    asleep--;
    return { status: null, error: "no answer within 10 s", is_timeout: true };
  };
  await tell(...Array.from({ length: 50 }, () => world.draft()));
  const from_us = clock.now_us;
  const settled = deliveries.settle();
  const wanted = 45 * 50;
  const good = () => calls.filter(({ host }) => !is_dead(host));
  await until(() => good().length >= wanted);
  equal(good().length, wanted);
  ok(good().every(({ at_us }) => at_us === from_us), "without a moment's wait");
  const dead = calls.filter(({ host }) => is_dead(host));
  equal(dead.length, 5 * webhook_limits.webhooks_per_subscription, "four at once to each");
  let is_settled = false;
  settled.finally(() => is_settled = true);
  // Time goes on whenever all that is left waits for it, however slow the machine is.
  while (!is_settled) {
    if (asleep > 0 && asleep === deliveries.state.flying) clock.advance(10_000);
    await aTurn();
  }
  await settled;
  const states = await rows(
    "SELECT state, count(*)::INTEGER AS n FROM delivery GROUP BY state ORDER BY state",
  );
  deepEqual(states, [{ state: "acknowledged", n: wanted }, { state: "pending", n: 250 }]);
  equal(deliveries.state.breakers_open, 5);
  await world.database.close();
});

Deno.test("no more is under way than may be: in all, to an origin, to a subscriber", async () => {
  const world = await openDelivery();
  const { tell, network, deliveries } = world;
  for (let i = 0; i < 40; i++) {
    const target = i < 10 ? `https://same.example/${i}` : `https://r${i}.example/`;
    await world.subscribe({ target });
  }
  const flying = new Map<string, number>();
  const most = new Map<string, number>();
  network.answer = async (_, { url }) => {
    const places = ["all", url.host, url.href];
    for (const place of places) {
      const now = (flying.get(place) ?? 0) + 1;
      flying.set(place, now);
      most.set(place, Math.max(now, most.get(place) ?? 0));
    }
    await aTurn();
    for (const place of places) flying.set(place, flying.get(place)! - 1);
    return {};
  };
  await tell(...Array.from({ length: 30 }, () => world.draft()));
  await deliveries.settle();
  equal(most.get("all"), webhook_limits.webhooks_in_flight);
  equal(most.get("same.example"), webhook_limits.webhooks_per_origin);
  ok(
    [...most].every(([place, count]) =>
      !place.startsWith("https") || count <= webhook_limits.webhooks_per_subscription
    ),
  );
  deepEqual(new Set(await world.states()), new Set(["acknowledged"]));
  equal(world.calls.length, 40 * 30, "each once");
  await world.database.close();
});

Deno.test("more than fits into memory is read as room comes, each once", async () => {
  const world = await openDelivery();
  await world.subscribe();
  const events = webhook_limits.webhooks_waiting + 500;
  await world.tell(...Array.from({ length: events }, () => world.draft()));
  await world.deliveries.settle();
  equal(world.calls.length, events);
  equal(new Set(world.calls.map(({ id }) => id)).size, events);
  await world.database.close();
});

Deno.test("the loop sends while it runs, sleeps without work, and ends in time", async () => {
  const world = await openDelivery();
  const { tell, calls, clock, deliveries, network, states, subscribe } = world;
  await subscribe();
  const stop = new AbortController();
  const { sending, settling } = deliveries;
  const running = Promise.all([sending, settling].map((loop) => loop.run(stop.signal)));
  let hangs = false;
  network.answer = async (_, { signal }) => {
    if (!hangs) return {};
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { status: null };
  };
  const meanwhile = () => clock.advance(10);
  await tell(world.draft());
  await until(async () => (await states()).join() === "acknowledged", { meanwhile });
  hangs = true;
  await tell(world.draft());
  await until(() => calls.length === 2, { meanwhile });
  stop.abort();
  const closed = deliveries.close();
  await tell(world.draft());
  for (let i = 0; i < 5; i++) {
    await aTurn();
    clock.advance(500);
  }
  await Promise.all([running, closed]);
  deepEqual([await states(), calls.length], [["acknowledged", "pending", "pending"], 2]);
  await world.database.close();
});

Deno.test("an attempt that can't be stored holds up the storing of no other", async () => {
  const world = await openDelivery();
  for (let i = 0; i < 9; i++) await world.subscribe({ target: `https://r${i}.example/` });
  const broken = Symbol("no text") as unknown as string;
  world.network.answer = ({ host }) => host === "r4.example" ? { address: broken } : {};
  await world.tell(world.draft());
  await rejects(world.deliveries.settle(), TypeError);
  const states = async () => (await world.states()).map((state) => state === "acknowledged");
  deepEqual(await states(), [true, true, true, true, false, true, true, true, true]);
  await rejects(world.deliveries.settle(), TypeError);
  equal(world.calls.length, 9, "it is not sent again");
  await world.database.close();
});
