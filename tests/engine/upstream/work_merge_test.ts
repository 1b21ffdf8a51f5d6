// Work that is changed on both sides of a line that comes and goes: both end equal.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TestService } from "../../help/service.ts";
import type { Forwarding } from "../../help/upstream.ts";
import {
  ask,
  done,
  down,
  issues,
  orders,
  pass,
  type Shown,
  stateOf,
  withLine,
} from "./work_help.ts";

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
