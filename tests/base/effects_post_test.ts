// Posts to receivers on real sockets: each ends at its deadline, with no descriptor left.
import { equal, match, ok } from "node:assert/strict";
import { type Post, type Posted, systemPost } from "../../src/base/effects_post.ts";
import { addressRefusal, parseNetworks } from "../../src/model/webhooks/address.ts";
import {
  answering,
  type Behaviour,
  closes_early,
  countClients,
  hang,
  readRequest,
  receive,
  socketTest,
  write,
} from "../help/receiver.ts";

const loopback = parseNetworks("127.0.0.0/8");
const ok_answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/** Enough for a machine that is busy; what hangs takes as long. */
const timeout_ms = 400;
const never = new AbortController().signal;

function postOf(url: string, more: Partial<Post> = {}): Post {
  return {
    url: new URL(url),
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode('{"a":1}'),
    timeout_ms: 10_000,
    refuse: (address) => addressRefusal(address, loopback),
    signal: never,
    ...more,
  };
}

/** Posts once to a receiver that behaves so; the deadline holds, and no socket is left. */
async function postTo(behaviour: Behaviour, more: Partial<Post> = {}): Promise<Posted> {
  const receiver = receive(behaviour);
  const from = performance.now();
  const posted = await systemPost()(postOf(`http://${receiver.address}/hook?x=1`, more));
  const took_ms = performance.now() - from;
  ok(took_ms < (more.timeout_ms ?? 10_000) + 5_000, `took ${took_ms} ms`);
  equal(posted.address, "127.0.0.1");
  if (posted.status === null) await left(receiver);
  receiver.close();
  return posted;
}

/** Waits until no socket leads to a receiver: closing one takes the system a moment. */
async function left({ port }: { readonly port: number }): Promise<void> {
  for (let turn = 0; turn < 1_000 && countClients(port) > 0; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  equal(countClients(port), 0, "a socket is left");
}

socketTest(
  "a post arrives with its headers and bytes, and the answer's start comes back",
  async () => {
    let request: string | null = null;
    const posted = await postTo(async (connection) => {
      request = await readRequest(connection);
      await write(connection, ok_answer);
    });
    match(request!, /^POST \/hook\?x=1 HTTP\/1\.1\r\n/);
    match(request!, /host: 127\.0\.0\.1:\d+\r\n/);
    match(request!, /content-length: 7\r\n/);
    match(request!, /\{"a":1\}$/);
    equal(posted.status, 200);
    equal(posted.answer, "ok");
    equal(posted.error, null);
  },
);

socketTest("a receiver that hangs is left at the deadline", async () => {
  const posted = await postTo(hang, { timeout_ms });
  equal(posted.status, null);
  ok(posted.is_timeout);
  equal(posted.error, "no answer within 0.4 s");
});

socketTest("a receiver that drips a byte at a time is left at the deadline", async () => {
  const posted = await postTo(async (connection) => {
    await readRequest(connection);
    for (const byte of `HTTP/1.1 200 OK\r\nx: ${"a".repeat(1000)}`) {
      await write(connection, byte);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, { timeout_ms });
  ok(posted.is_timeout);
});

socketTest("a receiver that resets, or closes without a word, has failed at once", async () => {
  const reset = await postTo(async (connection) => {
    await readRequest(connection);
  });
  equal(reset.status, null);
  equal(reset.is_timeout, false);
  match(reset.error!, /connection (broke|was reset)/);
});

socketTest("a port where nobody listens is refused", async () => {
  const posted = await systemPost()(postOf("http://127.0.0.1:1/"));
  equal(posted.error, "the connection was refused");
});

socketTest("redirects are not followed", async () => {
  const target = receive(answering(ok_answer));
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `location: http://${target.address}/`;
    const posted = await postTo(
      answering(`HTTP/1.1 ${status} Moved\r\n${location}\r\ncontent-length: 0\r\n\r\n`),
    );
    equal(posted.status, status);
  }
  equal(target.accepted(), 0);
  target.close();
});

socketTest("the status and Retry-After come back as they are", async () => {
  const gone = await postTo(answering("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n"));
  equal(gone.status, 410);
  const busy = await postTo(
    answering("HTTP/1.1 429 Slow\r\nRetry-After: 120\r\ncontent-length: 4\r\n\r\nbusy"),
  );
  equal(busy.status, 429);
  equal(busy.retry_after, "120");
  equal(busy.answer, "busy");
});

socketTest("garbage is no answer", async () => {
  for (
    const answer of ["\x00\x01\x02\x03garbage\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/9.9 x\r\n"]
  ) {
    const posted = await postTo(answering(answer), { timeout_ms });
    equal(posted.status, null);
    ok(posted.error);
  }
});

socketTest("two megabytes of headers are cut short", async () => {
  const posted = await postTo(async (connection) => {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 200 OK\r\n");
    const line = `x: ${"a".repeat(1000)}\r\n`;
    for (let i = 0; i < 2048; i++) await write(connection, line);
    await write(connection, "\r\n");
  });
  equal(posted.status, null);
  equal(posted.error, "the answer's headers are too large");
});

socketTest("of an endless body 16 KiB are read", async () => {
  const posted = await postTo(async (connection) => {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n");
    for (;;) await write(connection, "x".repeat(1000));
  });
  equal(posted.status, 200);
  equal(posted.answer.length, 16 * 1024);
});

socketTest("a body that never ends after a good head counts by its head", async () => {
  const posted = await postTo(async (connection) => {
    await readRequest(connection);
    await write(
      connection,
      "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n",
    );
    await hang(connection);
  }, { timeout_ms });
  equal(posted.status, 202);
  equal(posted.is_timeout, false);
  equal(posted.answer, "a");
});

socketTest("a TLS handshake that hangs is left at the deadline", async () => {
  const receiver = receive(hang);
  const posted = await systemPost()(postOf(`https://${receiver.address}/`, { timeout_ms }));
  ok(posted.is_timeout);
  if (closes_early) await left(receiver);
  receiver.close();
});

socketTest("a connection that nobody takes is left at the deadline", async () => {
  // The queue of a listener that never accepts is full at some time: further ones hang.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const { port } = listener.addr as Deno.NetAddr;
  const filling = await Promise.all(
    Array.from({ length: 8 }, () =>
      Promise.race([
        Deno.connect({ hostname: "127.0.0.1", port }),
        new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 50)),
      ])),
  );
  const posted = await systemPost()(postOf(`http://127.0.0.1:${port}/`, { timeout_ms }));
  ok(posted.is_timeout, posted.error!);
  if (closes_early) equal(countClients(port), filling.length);
  for (const connection of filling) connection?.close();
  listener.close();
});

socketTest("a caller that stops ends a post at once", async () => {
  const stop = new AbortController();
  const receiver = receive(hang);
  const posting = systemPost()(postOf(`http://${receiver.address}/`, { signal: stop.signal }));
  stop.abort();
  equal((await posting).status, null);
  await left(receiver);
  receiver.close();
});

socketTest("connections are used again while answers are whole, and closed when idle", async () => {
  const receiver = receive(answering(ok_answer));
  const post = systemPost();
  for (let i = 0; i < 20; i++) {
    equal((await post(postOf(`http://${receiver.address}/`))).status, 200);
  }
  equal(receiver.accepted(), 1);
  await left(receiver);
  receiver.close();
});

socketTest("a connection that the receiver closed meanwhile is no failure", async () => {
  const receiver = receive(async (connection) => {
    await readRequest(connection);
    await write(connection, ok_answer);
  });
  const post = systemPost();
  for (let i = 0; i < 20; i++) {
    equal((await post(postOf(`http://${receiver.address}/`))).status, 200);
  }
  equal(receiver.accepted(), 20);
  receiver.close();
});
