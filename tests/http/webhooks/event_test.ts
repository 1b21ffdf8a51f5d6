// What a running service puts on its way to subscriptions: of work, of alarms, of what is synced.
import { deepEqual, equal } from "node:assert/strict";
import { type Json, openWork } from "../work/work_help.ts";
import { queryRows } from "../../help/query.ts";

async function opened() {
  const work = await openWork();
  const { database, subscriptions } = work.services;
  const rows = (sql: string) => database.read((it) => queryRows(it, sql));
  return {
    ...work,
    rows,
    subscribe: (more: object = {}) =>
      subscriptions.create({
        ...{ name: "hook", organization: "o-a", target: "https://x.example/" },
        ...{ event_types: ["*"], ...more },
      }),
    async told() {
      const stored = await rows("SELECT body FROM outbox ORDER BY event_no");
      return stored.map(({ body }) => JSON.parse(body as string));
    },
  };
}

Deno.test("each change of an issue or a work order is told as it stands in the lists", async () => {
  const { subscribe, post, patch, remove, get, told, deviceOf, clock, close } = await opened();
  await subscribe();
  const { id: device_id } = deviceOf("A");
  const { data: issue } = await post("issues", { name: "Fan", devices: [{ device_id }] });
  clock.advance(1000);
  const order = { issue_id: issue.id, title: "Swap", devices: [{ device_id }] };
  const made = await post("work-orders", { ...order, work_type: "corrective" });
  equal(made.status, 201, JSON.stringify(made.data));
  const path = `work-orders/${made.data.id}`;
  await patch(path, { status: "in_progress" });
  await patch(path, { status: "completed" });
  await patch(`issues/${issue.id}`, { status: "resolved" });
  const { data: other } = await post("issues", { name: "Gone" });
  await remove(`issues/${other.id}`);
  const all = await told();
  deepEqual(all.map(({ type }) => type), [
    "issue.created",
    ...["issue.updated", "workorder.created"],
    ...["issue.updated", "workorder.updated"],
    ...["issue.updated", "workorder.completed"],
    "issue.resolved",
    "issue.created",
    "issue.deleted",
  ]);
  deepEqual(all.at(-1).data, { id: other.id, name: "Gone" });
  const listed = await get<Json[]>("issues");
  const resolved = all.find(({ type }) => type === "issue.resolved");
  deepEqual(resolved.data, listed.data.find(({ id }) => id === issue.id));
  deepEqual(resolved.occurred_at, resolved.data.updated_at);
  const completed = all.find(({ type }) => type === "workorder.completed");
  const orders = await get<Json[]>("work-orders");
  deepEqual(completed.data, orders.data[0]);
  await close();
});

Deno.test("alarms are told as they are read, of the own organization alone", async () => {
  const { subscribe, raise, told, get, rows, deviceOf, other, close } = await opened();
  await subscribe({ event_types: ["alarm.raised"] });
  const { subscription: foreign } = await subscribe({ organization: "o-b" });
  const { id: device_id, site_no } = deviceOf("B");
  await raise({ occurrence_id: "x", site_no, device_id });
  const [event] = await told();
  deepEqual([event.type, event.data.device_name], ["alarm.raised", "INV-B"]);
  deepEqual(event.data, (await get("alarms/x")).data);
  const { site_no: other_no } = deviceOf("A", other);
  await raise({ occurrence_id: "y", project_no: other.project_no, site_no: other_no });
  const { subscription_no } = foreign;
  const sent = await rows("SELECT subscription_no FROM delivery ORDER BY delivery_no");
  deepEqual(sent.map((row) => row.subscription_no), [1, subscription_no]);
  deepEqual((await told()).map(({ project_id }) => project_id === other.id), [false, true]);
  await close();
});

Deno.test("a change that is refused is not told", async () => {
  const { subscribe, post, patch, told, close } = await opened();
  await subscribe({ event_types: ["issue.*"] });
  const { data: { id } } = await post("issues", { name: "Fan" });
  await patch(`issues/${id}`, { status: "closed" });
  await patch(`issues/${id}`, { name: "" });
  await patch(`issues/${id}`, { status: "open" });
  deepEqual((await told()).map(({ type }) => type), ["issue.created"]);
  await close();
});
