// Whatever happens to issues and work orders: numbers, history, snapshots, events, windows.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { StoredWork } from "../../../src/engine/work/commit.ts";
import type { Issue } from "../../../src/model/work/issue.ts";
import type { HistoryEvent } from "../../../src/model/work/history.ts";
import { workedDevices, type WorkOrder } from "../../../src/model/work/work_order.ts";
import type { Plain } from "../../../src/store/connection.ts";
import type { StoredIssue } from "../../../src/store/work/issue.ts";
import type { StoredOrder } from "../../../src/store/work/work_order.ts";
import type { WorkSnapshot } from "../../../src/store/work/record.ts";
import type { WorkWindow } from "../../../src/store/work/window.ts";
import { openWork, type WorkPlace } from "../../help/work.ts";
import { makeChanges, some_writes, type WorkWrite } from "./work_help.ts";

type World = {
  readonly issues: readonly StoredIssue[];
  readonly orders: readonly StoredOrder[];
  readonly history: readonly HistoryEvent[];
  readonly snapshots: readonly WorkSnapshot[];
  readonly windows: readonly WorkWindow[];
};

/** Everything that is stored. */
async function readWorld({ rows }: WorkPlace): Promise<World> {
  type Row<T> = T & Record<string, Plain>;
  const parsed = <T>(row: object & { devices: string }) =>
    ({ ...row, devices: JSON.parse(row.devices) }) as T;
  const issues = await rows<{ devices: string }>("SELECT * FROM issue ORDER BY issue_no");
  const orders = await rows<{ devices: string }>("SELECT * FROM work_order ORDER BY work_order_no");
  return {
    issues: issues.map((row) => parsed<StoredIssue>(row)),
    orders: orders.map((row) => parsed<StoredOrder>(row)),
    history: await rows<Row<HistoryEvent>>("SELECT * FROM issue_history ORDER BY history_no"),
    snapshots: await rows<Row<WorkSnapshot>>("SELECT * FROM work_snapshot ORDER BY snapshot_no"),
    windows: await rows<Row<WorkWindow>>("SELECT * FROM work_window ORDER BY from_us, to_us"),
  };
}

class OnPurpose extends Error {}

/** Makes writes, some of which fail; gives what was told, and the world after each. */
async function live(place: WorkPlace, writes: readonly WorkWrite[]) {
  const told: StoredWork[] = [];
  const worlds: World[] = [];
  place.work.listen((stored) => told.push(stored));
  for (const write of writes) {
    place.clock.advance(1_000);
    await place.work.write(async (changes) => {
      await makeChanges(changes, write);
      if (write.fails) {
        await changes.store();
        throw new OnPurpose();
      }
    }).catch((error) => assert.ok(error instanceof OnPurpose, error));
    worlds.push(await readWorld(place));
  }
  return { told, worlds, world: await readWorld(place) };
}

type Life = Awaited<ReturnType<typeof live>>;

Deno.test("whatever happens to work, numbers, history, snapshots and windows tell it", async () => {
  const checks = [checkNumbers, checkHistory, checkSnapshots, checkEvents, checkWindows];
  await fc.assert(
    fc.asyncProperty(some_writes, async (writes) => {
      const place = await openWork();
      const life = await live(place, writes).finally(place.close);
      for (const check of checks) check(life);
    }),
    { numRuns: 20 },
  );
});

/** Numbers of an organization run from 1 on without gaps or doubles. */
function checkNumbers({ world }: Life): void {
  for (const things of [world.issues, world.orders]) {
    const organizations = new Set(things.map((it) => it.organization_id));
    for (const id of organizations) {
      const own = things.filter(({ organization_id }) => organization_id === id);
      const numbers = own.map(({ number }) => number).sort((a, b) => a - b);
      assert.deepEqual(numbers, numbers.map((_, i) => i + 1));
    }
  }
}

/** History folds to the issue as it is. */
function checkHistory({ world }: Life): void {
  const by_issue = Map.groupBy(world.history, ({ issue_no }) => issue_no);
  assert.equal(by_issue.size, world.issues.length);
  for (const issue of world.issues) {
    const state: Record<string, unknown> = {};
    const orders: unknown[] = [];
    const kinds: string[] = [];
    for (const event of by_issue.get(issue.issue_no)!) {
      const [previous, next, detail] = [event.previous_value, event.next_value, event.detail]
        .map((json) => json === null ? null : JSON.parse(json));
      kinds.push(event.kind);
      if (event.kind === "created") Object.assign(state, next, { resolved_at: null });
      if (event.kind === "work_order_added") orders.push(detail.work_order_id);
      if (event.field === "work_orders") orders.splice(orders.indexOf(previous.work_order_id), 1);
      if (event.field === null || event.field === "work_orders") continue;
      assert.deepEqual(previous, state[event.field]);
      state[event.field] = next;
      if (event.field !== "status") continue;
      if (next === "resolved") state.resolved_at = textOf(event.created_at);
      else if (next !== "closed") state.resolved_at = null;
    }
    assert.deepEqual(state, stateOf(issue));
    assert.deepEqual(orders.sort(), ordersOf(world, issue).map(({ id }) => id).sort());
    assert.equal(kinds.includes("deleted"), issue.deleted_at !== null);
    assert.equal(kinds[0], "created");
  }
}

/** A snapshot shows what it is of as it was, and never changes. */
function checkSnapshots({ worlds, world }: Life): void {
  for (const [i, { snapshots }] of worlds.entries()) {
    for (const snapshot of snapshots.slice(worlds[i - 1]?.snapshots.length ?? 0)) {
      const { kind, owner_no, snapshot_no, changed_at, body } = snapshot;
      const owner = kind === "issue"
        ? worlds[i].issues.find(({ issue_no }) => issue_no === owner_no)!
        : worlds[i].orders.find(({ work_order_no }) => work_order_no === owner_no)!;
      assert.deepEqual(
        [owner.snapshot_no, owner.updated_at, owner.snapshot],
        [snapshot_no, changed_at, body],
      );
      const shown = kind === "issue"
        ? shownIssue(worlds[i], owner as Issue)
        : shownOrder(worlds[i], owner as WorkOrder);
      assert.deepEqual(JSON.parse(body), shown);
    }
    assert.deepEqual(snapshots, world.snapshots.slice(0, snapshots.length));
  }
  for (const issue of world.issues) {
    if (issue.deleted_at !== null) continue;
    assert.deepEqual(JSON.parse(issue.snapshot), shownIssue(world, issue));
  }
  for (const it of [...world.issues, ...world.orders]) {
    const no = "title" in it ? it.work_order_no : it.issue_no;
    const kind = "title" in it ? "work_order" : "issue";
    const own = world.snapshots.filter((it) => it.kind === kind && it.owner_no === no);
    assert.equal(own.length, it.version);
  }
}

/** Each snapshot is told once, by what happened. */
function checkEvents({ told, world }: Life): void {
  const events = told.flatMap(({ events }) => events);
  const bodies = new Map(world.snapshots.map(({ body }) => [body, 0]));
  for (const { type, data } of events) {
    if (type.endsWith(".deleted")) continue;
    bodies.set(data, bodies.get(data)! + 1);
    const { status } = JSON.parse(data);
    if (type === "issue.resolved") assert.equal(status, "resolved");
    if (type === "issue.merged") assert.equal(status, "merged");
    if (type === "workorder.completed") assert.equal(status, "completed");
  }
  const gone = [...world.issues, ...world.orders].filter(({ deleted_at }) => deleted_at !== null)
    .map(({ snapshot }) => snapshot);
  for (const [body, times] of bodies) assert.equal(times, gone.includes(body) ? 0 : 1, body);
  const stamps = told.flatMap(({ events }) => events.slice(0, 1)).map((it) => it.occurred_at);
  assert.deepEqual(stamps, stamps.toSorted((a, b) => a - b));
}

/** Windows say when each device was worked on. */
function checkWindows({ worlds, world }: Life): void {
  for (const order of world.orders) {
    const own = world.windows.filter((it) => it.work_order_no === order.work_order_no);
    const open = own.filter(({ to_us }) => to_us === null);
    const worked = [...workedDevices(order)].map((id) => [id, order.work_type]);
    assert.deepEqual(open.map((it) => [it.device_id, it.work_type]).sort(), worked.sort());
  }
  for (const { issues, orders } of worlds) {
    const stamp_us = Math.max(...[...issues, ...orders].map(({ updated_at }) => updated_at));
    const now = world.windows.filter(({ from_us, to_us }) =>
      from_us <= stamp_us && (to_us ?? Infinity) > stamp_us
    );
    const expected = orders.flatMap((order) =>
      Array.from(workedDevices(order), (id) => `${order.work_order_no} ${id} ${order.work_type}`)
    );
    const found = now.map((it) => `${it.work_order_no} ${it.device_id} ${it.work_type}`);
    assert.deepEqual(found.sort(), expected.sort());
  }
}

function textOf(us: number | null): string | null {
  if (us === null) return null;
  const instant = Temporal.Instant.fromEpochNanoseconds(BigInt(us) * 1000n);
  return instant.toString({ fractionalSecondDigits: 6 });
}

function shownDevices({ devices }: Issue) {
  return devices.map((it) => ({
    ...it,
    effective_from: textOf(it.effective_from),
    effective_to: textOf(it.effective_to),
  }));
}

/** What history can tell of an issue. */
function stateOf(issue: Issue) {
  const { name, description, status, priority, source, sentinel_tag, external_id } = issue;
  return {
    ...{ name, description, status, priority, source, sentinel_tag, external_id },
    assigned_to: issue.assigned_to,
    effective_from: textOf(issue.effective_from),
    effective_to: textOf(issue.effective_to),
    resolved_at: textOf(issue.resolved_at),
    devices: shownDevices(issue),
  };
}

function ordersOf({ orders }: World, { issue_no }: Issue): readonly WorkOrder[] {
  return orders.filter((it) => it.issue_no === issue_no && it.deleted_at === null)
    .sort((a, b) => a.number - b.number);
}

function headOf({ id, number, organization_id, project_no }: Issue | WorkOrder) {
  const project = { project_id: `p${project_no}`, project: { key: `key-${project_no}` } };
  return { id, number, organization_id, ...project };
}

function timesOf({ created_at, updated_at }: Issue | WorkOrder) {
  return { created_at: textOf(created_at), updated_at: textOf(updated_at) };
}

function shownIssue(world: World, issue: Issue) {
  const { external_id: _, ...state } = stateOf(issue);
  return {
    ...headOf(issue),
    ...state,
    assigned_to: null,
    created_by: null,
    work_orders: ordersOf(world, issue).map((order) => shownState(order, issue)),
    merged_into: world.issues.find((it) => it.issue_no === issue.merged_into)?.id ?? null,
    ...timesOf(issue),
  };
}

function shownState(order: WorkOrder, issue: Issue) {
  const { title, description, status, priority, work_type, payload } = order;
  const { external_system, external_id, external_ref, external_url } = order;
  return {
    ...headOf(order),
    ...{ issue_id: issue.id, title, description, status, priority, work_type },
    ...{ external_system, external_id, external_ref, external_url },
    due_date: textOf(order.due_date),
    payload: payload === null ? null : JSON.parse(payload),
    assigned_to: null,
    devices: order.devices.map((it) => ({ ...it, completed_at: textOf(it.completed_at) })),
    ...timesOf(order),
  };
}

function shownOrder(world: World, order: WorkOrder) {
  const issue = world.issues.find(({ issue_no }) => issue_no === order.issue_no)!;
  const { name, status } = issue;
  const { organization_id: _, ...head } = headOf(issue);
  return { ...shownState(order, issue), created_by: null, issue: { ...head, name, status } };
}
