// Issues and work orders of a gateway and its centre: they go down and up, once, and merge.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import { issueDraft } from "../../help/work.ts";
import {
  ask,
  done,
  down,
  issues,
  orders,
  pass,
  type Said,
  type Shown,
  stateOf,
  withLine,
} from "./work_help.ts";

Deno.test("work goes down with its comments, and what is done at the gateway goes up", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, {
      ...{ name: "Fan is loud", user: "ana@acme.example", assigned_to: "ana@acme.example" },
      devices: [{ device_id: "inv1" }, { device_id: "inv2" }],
    }));
    const order = await done(ask(centre, orders, { issue_id: issue.id, title: "Change the fan" }));
    await done(ask(centre, `${issues}/${issue.id}/comment`, { body: "Bring a ladder" }));
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const [here] = await done<Shown[]>(ask(gateway, issues));
    assert.equal(here.id, issue.id);
    assert.equal(here.number, issue.number);
    world.line = down;
    await done(ask(gateway, `${orders}/${order.id}`, {
      ...{ status: "in_progress", user: "ben@acme.example" },
      devices: [{ device_id: "inv1", status: "completed" }, { device_id: "inv2" }],
    }, "PATCH"));
    await done(ask(gateway, `${issues}/${issue.id}/comment`, {
      ...{ body: "Bearing is gone", user: "ben@acme.example" },
    }));
    const made = await done(ask(gateway, issues, { name: "Fence is open" }));
    assert.ok(made.number > 1_000_000_000, "not numbered by the centre yet");
    await pass(world);
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const there = await done<Shown[]>(ask(centre, issues));
    assert.deepEqual(there.map(({ number, name }) => [number, name]), [
      [1, "Fan is loud"],
      [2, "Fence is open"],
    ]);
    assert.equal((await done(ask(gateway, `${issues}/${made.id}`))).number, 2);
    const done_order = await done(ask(centre, `${orders}/${order.id}`));
    assert.deepEqual((done_order.devices as Said[]).map(({ status }) => status), [
      "completed",
      "pending",
    ]);
    const told = await done<{ readonly kind: string; readonly detail: Said }[]>(
      ask(centre, `${issues}/${issue.id}/history`),
    );
    const comments = told.filter(({ kind }) => kind === "commented").map(({ detail }) => detail);
    assert.deepEqual(comments, [
      { body: "Bring a ladder" },
      { body: "Bearing is gone", by: "ben Gil", gateway: "gateway" },
    ]);
  }));

Deno.test("what both changed is merged, and what does not hold is said with both names", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const issue = await done(ask(centre, issues, {
      ...{ name: "Fan is loud", devices: [{ device_id: "inv1" }, { device_id: "inv2" }] },
    }));
    const path = `${issues}/${issue.id}`;
    const order = await done(ask(centre, orders, { issue_id: issue.id, title: "Change the fan" }));
    await pass(world);
    world.line = down;
    const ben = { user: "ben@acme.example" };
    const ana = { user: "ana@acme.example" };
    // The same field, by both; another field, by one alone; and the same, which is no conflict.
    await done(ask(gateway, path, { priority: "low", description: "Seen", ...ben }, "PATCH"));
    world.advance(1000);
    await done(ask(centre, path, { priority: "urgent", name: "Fan is gone", ...ana }, "PATCH"));
    // Completed at the gateway; the centre, a second later, wants to hold it.
    await done(ask(gateway, `${orders}/${order.id}`, { status: "completed", ...ben }, "PATCH"));
    world.advance(1000);
    await done(ask(centre, `${orders}/${order.id}`, { status: "on_hold", ...ana }, "PATCH"));
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const merged = await done(ask(centre, path));
    assert.deepEqual(
      [merged.priority, merged.description, merged.name],
      ["urgent", "Seen", "Fan is gone"],
    );
    for (const side of [gateway, centre]) {
      const told = await done<Said[]>(ask(side, `${path}/history`));
      const conflicts = told.filter(({ kind }) => kind === "conflict");
      const said = conflicts.map(({ field, previous_value, next_value, detail }) => {
        const { holds, lost, reason, work_order_id } = detail as Readonly<Record<string, Said>>;
        return [field, previous_value, next_value, holds.by, lost.by, reason, work_order_id];
      });
      assert.deepEqual(said, [
        ["priority", "low", "urgent", "ana Gil", "ben Gil", null, undefined],
        [
          "status",
          "on_hold",
          "completed",
          "ben Gil",
          "ana Gil",
          "it is completed, for good",
          order.id,
        ],
      ]);
    }
    const kept = await done(ask(centre, `${orders}/${order.id}`));
    assert.equal(kept.status, "completed");
  }));

Deno.test("nothing is taken twice where an answer is lost, and webhooks are told once", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    await pass(world);
    const heard: string[] = [];
    centre.services.work.listen(({ events }) => heard.push(...events.map(({ type }) => type)));
    const made = await done(ask(gateway, issues, { name: "Fence is open" }));
    await done(ask(gateway, orders, { issue_id: made.id, title: "Mend it" }));
    world.line = async (request) => {
      const answer = await world.direct(request);
      if (request.url.includes("/gateways/work")) throw new TypeError("connection reset");
      return answer;
    };
    await pass(world);
    // What the centre says of it now, the gateway does not know: both changed the priority.
    await done(ask(centre, `${issues}/${made.id}`, { priority: "high" }, "PATCH"));
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    assert.deepEqual(heard, ["issue.created", "workorder.created", "issue.updated"]);
    const told = await done<Said[]>(ask(gateway, `${issues}/${made.id}/history`));
    assert.deepEqual(told.map(({ kind }) => kind), [
      "created",
      "work_order_added",
      "priority_changed",
    ]);
    assert.equal((told[1].detail as Said).number, 1);
  }));

Deno.test("a gateway merges and deletes nothing; what the centre merges is so at both", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const [first, second] = [
      await done(ask(centre, issues, { name: "Fan is loud" })),
      await done(ask(centre, issues, { name: "Fan is loud, again" })),
    ];
    await pass(world);
    for (
      const [path, body, method] of [
        [`${issues}/${first.id}`, undefined, "DELETE"],
        [`${issues}/${first.id}/merge`, { issue_ids: [second.id] }, "POST"],
      ] as const
    ) {
      const answer = await ask(gateway, path, body, method);
      assert.equal(answer.status, 409);
      assert.match((await answer.json()).detail, /at its centre/);
    }
    world.line = down;
    await done(ask(centre, `${issues}/${first.id}/merge`, { issue_ids: [second.id] }));
    // Who makes a work order does not know that its issue is merged.
    const order = await done(ask(gateway, orders, { issue_id: second.id, title: "Grease it" }));
    await done(ask(gateway, `${issues}/${second.id}`, { priority: "low" }, "PATCH"));
    world.line = world.direct;
    await pass(world);
    await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    const kept = await done(ask(gateway, `${orders}/${order.id}`));
    assert.equal(kept.issue_id, first.id);
    const told = await done<Said[]>(ask(gateway, `${issues}/${second.id}/history`));
    assert.deepEqual(
      told.filter(({ kind }) => kind === "conflict").map((
        { field, detail },
      ) => [field, (detail as Said).reason]),
      [["priority", "it was merged into another issue, for good"]],
    );
    await done(ask(centre, `${issues}/${first.id}`, undefined, "DELETE"));
    await pass(world);
    assert.equal((await ask(gateway, `${issues}/${first.id}`)).status, 404);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("all that was there before there was a gateway comes at once, with its history", () =>
  withLine(async (world) => {
    const { gateway, centre } = world;
    const most = upstream_limits.work_changes;
    await centre.services.work.write(async (changes) => {
      await changes.load({ project_no: 1 });
      for (let i = 0; i <= most; i++) {
        const issue = changes.addIssue(issueDraft({ name: `Fan ${i}` }));
        changes.tell(issue, [{ kind: "commented", detail: { body: "Loud" } }]);
      }
    });
    await pass(world);
    assert.equal((await done<Shown[]>(ask(gateway, issues))).length, most + 1);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

/** Tells a centre changes as a gateway does that has heard nothing. */
async function tell(centre: TestService, token: string, [project, ...all]: [string, ...Said[]]) {
  const answer = await centre.fetch(`/ingest/v1/gateways/work?project_id=${project}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ heard_no: 0, heard_id: null, sent_id: null, changes: all }),
  });
  return { status: answer.status, said: await answer.json() };
}

Deno.test("a gateway of others can neither read nor change, and takes no id of theirs", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    const issue = await done(ask(centre, issues, { name: "Fan is loud" }));
    await pass(world);
    await centre.services.database.write(({ connection }) =>
      connection.script(
        "INSERT INTO organization VALUES ('o2', 'o2', 'O 2'); " +
          "INSERT INTO project VALUES (2, 'other', 'o2', 'p2', 'P 2', NULL, 'UTC')",
      )
    );
    await centre.services.catalog.reload();
    const { token } = await centre.services.access.create({
      ...{ name: "other", organization_id: "o2", project_ids: ["other"], scopes: ["sync"] },
      expires_at: null,
    });
    const before = await stateOf(centre);
    const foreign = await tell(centre, token, ["centre-p1"]);
    assert.ok(foreign.status >= 400);
    assert.ok(!JSON.stringify(foreign.said).includes("Fan"));
    const [{ body }] = await gateway.services.database.read((it) =>
      queryRows<{ body: string }>(it, "SELECT body FROM work_change")
    );
    const made = JSON.parse(body);
    const change = {
      ...{ ...made, id: "change-1", made: null, told: [] },
      fields: [{ field: "name", before: "Fan is loud", after: "Mine" }],
    };
    const { said } = await tell(centre, token, ["other", made, change]);
    assert.deepEqual(said.refused, [
      { id: issue.id, reason: "something else has its ID here" },
      { id: "change-1", reason: "something else has its ID here" },
    ]);
    assert.deepEqual([said.changes, said.numbers], [[], []]);
    assert.deepEqual(await stateOf(centre), before);
  }));

Deno.test("a token that may only ingest reads no work, and its samples go on", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    await done(ask(centre, issues, { name: "Fan is loud" }));
    await done(ask(gateway, issues, { name: "Fence is open" }));
    await world.send([{ tag: "a", ts: "2026-06-01T11:59:00Z", value: 1 }]);
    let asked = 0;
    world.line = (request) => {
      if (new URL(request.url).pathname === "/ingest/v1/gateways/work") asked++;
      return world.direct(request);
    };
    for (let i = 0; i < 5; i++) await pass(world);
    assert.equal(asked, 1);
    // Nothing is kept for a centre that hears nothing of it.
    assert.deepEqual([...gateway.services.work.shared], []);
    assert.equal(await world.requireSame(), 1);
    for (const [side, name] of [[centre, "Fan is loud"], [gateway, "Fence is open"]] as const) {
      const shown = await done<Shown[]>(ask(side, issues));
      assert.deepEqual(shown.map((it) => it.name), [name]);
    }
  }, { scopes: ["ingest"] }));

Deno.test("a centre that refuses the question itself is not asked in a loop", () =>
  withLine(async (world) => {
    let asked = 0;
    world.line = (request) => {
      if (new URL(request.url).pathname !== "/ingest/v1/gateways/work") {
        return world.direct(request);
      }
      asked++;
      return Promise.resolve(Response.json({ detail: "what is that?" }, { status: 400 }));
    };
    await world.send([{ tag: "a", ts: "2026-06-01T11:59:00Z", value: 1 }]);
    for (let i = 0; i < 3; i++) await pass(world);
    assert.equal(asked, 1);
    assert.equal(await world.requireSame(), 1);
  }));

Deno.test("a change that the centre can't take is set aside, and holds up nothing", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    const bad = await done(ask(gateway, issues, { name: "Fan is loud" }));
    const good = await done(ask(gateway, issues, { name: "Fence is open" }));
    await gateway.services.work.share(gateway.services.catalog.projects[0]);
    const spoil = (from: string, to: string) =>
      gateway.services.database.write(({ connection }) =>
        connection.script(
          `UPDATE work_change SET body = replace(body, '${from}', '${to}') WHERE id = '${bad.id}'`,
        )
      );
    await spoil('"medium"', '"soon"');
    await pass(world);
    await done(ask(gateway, `${issues}/${bad.id}`, { priority: "low" }, "PATCH"));
    await pass(world);
    assert.equal((await ask(centre, `${issues}/${bad.id}`)).status, 404);
    assert.equal((await done(ask(centre, `${issues}/${good.id}`))).name, "Fence is open");
    const path = `/platform/v1/upstream/work`;
    const waiting = await done<Said>(
      gateway.fetch(`${path}?project_id=p1&id=${bad.id}`),
    );
    assert.equal(waiting.waiting, 2);
    assert.match(String(waiting.refused), /what it changes is not here|made.priority/);
    // Once it can be taken, it is told again, and what came after it, too.
    await spoil('"soon"', '"medium"');
    await pass(world, upstream_limits.work_aside_ms);
    await pass(world);
    assert.equal((await done(ask(centre, `${issues}/${bad.id}`))).priority, "low");
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
  }));

Deno.test("a centre that lost what it had gets all of it again", () =>
  withLine(async (world) => {
    const { centre, gateway } = world;
    const first = await done(ask(centre, issues, { name: "Fan is loud" }));
    await pass(world);
    await done(ask(gateway, `${issues}/${first.id}`, { priority: "low" }, "PATCH"));
    const second = await done(ask(gateway, issues, { name: "Fence is open" }));
    await pass(world);
    const before = await stateOf(gateway);
    // As a backup from before would have it.
    await centre.services.database.write(({ connection }) =>
      connection.script(
        "DELETE FROM issue; DELETE FROM issue_history; DELETE FROM work_change; " +
          "DELETE FROM work_place; " +
          "DELETE FROM work_snapshot",
      )
    );
    for (let rounds = 0; rounds < 3; rounds++) await pass(world);
    assert.deepEqual(await stateOf(gateway), await stateOf(centre));
    assert.deepEqual(await stateOf(gateway), before);
    assert.equal((await done(ask(centre, `${issues}/${second.id}`))).name, "Fence is open");
  }));
