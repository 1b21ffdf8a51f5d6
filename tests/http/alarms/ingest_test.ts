// POST /ingest/v1/alarms: every format in, verdicts out, and an export of alarms sent in again.
import assert from "node:assert/strict";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { eventRow, snapshotRow } from "../../engine/alarms/ingest_help.ts";
import { type TestService, testService } from "../../help/service.ts";

const ndjson = "application/x-ndjson";

/** A service with two projects of one site each. */
async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    for (const key of ["one", "two"]) {
      const file = {
        version: 1,
        organization: { key: "o", name: "O" },
        project: { key, name: "P", timezone: "UTC" },
        site: { key: `site-${key}`, name: "S", latitude: 40, longitude: -3 },
      };
      const response = await service.fetch(`/admin/v1/sites/site-${key}`, {
        method: "PUT",
        body: JSON.stringify(file),
        headers: { "content-type": "application/json" },
      });
      assert.ok(response.ok, await response.clone().text());
      await response.body?.cancel();
    }
    await work(service);
  } finally {
    await service.close();
  }
}

function projectId({ services }: TestService, key = "one"): string {
  return services.catalog.projects.find((project) => project.key === key)!.id;
}

function send(
  service: TestService,
  body: BodyInit,
  { type = ndjson, key = "one", headers = {} }: {
    type?: string;
    key?: string;
    headers?: Record<string, string>;
  } = {},
): Promise<Response> {
  return service.fetch(`/ingest/v1/alarms?project_id=${projectId(service, key)}`, {
    method: "POST",
    body,
    headers: { "content-type": type, ...headers },
  });
}

async function get<T>(service: TestService, path: string, key = "one"): Promise<T> {
  const response = await service.fetch(`${path}?project_id=${projectId(service, key)}`);
  assert.equal(response.status, 200, await response.clone().text());
  return await response.json() as T;
}

const lines = (...rows: readonly unknown[]) =>
  rows.map((row) => typeof row === "string" ? row : JSON.stringify(row)).join("\n") + "\n";

Deno.test("alarms of every format and encoding are stored", () =>
  withService(async (service) => {
    const row = (id: string) => snapshotRow(id);
    const bodies: readonly (readonly [BodyInit, object])[] = [
      [lines(row("a")), {}],
      [`\x1e${lines(row("b"))}`, { type: "application/json-seq" }],
      [JSON.stringify([row("c")]), { type: "application/json" }],
      [gzipSync(lines(row("d"))), { headers: { "content-encoding": "gzip" } }],
      [zstdCompressSync(lines(row("e"))), { headers: { "content-encoding": "zstd" } }],
    ];
    const nothing = { duplicates: 0, rejected_count: 0, rejected: [], waiting: 0 };
    for (const [body, options] of bodies) {
      const response = await send(service, body, options);
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { accepted: 1, ...nothing });
    }
    type Row = { occurrence_id: string; events_total: number };
    const list = await get<readonly Row[]>(service, "/platform/v1/alarms");
    assert.deepEqual(list.map((it) => it.occurrence_id), ["a", "b", "c", "d", "e"]);
    assert.ok(list.every((it) => it.events_total === 1));
  }));

Deno.test("bad rows are told with their reasons, their neighbours are stored", () =>
  withService(async (service) => {
    const response = await send(
      service,
      lines(
        snapshotRow("a"),
        snapshotRow("b", { cleared_at: "2026-06-01T10:00:00Z" }),
        eventRow("a", "e1"),
        eventRow("a", "e2", { body: "x".repeat(10_000_000) }),
        "{nonsense}",
        eventRow("later", "e1"),
        snapshotRow("c", { status: "gone" }),
        snapshotRow("d", { site: "site-two" }),
        snapshotRow("e"),
      ),
    );
    const { rejected, ...counts } = await response.json();
    assert.deepEqual(counts, { accepted: 4, duplicates: 0, rejected_count: 5, waiting: 1 });
    type Rejected = { readonly line: number; readonly occurrence_id: string | null };
    assert.deepEqual(
      rejected.map(({ line, occurrence_id }: Rejected) => [line, occurrence_id]),
      [[2, "b"], [4, null], [5, null], [7, "c"], [8, "d"]],
    );
    const waiting = await get<readonly { occurrence_id: string }[]>(
      service,
      "/ingest/v1/alarms/waiting",
    );
    assert.deepEqual(waiting.map((it) => it.occurrence_id), ["later"]);
    const metrics = await (await service.fetch("/metrics")).text();
    assert.match(metrics, /wattkeeper_alarm_ingest_rows\{of="rejected"\} 5/);
  }));

Deno.test("a body that can't be read, or may not be sent, stores nothing", () =>
  withService(async (service) => {
    const whole = lines(snapshotRow("a"), snapshotRow("b"));
    assert.equal((await send(service, whole.slice(0, -9))).status, 400);
    assert.equal((await send(service, whole, { type: "text/csv" })).status, 415);
    const damaged = gzipSync(whole).subarray(0, -4);
    const packed = { headers: { "content-encoding": "gzip" } };
    assert.equal((await send(service, damaged, packed)).status, 400);
    const { token } = await service.services.access.create({
      name: "reader",
      organization_id: null,
      project_ids: null,
      scopes: ["read", "operate"],
      expires_at: null,
    });
    const reader = { headers: { authorization: `Bearer ${token}` } };
    assert.equal((await send(service, whole, reader)).status, 403);
    assert.deepEqual(await get(service, "/platform/v1/alarms"), []);
  }));

Deno.test("what one project answers can be sent to another, and to itself", () =>
  withService(async (service) => {
    const point = { decoded_labels: ["Fan"], point_key: "Error-17", params: { mask: 5 } };
    const events = [{ event_id: "e1", type: "noted", created_at: "2026-06-01T11:30:00Z" }];
    await send(service, lines(snapshotRow("a", { ...point, site: "site-one", events })));
    const later = { updated_at: "2026-06-01T11:40:00Z", status: "claimed" };
    await send(service, lines(snapshotRow("a", { ...point, ...later })));
    const [exported] = await get<readonly Record<string, unknown>[]>(
      service,
      "/platform/v1/alarms",
    );
    const again = await (await send(service, lines(exported))).json();
    assert.deepEqual([again.duplicates, again.rejected], [1, []]);
    const moved = lines({ ...exported, site: "site-two" });
    const there = await (await send(service, moved, { key: "two" })).json();
    assert.deepEqual([there.accepted, there.rejected], [1, []]);
    type Events = readonly { readonly event_id: string; readonly type: string }[];
    const copy = await get<{ status: string; params: unknown; events: Events }>(
      service,
      "/platform/v1/alarms/a",
      "two",
    );
    assert.deepEqual([copy.status, copy.params], ["claimed", { mask: 5 }]);
    assert.deepEqual(copy.events.map(({ type }) => type).sort(), [
      "noted",
      "raised",
      "source_updated",
      "source_updated",
    ]);
  }));
