// What others are told of alarms: the type of each change, its timeline, floods, whom it reaches.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Alarms } from "../../../src/engine/alarms/alarm.ts";
import type { AlarmUnitOfWork } from "../../../src/engine/alarms/unit_of_work.ts";
import { alarmWebhooks } from "../../../src/engine/webhooks/open.ts";
import type { EventDraft, Occurrence } from "../../../src/model/alarms/alarm.ts";
import { draftOf, eventOf, noon_us, second_us } from "../../help/alarm.ts";
import { openWebhooks, wanted } from "../../help/webhook.ts";

const users = `
  INSERT INTO "user" (id, organization_id, email, first_name, last_name, created_at)
  VALUES ('anna', 'org-a', 'anna@org-a.test', 'Anna', 'A', 0),
    ('bob', 'org-b', 'bob@org-b.test', 'Bob', 'B', 0)`;

async function open() {
  const webhooks = await openWebhooks();
  const { database, catalog, outbox } = webhooks;
  const alarms = await Alarms.open({ database });
  alarms.witness(alarmWebhooks(outbox, { catalog, live: () => undefined }));
  await database.write(({ connection }) => connection.script(users));
  const change = (
    said: Partial<Occurrence>,
    ...events: readonly EventDraft[]
  ) =>
    alarms.write(async (changes) => {
      await changes.load({ nos: [1] });
      changes.change({ ...changes.get(1)!, ...said }, events);
    });
  return {
    ...webhooks,
    alarms,
    change,
    raise: (id: string, ...events: readonly EventDraft[]) =>
      alarms.write((changes) => {
        changes.raise(draftOf({ occurrence_id: id }), [eventOf("raised"), ...events]);
        return Promise.resolve();
      }),
    /** What was told so far, in order. */
    async told() {
      const rows = await webhooks.rows("SELECT body FROM outbox ORDER BY event_no");
      return rows.map(({ body }) => JSON.parse(body as string));
    },
  };
}

Deno.test("a change of an alarm is told once, as the strongest of what happened", async () => {
  const { subscriptions, raise, change, told, database } = await open();
  await subscriptions.create(wanted({ event_types: ["alarm.*"] }));
  const at = (type: string, s: number) => eventOf(type, { created_at: noon_us + s * second_us });
  await raise("a", at("commented", 1));
  await change({ status: "claimed" }, at("claimed", 2));
  await change({}, at("commented", 3), at("shelved", 4));
  await change({ cleared_at: noon_us }, at("cleared", 5), at("commented", 6));
  await change({ status: "resolved" }, at("cleared", 7), at("resolved", 8), at("commented", 9));
  await change({ severity: "low", updated_at: noon_us + 10 * second_us });
  const all = await told();
  deepEqual(all.map(({ type, occurred_at }) => [type, occurred_at.slice(17, 19)]), [
    ["alarm.raised", "00"],
    ["alarm.updated", "02"],
    ["alarm.updated", "04"],
    ["alarm.cleared", "05"],
    ["alarm.resolved", "08"],
    ["alarm.updated", "10"],
  ]);
  const { data } = all[4];
  deepEqual([data.occurrence_id, data.site, data.project_id], ["a", "here", "project-1"]);
  deepEqual([data.status, data.events_total, data.events_truncated], ["resolved", 10, false]);
  const types = data.events.map(({ type }: { type: string }) => type);
  deepEqual(types.slice(-4), ["commented", "cleared", "resolved", "commented"]);
  await database.close();
});

Deno.test("the newest 50 events are told, the just stored ones included", async () => {
  const { subscriptions, raise, change, told, database } = await open();
  await subscriptions.create(wanted());
  const comment = (n: number) =>
    eventOf("commented", { created_at: noon_us + n * second_us, body: `${n}`, user_id: "anna" });
  const comments = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => comment(from + i));
  await raise("a", ...comments(1, 60));
  await change({}, ...comments(61, 5));
  // Told late, of a time before the others.
  await change({}, eventOf("commented", { event_id: "x", created_at: noon_us + 63.5 * second_us }));
  const [first, second, third] = await told();
  const bodies = ({ data }: typeof first) => data.events.map((it: { body: string }) => it.body);
  const upTo = (last: number, count: number) =>
    Array.from({ length: count }, (_, i) => `${last - count + 1 + i}`);
  deepEqual(bodies(first), upTo(60, 50));
  deepEqual(bodies(second), upTo(65, 50));
  deepEqual(bodies(third), [...upTo(63, 47), null, "64", "65"]);
  deepEqual([third.data.events_total, third.data.events_truncated], [67, true]);
  equal(third.data.events[0].user_email, "anna@org-a.test");
  const odd = { body: 'a "quoted" \\ \n ü 🌞', detail: { list: [null, 1.5], "ß": "\u0001" } };
  const latest = noon_us + 100 * second_us;
  await change({}, eventOf("commented", { created_at: latest, user_id: "bob", ...odd }));
  const last = (await told()).at(-1).data.events.at(-1);
  deepEqual({ body: last.body, detail: last.detail }, odd);
  equal(last.user_email, null);
  await database.close();
});

Deno.test("alarms that come as one flood are told in one event", async () => {
  const { subscriptions, alarms, told, database } = await open();
  await subscriptions.create(wanted());
  const raise = (changes: AlarmUnitOfWork, n: number, more: Partial<Occurrence>) =>
    changes.raise(draftOf({ occurrence_id: `a-${n}`, raised_at: noon_us + n, ...more }), [
      eventOf("raised"),
    ]);
  await alarms.write((changes) => {
    for (let n = 0; n < 3; n++) raise(changes, n, {});
    for (let n = 3; n < 103; n++) raise(changes, n, { is_flood: true });
    return Promise.resolve();
  });
  await alarms.write((changes) => {
    raise(changes, 200, { is_flood: true });
    return Promise.resolve();
  });
  const all = await told();
  deepEqual(all.map(({ type, data }) => [type, data.occurrence_id, data.flood?.occurrences]), [
    ["alarm.raised", "a-0", undefined],
    ["alarm.raised", "a-1", undefined],
    ["alarm.raised", "a-2", undefined],
    ["alarm.raised", "a-102", 100],
    ["alarm.raised", "a-200", undefined],
  ]);
  const { occurrence_ids } = all[3].data.flood;
  deepEqual(occurrence_ids, Array.from({ length: 50 }, (_, i) => `a-${102 - i}`));
  await database.close();
});

Deno.test("nobody is told of other organizations' alarms, nor of a write that failed", async () => {
  const { subscriptions, alarms, raise, told, rows, database } = await open();
  const { subscription } = await subscriptions.create(wanted({ organization: "b" }));
  await raise("a");
  deepEqual(await told(), []);
  const failing = alarms.write((changes) => {
    changes.raise(draftOf({ occurrence_id: "b", project_no: 3, site_no: 2 }), [eventOf("raised")]);
    return changes.store().then(() => Promise.reject(new Error("no")));
  });
  await rejects(failing, /no/);
  deepEqual(await told(), []);
  await alarms.write((changes) => {
    changes.raise(draftOf({ occurrence_id: "c", project_no: 3, site_no: 2 }), [eventOf("raised")]);
    changes.raise(draftOf({ occurrence_id: "d" }), [eventOf("raised")]);
    return Promise.resolve();
  });
  deepEqual((await told()).map(({ data }) => data.occurrence_id), ["c"]);
  const deliveries = await rows("SELECT subscription_no FROM delivery");
  deepEqual(deliveries.map((row) => row.subscription_no), [subscription.subscription_no]);
  await database.close();
});
