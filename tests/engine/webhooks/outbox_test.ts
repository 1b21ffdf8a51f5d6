// Events on their way: stored with their change or not at all, addressed, bounded, kept.
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { configureSync, resetSync } from "@logtape/logtape";
import { webhook_limits } from "../../../src/model/webhooks/limits.ts";
import { openWebhooks, wanted } from "../../help/webhook.ts";

Deno.test("an event is stored with its envelope and a delivery for each who asked", async () => {
  const { subscriptions, draft, tell, rows, clock, database } = await openWebhooks();
  await subscriptions.create(wanted());
  await subscriptions.create(wanted({ event_types: ["issue.*"], projects: ["two"] }));
  await subscriptions.create(wanted({ event_types: ["alarm.raised", "issue.updated"] }));
  await subscriptions.create(wanted({ event_types: ["workorder.*"] }));
  const data = '{"id":"i-1","name":"ß \\u0000 \\ud800 \\"","work_orders":[]}';
  await tell(draft({ data, occurred_at: clock.now_us - 1 }));
  const [event, ...more] = await rows("FROM outbox");
  deepEqual(more, []);
  deepEqual(JSON.parse(event.body as string), {
    schema_version: 1,
    id: event.id,
    type: "issue.updated",
    occurred_at: "2026-06-01T11:59:59.999999Z",
    organization_id: "org-a",
    project_id: "project-1",
    data: JSON.parse(data),
  });
  match(event.id as string, /^[0-9a-f-]{36}$/);
  const { committed_us } = database;
  const [first, second] = await rows("FROM delivery ORDER BY delivery_no");
  const common = { attempts: 0, settled_at: null, due_at: committed_us, created_at: committed_us };
  const pending = { event_no: 1, state: "pending", ...common };
  deepEqual({ ...first }, { ...pending, delivery_no: 1, subscription_no: 1 });
  deepEqual({ ...second }, { ...pending, delivery_no: 2, subscription_no: 3 });
  await database.close();
});

Deno.test("nothing is stored for an organization without a subscription", async () => {
  const { subscriptions, outbox, catalog, draft, tell, rows, database } = await openWebhooks();
  await subscriptions.create(wanted({ organization: "b" }));
  deepEqual(await tell(draft()), []);
  equal(outbox.hasListeners(catalog.project("project-1")!), false);
  deepEqual(await rows("FROM outbox"), []);
  const { subscription: { id } } = await subscriptions.create(
    wanted({ event_types: ["alarm.*"], projects: ["two"] }),
  );
  deepEqual(await tell(draft()), []);
  equal((await rows("FROM outbox")).length, 1);
  await subscriptions.remove(id);
  await tell(draft());
  equal((await rows("FROM outbox")).length, 1);
  await database.close();
});

Deno.test("a write that fails leaves no event, and its numbers are not given again", async () => {
  const { subscriptions, outbox, draft, tell, rows, database } = await openWebhooks();
  await subscriptions.create(wanted());
  const heard: number[] = [];
  outbox.listen((queued) => heard.push(...queued.map(({ delivery_no }) => delivery_no)));
  const failing = database.write(async (write) => {
    await outbox.add(write, [draft(), draft()]);
    throw new Error("no");
  });
  await rejects(failing, /no/);
  deepEqual([await rows("FROM outbox"), await rows("FROM delivery"), heard], [[], [], []]);
  await tell(draft());
  deepEqual((await rows("FROM outbox")).map(({ event_no }) => event_no), [3]);
  deepEqual(heard, [3]);
  await database.close();
});

Deno.test("what is pending outlives a restart, and numbers go on", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/w.duckdb`;
  const before = await openWebhooks({ path });
  await before.subscriptions.create(wanted());
  await before.tell(before.draft(), before.draft());
  await before.database.abandon();
  const after = await openWebhooks({ path });
  const stored = await after.rows("SELECT event_no, state FROM delivery ORDER BY delivery_no");
  deepEqual(
    stored.map((row) => ({ ...row })),
    [1, 2].map((event_no) => (
      { event_no, state: "pending" }
    )),
  );
  const [{ event_no, delivery_no }] = await after.tell(after.draft());
  deepEqual([event_no, delivery_no], [3, 3]);
  await after.database.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a paused one gets held deliveries, and none is told of its own word", async () => {
  const { subscriptions, draft, tell, rows, database } = await openWebhooks();
  const { subscription: deaf } = await subscriptions.create(wanted());
  const { subscription: open } = await subscriptions.create(wanted({ hears_itself: true }));
  await subscriptions.pause(open.id);
  await tell(draft({ origin: deaf.id }), draft({ origin: open.id }));
  const told = await rows("SELECT event_no, subscription_no, state FROM delivery ORDER BY ALL");
  deepEqual(told.map((row) => Object.values(row)), [
    [1, open.subscription_no, "held"],
    [2, deaf.subscription_no, "pending"],
    [2, open.subscription_no, "held"],
  ]);
  await database.close();
});

Deno.test("a body over the bound is refused and logged without its content", async () => {
  const { subscriptions, draft, tell, rows, database } = await openWebhooks();
  await subscriptions.create(wanted());
  const logged: string[] = [];
  const sinks = {
    all: ({ message, properties }: { message: readonly unknown[]; properties: object }) =>
      void logged.push(message.join("") + JSON.stringify(properties)),
  };
  const category = (category: string[]) => ({ category, sinks: ["all" as const] });
  const loggers = [
    category(["wattkeeper"]),
    { ...category(["logtape", "meta"]), lowestLevel: "error" as const },
  ];
  configureSync({ reset: true, sinks, loggers });
  const sizes = async () => {
    const stored = "SELECT octet_length(encode(body)) AS bytes FROM outbox ORDER BY event_no";
    return (await rows(stored)).map(({ bytes }) => bytes as number);
  };
  const { data } = draft();
  await tell(draft({ data }));
  const envelope = (await sizes())[0] - data.length;
  const sized = (bytes: number) => {
    const data = { id: "issue-7", name: "ß".repeat(1000), description: "" };
    const rest = bytes - envelope - new TextEncoder().encode(JSON.stringify(data)).length;
    return draft({ data: JSON.stringify({ ...data, description: "x".repeat(rest) }) });
  };
  await tell(sized(webhook_limits.body_bytes + 1), sized(webhook_limits.body_bytes));
  resetSync();
  deepEqual((await sizes()).slice(1), [webhook_limits.body_bytes]);
  equal(logged.length, 1);
  ok(logged[0].startsWith("issue.updated of issue-7 is larger"), logged[0]);
  ok(!/ßß|xxx/.test(logged[0]) && logged[0].length < 400);
  await database.close();
});
