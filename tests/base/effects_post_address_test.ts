// Where posts go: names are resolved once, every address is vetted, sockets get the vetted one.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type Post, type Resolve, systemPost } from "../../src/base/effects_post.ts";
import { addressRefusal, parseNetworks } from "../../src/model/webhooks/address.ts";
import { answering, hang, readRequest, receive, socketTest, write } from "../help/receiver.ts";

const ok_answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** A world where 127.0.0.2 and up may be called, and 127.0.0.1 may not. */
const allowed = parseNetworks("127.0.0.2/31,127.0.0.4/30");

function postOf(url: string, more: Partial<Post> = {}): Post {
  return {
    url: new URL(url),
    headers: {},
    body: new TextEncoder().encode("{}"),
    timeout_ms: 10_000,
    refuse: (address) => addressRefusal(address, allowed),
    signal: new AbortController().signal,
    ...more,
  };
}

/** A resolver that gives one answer after the other, and what it was asked. */
function resolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: Resolve = (name) => Promise.resolve(answers[asked.push(name) - 1] ?? []);
  return { asked, resolve };
}

socketTest("a refused literal is never connected to", async () => {
  const receiver = receive(answering(ok_answer));
  for (const host of ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "127.1"]) {
    const posted = await systemPost()(postOf(`http://${host}:${receiver.port}/`));
    equal(posted.status, null);
    match(posted.error!, /is not global: loopback/);
    ok(posted.address);
  }
  equal(receiver.accepted(), 0);
  receiver.close();
});

socketTest("a name that leads home is never connected to", async () => {
  const receiver = receive(answering(ok_answer));
  const posted = await systemPost()(postOf(`http://localhost:${receiver.port}/`));
  match(posted.error!, /is not global: loopback/);
  equal(receiver.accepted(), 0);
  receiver.close();
});

socketTest("a resolver that changes its mind is asked once, and its word is kept", async () => {
  const good = receive(answering(ok_answer), { hostname: "127.0.0.2" });
  const bad = receive(answering(ok_answer), { port: good.port });
  const { asked, resolve } = resolver(["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2"]);
  const post = systemPost({ resolve });
  const url = `http://hooks.example:${good.port}/`;
  const first = await post(postOf(url));
  deepEqual([first.status, first.address, asked], [200, "127.0.0.2", ["hooks.example"]]);
  const second = await post(postOf(url));
  equal(second.error, "127.0.0.1 is not global: loopback");
  equal((await post(postOf(url))).status, 200);
  equal(asked.length, 3);
  equal(bad.accepted(), 0);
  good.close();
  bad.close();
});

socketTest("a name with one bad address among good ones is refused", async () => {
  const good = receive(answering(ok_answer), { hostname: "127.0.0.2" });
  const { resolve } = resolver(["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.2"]);
  const post = systemPost({ resolve });
  for (let i = 0; i < 2; i++) {
    const posted = await post(postOf(`http://hooks.example:${good.port}/`));
    equal(posted.error, "127.0.0.1 is not global: loopback");
  }
  equal(good.accepted(), 0);
  good.close();
});

socketTest("where one address can't be reached, the next one is tried", async () => {
  const good = receive(answering(ok_answer), { hostname: "127.0.0.3" });
  const { resolve } = resolver(["127.0.0.2", "127.0.0.3"]);
  const posted = await systemPost({ resolve })(postOf(`http://hooks.example:${good.port}/`));
  deepEqual([posted.status, posted.address], [200, "127.0.0.3"]);
  good.close();
});

socketTest("the receiver is told its name, not its address", async () => {
  let request: string | null = "";
  const receiver = receive(async (connection) => {
    request = await readRequest(connection);
    await write(connection, ok_answer);
  }, { hostname: "127.0.0.2" });
  const { resolve } = resolver(["127.0.0.2"]);
  await systemPost({ resolve })(postOf(`http://hooks.example:${receiver.port}/`));
  match(request!, new RegExp(`\r\nhost: hooks\\.example:${receiver.port}\r\n`));
  receiver.close();
});

socketTest("a resolver that hangs is left at the deadline; one that fails says so", async () => {
  const hanging = systemPost({ resolve: () => new Promise(() => {}) });
  const late = await hanging(postOf("http://hooks.example/", { timeout_ms: 50 }));
  deepEqual([late.is_timeout, late.address], [true, null]);
  const unknown = await systemPost()(postOf("http://hooks.invalid/"));
  match(unknown.error!, /the name (is unknown|could not be resolved)/);
  const { resolve } = resolver([]);
  const empty = await systemPost({ resolve })(postOf("http://hooks.example/"));
  equal(empty.error, "the name has no address");
});

socketTest("TLS checks the certificate by the name, at the vetted address", async () => {
  const pem = (name: string) => Deno.readTextFileSync(`tests/data/tls/${name}.pem`);
  const [cert, key] = [pem("cert"), pem("key")];
  const stop = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.2", port: 0, cert, key, signal: stop.signal, onListen: () => {} },
    () => new Response("safe"),
  );
  const { port } = server.addr;
  const resolve: Resolve = () => Promise.resolve(["127.0.0.2"]);
  const trusting = systemPost({ resolve, ca: cert });
  const posted = await trusting(postOf(`https://hooks.example:${port}/`));
  deepEqual([posted.error, posted.status, posted.answer], [null, 200, "safe"]);
  const other = await trusting(postOf(`https://other.example:${port}/`));
  equal(other.status, null);
  ok(other.error);
  const strict = await systemPost({ resolve })(postOf(`https://hooks.example:${port}/`));
  equal(strict.status, null);
  ok(strict.error);
  stop.abort();
  await server.finished;
});

socketTest("plain text where TLS is spoken fails at once", async () => {
  const greeting = (connection: Deno.TcpConn) => write(connection, ok_answer);
  const receiver = receive(greeting, { hostname: "127.0.0.2" });
  const posted = await systemPost()(postOf(`https://${receiver.address}/`, { timeout_ms: 5_000 }));
  equal([posted.status, posted.is_timeout].join(), ",false");
  receiver.close();
  const silent = receive(hang, { hostname: "127.0.0.2" });
  const late = await systemPost()(postOf(`https://${silent.address}/`, { timeout_ms: 200 }));
  ok(late.is_timeout);
  silent.close();
});
