// Subscriptions over HTTP: made, changed, rotated, paused, tested, and what is never told.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { subscriptionRoutes } from "../../../src/http/webhooks/subscription.ts";
import { openFrame } from "../../help/frame.ts";
import { queryRows } from "../../help/query.ts";

const path = "/admin/v1/subscriptions";
const hour_ms = 3_600_000;
const target = "https://hooks.example.org/in?key=hidden-in-target";

async function opened() {
  const frame = await openFrame(subscriptionRoutes);
  const send = async (method: string, at: string, { body, as }: {
    readonly body?: unknown;
    readonly as?: string;
  } = {}) => {
    const response = await frame.fetch(`${path}${at}`, {
      method,
      headers: {
        authorization: `Bearer ${as ?? frame.admin}`,
        "content-type": "application/json",
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, data: JSON.parse(text), headers: response.headers };
  };
  const manager = (organization_id: string, project_ids: string[] | null = null) =>
    frame.token({ scopes: ["manage"], organization_id, project_ids });
  const rows = (sql: string) => frame.database.read((it) => queryRows(it, sql));
  return { ...frame, send, manager, rows };
}

const good = { name: "hook", target, event_types: ["alarm.*", "issue.created"] };
const headers = { authorization: "Bearer hidden-in-header", "X-Site": "north" };

Deno.test("a subscription is made with a secret that is told once", async () => {
  const { send, manager, close } = await opened();
  const as = await manager("org-a");
  const made = await send("POST", "", { as, body: { ...good, headers } });
  deepEqual([made.status, made.headers.get("cache-control")], [201, "no-store"]);
  const { secret, ...shown } = made.data;
  match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const at = "2026-06-01T12:00:00.000000Z";
  const { id, created_at, updated_at, secret_created_at, ...rest } = shown;
  deepEqual(new Set([created_at, updated_at, secret_created_at]).size, 1);
  equal(created_at.slice(0, 19), at.slice(0, 19));
  deepEqual(rest, {
    ...good,
    organization_id: "org-a",
    project_ids: null,
    header_names: ["authorization", "X-Site"],
    timeout_s: 10,
    is_ordered: false,
    hears_itself: false,
    state: "enabled",
    reason: null,
    former_secret_until: null,
  });
  for (const answer of [await send("GET", "", { as }), await send("GET", `/${id}`, { as })]) {
    equal(answer.status, 200);
    ok(!answer.text.includes(secret) && !answer.text.includes("hidden-in-header"));
    deepEqual(answer.data.subscriptions?.[0] ?? answer.data, shown);
  }
  await close();
});

Deno.test("a change keeps headers that it does not say, and all else is what it says", async () => {
  const { send, manager, services, clock, close } = await opened();
  const as = await manager("org-a");
  const { data: { id } } = await send("POST", "", { as, body: { ...good, headers } });
  clock.advance(1000);
  const change = { ...good, timeout_s: 30, projects: ["two"], event_types: ["*"] };
  const changed = await send("PUT", `/${id}`, { as, body: change });
  equal(changed.status, 200, changed.text);
  deepEqual(
    [changed.data.timeout_s, changed.data.project_ids, changed.data.event_types],
    [30, ["project-2"], ["*"]],
  );
  deepEqual(services.subscriptions.find(id).headers, headers);
  const emptied = await send("PUT", `/${id}`, { as, body: { ...good, headers: {} } });
  deepEqual([emptied.data.header_names, emptied.data.timeout_s], [[], 10]);
  equal((await send("PUT", `/${id}`, { as, body: { ...good, organization: "a" } })).status, 400);
  await close();
});

Deno.test("for the overlap of a rotation two secrets sign, and never three", async () => {
  const { send, services, clock, close } = await opened();
  const made = await send("POST", "", { body: { ...good, organization: "a" } });
  const { id, secret: first } = made.data;
  const signing = () => {
    const { subscriptions } = services;
    return subscriptions.secretsOf(subscriptions.find(id)).map(({ secret }) => secret);
  };
  const rotate = async () => (await send("POST", `/${id}/rotate-secret`)).data;
  const { secret: second, former_secret_until } = await rotate();
  deepEqual(signing(), [second, first]);
  equal(former_secret_until.slice(0, 19), "2026-06-02T12:00:00");
  clock.advance(24 * hour_ms - 1);
  deepEqual(signing(), [second, first]);
  clock.advance(2);
  deepEqual(signing(), [second]);
  equal((await send("GET", `/${id}`)).data.former_secret_until, null);
  const { secret: third } = await rotate();
  clock.advance(hour_ms);
  const { secret: fourth } = await rotate();
  deepEqual(signing(), [fourth, third]);
  equal(new Set([first, second, third, fourth]).size, 4);
  await close();
});

Deno.test("pausing holds deliveries, resuming frees them, removing ends them", async () => {
  const { send, rows, services, clock, close } = await opened();
  const { data: { id } } = await send("POST", "", { body: { ...good, organization: "a" } });
  const states = async () =>
    (await rows("SELECT state FROM delivery ORDER BY delivery_no")).map(({ state }) => state);
  const test = await send("POST", `/${id}/test`);
  equal(test.status, 202);
  const [{ id: event_id, body, type }] = await rows("SELECT id, type, body FROM outbox");
  deepEqual([test.data.event_id, type], [event_id, "webhook.test"]);
  deepEqual(JSON.parse(body as string).data, { subscription_id: id, name: "hook" });
  const { data: paused } = await send("POST", `/${id}/pause`);
  deepEqual([paused.state, await states()], ["paused", ["held"]]);
  clock.advance(1000);
  deepEqual((await send("POST", `/${id}/pause`)).data, paused);
  equal((await send("POST", `/${id}/test`)).status, 409);
  await send("POST", `/${id}/resume`);
  const [{ state, due_at }] = await rows("SELECT state, due_at FROM delivery");
  deepEqual([state, due_at], ["pending", clock.now_us]);
  await services.subscriptions.disable(id, "answered 410");
  const { data: disabled } = await send("GET", `/${id}`);
  deepEqual([disabled.state, disabled.reason], ["disabled", "answered 410"]);
  equal((await send("POST", `/${id}/pause`)).status, 409);
  equal((await send("POST", `/${id}/resume`)).data.reason, null);
  deepEqual(Object.keys((await send("DELETE", `/${id}`)).data), ["id", "deleted_at"]);
  deepEqual(await states(), ["dead"]);
  deepEqual(await rows("FROM subscription_secret"), []);
  for (const at of [`/${id}/resume`, `/${id}/rotate-secret`, `/${id}/test`]) {
    equal((await send("POST", at)).status, 404);
  }
  await close();
});

/** What a request says wrongly, with the paths of its flaws and a part of what is said of them. */
const mistakes: readonly (readonly [object, readonly string[], RegExp])[] = [
  [{ target: "file:///etc/passwd" }, ["target"], /http/],
  [{ target: "ftp://x.example" }, ["target"], /http/],
  [{ target: "hooks.example.org" }, ["target"], /http/],
  [{ target: "http://127.0.0.1/x" }, ["target"], /not global/],
  [{ target: "http://0x7f.1/" }, ["target"], /not global/],
  [{ target: "http://[::ffff:10.0.0.1]/" }, ["target"], /not global/],
  [{ target: "http://localhost:8480/" }, ["target"], /not global/],
  [{ target: "https://user:hidden@x.example" }, ["target"], /header/],
  [{ target: "https://x.example/#a" }, ["target"], /fragment/],
  [{ target: "https://x.example/a\nb" }, ["target"], /blanks/],
  [{ target: " https://x.example/" }, ["target"], /blanks/],
  [{ target: "https://x.example\\@10.0.0.1/" }, ["target"], /backslashes/],
  [{ target: "http:x.example" }, ["target"], /http:\/\//],
  [{ target: `https://x.example/${"a".repeat(2000)}` }, ["target"], /2000/],
  [{ timeout_s: 0 }, ["timeout_s"], /at least 1/],
  [{ timeout_s: 31 }, ["timeout_s"], /at most 30/],
  [{ timeout_s: 1.5 }, ["timeout_s"], /whole/],
  [{ event_types: [] }, ["event_types"], /at least 1/],
  [{ event_types: ["alarm.rased"] }, ["event_types[0]"], /meant alarm\.raised\?/],
  [{ event_types: ["*", "work_order.*"] }, ["event_types[1]"], /meant workorder\.\*\?/],
  [{ headers: { "X-A": "hidden\r\nHost: x" } }, ["headers.X-A"], /line break/],
  [{ headers: { "X-A\r\nhidden": "x" } }, ["headers"], /names/],
  [
    { headers: { Host: "x", "Content-Length": "1" } },
    ["headers.Host", "headers.Content-Length"],
    /own/,
  ],
  [{ headers: { "X-Svc-Signature": "x" } }, ["headers.X-Svc-Signature"], /own/],
  [{ headers: { "webhook-id": "x", te: "x" } }, ["headers.webhook-id", "headers.te"], /own/],
  [{ headers: { "X-A": "1", "x-a": "2" } }, ["headers.x-a"], /twice/],
  [{ headers: { "X-A": "ü" } }, ["headers.X-A"], /ASCII/],
  [{ headers: { "X-A": "x".repeat(4001) } }, ["headers.X-A"], /4000/],
  [{ headers: manyHeaders(21) }, ["headers"], /at most 20/],
  [{ headers: { "X-A": 7 } }, ["headers.X-A"], /give a text, in quotation marks/],
  [{ name: "" }, ["name"], /at least 1/],
  [{ projects: ["nowhere"] }, ["projects[0]"], /there is no/],
  [{ projects: ["three"] }, ["projects[0]"], /there is no/],
  [{ secret: "whsec_hidden" }, ["secret"], /no such key/],
  [{ organization: undefined }, ["organization"], /which/],
  [{ timeout_s: 99, event_types: ["x"], name: 1 }, ["name", "event_types[0]", "timeout_s"], /./],
];

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, "1"]));
}

Deno.test("each mistake is told with its path, and no secret with it", async () => {
  const { send, rows, close } = await opened();
  for (const [wrong, paths, said] of mistakes) {
    const { status, data, text } = await send("POST", "", {
      body: { ...good, organization: "a", ...wrong },
    });
    const errors: { path: string; message: string }[] = data.errors ?? [];
    deepEqual([status, errors.map((it) => it.path)], [400, paths], text);
    match(errors.map(({ message }) => message).join("; "), said);
    ok(!text.includes("hidden"), text);
  }
  deepEqual(await rows("FROM subscription"), []);
  await close();
});

Deno.test("who does not reach all of a subscription learns nothing of it", async () => {
  const { send, manager, token, close } = await opened();
  const body = { ...good, organization: "a", projects: ["one", "two"] };
  const { data: { id } } = await send("POST", "", { body });
  const strangers = [await manager("org-b"), await manager("org-a", ["project-1"])];
  for (const [as, other] of [[strangers[0], "a"], [strangers[1], "b"]]) {
    deepEqual((await send("GET", "", { as })).data, { subscriptions: [] });
    const asked = ["0", id].map(async (it) => {
      const all = [
        await send("GET", `/${it}`, { as }),
        await send("PUT", `/${it}`, { as, body: {} }),
        await send("DELETE", `/${it}`, { as }),
        await send("POST", `/${it}/rotate-secret`, { as }),
        await send("POST", `/${it}/test`, { as }),
        await send("POST", `/${it}/pause`, { as }),
      ];
      return all.map(({ status, data }) => [status, data.detail.replaceAll(it, "ID")]);
    });
    const [unknown, foreign] = await Promise.all(asked);
    deepEqual(foreign, unknown);
    deepEqual(new Set(foreign.map(([status]) => status)), new Set([404]));
    for (const more of [{ organization: other }, { projects: ["two"] }, { projects: ["zz"] }]) {
      equal((await send("POST", "", { as, body: { ...good, ...more } })).status, 403);
    }
  }
  const [, limited] = strangers;
  const own = await send("POST", "", { as: limited, body: good });
  deepEqual([own.status, own.data.project_ids], [201, ["project-1"]]);
  const wider = { ...good, projects: ["two"] };
  equal((await send("PUT", `/${own.data.id}`, { as: limited, body: wider })).status, 403);
  const reader = await token({ scopes: ["read", "operate"], organization_id: "org-a" });
  equal((await send("GET", "", { as: reader })).status, 403);
  await close();
});
