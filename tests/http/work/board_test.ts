// Tests what a board of issues and work orders needs: whose, of which device, by priority, counts.
import { deepEqual, equal } from "node:assert/strict";
import { openWork } from "./work_help.ts";

type Listed = { readonly id: string; readonly name?: string; readonly title?: string };

Deno.test("a board has issues by assignee, device and state, the most urgent first", async () => {
  const { post, patch, get, anna, ben, as_anna, deviceOf, close } = await openWork();
  const device = deviceOf("A");
  const make = async (name: string, more: object = {}) => {
    const { status, data } = await post("issues", { name, ...more });
    equal(status, 201, JSON.stringify(data));
    return data as { readonly id: string };
  };
  await make("low", { priority: "low", assigned_to: anna.id });
  await make("urgent", { priority: "urgent", assigned_to: anna.id });
  const done = await make("done", { priority: "urgent", assigned_to: ben.id });
  await make("device", { priority: "high", devices: [{ device_id: device.id }] });
  await make("newer", { priority: "high" });
  equal((await patch(`issues/${done.id}`, { status: "resolved", user: ben.id })).status, 200);
  const names = async (query: string, token?: string) => {
    const { status, data } = await get<Listed[]>(`issues?${query}`, { as: token });
    equal(status, 200, JSON.stringify(data));
    return data.map(({ name }) => name);
  };
  deepEqual(await names("sort=priority"), ["done", "urgent", "newer", "device", "low"]);
  deepEqual(await names("sort=priority&limit=2&offset=1"), ["urgent", "newer"]);
  deepEqual(await names("sort=priority&active=true&assigned_to=me", as_anna), ["urgent", "low"]);
  deepEqual(await names("active=false"), ["done"]);
  deepEqual(await names(`assigned_to=${ben.id}`), ["done"]);
  deepEqual(await names(`device_id=${device.id}`), ["device"]);
  equal((await get("issues?assigned_to=me")).status, 400);
  const { data } = await get("issues/counts");
  deepEqual(data, {
    counts: [
      { status: "open", priority: "high", count: 2 },
      { status: "open", priority: "low", count: 1 },
      { status: "open", priority: "urgent", count: 1 },
      { status: "resolved", priority: "urgent", count: 1 },
    ],
  });
  const { data: own } = await get("issues/counts?assigned_to=me", { as: as_anna });
  deepEqual(own, {
    counts: [
      { status: "open", priority: "low", count: 1 },
      { status: "open", priority: "urgent", count: 1 },
    ],
  });
  await close();
});

Deno.test("and work orders likewise", async () => {
  const { post, get, anna, as_anna, close } = await openWork();
  const { data: { id: issue_id } } = await post("issues", { name: "I" });
  for (
    const [title, more] of [
      ["later", { priority: "low", assigned_to: anna.id }],
      ["first", { priority: "urgent", assigned_to: anna.id }],
      ["else", { priority: "high" }],
    ] as const
  ) {
    const made = await post("work-orders", { issue_id, title, ...more });
    equal(made.status, 201, JSON.stringify(made.data));
  }
  const titles = async (query: string, token?: string) =>
    (await get<Listed[]>(`work-orders?${query}`, { as: token })).data.map(({ title }) => title);
  deepEqual(await titles("sort=priority"), ["first", "else", "later"]);
  deepEqual(await titles("assigned_to=me&sort=priority&active=true", as_anna), ["first", "later"]);
  deepEqual(await titles("priority=high"), ["else"]);
  deepEqual(await titles("active=false"), []);
  const { data: { counts } } = await get<{ counts: { count: number }[] }>("work-orders/counts");
  deepEqual(counts.map(({ count }) => count), [1, 1, 1]);
  await close();
});
