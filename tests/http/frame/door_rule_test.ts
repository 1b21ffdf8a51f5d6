// Tests what is refused at the frame's door: hosts, wrong tokens, a stop; and who sees the metrics.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { access_limits } from "../../../src/model/access/limits.ts";
import { testService } from "../../help/service.ts";

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const status_path = "/admin/v1/status";

Deno.test("a Host that is none gets 400 as every refusal does", async () => {
  const { ask, close } = await testService();
  for (const host of ["a b", "a/b", "a@b", "a#b", "[::", "", "a:b", "1.2.3.4, x"]) {
    const answer = await ask("/healthz", { headers: { host } });
    equal(answer.status, 400, host);
    equal(answer.headers.get("content-type"), "application/problem+json");
    ok(answer.headers.get("x-request-id"));
  }
  for (const host of ["plant.example:8480", "[2001:db8::1]:8480", "127.0.0.1", "x_y"]) {
    equal((await ask("/healthz", { headers: { host } })).status, 200, host);
  }
  await close();
});

Deno.test("what people copy never names a host that the request made up", async () => {
  const origins = async (public_url: string, asked: string) => {
    const { answer, close } = await testService({ settings: { public_url } });
    const page = await (await answer(new Request(`${asked}/docs/api/performance`))).text();
    await close();
    return [...new Set(page.match(/https?:\/\/[\w.-]+(:\d+)?(?=\/(platform|ingest|admin))/g))];
  };
  const own = "http://127.0.0.1:8480";
  deepEqual(await origins("none", "http://evil.example:80"), [own]);
  deepEqual(await origins("none", "http://203.0.113.5"), [own]);
  deepEqual(await origins("none", "http://test-host:9000"), ["http://test-host:9000"]);
  deepEqual(await origins("none", "http://127.0.0.1:9000"), ["http://127.0.0.1:9000"]);
  deepEqual(await origins("https://plant.example", "http://evil.example"), [
    "https://plant.example",
  ]);
});

Deno.test("wrong tokens of an address get 429 for a while, right ones are answered", async () => {
  const { ask, clock, token, close } = await testService();
  for (let i = 0; i < access_limits.wrong_tokens; i++) {
    equal((await ask(status_path, bearer("wrong"))).status, 401);
  }
  const refused = await ask(status_path, bearer("wrong"));
  equal(refused.status, 429);
  equal(refused.headers.get("retry-after"), "1");
  equal((await ask(status_path, bearer(token))).status, 200);
  equal((await ask(status_path, bearer("wrong"), "198.51.100.8")).status, 401);
  clock.advance(1000);
  equal((await ask(status_path, bearer("wrong"))).status, 401);
  await close();
});

Deno.test("a service that stops refuses all but what tells about it", async () => {
  const { ask, refuse, close } = await testService();
  refuse();
  for (const path of ["/readyz", "/docs", "/", "/platform/v1/session/ways", status_path]) {
    const answer = await ask(path);
    equal(answer.status, path === status_path ? 401 : 503, path);
    if (path !== status_path) ok(answer.headers.get("retry-after"));
  }
  for (const path of ["/healthz", "/metrics"]) equal((await ask(path)).status, 200, path);
  await close();
});

Deno.test("the metrics are for a token, or at their own address, where that is set", async () => {
  const behind = await testService({ settings: { metrics: "token" } });
  equal((await behind.ask("/metrics")).status, 401);
  match(await (await behind.fetch("/metrics")).text(), /wattkeeper_connections/);
  await behind.close();
  const apart = await testService({ settings: { metrics: "127.0.0.1:9480" } });
  equal((await apart.fetch("/metrics")).status, 404);
  equal((await apart.answerMetrics(new Request("http://localhost/metrics"))).status, 200);
  equal((await apart.answerMetrics(new Request("http://localhost/docs"))).status, 404);
  await apart.close();
});

Deno.test("HSTS and secure cookies go with a certificate or an address by https", async () => {
  for (const settings of [{ tls_cert: "x" }, { public_url: "https://plant.example" }, {}]) {
    const { ask, token, close } = await testService({ settings });
    const body = JSON.stringify({ token });
    const headers = { "content-type": "application/json" };
    const answer = await ask("/platform/v1/session", { method: "POST", body, headers });
    const isSecure = Object.keys(settings).length > 0;
    equal(answer.headers.get("strict-transport-security"), isSecure ? "max-age=31536000" : null);
    equal(/; Secure/.test(answer.headers.get("set-cookie")!), isSecure);
    await close();
  }
});
