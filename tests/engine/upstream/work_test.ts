// Issues and work orders of a gateway and its centre: they go down and up, once, and merge.
import assert from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { queryRows } from "../../help/query.ts";
import type { TestService } from "../../help/service.ts";
import { type Forwarding, openForwarding } from "../../help/upstream.ts";

const site = {
  version: 1,
  organization: { key: "o1", name: "O 1" },
  project: { key: "p1", name: "P 1", timezone: "UTC" },
  site: { key: "s1", name: "Site 1", latitude: 40, longitude: -3 },
  devices: ["inv1", "inv2"].map((key) => ({ key, type: "inverter", name: key })),
};

type Said = Readonly<Record<string, unknown>>;
type Shown = { readonly id: string; readonly number: number; readonly [field: string]: unknown };

async function ask(
  side: TestService,
  path: string,
  body?: Said,
  method = body ? "POST" : "GET",
): Promise<Response> {
  return await side.fetch(path.startsWith("/admin") ? path : `${path}?project_id=p1`, {
    method,
    ...body && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    },
  });
}

async function done<T = Shown>(answering: Promise<Response>): Promise<T> {
  const answer = await answering;
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return JSON.parse(text);
}

const issues = "/platform/v1/issues";
const orders = "/platform/v1/work-orders";

async function withLine(work: (world: Forwarding) => Promise<void>): Promise<void> {
  const world = await openForwarding();
  try {
    for (const side of [world.gateway, world.centre]) {
      await done(ask(side, "/admin/v1/sites/s1", site, "PUT"));
      for (const email of ["ana@acme.example", "ben@acme.example"]) {
        // Ben is no user of the centre's.
        if (email.startsWith("ben") && side === world.centre) continue;
        const names = { first_name: email.slice(0, 3), last_name: "Gil" };
        await done(ask(side, "/admin/v1/users", { organization: "o1", email, ...names }));
      }
    }
    await work(world);
  } finally {
    await world.close();
  }
}

/** Time goes on, and the gateway looks. */
async function pass(world: Forwarding, ms: number = upstream_limits.retry_most_ms): Promise<void> {
  world.advance(ms);
  await world.turn();
}

const down = () => Promise.reject(new TypeError("connection refused"));

/** Everything that both sides are to have alike; people by what they are called. */
async function stateOf({ services }: TestService): Promise<unknown> {
  const name = (id: string) =>
    `(SELECT first_name || ' ' || last_name FROM "user" WHERE "user".id = ${id})`;
  const state = await services.database.read(async (it) => ({
    issues: await queryRows(
      it,
      `SELECT i.id, i.number, i.name, i.description, i.status, i.priority, i.source,
         i.resolved_at::VARCHAR AS resolved, ${name("i.assigned_to")} AS owner,
         i.created_at::VARCHAR AS created, i.deleted_at::VARCHAR AS deleted,
         i.devices, m.id AS into_id
       FROM issue AS i LEFT JOIN issue AS m ON m.issue_no = i.merged_into ORDER BY i.id`,
    ),
    orders: await queryRows(
      it,
      `SELECT w.id, w.number, w.title, w.status, w.priority, w.due_date::VARCHAR AS due,
         w.created_at::VARCHAR AS created, w.deleted_at::VARCHAR AS deleted,
         ${name("w.assigned_to")} AS owner, w.devices,
         i.id AS issue_id
       FROM work_order AS w JOIN issue AS i USING (issue_no) ORDER BY w.id`,
    ),
    history: await queryRows(
      it,
      `SELECT h.id, i.id AS issue, kind, field, h.created_at::VARCHAR AS at,
         coalesce(${name("h.user_id")}, detail->>'by') AS who, detail->>'body' AS body
       FROM issue_history AS h JOIN issue AS i USING (issue_no) ORDER BY h.id`,
    ),
  }));
  const keys = services.catalog.devices.map(({ id, key }) => [id, key] as const);
  return JSON.parse(keys.reduce((text, [id, key]) => text.replaceAll(id, key), JSON.stringify(state)));
}

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
      { body: "Bearing is gone", by: "ben Gil" },
    ]);
  }));
