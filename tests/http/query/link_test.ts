// Tests links that read without a token: what they give, to whom, in parts, and when they end.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { ReadLinks } from "../../../src/engine/access/read_link.ts";
import { access_limits } from "../../../src/model/access/limits.ts";
import { queryRows } from "../../help/query.ts";
import { openQueries } from "./query_help.ts";

type Made = { readonly id: string; readonly url: string; readonly format: string };

async function opened() {
  const all = await openQueries();
  const { send, ask: _, answer, mine, project } = all;
  const make = async (more: Record<string, unknown>, as = mine) => {
    const body = { name: "days", ...more };
    const { status, data } = await send("POST", "/platform/v1/links", { body, as });
    return { status, data, ...data as Made };
  };
  const read = `/platform/v1/signals?project_id=${project.id}` +
    "&from=2026-06-01T10:00:00Z&to=2026-06-01T12:00:00Z&resolution=raw&lane=raw_signal";
  return {
    ...all,
    ...{ make, read },
    /** Reads an address without a token, as a program from another machine. */
    get: (url: string, headers: Record<string, string> = {}, method = "GET") =>
      answer(new Request(url, { headers, method }), {
        remoteAddr: { transport: "tcp", hostname: "198.51.100.9", port: 1 },
      }),
  };
}

Deno.test("a link reads what its token reads, as it is now, without a header", async () => {
  const { make, read, get, fetch, mine, rows, project, clock, close } = await opened();
  const { url, data, status } = await make({ read, format: "csv" });
  equal(status, 201, JSON.stringify(data));
  match(url, /^http:\/\/localhost\/links\/[\w-]+\/\w{43}\/days\.csv$/);
  const own = await fetch(`${read}&format=csv`, { headers: { authorization: `Bearer ${mine}` } });
  const answer = await get(url);
  deepEqual([answer.status, await answer.text()], [200, await own.text()]);
  equal(answer.headers.get("content-type"), "text/csv");
  equal(answer.headers.get("content-disposition"), 'attachment; filename="days.csv"');
  const sql = "SELECT sensor_tag, count(*) AS n FROM signals WHERE resolution = 'raw' AND " +
    "lane = 'raw_signal' GROUP BY ALL ORDER BY ALL";
  const asked = await make({ query: { sql, projects: ["p-a"] }, format: "json" });
  deepEqual(await (await get(asked.url)).json(), await rows(sql));
  await fetch(`/ingest/v1/signals?project_id=${project.id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: '{"tag":"a.p","ts":"2026-06-01T11:40:00Z","value":1}',
  });
  const counted = async () => (await (await get(asked.url)).json())[0].n;
  equal(await counted(), 90, "it is not made anew for each of many reads at once");
  clock.advance(access_limits.read_link_fresh_ms);
  equal(await counted(), 91);
  await close();
});

Deno.test("a link is read in parts of one answer, and not again where it is known", async () => {
  const { make, read, get, clock, close } = await opened();
  const { url } = await make({ read, format: "parquet" });
  const head = await get(url, {}, "HEAD");
  equal(await head.text(), "");
  const length = Number(head.headers.get("content-length"));
  const whole = await (await get(url)).bytes();
  equal(length, whole.length);
  equal(head.headers.get("accept-ranges"), "bytes");
  const etag = head.headers.get("etag")!;
  for (
    const [range, from, to] of [
      ["bytes=0-3", 0, 4],
      ["bytes=4-", 4, length],
      ["bytes=-8", length - 8, length],
      [`bytes=${length - 1}-${length + 99}`, length - 1, length],
      [`bytes=-${length + 5}`, 0, length],
    ] as const
  ) {
    const part = await get(url, { range });
    equal(part.status, 206);
    equal(part.headers.get("content-range"), `bytes ${from}-${to - 1}/${length}`);
    equal(part.headers.get("etag"), etag);
    deepEqual(await part.bytes(), whole.subarray(from, to));
  }
  const beyond = await get(url, { range: `bytes=${length}-` });
  deepEqual([beyond.status, beyond.headers.get("content-range")], [416, `bytes */${length}`]);
  for (const range of ["bytes=5-2", "lines=1-2", "bytes=0-1,3-4", "bytes=-"]) {
    equal((await get(url, { range })).status, 200, range);
  }
  equal((await get(url, { range: "bytes=0-3", "if-range": '"other"' })).status, 200);
  equal((await get(url, { "if-none-match": etag })).status, 304);
  clock.advance(access_limits.read_link_part_ms - 1);
  equal((await get(url, { range: "bytes=0-3" })).headers.get("etag"), etag);
  await close();
});

Deno.test("a link ends when removed, in time, with its token", async () => {
  const { make, read, get, send, mine, theirs, token, my_token_id, services, clock, close } =
    await opened();
  const list = async (as: string) => {
    const { data } = await send<{ links: Record<string, unknown>[] }>(
      ...["GET", "/platform/v1/links", { as }] as const,
    );
    return data.links;
  };
  const first = await make({ read });
  const second = await make({ read, expires_at: "2026-06-02T00:00:00Z" });
  const status = async (url: string) => {
    const answer = await get(url);
    const text = await answer.text();
    if (answer.status !== 200) match(text, /no such link, or it has ended/);
    return answer.status;
  };
  equal(await status(first.url), 200);
  const secret = first.url.split("/").at(-2)!;
  for (
    const wrong of [
      first.url.replace(secret, secret.replace(/^./, (it) => it === "a" ? "b" : "a")),
      first.url.replace(secret, second.url.split("/").at(-2)!),
      first.url.replace(first.id, "no-link"),
      first.url.replace(secret, "-"),
    ]
  ) equal(await status(wrong), 404, wrong);
  deepEqual((await list(mine)).map(({ id }) => id), [first.id, second.id]);
  deepEqual(await list(theirs), []);
  deepEqual((await list(token)).length, 2);
  doesNotMatch(JSON.stringify(await list(token)), new RegExp(secret));
  const remove = (id: string, as: string) => send("DELETE", `/platform/v1/links/${id}`, { as });
  equal((await remove(first.id, theirs)).status, 404);
  equal(await status(first.url), 200);
  equal((await remove(first.id, mine)).status, 200);
  equal((await remove(first.id, token)).status, 200);
  equal(await status(first.url), 404);
  equal(await status(second.url), 200);
  clock.advance(12 * 3_600_000);
  equal(await status(second.url), 404);
  const third = await make({ read });
  equal(await status(third.url), 200);
  await services.access.revoke(my_token_id);
  equal(await status(third.url), 404);
  deepEqual((await list(token)).map(({ is_live }) => is_live), [false, false, false]);
  await close();
});

Deno.test("links outlive a restart, and nothing that is stored makes one", async () => {
  const { make, read, services, clock, close } = await opened();
  const { id, url } = await make({ read });
  const secret = url.split("/").at(-2)!;
  const { database, access, users, effects } = services;
  const again = await ReadLinks.open({ database, access, users, effects });
  ok(again.verify(id, secret));
  equal(again.verify(id, `${secret}x`), undefined);
  const rows_kept = "SELECT r::VARCHAR AS r FROM read_link AS r";
  const stored = await database.read((it) => queryRows(it, rows_kept));
  doesNotMatch(JSON.stringify(stored), new RegExp(secret));
  await again.revoke(id, { ...access.grant(services.read_links.get(id)!.token_id!)! });
  const third = await ReadLinks.open({ database, access, users, effects });
  equal(third.verify(id, secret), undefined);
  clock.advance(60 * 86_400_000);
  await close();
});

Deno.test("a link gives no more than its maker can read", async () => {
  const { make, read, get, other, project, tokenOf, services, send, clock, close } = await opened();
  const foreign = read.replace(project.id, other.id);
  equal((await make({ read: foreign })).status, 403);
  equal((await make({ query: { sql: "SELECT 1", projects: ["p-b"] } })).status, 403);
  const { token: reader } = await tokenOf(project.organization_id, ["read"]);
  equal((await make({ query: { sql: "SELECT 1" } }, reader)).status, 403);
  equal((await make({ read }, reader)).status, 201);
  const { token: asker } = await tokenOf(project.organization_id, ["query"]);
  equal((await make({ query: { sql: "SELECT 1" } }, asker)).status, 403);
  const organization = "o-a";
  const user = await services.users.create({
    ...{ organization, email: "u@x.test", first_name: "u", last_name: "X" },
    scopes: ["read"],
    projects: ["p-a"],
  });
  const { link, secret } = await services.read_links.create({
    ...{ name: "x", read: { path: read }, format: "csv" },
    expires_at: services.effects.now_us() + 86_400_000_000,
  }, {
    ...{ token_id: user.id, name: "u", organization_id: project.organization_id },
    ...{ project_ids: [project.id], scopes: ["read"], user_id: user.id },
  });
  const url = `http://localhost/links/${link.id}/${secret}/x.csv`;
  equal((await get(url)).status, 200);
  const change = async (more: object) => {
    const body = { email: "u@x.test", first_name: "u", last_name: "X", ...more };
    equal((await send("PUT", `/admin/v1/users/${user.id}`, { body })).status, 200);
    clock.advance(access_limits.read_link_fresh_ms);
    return (await get(url)).status;
  };
  equal(await change({ scopes: ["read"], projects: ["p-a"] }), 200);
  equal(await change({ scopes: ["ingest"], projects: ["p-a"] }), 403);
  equal(await change({ scopes: ["read"], projects: ["p-a"], disabled: true }), 404);
  await close();
});

Deno.test("a request for a link is refused in words", async () => {
  const { make, read, close } = await opened();
  for (
    const [more, wanted] of [
      [{}, /give either read or query/],
      [{ read, query: { sql: "SELECT 1" } }, /give either read or query/],
      [{ read: "/platform/v1/signal?x=1" }, /meant \/platform\/v1\/signals\?/],
      [{ read: "https://example.org/" }, /a link can't read https/],
      [{ read: "/admin/v1/tokens" }, /a link can't read/],
      [{ read: "/platform/v1/alarms/stream?project_id=x" }, /a link can't read/],
      [{ read: `${read}&tags=1` }, /tags.*no such parameter/],
      [{ read: read.replace("&to=", "&too=") }, /too.*no such parameter/],
      [{ query: { sql: "SELECT * FROM tokens" } }, /no view tokens/],
      [{ query: { sql: "SELECT getenv('HOME')" } }, /getenv can't be used/],
      [{ read, expires_at: "2020-01-01T00:00:00Z" }, /in the future/],
      [{ read, expires_at: "2036-01-01T00:00:00Z" }, /until 2027-06-02/],
      [{ read, expires_at: "soon" }, /expires_at/],
      [{ read, format: "xlsx" }, /format/],
      [{ read: "/platform/v1/meta/measures", format: "csv" }, /gives JSON: give format json/],
    ] as const
  ) {
    const { status, data } = await make(more);
    ok(status === 400, JSON.stringify(data));
    match(JSON.stringify(data), wanted);
  }
  await close();
});
