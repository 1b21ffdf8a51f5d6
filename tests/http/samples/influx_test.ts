// The doors of InfluxDB: who may write where, in which words they answer, what they refuse.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Scope } from "../../../src/model/access/token.ts";
import { queryRows } from "../../help/query.ts";
import { type TestService, testService } from "../../help/service.ts";

const at_ns = `${Date.parse("2026-06-01T11:59:00Z")}000000`;
const line = `inv p_kw=812.5 ${at_ns}`;

const projects = [
  "(1, 'p1', 'o1', 'north', 'N', NULL, 'UTC')",
  "(2, 'p2', 'o1', 'south', 'S', NULL, 'UTC')",
  "(3, 'p3', 'o2', 'north', 'N', NULL, 'UTC')",
  // A key that is the id of another project.
  "(4, 'p4', 'o2', 'p1', 'P', NULL, 'UTC')",
];

async function withService(work: (service: TestService) => Promise<void>): Promise<void> {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  try {
    const { database, catalog } = service.services;
    await database.write(({ connection }) =>
      connection.script(`INSERT INTO project VALUES ${projects.join(", ")}`)
    );
    await catalog.reload();
    await work(service);
  } finally {
    await service.close();
  }
}

async function tokenOf(
  { services }: TestService,
  organization_id: string | null,
  more: { readonly project_ids?: readonly string[]; readonly scopes?: readonly Scope[] } = {},
): Promise<string> {
  const { token } = await services.access.create({
    ...{ name: "tool", organization_id, expires_at: null },
    ...{ project_ids: more.project_ids ?? null, scopes: more.scopes ?? ["ingest"] },
  });
  return token;
}

/** The numbers of the projects that have samples. */
async function written({ services }: TestService): Promise<readonly number[]> {
  const rows = await services.database.read((connection) =>
    queryRows<{ project_no: number }>(
      connection,
      "SELECT DISTINCT project_no FROM sample JOIN tag USING (tag_no) ORDER BY 1",
    )
  );
  return rows.map(({ project_no }) => project_no);
}

const doors = {
  v1: (name: string) => `/write?db=${name}`,
  v2: (name: string) => `/api/v2/write?bucket=${name}`,
  v3: (name: string) => `/api/v3/write_lp?db=${name}`,
} as const;
type Door = keyof typeof doors;
const all_doors = Object.keys(doors) as Door[];

const token_header = (token: string) => ({ authorization: `Token ${token}` });

function post({ ask }: TestService, path: string, init: RequestInit = {}): Promise<Response> {
  return ask(path, { method: "POST", body: line, ...init });
}

Deno.test("each door takes its token as its clients send it", () =>
  withService(async (service) => {
    const token = await tokenOf(service, "o1");
    const basic = `Basic ${btoa(`any:${token}`)}`;
    for (
      const authorization of [`Token ${token}`, `Token any:${token}`, `Bearer ${token}`, basic]
    ) {
      for (const door of all_doors) {
        const answer = await post(service, doors[door]("north"), { headers: { authorization } });
        deepEqual([answer.status, await answer.text()], [204, ""], `${door} ${authorization}`);
      }
    }
    equal((await post(service, `${doors.v1("north")}&u=any&p=${token}`)).status, 204);
    // Elsewhere a token has no place in an address; a wrong one helps nobody.
    equal((await post(service, `${doors.v2("north")}&p=${token}`)).status, 401);
    equal((await post(service, `${doors.v1("north")}&p=wrong`)).status, 401);
    equal((await post(service, doors.v1("north"))).status, 401);
    const headers = token_header(await tokenOf(service, "o1", { scopes: ["read"] }));
    equal((await service.ask("/platform/v1/meta/projects", { headers })).status, 200);
  }));

Deno.test("a token writes into what it reaches, by key or id, and nowhere else", () =>
  withService(async (service) => {
    const grants = [
      { token: await tokenOf(service, "o1"), reached: { north: 1, south: 2, p1: 1, p2: 2 } },
      { token: await tokenOf(service, "o2"), reached: { north: 3, p3: 3, p4: 4, p1: 4 } },
      {
        token: await tokenOf(service, "o1", { project_ids: ["p2"] }),
        reached: { south: 2, p2: 2 },
      },
      { token: await tokenOf(service, "o1", { scopes: ["read", "operate"] }), reached: {} },
    ];
    const names = ["north", "south", "p1", "p2", "p3", "p4", "o1", "none", "North", "%00"];
    for (const { token, reached } of grants) {
      for (const door of all_doors) {
        for (const name of names) {
          await service.services.database.write(({ connection }) =>
            connection.script("DELETE FROM sample")
          );
          const headers = token_header(token);
          const { status } = await post(service, doors[door](name), { headers });
          const project_no = (reached as Record<string, number>)[name];
          equal(status, project_no === undefined ? 403 : 204, `${door} ${name}`);
          deepEqual(await written(service), project_no === undefined ? [] : [project_no], name);
        }
      }
    }
    // One of two names in reach is not enough.
    const headers = token_header(grants[0].token);
    equal((await post(service, `${doors.v1("north")}&db=p3`, { headers })).status, 403);
    // Who reaches two projects of a key must say which.
    const both = { headers: token_header(await tokenOf(service, null)) };
    const vague = await post(service, doors.v1("north"), both);
    equal(vague.status, 400);
    match((await vague.json()).error, /2 projects have this key: send the id of one/);
    equal((await post(service, doors.v1("p3"), both)).status, 204);
  }));

Deno.test("the answer of an unknown project is that of a foreign one", () =>
  withService(async (service) => {
    const headers = token_header(await tokenOf(service, "o1", { project_ids: ["p2"] }));
    const said = async (name: string) =>
      await Promise.all(
        all_doors.map(async (door) =>
          await (await post(service, doors[door](name), { headers })).json()
        ),
      );
    deepEqual(await said("north"), await said("none"));
    const [v1, v2, v3] = await said("none");
    match(v1.error, /^database not found: /);
    deepEqual(Object.keys(v2), ["code", "message"]);
    equal(v2.code, "forbidden");
    deepEqual(Object.keys(v3), ["error"]);
  }));

Deno.test("a partial write stores what it can and names the rest in each client's form", () =>
  withService(async (service) => {
    const headers = token_header(await tokenOf(service, "o1"));
    const ahead = `inv p_kw=1 ${Date.parse("2026-06-01T12:11:00Z")}000000`;
    const body = `${line}\ninv p_kw=x ${at_ns}\n${ahead}\n`;
    const answers = await Promise.all(all_doors.map(async (door) => {
      const answer = await post(service, doors[door]("north"), { headers, body });
      equal(answer.status, 400, door);
      equal(answer.headers.get("content-type"), "application/json");
      return await answer.json();
    }));
    const [v1, v2, v3] = answers;
    const told = "line 2: field p_kw has no readable value; line 3: inv.p_kw: ";
    ok(v1.error.startsWith(`partial write: ${told}`), v1.error);
    match(v1.error, / stored=1 dropped=2$/);
    deepEqual([v2.code, v2.message], ["invalid", v1.error]);
    equal(v3.error, "partial write of line protocol occurred");
    deepEqual(
      v3.data.map((it: { line_number: number }) => it.line_number),
      [2, 3],
    );
    deepEqual(await written(service), [1]);
  }));

Deno.test("precisions, compression and empty bodies are taken as each version has them", () =>
  withService(async (service) => {
    const headers = token_header(await tokenOf(service, "o1"));
    const status = async (path: string, init: RequestInit = {}) =>
      (await post(service, path, { headers, ...init })).status;
    const at_s = at_ns.slice(0, 10);
    equal(await status(`${doors.v1("north")}&precision=s`, { body: `a v=1 ${at_s}` }), 204);
    equal(await status(`${doors.v1("north")}&precision=h`, { body: "a v=2 494483" }), 204);
    equal(await status(`${doors.v2("north")}&precision=us`, { body: `a v=3 ${at_s}000001` }), 204);
    equal(await status(doors.v3("north"), { body: `a v=4 ${at_s}001` }), 204);
    equal(await status(`${doors.v3("north")}&precision=second`, { body: `b v=4 ${at_s}` }), 204);
    equal(await status(`${doors.v1("north")}&rp=&consistency=&precision=&u=&p=`), 204);
    equal(await status("/write?db="), 403);
    equal(await status(`${doors.v1("north")}&precision=x`), 400);
    equal(await status(`${doors.v3("north")}&accept_partial=false`), 400);
    equal(await status(doors.v2("north"), { body: "" }), 204);
    const packed = { headers: { ...headers, "content-encoding": "gzip" } };
    equal(await status(doors.v2("north"), { ...packed, body: gzipSync(`c v=5 ${at_ns}`) }), 204);
    equal(await status(doors.v2("north"), { ...packed, body: "c v=5" }), 400);
    const rows = await service.services.database.read((connection) =>
      queryRows<{ ts: number; value: number }>(
        connection,
        "SELECT ts, value FROM sample ORDER BY value, ts",
      )
    );
    const at_us = Number(at_ns) / 1000;
    const hour_us = 494_483 * 3_600_000_000;
    deepEqual(rows.map(({ ts, value }) => [ts - at_us, value]), [
      [0, 1],
      [hour_us - at_us, 2],
      [1, 3],
      [0, 4],
      [1000, 4],
      [0, 5],
      [0, 812.5],
    ]);
  }));

Deno.test("what clients ask when they connect is answered, within their reach", () =>
  withService(async (service) => {
    const headers = token_header(await tokenOf(service, "o1", { project_ids: ["p2"] }));
    const form = (q: string) =>
      service.ask("/query", { method: "POST", headers, body: new URLSearchParams({ q }) });
    const asked = (q: string) => service.ask(`/query?${new URLSearchParams({ q })}`, { headers });
    for (const ask of [form, asked]) {
      const [{ series }] = (await (await ask("show databases;")).json()).results;
      deepEqual(series, [{ name: "databases", columns: ["name"], values: [["south"]] }]);
      for (const name of ["south", '"south"', '"p2"', '"south" WITH DURATION 1d']) {
        deepEqual(await (await ask(`CREATE DATABASE ${name}`)).json(), {
          results: [{ statement_id: 0 }],
        });
      }
      for (const name of ["north", "none", '"p1"']) {
        equal((await ask(`CREATE DATABASE ${name}`)).status, 403, name);
      }
      for (const q of ["", "SELECT * FROM inv", "DROP DATABASE south", "CREATE DATABASE"]) {
        const answer = await ask(q);
        equal(answer.status, 400, q);
        match((await answer.json()).error, /SHOW DATABASES or CREATE DATABASE/);
      }
    }
    const { buckets } = await (await service.ask("/api/v2/buckets", { headers })).json();
    deepEqual(buckets.map((it: { id: string; name: string }) => [it.id, it.name]), [
      ["p2", "south"],
    ]);
    const none = await service.ask("/api/v2/buckets?name=north", { headers });
    deepEqual(await none.json(), { buckets: [] });
    equal((await service.ask("/query?q=SHOW+DATABASES")).status, 401);
    const ping = await service.ask("/ping?verbose=x");
    deepEqual([ping.status, ping.headers.get("x-influxdb-version")], [204, "1.8.10"]);
  }));

Deno.test("the health that clients ask for says when no writes are taken", () =>
  withService(async (service) => {
    const well = await service.ask("/health");
    const { status, name } = await well.json();
    deepEqual([well.status, status, name], [200, "pass", "wattkeeper"]);
    const browser = { accept: "text/html,application/xhtml+xml" };
    const page = await service.ask("/health", { headers: browser });
    ok(page.headers.get("content-type")?.startsWith("text/html"));
    ok((await page.text()).includes("<title>Wattkeeper</title>"));
    service.refuse();
    const ill = await service.ask("/health");
    equal(ill.status, 503);
    ok(ill.headers.get("retry-after"));
    deepEqual((({ status, message }) => [status, message])(await ill.json()), [
      "fail",
      "the service is stopping",
    ]);
  }));
