// The door of Prometheus: who may write where, both versions, what a sender hears.
import { deepEqual, equal, ok } from "node:assert/strict";
import type { Scope } from "../../../src/model/access/token.ts";
import { queryRows } from "../../help/query.ts";
import { type SentSeries, snappyBlock } from "../../help/remote_write.ts";
import { writeRequest1, writeRequest2 } from "../../help/remote_write.ts";
import { type TestService, testService } from "../../help/service.ts";

const ms = Date.parse("2026-06-01T11:59:00Z");
const series = (...samples: SentSeries["samples"]): SentSeries[] => [
  { labels: [["__name__", "power_watts"], ["inverter", "7"]], samples },
];
const v1 = "application/x-protobuf";
const v2 = `${v1};proto=io.prometheus.write.v2.Request`;

async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    const { database, catalog } = service.services;
    await database.write(({ connection }) =>
      connection.script(
        "INSERT INTO project VALUES (1, 'p1', 'o1', 'north', 'N', NULL, 'UTC'), " +
          "(2, 'p2', 'o2', 'south', 'S', NULL, 'UTC')",
      )
    );
    await catalog.reload();
    await work(service);
  } finally {
    await service.close();
  }
}

function post(
  { fetch }: TestService,
  body: Uint8Array<ArrayBuffer>,
  { type = v1, project = "north", headers = {} }: {
    readonly type?: string;
    readonly project?: string;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Response> {
  return fetch(`/prometheus/${project}/api/v1/write`, {
    method: "POST",
    body,
    headers: { "content-type": type, "content-encoding": "snappy", ...headers },
  });
}

async function stored({ services }: TestService) {
  return await services.database.read((connection) =>
    queryRows(
      connection,
      "SELECT project_no, sensor_tag, ts, value, quality " +
        "FROM sample JOIN tag USING (tag_no) ORDER BY ALL",
    )
  );
}

Deno.test("both versions are stored once, whatever is sent again", () =>
  withService(async (service) => {
    const sent = series([ms, 812.5], [ms + 1000, NaN]);
    const first = await post(service, snappyBlock(writeRequest1(sent)));
    deepEqual([first.status, await first.text()], [204, ""]);
    equal(first.headers.get("x-prometheus-remote-write-samples-written"), null);
    const again = await post(service, snappyBlock(writeRequest2(sent)), { type: v2 });
    equal(again.status, 204);
    const counts = ["samples", "histograms", "exemplars"]
      .map((of) => again.headers.get(`x-prometheus-remote-write-${of}-written`));
    deepEqual(counts, ["2", "0", "0"]);
    const of = { project_no: 1, sensor_tag: 'power_watts{inverter="7"}' };
    deepEqual(await stored(service), [
      { ...of, ts: ms * 1000, value: 812.5, quality: null },
      { ...of, ts: ms * 1000 + 1_000_000, value: null, quality: 2 },
    ]);
  }));

Deno.test("what is rejected is named in one line, the rest is stored and counted", () =>
  withService(async (service) => {
    const sent = [...series([ms, 1], [ms + 3_600_000, 2]), { labels: [], samples: [[ms, 1]] }];
    const body = snappyBlock(writeRequest2(sent as SentSeries[]));
    const answer = await post(service, body, { type: v2 });
    equal(answer.status, 400);
    equal(answer.headers.get("content-type"), "text/plain");
    equal(answer.headers.get("x-prometheus-remote-write-samples-written"), "1");
    const said = await answer.text();
    const ahead = 'line 1: power_watts{inverter="7"}: ts is more than 10 minutes in the future';
    const nameless = "line 2: has no label __name__";
    equal(said, `partial write: ${ahead}; ${nameless} stored=1 dropped=2\n`);
    equal((await stored(service)).length, 1);
  }));

Deno.test("a token writes into the project that it reaches, and no other", () =>
  withService(async (service) => {
    const body = snappyBlock(writeRequest1(series([ms, 1])));
    const tokenOf = async (organization_id: string, scopes: readonly Scope[]) => {
      const grant = { organization_id, scopes, project_ids: null, name: "t", expires_at: null };
      return `Bearer ${(await service.services.access.create(grant)).token}`;
    };
    for (const scope of ["read", "ingest"] as const) {
      const headers = { authorization: await tokenOf("o1", [scope]) };
      for (const project of ["south", "p2", "none", "north%2F..%2Fsouth"]) {
        const answer = await post(service, body, { project, headers });
        equal(answer.status, 403);
        const why = scope === "read"
          ? "this needs the scope ingest, the token has read; "
          : "the token reaches no such project; it reaches ";
        ok((await answer.text()).startsWith(why));
      }
      const own = await post(service, body, { headers });
      equal(own.status, scope === "read" ? 403 : 204);
      // Another name in the query is none of this door.
      const twice = "south/api/v1/write?project=north&x=";
      equal((await post(service, body, { headers, project: twice })).status, 403);
    }
    deepEqual((await stored(service)).map(({ project_no }) => project_no), [1]);
    equal((await post(service, body, { headers: { authorization: "Bearer x" } })).status, 401);
  }));

Deno.test("a body of another type, packing or form is refused and stores nothing", () =>
  withService(async (service) => {
    const message = writeRequest1(series([ms, 1]));
    const body = snappyBlock(message);
    const status = async (body: Uint8Array<ArrayBuffer>, more?: Parameters<typeof post>[2]) =>
      (await post(service, body, more)).status;
    equal(await status(body, { type: "application/json" }), 415);
    equal(await status(body, { type: `${v1};proto=io.prometheus.write.v3.Request` }), 415);
    equal(await status(body, { headers: { "content-encoding": "br" } }), 415);
    equal(await status(message), 400);
    equal(await status(body.slice(0, -1)), 400);
    equal(await status(body, { headers: { "content-length": "999999999" } }), 413);
    equal((await stored(service)).length, 0);
    // An empty message, as one of metadata alone is to us.
    equal(await status(new Uint8Array([0])), 204);
  }));
