// Alarms that a gateway judges for its centre: once on both sides, and no false silence.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { reviewLateTold } from "../../../src/engine/upstream/gateway.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import { type Forwarding, openForwarding, type Row } from "../../help/upstream.ts";

type RuleSaid = Readonly<Record<string, unknown>>;

const site_file = (rules: readonly RuleSaid[]) => ({
  version: 1,
  organization: { key: "o1", name: "O 1" },
  project: { key: "p1", name: "P 1", timezone: "UTC" },
  site: { key: "s1", name: "Site 1", latitude: 40, longitude: -3 },
  devices: [{ key: "inv1", type: "inverter", name: "Inverter 1" }],
  tags: [{ name: "a", encoding: "float" }, { name: "b", encoding: "float" }],
  rules,
});

const high = (said: RuleSaid = {}) => ({
  ...{ key: "high", name: "High", kind: "threshold", tag: "a", operator: ">", threshold: 10 },
  ...{ resolution_policy: "require_both", judged_at: "gateway" },
  ...said,
});
const silent = (said: RuleSaid = {}) => ({
  ...{ key: "silent", name: "Silent", kind: "stale", tag: "b", max_age_s: 60 },
  ...said,
});

async function apply(side: TestService, rules: readonly RuleSaid[]): Promise<void> {
  const answer = await side.fetch("/admin/v1/sites/s1", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site_file(rules)),
  });
  assert.ok(answer.ok, await answer.text());
}

const at = (tag: string, second: number, value: number): Row => ({
  tag,
  ts: new Date(Date.parse("2026-06-01T12:00:00Z") + second * 1000).toISOString(),
  value,
});

/** Alarms as a line each: rule, tag, status, from when to when; `~` is a late one. */
async function alarmsOf({ services }: TestService): Promise<readonly string[]> {
  const rows = await services.database.read((it) =>
    queryRows<Record<string, string | number | boolean | null>>(
      it,
      `SELECT rule_name, source_tag, status, is_late, (raised_at / 1e6)::DOUBLE AS raised,
         (cleared_at / 1e6)::DOUBLE AS cleared
       FROM occurrence ORDER BY raised_at, occurrence_no`,
    )
  );
  const noon = Date.parse("2026-06-01T12:00:00Z") / 1000;
  const since = (s: unknown) => s === null ? "" : String(Math.round(Number(s) - noon));
  return rows.map((it) =>
    `${it.is_late ? "~" : ""}${it.rule_name} ${it.source_tag} ${it.status} ` +
    `${since(it.raised)}-${since(it.cleared)}`
  );
}

/** Every event of every alarm, as its id, type, time and text, by alarm. */
function eventsOf({ services }: TestService): Promise<unknown[]> {
  return services.database.read((it) =>
    queryRows(
      it,
      `SELECT occurrence_id, event_id, type, kind, created_at::VARCHAR AS at, body, detail
       FROM occurrence_event ORDER BY occurrence_id, event_id`,
    )
  );
}

async function withRules(
  rules: { readonly gateway: readonly RuleSaid[]; readonly centre: readonly RuleSaid[] },
  work: (world: Forwarding) => Promise<void>,
): Promise<void> {
  const world = await openForwarding();
  try {
    await apply(world.gateway, rules.gateway);
    await apply(world.centre, rules.centre);
    await work(world);
  } finally {
    await world.close();
  }
}

/** Time goes on, and both look. */
async function pass(world: Forwarding, ms: number): Promise<void> {
  world.advance(ms);
  await world.turn();
  await world.gateway.services.evaluator.settle();
  await world.centre.services.evaluator.settle();
}

const down = () => Promise.reject(new TypeError("connection refused"));

Deno.test("an alarm that the gateway judges is the same one at the centre, once", () =>
  withRules({ gateway: [high()], centre: [high()] }, async (world) => {
    const { gateway, centre } = world;
    await world.turn();
    await world.send([at("a", 1, 12)]);
    await pass(world, upstream_limits.alarm_ms);
    assert.deepEqual(await alarmsOf(gateway), ["High a open 1-"]);
    assert.deepEqual(await alarmsOf(centre), ["High a open 1-"]);
    // The line fails after the centre has taken it: it is told again, and nothing is double.
    await world.send([at("a", 2, 5), at("a", 3, 15)]);
    world.line = async (request) => {
      await world.direct(request);
      throw new TypeError("connection reset");
    };
    await pass(world, upstream_limits.alarm_ms);
    world.line = world.direct;
    await pass(world, upstream_limits.retry_most_ms);
    await pass(world, upstream_limits.alarm_ms);
    assert.deepEqual(await alarmsOf(centre), ["High a open 1-"]);
    assert.deepEqual(await eventsOf(centre), await eventsOf(gateway));
    const [feed] = await centre.services.database.read((it) =>
      queryRows<{ n: number }>(it, "SELECT count(*)::INTEGER AS n FROM occurrence_event")
    );
    assert.equal(feed.n, 3);
    const path = "/platform/v1/alarms?project_id=centre-p1&include=judged";
    const listed = await (await centre.fetch(path)).json();
    assert.equal(listed.length, 1);
    assert.equal(listed[0].svc_occurrence_ref, "occ-000000000001");
    assert.equal(listed[0].judged_at, "gateway");
    assert.equal(listed[0].gateway, "test-host");
  }));

Deno.test("what is judged at one place is not judged at the other, whatever came before", () =>
  withRules({ gateway: [high({ judged_at: "centre" })], centre: [high()] }, async (world) => {
    const { gateway, centre } = world;
    // No gateway was ever heard: the centre judges all rules, and the gateway none of the centre's.
    await centre.fetch("/ingest/v1/signals?project_id=p1", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify(at("a", 1, 12)),
    });
    await world.send([at("a", 1, 12)]);
    assert.deepEqual([await alarmsOf(gateway), await alarmsOf(centre)], [[], ["High a open 1-"]]);
    await apply(gateway, [high()]);
    await pass(world, upstream_limits.alarm_ms);
    const [cleared] = await alarmsOf(centre);
    assert.match(cleared, /^High a open 1-\d+$/);
    assert.match(JSON.stringify(await eventsOf(centre)), /judged elsewhere now/);
    await world.send([at("a", 20, 5), at("a", 21, 30)]);
    await pass(world, upstream_limits.alarm_ms);
    assert.deepEqual((await alarmsOf(centre)).slice(1), await alarmsOf(gateway));
    const rules = await (await centre.fetch("/platform/v1/rules?project_id=centre-p1")).json();
    assert.deepEqual(rules.map((it: RuleSaid) => it.is_judged_here), [false]);
  }));

Deno.test("an alarm of a rule that the centre judges by itself is not taken, and says why", () =>
  withRules({ gateway: [high()], centre: [high({ judged_at: "here" })] }, async (world) => {
    await world.turn();
    await world.send([at("a", 1, 12)]);
    await pass(world, upstream_limits.alarm_ms);
    assert.equal((await alarmsOf(world.centre)).length, 1);
    assert.match(JSON.stringify(await eventsOf(world.centre)), /"raised"/);
    // Mended, it comes whole: what the centre had of its own is cleared.
    await apply(world.centre, [high()]);
    await pass(world, upstream_limits.alarm_aside_ms + 1_000);
    await pass(world, upstream_limits.alarm_ms);
    assert.equal((await alarmsOf(world.centre)).length, 2);
    assert.deepEqual((await eventsOf(world.gateway)).length, 1);
  }));

Deno.test("a lost line raises no silence; one that was real is recorded when it has come", () =>
  withRules({ gateway: [], centre: [silent()] }, async (world) => {
    const { centre } = world;
    const live = async (from: number, to: number, skip = (_second: number) => false) => {
      for (let second = from; second < to; second += 10) {
        world.advance(10_000);
        if (!skip(second)) await world.send([at("b", second, second)]);
        await world.turn();
        await centre.services.evaluator.settle();
      }
    };
    await world.turn();
    await live(10, 120);
    assert.deepEqual(await alarmsOf(centre), []);
    // Forty minutes without a line; for three of them the tag was silent in fact.
    world.line = down;
    await live(120, 2_520, (second) => second > 900 && second < 1_080);
    assert.deepEqual(await alarmsOf(centre), []);
    const gateways = await (await centre.fetch("/platform/v1/gateways")).json();
    assert.deepEqual(gateways.map((it: RuleSaid) => it.is_away), [true]);
    world.line = world.direct;
    world.advance(upstream_limits.retry_most_ms);
    await live(2_550, 2_700);
    await world.requireSame();
    await reviewLateTold(centre.services);
    assert.deepEqual(await alarmsOf(centre), ["~Silent b open 960-1080"]);
    await reviewLateTold(centre.services);
    assert.equal((await alarmsOf(centre)).length, 1);
    // The line holds, and the tag is silent: an alarm as any other.
    await live(2_700, 2_820, () => true);
    assert.deepEqual((await alarmsOf(centre)).slice(1), ["Silent b open 2750-"]);
  }));

Deno.test("a tag that fell silent with the line is told once all has come", () =>
  withRules({ gateway: [], centre: [silent()] }, async (world) => {
    const { centre } = world;
    await world.turn();
    await world.send([at("b", 10, 1)]);
    await pass(world, 20_000);
    world.line = down;
    await world.send([at("b", 20, 1)]);
    for (let i = 0; i < 60; i++) await pass(world, 10_000);
    assert.deepEqual(await alarmsOf(centre), []);
    world.line = world.direct;
    await pass(world, upstream_limits.retry_most_ms);
    for (let i = 0; i < 3; i++) await pass(world, 10_000);
    assert.deepEqual(await alarmsOf(centre), ["Silent b open 80-"]);
  }));
