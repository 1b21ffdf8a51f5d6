// What a gateway may tell of work that the centre can't keep, and work on what is gone meanwhile.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import type { WorkExchanged } from "../../../src/model/upstream/work.ts";
import type { SharedIssue, SharedOrder } from "../../../src/model/work/change.ts";
import { work_limits } from "../../../src/model/work/limits.ts";
import type { Forwarding } from "../../help/upstream.ts";
import {
  ask,
  changeOf,
  done,
  down,
  exchange,
  issues,
  orders,
  pass,
  type Said,
  shared_issue,
  type Shown,
  stateOf,
  withLine,
} from "./work_help.ts";

const common = {
  ...{ description: null, priority: "low" as const, external_id: null, assigned_to: null },
  ...{ created_by: null, created_at: 1, deleted_at: null, devices: [] },
};
const shared_order: SharedOrder = {
  ...{ ...common, issue_id: "i1", title: "Mend it", due_date: null, work_type: "corrective" },
  ...{ external_system: null, external_ref: null, external_url: null, payload: null },
  status: "open",
};

const issueOf = (id: string, made: Partial<SharedIssue> = {}) =>
  changeOf(id, { made: { ...shared_issue, ...made } });
const orderOf = (id: string, made: Partial<SharedOrder>) =>
  changeOf(id, { kind: "work_order", made: { ...shared_order, ...made }, told: undefined });

/** Tells the centre changes as another gateway of the project does; gives what it refuses. */
async function refusedOf(world: Forwarding, changes: readonly unknown[]) {
  const { refused } = await done<WorkExchanged>(exchange(world, "other", { changes }));
  return refused.map(({ id, reason }) => `${id}: ${reason}`);
}

Deno.test("what nobody could be told or shown again is refused, and the rest is taken", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    // Deleted before there was a gateway, which is told so.
    const gone = await done(ask(centre, issues, { name: "Fan is loud" }));
    const gone_order = await done(ask(centre, orders, { issue_id: gone.id, title: "Grease" }));
    await done(ask(centre, `${issues}/${gone.id}`, undefined, "DELETE"));
    const body = "x".repeat(upstream_limits.work_change_bytes);
    const row = {
      ...{ id: "h1", kind: "commented", field: null, previous_value: null, next_value: null },
      ...{ detail: { body }, person: null, created_at: 1 },
    };
    const refused = await refusedOf(world, [
      issueOf("i1"),
      orderOf("w1", { payload: 'no "JSON' }),
      orderOf("w2", { payload: "5" }),
      orderOf("w3", { payload: '{"a": 1}' }),
      { ...issueOf("i2"), told: [row] },
      { ...issueOf("i3"), order_us: work_limits.order_us + 1 },
      issueOf(gone.id),
      issueOf(gone_order.id),
    ]);
    assert.deepEqual(refused.map((it) => it.replace(/(ahead|than).*/, "$1")), [
      "w1: made.payload: is no JSON of an object that is kept",
      "w2: made.payload: is no JSON of an object that is kept",
      "i2: told: the change has more than",
      "i3: its clock is too far ahead",
      `${gone_order.id}: something else has its ID here`,
    ]);
    await pass(world);
    const [order] = await done<Shown[]>(ask(gateway, orders));
    assert.deepEqual([order.id, order.payload], ["w3", { a: 1 }]);
    assert.equal((await ask(centre, `${issues}/${gone.id}`)).status, 404);
  }));

Deno.test("behind the last place that a change may take, work goes on at both sides", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    const far = { ...issueOf("i1"), order_us: work_limits.order_us };
    assert.deepEqual(await refusedOf(world, [far]), []);
    await done(ask(centre, `${issues}/i1`, { priority: "high" }, "PATCH"));
    await pass(world);
    assert.equal((await done(ask(gateway, `${issues}/i1`))).priority, "high");
    await done(ask(gateway, `${issues}/i1`, { name: "Fence is open" }, "PATCH"));
    await pass(world);
    assert.equal((await done(ask(centre, `${issues}/i1`))).name, "Fence is open");
  }));

Deno.test("a device of another project is none of an issue's", () =>
  withLine(async (world) => {
    const { centre } = world;
    await done(ask(centre, "/admin/v1/sites/s2", {
      ...{ version: 1, organization: { key: "o2", name: "O 2" } },
      project: { key: "p2", name: "P 2", timezone: "UTC" },
      site: { key: "s2", name: "Site 2", latitude: 40, longitude: -3 },
      devices: [{ key: "inv9", type: "inverter", name: "inv9" }],
    }, "PUT"));
    const { id: device_id } = centre.services.catalog.devices.find(({ key }) => key === "inv9")!;
    const of = (device_id: string) => (
      { device_id, component: "c", effective_from: null, effective_to: null }
    );
    const devices = [of(device_id), of("s2/inv9"), of("of-no-site-file"), of("s1/inv1")];
    assert.deepEqual(await refusedOf(world, [issueOf("i1", { devices })]), []);
    const shown = (await done(ask(centre, `${issues}/i1`))).devices as Said[];
    const own = centre.services.catalog.devices.find(({ key }) => key === "inv1")!;
    assert.deepEqual(shown.map((it) => it.device_id), ["of-no-site-file", own.id]);
  }));

Deno.test("a work order that is made under an issue that is deleted meanwhile goes with it", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    const issue = await done(ask(centre, issues, { name: "Fan is loud" }));
    await pass(world);
    world.line = down;
    await done(ask(centre, `${issues}/${issue.id}`, undefined, "DELETE"));
    await done(ask(gateway, orders, { issue_id: issue.id, title: "Grease it" }));
    world.line = world.direct;
    await pass(world);
    await pass(world);
    for (const side of [centre, gateway]) assert.deepEqual(await done(ask(side, orders)), []);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("a conflict of a work order whose issue was merged is noted once, where it is seen", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    const kept = await done(ask(centre, issues, { name: "Fan is loud" }));
    const merged = await done(ask(centre, issues, { name: "Fan is loud, again" }));
    await pass(world);
    world.line = down;
    await done(ask(centre, `${issues}/${kept.id}/merge`, { issue_ids: [merged.id] }));
    const order = await done(ask(gateway, orders, { issue_id: merged.id, title: "Grease it" }));
    world.line = world.direct;
    await pass(world);
    await pass(world);
    world.line = down;
    await done(ask(centre, `${orders}/${order.id}`, { priority: "high" }, "PATCH"));
    await done(ask(gateway, `${orders}/${order.id}`, { priority: "low" }, "PATCH"));
    world.line = world.direct;
    await pass(world);
    await done(ask(gateway, `${orders}/${order.id}`, { title: "Grease both" }, "PATCH"));
    await pass(world);
    for (const side of [centre, gateway]) {
      const told = await done<Said[]>(ask(side, `${issues}/${kept.id}/history`));
      assert.equal(told.filter(({ kind }) => kind === "conflict").length, 1);
    }
  }));

Deno.test("a change that spoils a whole body is found by halves, and the others are told", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    await done(ask(centre, issues, { name: "Fan is loud" }));
    await pass(world);
    let asked = 0;
    world.line = async (request) => {
      if (!request.url.includes("/gateways/work")) return await world.direct(request);
      asked++;
      const text = await request.clone().text();
      if (!text.includes("poison")) return await world.direct(request);
      return Response.json({ detail: "it is too large" }, { status: 413 });
    };
    const bad = await done(ask(gateway, issues, { name: "poison" }));
    for (const name of ["Fence is open", "Gate is shut"]) {
      await done(ask(gateway, issues, { name }));
    }
    await pass(world);
    const there = await done<Shown[]>(ask(centre, issues));
    assert.deepEqual(there.map(({ name }) => name).sort(), [
      "Fan is loud",
      "Fence is open",
      "Gate is shut",
    ]);
    assert.ok(asked < 8, `${asked}`);
    const path = `/platform/v1/upstream/work?project_id=p1&id=${bad.id}`;
    assert.match(String((await done<Said>(gateway.fetch(path))).refused), /too large/);
    world.line = world.direct;
    await pass(world, upstream_limits.work_aside_ms);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("a centre that takes no question of this version is asked once in a while", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    await done(ask(centre, issues, { name: "Fan is loud" }));
    await pass(world);
    let asked = 0;
    world.line = async (request) => {
      if (!request.url.includes("/gateways/work")) return await world.direct(request);
      asked++;
      return Response.json({ detail: "sites: is not known" }, { status: 400 });
    };
    for (const name of ["Fence", "Gate", "Door", "Roof", "Lamp"]) {
      await done(ask(gateway, issues, { name }));
    }
    for (let i = 0; i < 3; i++) await pass(world);
    assert.ok(asked < 6, `${asked}`);
    const [{ id }] = await done<Shown[]>(ask(gateway, issues));
    const path = `/platform/v1/upstream/work?project_id=p1&id=${id}`;
    assert.equal((await done<Said>(gateway.fetch(path))).refused, null);
    world.line = world.direct;
    await pass(world, upstream_limits.work_aside_ms);
    await pass(world);
    assert.equal((await done<Shown[]>(ask(centre, issues))).length, 6);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));
