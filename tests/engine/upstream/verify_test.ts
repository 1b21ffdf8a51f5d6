// Comparing with a centre that lost rows: what differs is found by tag and hour, and sent again.
import { deepEqual, equal, match } from "node:assert/strict";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { queryRows } from "../../help/query.ts";
import { type Forwarding, openForwarding, type Row } from "../../help/upstream.ts";

const same = { differing: 0, sent_again: 0, waiting: 0, set_aside: 0, more: 0 };

/** Three hours of two tags, a word, expected values and a forecast, on two days. */
async function store(world: Forwarding): Promise<void> {
  for (const day of ["2026-05-30", "2026-05-31"]) {
    const at = (minute: number) =>
      new Date(Date.parse(`${day}T10:00:00Z`) + minute * 60_000).toISOString();
    const minutes = Array.from({ length: 180 }, (_, minute) => minute);
    await world.send(minutes.flatMap((minute): Row[] => [
      { tag: "a", ts: at(minute), value: minute / 7 },
      { tag: "whole", ts: at(minute), value_int: minute, quality: "uncertain" },
    ]));
    await world.send([{ tag: "word", ts: at(0), value_str: "on" }]);
    await world.send([{ tag: "a", ts: at(1), value: 3 }], "model");
    await world.send([{ tag: "a", ts: at(2), issued_at: at(0), value: 4 }], "forecast");
  }
  await world.turn();
  await world.requireSame();
}

async function verified(world: Forwarding, day?: string) {
  const search = new URLSearchParams({ project_id: "p1", ...day === undefined ? {} : { day } });
  const path = `/platform/v1/upstream/verify?${search}`;
  return await (await world.gateway.fetch(path, { method: "POST" })).json();
}

async function change({ services }: Forwarding["centre"], sql: string): Promise<void> {
  await services.database.write(({ connection }) => connection.script(sql));
}

Deno.test("what a centre lost or has otherwise is found by tag and hour, and mended", async () => {
  const world = await openForwarding();
  const { centre } = world;
  try {
    await store(world);
    const newest = await verified(world);
    deepEqual(newest, {
      ...{ day: "2026-05-31", next_day: "2026-05-30", hours: 9, rows: 363 },
      ...same,
    });
    deepEqual((await verified(world, "2026-05-30")).next_day, null);
    // An older backup, a row that changed, a row that is gone.
    await change(centre, "DELETE FROM sample WHERE ts // 3600000000 % 24 = 11");
    await change(centre, "UPDATE sample SET value = 99 WHERE value = 3");
    await change(centre, "DELETE FROM forecast");
    const { differing, sent_again } = await verified(world);
    deepEqual([differing, sent_again], [5, 3 * 60 + 1 + 1]);
    equal((await verified(world, "2026-05-30")).differing, 5);
    // Until it is sent again it waits.
    equal((await verified(world)).waiting, 5);
    world.advance(upstream_limits.live_ms);
    await world.turn();
    await world.requireSame();
    deepEqual(await verified(world), newest);
  } finally {
    await world.close();
  }
});

Deno.test("rows of others, and rows set aside, are told apart from what differs", async () => {
  const world = await openForwarding();
  const { centre } = world;
  try {
    const send = (row: object) =>
      centre.fetch("/ingest/v1/signals?project_id=p1", {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: JSON.stringify(row),
      });
    await send({ tag: "word", ts: "2026-05-31T09:00:00Z", value: 1 });
    await store(world).catch(() => {});
    equal((await world.gateway.services.upstream.setAside(1)).length, 1);
    await send({ tag: "a", ts: "2026-05-31T10:00:30Z", value: 1 });
    const found = await verified(world);
    deepEqual(found, { ...found, ...same, more: 1, set_aside: 1 });
  } finally {
    await world.close();
  }
});

Deno.test("a centre of another version, or none that answers, is named", async () => {
  const world = await openForwarding();
  try {
    await store(world);
    const ask = async (digest: string, headers = {}) =>
      await world.centre.fetch("/ingest/v1/digests?project_id=centre-p1", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ digest, lane: "signal", day: 20_604, tags: ["a"] }),
      });
    const refused = await ask("md5");
    equal(refused.status, 409);
    match((await refused.json()).detail, /makes digests duckdb-2, duckdb-1, not md5/);
    for (const name of ["duckdb-2", "duckdb-1"]) {
      const { digest, hours } = await (await ask(name)).json();
      deepEqual([digest, hours.length], [name, 3]);
    }
    // Another project's token sees nothing of it.
    const { token } = await world.centre.services.access.create({
      ...{ name: "other", organization_id: "o1", project_ids: [], scopes: ["ingest" as const] },
      expires_at: null,
    });
    equal((await ask("duckdb-1", { authorization: `Bearer ${token}` })).status, 403);
    world.line = () => Promise.resolve(new Response("", { status: 502 }));
    world.advance(upstream_limits.meet_ms);
    match((await verified(world)).detail, /the centre answered 502/);
    const bad = await verified(world, "yesterday");
    match(bad.detail, /day: must be a day, YYYY-MM-DD, not yesterday/);
  } finally {
    await world.close();
  }
});

Deno.test("rows that change alike, an even number of them, are noticed", async () => {
  const world = await openForwarding();
  try {
    await store(world);
    await change(
      world.centre,
      "UPDATE sample SET status_code = 7 WHERE value_int IN (1, 2) AND ts > 1780185600000000",
    );
    equal((await verified(world)).differing, 1);
  } finally {
    await world.close();
  }
});

Deno.test("a centre of an older version is asked for the digests that it makes", async () => {
  const world = await openForwarding();
  try {
    await store(world);
    const asked: string[] = [];
    const { line } = world;
    world.line = async (request) => {
      if (!request.url.includes("/digests")) return await line(request);
      const { digest } = await request.clone().json();
      asked.push(digest);
      if (digest === "duckdb-1") return await line(request);
      const detail = `this service makes digests duckdb-1, not ${digest}`;
      return Response.json({ detail }, { status: 409 });
    };
    const { hours, differing } = await verified(world);
    deepEqual([hours, differing], [9, 0]);
    deepEqual(asked.slice(0, 2), ["duckdb-2", "duckdb-1"]);
    await change(world.centre, "UPDATE sample SET value = 99 WHERE value = 3");
    equal((await verified(world)).differing, 2);
  } finally {
    await world.close();
  }
});

Deno.test("the hash that digests are of is still the one of their name", async () => {
  const world = await openForwarding();
  try {
    const [{ digest }] = await world.centre.services.database.read((connection) =>
      queryRows<{ digest: string }>(
        connection,
        "SELECT hash(1780000000000000::BIGINT, 1.5::DOUBLE, 'on', 1::UTINYINT, " +
          "NULL::UINTEGER)::VARCHAR AS digest",
      )
    );
    // A database that hashes otherwise needs another name in store/upstream/digest.ts.
    equal(digest, "16636481880835372631");
  } finally {
    await world.close();
  }
});
