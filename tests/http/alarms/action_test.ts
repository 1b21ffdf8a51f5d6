// Actions on alarms over HTTP: who acts, what is said, repeats, refusals, other tenants' alarms.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { openActions } from "./action_help.ts";

const until = "2026-06-01T13:00:00.000000Z";

Deno.test("an alarm goes through its queue and back, each step told with its user", async () => {
  const { actOn, raise, eventsOf, anna, ben, tokens, close } = await openActions();
  await raise({ occurrence_id: "x 1/ü" });
  const as = tokens.anna;
  const step = async (action: string, body?: unknown) => {
    const { status, data } = await actOn("x 1/ü", action, { body, as });
    equal(status, 200, JSON.stringify(data));
    return data.status;
  };
  equal(await step("claim"), "claimed");
  equal(await step("release", {}), "open");
  equal(await step("claim"), "claimed");
  equal(await step("shelve", { until, reason: "Crew on the way" }), "shelved");
  equal(await step("unshelve"), "claimed");
  equal(await step("resolve", { note: "Fan changed" }), "resolved");
  equal(await step("reopen"), "open");
  const last = await actOn("x 1/ü", "comment", {
    body: { body: "Still hot\n\tat noon", user: "BEN@plant.test" },
    as: tokens.machine,
  });
  equal(last.data.resolution, null);
  deepEqual(eventsOf(last), [
    ["raised", "lifecycle", null, null],
    ["claimed", "operator", anna.id, null],
    ["released", "operator", anna.id, null],
    ["claimed", "operator", anna.id, null],
    ["shelved", "operator", anna.id, "Crew on the way"],
    ["unshelved", "operator", anna.id, null],
    ["resolved", "operator", anna.id, "Fan changed"],
    ["reopened", "operator", anna.id, null],
    ["commented", "operator", ben.id, "Still hot\n\tat noon"],
  ]);
  const events = last.data.events as Record<string, unknown>[];
  deepEqual(events[4].detail, { until });
  deepEqual(events.slice(7).map((it) => it.user_email), ["anna@plant.test", "ben@plant.test"]);
  await close();
});

Deno.test("an action by the same user again changes nothing and answers the same", async () => {
  const { actOn, raise, tokens, clock, close } = await openActions();
  await raise({ occurrence_id: "x" });
  const bodies: readonly (readonly [string, unknown?])[] = [
    ["claim"],
    ["release"],
    ["comment", { body: "Seen" }],
    ["shelve", { until, reason: "Later" }],
    ["unshelve"],
    ["resolve", { note: "Done" }],
    ["reopen"],
  ];
  for (const [action, body] of bodies) {
    const first = await actOn("x", action, { body, as: tokens.anna });
    clock.advance(1000);
    deepEqual(await actOn("x", action, { body, as: tokens.anna }), first, action);
    if (action === "comment") continue;
    const other = await actOn("x", action, { body, as: tokens.ben });
    equal(other.status, 409, action);
    match(String(other.data.detail), /^it is (not )?\w+/);
  }
  await close();
});

Deno.test("other words are no repeat: what is settled or shelved stays as it is", async () => {
  const { actOn, raise, tokens: { anna: as }, close } = await openActions();
  await raise({ occurrence_id: "x" });
  await actOn("x", "shelve", { body: { until, reason: "Later" }, as });
  const later = "2026-06-01T14:00:00Z";
  equal((await actOn("x", "shelve", { body: { until: later, reason: "Later" }, as })).status, 409);
  equal((await actOn("x", "shelve", { body: { until, reason: "Never" }, as })).status, 409);
  const offset = { until: "2026-06-01T15:00:00+02:00", reason: "Later" };
  equal((await actOn("x", "shelve", { body: offset, as })).status, 200);
  await actOn("x", "resolve", { body: { note: "Done" }, as });
  const again = await actOn("x", "resolve", { body: { note: "Undone" }, as });
  deepEqual([again.status, again.data.detail], [
    409,
    "it is resolved already: reopen it first",
  ]);
  equal((await actOn("x", "comment", { body: { body: "One" }, as })).data.events_total, 4);
  equal((await actOn("x", "comment", { body: { body: "Two" }, as })).data.events_total, 5);
  equal((await actOn("x", "comment", { body: { body: "One" }, as })).data.events_total, 6);
  await close();
});

Deno.test("an action is the same again on an alarm whose times lie ahead", async () => {
  const { actOn, services: { alarms }, clock, tokens: { anna: as }, close } = await openActions();
  await alarms.write((changes) => {
    const ahead = ["raised", "shelved", "unshelved"].map((type) =>
      eventOf(type, { created_at: clock.now_us + 60e6 })
    );
    return Promise.resolve(changes.raise(draftOf({ occurrence_id: "x" }), ahead));
  });
  for (let i = 0; i < 2; i++) {
    equal((await actOn("x", "comment", { body: { body: "Seen" }, as })).data.events_total, 4);
  }
  for (let i = 0; i < 2; i++) {
    const { data } = await actOn("x", "shelve", { body: { until, reason: "Later" }, as });
    equal(data.events_total, 5, JSON.stringify(data));
  }
  await close();
});

Deno.test("of two who claim at once one gets it", async () => {
  const { actOn, raise, tokens, close } = await openActions();
  await raise({ occurrence_id: "x" });
  const both = await Promise.all(
    [tokens.anna, tokens.ben].map((as) => actOn("x", "claim", { as })),
  );
  deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
  await close();
});

Deno.test("who acts is a user of the project's organization who can act", async () => {
  const { actOn, raise, services, anna, eve, tokens, close } = await openActions();
  await raise({ occurrence_id: "x" });
  const claim = (user: unknown, as: string) => actOn("x", "claim", { body: { user }, as });
  const nobody = await actOn("x", "claim", { as: tokens.machine });
  deepEqual([nobody.status, nobody.data.errors], [400, [
    { path: "user", message: "say who acts: the token is no user's" },
  ]]);
  for (const user of [eve.id, "eve@plant.test", "nobody@plant.test", "zz"]) {
    const { status, data } = await claim(user, tokens.machine);
    deepEqual([status, data.errors], [400, [
      { path: "user", message: "is no user of the project's organization who can act" },
    ]]);
    ok(!JSON.stringify(data).includes("@plant"));
  }
  equal((await claim("ben@plant.test", tokens.anna)).status, 403);
  equal((await claim("Anna@plant.test", tokens.anna)).status, 200);
  await services.users.disable(anna.id);
  equal((await claim(anna.id, tokens.machine)).status, 400);
  equal((await actOn("x", "claim", { as: tokens.anna })).status, 401);
  await close();
});

Deno.test("another tenant's alarm is as unknown as one that is not there", async () => {
  const { actOn, raise, call, project, other, tokens, close } = await openActions();
  await raise({ occurrence_id: "theirs", project_no: 2, site_no: 2 });
  const shape = ({ status, data }: Awaited<ReturnType<typeof actOn>>) => {
    const { instance: _, ...rest } = data;
    return [status, rest];
  };
  const foreign = await actOn("theirs", "claim", { as: tokens.anna });
  const unknown = await actOn("nowhere", "claim", { as: tokens.anna });
  deepEqual([foreign.status, shape(foreign)], [404, shape(unknown)]);
  const elsewhere = (project_id: string) =>
    actOn("theirs", "claim", { as: tokens.anna, project_id });
  const told = async (project_id: string) =>
    JSON.stringify(shape(await elsewhere(project_id))).replace(project_id, "it");
  equal(await told(other.id), await told("nowhere"));
  equal((await elsewhere(other.id)).status, 403);
  const { data } = await call("/admin/v1/tokens", {
    name: "reader",
    scopes: ["read", "ingest", "manage"],
    projects: [project.id],
  });
  equal((await actOn("theirs", "claim", { as: String(data.token) })).status, 403);
  await close();
});

Deno.test("a bad action names every flaw and changes nothing", async () => {
  const { actOn, raise, tokens: { anna: as }, eventsOf, close } = await openActions();
  await raise({ occurrence_id: "x" });
  const bad: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["claim", { usr: "x" }, ["usr"]],
    ["claim", "null", [""]],
    ["claim", "{", ["body"]],
    ["claim", { user: 7 }, ["user"]],
    ["release", { note: "x" }, ["note"]],
    ["shelve", undefined, ["until", "reason"]],
    ["shelve", { until: "2026-06-01T13:00:00", reason: "x" }, ["until"]],
    ["shelve", { until: "soon", reason: "x" }, ["until"]],
    ["shelve", { until: "2026-06-01T12:00:30Z", reason: "x" }, ["until"]],
    ["shelve", { until: "2026-07-01T12:00:31Z", reason: "x" }, ["until"]],
    ["shelve", { until: 1780318800000000, reason: "x" }, ["until"]],
    ["shelve", { until, reason: " " }, ["reason"]],
    ["resolve", {}, ["note"]],
    ["resolve", { note: "a\0b" }, ["note"]],
    ["resolve", { note: "\ud800" }, ["note"]],
    ["resolve", { note: "x".repeat(4001) }, ["note"]],
    ["comment", { body: "" }, ["body"]],
    ["comment", { body: "x", __proto__: null, constructor: 1 }, ["constructor"]],
  ];
  for (const [action, body, paths] of bad) {
    const { status, data } = await actOn("x", action, { body, as });
    const flaws = data.errors as { path: string }[];
    deepEqual(
      [status, flaws.map(({ path }) => path)],
      [400, paths],
      JSON.stringify([action, body]),
    );
  }
  equal((await actOn("x", "resolve", { body: { note: "x".repeat(2 ** 20) }, as })).status, 413);
  const after = await actOn("x", "claim", { as });
  deepEqual(eventsOf(after).map(([type]) => type), ["raised", "claimed"]);
  await close();
});

Deno.test("an answer has the newest 50 events", async () => {
  const { actOn, services, tokens: { anna: as }, close } = await openActions();
  const comments = Array.from({ length: 60 }, (_, i) => eventOf("commented", { body: `${i}` }));
  await services.alarms.write((changes) => {
    changes.raise(draftOf({ occurrence_id: "x" }), comments);
    return Promise.resolve();
  });
  const { data } = await actOn("x", "claim", { as });
  deepEqual([data.events_total, data.events_truncated], [61, true]);
  const events = data.events as { body: string; type: string }[];
  deepEqual([events.length, events[0].body, events[49].type], [50, "11", "claimed"]);
  await close();
});

Deno.test("a body with a key twice or nested without end is refused, nothing is done", async () => {
  const { fetch, project, raise, actOn, tokens, close } = await openActions();
  await raise({ occurrence_id: "x" });
  const bodies = [
    ['{"body":"a","body":"b"}', /a key twice/],
    [`{"body":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nested deeper than 64/],
  ] as const;
  for (const [body, why] of bodies) {
    const path = `/platform/v1/alarms/x/comment?project_id=${project.id}`;
    const headers = { "content-type": "application/json", authorization: `Bearer ${tokens.anna}` };
    const answer = await fetch(path, { method: "POST", headers, body });
    equal(answer.status, 400);
    match((await answer.json()).detail, why);
  }
  const { data } = await actOn("x", "claim", { as: tokens.anna });
  equal(data.events_total, 2);
  await close();
});
