// Tests what machines ask of a service: does it live, does it take work, what has it done.
import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { request_limits } from "../../src/http/frame/limits.ts";
import { DuckError } from "../../src/store/duckdb/symbols.ts";
import { database_limits } from "../../src/store/limits.ts";
import { openFrame, testRoute } from "../help/frame.ts";
import { queryRows } from "../help/query.ts";

const project = "/test?project_id=project-1";

/** Leases every reader of the database until the function that it gives is called. */
function holdReaders({ database }: Awaited<ReturnType<typeof openFrame>>): () => Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Array.from({ length: database_limits.readers }, () => database.read(() => promise));
  return () => {
    resolve();
    return Promise.all(held);
  };
}

Deno.test("a service that refuses answers 503 at once but still says that it lives", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  equal((await frame.fetch("/readyz")).status, 200);
  frame.app.refuse();
  equal((await frame.fetch("/readyz")).status, 503);
  equal((await frame.fetch(project)).status, 503);
  equal((await frame.fetch("/healthz")).status, 200);
  await frame.close();
});

Deno.test("a service whose disk refuses writes is not ready until one is taken", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const full = new Error("Could not write file: No space left on device");
  await rejects(frame.database.write(() => Promise.reject(full)));
  const refused = await frame.fetch("/readyz");
  equal(refused.status, 503);
  ok(refused.headers.has("retry-after"));
  match((await refused.json()).detail, /the disk is full/);
  equal((await frame.fetch(project)).status, 200, "what needs no space goes on");
  await frame.database.write(() => Promise.resolve());
  equal((await frame.fetch("/readyz")).status, 200);
  await frame.close();
});

Deno.test("after a fatal error of the database every answer is 503 with Retry-After", async () => {
  const fatal = new DuckError("FATAL Error: database has been invalidated");
  const route = testRoute({ handle: () => frame.database.read(() => Promise.reject(fatal)) });
  const frame = await openFrame(() => [route]);
  for (const path of [project, "/test", "/readyz", "/healthz", "/metrics"]) {
    const answer = await frame.fetch(path);
    equal(answer.status, 503, path);
    ok(answer.headers.has("retry-after"));
    await answer.body?.cancel();
  }
  await frame.close();
});

Deno.test("the process says its version", async () => {
  const frame = await openFrame(() => []);
  const { status, version } = await (await frame.fetch("/healthz")).json();
  equal(status, "ok");
  equal(version, frame.services.version);
  await frame.close();
});

Deno.test("the metrics count requests by route and status", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  await (await frame.fetch(project)).text();
  await (await frame.fetch("/test")).text();
  const text = await (await frame.fetch("/metrics")).text();
  match(text, /wattkeeper_http_requests_total\{route="test",status="200",ending="complete"\} 1/);
  match(text, /wattkeeper_http_requests_total\{route="test",status="400",ending="complete"\} 1/);
  match(text, /wattkeeper_stored_rows\{of="sample"\} 0/);
  match(text, /wattkeeper_ingest_rows\{of="rejected"\} 0/);
  match(text, /wattkeeper_roll_backlog_rows 0/);
  match(text, /wattkeeper_database_bytes\{of="file"\} \d+/);
  ok(!text.includes("project-1"));
  await frame.close();
});

Deno.test("many who ask for metrics within a second get one print, later ones a new", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const print = async () => await (await frame.fetch("/metrics")).text();
  const prints = await Promise.all(Array.from({ length: 200 }, print));
  equal(new Set(prints).size, 1);
  await (await frame.fetch(project)).text();
  frame.clock.advance(request_limits.ops_age_ms - 1);
  equal(await print(), prints[0]);
  frame.clock.advance(1);
  const later = await print();
  notEqual(later, prints[0]);
  match(later, /requests_total\{route="test",status="200",ending="complete"\} 1/);
  await frame.close();
});

Deno.test("many who ask whether it is ready ask the database once a second", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  await frame.database.aside((it) => it.script("CALL enable_logging('QueryLog')"));
  const ready = () => frame.fetch("/readyz").then(({ status }) => status);
  for (const advance_ms of [0, request_limits.ops_age_ms - 1, 1]) {
    frame.clock.advance(advance_ms);
    const statuses = await Promise.all(Array.from({ length: 200 }, ready));
    deepEqual(new Set(statuses), new Set([200]));
  }
  const logged = await frame.database.aside((it) =>
    queryRows(it, "SELECT count(*)::INTEGER AS n FROM duckdb_logs WHERE message = 'SELECT 1'")
  );
  deepEqual(logged, [{ n: 2 }]);
  await frame.close();
});

Deno.test("metrics and readiness are told while every reader is leased", async () => {
  const frame = await openFrame(() => [testRoute({})]);
  const free = holdReaders(frame);
  equal((await frame.fetch("/readyz")).status, 200);
  match(await (await frame.fetch("/metrics")).text(), /wattkeeper_stored_rows\{of="sample"\} 0/);
  await free();
  await frame.close();
});

Deno.test("an administrator reads the same figures as JSON, with the clock", async () => {
  const frame = await openFrame(() => [testRoute({})], "2026-06-01T12:00:00Z");
  const read = async () => await (await frame.fetch("/admin/v1/status")).json();
  const { version, now, not_ready, memory_mb, metrics } = await read();
  deepEqual([version, now, not_ready, memory_mb], ["0", "2026-06-01T12:00:00.000000Z", null, 256]);
  const text = await (await frame.fetch("/metrics")).text();
  for (const name of ["roll_backlog_rows", "stamps_ahead_seconds", "loop_failures", "sensors"]) {
    for (const [of, value] of Object.entries(metrics[name])) {
      const label = of === "" ? "" : `{of="${of}"}`;
      ok(text.includes(`wattkeeper_${name}${label} ${value}\n`), `${name} ${of} ${value}`);
    }
  }
  ok(Object.keys(metrics.loop_failures).includes("rolling up samples"));
  // There is no such folder here: what is not known is left out.
  deepEqual([metrics.disk_free_bytes, metrics.backup_time_seconds], [{}, {}]);
  const reader = { authorization: `Bearer ${await frame.token({ scopes: ["manage"] })}` };
  equal((await frame.fetch("/admin/v1/status", { headers: reader })).status, 403);
  await frame.close();
});
