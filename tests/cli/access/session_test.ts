// `user link` and `session`: on a data directory that no service holds, and beside one that runs.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { runProgram, type Server, startServer } from "../../help/process.ts";

const example = new URL("../../../data/example.site.toml", import.meta.url).pathname;
const person = ["--email", "anna@plant.test", "--first-name", "Anna", "--last-name", "Ruiz"];

async function opened() {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const here = async (...args: string[]) => {
    const { code, out, err } = await runProgram([...args, "--data-dir", data_dir]);
    equal(code, 0, err);
    return out.trim();
  };
  await here("site", "apply", example);
  const add = ["user", "add", ...person, "--organization", "example", "--scope", "read", "operate"];
  return { data_dir, here, user_id: await here(...add) };
}

async function signIn(address: string, link: string) {
  const response = await fetch(`${address}/platform/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link: link.split("/#link=")[1] }),
  });
  const { name } = await response.json();
  const [cookie = ""] = response.headers.getSetCookie();
  return { status: response.status, name, cookie: cookie.split(";")[0] };
}

Deno.test("the first start prints a link; no log has a secret", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const server = await startServer(data_dir, { args: ["--log-level", "debug"] });
  const mine = await untilSaid(server, /Sign in within 15 minutes, once: (\S+)/)
    .then((link) => signIn(server.address, link));
  deepEqual([mine.status, mine.name], [201, "first administrator"]);
  const headers = { cookie: mine.cookie };
  const users = await fetch(`${server.address}/admin/v1/users`, { headers });
  deepEqual(await users.json(), { users: [] });
  equal(await server.end("SIGTERM"), 0);
  const [, secret] = mine.cookie.split("=");
  const log = server.said().split("\n").filter((line) => line.startsWith("{")).join("\n");
  match(log, /session_post|\/platform\/v1\/session 201/);
  for (const text of [secret, server.token!, "#link"]) ok(!log.includes(text), text);
  const again = await startServer(data_dir);
  equal(await again.end("SIGTERM"), 0);
  ok(!again.said().includes("#link"));
});

/** What a server says that it has not said when it begins to listen. */
async function untilSaid(server: Server, form: RegExp): Promise<string> {
  for (;;) {
    const found = form.exec(server.said())?.[1];
    if (found) return found;
    await (await fetch(`${server.address}/healthz`)).body?.cancel();
  }
}

Deno.test("a link made without a service signs in later, sessions stay", async () => {
  const { data_dir, here } = await opened();
  const link = await here("user", "link", "ANNA@plant.test", "--port", "8499");
  match(link, /^http:\/\/127\.0\.0\.1:8499\/#link=[\w-]{43}$/);
  const server = await startServer(data_dir);
  const mine = await signIn(server.address, link);
  deepEqual([mine.status, mine.name], [201, "Anna Ruiz"]);
  equal((await signIn(server.address, link)).status, 401);
  equal(await server.end("SIGTERM"), 0);
  const [line, ...more] = (await here("session", "list")).split("\n");
  match(line, /^\S+ {2}Anna Ruiz {2}link {2}127\.0\.0\.1 {2}used .* {2}expires /);
  equal(more.length, 0);
  const again = await startServer(data_dir);
  const status = async () => {
    const headers = { cookie: mine.cookie };
    const response = await fetch(`${again.address}/platform/v1/session`, { headers });
    await response.body?.cancel();
    return response.status;
  };
  equal(await status(), 200);
  equal(await again.end("SIGTERM"), 0);
  await here("session", "revoke", line.split(" ")[0]);
  equal(await here("session", "list"), "");
});

Deno.test("beside a running service links and sessions go through its interface", async () => {
  const data_dir = `${await Deno.makeTempDir()}/data`;
  const server = await startServer(data_dir);
  const remote = ["--url", server.address, "--token", server.token!];
  const there = async (...args: string[]) => {
    const { code, out, err } = await runProgram([...args, ...remote]);
    return { code, out: out.trim(), err };
  };
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/toml",
  };
  const put = await fetch(`${server.address}/admin/v1/sites/la-mancha-1`, {
    method: "PUT",
    headers,
    body: await Deno.readTextFile(example),
  });
  equal(put.status, 200, await put.text());
  const post = await fetch(`${server.address}/admin/v1/users`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ email: "anna@plant.test", first_name: "Anna", last_name: "Ruiz" },
      ...{ organization: "example", scopes: ["read"] },
    }),
  });
  equal(post.status, 201, await post.text());
  const { out: link, err } = await there("user", "link", "anna@plant.test");
  ok(link.startsWith(`${server.address}/#link=`), err);
  const mine = await signIn(server.address, link);
  equal(mine.status, 201);
  match((await there("session", "list")).out, /Anna Ruiz {2}link/);
  const unknown = await there("user", "link", "nobody@plant.test");
  deepEqual([unknown.code, unknown.err.includes("nobody@")], [1, false]);
  const id = (await there("session", "list")).out.split(" ")[0];
  equal((await there("session", "revoke", id)).out, `session ${id} is revoked`);
  equal((await there("session", "revoke", id)).code, 1);
  equal(await server.end("SIGTERM"), 0);
});
