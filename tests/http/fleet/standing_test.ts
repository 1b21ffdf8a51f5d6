// When a node asks what stands in for a shard, and whose answer leaves.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { sha256Hex } from "../../../src/base/digest.ts";
import type { FleetNode } from "../../../src/engine/fleet/node.ts";
import { Gathering } from "../../../src/http/fleet/gathering.ts";
import { Passage } from "../../../src/http/fleet/passage.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { fakeEffects } from "../../help/effects.ts";

const path = "/platform/v1/signals?project_id=p&resolution=raw&to=2026-04-28T02:00:00 02:00";

const token = "wk_token";

/** A node whose shard is away, unless it is `here`, and what is asked, by port. */
function inHand() {
  const { effects, clock } = fakeEffects();
  const asked: string[] = [];
  const world = {
    here: false,
    /** Whether its process is gone all the same. */
    is_broken: false,
    stands: true,
    is_true: true,
    status: 200,
    ...{ stood: 0, ended: 0, counted: 0 },
    is_running: false,
    is_known: true,
    onWait: () => {},
  };
  const holding = { left_ms: 1, begin: () => () => {} };
  const node = {
    ...{ name: "a", catalogue_ms: Date.parse("2026-06-01T00:00:00Z") },
    wayTo: () => world.here ? { kind: "here", holding, port: 1 } : { kind: "coming" },
    directory: { knows: (digest: string) => world.is_known && digest === sha256Hex(token) },
    stand_ins: { has: () => world.is_running, count: () => world.counted++ },
    standIn() {
      world.stood += Number(world.stands);
      const isTrue = () => Promise.resolve(world.is_true);
      return Promise.resolve(
        world.stands ? { port: 2, isTrue, end: () => world.ended++ } : undefined,
      );
    },
    changed(wait_ms: number) {
      clock.advance(wait_ms);
      world.onWait();
      return Promise.resolve();
    },
  };
  const passage = new Passage({
    node: node as unknown as FleetNode,
    effects: {
      ...effects,
      request: ({ url }) => {
        const { port } = new URL(url);
        asked.push(port);
        if (port === "1" && world.is_broken) return Promise.reject(new Error("reset"));
        return Promise.resolve(
          new Response(`of ${port}`, { status: port === "2" ? world.status : 200 }),
        );
      },
    },
    settings: {
      ...{ fleet_secret: "0123456789abcdef", trusted_proxies: "none" },
      ...{ public_url: "none", tls_cert: "none" },
    },
  });
  const ask = async (path: string, init?: RequestInit) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(new URL(path, "http://node"), { headers, ...init });
    const answer = await passage.send(1, { request, peer: null, body: request.body });
    return `${answer.status} ${await answer.text()}`;
  };
  return { world, clock, effects, ask, asked, passage };
}

Deno.test("what lies in the lake is answered for a shard that does not come soon", async () => {
  const { world, effects, ask, asked } = inHand();
  const begin_ms = effects.monotonic_ms();
  equal(await ask(path), "200 of 2");
  equal(effects.monotonic_ms() - begin_ms, fleet_limits.stand_in_wait_ms);
  equal(world.ended, 1);
  world.is_running = true;
  await ask(path);
  equal(effects.monotonic_ms() - begin_ms, fleet_limits.stand_in_wait_ms, "at once");
  // A client's mistake is told like any answer.
  world.status = 400;
  equal(await ask(path), "400 of 2");
  deepEqual([asked, world.counted], [["2", "2", "2"], 3]);
});

Deno.test("a shard that is there answers itself, and instead of it where it breaks", async () => {
  const { world, ask, asked } = inHand();
  world.here = true;
  equal(await ask(path), "200 of 1");
  world.is_broken = true;
  equal(await ask(path), "200 of 2");
  deepEqual(asked, ["1", "1", "2"]);
});

Deno.test("only who is known lets a stand-in be started", async () => {
  const { world, ask, asked } = inHand();
  await rejects(ask(path, { headers: {} }), /on its way to another node, or away with its own/);
  world.is_known = false;
  await rejects(ask(path), /on its way/);
  deepEqual([asked, world.stood], [[], 0]);
  world.is_running = true;
  world.status = 401;
  equal(await ask(path), "401 of 2");
});

Deno.test("what was not true to the end does not leave", async () => {
  const { world, ask } = inHand();
  world.is_true = false;
  await rejects(ask(path), /on its way/);
  equal(world.ended, 1);
});

Deno.test("what can't be answered instead waits for the shard, as all else does", async () => {
  const { world, ask, asked, effects } = inHand();
  world.status = 503;
  const begin_ms = effects.monotonic_ms();
  world.onWait = () => equal(world.ended, world.stood, "it is free meanwhile");
  equal(await ask(path), "503 of 2", "its own words say why");
  equal(effects.monotonic_ms() - begin_ms, fleet_limits.wait_ms);
  let waits = 0;
  world.onWait = () => {
    world.here = ++waits > 1;
  };
  equal(await ask(path), "200 of 1");
  world.here = false;
  world.onWait = () => {};
  asked.length = 0;
  await rejects(ask(path, { method: "POST", body: "x" }), /on its way/);
  await rejects(ask("/platform/v1/devices?project_id=p"), /on its way/);
  // What is so young lies in no lake.
  await rejects(ask(path.replace("02:00:00", "02:00:01")), /on its way/);
  await rejects(ask("/platform/v1/signals?received_since=2026-01-01T00:00:00Z"), /on its way/);
  world.stands = false;
  await rejects(ask(path), /on its way/);
  deepEqual([asked, world.counted], [[], 0]);
});

Deno.test("the metrics of a node count what it answered for others", async () => {
  const node = { held: [], stand_ins: { answered: new Map([[3, 2]]) } };
  const gathering = new Gathering(node as unknown as FleetNode, inHand().passage);
  const request = new Request("http://node/metrics");
  const text = await (await gathering.metrics({ request, peer: null })).text();
  equal(text.split("\n").at(-2), 'wattkeeper_fleet_stand_in_answers_total{shard="3"} 2');
});
