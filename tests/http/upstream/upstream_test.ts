// The state of forwarding over HTTP: who sees what, what is set aside, and the metrics.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { Gateways } from "../../../src/engine/upstream/gateway.ts";
import { testService } from "../../help/service.ts";
import { openForwarding, storedRows } from "../../help/upstream.ts";

const path = "/platform/v1/upstream";

Deno.test("a service without a centre says so, and sends nothing again", async () => {
  const service = await testService();
  try {
    const state = await (await service.fetch(path)).json();
    assert.deepEqual([state.is_set, state.url, state.projects], [false, null, []]);
    const metrics = await (await service.fetch("/metrics")).text();
    assert.doesNotMatch(metrics, /^wattkeeper_upstream_connected \d/m);
  } finally {
    await service.close();
  }
});

Deno.test("the state tells what waits, what is wrong and what a day costs, no secret", async () => {
  const world = await openForwarding();
  const { gateway, centre } = world;
  try {
    const asked = async () => await (await gateway.fetch(path)).json();
    const before = await asked();
    assert.deepEqual([before.is_set, before.connected], [true, false]);
    assert.equal(before.projects[0].at_centre, null);
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    world.line = () => Promise.resolve(new Response("", { status: 503 }));
    await world.turn();
    world.advance(1_000);
    const down = await asked();
    assert.match(down.reason, /answered 503/);
    assert.ok(down.next_try_at > "2026-06-01T12:00:01");
    assert.equal(down.trouble_since, "2026-06-01T12:00:00.000000Z");
    assert.ok(down.projects[0].lag_s >= 1);
    world.line = world.direct;
    world.advance(upstream_limits.retry_most_ms);
    await world.turn();
    const up = await asked();
    assert.deepEqual([up.connected, up.reason, up.projects[0].lag_s], [true, null, 0]);
    assert.equal(up.projects[0].waiting_rows, 0);
    assert.equal(up.projects[0].at_centre, true);
    assert.equal(up.days[0].day, "2026-06-01");
    assert.equal(up.days[0].rows, 1);
    assert.ok(up.days[0].bytes > 400);
    assert.doesNotMatch(JSON.stringify(up), /wk_/);
    const metrics = await (await gateway.fetch("/metrics")).text();
    assert.match(metrics, /^wattkeeper_upstream_connected 1$/m);
    assert.match(metrics, /^wattkeeper_upstream_lag_seconds\{.*gateway-p1.*\} 0$/m);
    assert.equal((await centre.fetch(path)).status, 200);
  } finally {
    await world.close();
  }
});

Deno.test("a centre hears soon that a gateway that was behind has caught up", async () => {
  const world = await openForwarding();
  try {
    const lagAtCentre = async () => {
      const [told] = await (await world.centre.fetch("/platform/v1/gateways")).json();
      return told.lag_s;
    };
    await world.turn();
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    world.line = () => Promise.reject(new TypeError("no line"));
    world.advance(upstream_limits.live_ms);
    await world.turn();
    world.advance(600_000);
    world.line = world.direct;
    await world.turn();
    assert.equal(Math.round(await lagAtCentre()), 605);
    world.advance(upstream_limits.meet_behind_ms);
    await world.turn();
    assert.equal(await lagAtCentre(), 0);
  } finally {
    await world.close();
  }
});

Deno.test("a project that the centre lacks waits, is named, and holds up no other", async () => {
  const world = await openForwarding();
  const { gateway } = world;
  try {
    const { database, catalog } = gateway.services;
    await database.write(({ connection }) =>
      connection.script("INSERT INTO project VALUES (2, 'g2', 'o1', 'p2', 'P 2', NULL, 'UTC')")
    );
    await catalog.reload();
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    await gateway.fetch("/ingest/v1/signals?project_id=p2", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify({ tag: "b", ts: "2026-06-01T11:00:00Z", value: 2 }),
    });
    await world.turn();
    const { reason, connected, projects } = await (await gateway.fetch(path)).json();
    assert.match(reason, /no project p2 in reach of the token, it has p1/);
    assert.equal(connected, true);
    const facts = projects.map((it: Record<string, unknown>) => [
      it.key,
      it.at_centre,
      it.waiting_rows,
    ]);
    assert.deepEqual(facts, [["p1", true, 0], ["p2", false, 1]]);
    // Who may see one project sees that one.
    const { token } = await gateway.services.access.create({
      name: "p2 only",
      organization_id: "o1",
      project_ids: ["g2"],
      scopes: ["read"],
      expires_at: null,
    });
    const headers = { authorization: `Bearer ${token}` };
    const own = await (await gateway.fetch(path, { headers })).json();
    assert.deepEqual(own.projects.map(({ key }: { key: string }) => key), ["p2"]);
    const aside = `${path}/set-aside?project_id=p1`;
    assert.equal((await gateway.fetch(aside, { headers })).status, 403);
    assert.equal((await gateway.fetch(aside)).status, 200);
  } finally {
    await world.close();
  }
});

Deno.test("what the centre does not take is listed with its reason, and sent again", async () => {
  const world = await openForwarding();
  const { gateway, centre } = world;
  const retry = (service: typeof gateway) =>
    service.fetch(`${path}/set-aside/retry?project_id=p1`, { method: "POST" });
  try {
    await centre.fetch("/ingest/v1/signals?project_id=p1", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify({ tag: "word", ts: "2026-06-01T11:00:00Z", value: 1 }),
    });
    await world.send([
      { tag: "word", ts: "2026-06-01T11:00:00Z", value_str: "on" },
      { tag: "word", ts: "2026-06-01T11:30:00Z", value_str: "off" },
    ]);
    await world.turn();
    const [aside] = await (await gateway.fetch(`${path}/set-aside?project_id=p1`)).json();
    assert.equal(aside.tag, "word");
    assert.deepEqual([aside.lane, aside.rows], ["signal", 2]);
    assert.deepEqual([aside.first_ts, aside.last_ts], [
      "2026-06-01T11:00:00.000000Z",
      "2026-06-01T11:30:00.000000Z",
    ]);
    assert.deepEqual(await (await retry(gateway)).json(), { rows: 2 });
    assert.equal((await retry(centre)).status, 409);
  } finally {
    await world.close();
  }
});

Deno.test("a token with ever more names makes its centre forget nobody else", async () => {
  const world = await openForwarding();
  const { centre } = world;
  try {
    await world.turn();
    const { token } = await centre.services.access.create({
      ...{ name: "mallory", organization_id: "o1", project_ids: ["centre-p1"] },
      ...{ scopes: ["ingest" as const], expires_at: null },
    });
    const say = (path: string, body: unknown) =>
      centre.fetch(path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const counts = { version: "1", lag_s: 0, waiting_rows: 0, lost_rows: 0 };
    for (let n = 0; n < upstream_limits.gateway_names + 5; n++) {
      assert.equal((await say("/ingest/v1/gateways", { name: `m${n}`, ...counts })).status, 200);
    }
    const name = `m${upstream_limits.gateway_names + 4}`;
    const site = {
      ...{ site: "s", version: 1, state: "refused", reason: "a\u001b[31mb\nc" },
      ...{ in_force: null, held_by: "x\u0007", changed_us: 1 },
    };
    const told = { name, sites: [site] };
    assert.equal((await say("/ingest/v1/gateways/sites?project_id=p1", told)).status, 200);
    const shown = await (await centre.fetch("/platform/v1/gateways")).json();
    assert.equal(shown.length, upstream_limits.gateway_names + 1);
    assert.equal(shown.at(-1).name, "test-host");
    const [{ sites: [{ reason, held_by }] }] = shown;
    assert.deepEqual([reason, held_by], ["a [31mb c", "x"]);
  } finally {
    await world.close();
  }
});

Deno.test("a gateway is away after a minute, whatever its centre's clock is set to", async () => {
  const world = await openForwarding();
  const { centre } = world;
  const shown = async () => (await (await centre.fetch("/platform/v1/gateways")).json())[0];
  try {
    await world.turn();
    for (const step_ms of [3_600_000, -7_200_000]) {
      centre.clock.step(step_ms);
      const { is_away, heard_at } = await shown();
      assert.equal(is_away, false);
      assert.equal(Date.parse(heard_at) * 1000, centre.clock.now_us);
    }
    // While its line is up it is heard, whatever it has to tell.
    for (let i = 0; i < 18; i++) {
      world.advance(10_000);
      await world.turn();
      assert.equal((await shown()).is_away, false);
    }
    centre.clock.advance(upstream_limits.away_ms + 1);
    assert.match((await shown()).away_reason, /^it was not heard for 60 s: it is off, its line/);
    const { database, effects } = centre.services;
    const again = await Gateways.open({ database, effects });
    assert.match(again.awayReason(again.list()[0])!, /^this service was started 0 s ago/);
    centre.clock.advance(upstream_limits.away_ms + 1000);
    assert.match(again.awayReason(again.list()[0])!, /since this service was started: it is off/);
  } finally {
    await world.close();
  }
});

Deno.test("the centre shows when each gateway was heard, to who reaches its projects", async () => {
  const world = await openForwarding();
  const { centre } = world;
  const heard = "/platform/v1/gateways";
  try {
    assert.deepEqual(await (await centre.fetch(heard)).json(), []);
    await world.send([{ tag: "a", ts: "2026-06-01T11:00:00Z", value: 1 }]);
    await world.turn();
    const said = {
      name: "test-host",
      token_name: "gateway",
      version: world.gateway.services.version,
    };
    const at = (minute: number) => `2026-06-01T12:0${minute}:00.000000Z`;
    const [first, ...others] = await (await centre.fetch(heard)).json();
    assert.deepEqual({ ...first, lag_s: 0 }, {
      ...{ ...said, lag_s: 0, waiting_rows: 1, lost_rows: 0, heard_at: at(0), is_away: false },
      ...{ away_reason: null, sites: [] },
    });
    assert.deepEqual(others, []);
    world.advance(120_000);
    await world.turn();
    const [later, ...none] = await (await centre.fetch(heard)).json();
    assert.deepEqual([later.heard_at, later.waiting_rows, none], [at(2), 0, []]);
    const metrics = await (await centre.fetch("/metrics")).text();
    assert.match(metrics, /^wattkeeper_gateway_heard_time_seconds\{.*test-host.*\} \d+$/m);
    const { token } = await centre.services.access.create({
      ...{ name: "other", organization_id: "o1", project_ids: [], scopes: ["read" as const] },
      expires_at: null,
    });
    const headers = { authorization: `Bearer ${token}` };
    assert.deepEqual(await (await centre.fetch(heard, { headers })).json(), []);
  } finally {
    await world.close();
  }
});

Deno.test("a key of two organizations is not forwarded; others see no names", async () => {
  const world = await openForwarding();
  const { gateway, centre } = world;
  try {
    await gateway.services.database.write(({ connection }) =>
      connection.script(
        "INSERT INTO project VALUES (7, 'other-p1', 'o2', 'p1', 'P', NULL, 'UTC'); " +
          "INSERT INTO project VALUES (8, 'secret', 'o2', 'takeover', 'P', NULL, 'UTC')",
      )
    );
    await gateway.services.catalog.reload();
    const send = (project: string) =>
      gateway.fetch(`/ingest/v1/signals?project_id=${project}`, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: '{"tag":"a","ts":"2026-06-01T11:00:00Z","value":1}',
      });
    for (const project of ["gateway-p1", "other-p1"]) {
      assert.equal((await send(project)).status, 200);
    }
    await world.turn();
    assert.deepEqual(await storedRows(centre), []);
    const state = await (await gateway.fetch(path)).json();
    assert.match(state.reason, /several organizations have a project p1/);
    assert.deepEqual(state.projects.map((it: { at_centre: boolean }) => it.at_centre), [
      ...[false, false, false],
    ]);
    const { token } = await gateway.services.access.create({
      ...{ name: "reader", organization_id: "o1", project_ids: ["gateway-p1"] },
      ...{ scopes: ["read"], expires_at: null },
    });
    const headers = { authorization: `Bearer ${token}` };
    const own = await (await gateway.fetch(path, { headers })).json();
    assert.doesNotMatch(JSON.stringify(own), /takeover|secret/);
    assert.deepEqual([own.projects.length, own.days, own.rows_per_s], [1, [], 0]);
  } finally {
    await world.close();
  }
});
