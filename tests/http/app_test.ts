// Tests the frame: the order of checks, who may call what, bounds, errors as problem documents.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { request_limits } from "../../src/http/frame/limits.ts";
import { openFrame, testRoute } from "../help/frame.ts";

const project = "/test?project_id=project-1";

function bearer(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** The problem of an answer without its request id, which is its own each time. */
async function problemText(answer: Response): Promise<string> {
  const { instance, ...problem } = await answer.json();
  equal(instance, answer.headers.get("x-request-id"));
  equal(answer.headers.get("content-type"), "application/problem+json");
  return JSON.stringify(problem);
}

Deno.test("a request without a valid token gets 401, whatever else is wrong with it", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const headers = [
    "",
    "Bearer wrong",
    "Bearer ",
    "Basic !!!",
    `Basic ${btoa("no colon")}`,
    `Digest ${frame.admin}`,
  ];
  for (const authorization of headers) {
    const answer = await frame.fetch("/test?bogus=1", { headers: { authorization } });
    equal(answer.status, 401, authorization);
    match(answer.headers.get("www-authenticate")!, /^Bearer/);
    await problemText(answer);
  }
  const in_query = await frame.app.fetch(
    new Request(`http://localhost${project}&access_token=${frame.admin}`),
  );
  equal(in_query.status, 401);
  await in_query.body?.cancel();
  await frame.close();
});

Deno.test("a token is taken as bearer or as the password of HTTP Basic", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const basic = `Basic ${btoa(`anyone:${frame.admin}`)}`;
  for (const authorization of [`Bearer ${frame.admin}`, `bearer ${frame.admin}`, basic]) {
    const answer = await frame.fetch(project, { headers: { authorization } });
    equal(answer.status, 200);
    deepEqual(await answer.json(), { project_id: "project-1" });
  }
  await frame.close();
});

Deno.test("an unknown project and a foreign one get the same 403", async () => {
  const frame = await openFrame(() => [
    testRoute({}),
    testRoute({ name: "many", path: "/many", project: "project_ids", params: [] }),
  ]);
  const of_one = await frame.token({ organization_id: "org-a", project_ids: ["project-1"] });
  const of_a = await frame.token({ organization_id: "org-a" });
  const calls: [string, string][] = [
    ["/test?project_id=project-2", of_one],
    ["/test?project_id=project-3", of_a],
    ["/test?project_id=unknown", of_a],
    ["/test?project_id=unknown", frame.admin],
    ["/test?project_id=project-3&limit=x", of_a],
    ["/test?project_id=project-1&project_id=project-3", of_a],
    ["/many?project_ids=project-1&project_ids=project-3", of_a],
    ["/many?project_ids=project-1&project%5Fids=project-3", of_a],
  ];
  const texts = new Map<string, string>();
  for (const [path, token] of calls) {
    const answer = await frame.fetch(path, bearer(token));
    equal(answer.status, 403, path);
    const text = await problemText(answer);
    equal(texts.get(token) ?? text, text);
    texts.set(token, text);
  }
  match(texts.get(of_a)!, /reaches no such project; it reaches one, two"/);
  equal((await frame.fetch("/test?project_id=project-2", bearer(of_a))).status, 200);
  await frame.close();
});

Deno.test("a body that says to be too large is refused before the token is asked for", async () => {
  const body = { media_types: ["text/plain"], limit_bytes: 10, doc: "Text." };
  const frame = await openFrame(() => [
    testRoute({
      method: "POST",
      body,
      handle: async ({ request }) => new Response(await request.text()),
    }),
  ]);
  const post = (text: BodyInit, headers = {}) =>
    frame.fetch(project, { method: "POST", body: text, headers });
  const said = await post("x", { "content-length": "11", authorization: "" });
  equal(said.status, 413);
  await said.body?.cancel();
  equal(await (await post("0123456789")).text(), "0123456789");
  const grown = await post(
    ReadableStream.from(["012345", "67890"].map((t) => new TextEncoder().encode(t))),
  );
  equal(grown.status, 413);
  match(await problemText(grown), /at most 10 bytes/);
  await frame.close();
});

Deno.test("a body that does not arrive whole before the deadline gets 408", async () => {
  const frame = await openFrame(() => [
    testRoute({
      method: "POST",
      body: { media_types: ["text/plain"], limit_bytes: 10, doc: "Text." },
      handle: async ({ request }) => new Response(await request.text()),
    }),
  ]);
  const slow = new ReadableStream({ pull: () => new Promise(() => {}) });
  const answering = frame.fetch(project, { method: "POST", body: slow });
  // By the time that the database has answered another request, the first is reading its body.
  await frame.turn();
  frame.clock.advance(request_limits.body_deadline_ms);
  equal((await answering).status, 408);
  await frame.close();
});

Deno.test("an address over the limit is refused", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const answer = await frame.fetch(`${project}&x=${"y".repeat(request_limits.url_bytes)}`);
  equal(answer.status, 413);
  await problemText(answer);
  await frame.close();
});

Deno.test("an exception of ours is a 500 that says nothing of its inside", async () => {
  const frame = await openFrame(() => [
    testRoute({
      handle: () => {
        throw new Error("secret inside");
      },
    }),
  ]);
  const answer = await frame.fetch(project);
  equal(answer.status, 500);
  const text = await problemText(answer);
  ok(!text.includes("secret"), text);
  await frame.close();
});

Deno.test("an unknown path gets 404 with the nearest, another method 405 with Allow", async () => {
  const id = { name: "id", in: "path", kind: "text", required: true, doc: "Id." } as const;
  const frame = await openFrame(() => [
    testRoute({ path: "/platform/v1/signals" }),
    testRoute({ name: "removed", method: "DELETE", path: "/things/{id}", params: [id] }),
    testRoute({
      name: "fixed",
      path: "/things/events",
      params: [],
      handle: () => new Response("fixed"),
    }),
    testRoute({
      name: "one",
      path: "/things/{id}",
      params: [id],
    }),
  ]);
  const options = await frame.fetch("/things/events", { method: "OPTIONS" });
  equal(options.headers.get("allow"), "GET, HEAD, OPTIONS");
  const lost = await frame.fetch("/platform/v1/signal");
  equal(lost.status, 404);
  match(await problemText(lost), /\/platform\/v1\/signals\?/);
  const put = await frame.fetch("/platform/v1/signals", { method: "PUT" });
  equal(put.status, 405);
  equal(put.headers.get("allow"), "GET, HEAD, OPTIONS");
  await problemText(put);
  equal((await frame.fetch("/platform/v1/signals", { method: "OPTIONS" })).status, 204);
  equal(await (await frame.fetch("/things/events")).text(), "fixed");
  deepEqual(await (await frame.fetch("/things/a%2Fb%20c")).json(), { id: "a/b c" });
  await frame.close();
});

Deno.test("HEAD answers as GET does, without a body", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const answer = await frame.fetch(project, { method: "HEAD" });
  equal(answer.status, 200);
  equal(answer.headers.get("content-type"), "application/json");
  equal(await answer.text(), "");
  await frame.close();
});

Deno.test("every answer has a request id of its own and secure headers", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const answers = [await frame.fetch(project), await frame.fetch("/nowhere")];
  const ids = answers.map((answer) => answer.headers.get("x-request-id")!);
  notEqual(ids[0], ids[1]);
  for (const answer of answers) {
    match(answer.headers.get("x-request-id")!, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    equal(answer.headers.get("x-content-type-options"), "nosniff");
    await answer.body?.cancel();
  }
  await frame.close();
});
