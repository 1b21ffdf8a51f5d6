// Merges of issues over HTTP: what goes along, what is told, what is refused with its path.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { work_limits } from "../../../src/model/work/limits.ts";
import { type Json, openWork, pathsOf } from "./work_help.ts";

Deno.test("a merge takes devices, work orders and alarms along", async () => {
  const { post, get, patch, raise, historyOf, deviceOf, close } = await openWork();
  await raise({ occurrence_id: "x" });
  const [a, b] = [deviceOf("A").id, deviceOf("B").id];
  const survivor = (await post("issues", { name: "1", devices: [{ device_id: a }] })).data;
  const devices = [{ device_id: a }, { device_id: b }];
  const twin = (await post("issues", { name: "2", devices, from: { alarm: "x" } })).data;
  const order = (await post("work-orders", { issue_id: twin.id, title: "w" })).data;
  const path = `issues/${survivor.id}/merge`;
  const merged = await post(path, { issue_ids: [twin.id] });
  equal(merged.status, 200, JSON.stringify(merged.data));
  deepEqual((merged.data.work_orders as Json[]).map(({ id }) => id), [order.id]);
  deepEqual((merged.data.devices as Json[]).map(({ device_id }) => device_id), [a, b]);
  const gone = (await get(`issues/${twin.id}`)).data;
  deepEqual([gone.status, gone.merged_into, gone.work_orders], ["merged", survivor.id, []]);
  ok((await historyOf(survivor.id)).includes("merged"));
  ok((await historyOf(survivor.id)).includes("alarm_linked"));
  const again = await post(path, { issue_ids: [twin.id] });
  deepEqual([again.status, pathsOf(again)], [409, ["issue_ids[0]"]]);
  equal((await patch(`issues/${twin.id}`, { name: "z" })).status, 409);
  equal((await post(`issues/${twin.id}/merge`, { issue_ids: [survivor.id] })).status, 409);
  await close();
});

Deno.test("a merge into itself, of unknown or others' issues names the path", async () => {
  const { post, send, at, other, close } = await openWork();
  const one = (await post("issues", { name: "1" })).data;
  const two = (await post("issues", { name: "2" })).data;
  const theirs = (await send("POST", at("issues", other.id), { body: { name: "t" } })).data;
  equal(theirs.number, 1);
  const merge = async (issue_ids: unknown) => {
    const refused = await post(`issues/${one.id}/merge`, { issue_ids });
    return [refused.status, (refused.data.errors as Json[]).map((it) => Object.values(it).join())];
  };
  deepEqual(await merge([two.id, one.id]), [400, [
    "issue_ids[1],an issue is not merged into itself",
  ]]);
  const unknown = [400, ["issue_ids[0],is no issue of the project"]];
  deepEqual(await merge([theirs.id]), unknown);
  deepEqual(await merge(["nowhere"]), unknown);
  equal((await merge([]))[0], 400);
  equal((await merge([two.id, two.id]))[0], 400);
  await close();
});

Deno.test("a merge makes no issue of more work orders than one can have", async () => {
  const { post, get, close } = await openWork();
  const most = work_limits.orders_per_issue;
  const one = (await post("issues", { name: "1" })).data;
  const two = (await post("issues", { name: "2" })).data;
  const fill = async (issue_id: unknown, count: number) => {
    for (let i = 0; i < count; i++) await post("work-orders", { issue_id, title: "w" });
  };
  await fill(one.id, most - 1);
  await fill(two.id, 2);
  const refused = await post(`issues/${one.id}/merge`, { issue_ids: [two.id] });
  deepEqual([refused.status, (await get(`issues/${two.id}`)).data.status], [409, "open"]);
  match(String(refused.data.detail), /together they have more than 100 work orders/);
  await close();
});
