// POST /ingest/v1 and the tag list: every format in, verdicts and problems out.
import assert from "node:assert/strict";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { body_values, makeBody } from "../../bench/bodies.ts";
import { type TestService, testService } from "../../help/service.ts";
import { queryRows } from "../../help/query.ts";

const signals = "/ingest/v1/signals?project_id=p1";
const row = `{"tag":"a","ts":"2026-06-01T11:59:00Z","value":1}`;
const ndjson = "application/x-ndjson";

async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    const { database, catalog } = service.services;
    await database.write(({ connection }) =>
      connection.script("INSERT INTO project VALUES (1, 'p1', 'o1', 'p1', 'P 1', NULL, 'UTC')")
    );
    await catalog.reload();
    await work(service);
  } finally {
    await service.close();
  }
}

function post(
  { fetch }: TestService,
  path: string,
  { body, type = ndjson, headers = {} }: {
    body?: BodyInit;
    type?: string;
    headers?: Record<string, string>;
  },
): Promise<Response> {
  return fetch(path, { method: "POST", body, headers: { "content-type": type, ...headers } });
}

async function stored({ services }: TestService): Promise<number> {
  const [{ n }] = await services.database.read((connection) =>
    queryRows<{ n: number }>(connection, "SELECT count(*) AS n FROM sample")
  );
  return n;
}

Deno.test("samples of every format and encoding are stored and counted", () =>
  withService(async (service) => {
    const at = (second: number) => row.replace("59:00", `59:0${second}`);
    const table = "tag,ts,value\na,2026-06-01T11:59:04Z,1\n";
    const bodies: readonly (readonly [BodyInit, string, Record<string, string>])[] = [
      [at(1), ndjson, {}],
      [at(2), "application/json-seq", {}],
      [`[${at(3)}]`, "application/json", {}],
      [table, "text/csv; charset=utf-8", {}],
      [gzipSync(at(5)), ndjson, { "content-encoding": "gzip" }],
      [zstdCompressSync(at(6)), ndjson, { "content-encoding": "zstd" }],
    ];
    for (const [body, type, headers] of bodies) {
      const response = await post(service, signals, { body, type, headers });
      assert.equal(response.status, 200);
      const nothing = { duplicates: 0, rejected_count: 0, rejected: [] };
      assert.deepEqual(await response.json(), { accepted: 1, ...nothing });
    }
    assert.equal(await stored(service), 6);
    const body = makeBody("arrow", Date.UTC(2026, 5, 1) * 1000);
    const corrections = `${signals}&include=corrected`;
    const two = `${at(1)}\n${at(2).replace(/"value":[^,}]+/, '"value":-5')}`;
    const told = await (await post(service, corrections, { body: two })).json();
    const nothing = { rejected_count: 0, rejected: [] };
    assert.deepEqual(told, { accepted: 1, duplicates: 1, ...nothing, corrected: 1 });
    const arrow = { body, type: "application/vnd.apache.arrow.stream" };
    assert.equal((await (await post(service, signals, arrow)).json()).accepted, body_values);
    assert.equal((await (await post(service, signals, arrow)).json()).duplicates, body_values);
  }));

Deno.test("an expected or forecast value that replaces one is a correction", () =>
  withService(async (service) => {
    for (const lane of ["model", "forecast"]) {
      const told = async (value: number, hour: number) => {
        const issued_at = "2026-06-01T09:00:00Z";
        const one = { tag: "a", ts: `2026-06-01T1${hour}:00:00Z`, value };
        const body = JSON.stringify(lane === "forecast" ? { ...one, issued_at } : one);
        const path = `${signals}&lane=${lane}&include=corrected`;
        const { accepted, duplicates, corrected } = await (await post(service, path, { body }))
          .json();
        return [accepted, duplicates, corrected];
      };
      assert.deepEqual(await told(1, 0), [1, 0, 0], lane);
      assert.deepEqual(await told(1, 0), [0, 1, 0], lane);
      assert.deepEqual(await told(2, 0), [1, 0, 1], lane);
      assert.deepEqual(await told(2, 1), [1, 0, 0], lane);
    }
  }));

Deno.test("a readable body is answered with its verdict even if every row is rejected", () =>
  withService(async (service) => {
    const response = await post(service, signals, { body: `${row.replace("a", "")}\nnonsense\n` });
    assert.equal(response.status, 200);
    const { accepted, rejected_count, rejected } = await response.json();
    assert.deepEqual([accepted, rejected_count, rejected.length], [0, 2, 2]);
    assert.deepEqual(Object.keys(rejected[0]), ["line", "tag", "reason"]);
  }));

Deno.test("a body that can't be read is a problem and stores nothing", () =>
  withService(async (service) => {
    const gone = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(`${row}\n`));
        controller.error(new Error("the client went away"));
      },
    });
    const cases: readonly (readonly [Parameters<typeof post>[2], number])[] = [
      [{ body: `${row}\n{"tag":` }, 400],
      [{ body: gone }, 400],
      [{ body: `[${row}`, type: "application/json" }, 400],
      [{ body: row, type: "application/xml" }, 415],
      [{ body: row, headers: { "content-encoding": "br" } }, 415],
      [{ body: row, headers: { "content-encoding": "gzip" } }, 400],
      [{ body: gzipSync(row).subarray(0, 20), headers: { "content-encoding": "gzip" } }, 400],
      [{ body: row, headers: { "content-length": String(1e10) } }, 413],
    ];
    for (const [request, status] of cases) {
      const response = await post(service, signals, request);
      assert.equal(response.status, status);
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      assert.ok((await response.json()).detail);
    }
    assert.equal(await stored(service), 0);
  }));

Deno.test("a token without the scope or the project may not send", () =>
  withService(async (service) => {
    for (const grant of [{ scopes: ["read"] }, { scopes: ["ingest"], project_ids: ["p2"] }]) {
      const { token } = await service.services.access.create({
        name: "other",
        organization_id: "o1",
        project_ids: grant.project_ids ?? null,
        scopes: grant.scopes as ["read"],
        expires_at: null,
      });
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await post(service, signals, { body: row, headers })).status, 403);
    }
    assert.equal((await post(service, "/ingest/v1/signals", { body: row })).status, 400);
    assert.equal((await post(service, `${signals}&lane=x`, { body: row })).status, 400);
  }));

Deno.test("line protocol feeds the same samples", () =>
  withService(async (service) => {
    const path = "/ingest/v1/line?project_id=p1&precision=s";
    const body = "inv,id=1 power=5,state=2i 1780314000\ninv,id=1 power=\n";
    const { accepted, rejected } = await (await post(service, path, { body, type: "text/plain" }))
      .json();
    assert.deepEqual([accepted, rejected.length, rejected[0].line], [2, 1, 2]);
  }));

Deno.test("tags that were taken up are listed, mapped ones apart", () =>
  withService(async (service) => {
    await post(service, signals, { body: `${row}\n${row.replace('"a"', '"b"')}\n` });
    const tags = async (query = "") =>
      await (await service.fetch(`/platform/v1/meta/tags?project_id=p1${query}`)).json();
    assert.deepEqual(
      await tags(),
      ["a", "b"].map((sensor_tag) => ({
        sensor_tag,
        lane: "signal",
        tag_class: null,
        value_encoding: "float",
        unit: null,
        declared: false,
        mapped: false,
      })),
    );
    assert.deepEqual(await tags("&mapped=true"), []);
    assert.deepEqual((await tags("&mapped=false&limit=1&offset=1"))[0].sensor_tag, "b");
  }));
