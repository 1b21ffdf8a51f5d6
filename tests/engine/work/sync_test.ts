// The inbound sync: what each item comes to, and that a call is applied once, whatever happens.
import { deepEqual, equal, ok } from "node:assert/strict";
import { openParts } from "../../../src/engine/service/service.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import { syncIssues } from "../../../src/engine/work/sync.ts";
import { signedBy } from "../../help/signature.ts";
import { openSync } from "../../help/sync.ts";

const minute_ms = 60_000;

Deno.test("each item comes to its own result", async () => {
  const { send, call, ids, anna, put, addIssues, services, close } = await openSync();
  const [elsewhere] = await addIssues(["other project"], 2);
  const [gone, merged, closed] = await addIssues(["gone", "merged", "closed"]);
  await services.work.write(async (changes) => {
    await changes.load({ project_no: 1, issue_ids: [gone] });
    changes.deleteIssue(changes.issue(gone)!);
  });
  await put(merged, "merged");
  await put(closed, "closed");
  const [one, two, three] = ids;
  const items = [
    [{ issue_id: one, status: "resolved" }, "updated"],
    [{ issue_id: one, status: "resolved" }, "unchanged"],
    [{ issue_id: one, status: "in_progress" }, "rejected", "invalid_transition"],
    [{ issue_id: one, status: "closed", priority: "low" }, "updated"],
    [{ issue_id: two, assignee: "Anna@Plant.test" }, "updated"],
    [{ issue_id: two, assignee: anna.id }, "unchanged"],
    [{ issue_id: two, assignee: null }, "updated"],
    [{ issue_id: two, assignee: "" }, "rejected", "unknown_assignee"],
    [{ issue_id: two, assignee: "nobody@plant.test" }, "rejected", "unknown_assignee"],
    [{ issue_id: two, status: "deleted" }, "rejected", "invalid_status"],
    [{ issue_id: two, status: "merged" }, "rejected", "invalid_transition"],
    [{ issue_id: two, status: "closed" }, "rejected", "invalid_transition"],
    [{ issue_id: two, priority: "Urgent" }, "rejected", "invalid_priority"],
    [{ issue_id: two, priority: "urgent", status: "toString" }, "rejected", "invalid_status"],
    [{ issue_id: two, priority: "medium" }, "unchanged"],
    [{ issue_id: three }, "unchanged"],
    [{ issue_id: three, status: "on_hold", priority: "low", assignee: anna.id }, "updated"],
    [{ issue_id: merged, status: "open" }, "rejected", "invalid_transition"],
    [{ issue_id: merged, priority: "low" }, "rejected", "invalid_transition"],
    [{ issue_id: merged, status: "merged", priority: "medium" }, "unchanged"],
    [{ issue_id: closed, status: "open" }, "rejected", "invalid_transition"],
    [{ issue_id: elsewhere, status: "on_hold" }, "not_found", "unknown_issue"],
    [{ issue_id: gone, status: "on_hold" }, "not_found", "unknown_issue"],
    [{ issue_id: "issue-9" }, "not_found", "unknown_issue"],
  ] as const;
  const { status, data } = await send(call(items.map(([item]) => item)));
  equal(status, 200);
  const results = items.map(([{ issue_id }, status, reason = null]) => (
    { external_id: null, issue_id, status, reason }
  ));
  deepEqual(data, { ok: true, applied: 5, results });
  await close();
});

Deno.test("an item is applied whole or not at all", async () => {
  const { send, call, ids: [one], rows, close } = await openSync();
  await send(call([{ issue_id: one, priority: "low", status: "closed", external_id: "W-1" }]));
  const stored = await rows("SELECT status, priority, external_id, version FROM issue LIMIT 1");
  deepEqual(stored, [{ status: "open", priority: "medium", external_id: null, version: 1 }]);
  await close();
});

Deno.test("the caller's own id stays with the issue and comes back with every result", async () => {
  const { send, call, ids: [one], close } = await openSync();
  const said = async (delivery_id: string, more: object) => {
    const { data } = await send(call([{ issue_id: one, ...more }], { delivery_id }));
    return [data.results[0].external_id, data.results[0].status];
  };
  deepEqual(await said("1", { external_id: "W-1" }), ["W-1", "updated"]);
  deepEqual(await said("2", { external_id: "W-1", status: "open" }), ["W-1", "unchanged"]);
  deepEqual(await said("3", { priority: "low" }), ["W-1", "updated"]);
  deepEqual(await said("4", { external_id: "W-2", status: "bad" }), ["W-1", "rejected"]);
  deepEqual(await said("5", { external_id: null }), [null, "updated"]);
  const unknown = await send(call([{ issue_id: "x", external_id: "W-9" }], { delivery_id: "6" }));
  equal(unknown.data.results[0].external_id, "W-9");
  await close();
});

Deno.test("history tells what changed and whose token it was", async () => {
  const { send, call, ids: [one], anna, rows, makeToken, close } = await openSync();
  const own = { scopes: ["sync"], organization_id: "org-a", user_id: anna.id } as const;
  const item = { issue_id: one, status: "resolved", priority: "high" };
  await send(call([item]), { token: await makeToken(own) });
  const told = await rows(
    "SELECT kind, previous_value, next_value, user_id FROM issue_history " +
      "WHERE issue_no = 1 AND kind <> 'created' ORDER BY history_no",
  );
  deepEqual(
    told,
    [
      ["status_changed", '"open"', '"resolved"'],
      ["priority_changed", '"medium"', '"high"'],
    ].map(([kind, previous_value, next_value]) => (
      { kind, previous_value, next_value, user_id: anna.id }
    )),
  );
  await close();
});

Deno.test("a repeat within fifteen minutes is the duplicate, a later one is applied", async () => {
  const { send, call, ids: [one], clock, put, rows, close } = await openSync();
  const order = call([{ issue_id: one, status: "in_progress" }, { issue_id: "x" }]);
  const first = await send(order);
  equal(first.data.applied, 1);
  ok(!("duplicate" in first.data));
  await put(one, "open");
  clock.advance(14 * minute_ms + 59_000);
  const repeat = await send(order);
  deepEqual(repeat.data, { ...first.data, duplicate: true });
  const other = await send(call([{ issue_id: one, status: "on_hold" }]));
  deepEqual(other.data, repeat.data);
  deepEqual(await rows("SELECT status FROM issue LIMIT 1"), [{ status: "open" }]);
  clock.advance(2_000);
  const again = await send(order);
  deepEqual(again.data, first.data);
  clock.advance(14 * minute_ms);
  equal((await send(order)).data.duplicate, true);
  await close();
});

Deno.test("a clock that is put back makes no repeat a new call", async () => {
  const { send, call, ids: [one], clock, close } = await openSync();
  const order = call([{ issue_id: one, status: "in_progress" }]);
  equal((await send(order)).data.applied, 1);
  clock.step(-60 * minute_ms);
  equal((await send(order)).data.duplicate, true);
  clock.step(60 * minute_ms);
  clock.advance(14 * minute_ms);
  equal((await send(order)).data.duplicate, true);
  clock.advance(minute_ms + 1_000);
  equal((await send(order)).data.duplicate, undefined);
  await close();
});

Deno.test("after a clock that was ahead a repeat is one for minutes, not for a day", async () => {
  const { send, call, ids: [one], clock, close } = await openSync();
  const order = call([{ issue_id: one, status: "in_progress" }]);
  clock.step(24 * 60 * minute_ms);
  equal((await send(order)).data.duplicate, undefined);
  clock.step(-24 * 60 * minute_ms);
  equal((await send(order)).data.duplicate, true);
  clock.advance(14 * minute_ms);
  equal((await send(order)).data.duplicate, true);
  clock.advance(3 * minute_ms);
  equal((await send(order)).data.duplicate, undefined);
  await close();
});

Deno.test("a repeat is the duplicate after a restart, too", async () => {
  const { send, call, ids: [one], database, services, now_s, secret, close } = await openSync();
  const order = call([{ issue_id: one, status: "in_progress" }]);
  const first = await send(order);
  const again = await openParts(database, services);
  const everything = { organization_id: null, project_ids: null, user_id: null } as const;
  const body = JSON.stringify(order);
  const answer = await syncIssues(again, {
    grant: { token_id: "t", name: "t", scopes: ["sync"], ...everything },
    header: signedBy(secret, body, now_s()),
    read: () => Promise.resolve(utf8(body)),
  });
  deepEqual(answer, { ...first.data, duplicate: true });
  await again.roll.close();
  await again.availability.close();
  await close();
});

Deno.test("of equal calls in flight one is applied, the others are its duplicates", async () => {
  const { send, call, ids: [one], rows, close } = await openSync();
  const order = call([{ issue_id: one, status: "in_progress" }]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(order)));
  deepEqual(answers.map(({ status }) => status), Array(8).fill(200));
  deepEqual(answers.map(({ data }) => data.duplicate ?? false).sort(), [
    false,
    ...Array(7).fill(true),
  ]);
  deepEqual(await rows("SELECT version FROM issue LIMIT 1"), [{ version: 2 }]);
  deepEqual(await rows("SELECT delivery_id FROM sync_call"), [{ delivery_id: "d-1" }]);
  await close();
});

Deno.test("a call that fails burns no delivery id and changes nothing", async () => {
  const { send, call, ids: [one], services, rows, close } = await openSync();
  const order = call([{ issue_id: one, status: "in_progress" }]);
  equal((await send(order, { secret: "whsec_wrong" })).status, 401);
  equal((await send(call([{ issue_id: one, state: "x" } as object]))).status, 400);
  equal((await send({ ...order, project_id: "project-3" })).status, 403);
  let fails = true;
  services.work.mark(() => {
    if (fails) throw new Error("a write that fails");
    return Promise.resolve(() => {});
  });
  equal((await send(order)).status, 500);
  fails = false;
  deepEqual(await rows("SELECT * FROM sync_call"), []);
  const { data } = await send(order);
  deepEqual([data.applied, data.duplicate], [1, undefined]);
  await close();
});

Deno.test("delivery ids are each project's own, and old ones are forgotten", async () => {
  const { send, call, ids: [one], addIssues, clock, rows, close } = await openSync();
  const [other] = await addIssues(["other project"], 2);
  const order = call([{ issue_id: one, status: "on_hold" }]);
  equal((await send(order)).data.applied, 1);
  const there = {
    ...order,
    project_id: "project-2",
    issues: [{ issue_id: other, priority: "low" }],
  };
  equal((await send(there)).data.applied, 1);
  for (let n = 0; n < 5; n++) {
    clock.advance(6 * minute_ms);
    equal((await send({ ...order, delivery_id: `n-${n}` })).status, 200);
  }
  const kept = await rows("SELECT delivery_id FROM sync_call ORDER BY received_at");
  deepEqual(kept.map(({ delivery_id }) => delivery_id), ["n-2", "n-3", "n-4"]);
  await close();
});

Deno.test("a subscription is not told of its own word unless it asks, the others are", async () => {
  const { send, call, ids: [one, two], subscribe, subscription, rows, close } = await openSync();
  const other = await subscribe();
  const vain = await subscribe({ hears_itself: true });
  await send(call([{ issue_id: one, status: "resolved" }]));
  const vainly = call([{ issue_id: two, priority: "low" }], { delivery_id: "d-2" });
  await send(vainly, { secret: vain.secret });
  const sent = await rows<{ subscription_no: number; type: string; origin: string }>(
    "SELECT subscription_no, type, origin FROM delivery JOIN outbox USING (event_no) " +
      "WHERE origin IS NOT NULL ORDER BY delivery_no",
  );
  const told = (type: string) =>
    sent.filter((it) => it.type === type).map((it) => [it.subscription_no, it.origin]);
  const nos = [subscription, other.subscription, vain.subscription].map((it) => it.subscription_no);
  deepEqual(told("issue.resolved"), nos.slice(1).map((no) => [no, subscription.id]));
  deepEqual(told("issue.updated"), nos.map((no) => [no, vain.subscription.id]));
  await close();
});
