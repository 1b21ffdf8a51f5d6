// Lines that are encrypted: who is trusted, and the words for those who are not.
import assert from "node:assert/strict";
import { LineFault, type LineTls, systemConnect } from "../../src/base/effects_line.ts";
import { makeCertificates } from "../help/certificate.ts";
import { hang, receive, socketTest } from "../help/receiver.ts";

const made = makeCertificates()!;
const encryptedTest: typeof socketTest = made ? socketTest : () => {};

/** What is said where no line is made; undefined where one is. */
async function refusal(
  port: number,
  { host = "localhost", tls = {} }: { readonly host?: string; readonly tls?: LineTls } = {},
): Promise<LineFault | undefined> {
  const { signal } = new AbortController();
  try {
    (await systemConnect({ host, port, tls, timeout_ms: 10_000, signal })).close();
  } catch (error) {
    assert.ok(error instanceof LineFault, String(error));
    return error;
  }
}

/** An encrypted server that says what it hears. */
function listenTls(name: "server" | "old" = "server") {
  const [cert, key] = [made[name], made.text(`${name}.key`)];
  const listener = Deno.listenTls({ hostname: "0.0.0.0", port: 0, cert, key });
  const sockets: Deno.TlsConn[] = [];
  const serving = (async () => {
    for await (const socket of listener) {
      sockets.push(socket);
      const room = new Uint8Array(100);
      socket.read(room).then((count) => count && socket.write(room.subarray(0, count)))
        .catch(() => {});
    }
  })().catch(() => {});
  const { port } = listener.addr as Deno.NetAddr;
  return {
    port,
    async close() {
      listener.close();
      for (const socket of sockets) {
        try {
          socket.close();
        } catch {
          // It has closed itself.
        }
      }
      await serving;
    },
  };
}

encryptedTest("an encrypted line carries bytes both ways, to one who is trusted", async () => {
  const server = listenTls();
  const { signal } = new AbortController();
  const place = { host: "localhost", port: server.port, timeout_ms: 10_000, signal };
  const line = await systemConnect({ ...place, tls: { ca: made.ca } });
  await line.send(new Uint8Array([1, 2, 3]));
  assert.deepEqual([...(await line.receive())!], [1, 2, 3]);
  line.close();
  await server.close();
});

const untrusted = [
  ["that nobody here has signed", "server", {}, "localhost", /signed by nobody who is known here/],
  [
    "signed by another authority",
    "server",
    { ca: made?.stranger },
    "localhost",
    /signed by nobody/,
  ],
  ["of another name", "server", { ca: made?.ca }, "127.0.0.2", /not for 127\.0\.0\.2/],
  ["that has expired", "old", { ca: made?.ca }, "localhost", /has expired/],
] as const;

for (const [what, name, tls, host, words] of untrusted) {
  encryptedTest(`a certificate ${what} is not trusted`, async () => {
    const server = listenTls(name);
    const found = await refusal(server.port, { host, tls });
    assert.equal(found?.kind, "untrusted");
    assert.match(found!.message, words);
    await server.close();
  });
}

socketTest("a server without TLS is told from one with it", async () => {
  const plain = receive(async (connection) => {
    await connection.read(new Uint8Array(1000));
    await connection.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
  });
  const found = await refusal(plain.port);
  assert.equal(found?.kind, "untrusted");
  assert.match(found!.message, /speaks no TLS at this port/);
  await plain.close();
});

socketTest("a server that never answers is left in time", async () => {
  const mute = receive(hang);
  const { signal } = new AbortController();
  const place = { host: "127.0.0.1", port: mute.port, timeout_ms: 50, signal };
  await assert.rejects(systemConnect({ ...place, tls: {} }), { kind: "timeout" });
  await mute.close();
});

encryptedTest("files that hold no certificate or not its key are named as such", async () => {
  const server = listenTls();
  const bad = await refusal(server.port, { tls: { ca: made.ca, cert: "none", key: "none" } });
  assert.match(bad!.message, /holds none in PEM/);
  await server.close();
});

encryptedTest("where nothing listens TLS says so too", async () => {
  const server = listenTls();
  await server.close();
  assert.equal((await refusal(server.port))?.kind, "refused");
});
