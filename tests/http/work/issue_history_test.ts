// The history of issues over HTTP: what each row tells, of deleted issues too, of no one else's.
import { deepEqual, equal, match } from "node:assert/strict";
import { refOf } from "../../../src/model/alarms/alarm.ts";
import { type Json, openWork } from "./work_help.ts";

Deno.test("history tells each change with its values, the oldest first", async () => {
  const { post, patch, get, raise, anna, deviceOf, as_anna: as, clock, close } = await openWork();
  await raise({ occurrence_id: "x" });
  const { data: issue } = await post("issues", { name: "Hot" }, { as });
  const path = `issues/${issue.id}`;
  const step = async (act: Promise<{ readonly status: number; readonly data: Json }>) => {
    const { status, data } = await act;
    equal(status, 200, JSON.stringify(data));
    clock.advance(1000);
  };
  const { id: device_id } = deviceOf("A");
  await step(patch(path, { priority: "urgent", assigned_to: anna.id }, { as }));
  await step(patch(path, { devices: [{ device_id }], description: "a\nb" }, { as }));
  await step(post(`${path}/comment`, { body: "Seen\non site" }, { as }));
  await step(post(`${path}/alarms`, { occurrence_ids: ["x"] }, { as }));
  await step(post(`${path}/alarms`, { occurrence_ids: ["x"] }, { as }));
  await step(patch(path, { status: "resolved" }));
  const { data } = await get<Json[]>(`${path}/history`);
  deepEqual(new Set(data.map(({ issue_id }) => issue_id)), new Set([issue.id]));
  equal(new Set(data.map(({ id }) => id)).size, data.length);
  const times = data.map(({ created_at }) => String(created_at));
  deepEqual(times, times.toSorted());
  const device = { device_id, component: "inverter", effective_from: null, effective_to: null };
  const values = (row: Json) => [row.kind, row.previous_value, row.next_value, row.detail];
  deepEqual(data.slice(1).map(values), [
    ["priority_changed", "medium", "urgent", null],
    ["assignee_changed", null, anna.id, null],
    ["field_changed", null, "a\nb", null],
    ["devices_changed", [], [device], null],
    ["commented", null, null, { body: "Seen\non site" }],
    ["alarm_linked", null, null, { occurrence_id: "x", svc_occurrence_ref: refOf(1) }],
    ["status_changed", "open", "resolved", null],
  ]);
  deepEqual(data.map(({ user_id }) => user_id).slice(-2), [anna.id, null]);
  deepEqual((data[0].next_value as Json).name, "Hot");
  await close();
});

Deno.test("a comment and a link change neither the issue nor its version", async () => {
  const { post, get, raise, close } = await openWork();
  await raise({ occurrence_id: "x" });
  const { data: issue } = await post("issues", { name: "Hot" });
  const path = `issues/${issue.id}`;
  const commented = await post(`${path}/comment`, { body: "Seen" });
  const linked = await post(`${path}/alarms`, { occurrence_ids: ["x"] });
  for (const answer of [commented, linked, await get(path)]) {
    deepEqual([answer.data, answer.headers.get("etag")], [issue, '"1"']);
  }
  deepEqual((await get("issues?alarm=x")).data, [issue]);
  deepEqual((await get("issues?alarm=y")).data, []);
  await close();
});

Deno.test("a deleted issue is gone, its history stays and only its tenant reads it", async () => {
  const { post, remove, get, send, at, other, historyOf, as_machine: as, close } = await openWork();
  const { data: issue } = await post("issues", { name: "Hot" });
  await post("work-orders", { issue_id: issue.id, title: "w" });
  const gone = await remove(`issues/${issue.id}`);
  deepEqual(gone.data, { id: issue.id, name: "Hot" });
  equal(gone.headers.get("etag"), null);
  equal((await get(`issues/${issue.id}`)).status, 404);
  equal((await remove(`issues/${issue.id}`)).status, 404);
  deepEqual((await get<Json[]>("issues")).data, []);
  deepEqual((await get<Json[]>("work-orders")).data, []);
  deepEqual((await historyOf(issue.id)).at(-1), "deleted");
  equal((await get("issues/nowhere/history")).status, 404);
  const { data: theirs } = await send("POST", at("issues", other.id), { body: { name: "t" } });
  equal((await get(`issues/${theirs.id}/history`, { as })).status, 404);
  const elsewhere = await send("GET", at(`issues/${theirs.id}/history`, other.id), { as });
  equal(elsewhere.status, 403);
  equal((await post("issues", { name: "next" })).data.number, 2);
  await close();
});

Deno.test("an issue opened from an alarm is filled in from it and linked", async () => {
  const { post, historyOf, raise, deviceOf, close } = await openWork();
  const { id: device_id } = deviceOf("A");
  await raise({ occurrence_id: "x", device_id, source_tag: "a.p", severity: "critical" });
  const { status, data } = await post("issues", { from: { alarm: "x" } });
  equal(status, 201, JSON.stringify(data));
  const span = { effective_from: "2026-06-01T12:00:00.000000Z", effective_to: null };
  deepEqual(
    [data.source, data.name, data.priority, data.sentinel_tag, data.devices],
    ["alarm", "Temperature high: INV-A", "urgent", "default", [
      { device_id, component: "inverter", ...span },
    ]],
  );
  equal(data.effective_from, span.effective_from);
  match(
    String(data.description),
    /^Temperature high.*: INV-A \(a\.p\), priority critical, raised 2026-06-01 12:00:00 \+00:00 /,
  );
  deepEqual(await historyOf(data.id), ["created", "alarm_linked"]);
  const own = await post("issues", { name: "Mine", priority: "low", from: { alarm: "x" } });
  deepEqual([own.data.name, own.data.priority, own.data.source], ["Mine", "low", "alarm"]);
  await close();
});
