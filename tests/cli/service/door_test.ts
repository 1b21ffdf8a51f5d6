// A real door: what it does with half a request, a stream, a stop and TLS, and behind a proxy.
import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import { Door, readCertificate, requirePlace } from "../../../src/cli/service/door.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Connections } from "../../../src/engine/service/connections.ts";
import { service_limits } from "../../../src/engine/service/limits.ts";
import type { Answer } from "../../../src/engine/service/service.ts";
import { fakeEffects } from "../../help/effects.ts";

const host = "127.0.0.1";

function openDoor(answer: Answer, certificate?: Awaited<ReturnType<typeof readCertificate>>) {
  const { effects, clock } = fakeEffects();
  const connections = new Connections({ effects, settings: { trusted_proxies: "none" } });
  const inside = { answer, connections, effects, log: silent_log };
  const door = Door.open({ host, port: 0, certificate }, inside);
  const origin = `http${certificate ? "s" : ""}://localhost:${door.port}`;
  return { door, connections, clock, origin };
}

/** A certificate for localhost; undefined on a machine that can't make one. */
async function makeCertificate() {
  const folder = await Deno.makeTempDir();
  const [tls_cert, tls_key] = [`${folder}/cert.pem`, `${folder}/key.pem`];
  const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 " +
    "-subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=CA:FALSE " +
    `-keyout ${tls_key} -out ${tls_cert}`;
  try {
    const options = { args: words.split(" "), stderr: "null" } as const;
    await new Deno.Command("openssl", options).output();
  } catch {
    Deno.stderr.writeSync(utf8("SKIPPED: there is no openssl to make a certificate with\n"));
    return undefined;
  }
  return { tls_cert, tls_key, ...(await readCertificate({ tls_cert, tls_key }))! };
}

const utf8 = (text: string) => new TextEncoder().encode(text);

Deno.test("half a request is cut, an answered one rests, a stream that goes on stays", async () => {
  const gone = Promise.withResolvers<void>();
  const { door, connections, clock, origin } = openDoor((request) => {
    if (!request.url.endsWith("/stream")) return Promise.resolve(new Response("done"));
    const cancel = () => gone.resolve();
    return Promise.resolve(
      new Response(
        new ReadableStream({ start: (controller) => controller.enqueue(utf8("piece")), cancel }),
      ),
    );
  });
  using half = await Deno.connect({ hostname: host, port: door.port });
  await half.write(utf8("GET / HTTP/1.1\r\nhost: x\r\nx-half: "));
  const stream = await Deno.connect({ hostname: host, port: door.port });
  await stream.write(utf8("GET /stream HTTP/1.1\r\nhost: x\r\n\r\n"));
  const buffer = new Uint8Array(4096);
  ok(await stream.read(buffer));
  equal(await (await fetch(origin)).text(), "done");
  clock.advance(2 * service_limits.idle_ms);
  connections.sweep();
  equal(await half.read(buffer).catch(() => null), null);
  equal(connections.counts.open, 1);
  const closed = door.close(1000);
  stream.close();
  await gone.promise;
  await closed;
});

Deno.test("a door says where it can't listen, and what is no certificate", async () => {
  const { door } = openDoor(() => Promise.resolve(new Response()));
  throws(() => requirePlace({ host, port: door.port }), { code: "conflict", message: /in use/ });
  throws(() => requirePlace({ host: "192.0.2.9", port: 0 }), { message: /setting host/ });
  const wrong = { tls_cert: "no-such-file", tls_key: "none" };
  const flaw = await readCertificate(wrong).catch((error) => error.message);
  match(flaw, /set together/);
  await door.close(0);
});

Deno.test("by TLS a renewed certificate is for new connections, and 1.1 is refused", async () => {
  const [old, next] = [await makeCertificate(), await makeCertificate()];
  if (!old || !next) return;
  const { door, origin } = openDoor(() => Promise.resolve(new Response("safe")), old);
  const client = (cert: string) => Deno.createHttpClient({ caCerts: [cert] });
  using before = client(old.cert);
  using after = client(next.cert);
  equal(await (await fetch(origin, { client: before })).text(), "safe");
  door.renew(next);
  equal(await (await fetch(origin, { client: after })).text(), "safe");
  // The connection from before goes on.
  equal(await (await fetch(origin, { client: before })).text(), "safe");
  deepEqual(await Promise.all(["1", "1_1", "1_2", "1_3"].map((it) => speaks(door, it))), [
    ...[false, false],
    ...[true, true],
  ]);
  await door.close(1000);
});

/** Whether a client that knows this version of TLS alone is taken. */
async function speaks({ port }: Door, version: string): Promise<boolean> {
  const where = `s_client -connect ${host}:${port} -tls${version} -cipher DEFAULT@SECLEVEL=0`;
  const options = { args: where.split(" "), stdin: "null", stdout: "null" } as const;
  return (await new Deno.Command("openssl", { ...options, stderr: "null" }).output()).success;
}
