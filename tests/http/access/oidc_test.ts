// Signing in with OpenID Connect, against a provider that runs here.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { anna, Browser, openSessions } from "./session_help.ts";

const path = "/platform/v1/session/oidc";
const secret = "a secret of the provider";
const own_callback = /^http:\/\/127\.0\.0\.1:\d+\/platform\/v1\/session\/oidc\/callback$/;

/** Certified software, with its own pages for signing in: any name is taken, without a password. */
async function openProvider() {
  const server = createServer((request, response) => provider.callback()(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "wattkeeper",
      client_secret: secret,
      redirect_uris: [`http://localhost${path}/callback`],
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: !id.startsWith("unverified") }),
    }),
  });
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { issuer, close };
}

async function opened(oidc_client_secret = secret) {
  const provider = await openProvider();
  const asked: string[] = [];
  const service = await openSessions({
    settings: { oidc_issuer: provider.issuer, oidc_client_secret, oidc_name: "Plant login" },
    request: (request) => {
      asked.push(new URL(request.url).pathname);
      return fetch(request);
    },
  });
  const close = async () => {
    await service.close();
    await provider.close();
  };
  return { ...service, asked, close };
}

/** Follows a browser through the provider's pages; gives the address that it is sent back to. */
async function throughProvider(from: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = from;
  let body: URLSearchParams | undefined;
  for (let step = 0; step < 12; step++) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
    const method = body ? "POST" : "GET";
    const page = await fetch(at, { redirect: "manual", method, body, headers: { cookie } });
    for (const line of page.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name, value);
    }
    const text = await page.text();
    const to = page.headers.get("location") ?? /action="([^"]+)"/.exec(text)![1];
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
    body = prompt === undefined ? undefined : new URLSearchParams({ prompt, login, password: "x" });
    at = new URL(to, at).href;
    if (at.startsWith("http://localhost/")) return new URL(at);
  }
  throw new Error(`the provider does not end: ${at}`);
}

async function begin(browser: Browser): Promise<string> {
  const { status, response } = await browser.call("GET", path);
  equal(status, 302);
  const [cookie] = response.headers.getSetCookie();
  match(cookie, /^wk_oidc=[\w.-]{131}; HttpOnly; Path=\/; SameSite=Lax; Max-Age=600$/);
  return response.headers.get("location")!;
}

const navigation = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

async function arrive(browser: Browser, url: URL) {
  const address = url.pathname + url.search;
  const { status, text, response } = await browser.call("GET", address, { headers: navigation });
  return { status, text, location: response.headers.get("location") };
}

Deno.test("a provider signs in the user whose verified address it tells, once", async () => {
  const { browser, asked, close } = await opened();
  const mine = browser();
  deepEqual((await mine.call("GET", "/platform/v1/session/ways")).data.oidc, {
    name: "Plant login",
  });
  equal(asked.length, 0, "it is asked when it is needed");
  const there = await begin(mine);
  match(there, /code_challenge_method=S256/);
  const { response } = await browser().call("GET", `http://evil.test${path}`);
  match(new URL(response.headers.get("location")!).searchParams.get("redirect_uri")!, own_callback);
  const back = await throughProvider(there, "anna@PLANT.test");
  const secrets = mine.cookies.get("wk_oidc")!;
  const { status, location } = await arrive(mine, back);
  deepEqual([status, location, mine.cookies.has("wk_oidc")], [303, "/", false]);
  const { data } = await mine.call("GET", "/platform/v1/session");
  deepEqual([data.via, data.user.email, data.scopes], ["oidc", anna.email, ["read"]]);
  ok(asked.includes("/jwks") && asked.includes("/token"), `${asked}`);
  const again = browser();
  again.cookies.set("wk_oidc", secrets);
  equal((await arrive(again, back)).status, 403, "the code is used");
  await close();
});

Deno.test("who is unknown, unverified or without scopes gets a page, and no session", async () => {
  const { browser, admin, user_id, services, close } = await opened();
  const arriveAs = async (login: string) => {
    const mine = browser();
    return await arrive(mine, await throughProvider(await begin(mine), login));
  };
  await admin("POST", "/admin/v1/users", {
    ...{ email: "unverified@plant.test", first_name: "U", last_name: "V", scopes: ["read"] },
    organization: "o",
  });
  for (const login of ["nobody@plant.test", "unverified@plant.test", user_id]) {
    const { status, text } = await arriveAs(login);
    deepEqual([status, /Not signed in/.test(text), text.includes(login)], [403, true, false]);
  }
  await admin("PUT", `/admin/v1/users/${user_id}`, anna);
  equal((await arriveAs(anna.email)).status, 403);
  equal(services.sign_in.sessions.list().length, 0);
  await close();
});

Deno.test("an answer for another browser, or changed on its way, signs nobody in", async () => {
  const { browser, close } = await opened();
  const [mine, victim, stranger] = [browser(), browser(), browser()];
  const back = await throughProvider(await begin(mine), anna.email);
  await begin(victim);
  equal((await arrive(stranger, back)).status, 403, "no cookie");
  equal((await arrive(victim, back)).status, 403, "another state");
  const parts = mine.cookies.get("wk_oidc")!.split(".");
  for (const i of [0, 1, 2]) {
    const changed = browser();
    const next = await throughProvider(await begin(changed), anna.email);
    const own = changed.cookies.get("wk_oidc")!.split(".");
    changed.cookies.set("wk_oidc", own.map((part, at) => at === i ? parts[i] : part).join("."));
    equal((await arrive(changed, next)).status, 403, ["state", "nonce", "verifier"][i]);
  }
  const denied = new URL(`http://localhost${path}/callback?error=access_denied&state=${parts[0]}`);
  equal((await arrive(mine, denied)).status, 403);
  await close();
});

Deno.test("a provider that is not there, or not configured, is said so", async () => {
  const wrong = await opened("another secret");
  const mine = wrong.browser();
  const back = await throughProvider(await begin(mine), anna.email);
  equal((await arrive(mine, back)).status, 403, "the provider refuses the secret");
  await wrong.close();
  const settings = { oidc_issuer: "http://127.0.0.1:9" };
  const request = () => Promise.reject(new TypeError("refused"));
  const lonely = await openSessions({ settings, request });
  equal(await lonely.browser().status(path), 503);
  await lonely.close();
  const plain = await openSessions();
  equal(await plain.browser().status(path), 501);
  equal(await plain.browser().status(`${path}/callback?code=x`), 403);
  await plain.close();
});
