// Deviation rules: minutes beside peers or model, judged once and in order, whatever is killed.
import { deepEqual, equal } from "node:assert/strict";
import { assemble } from "../../../src/app.ts";
import type { Services } from "../../../src/http/frame/services.ts";
import type { Clock } from "../../help/effects.ts";
import { testService } from "../../help/service.ts";
import { queryRows } from "../../help/query.ts";
import { aTurn } from "../../help/until.ts";

const begin = Date.parse("2026-06-01T10:00:00Z");
const inverters = ["a", "b", "c", "d", "e"];

type Rule = Readonly<Record<string, unknown>>;

/** Inverters of 100 kW, but for the last one of 50, under rules. */
function siteOf([rule, ...more]: readonly Rule[]): object {
  return {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key: "p", name: "P", timezone: "UTC" },
    site: { key: "s", name: "S", latitude: 0, longitude: 0 },
    devices: inverters.map((key) => ({ key, type: "inverter" })),
    sensors: inverters.map((tag) => ({
      ...{ tag, device: tag, measure: "active_power", capacity: tag === "e" ? 50 : 100 },
    })),
    rules: [weak(rule), ...more.map(weak)],
  };
}

function weak(rule: Rule): Rule {
  return {
    ...{ key: "weak", name: "Weak", kind: "deviation", measure: "active_power" },
    ...{ component: "inverter", limit_pct: 20, severity: "low" },
    ...rule,
  };
}

/** A service with a plant under rules, and its words. */
async function open(...rules: readonly Rule[]) {
  const service = await testService({ at: new Date(begin).toISOString() });
  const json = { "content-type": "application/json" };
  const { services, clock } = service;
  let running = services;
  const apply = async (...rules: readonly Rule[]) => {
    const body = JSON.stringify(siteOf(rules));
    const put = await service.fetch("/admin/v1/sites/s", { method: "PUT", headers: json, body });
    equal(put.status, 200, await put.text());
    // As its loop does.
    await running.minute_evaluator.settle();
  };
  const passUntil = (minute: number) =>
    clock.advance(Math.max(0, begin + minute * 60_000 - clock.now_us / 1000));
  await apply(...rules);
  return {
    apply,
    services,
    /** Sends a value of each minute from `from` on, of the lane. */
    async send(tag: string, values: readonly number[], { from = 0, lane = "signal" } = {}) {
      passUntil(from + values.length);
      const rows = values.map((value, i) => {
        const ts = new Date(begin + (from + i) * 60_000).toISOString();
        return JSON.stringify({ tag, ts, value });
      });
      const [{ id }] = services.catalog.projects;
      const sent = await service.fetch(`/ingest/v1/signals?project_id=${id}&lane=${lane}`, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: rows.join("\n"),
      });
      equal((await sent.json()).accepted, values.length);
    },
    /** Lets `minutes` pass since the beginning, and samples be rolled up. */
    async roll(minutes: number) {
      passUntil(minutes);
      await running.roll.settle();
    },
    /** Lets `minutes` pass since the beginning, and everything be computed. */
    async settle(minutes: number) {
      passUntil(minutes);
      await running.roll.settle();
      await running.minute_evaluator.settle();
    },
    /** Sets the wall clock, which is noticed. */
    set: (minutes: number) => setClock(running, { minutes, clock }),
    /** Goes on with parts that know only what is stored. */
    async restart() {
      if (running !== services) await closeParts(running);
      running = (await assemble(services.database, services)).services;
    },
    alarms: () => listAlarms(services),
    /** Lets its loop work until there are `count` alarms. */
    runUntil: (count: number) => runUntil(running, { count, clock }),
    async close() {
      if (running !== services) await closeParts(running);
      await service.close();
    },
  };
}

function setClock(
  { clock_watch }: Services,
  { minutes, clock }: { readonly minutes: number; readonly clock: Clock },
): Promise<void> {
  clock.step(minutes * 60_000);
  return clock_watch.look();
}

async function runUntil(
  services: Services,
  { count, clock }: { readonly count: number; readonly clock: Clock },
): Promise<void> {
  const stop = new AbortController();
  const ran = services.minute_evaluator.loop.run(stop.signal);
  while (await countAlarms(services) < count) {
    clock.advance(1000);
    await aTurn();
  }
  stop.abort();
  await ran;
}

/** Each alarm: its tag, when it was raised and cleared in minutes, and its values. */
function listAlarms({ database }: Services) {
  return database.read((connection) =>
    queryRows(
      connection,
      "SELECT source_tag AS tag, (raised_at - $begin_us) / 60e6 AS raised, " +
        "(cleared_at - $begin_us) / 60e6 AS cleared, round(raised_value) AS at, " +
        "round(peak_value) AS peak, events_total AS events " +
        "FROM occurrence ORDER BY raised_at, source_tag",
      { begin_us: begin * 1000 },
    )
  );
}

async function countAlarms({ database }: Services): Promise<number> {
  const sql = "SELECT count(*)::INTEGER AS n FROM occurrence";
  const [{ n }] = await database.read((connection) => queryRows<{ n: number }>(connection, sql));
  return n;
}

async function closeParts({ roll, availability, minute_evaluator }: Services): Promise<void> {
  await roll.close();
  await availability.close();
  await minute_evaluator.close();
}

Deno.test("a sensor behind its peers raises an alarm, by capacity, and clears it", async () => {
  const plant = await open({ from: "peers", on_delay_s: 120, off_delay_s: 60 });
  for (const tag of ["a", "b", "c"]) await plant.send(tag, Array(20).fill(80));
  await plant.send("d", [80, 80, 60, 50, 56, 60, 60, 79, 81, ...Array(11).fill(80)]);
  await plant.send("e", Array(20).fill(40));
  await plant.settle(21);
  deepEqual(await plant.alarms(), [
    { tag: "d", raised: 4, cleared: 8, at: -25, peak: -38, events: 2 },
  ]);
  await plant.close();
});

Deno.test("a sensor behind its model raises an alarm where enough is expected", async () => {
  const plant = await open({ from: "model", min_expected: 50 });
  await plant.send("a", [80, 80, 70, 10, 10, 80]);
  await plant.send("a", [90, 90, 90, 40, 90, 90], { lane: "model" });
  await plant.send("b", [10, 10, 10, 10, 10, 10]);
  await plant.settle(9);
  deepEqual(await plant.alarms(), [
    { tag: "a", raised: 2, cleared: 5, at: -22, peak: -89, events: 2 },
  ]);
  await plant.close();
});

Deno.test("after a clock that was days ahead the real minutes are judged", async () => {
  const plant = await open({ from: "model" });
  const send = async (from: number, values: readonly number[]) => {
    await plant.send("a", Array(values.length).fill(90), { from, lane: "model" });
    await plant.send("a", values, { from });
  };
  const ahead = 3 * 1440;
  await send(0, [90, 90]);
  await plant.settle(5);
  await plant.set(ahead);
  await send(ahead + 5, [90, 40, 90]);
  await plant.settle(ahead + 12);
  await plant.set(-ahead);
  await send(12, [90, 40, 40, 90]);
  await plant.settle(20);
  deepEqual((await plant.alarms()).map(({ raised, cleared }) => [raised, cleared]), [
    [13, 15],
    [ahead + 6, ahead + 7],
  ]);
  await plant.close();
});

Deno.test("what changes in judged minutes is not judged again, news of others is", async () => {
  const plant = await open({ from: "model" });
  for (const tag of ["a", "b"]) await plant.send(tag, Array(40).fill(90), { lane: "model" });
  await plant.send("a", Array(20).fill(90));
  await plant.settle(43);
  await plant.send("a", Array(10).fill(10), { from: 5 });
  await plant.send("b", [90, 90, 10, 10, 90]);
  await plant.settle(44);
  deepEqual(await plant.alarms(), [
    { tag: "b", raised: 2, cleared: 4, at: -89, peak: -89, events: 2 },
  ]);
  await plant.close();
});

Deno.test("the last two minutes wait, and restarts tell the same once", async () => {
  const plant = await open({ from: "model", on_delay_s: 180, off_delay_s: 120 });
  const values = [99, 99, 60, 60, 40, 60, 60, 60, 99, 60, 60, 99, 99, 99, 99, 60, 60, 60, 60, 60];
  for (const [minute, value] of values.entries()) {
    await plant.send("a", [100], { from: minute, lane: "model" });
    await plant.send("a", [value], { from: minute });
    await plant.settle(minute + 1);
    const told = (await plant.alarms()).length;
    equal(told, minute + 1 - 2 > 18 ? 2 : minute + 1 - 2 > 5 ? 1 : 0, `in minute ${minute}`);
    if (minute % 4 === 2) await plant.restart();
  }
  await plant.settle(24);
  deepEqual(await plant.alarms(), [
    { tag: "a", raised: 5, cleared: 13, at: -40, peak: -60, events: 2 },
    { tag: "a", raised: 18, cleared: null, at: -40, peak: -40, events: 1 },
  ]);
  await plant.close();
});

Deno.test("a new rule judges from the next minute on; one that goes clears alarms", async () => {
  const plant = await open({ from: "model", enabled: false });
  await plant.send("a", Array(10).fill(100), { lane: "model" });
  await plant.send("a", Array(10).fill(50));
  await plant.settle(13);
  await plant.apply({ from: "model" });
  await plant.settle(14);
  deepEqual(await plant.alarms(), []);
  await plant.send("a", Array(3).fill(50), { from: 12 });
  await plant.settle(18);
  deepEqual((await plant.alarms()).map(({ raised, cleared }) => [raised, cleared]), [[12, null]]);
  await plant.apply({ from: "model", enabled: false });
  const [{ events, cleared }] = await plant.alarms();
  equal(events, 2);
  equal(cleared !== null, true);
  await plant.close();
});

Deno.test("the loop judges by itself what the roll-up stores", async () => {
  const plant = await open({ from: "model" });
  await plant.send("a", Array(6).fill(100), { lane: "model" });
  await plant.send("a", [100, 100, 50, 50, 100, 100]);
  await plant.roll(9);
  await plant.runUntil(1);
  await plant.send("b", Array(6).fill(100), { lane: "model" });
  await plant.send("b", [100, 50, 50, 50, 100, 100]);
  await plant.roll(10);
  await plant.runUntil(2);
  await plant.close();
});

Deno.test("a deviation rule that fails is suspended, others judge the same minutes", async () => {
  const bad = { key: "bad", name: "Bad", from: "peers", severity: "high" };
  const plant = await open({ from: "peers" }, bad);
  plant.services.alarms.mark((changes) => {
    const fails = [...changes.all].some(({ occurrence: { rule_name, kind } }) =>
      rule_name === "Bad" && kind === "deviation"
    );
    return fails ? Promise.reject(new RangeError("no such number")) : Promise.resolve(() => {});
  });
  for (const tag of ["a", "b", "c"]) await plant.send(tag, Array(10).fill(80));
  await plant.send("d", [80, 80, 60, 50, ...Array(6).fill(80)]);
  await plant.settle(15);
  await plant.services.minute_evaluator.settle();
  deepEqual(
    (await plant.alarms()).map(({ tag, raised, cleared }) => [tag, raised, cleared]).slice(0, 1),
    [["d", 2, 4]],
  );
  deepEqual([...plant.services.rules.suspended.values()].map(({ reason }) => reason), [
    "RangeError: no such number",
  ]);
  deepEqual(await countAlarms(plant.services), 2);
  await plant.close();
});

Deno.test("a rule over a span tells the same by two minutes, restarted, and at once", async () => {
  const values = Array.from({ length: 26 }, (_, i) => i >= 10 && i < 16 ? 50 : 100);
  const rule = { from: "model", span_minutes: 10 };
  // Up to minute 14 five of ten minutes have half: 25 % less. From minute 21 on four have: 20 %.
  const told = [{ tag: "a", raised: 14, cleared: 21, at: -25, peak: -30, events: 2 }];
  const slow = await open(rule);
  for (let from = 0; from < values.length; from += 2) {
    await slow.send("a", [100, 100], { from, lane: "model" });
    await slow.send("a", values.slice(from, from + 2), { from });
    await slow.settle(from + 2);
    if (from % 5 === 2) await slow.restart();
  }
  await slow.settle(29);
  deepEqual(await slow.alarms(), told);
  await slow.close();
  const quick = await open(rule);
  await quick.send("a", Array(26).fill(100), { lane: "model" });
  await quick.send("a", values);
  await quick.settle(29);
  deepEqual(await quick.alarms(), told);
  const params = await quick.services.database.read((connection) =>
    queryRows<{ params: string }>(connection, "SELECT params FROM occurrence")
  );
  equal(JSON.parse(params[0].params).span_minutes, 10);
  await quick.close();
});

Deno.test("late samples that fill a span up let its last minute be judged", async () => {
  const plant = await open({ from: "model", span_minutes: 300 });
  await plant.send("a", Array(301).fill(100), { lane: "model" });
  await plant.send("a", [40], { from: 300 });
  await plant.settle(400);
  deepEqual(await plant.alarms(), []);
  // With the minute that is known they are half of the span up to it; alone they are less.
  await plant.send("a", Array(149).fill(40), { from: 1 });
  await plant.settle(401);
  deepEqual(await plant.alarms(), [
    { tag: "a", raised: 300, cleared: null, at: -60, peak: -60, events: 1 },
  ]);
  await plant.close();
});

Deno.test("rules over spans of their own judge one sensor side by side", async () => {
  const long = { key: "long", name: "Long", from: "model", span_minutes: 4, severity: "high" };
  const plant = await open({ from: "model" }, long);
  await plant.send("a", Array(10).fill(100), { lane: "model" });
  await plant.send("a", [100, 100, 100, 100, 50, 50, 100, 100, 100, 100]);
  await plant.settle(14);
  deepEqual((await plant.alarms()).map(({ raised, cleared, at }) => [raised, cleared, at]), [
    [4, 6, -50],
    [5, 8, -25],
  ]);
  await plant.close();
});
