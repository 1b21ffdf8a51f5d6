// The log of shared work has bounds: what is old becomes one change, and without readers it ends.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import {
  ask,
  done,
  down,
  exchange,
  issues,
  month,
  orders,
  pass,
  type Said,
  stateOf,
  withLine,
} from "./work_help.ts";

/** How many changes are kept of an issue or a work order, or of all. */
async function countOf({ services }: TestService, owner_id = "%"): Promise<number> {
  const [{ count }] = await services.database.read((it) =>
    queryRows(
      it,
      `SELECT count(*)::INTEGER AS count FROM work_change WHERE owner_id LIKE '${owner_id}'`,
    )
  ) as { count: number }[];
  return count;
}

Deno.test("old changes become one, at both sides, and nothing else changes", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(
      ask(centre, issues, { name: "Fan", devices: [{ device_id: "inv1" }] }),
    );
    const path = `${issues}/${issue.id}`;
    const order = await done(ask(centre, orders, { issue_id: issue.id, title: "Change it" }));
    await pass(world);
    for (const status of ["in_progress", "on_hold", "in_progress"]) {
      await done(ask(gateway, path, { status }, "PATCH"));
      await done(ask(gateway, `${path}/comment`, { body: status }));
      await pass(world);
    }
    await done(ask(gateway, `${orders}/${order.id}`, { status: "completed" }, "PATCH"));
    await pass(world);
    const before = await stateOf(centre);
    assert.ok(await countOf(centre, String(issue.id)) > 6);
    await month(world);
    await pass(world);
    for (const side of [centre, gateway]) {
      assert.deepEqual([await countOf(side, String(issue.id)), await countOf(side)], [1, 2]);
      assert.deepEqual(await stateOf(side), before);
    }
    // And it goes on from there.
    await done(ask(gateway, path, { status: "resolved" }, "PATCH"));
    await pass(world);
    assert.equal((await done(ask(centre, path))).status, "resolved");
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("a gateway that was away for longer begins with what there is, and loses nothing", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    const path = `${issues}/${issue.id}`;
    await pass(world);
    world.line = down;
    await done(ask(gateway, path, { priority: "low", description: "Seen" }, "PATCH"));
    await done(ask(gateway, `${path}/comment`, { body: "It smells" }));
    const made = await done(ask(gateway, issues, { name: "Fence" }));
    await pass(world);
    await done(ask(centre, path, { priority: "urgent" }, "PATCH"));
    await done(ask(centre, path, { name: "Fan is loud" }, "PATCH"));
    await done(ask(centre, `${path}/comment`, { body: "Where are you?" }));
    await month(world);
    assert.equal(await countOf(centre, String(issue.id)), 1);
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const shown = await done(ask(centre, path));
    assert.deepEqual(
      [shown.name, shown.priority, shown.description],
      ["Fan is loud", "urgent", "Seen"],
    );
    assert.equal((await done(ask(centre, `${issues}/${made.id}`))).name, "Fence");
    const told = await done<Said[]>(ask(gateway, `${path}/history`));
    const bodies = told.filter(({ kind }) => kind === "commented")
      .map(({ detail }) => (detail as Said).body);
    assert.deepEqual(bodies, ["It smells", "Where are you?"]);
    const conflicts = told.filter(({ kind }) => kind === "conflict");
    assert.deepEqual(conflicts.map(({ field, next_value }) => [field, next_value]), [
      ["priority", "urgent"],
    ]);
  }));

Deno.test("an issue that is folded behind its work order is heard with it", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    await done(exchange(world, "other", {}));
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    await done(ask(centre, orders, { issue_id: issue.id, title: "Change it", devices: [] }));
    await done(ask(centre, `${issues}/${issue.id}`, { priority: "low" }, "PATCH"));
    await month(world);
    await done(exchange(world, "other", {}));
    const told = await centre.services.database.read((it) =>
      queryRows<{ kind: string }>(it, "SELECT kind FROM work_change ORDER BY change_no")
    );
    assert.deepEqual(told.map(({ kind }) => kind), ["work_order", "issue"]);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("very many changes of one issue are bounded at once", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    await pass(world);
    const most = upstream_limits.work_keep_changes;
    for (let i = 0; i <= most; i++) {
      await centre.services.work.write(async (changes) => {
        await changes.load({ project_no: 1, issue_ids: [String(issue.id)] });
        const known = changes.issue(String(issue.id))!;
        changes.changeIssue({ ...known, name: `Fan ${i}` });
      });
    }
    await centre.services.work_readers.turn();
    const left = await countOf(centre, String(issue.id));
    assert.ok(left > 1 && left <= most / 2 + 1, `${left}`);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    assert.equal(await countOf(gateway, String(issue.id)), left);
  }));

Deno.test("without a reader there is no log, and one that comes again gets all", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    await pass(world);
    world.line = down;
    await month(world, upstream_limits.work_reader_us);
    await done(ask(centre, `${issues}/${issue.id}`, { name: "Fan is loud" }, "PATCH"));
    assert.equal(await countOf(centre), 0);
    // The gateway has a centre still, which it can't reach: what it does waits.
    await done(ask(gateway, `${issues}/${issue.id}/comment`, { body: "It smells" }));
    assert.ok(await countOf(gateway) > 1);
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    assert.equal((await done(ask(gateway, `${issues}/${issue.id}`))).name, "Fan is loud");
    assert.equal((await done<Said[]>(ask(centre, `${issues}/${issue.id}/history`))).length, 3);
  }));

Deno.test("a gateway that comes back long after it left loses nothing and doubles nothing", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const [fan, gate, door] = await Promise.all(
      ["Fan", "Gate", "Door"].map((name) =>
        done(ask(centre, issues, { name, devices: [{ device_id: "inv1" }] }))
      ),
    );
    const grease = { issue_id: fan.id, title: "Grease it", devices: [] };
    const order = await done(ask(centre, orders, grease));
    await pass(world);
    gateway.services.work.has_centre = false;
    world.line = down;
    const say = (side: TestService, id: string, body: string) =>
      done(ask(side, `${issues}/${id}/comment`, { body }));
    const change = (side: TestService, id: string, said: Said) =>
      done(ask(side, `${issues}/${id}`, said, "PATCH"));
    const early = ["early", "late"] as const;
    for (const when of early) {
      await say(gateway, fan.id, `gateway, ${when}`);
      await say(centre, fan.id, `centre, ${when}`);
      await change(gateway, fan.id, { description: `Seen ${when}` });
      if (when === "late") break;
      await change(centre, fan.id, { priority: "urgent" });
      await month(world, upstream_limits.work_reader_us);
      assert.equal(await countOf(centre), 0, "nobody reads the centre's log");
    }
    await done(ask(gateway, `${orders}/${order.id}`, { status: "completed" }, "PATCH"));
    const made = await done(ask(gateway, issues, { name: "Fence" }));
    // What was deleted at the centre, and is elsewhere now.
    await change(gateway, gate.id, { priority: "low" });
    await done(ask(centre, `${issues}/${gate.id}`, undefined, "DELETE"));
    await done(ask(centre, `${issues}/${door.id}`, { priority: "high" }, "PATCH"));
    gateway.services.work.has_centre = true;
    world.line = world.direct;
    for (let i = 0; i < 3; i++) await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const shown = await done(ask(centre, `${issues}/${fan.id}`));
    assert.deepEqual([shown.priority, shown.description], ["urgent", "Seen late"]);
    assert.equal((await done(ask(centre, `${orders}/${order.id}`))).status, "completed");
    assert.equal((await done(ask(centre, `${issues}/${made.id}`))).name, "Fence");
    const told = await done<Said[]>(ask(centre, `${issues}/${fan.id}/history`));
    const bodies = told.filter(({ kind }) => kind === "commented")
      .map(({ detail }) => (detail as Said).body);
    assert.deepEqual(
      bodies.sort(),
      early.flatMap((it) => [`centre, ${it}`, `gateway, ${it}`]).sort(),
    );
    assert.equal((await ask(gateway, `${issues}/${gate.id}`)).status, 404);
    const refused = await done<Said[]>(ask(gateway, `${issues}/${gate.id}/history`));
    assert.deepEqual(
      refused.filter(({ kind }) => kind === "conflict")
        .map(({ field, detail }) => [field, (detail as Said).reason]),
      [["priority", "it was deleted"]],
    );
    assert.equal((await done(ask(gateway, `${issues}/${door.id}`))).priority, "high");
  }));

Deno.test("a gateway that has left its centre loses nothing that it does until it comes back", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    const path = `${issues}/${issue.id}`;
    await pass(world);
    gateway.services.work.has_centre = false;
    await done(ask(gateway, path, { priority: "low" }, "PATCH"));
    await done(ask(gateway, path, { name: "Fan is loud" }, "PATCH"));
    await month(world);
    gateway.services.work.has_centre = true;
    await pass(world);
    const shown = await done(ask(centre, path));
    assert.deepEqual([shown.name, shown.priority], ["Fan is loud", "low"]);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("a gateway that had gateways of its own keeps what waits for its centre", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, { name: "Fan" }));
    await pass(world);
    await gateway.services.work_readers.hear("t1", 1, { no: 1, mark: "m", is_whole: true });
    world.line = down;
    await done(ask(gateway, `${issues}/${issue.id}`, { priority: "low" }, "PATCH"));
    await month(world, upstream_limits.work_reader_us);
    world.line = world.direct;
    await pass(world);
    assert.equal((await done(ask(centre, `${issues}/${issue.id}`))).priority, "low");
  }));

Deno.test("changes of which nothing follows are left alone, however many there are", () =>
  withLine(async ({ centre }) => {
    await centre.services.database.write(({ connection }) =>
      connection.script(
        `INSERT INTO work_change (change_no, id, project_no, kind, owner_id, body, order_us, says,
            stored_at)
          SELECT i, 'c' || i, 1, 'issue', 'i' || (i // 2), '{}', i, true, 0
          FROM range(${4 * upstream_limits.work_fold}) AS r(i)`,
      )
    );
    assert.equal(await centre.services.work.fold(1), false);
  }));
