// Forwarding from a gateway to a centre: everything once, live first, whatever the line does.
import assert from "node:assert/strict";
import { zstdDecompressSync } from "node:zlib";
import { upstream_limits } from "../../../src/model/upstream/limits.ts";
import { queryRows } from "../../help/query.ts";
import { type Forwarding, openForwarding, type Row } from "../../help/upstream.ts";
import { aTurn } from "../../help/until.ts";

const rowAt = (tag: string, second: number, value: number): Row => ({
  tag,
  ts: new Date(Date.parse("2026-06-01T11:00:00Z") + second * 1000).toISOString(),
  value,
});

Deno.test("what is stored arrives at the centre as it was sent, in every lane", async () => {
  const world = await openForwarding();
  try {
    await world.send([
      rowAt("a", 1, 1.5),
      { ...rowAt("a", 2, 0), value: null, quality: "bad", status_code: 2150891520 },
      { tag: "whole", ts: "2026-06-01T11:00:00.123456Z", value_int: "9007199254740993" },
      { tag: "text", ts: "2026-06-01T11:00:00Z", value_str: "läuft" },
      { ...rowAt("b", 3, 2), quality: "uncertain" },
    ]);
    await world.send([rowAt("a", 1, 7)], "model");
    await world.send([{ ...rowAt("a", 9, 8), issued_at: "2026-06-01T10:00:00Z" }], "forecast");
    await world.turn();
    assert.equal(await world.requireSame(), 7);
    const state = await world.gateway.services.upstream.state();
    assert.equal(state?.reason, null);
    assert.deepEqual(state?.projects.map(({ waiting_rows }) => waiting_rows), [0]);
  } finally {
    await world.close();
  }
});

async function withForwarding(
  work: (world: Forwarding) => Promise<void>,
  options: Parameters<typeof openForwarding>[0] = {},
): Promise<void> {
  const world = await openForwarding(options);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

const down = () => Promise.reject(new TypeError("connection refused"));

/** Whether a request is about the gateway or its alarms, and none of rows. */
const isMeeting = ({ url }: Request) => new URL(url).pathname.startsWith("/ingest/v1/gateways");

const hour_ms = 3_600_000;

/** What the centre has of a tag: how many rows, and from when to when, in milliseconds. */
async function atCentre({ centre }: Forwarding, tag: string) {
  const [found] = await centre.services.database.read((connection) =>
    queryRows<{ rows: number; first_ms: number; last_ms: number }>(
      connection,
      `SELECT count(*)::INTEGER AS rows, (min(ts) / 1000)::DOUBLE AS first_ms,
         (max(ts) / 1000)::DOUBLE AS last_ms
       FROM sample JOIN tag USING (tag_no) WHERE sensor_tag = $tag`,
      { tag },
    )
  );
  return found;
}

Deno.test("three weeks without a line drain, newest first, live rows seconds behind", () =>
  withForwarding(async (world) => {
    const { gateway } = world;
    const at = (tag: string, ms: number) => ({ tag, ts: new Date(ms).toISOString(), value: ms });
    const nowMs = () => gateway.clock.now_us / 1000;
    world.line = down;
    const [looks, rows] = [21 * 6, 4 * 60];
    for (let look = 0; look < looks; look++) {
      const past = Array.from({ length: rows }, (_, i) => at("past", nowMs() - i * 60_000));
      await world.send(past);
      world.advance(rows * 60_000);
    }
    assert.ok(await world.turn() >= 1_000);
    assert.match((await gateway.services.upstream.state())!.reason!, /refused/);
    let worst_ms = 0;
    let requests = 0;
    world.line = async (request) => {
      const answer = await world.direct(request);
      // Each takes a while, and the sources go on meanwhile.
      world.advance(1_300);
      await world.send([at("live", nowMs())]);
      if (requests++ % 10 > 0) return answer;
      const live = await atCentre(world, "live");
      if (live.rows > 0) worst_ms = Math.max(worst_ms, nowMs() - live.last_ms);
      const past = await atCentre(world, "past");
      assert.equal(past.rows % rows, 0, "what was stored together comes together");
      if (past.rows > 0) {
        assert.equal(past.last_ms - past.first_ms, (past.rows - 1) * 60_000, "none is left out");
      }
      return answer;
    };
    world.advance(upstream_limits.retry_most_ms);
    await allTurns(world);
    world.line = world.direct;
    world.advance(upstream_limits.live_ms);
    await world.turn();
    assert.equal(await world.requireSame(), looks * rows + requests);
    assert.ok(requests > looks, `${requests}`);
    assert.ok(worst_ms > 0 && worst_ms <= 10_000, `${worst_ms} ms behind`);
    const state = await gateway.services.upstream.state();
    assert.deepEqual([state!.reason, state!.projects[0].spans.length], [null, 1]);
  }));

Deno.test("what the centre answers makes the gateway wait, say why, and send it all later", () =>
  withForwarding(async (world) => {
    const { upstream } = world.gateway.services;
    const answers: readonly (readonly [number, string, RegExp, string?])[] = [
      [503, '{"detail":"the service is stopping"}', /503: the service is stopping/, "90"],
      [429, "", /answered 429/],
      [401, '{"detail":"no such token"}', /no such token\. Set upstream_token/],
      [403, "", /403\. The token needs the scope ingest/],
      [404, "", /Look at upstream_url/],
      [200, "<html>Welcome to the hotel</html>", /none of Wattkeeper's/],
      [200, "", /none of Wattkeeper's/],
      [302, "", /answered 302/],
      [500, "oops", /answered 500: oops/],
    ];
    let second = 0;
    for (const [status, text, wanted, retry_after] of answers) {
      await world.send([rowAt("a", second++, 1), rowAt("b", second++, 2)]);
      const headers = new Headers(retry_after ? { "retry-after": retry_after } : {});
      for (const only of ["/ingest/v1/signals", "/ingest/v1/gateways"]) {
        world.line = (request) =>
          new URL(request.url).pathname === only
            ? Promise.resolve(new Response(text, { status, headers }))
            : world.direct(request);
        world.advance(upstream_limits.meet_ms);
        const wait_ms = await world.turn();
        const state = (await upstream.state())!;
        assert.match(state.reason ?? "", wanted, `${status} ${text}`);
        assert.equal(state.connected, false);
        if (retry_after && only.endsWith("signals")) assert.ok(wait_ms >= 90_000);
        const most_ms = retry_after ? 99_000 : upstream_limits.retry_most_ms;
        assert.ok(wait_ms >= 1_000 && wait_ms <= most_ms, `${wait_ms}`);
      }
      world.line = world.direct;
      world.advance(upstream_limits.meet_ms);
      await world.turn();
      assert.equal((await upstream.state())!.reason, null);
      await world.requireSame();
    }
  }));

Deno.test("a centre that hangs is left, and one that answers too late has the rows once", () =>
  withForwarding(async (world) => {
    await world.send([rowAt("a", 1, 1), rowAt("a", 2, 2)]);
    for (const stores of [false, true]) {
      const asked = Promise.withResolvers<void>();
      world.line = async (request) => {
        if (isMeeting(request)) return await world.direct(request);
        if (stores) await world.direct(request.clone());
        asked.resolve();
        return await new Promise((_, reject) =>
          request.signal.addEventListener("abort", () => reject(request.signal.reason))
        );
      };
      const turn = world.turn();
      await asked.promise;
      world.advance(upstream_limits.send_ms);
      assert.ok(await turn >= 1_000);
      const { reason } = (await world.gateway.services.upstream.state())!;
      assert.match(reason!, /no answer within 60 s/);
      world.advance(upstream_limits.retry_most_ms);
    }
    world.line = world.direct;
    await world.turn();
    assert.equal(await world.requireSame(), 2);
    assert.deepEqual(world.centre.services.ingest.totals.duplicates, 2);
  }));

Deno.test("rows that the centre rejects are set aside with its reason, and hold up nothing", () =>
  withForwarding(async (world) => {
    const { upstream } = world.gateway.services;
    const { centre } = world;
    await centre.fetch("/ingest/v1/signals?project_id=p1", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: JSON.stringify(rowAt("word", 0, 1)),
    });
    const words = Array.from(
      { length: 350 },
      (_, i) => ({ ...rowAt("word", i, 0), value: null, value_str: `w${i}` }),
    );
    await world.send([...words, rowAt("good", 1, 1)]);
    await world.turn();
    assert.equal((await atCentre(world, "good")).rows, 1);
    const [aside] = await upstream.setAside(1);
    assert.equal(aside.rows, 350);
    assert.match(aside.reason, /text|float|number/);
    assert.equal((await upstream.state())!.projects[0].set_aside_rows, 350);
    // Mended at the centre: all of them are sent once more.
    await centre.services.database.write(({ connection }) =>
      connection.script("UPDATE tag SET encoding = 'string' WHERE sensor_tag = 'word'")
    );
    await centre.services.catalog.reload();
    assert.equal(await upstream.retrySetAside(1), 350);
    world.advance(upstream_limits.live_ms);
    await world.turn();
    assert.deepEqual(await upstream.setAside(1), []);
    assert.equal((await atCentre(world, "word")).rows, 350);
  }));

/** A line that refuses every body that has one of some values, and every one that is too long. */
function poisonedLine(
  world: Forwarding,
  { tags, status }: { readonly tags: readonly string[]; readonly status: number },
): Forwarding["line"] {
  return async (request) => {
    if (isMeeting(request)) return await world.direct(request);
    const packed = new Uint8Array(await request.clone().arrayBuffer());
    const text = new TextDecoder("latin1").decode(zstdDecompressSync(packed));
    if (!tags.some((tag) => text.includes(tag))) return await world.direct(request);
    return Response.json({ detail: "a filter on the way found something" }, { status });
  };
}

Deno.test("a body that one row spoils is halved until the row is found", () =>
  withForwarding(async (world) => {
    for (const status of [400, 413, 422]) {
      const poison = `poison${status}`;
      const rows = Array.from({ length: 300 }, (_, i) => rowAt(`tag${i}`, status, i));
      await world.send([...rows, rowAt(poison, 1, 1), rowAt(poison, 2, 2)]);
      world.line = poisonedLine(world, { tags: [poison], status });
      world.advance(upstream_limits.meet_ms);
      await world.turn();
      const aside = (await world.gateway.services.upstream.setAside(1))
        .find(({ reason, rows }) => reason.includes("filter") && rows === 2);
      assert.ok(aside, `${status}`);
      assert.equal((await atCentre(world, poison)).rows, 0);
      assert.equal((await atCentre(world, "tag299")).rows, [400, 413, 422].indexOf(status) + 1);
      world.line = world.direct;
      assert.equal(await world.gateway.services.upstream.retrySetAside(1), 2);
      world.advance(upstream_limits.live_ms);
      await world.turn();
      await world.requireSame();
    }
  }));

Deno.test("where the centre refuses every body, no row is blamed", () =>
  withForwarding(async (world) => {
    await world.send(Array.from({ length: 40 }, (_, i) => rowAt("a", i, i)));
    world.line = (request) =>
      isMeeting(request)
        ? world.direct(request)
        : Promise.resolve(Response.json({ detail: "bodies are forbidden" }, { status: 400 }));
    await world.turn();
    const { upstream } = world.gateway.services;
    assert.match((await upstream.state())!.reason!, /refuses every body: bodies are forbidden/);
    assert.deepEqual(await upstream.setAside(1), []);
    world.line = world.direct;
    world.advance(upstream_limits.retry_most_ms);
    await world.turn();
    assert.equal(await world.requireSame(), 40);
  }));

Deno.test("a value that is sent again replaces the one before at the centre, too", () =>
  withForwarding(async (world) => {
    await world.send(Array.from({ length: 20 }, (_, i) => rowAt("a", i, i)));
    world.line = async (request) => {
      world.line = world.direct;
      const answer = await world.direct(request);
      await world.send([rowAt("a", 3, 33), rowAt("a", 4, 4)]);
      return answer;
    };
    await world.turn();
    world.advance(upstream_limits.live_ms);
    await world.turn();
    assert.equal(await world.requireSame(), 20);
    await world.send([rowAt("a", 3, 3)]);
    await world.send([rowAt("a", 3, 3)]);
    world.advance(upstream_limits.live_ms);
    await world.turn();
    assert.equal(await world.requireSame(), 20);
  }));

Deno.test("a clock that is set by an hour, forth and back, loses and doubles nothing", () =>
  withForwarding(async (world) => {
    let second = 0;
    for (const step_ms of [0, -hour_ms, 2 * hour_ms, -hour_ms, hour_ms, -2 * hour_ms]) {
      world.gateway.clock.step(step_ms);
      for (let i = 0; i < 5; i++) {
        await world.send([rowAt("a", second++, second)]);
        world.advance(upstream_limits.live_ms);
        if (i % 2 === 0) await world.turn();
      }
    }
    await world.turn();
    world.advance(upstream_limits.live_ms);
    await world.turn();
    assert.equal(await world.requireSame(), 30);
  }));

Deno.test("a limit of the rate holds, and what is live does not wait for the backlog", async () => {
  const max_kbit = 64;
  await withForwarding(async (world) => {
    const { gateway } = world;
    world.line = down;
    for (let hour = 0; hour < 3; hour++) {
      await world.send(
        Array.from({ length: 3_600 }, (_, i) => rowAt(`n${i % 20}`, i, Math.sin(i * 77.7 + hour))),
      );
      world.advance(hour_ms);
    }
    await world.turn();
    world.advance(upstream_limits.retry_most_ms);
    let bytes = 0;
    let worst_s = 0;
    let live = 0;
    world.line = async (request) => {
      bytes += (await request.clone().arrayBuffer()).byteLength;
      if (isMeeting(request)) return await world.direct(request);
      const state = await gateway.services.upstream.state();
      if (live > 4) worst_s = Math.max(worst_s, state!.projects[0].lag_us / 1e6);
      if (live++ % 2 === 0) await world.send([rowAt("live", 4_000 + live, live)]);
      return await world.direct(request);
    };
    const from_us = gateway.clock.now_us;
    await turnInTime(world);
    const took_s = (gateway.clock.now_us - from_us) / 1e6;
    world.line = world.direct;
    world.advance(upstream_limits.live_ms);
    await turnInTime(world);
    await world.requireSame();
    assert.ok(8 * bytes / 1000 <= max_kbit * took_s * 1.1 + 400, `${bytes} in ${took_s} s`);
    assert.ok(worst_s <= 10, `${worst_s} s behind`);
  }, { settings: { upstream_max_kbit: max_kbit } });
});

/** Turns whose bodies wait for the rate that is allowed: time goes on until all is sent. */
async function turnInTime(world: Forwarding): Promise<void> {
  let is_done = false;
  const turn = allTurns(world).finally(() => is_done = true);
  while (!is_done) {
    await aTurn();
    world.advance(25);
  }
  await turn;
}

/** A turn ends where the centre is to be told how it goes. */
async function allTurns(world: Forwarding): Promise<void> {
  while (await world.turn() === 0);
}

Deno.test("two gateways send into one project, and the same rows are there once", async () => {
  const one = await openForwarding();
  const other = await openForwarding({ centre: one.centre });
  try {
    const rows = Array.from({ length: 30 }, (_, i) => rowAt("both", i, i));
    await one.send([...rows, rowAt("one", 1, 1)]);
    await other.send([...rows, rowAt("other", 1, 1)]);
    await Promise.all([one.turn(), other.turn()]);
    assert.equal((await atCentre(one, "both")).rows, 30);
    assert.equal((await atCentre(one, "one")).rows + (await atCentre(one, "other")).rows, 2);
    assert.equal(one.centre.services.ingest.totals.duplicates, 30);
  } finally {
    await other.close();
    await one.close();
  }
});
