// Idempotency-Key on creates: the same request again, another one, at once, and a day later.
import { deepEqual, equal } from "node:assert/strict";
import { type Answered, type Json, openWork, pathsOf } from "./work_help.ts";
import { queryRows } from "../../help/query.ts";

const keyed = (key: string, as?: string) => ({ headers: { "idempotency-key": key }, as });

const seen = ({ status, data, headers }: Answered) => [status, data, headers.get("etag")];

Deno.test("the same request under a key gets the same answer again", async () => {
  const { post, patch, get, clock, close } = await openWork();
  const first = await post("issues", { name: "x" }, keyed("k-1"));
  equal(first.headers.get("idempotency-replayed"), null);
  await patch(`issues/${first.data.id}`, { name: "y" });
  clock.advance(23 * 3600_000);
  const again = await post("issues", { name: "x" }, keyed("k-1"));
  deepEqual(seen(again), seen(first));
  equal(again.headers.get("idempotency-replayed"), "true");
  equal((await get<Json[]>("issues")).data.length, 1);
  await close();
});

Deno.test("another request under a key is refused, another token's key is its own", async () => {
  const { post, send, at, other, as_anna, as_machine, close } = await openWork();
  await post("issues", { name: "x" }, keyed("k", as_anna));
  const refused = await post("issues", { name: "y" }, keyed("k", as_anna));
  equal(refused.status, 409);
  const order = await post("work-orders", { name: "x" }, keyed("k", as_anna));
  equal(order.status, 400);
  const own = await post("issues", { name: "x" }, keyed("k", as_machine));
  deepEqual([own.status, own.data.number], [201, 2]);
  await send("POST", at("issues"), { body: { name: "x" }, ...keyed("p") });
  const elsewhere = await send("POST", at("issues", other.id), {
    ...{ body: { name: "x" } },
    ...keyed("p"),
  });
  equal(elsewhere.status, 409);
  await close();
});

Deno.test("of equal requests at once one is done and the others are its repeats", async () => {
  const { post, get, close } = await openWork();
  const all = await Promise.all(
    Array.from({ length: 5 }, () => post("issues", { name: "x" }, keyed("k"))),
  );
  equal(new Set(all.map(({ data }) => data.id)).size, 1);
  deepEqual(all.map(({ status }) => status), [201, 201, 201, 201, 201]);
  equal(all.filter(({ headers }) => headers.get("idempotency-replayed") === null).length, 1);
  equal((await get<Json[]>("issues")).data.length, 1);
  await close();
});

Deno.test("a refused request burns no key, and a key is free again after a day", async () => {
  const { post, services, clock, close } = await openWork();
  equal((await post("issues", { nmae: "x" }, keyed("k"))).status, 400);
  const first = await post("issues", { name: "x" }, keyed("k"));
  equal(first.status, 201);
  clock.advance(24 * 3600_000 + 1000);
  const later = await post("issues", { name: "y" }, keyed("k"));
  deepEqual([later.status, later.data.number], [201, 2]);
  const rows = await services.database.read((it) =>
    queryRows(it, "SELECT * FROM idempotent_answer")
  );
  equal(rows.length, 1);
  await close();
});

Deno.test("the guard's answer is repeated too, and a bad key is refused by its name", async () => {
  const { post, patch, deviceOf, close } = await openWork();
  const { data: issue } = await post("issues", { name: "x" });
  const body = { issue_id: issue.id, title: "w", devices: [{ device_id: deviceOf("A").id }] };
  const first = await post("work-orders", body);
  const existing = await post("work-orders", body, keyed("k"));
  await patch(`work-orders/${first.data.id}`, { status: "cancelled" });
  const again = await post("work-orders", body, keyed("k"));
  deepEqual(seen(again), seen(existing));
  equal(again.headers.get("x-svc-existing"), "true");
  for (const key of ["", "a b", "x".repeat(201)]) {
    const refused = await post("work-orders", body, keyed(key));
    deepEqual([refused.status, pathsOf(refused)], [400, ["Idempotency-Key"]], key);
  }
  await close();
});
