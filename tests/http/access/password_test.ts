// Passwords over HTTP, what is tried in vain, and the demo's own way in.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { access_limits } from "../../../src/model/access/limits.ts";
import { isPassword, passwordHash } from "../../../src/model/access/password.ts";
import { anna, good, openSessions } from "./session_help.ts";

const path = "/platform/v1/session";
const { email } = anna;
const { failures_per_account, failures_per_address, failures_ms } = access_limits;

Deno.test("a password is set by a link's session, and then signs in", async () => {
  const { signedIn, browser, close } = await openSessions();
  const mine = await signedIn();
  const set = (body: unknown) => mine.call("PUT", `${path}/password`, { body });
  for (const password of ["", "x".repeat(11), "x".repeat(201), "a\0" + good, 7]) {
    const { status, text } = await set({ password });
    deepEqual([status, text.includes("xxx")], [400, false]);
  }
  const other = await signedIn();
  equal((await set({ password: good })).status, 200);
  deepEqual([await mine.status(), await other.status()], [200, 401]);
  const next = browser();
  const made = await next.signIn({ email: "anna@PLANT.test", password: good });
  deepEqual([made.status, made.data.via, made.text.includes(good)], [201, "password", false]);
  for (const password of [good.toUpperCase(), `${good} `, ""]) {
    equal((await browser().signIn({ email, password })).status, 401);
  }
  equal((await browser().signIn({ email, password: good, organization: "o" })).status, 201);
  equal((await browser().signIn({ email, password: good, organization: "p" })).status, 401);
  await close();
});

Deno.test("a password is changed by who knows it, and ends the user's other sessions", async () => {
  const { signedIn, browser, close } = await openSessions();
  const linked = await signedIn({ password: true });
  const mine = browser();
  await mine.signIn({ email, password: good });
  const set = async (body: unknown) =>
    (await mine.call("PUT", `${path}/password`, { body })).status;
  const password = "another horse battery";
  deepEqual([await set({ password }), await set({ password, current: "wrong" })], [403, 403]);
  equal(await linked.status(), 200);
  equal(await set({ password, current: good }), 200);
  deepEqual([await linked.status(), await mine.status()], [401, 200]);
  equal((await browser().signIn({ email, password: good })).status, 401);
  equal((await browser().signIn({ email, password })).status, 201);
  await close();
});

Deno.test("an unknown address costs as many hashes as a known one", async () => {
  const { signedIn, browser, admin, services, user_id, close } = await openSessions();
  await signedIn({ password: true });
  const plain = { first_name: "B", last_name: "C", organization: "o", scopes: ["read"] };
  await admin("POST", "/admin/v1/users", { ...plain, email: "bare@plant.test" });
  const tried = async (body: object) => {
    const before = services.sign_in.hashed;
    const { status, data } = await browser().signIn({ password: "wrong horse battery", ...body });
    return [status, data.detail, services.sign_in.hashed - before];
  };
  const known = await tried({ email });
  deepEqual([known[0], known[2]], [401, 1]);
  deepEqual(await tried({ email: "nobody@plant.test" }), known);
  deepEqual(await tried({ email: "bare@plant.test" }), known, "no password");
  deepEqual(await tried({ email, organization: "none" }), known);
  deepEqual(await tried({ email: user_id }), known, "an id is no address");
  await admin("DELETE", `/admin/v1/users/${user_id}`);
  deepEqual(await tried({ email }), known, "disabled");
  deepEqual(await tried({ email, password: good }), known);
  await close();
});

Deno.test("an account is tried so often in vain, and again after a while", async () => {
  const { signedIn, browser, services, clock, close } = await openSessions();
  await signedIn({ password: true });
  const trial = (password: string, of = email) =>
    browser().signIn({ email: of, password }, { peer: `10.0.0.${trials++}` });
  let trials = 0;
  const wrong = Array.from({ length: failures_per_account }, () => trial("wrong horse battery"));
  const statuses = (await Promise.all(wrong)).map(({ status }) => status);
  ok(statuses.every((status) => status === 401 || status === 503), `${statuses}`);
  // Those for whom there was no room did not fail: they may be tried again.
  for (let left = statuses.filter((status) => status === 503).length; left > 0; left--) {
    equal((await trial("wrong horse battery", email.toUpperCase())).status, 401);
  }
  const before = services.sign_in.hashed;
  const refused = await trial(good);
  equal(refused.status, 429);
  equal(refused.response.headers.get("retry-after"), `${failures_ms / 1e3 / failures_per_account}`);
  equal(services.sign_in.hashed, before, "a refusal works out nothing");
  equal((await trial(good, "other@plant.test")).status, 401);
  clock.step(-400 * 86_400_000);
  clock.advance(failures_ms / failures_per_account);
  equal((await trial(good)).status, 201);
  equal((await trial(good)).status, 201, "what does not fail is not counted");
  await close();
});

Deno.test("an address is tried so often in vain, whatever it tries", async () => {
  const { browser, linkCode, close } = await openSessions();
  const link = await linkCode();
  const from = (peer: string) => ({ peer });
  for (let i = 0; i < failures_per_address; i++) {
    const body = i % 2 ? { token: `wk_${i}` } : { link: `${i}` };
    equal((await browser().signIn(body, from(`2001:db8::${i}`))).status, 401);
  }
  equal((await browser().signIn({ link }, from("2001:db8::ffff"))).status, 429);
  equal((await browser().signIn({ link }, from("2001:db8:0:1::1"))).status, 201);
  await close();
});

Deno.test("only a browser of this machine is signed in as the demo's user", async () => {
  const { browser, services, user_id, ask, close } = await openSessions();
  const sign = async (peer: string, headers: Record<string, string> = {}) =>
    (await browser().signIn({ demo: true }, { peer, headers })).status;
  equal(await sign("127.0.0.1"), 403, "no demo");
  services.sign_in.demo_user_id = user_id;
  for (const peer of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
    equal(await sign(peer), 201, peer);
  }
  for (const peer of ["192.168.1.7", "198.51.100.7", "::", "fe80::1"]) {
    equal(await sign(peer), 403, peer);
  }
  equal(await sign("127.0.0.1", { "x-forwarded-for": "127.0.0.1" }), 403);
  equal(await sign("127.0.0.1", { forwarded: "for=127.0.0.1" }), 403);
  for (const host of ["evil.test", "localhost.evil.test", "192.168.1.7", "127.0.0.1.evil.test"]) {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", body: '{"demo":true}', headers };
    equal((await ask(`http://${host}${path}`, init, "127.0.0.1")).status, 403, host);
  }
  const ways = async (peer: string) => (await browser().call("GET", `${path}/ways`, { peer })).data;
  const all = { token: true, password: true, oidc: null, passkey: false };
  deepEqual(await ways("127.0.0.1"), { ...all, demo: true });
  deepEqual(await ways("192.168.1.7"), { ...all, demo: false });
  await close();
});

Deno.test("a password's hash has its parameters, and is another each time", async () => {
  const salt = new Uint8Array(16).fill(1);
  const hash = await passwordHash(good, salt);
  match(hash, /^\$scrypt\$ln=15,r=8,p=3\$AQEBAQEBAQEBAQEBAQEBAQ==\$[\w+/]{43}=$/);
  deepEqual([await isPassword(good, hash), await isPassword(`${good}!`, hash)], [true, false]);
  // RFC 7914, section 12, with N 1024, r 8, p 16: the first half of its key.
  const key = Uint8Array.fromHex(
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162",
  ).toBase64();
  const nacl = new TextEncoder().encode("NaCl").toBase64();
  equal(await isPassword("password", `$scrypt$ln=10,r=8,p=16$${nacl}$${key}`), true);
  equal(await isPassword("e\u0301", await passwordHash("\u00e9", salt)), true);
});
