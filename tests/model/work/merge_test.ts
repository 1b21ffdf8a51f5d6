// An issue or a work order in two services: whatever reaches whom in which order, both end equal.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  deviceField,
  isSame,
  type IssueChange,
  issueDifference,
  type OrderChange,
  orderDifference,
  type SharedIssue,
  type SharedOrder,
  valueOf,
  work_change_form,
  type WorkChange,
} from "../../../src/model/work/change.ts";
import { work_limits } from "../../../src/model/work/limits.ts";
import { folded, mergeIssue, mergeOrder } from "../../../src/model/work/merge.ts";
import { issue_statuses, type IssueStatus, issueStep } from "../../../src/model/work/issue.ts";
import {
  line_statuses,
  lineStep,
  order_statuses,
  type OrderStatus,
  workOrderStep,
} from "../../../src/model/work/work_order.ts";

const person = (name: string) => ({ email: `${name}@acme.example`, name });

const issue: SharedIssue = {
  ...{ name: "Fan", description: null, priority: "medium", source: "manual", external_id: null },
  ...{ assigned_to: null, created_by: person("ana"), created_at: 1, deleted_at: null },
  ...{ sentinel_tag: null, effective_from: null, effective_to: null, status: "open" },
  ...{ resolved_at: null, merged_into: null, devices: [] },
};

const lineAt = (device_id: string) => (
  { device_id, component: "inverter", status: "pending", completed_at: null } as const
);

const order: SharedOrder = {
  ...{ issue_id: "i", title: "Fan", description: null, priority: "medium", due_date: null },
  ...{ work_type: "corrective", external_system: null, external_id: null, external_ref: null },
  ...{ external_url: null, payload: null, assigned_to: null, created_by: null, created_at: 1 },
  ...{ deleted_at: null, status: "open", devices: [lineAt("s/a"), lineAt("s/b")] },
};

const head = { owner_id: "x", person: null, at_us: 1, order_us: 1 };
const issue_made: IssueChange = {
  ...{ ...head, kind: "issue", id: "x", made: issue, fields: [], told: [] },
};
const order_made: OrderChange = { ...head, kind: "work_order", id: "x", made: order, fields: [] };

const changeOfIssue = (said: Partial<IssueChange>): IssueChange => (
  { ...issue_made, made: null, ...said }
);

Deno.test("no more devices come together than an issue has room for", () => {
  const most = work_limits.devices;
  const fields = Array.from({ length: most + 1 }, (_, i) => ({
    ...{ field: deviceField({ device_id: `s/${i}`, component: "fan" }), before: null },
    after: [null, null],
  }));
  const { state, conflicts } = mergeIssue([issue_made, changeOfIssue({ id: "a", fields })])!;
  assert.equal(state.devices.length, most);
  assert.deepEqual(conflicts.map(({ field }) => field), [fields[most].field]);
});

Deno.test("of a field the last change holds; of two of one place that with the higher id", () => {
  const low = changeOfIssue({
    ...{ id: "a", order_us: 5, at_us: 5, person: person("ben") },
    fields: [{ field: "priority", before: "medium", after: "low" }],
  });
  const high = changeOfIssue({
    ...{ id: "b", order_us: 5, at_us: 5, person: person("ana") },
    fields: [{ field: "priority", before: "medium", after: "high" }],
  });
  for (const changes of [[issue_made, low, high], [high, low, issue_made]]) {
    const { state, conflicts } = mergeIssue(changes)!;
    assert.equal(state.priority, "high");
    assert.deepEqual(conflicts, [{
      ...{ change_id: "b", field: "priority", reason: null },
      holds: { value: "high", person: person("ana"), at_us: 5 },
      lost: { value: "low", person: person("ben"), at_us: 5 },
    }]);
  }
});

Deno.test("who knew what he changed, and who says the same, is in no conflict", () => {
  const first = changeOfIssue({
    ...{ id: "b", order_us: 5 },
    fields: [{ field: "priority", before: "medium", after: "low" }],
  });
  const knowing = changeOfIssue({
    ...{ id: "a", order_us: 6 },
    fields: [{ field: "priority", before: "low", after: "high" }],
  });
  const same = changeOfIssue({
    ...{ id: "c", order_us: 7 },
    fields: [{ field: "priority", before: "medium", after: "high" }],
  });
  const { state, conflicts } = mergeIssue([same, knowing, first, issue_made])!;
  assert.equal(state.priority, "high");
  assert.deepEqual(conflicts, []);
});

Deno.test("a status follows the life alone, and what it refuses names whose status holds", () => {
  const step = (id: string, order_us: number, [before, after]: readonly [string, string]) =>
    changeOfIssue({
      ...{ id, order_us, at_us: order_us, person: person(id) },
      fields: [{ field: "status", before, after }],
    });
  const { state, conflicts } = mergeIssue([
    issue_made,
    step("ana", 2, ["open", "resolved"]),
    step("ben", 3, ["open", "in_progress"]),
    step("eva", 4, ["resolved", "closed"]),
  ])!;
  assert.deepEqual([state.status, state.resolved_at], ["closed", 2]);
  assert.deepEqual(conflicts, [{
    ...{ change_id: "ben", field: "status" },
    reason: "it is resolved: open it again first",
    holds: { value: "resolved", person: person("ana"), at_us: 2 },
    lost: { value: "in_progress", person: person("ben"), at_us: 3 },
  }]);
});

Deno.test("a line that was done meanwhile and one that was skipped are told of", () => {
  const field = deviceField(lineAt("s/a"));
  const done = { ...order_made, made: null, id: "done", order_us: 2, at_us: 2 };
  const skipped = { ...done, id: "skipped", order_us: 3, at_us: 3 };
  const { state, conflicts } = mergeOrder([
    order_made,
    { ...done, fields: [{ field: "status", before: "open", after: "completed" }] },
    { ...skipped, fields: [{ field, before: "pending", after: "skipped" }] },
  ])!;
  assert.deepEqual(state.devices.map((it) => [it.status, it.completed_at]), [
    ["completed", 2],
    ["completed", 2],
  ]);
  assert.deepEqual(conflicts.map((it) => [it.field, it.reason, it.holds.value]), [
    [field, "it is completed, for good", "completed"],
  ]);
});

Deno.test("a change with a value that a field can't have is none", () => {
  const flawOf = (field: string, after: string | number | null) =>
    work_change_form.safeParse(
      changeOfIssue({ id: "a", fields: [{ field, before: null, after }] }),
    ).error?.issues[0].message;
  assert.equal(flawOf("priority", "low"), undefined);
  assert.match(flawOf("priority", "soon")!, /priority: Invalid option/);
  assert.match(flawOf("status", 5)!, /status: Invalid option/);
  assert.match(flawOf("version", 5)!, /version: is no field/);
  assert.match(flawOf("device nothing", null)!, /is no field/);
  assert.match(flawOf(deviceField(lineAt("s/a")), "pending")!, /expected tuple/);
});

/** A service: what it knows, and what of it the other one has. */
type Side<Change> = { known: Change[]; told: number; clock_us: number };

type Step =
  | { readonly kind: "act"; readonly side: 0 | 1; readonly pick: number; readonly value: number }
  | { readonly kind: "tell"; readonly side: 0 | 1; readonly most: number }
  | { readonly kind: "wait"; readonly side: 0 | 1; readonly us: number };

const sides = fc.constantFrom<0 | 1>(0, 1);
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ kind: fc.constant("act" as const), side: sides },
        ...{ pick: fc.nat(5), value: fc.nat(9) },
      }),
    },
    fc.record({ kind: fc.constant("tell" as const), side: sides, most: fc.nat(3) }),
    fc.record({ kind: fc.constant("wait" as const), side: sides, us: fc.nat(30) }),
  ),
  { maxLength: 30 },
);

/** Plays steps at two sides whose clocks differ; gives what both know in the end. */
function play<Shared, Change extends { readonly id: string; readonly order_us: number }>(
  all: readonly Step[],
  { made, merge, act, changed }: {
    readonly made: Change;
    readonly merge: (known: readonly Change[]) => { state: Shared; last_us: number };
    /** What someone makes of it; undefined where its life forbids it. */
    readonly act: (state: Shared, step: Step & { readonly at_us: number }) => Shared | undefined;
    readonly changed: (
      before: Shared,
      after: Shared,
      head: { readonly id: string; readonly at_us: number; readonly order_us: number },
    ) => Change | undefined;
  },
): readonly [Side<Change>, Side<Change>] {
  const world = [
    { known: [made], told: 1, clock_us: 10 },
    { known: [made], told: 1, clock_us: 500 },
  ] as const satisfies readonly Side<Change>[];
  const tell = (from: Side<Change>, to: Side<Change>, most: number) => {
    for (const change of from.known.slice(from.told, from.told + most)) {
      from.told++;
      if (!to.known.some(({ id }) => id === change.id)) to.known.push(change);
    }
  };
  let made_no = 0;
  for (const step of all) {
    const side: Side<Change> = world[step.side];
    if (step.kind === "tell") tell(side, world[1 - step.side], step.most);
    else if (step.kind === "wait") side.clock_us += step.us;
    else {
      const { state, last_us } = merge(side.known);
      const at_us = side.clock_us++;
      const after = act(state, { ...step, at_us });
      const id = `${step.value}-${made_no++}`;
      const order_us = Math.max(at_us, last_us + 1);
      const change = after && changed(state, after, { id, at_us, order_us });
      if (change === undefined) continue;
      side.known.push(change);
      // What stands here at once is what follows from all that is known here.
      assert.deepEqual(merge(side.known).state, after);
    }
  }
  for (let rounds = 0; rounds < 2; rounds++) {
    tell(world[0], world[1], Infinity);
    tell(world[1], world[0], Infinity);
  }
  return world;
}

/** Folding what goes first, however much of it, changes nothing. */
function requireFolding(
  known: readonly WorkChange[],
  stateOf: (known: readonly WorkChange[]) => unknown,
): void {
  const ordered = known.toSorted((a, b) => a.order_us - b.order_us || (a.id < b.id ? -1 : 1));
  for (const [i, { order_us: up_to_us }] of ordered.entries()) {
    const rest = ordered.filter((it) => it.order_us > up_to_us);
    const old = ordered.filter((it) => it.order_us <= up_to_us);
    assert.deepEqual(stateOf([folded(old)!, ...rest]), stateOf(known), `${i}`);
  }
}

Deno.test("what comes late holds where nobody changed the field since, and else is told of", () => {
  const change = (id: string, order_us: number, said: IssueChange["fields"][number]) =>
    changeOfIssue({ id, order_us, at_us: order_us, person: person(id), fields: [said] });
  const base = folded([
    issue_made,
    change("ana", 5, { field: "priority", before: "medium", after: "high" }),
  ])!;
  const late = [
    change("ben", 3, { field: "priority", before: "medium", after: "low" }),
    change("eva", 4, { field: "name", before: "Fan", after: "Fans" }),
  ];
  const { state, conflicts } = mergeIssue([...late, base as IssueChange])!;
  assert.deepEqual([state.priority, state.name], ["high", "Fans"]);
  assert.deepEqual(conflicts.map(({ change_id, reason }) => [change_id, reason]), [
    ["ben", "it was changed again before this was told"],
  ]);
});

const owners = [null, person("ana"), person("ben")];

Deno.test("issues end equal at both, whoever changes what and hears when", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [here, there] = play<SharedIssue, IssueChange>(all, {
        made: issue_made,
        merge: (known) => mergeIssue(known)!,
        act(state, step) {
          if (step.kind !== "act") return undefined;
          if (step.pick === 0) return { ...state, priority: step.value % 2 ? "low" : "high" };
          if (step.pick === 1) return { ...state, assigned_to: owners[step.value % 3] };
          if (step.pick === 2) return { ...state, name: `Fan ${step.value}` };
          if (step.pick === 3) {
            const effective = { effective_from: step.value, effective_to: null };
            const place = { device_id: `s/${step.value % 3}`, component: "inverter" };
            const others = state.devices.filter((it) => it.device_id !== place.device_id);
            const is_there = others.length < state.devices.length;
            return {
              ...state,
              devices: is_there ? others : [...others, { ...place, ...effective }],
            };
          }
          const to = issue_statuses[step.value % 5] as IssueStatus;
          const next = issueStep(state, { to, at_us: step.at_us });
          return "issue" in next ? next.issue : undefined;
        },
        changed: (before, after, head) =>
          changeOfIssue({ ...head, fields: issueDifference(before, after) }),
      });
      const states = [here, there].map(({ known }) => mergeIssue(known));
      assert.deepEqual(states[0], states[1]);
      assert.equal(new Set(here.known).size, there.known.length);
      assert.deepEqual(mergeIssue(here.known.toReversed()), states[0]);
      requireFolding(here.known, (known) => mergeIssue(known as IssueChange[])!.state);
      // What does not hold was changed by somebody who knew it, or it is told of.
      const { state, conflicts } = states[0]!;
      const said = here.known.flatMap(({ id, fields }) => fields.map((it) => ({ ...it, id })));
      for (const { id, field, after } of said) {
        if (isSame(valueOf(state, field), after)) continue;
        const isKnown = said.some((it) => it.field === field && isSame(it.before, after));
        const isTold = conflicts.some((it) =>
          it.field === field && (it.change_id === id || isSame(it.lost.value, after))
        );
        assert.ok(isKnown || isTold, `${field} ${JSON.stringify(after)} is gone`);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("work orders end equal at both, whoever changes what and hears when", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [here, there] = play<SharedOrder, OrderChange>(all, {
        made: order_made,
        merge: (known) => mergeOrder(known)!,
        act(state, step) {
          if (step.kind !== "act") return undefined;
          if (step.pick === 0) return { ...state, due_date: step.value };
          if (step.pick === 1) return { ...state, title: `Fan ${step.value}` };
          const { at_us } = step;
          if (step.pick < 4) {
            const line = state.devices[step.value % 2];
            const to = line_statuses[step.value % 4];
            const next = lineStep(state, { ...line, to, at_us });
            return "order" in next ? next.order : undefined;
          }
          const to = order_statuses[step.value % 7] as OrderStatus;
          const next = workOrderStep(state, { to, at_us });
          return "order" in next ? next.order : undefined;
        },
        changed: (before, after, head) => (
          { ...order_made, made: null, ...head, fields: orderDifference(before, after) }
        ),
      });
      const states = [here, there].map(({ known }) => mergeOrder(known));
      assert.deepEqual(states[0], states[1]);
      assert.deepEqual(mergeOrder(here.known.toReversed()), states[0]);
      requireFolding(here.known, (known) => mergeOrder(known as OrderChange[])!.state);
    }),
    { numRuns: 300 },
  );
});
