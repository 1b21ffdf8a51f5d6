// The wall clock is set by 400 days, forth and back, in a running service and over its restarts.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { assemble } from "../../../src/app.ts";
import type { Post, Posted } from "../../../src/base/effects_post.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { ClockWatch } from "../../../src/engine/service/clock_watch.ts";
import { retainDeliveries } from "../../../src/engine/webhooks/dispatcher.ts";
import type { Plain } from "../../../src/store/connection.ts";
import { Database } from "../../../src/store/database.ts";
import { instantText } from "../../../src/wire/bytes/instant.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";
import { test_settings } from "../../help/service.ts";
import { wanted } from "../../help/webhook.ts";
import { aTurn, passing, until } from "../../help/until.ts";

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const day_ms = 24 * hour_ms;
const far_ms = 400 * day_ms;

const site = {
  version: 1,
  organization: { key: "a", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [
    { key: "plant", name: "Plant", type: "system" },
    { key: "i1", name: "Inverter 1", type: "inverter", parent: "plant" },
  ],
  sensors: [{ tag: "power", device: "i1", measure: "active_power" }],
  rules: [{
    key: "high",
    name: "High",
    kind: "threshold",
    tag: "power",
    operator: ">",
    threshold: 100,
  }],
};

const json = { "content-type": "application/json" };

type World = Awaited<ReturnType<typeof openWorld>>;

/** Receivers that answer as is said; counts what they were sent since then. */
function openNetwork() {
  const nothing = { error: null, is_timeout: false, retry_after: null, address: null };
  const network = {
    status: 500,
    sent: 0,
    post(_: Post): Promise<Posted> {
      network.sent++;
      return Promise.resolve({ ...nothing, status: network.status, answer: "" });
    },
  };
  return network;
}

/** A service of one inverter on a file, over a network and clocks in the test's hand. */
async function openWorld() {
  const { effects: alone, clock } = fakeEffects("2026-06-01T12:00:00Z");
  const network = openNetwork();
  const effects = { ...alone, post: network.post };
  const path = `${await Deno.makeTempDir()}/w.duckdb`;
  const start = async () => {
    const database = await Database.open({ path, memory_mb: 256, threads: 1, effects });
    database.vault.use(new Uint8Array(32));
    const world = { effects, settings: test_settings, log: silent_log };
    return { database, ...await assemble(database, world) };
  };
  let running = await start();
  const token = running.services.access.first_token;
  const world = {
    clock,
    network,
    get services() {
      return running.services;
    },
    /** Sets the wall clock, lets a new process begin if it is to, and does what is due. */
    async set(step_ms: number, restarts: boolean) {
      clock.step(step_ms);
      if (restarts) {
        await world.close();
        running = await start();
      }
      await world.settle();
    },
    async call(method: string, path: string, { body, headers = {} }: Call = {}) {
      const answer = await running.app.fetch(
        new Request(new URL(path, "http://localhost"), {
          method,
          headers: { ...json, authorization: `Bearer ${token}`, ...headers },
          body: body === undefined ? undefined : JSON.stringify(body),
        }),
      );
      const text = await answer.text();
      ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text);
    },
    rows: <Row extends Readonly<Record<string, Plain>>>(sql: string) =>
      running.database.read((it) => queryRows<Row>(it, sql)),
    /** Looks at the clock, and does all that is due. */
    async settle() {
      const { clock_watch, roll, shelving, deliveries, evaluator, signing } = running.services;
      await clock_watch.look();
      await roll.settle();
      for (const part of [evaluator, shelving, signing, deliveries]) await part.settle();
    },
    async close() {
      // Whatever still writes in the background ends first.
      await running.database.write(() => Promise.resolve());
      await running.database.abandon();
    },
  };
  await world.call("PUT", "/admin/v1/sites/s", { body: site });
  return world;
}

type Call = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** Sends a value every ten seconds for some minutes, stamped by the wall clock. */
async function feed({ services, clock, call, settle }: World, value: number, minutes: number) {
  const [{ id }] = services.catalog.projects;
  for (let minute = 0; minute < minutes; minute++) {
    const body: object[] = [];
    for (let i = 0; i < 6; i++) {
      body.push({ tag: "power", ts: instantText(clock.now_us), value });
      clock.advance(10_000);
    }
    const { accepted } = await call("POST", `/ingest/v1/signals?project_id=${id}`, { body });
    equal(accepted, 6);
  }
  await settle();
}

/** The minutes of today that have a power, and their powers; and those of the days to come. */
async function powers({ services, clock, call }: World) {
  const [from, to] = [0, 3].map((days) => instantText(clock.now_us + days * day_ms * 1000));
  const query = new URLSearchParams({
    project_ids: services.catalog.projects[0].id,
    ...{ dt_start: from.slice(0, 10), dt_end: to.slice(0, 10), time_interval: "OneMinute" },
    ...{ component: "inverter", component_measure: "active_power", format: "json" },
  });
  const rows: { ts: string; sensor_value: number | null }[] = await call(
    "GET",
    `/platform/v1/performance-v2?${query}`,
  );
  return rows.filter(({ sensor_value }) => sensor_value !== null)
    .map((row) => ({ at_ms: Date.parse(`${row.ts}Z`), value: row.sensor_value }));
}

type Raised = { readonly raised_at: number; readonly cleared_at: number };

function alarms({ rows }: World): Promise<readonly Raised[]> {
  return rows("SELECT raised_at, cleared_at FROM occurrence ORDER BY occurrence_no");
}

/** Samples are taken, rolled up, shown and judged as they come, whatever was before. */
async function goesOn(world: World) {
  const { clock, services, rows } = world;
  const from_ms = clock.now_us / 1000;
  const known = (await alarms(world)).length;
  await feed(world, 200, 1);
  await feed(world, 50, 2);
  const shown = (await powers(world)).filter(({ at_ms }) => at_ms >= from_ms);
  deepEqual(shown, [200, 50, 50].map((value, i) => ({ at_ms: from_ms + i * minute_ms, value })));
  deepEqual((await alarms(world)).slice(known), [
    { raised_at: from_ms * 1000, cleared_at: (from_ms + minute_ms) * 1000 },
  ]);
  await services.ingest.latest.load();
  equal(services.ingest.latest.of(1)!.ts_us, clock.now_us - 10_000_000);
  const doubled = "SELECT sensor_no FROM reading GROUP BY sensor_no, minute HAVING count(*) > 1";
  deepEqual(await rows(doubled), []);
}

Deno.test("a clock set either way, or over a start: samples, figures, rules go on", async () => {
  const world = await openWorld();
  await feed(world, 50, 1);
  const steps = [[far_ms, false], [-far_ms, true], [-far_ms, false], [far_ms, true]] as const;
  for (const [step_ms, restarts] of steps) {
    await world.set(step_ms, restarts);
    await goesOn(world);
  }
  await world.close();
});

/** What is under way: deliveries that failed, a shelf for an hour, a session, an issue. */
async function begin(world: World) {
  const { services, clock, call } = world;
  const [{ id: project_id }] = services.catalog.projects;
  await services.subscriptions.create(wanted());
  await feed(world, 200, 1);
  const until = instantText(clock.now_us + hour_ms * 1000);
  const user = { user: "anna@plant.test" };
  const person = { email: user.user, first_name: "Anna", last_name: "Ruiz", organization: "a" };
  await services.users.create(person);
  const [{ occurrence_id }] = await world.rows<{ occurrence_id: string }>(
    "SELECT occurrence_id FROM occurrence",
  );
  await call("POST", `/platform/v1/alarms/${occurrence_id}/shelve?project_id=${project_id}`, {
    body: { until, reason: "Later", ...user },
  });
  const [{ id: token_id }] = services.access.list();
  const begun = { user_id: null, token_id, via: "token", address: null } as const;
  const { secret } = await services.sign_in.sessions.begin(begun);
  await world.settle();
  const makeIssue = () =>
    call("POST", `/platform/v1/issues?project_id=${project_id}`, {
      body: { name: "x" },
      headers: { "idempotency-key": "k" },
    });
  await makeIssue();
  await world.settle();
  Object.assign(world.network, { status: 200, sent: 0 });
  return { secret, makeIssue };
}

/** What became of it: deliveries by state, times it left the shelf, issues, and the session. */
async function stateOf({ rows, services }: World, secret: string) {
  const counted = async (sql: string) => Number((await rows<{ n: number }>(sql))[0].n);
  return {
    pending: await counted("SELECT count(*) AS n FROM delivery WHERE state = 'pending'"),
    unshelved: await counted(
      "SELECT count(*) AS n FROM occurrence_event WHERE type = 'unshelved'",
    ),
    issues: await counted("SELECT count(*) AS n FROM issue"),
    is_signed_in: services.sign_in.sessions.verify(secret) !== undefined,
  };
}

const waiting = { unshelved: 0, issues: 1, is_signed_in: true };
const over = { pending: 0, unshelved: 1, issues: 1, is_signed_in: false };

for (const restarts of [false, true]) {
  const again = restarts ? ", started again each time" : "";
  Deno.test(`a clock set forth and back${again}: what is due is done, once`, async () => {
    const world = await openWorld();
    const { secret, makeIssue } = await begin(world);
    const { pending } = await stateOf(world, secret);
    ok(pending > 0);
    // The end of the shelf is told, too.
    const sent = pending + 1;
    await world.set(far_ms, restarts);
    await makeIssue();
    deepEqual(await stateOf(world, secret), over);
    await retainDeliveries({ ...world.services, settings: test_settings });
    equal((await world.rows("SELECT state FROM delivery")).length, sent);
    await world.set(-far_ms, restarts);
    await makeIssue();
    world.clock.advance(2 * hour_ms);
    await world.settle();
    const { is_signed_in: _, ...rest } = await stateOf(world, secret);
    deepEqual({ ...rest, sent: world.network.sent }, {
      ...{ pending: 0, unshelved: 1, issues: 1, sent },
    });
    await world.close();
  });

  Deno.test(`a clock set back and forth${again}: nothing is early, late or lost`, async () => {
    const world = await openWorld();
    const { secret, makeIssue } = await begin(world);
    const { pending } = await stateOf(world, secret);
    for (const step_ms of [-far_ms, far_ms]) {
      await world.set(step_ms, restarts);
      await makeIssue();
      deepEqual(await stateOf(world, secret), { ...waiting, pending });
    }
    equal(world.network.sent, 0);
    await world.set(-far_ms, restarts);
    world.clock.advance(10 * minute_ms);
    await world.settle();
    deepEqual(await stateOf(world, secret), { ...waiting, pending: 0 });
    equal(world.network.sent, pending, "a wait is no longer than it was");
    world.clock.advance(13 * hour_ms);
    equal((await stateOf(world, secret)).is_signed_in, false, "nor is a session");
    await world.set(far_ms, restarts);
    equal((await stateOf(world, secret)).unshelved, 1);
    await world.close();
  });
}

Deno.test("what sleeps until an instant wakes up when the clock passes it by a step", async () => {
  const world = await openWorld();
  const { secret } = await begin(world);
  const stop = new AbortController();
  const ran = world.services.loops.map((loop) => loop.run(stop.signal));
  for (let i = 0; i < 50; i++) await aTurn();
  const done = async () => {
    const { pending, unshelved } = await stateOf(world, secret);
    return pending === 0 && unshelved === 1;
  };
  equal(await done(), false);
  world.clock.step(far_ms);
  await until(done, { meanwhile: passing(world.clock, { step_ms: 100, most_ms: 30_000 }) });
  stop.abort();
  await Promise.all(ran);
  await world.close();
});

Deno.test("a set of the clock is told once, when all have followed; a drift is none", async () => {
  const { effects, clock } = fakeEffects();
  const told: number[] = [];
  let fails = false;
  const follow = (set_us: number) => {
    told.push(set_us / 1_000_000);
    return fails ? Promise.reject(new Error("no room")) : Promise.resolve();
  };
  const watch = new ClockWatch({ effects, log: silent_log, follow });
  for (let i = 0; i < 100; i++) {
    clock.advance(2_000);
    clock.step(i % 3 * 10);
    await watch.look();
  }
  deepEqual(told, []);
  for (const step_s of [-5, 3_600]) {
    clock.step(step_s * 1_000);
    await watch.look();
    await watch.look();
  }
  deepEqual(told, [-5, 3_600]);
  fails = true;
  clock.step(60_000);
  await rejects(watch.look(), /no room/);
  fails = false;
  await watch.look();
  await watch.look();
  deepEqual(told.slice(2), [60, 60]);
});
