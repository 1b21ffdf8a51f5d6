// What bodies hold in memory over HTTP: refused beyond the budget, given back however they end.
import { equal, match } from "node:assert/strict";
import { limits } from "../../../src/base/limits.ts";
import { type TestService, testService } from "../../help/service.ts";

const site = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
};

/** A service whose bodies may hold 32 MiB, 16 of them of one token; a project is declared. */
async function withService(run: (service: TestService, project_id: string) => Promise<void>) {
  const service = await testService({ settings: { memory_mb: 64 } });
  try {
    const put = await putSite(service, "");
    equal(put.status, 200, await put.text());
    await run(service, service.services.catalog.projects[0].id);
    equal(service.services.budget.reserved_bytes, 0);
  } finally {
    await service.close();
  }
}

function putSite({ fetch }: TestService, blanks: string): Promise<Response> {
  return fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site) + blanks,
  });
}

function ingest({ fetch }: TestService, project_id: string, init: RequestInit): Promise<Response> {
  return fetch(`/ingest/v1/signals?project_id=${project_id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    ...init,
  });
}

const row = (text: string, i: number) =>
  `{"tag":"t","ts":"${new Date(Date.UTC(2026, 0, 1) + i).toISOString()}","value_str":"${text}"}\n`;
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => row("x".repeat(8000), i)).join("");

Deno.test("a body that is held whole counts several times its bytes", () =>
  withService(async (service) => {
    equal((await putSite(service, " ".repeat(3_000_000))).status, 200);
    const refused = await putSite(service, " ".repeat(6_000_000));
    equal(refused.status, 413);
    match((await refused.json()).detail, /more than 16777216 bytes of memory/);
  }));

Deno.test("what a body held comes back: stored, refused, unreadable, broken off", () =>
  withService(async (service, project_id) => {
    const stored = await ingest(service, project_id, { body: rows(1000) });
    equal((await stored.json()).accepted, 1000);
    equal(service.services.budget.reserved_bytes, 0);
    equal((await ingest(service, project_id, { body: rows(3000) })).status, 413);
    equal(service.services.budget.reserved_bytes, 0);
    equal((await ingest(service, project_id, { body: rows(1000) + "{" })).status, 400);
    equal(service.services.budget.reserved_bytes, 0);
    const breaking = ReadableStream.from((async function* () {
      yield new TextEncoder().encode(rows(1000));
      await Promise.resolve();
      throw new Error("the client went away");
    })());
    equal((await ingest(service, project_id, { body: breaking })).status, 400);
  }));

Deno.test("a body that finds no room is refused with a wait, and its sender is let go", () =>
  withService(async (service, project_id) => {
    const cancelled = Promise.withResolvers<void>();
    const held = service.services.budget.open(service.services.access.list().at(-1)!.id);
    held.take(12 * 1024 * 1024);
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(rows(20))),
      cancel: () => cancelled.resolve(),
    });
    const refused = await ingest(service, project_id, { body: endless });
    equal(refused.status, 429);
    equal(refused.headers.get("retry-after"), String(limits.retry_after_s));
    await cancelled.promise;
    equal((await ingest(service, project_id, { body: rows(2) })).status, 200);
    held.close();
    const metrics = await (await service.fetch("/metrics")).text();
    match(metrics, /^wattkeeper_body_memory_bytes 0$/m);
    match(metrics, /^wattkeeper_bodies_refused\{of="too_many"\} 1$/m);
  }));

Deno.test("what a link reads counts as well, and is refused with a wait", () =>
  withService(async (service, project_id) => {
    equal((await ingest(service, project_id, { body: rows(1000) })).status, 200);
    const made = await service.fetch("/platform/v1/links", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        name: "texts",
        read: `/platform/v1/signals?project_id=${project_id}&from=2026-01-01T00:00:00Z` +
          "&to=2026-01-02T00:00:00Z",
      }),
    });
    equal(made.status, 201);
    const { url } = await made.json();
    const held = service.services.budget.open(service.services.access.list().at(-1)!.id);
    held.take(12 * 1024 * 1024);
    const refused = await service.fetch(url);
    equal(
      [refused.status, refused.headers.get("retry-after")].join(),
      `429,${limits.retry_after_s}`,
    );
    held.close();
    const read = await service.fetch(url);
    equal(read.status, 200);
    equal((await read.text()).trim().split("\r\n").length, 1001);
  }));
