// Retention at a gateway: what was not forwarded stays past its time; where it must go, it shows.
import { deepEqual, equal } from "node:assert/strict";
import { Retention } from "../../../src/engine/retention/retention.ts";
import { test_settings } from "../../help/service.ts";
import { type Forwarding, openForwarding, storedRows } from "../../help/upstream.ts";

const day_ms = 86_400_000;

const keep = { keep_samples: "35d", keep_forecasts: "35d" };

/** A sample a day, of so many to so many days ago, all stored now. */
function sendDays(world: Forwarding, from: number, to: number): Promise<void> {
  const now_ms = world.gateway.clock.now_us / 1000;
  return world.send(Array.from({ length: from - to }, (_, i) => ({
    tag: "a",
    ts: new Date(now_ms - (from - i) * day_ms).toISOString(),
    value: i,
  })));
}

const count = async (world: Forwarding) => (await storedRows(world.gateway)).length;

Deno.test("samples whose time is over stay until they are forwarded", async () => {
  const world = await openForwarding({ settings: keep });
  const { retention } = world.gateway.services;
  try {
    world.line = () => Promise.reject(new TypeError("refused"));
    await sendDays(world, 60, 0);
    await world.turn();
    await retention.settle();
    equal(await count(world), 60);
    const preview = await (await world.gateway.fetch("/admin/v1/retention")).json();
    deepEqual(preview.due, []);
    world.line = world.direct;
    world.advance(300_000);
    await world.turn();
    equal(await world.requireSame(), 60);
    await retention.settle();
    // Days of the newest sample: 35 kept, and 10 that may change.
    equal(await count(world), 46);
    equal((await storedRows(world.centre)).length, 60);
    deepEqual((await world.gateway.services.upstream.state())!.projects[0].lost, []);
  } finally {
    await world.close();
  }
});

Deno.test("on a full disk forwarded rows go first, and the others are written down", async () => {
  const keep_samples = "200d";
  const world = await openForwarding({ settings: { keep_samples } });
  const { services } = world.gateway;
  let free_bytes = 0;
  const retention = new Retention({
    ...services,
    settings: { ...test_settings, keep_samples, keep_free_percent: 10 },
    space: () => Promise.resolve({ total_bytes: 1e12, free_bytes }),
  });
  const lost = async () => (await services.upstream.state())!.projects[0].lost;
  try {
    await sendDays(world, 100, 80);
    await sendDays(world, 75, 0);
    await world.turn();
    world.line = () => Promise.reject(new TypeError("refused"));
    await sendDays(world, 80, 75);
    services.database.checkpoint = async () => {
      if (await count(world) <= 80) free_bytes = 1e12;
      return true;
    };
    await retention.settle();
    deepEqual([await count(world), await lost()], [80, []]);
    free_bytes = 0;
    services.database.checkpoint = () => Promise.resolve(true);
    await retention.settle();
    equal(await count(world), 46);
    deepEqual((await lost()).map(({ kept, rows }) => [kept, rows]), Array(5).fill(["samples", 1]));
  } finally {
    await world.close();
  }
});
