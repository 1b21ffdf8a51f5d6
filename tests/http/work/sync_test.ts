// The inbound sync over HTTP: the order of its checks, and what a wrong call gets.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { work_limits } from "../../../src/model/work/limits.ts";
import { signedBy } from "../../help/signature.ts";
import { openSync, sync_path } from "../../help/sync.ts";

Deno.test("every call is checked in one order: what fails first answers", async () => {
  const { send, call, ids: [one], makeToken, now_s, close } = await openSync();
  const right = call([{ issue_id: one, status: "on_hold" }]);
  const large = JSON.stringify(right) + " ".repeat(work_limits.sync_body_bytes);
  const reader = await makeToken({ scopes: ["read"], organization_id: "org-a" });
  const old = now_s() - 301;
  // Each has everything wrong that the later ones have.
  const wrong = [
    [
      large,
      { token: "wk_x", signature: "", headers: { "content-length": `${large.length}` } },
      413,
    ],
    ["{", { token: "wk_x", signature: "" }, 401, /token is unknown/],
    ["{", { token: reader, signature: "" }, 403],
    ["{", { signature: null }, 401, /x-svc-signature is missing: t=<Unix seconds>,v1=/],
    ["{", { signature: `t=${old}` }, 401, /has no v1/],
    ["{", { signature: `t=${old},v1=${"0".repeat(63)}` }, 401, /not 64 hexadecimal digits/],
    ["{", { t: old, secret: "no" }, 401, /more than 300 seconds from the clock/],
    ["{", { secret: "no" }, 401, /no v1 of x-svc-signature is by a secret/],
    ["{", {}, 400, /ends too early/],
    [{ ...right, project_id: "project-3", issues: [] }, {}, 400],
    [{ ...right, project_id: "project-3" }, {}, 403],
    [right, {}, 200],
  ] as const;
  for (const [body, sending, status, detail = /./] of wrong) {
    const answer = await send(body, sending);
    equal(answer.status, status, answer.text);
    if (status !== 200) match(answer.data.detail, detail);
  }
  await close();
});

Deno.test("organization and project go by key; of another organization neither does", async () => {
  const { send, call, ids: [one], close } = await openSync();
  const named = (organization_id: string, project_id: string, delivery_id: string) =>
    send({
      ...call([{ issue_id: one, status: "on_hold" }], { delivery_id }),
      organization_id,
      project_id,
    });
  const { status, data } = await named("a", "one", "by-key");
  deepEqual([status, data.applied], [200, 1]);
  // The same delivery by ids is the one that was applied.
  equal((await named("org-a", "project-1", "by-key")).data.duplicate, true);
  const refused = ["b one", "b three", "a three", "a none"].map((it) => it.split(" "));
  for (const [organization, project] of refused) {
    equal((await named(organization, project, "no")).status, 403, `${organization} ${project}`);
  }
  await close();
});

Deno.test("exactly 300 seconds either way are taken, 301 are not", async () => {
  const { send, call, now_s, close } = await openSync();
  const statuses = [];
  for (const apart_s of [-301, -300, 300, 301]) {
    const body = call([{ issue_id: "x" }], { delivery_id: `${apart_s}` });
    statuses.push((await send(body, { t: now_s() + apart_s })).status);
  }
  deepEqual(statuses, [401, 200, 200, 401]);
  await close();
});

Deno.test("the signature is over the bytes as they came", async () => {
  const { send, call, ids: [one], secret, now_s, close } = await openSync();
  const text = JSON.stringify(call([{ issue_id: one, status: "on_hold" }]));
  const spaced = text.replaceAll(",", ",\n  ");
  equal((await send(spaced, { signature: signedBy(secret, text, now_s()) })).status, 401);
  equal((await send(spaced)).status, 200);
  await close();
});

Deno.test("any live secret of the organization's subscriptions signs, no other", async () => {
  const it = await openSync();
  const { send, call, services: { subscriptions }, subscription, subscribe, clock } = it;
  const status = async (secret: string, n: string) =>
    (await send(call([{ issue_id: "x" }], { delivery_id: n }), { secret })).status;
  const rotated = await subscriptions.rotate(subscription.id);
  deepEqual([await status(it.secret, "1"), await status(rotated.secret, "2")], [200, 200]);
  clock.advance(24 * 3_600_000 + 1);
  deepEqual([await status(it.secret, "3"), await status(rotated.secret, "4")], [401, 200]);
  await subscriptions.pause(subscription.id);
  equal(await status(rotated.secret, "5"), 200);
  const foreign = await subscribe({ organization: "b" });
  equal(await status(foreign.secret, "6"), 401);
  await subscriptions.remove(subscription.id);
  equal(await status(rotated.secret, "7"), 401);
  await it.close();
});

Deno.test("a header may carry more: several v1, entries of other kinds", async () => {
  const { send, call, secret, now_s, close } = await openSync();
  const body = JSON.stringify(call([{ issue_id: "x" }]));
  const [t, v1] = signedBy(secret, body, now_s()).split(",");
  const signature = `v2=?,v1=${"0".repeat(64)}, ${v1},v1a=${"0".repeat(128)},${t}`;
  equal((await send(body, { signature })).status, 200);
  await close();
});

Deno.test("unknown and forbidden projects get the same bytes", async () => {
  const { send, call, makeToken, subscribe, close } = await openSync();
  const item = { issue_id: "x" };
  const narrow = await makeToken({
    ...{ scopes: ["sync"], organization_id: "org-a", project_ids: ["project-1"] },
  });
  const second = await subscribe({ projects: ["two"] });
  const everywhere = await makeToken({ scopes: ["sync"] });
  const refused = [
    await send(call([item], { project_id: "nowhere" })),
    await send(call([item], { project_id: "project-3", organization_id: "org-b" })),
    await send(call([item], { project_id: "project-3", organization_id: "org-b" }), {
      token: everywhere,
    }),
    await send(call([item], { project_id: "project-2" }), { token: narrow }),
    await send(call([item]), { secret: second.secret }),
    await send(call([item], { organization_id: "org-b" })),
    await send(call([item], { project_id: "__proto__" })),
  ];
  const bytes = refused.map(({ status, text }) =>
    status + text.replace(/"instance":"[^"]+"/, '"instance":""')
  );
  deepEqual(new Set(bytes).size, 1, bytes.join("\n"));
  ok(bytes[0].startsWith("403"));
  await close();
});

Deno.test("a wrong body gets a flaw for each mistake, with its place", async () => {
  const { send, call, rows, close } = await openSync();
  const flaws = async (body: object | string) => {
    const { status, data, text } = await send(body);
    equal(status, 400, text);
    return data.errors.map(({ path, message }: { path: string; message: string }) =>
      `${path}: ${message}`
    );
  };
  const item = { issue_id: "x" };
  const with_item = (more: object) => flaws(call([{ ...item, ...more } as typeof item]));
  deepEqual(await flaws(call([])), ["issues: give at least 1 item"]);
  deepEqual(await flaws(call(Array(201).fill(item))), ["issues: give at most 200 items"]);
  deepEqual(await flaws(call([item], { delivery_id: "" })), [
    "delivery_id: give at least 1 character",
  ]);
  deepEqual(await flaws(call([item], { delivery_id: "d".repeat(201) })), [
    "delivery_id: give at most 200 characters",
  ]);
  deepEqual(await flaws({ delivery_id: 5, issues: {} }), [
    "organization_id: is missing",
    "project_id: is missing",
    "delivery_id: give a text, in quotation marks",
    "issues: give a list, not one entry; in TOML each entry begins with [[issues]]",
  ]);
  deepEqual(await with_item({ asignee: null }), [
    "issues[0].asignee: there is no such key; meant assignee?",
  ]);
  deepEqual(await flaws({ ...call([item]), deliveryid: "" }), [
    "deliveryid: there is no such key; meant delivery_id?",
  ]);
  deepEqual(await flaws(call([item, {}, { issue_id: "" }])), [
    "issues[1].issue_id: is missing",
    "issues[2].issue_id: give at least 1 character",
  ]);
  deepEqual(await with_item({ status: 1 }), ["issues[0].status: give a text, in quotation marks"]);
  deepEqual(await with_item({ external_id: "a\u0000b" }), [
    "issues[0].external_id: give a text without control characters",
  ]);
  deepEqual(await flaws(call([item], { delivery_id: "\ud800" })), [
    "delivery_id: give a text without control characters",
  ]);
  const text = JSON.stringify(call([item]));
  const twice = text.replace("{", '{"delivery_id":"d-0",');
  deepEqual(await flaws(twice), ["body: has a key twice in one object"]);
  deepEqual(await flaws(text.replace('"x"', '"x","issue_id":"y"')), [
    "body: has a key twice in one object",
  ]);
  for (const body of ["", "null", "[]", '"x"', `${text},`, `${text}]`]) {
    equal((await send(body)).status, 400, body);
  }
  deepEqual(await flaws(text.replace("{", '{"__proto__":{},')), [
    "__proto__: there is no such key; known are organization_id, project_id, delivery_id, issues",
  ]);
  match((await flaws("[".repeat(1000) + "]".repeat(1000)))[0], /nested deeper/);
  deepEqual(await rows("SELECT * FROM sync_call"), []);
  await close();
});

Deno.test("the largest call is taken: 200 items, a delivery id of 200", async () => {
  const { send, call, addIssues, close } = await openSync();
  const ids = await addIssues(Array.from({ length: 200 }, (_, i) => `issue ${i}`));
  const items = ids.map((issue_id) => ({ issue_id, status: "resolved", priority: "low" }));
  const { status, data } = await send(call(items, { delivery_id: "d".repeat(200) }));
  equal(status, 200);
  deepEqual([data.applied, data.results.length], [200, 200]);
  await close();
});

Deno.test("a body of another type, packed, or too long is refused", async () => {
  const { send, call, close } = await openSync();
  const body = JSON.stringify(call([{ issue_id: "x" }]));
  equal((await send(body, { headers: { "content-type": "text/plain" } })).status, 415);
  equal((await send(body, { headers: { "content-encoding": "gzip" } })).status, 415);
  const utf8 = { "content-type": "application/json; charset=utf-8" };
  equal((await send(body, { headers: utf8 })).status, 200);
  equal((await send(body + " ".repeat(work_limits.sync_body_bytes))).status, 413);
  await close();
});

Deno.test("only POST is there, by a token with the scope", async () => {
  const { app, makeToken, send, call, close } = await openSync();
  const get = await app.fetch(new Request(`http://localhost${sync_path}`));
  deepEqual([get.status, get.headers.get("allow")], [405, "POST, OPTIONS"]);
  for (const scope of ["read", "ingest", "operate", "manage"] as const) {
    const token = await makeToken({ scopes: [scope], organization_id: "org-a" });
    equal((await send(call([{ issue_id: "x" }]), { token })).status, 403, scope);
  }
  const token = await makeToken({ scopes: ["admin"] });
  equal((await send(call([{ issue_id: "x" }]), { token })).status, 200);
  await close();
});
