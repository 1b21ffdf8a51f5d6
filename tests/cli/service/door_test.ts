// A real door: what it does with half a request, a stream, a stop and TLS, and behind a proxy.
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { Door, readCertificate, requirePlace } from "../../../src/cli/service/door.ts";
import { serve } from "../../../src/cli/service/serve.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { Connections } from "../../../src/engine/service/connections.ts";
import { service_limits } from "../../../src/engine/service/limits.ts";
import type { Answer, Service } from "../../../src/engine/service/service.ts";
import type { Settings } from "../../../src/model/setting.ts";
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
  throws(() => requirePlace({ host: "192.0.2.9", port: 0 }), {
    message: /192\.0\.2\.9, which the setting host/,
  });
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

Deno.test("serve reads a certificate again, and has the metrics where they are told", async () => {
  const [old, next] = [await makeCertificate(), await makeCertificate()];
  if (!old || !next) return;
  const { effects, clock } = fakeEffects();
  const connections = new Connections({ effects, settings: { trusted_proxies: "none" } });
  const said: string[] = [];
  const tell = (text: string) => void said.push(text);
  const log = { info: tell, warning: tell, error: tell };
  const service = {
    parts: { log, connections },
    fetch: () => Promise.resolve(new Response("safe")),
    fetchMetrics: () => Promise.resolve(new Response("figures")),
    announce: () => {},
    refuse: () => {},
    close: () => Promise.resolve(),
    invalid: new Promise<void>(() => {}),
  } as unknown as Service;
  const stop = new AbortController();
  const ready = Promise.withResolvers<string>();
  const metrics_port = freePort();
  const settings = {
    ...{ host, port: 0, metrics: `${host}:${metrics_port}`, tls_cert: old.tls_cert },
    ...{ tls_key: old.tls_key, public_url: "none", stop_notice_ms: 0, stop_grace_ms: 0 },
  } as Settings;
  const end = serve(service, { settings, effects, onReady: ready.resolve, signal: stop.signal });
  const { port } = new URL(await ready.promise);
  const ask = async (cert: string, path = "") => {
    using client = Deno.createHttpClient({ caCerts: [cert] });
    return await (await fetch(`https://localhost:${port}${path}`, { client })).text();
  };
  equal(await ask(old.cert), "safe");
  equal(await (await fetch(`http://${host}:${metrics_port}/metrics`)).text(), "figures");
  for (const half of [next.tls_cert, next.tls_key]) {
    await Deno.copyFile(half, half === next.tls_cert ? old.tls_cert : old.tls_key);
    clock.advance(service_limits.certificate_look_ms);
    if (half === next.tls_cert) equal(await ask(old.cert), "safe", "half a change is not used");
  }
  while (!said.includes("the certificate is renewed")) {
    clock.advance(service_limits.certificate_look_ms);
    await ask(next.cert).catch(() => {});
  }
  equal(await ask(next.cert), "safe");
  await rejects(ask(old.cert));
  stop.abort();
  clock.advance(service_limits.certificate_look_ms);
  equal(await end, 0);
});

function freePort(): number {
  using listener = Deno.listen({ hostname: host, port: 0 });
  return listener.addr.port;
}

/** Whether a client that knows this version of TLS alone is taken. */
async function speaks({ port }: Door, version: string): Promise<boolean> {
  const where = `s_client -connect ${host}:${port} -tls${version} -cipher DEFAULT@SECLEVEL=0`;
  const options = { args: where.split(" "), stdin: "null", stdout: "null" } as const;
  return (await new Deno.Command("openssl", { ...options, stderr: "null" }).output()).success;
}
