// Sessions over HTTP: how they begin, what they may, who may ask with them, and how they end.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { access_limits } from "../../../src/model/access/limits.ts";
import { anna, Browser, good, openSessions } from "./session_help.ts";

const path = "/platform/v1/session";
const { session_idle_us, session_us, sessions_per_user } = access_limits;

Deno.test("a link signs its user in once, with the user's scopes and projects", async () => {
  const { browser, linkCode, user_id, project_id, close } = await openSessions();
  const [mine, late] = [browser(), browser()];
  const code = await linkCode();
  const made = await mine.signIn({ link: code });
  equal(made.status, 201);
  const [cookie] = made.response.headers.getSetCookie();
  match(cookie, /^wk_session=[\w-]{43}; HttpOnly; Path=\/; SameSite=Strict; Max-Age=604800$/);
  const { organization: { id: _, ...organization }, ...rest } = made.data;
  deepEqual(organization, { key: "o", name: "O" });
  deepEqual(rest, {
    user: { id: user_id, name: "Anna Ruiz", email: anna.email },
    name: "Anna Ruiz",
    via: "link",
    scopes: ["read"],
    projects: [{ id: project_id, key: "p", name: "P", timezone: "Europe/Madrid" }],
    expires_at: "2026-06-02T00:00:00.000000Z",
    demo: false,
  });
  deepEqual((await mine.call("GET", path)).data, made.data);
  equal((await late.signIn({ link: code })).status, 401);
  equal(await mine.status(`/platform/v1/alarms?project_id=${project_id}`), 200);
  equal(await mine.status("/admin/v1/tokens"), 403);
  equal(await mine.status("/platform/v1/alarms?project_id=other"), 403);
  await close();
});

Deno.test("a page that asks whether there is a session is not refused", async () => {
  const { browser, signedIn, clock, close } = await openSessions();
  const none = await browser().call("GET", `${path}?optional=true`);
  deepEqual([none.status, none.data], [200, null]);
  equal(await browser().status(`${path}?optional=false`), 401);
  const mine = await signedIn();
  const found = await mine.call("GET", `${path}?optional=true`);
  deepEqual([found.status, found.data.name], [200, "Anna Ruiz"]);
  clock.advance(session_idle_us / 1000);
  equal((await mine.call("GET", `${path}?optional=true`)).data, null);
  await close();
});

Deno.test("of browsers that race for a link, one is signed in", async () => {
  const { browser, linkCode, services, close } = await openSessions();
  const code = await linkCode();
  const all = await Promise.all(Array.from({ length: 8 }, () => browser().signIn({ link: code })));
  deepEqual(all.map(({ status }) => status).sort(), [201, ...Array(7).fill(401)]);
  equal(services.sign_in.sessions.list().length, 1);
  await close();
});

Deno.test("a link ends after its time, with the next one, and with its user", async () => {
  const { browser, linkCode, clock, admin, user_id, close } = await openSessions();
  const first = await linkCode();
  const second = await linkCode();
  equal((await browser().signIn({ link: first })).status, 401);
  clock.advance(access_limits.link_us / 1000);
  equal((await browser().signIn({ link: second })).status, 401);
  const third = await linkCode();
  await admin("DELETE", `/admin/v1/users/${user_id}`);
  equal((await admin("POST", `/admin/v1/users/${user_id}/link`)).status, 409);
  const again = { ...anna, scopes: ["read"] };
  equal((await admin("PUT", `/admin/v1/users/${user_id}`, again)).status, 200);
  equal((await browser().signIn({ link: third })).status, 401);
  await close();
});

Deno.test("a user without scopes can't sign in", async () => {
  const { admin, user_id, close } = await openSessions({ scopes: [] });
  equal((await admin("POST", `/admin/v1/users/${user_id}/link`)).status, 409);
  await close();
});

Deno.test("a session ends when it is idle, and in any case after its time", async () => {
  const { signedIn, clock, close } = await openSessions();
  const idle = await signedIn();
  clock.advance(session_idle_us / 1000 - 1);
  equal(await idle.status(), 200);
  clock.advance(session_idle_us / 1000);
  equal(await idle.status(), 401);
  const busy = await signedIn();
  for (let left_us = session_us - 1000; left_us > 0; left_us -= session_idle_us / 2) {
    clock.advance(Math.min(left_us, session_idle_us / 2) / 1000);
    equal(await busy.status(), 200);
  }
  clock.advance(1);
  equal(await busy.status(), 401);
  await close();
});

Deno.test("another site's page can't use a session, whatever it sends", async () => {
  const { signedIn, project_id, close } = await openSessions({ scopes: ["read", "manage"] });
  const mine = await signedIn();
  const users = "/admin/v1/users";
  const post = async (headers: Record<string, string>) =>
    (await mine.call("POST", users, { body: {}, headers })).status;
  equal(await post({ "sec-fetch-site": "same-origin" }), 400);
  equal(await post({ origin: "http://localhost" }), 400);
  for (const site of ["cross-site", "same-site", "none"]) {
    equal(await post({ "sec-fetch-site": site, origin: "http://localhost" }), 403, site);
  }
  for (const origin of ["http://evil.test", "https://localhost", "http://localhost:81", "null"]) {
    equal(await post({ origin }), 403, origin);
  }
  equal(await post({}), 403);
  const alarms = `/platform/v1/alarms?project_id=${project_id}`;
  const get = (site: string) => mine.status(alarms, { headers: { "sec-fetch-site": site } });
  deepEqual(await Promise.all(["none", "cross-site", "same-site"].map(get)), [200, 403, 403]);
  const out = await mine.call("DELETE", path, { headers: { "sec-fetch-site": "cross-site" } });
  deepEqual([out.status, await mine.status()], [403, 200]);
  await close();
});

Deno.test("a sign-in from another site's page is refused", async () => {
  const { browser, linkCode, close } = await openSessions();
  const link = await linkCode();
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { origin: "http://evil.test" },
  ];
  for (const headers of foreign) equal((await browser().signIn({ link }, { headers })).status, 403);
  equal((await browser().signIn({ link }, { headers: {} })).status, 201);
  await close();
});

Deno.test("an id from outside is never taken, and each sign-in makes a new one", async () => {
  const { browser, signedIn, linkCode, close } = await openSessions();
  const fixed = browser();
  fixed.cookies.set("wk_session", "x".repeat(43));
  equal((await fixed.signIn({ link: await linkCode() })).status, 201);
  const first = fixed.cookies.get("wk_session")!;
  notEqual(first, "x".repeat(43));
  equal((await fixed.signIn({ link: await linkCode() })).status, 201);
  const old = browser();
  old.cookies.set("wk_session", first);
  deepEqual([await old.status(), await fixed.status()], [401, 200]);
  const other = await signedIn();
  const both = browser();
  const pair = `${fixed.cookies.get("wk_session")}; wk_session=${other.cookies.get("wk_session")}`;
  both.cookies.set("wk_session", pair);
  equal(await both.status(), 401, "two of them");
  await close();
});

Deno.test("a token's session may what the token may, and ends with it", async () => {
  const { browser, admin, project_id, close } = await openSessions();
  const { data } = await admin("POST", "/admin/v1/tokens", { name: "wall", scopes: ["read"] });
  const wall = browser();
  const made = await wall.signIn({ token: data.token });
  deepEqual([made.status, made.data.user, made.data.name, made.data.via], [
    201,
    null,
    "wall",
    "token",
  ]);
  deepEqual([made.data.scopes, made.data.organization], [["read"], null]);
  ok(!made.text.includes(data.token));
  equal(await wall.status(`/platform/v1/alarms?project_id=${project_id}`), 200);
  const set = await wall.call("PUT", `${path}/password`, { body: { password: good } });
  equal(set.status, 403);
  await admin("DELETE", `/admin/v1/tokens/${data.token_id}`);
  equal(await wall.status(), 401);
  equal((await browser().signIn({ token: data.token })).status, 401);
  await close();
});

Deno.test("a session ends with its user's scopes and does not come back with them", async () => {
  const { signedIn, admin, user_id, close } = await openSessions({ scopes: ["read", "operate"] });
  const mine = await signedIn();
  const put = (more: object) => admin("PUT", `/admin/v1/users/${user_id}`, { ...anna, ...more });
  await put({ scopes: ["read"] });
  deepEqual((await mine.call("GET", path)).data.scopes, ["read"]);
  await put({ scopes: [] });
  equal(await mine.status(), 401);
  await put({ scopes: ["read"] });
  equal(await mine.status(), 401);
  const next = await signedIn();
  await admin("DELETE", `/admin/v1/users/${user_id}`);
  await put({ scopes: ["read"] });
  equal(await next.status(), 401);
  await close();
});

Deno.test("open streams end with their session's token", async () => {
  const { browser, admin, ask, project_id, clock, close } = await openSessions();
  const { data } = await admin("POST", "/admin/v1/tokens", { name: "wall", scopes: ["read"] });
  const wall = browser();
  await wall.signIn({ token: data.token });
  const cookie = `wk_session=${wall.cookies.get("wk_session")}`;
  const stream = await ask(`/platform/v1/alarms/stream?project_id=${project_id}`, {
    headers: { cookie },
  });
  equal(stream.status, 200);
  const reader = stream.body!.getReader();
  await admin("DELETE", `/admin/v1/tokens/${data.token_id}`);
  const ended = (async () => {
    while (!(await reader.read()).done);
    return true;
  })();
  for (let i = 0; i < 60; i++) {
    clock.advance(1000);
    await admin("GET", path);
  }
  equal(await ended, true);
  await close();
});

Deno.test("own sessions are listed and ended; the oldest makes room for one too many", async () => {
  const { signedIn, clock, close } = await openSessions();
  const all: Browser[] = [];
  for (let i = 0; i <= sessions_per_user; i++) {
    all.push(await signedIn());
    clock.advance(1000);
  }
  const statuses = await Promise.all(all.map((one) => one.status()));
  deepEqual(statuses, [401, ...Array(sessions_per_user).fill(200)]);
  const own = all.at(-1)!;
  const { data: { sessions } } = await own.call("GET", "/platform/v1/sessions");
  equal(sessions.length, sessions_per_user);
  deepEqual(sessions.map((it: { own: boolean }) => it.own).indexOf(true), sessions_per_user - 1);
  const gone = await own.call("DELETE", `/platform/v1/sessions/${sessions[0].id}`);
  deepEqual([gone.status, gone.data], [200, sessions[0]]);
  equal(await all[1].status(), 401);
  deepEqual((await own.call("DELETE", path)).data, { signed_out: true });
  deepEqual([own.cookies.size, (await own.call("DELETE", path)).data.signed_out], [0, false]);
  await close();
});

Deno.test("an administrator sees and ends the sessions of what the token reaches", async () => {
  const { signedIn, admin, fetch, services, user_id, close } = await openSessions();
  const mine = await signedIn();
  const { data: { sessions } } = await admin("GET", "/admin/v1/sessions");
  const [{ id, ...info }] = sessions;
  deepEqual(info, {
    user: { id: user_id, name: "Anna Ruiz", email: anna.email },
    token_id: null,
    name: "Anna Ruiz",
    via: "link",
    created_at: "2026-06-01T12:00:00.000000Z",
    last_used_at: "2026-06-01T12:00:00.000000Z",
    expires_at: "2026-06-02T00:00:00.000000Z",
    address: "198.51.100.7",
    own: false,
  });
  const { token } = await services.access.create({
    ...{ name: "x", organization_id: "other", project_ids: null, scopes: ["admin"] },
    expires_at: null,
  });
  const stranger = { headers: { authorization: `Bearer ${token}` } };
  deepEqual(await (await fetch("/admin/v1/sessions", stranger)).json(), { sessions: [] });
  const foreign = await fetch(`/admin/v1/sessions/${id}`, { method: "DELETE", ...stranger });
  equal(foreign.status, 404);
  equal((await admin("DELETE", `/admin/v1/sessions/${id}`)).data.id, id);
  equal(await mine.status(), 401);
  await close();
});

Deno.test("behind TLS the cookie is for this host alone", async () => {
  const settings = { public_url: "https://plant.example", trusted_proxies: "10.0.0.0/8" };
  const { browser, linkCode, admin, close } = await openSessions({ settings });
  const mine = browser();
  const made = await mine.signIn({ link: await linkCode() }, {
    headers: {
      origin: "https://plant.example",
      "x-forwarded-for": "1.2.3.4, 203.0.113.9, 10.0.0.2",
    },
    peer: "10.0.0.1",
  });
  match(
    made.response.headers.getSetCookie()[0],
    /^__Host-wk_session=.*HttpOnly; Path=\/.*; Secure$/,
  );
  const { data } = await admin("GET", "/admin/v1/sessions");
  equal(data.sessions[0].address, "203.0.113.9");
  const post = async (origin: string) =>
    (await mine.call("DELETE", path, { headers: { origin } })).status;
  deepEqual([await post("http://localhost"), await post("https://plant.example")], [403, 200]);
  match(
    (await admin("POST", `/admin/v1/users/${data.sessions[0].user.id}/link`)).data.url,
    /^https:\/\/plant\.example\/#link=/,
  );
  await close();
});

Deno.test("a page that is not signed in gets no challenge that opens a dialog", async () => {
  const { browser, ask, close } = await openSessions();
  const page = await browser().call("GET", path);
  equal(page.response.headers.get("www-authenticate"), 'Bearer realm="wattkeeper"');
  match((await ask(path)).headers.get("www-authenticate")!, /Basic/);
  for (const body of [{}, { token: 7 }, { demo: false }, { link: "a", token: "b" }, "x", null]) {
    equal((await browser().signIn(body)).status, 400);
  }
  await close();
});
