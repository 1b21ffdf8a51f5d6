// Issues and work orders of a gateway and its centre: they go down and up, once, and merge.
import assert from "node:assert/strict";
import fc from "fast-check";
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
         CASE WHEN w.deleted_at IS NULL THEN i.id END AS issue_id
       FROM work_order AS w JOIN issue AS i USING (issue_no) ORDER BY w.id`,
    ),
    history: await queryRows(
      it,
      `SELECT h.id, i.id AS issue, kind, field, h.created_at::VARCHAR AS at,
         coalesce(${name("h.user_id")}, detail->>'by') AS who, detail->>'body' AS body
       FROM issue_history AS h JOIN issue AS i USING (issue_no) ORDER BY h.id`,
    ),
  }));
  const text = services.catalog.devices.reduce(
    (text, { id, key }) => text.replaceAll(id, key),
    JSON.stringify(state),
  );
  return JSON.parse(text);
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

const doings = fc.array(
  fc.record({
    side: fc.constantFrom("gateway" as const, "centre" as const),
    what: fc.constantFrom(
      ...["status", "priority", "comment", "order", "lines", "finish", "issue", "owner"] as const,
      ...["pass", "down", "lost", "up"] as const,
    ),
    pick: fc.nat(11),
  }),
  { minLength: 8, maxLength: 16 },
);

Deno.test("both end equal, whatever is done where while the line comes and goes", () =>
  withLine(async (world) => {
    const lost: Forwarding["line"] = async (request) => {
      const answer = await world.direct(request);
      if (request.url.includes("/gateways/work")) throw new TypeError("connection reset");
      return answer;
    };
    const lines = { down, lost, up: world.direct } as const;
    const statuses = ["open", "in_progress", "on_hold", "resolved", "closed"];
    await fc.assert(
      fc.asyncProperty(doings, async (all) => {
        await done(ask(world.centre, issues, { name: "Fan", devices: [{ device_id: "inv1" }] }));
        await pass(world);
        for (const { side: name, what, pick } of all) {
          const side = world[name];
          if (what === "pass") await pass(world, 1000 * (1 + pick));
          else if (what in lines) world.line = lines[what as keyof typeof lines];
          else await act(side, { what, pick, statuses });
        }
        world.line = world.direct;
        for (let rounds = 0; rounds < 3; rounds++) await pass(world);
        assert.deepEqual(await stateOf(world.gateway), await stateOf(world.centre));
      }),
      { numRuns: 3 },
    );
  }));

/** Does something with the newest issue of a side, or its work order; its life may forbid it. */
async function act(
  side: TestService,
  { what, pick, statuses }: {
    readonly what: string;
    readonly pick: number;
    readonly statuses: readonly string[];
  },
): Promise<void> {
  const user = pick % 2 ? "ana@acme.example" : undefined;
  const newest = (await done<Shown[]>(ask(side, issues))).at(-1)!;
  const [order] = newest.work_orders as Shown[];
  const path = `${issues}/${newest.id}`;
  const order_path = `${orders}/${order?.id}`;
  const line = { device_id: "inv1", status: ["completed", "skipped", "in_progress"][pick % 3] };
  const answer = await {
    status: () => ask(side, path, { status: statuses[pick % 5], user }, "PATCH"),
    priority: () => ask(side, path, { priority: pick % 2 ? "low" : "high", user }, "PATCH"),
    owner: () => ask(side, path, { assigned_to: user ?? null }, "PATCH"),
    comment: () => ask(side, `${path}/comment`, { body: `Seen ${pick}`, user }),
    order: () => ask(side, orders, { issue_id: newest.id, title: `Task ${pick}`, user }),
    lines: () => ask(side, order_path, { devices: [line, { device_id: "inv2" }] }, "PATCH"),
    finish: () => ask(side, order_path, { status: "completed", user }, "PATCH"),
    issue: () => ask(side, issues, { name: `Door ${pick}`, user }),
  }[what]!();
  const isFine = answer.ok || answer.status === 409 || order === undefined;
  assert.ok(isFine, await answer.text());
}
