// Deliveries whose process is killed at any moment, over and over on the same file.
import { equal, ok } from "node:assert/strict";
import { Dice } from "../../../src/base/random.ts";
import { day_us, minute_us, openDelivery } from "./dispatcher_help.ts";

Deno.test("fifty kills: every event arrived or is visibly dead", async () => {
  const path = `${await Deno.makeTempDir()}/w.duckdb`;
  const dice = new Dice(5);
  const arrived = new Map<string, Set<string>>();
  let step = 0;
  let now_us: number | undefined;
  let sent = 0;
  for (let life = 0; life <= 50; life++) {
    const is_last = life === 50;
    const answer = ({ id, body, host }: { id: string; body: string; host: string }) => {
      const bodies = arrived.get(`${host} ${id}`) ?? new Set();
      arrived.set(`${host} ${id}`, bodies.add(body));
      return { status: is_last || dice.unit(1, step++) < 0.6 ? 200 : 500 };
    };
    const world = await openDelivery({ path, now_us, answer });
    if (life === 0) {
      await world.subscribe({ target: "https://one.example/" });
      await world.subscribe({ target: "https://two.example/", is_ordered: true });
    }
    // A long log takes long to replay.
    if (life % 10 === 0) await world.database.checkpoint();
    if (!is_last) {
      const count = dice.pick(3, { channel: 2, step: life });
      sent += count;
      if (count > 0) await world.tell(...Array.from({ length: count }, () => world.draft()));
      // The process ends with whatever was sent by then, and nothing of it stored.
      await world.live(world.clock.now_us + Math.round(dice.unit(3, life) ** 4 * 20 * minute_us));
      await world.tell(world.draft());
      sent++;
      Object.assign(world.database, {
        write: () => Promise.reject(new Error("killed before it was settled")),
      });
      await world.deliveries.settle().catch(() => {});
    } else {
      await world.live(world.clock.now_us + 20 * day_us);
      const rows = await world.rows(
        "SELECT o.id, s.target, d.state FROM delivery d JOIN outbox o USING (event_no) " +
          "JOIN subscription s USING (subscription_no) ORDER BY delivery_no",
      );
      equal(rows.length, 2 * sent);
      for (const { id, target, state } of rows) {
        ok(state === "acknowledged" || state === "dead", `${state}`);
        const bodies = arrived.get(`${new URL(String(target)).hostname} ${id}`);
        equal(bodies?.size, 1, "each was sent, always with the same bytes");
      }
    }
    // Chance begins again with each life: ids differ by their time.
    now_us = world.clock.now_us + 1_000_000;
    await world.database.abandon();
  }
});

Deno.test("days of failures before a restart count after it, and so do attempts", async () => {
  const path = `${await Deno.makeTempDir()}/w.duckdb`;
  const answer = () => ({ status: 500 });
  const first = await openDelivery({ path, answer });
  const from_us = first.clock.now_us;
  const { id } = await first.subscribe();
  await first.tell(first.draft());
  await first.live(from_us + 2 * day_us);
  await first.tell(first.draft());
  await first.live(from_us + 4 * day_us);
  await first.database.abandon();
  const second = await openDelivery({ path, answer, now_us: first.clock.now_us });
  await second.live(from_us + 8 * day_us);
  equal(second.subscriptions.find(id).state, "disabled");
  const last_us = second.calls.at(-1)!.at_us - from_us;
  ok(last_us >= 5 * day_us && last_us < 6.3 * day_us, `${last_us / day_us}`);
  equal(first.calls.length + second.calls.length, 10 + 10);
  await second.database.close();
});
