// Subscriptions in memory: who is told of what, how they outlive a restart, and their bounds.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import fc from "fast-check";
import type { Happening } from "../../../src/engine/webhooks/subscription.ts";
import { webhook_limits } from "../../../src/model/webhooks/limits.ts";
import { webhook_types, webhook_words } from "../../../src/model/webhooks/webhook.ts";
import { openWebhooks, wanted } from "../../help/webhook.ts";

Deno.test("those are told whose organization, projects, types and ears say so", async () => {
  const { subscriptions, catalog, database } = await openWebhooks();
  const projects = { a: ["one", "two"], b: ["three"] };
  const request = fc.constantFrom("a" as const, "b" as const).chain((organization) =>
    fc.record({
      organization: fc.constant(organization),
      projects: fc.option(fc.subarray(projects[organization], { minLength: 1 }), {
        nil: undefined,
      }),
      event_types: fc.uniqueArray(fc.constantFrom(...webhook_words), { minLength: 1 }),
      hears_itself: fc.boolean(),
    })
  );
  for (const more of fc.sample(request, 60)) await subscriptions.create(wanted(more));
  const all = subscriptions.list();
  const happening: fc.Arbitrary<Happening> = fc.record({
    type: fc.constantFrom(...webhook_types),
    project: fc.constantFrom(...catalog.projects),
    origin: fc.option(fc.constantFrom(...all.map(({ id }) => id))),
  });
  fc.assert(fc.property(happening, ({ type, project, origin }) => {
    const [family] = type.split(".");
    const told = all.filter((it) => {
      if (it.organization_id !== project.organization_id) return false;
      if (it.project_ids !== null && !it.project_ids.includes(project.id)) return false;
      if (it.id === origin && !it.hears_itself) return false;
      return it.event_types.some((word) => ["*", `${family}.*`, type].includes(word));
    });
    deepEqual(subscriptions.matching({ type, project, origin }), told);
  }));
  await database.close();
});

Deno.test("all but removed ones are the same after a restart, their secrets too", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/w.duckdb`;
  const before = await openWebhooks({ path });
  const { subscriptions } = before;
  const headers = { "X-Key": 'a "quoted" \\ value' };
  const { subscription: kept } = await subscriptions.create(wanted({
    ...{ headers, projects: ["one", "two"], event_types: ["*", "alarm.*"] },
    ...{ is_ordered: true, hears_itself: true, timeout_s: 3, name: "Ünï 🌞" },
  }));
  const { subscription: gone } = await subscriptions.create(wanted());
  await subscriptions.rotate(kept.id);
  await subscriptions.disable(kept.id, "answered 410");
  await subscriptions.remove(gone.id);
  const secrets = subscriptions.secretsOf(kept);
  const listed = subscriptions.list();
  await before.database.abandon();
  const after = await openWebhooks({ path });
  deepEqual(after.subscriptions.list(), listed);
  deepEqual(after.subscriptions.secretsOf(kept), secrets);
  equal(after.subscriptions.get(gone.subscription_no), undefined);
  const { subscription: next } = await after.subscriptions.create(wanted());
  equal(next.subscription_no, gone.subscription_no + 1);
  await after.database.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("listeners hear of each change as it is then, not of what changes nothing", async () => {
  const { subscriptions, database } = await openWebhooks();
  const heard: string[] = [];
  const stop = subscriptions.listen(({ state, deleted_at }) =>
    heard.push(deleted_at === null ? state : "gone")
  );
  const { subscription: { id } } = await subscriptions.create(wanted());
  await Promise.all([subscriptions.pause(id), subscriptions.pause(id), subscriptions.resume(id)]);
  await subscriptions.disable(id, "five days of failures");
  await subscriptions.resume(id);
  await subscriptions.remove(id);
  deepEqual(heard, ["enabled", "paused", "enabled", "disabled", "enabled", "gone"]);
  stop();
  await subscriptions.create(wanted());
  equal(heard.length, 6);
  await database.close();
});

Deno.test("an organization has so many at most, whoever asks at once", async () => {
  const { subscriptions, database } = await openWebhooks();
  const most = webhook_limits.subscriptions_per_organization;
  const asked = Array.from({ length: most + 3 }, () => subscriptions.create(wanted()));
  const made = await Promise.allSettled(asked);
  const refused = made.filter((it) => it.status === "rejected");
  deepEqual([refused.length, refused.every(({ reason }) => reason.code === "conflict")], [3, true]);
  equal(new Set(subscriptions.list().map((it) => it.subscription_no)).size, most);
  await subscriptions.create(wanted({ organization: "b" }));
  await subscriptions.remove(subscriptions.list()[0].id);
  await subscriptions.create(wanted());
  await database.close();
});

Deno.test("a change that is not stored leaves all as it was", async () => {
  const { subscriptions, database, rows } = await openWebhooks();
  const { subscription } = await subscriptions.create(wanted());
  const secrets = subscriptions.secretsOf(subscription);
  await database.write(({ connection }) =>
    connection.script("ALTER TABLE subscription_secret RENAME TO moved")
  );
  await rejects(subscriptions.create(wanted()));
  await rejects(subscriptions.rotate(subscription.id));
  await rejects(subscriptions.remove(subscription.id));
  await database.write(({ connection }) =>
    connection.script("ALTER TABLE moved RENAME TO subscription_secret")
  );
  deepEqual(subscriptions.list(), [subscription]);
  deepEqual(subscriptions.secretsOf(subscription), secrets);
  equal((await rows("SELECT id FROM subscription")).length, 1);
  const { subscription: next } = await subscriptions.create(wanted());
  equal(next.subscription_no, 2);
  await database.close();
});

Deno.test("an overlap of secrets ends by the wall clock, wherever stamps are", async () => {
  const { subscriptions, clock, database } = await openWebhooks();
  clock.step(86_400_000);
  const { subscription } = await subscriptions.create(wanted());
  clock.step(-86_400_000);
  await subscriptions.rotate(subscription.id);
  equal(subscriptions.secretsOf(subscription).length, 2);
  clock.advance(24 * 3_600_000);
  equal(subscriptions.secretsOf(subscription).length, 1);
  await database.close();
});

Deno.test("no fault tells a secret or a header's value", async () => {
  const { subscriptions, database } = await openWebhooks();
  const headers = { "X-Key": "hidden" };
  const { secret, subscription } = await subscriptions.create(wanted({ headers }));
  const { id } = subscription;
  await subscriptions.disable(id, "answered 410");
  const faults = await Promise.allSettled([
    subscriptions.pause(id),
    subscriptions.change(id, { ...wanted(), headers: { "X-Key": "hidden\n" }, secret }),
    subscriptions.create(wanted({ target: "http://10.0.0.1/?key=hidden", headers })),
    subscriptions.rotate("unknown"),
  ]);
  for (const fault of faults) {
    ok(fault.status === "rejected");
    const { message, flaws, stack } = fault.reason;
    const text = message + JSON.stringify(flaws) + stack;
    ok(!text.includes("hidden") && !text.includes(secret), text);
  }
  await database.close();
});
