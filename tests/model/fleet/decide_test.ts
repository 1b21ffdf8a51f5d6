// What nodes do about shards: it ends, it is even, it heeds operators, and it leaves none alone.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { decide } from "../../../src/model/fleet/decide.ts";
import type { FleetNode, Shard } from "../../../src/model/fleet/shard.ts";

const all_nodes = ["a", "b", "c", "d"];

const shardOf = (no: number, more: Partial<Shard> = {}): Shard => ({
  ...{ no, node: null, epoch: 0, is_held: false, home: null, is_open: false, wanted: null },
  ...{ is_used: no % 3 !== 0, is_made: false, data_version: 1, why: null, tried: [] },
  ...more,
});

const nodeOf = (name: string, more: Partial<FleetNode> = {}): FleetNode => (
  {
    ...{ name, address: "", version: "", data_version: 1, is_live: true, is_draining: false },
    ...more,
  }
);

/** Lets every node decide in turn, and does what it says, until nobody wants anything. */
function settle(
  shards: Shard[],
  { nodes, is_shared = true }: {
    readonly nodes: readonly FleetNode[];
    readonly is_shared?: boolean;
  },
): { readonly shards: Shard[]; readonly turns: number } {
  for (let turns = 0; turns < 500; turns++) {
    let is_quiet = true;
    for (const { name: me, data_version } of nodes.filter(({ is_live }) => is_live)) {
      const mine = new Set(shards.filter(({ node }) => node === me).map(({ no }) => no));
      const { take, give } = decide({
        ...{ me, nodes, mine, is_shared },
        shards: shards.map((it) => ({ ...it, is_free: it.node === null })),
      });
      for (const no of take) {
        shards[no] = { ...shards[no], node: me, is_held: true, home: me, data_version };
      }
      for (const no of give) shards[no] = { ...shards[no], node: null, is_held: false };
      is_quiet &&= take.length + give.length === 0;
    }
    if (is_quiet) return { shards, turns };
  }
  throw new Error("it never ends");
}

const countOf = (shards: readonly Shard[], name: string, is_used: boolean) =>
  shards.filter((it) => it.node === name && it.is_used === is_used).length;

Deno.test("wherever shards are, nodes come to rest with each shard held, and evenly", () => {
  const place = fc.record({
    node: fc.constantFrom(null, ...all_nodes),
    is_used: fc.boolean(),
  });
  fc.assert(fc.property(
    fc.array(place, { minLength: 1, maxLength: 40 }),
    fc.subarray(all_nodes, { minLength: 1 }),
    (places, alive) => {
      const nodes = all_nodes.map((name) => nodeOf(name, { is_live: alive.includes(name) }));
      const { shards } = settle(
        // Those of nodes that are away are free once their leases have ended.
        places.map(({ node, is_used }, no) => {
          const is_held = node !== null && alive.includes(node);
          return shardOf(no, { node: is_held ? node : null, is_held, is_used });
        }),
        { nodes },
      );
      for (const is_used of [true, false]) {
        const counts = alive.map((name) => countOf(shards, name, is_used));
        equal(Math.max(...counts) - Math.min(...counts) <= 1, true, counts.join(" "));
      }
      equal(shards.every(({ node }) => node !== null && alive.includes(node)), true);
    },
  ));
});

Deno.test("a shard goes where an operator wants it, and stays there", () => {
  const nodes = ["a", "b"].map((name) => nodeOf(name));
  const wanted = [0, 1, 2, 3, 4, 5].map((no) => shardOf(no, { is_used: true, wanted: "b" }));
  const { shards } = settle(wanted, { nodes });
  deepEqual(shards.map(({ node }) => node), ["b", "b", "b", "b", "b", "b"]);
});

Deno.test("a shard that is wanted at a node which is away is held by another", () => {
  const nodes = [nodeOf("a"), nodeOf("b", { is_live: false })];
  const { shards } = settle([shardOf(0, { is_used: true, wanted: "b" })], { nodes });
  equal(shards[0].node, "a");
});

Deno.test("a draining node gives everything away and takes nothing", () => {
  const nodes = [nodeOf("a", { is_draining: true }), nodeOf("b")];
  const held = [0, 1, 2].map((no) => shardOf(no, { node: "a", is_held: true }));
  const { shards } = settle(held, { nodes });
  deepEqual(shards.map(({ node }) => node), ["b", "b", "b"]);
});

Deno.test("the last node keeps its shards although it is draining", () => {
  const nodes = [nodeOf("a", { is_draining: true })];
  const { shards } = settle([shardOf(0, { node: "a", is_held: true })], { nodes });
  equal(shards[0].node, "a");
});

Deno.test("on volumes of one machine, a shard with data waits for its own node", () => {
  const own = [0, 1, 2, 3].map((no) => shardOf(no, { is_used: true, home: "a" }));
  const away = [nodeOf("a", { is_live: false }), nodeOf("b")];
  const waiting = settle([...own], { nodes: away, is_shared: false });
  deepEqual(waiting.shards.map(({ node }) => node), [null, null, null, null]);
  const both = [nodeOf("a"), nodeOf("b")];
  const back = settle([...own], { nodes: both, is_shared: false });
  deepEqual(back.shards.map(({ node }) => node), ["a", "a", "a", "a"]);
});

Deno.test("on volumes of one machine, what nobody has opened yet begins anywhere", () => {
  const fresh = [0, 1, 2, 3].map((no) => shardOf(no, { is_used: true }));
  const { shards } = settle(fresh, { nodes: [nodeOf("a"), nodeOf("b")], is_shared: false });
  deepEqual(shards.map(({ node }) => node), ["a", "a", "b", "b"]);
});

Deno.test("a shard that a newer node has opened goes to no older one, and waits for none", () => {
  const place = fc.record({
    node: fc.constantFrom(null, ...all_nodes),
    is_used: fc.boolean(),
    data_version: fc.integer({ min: 1, max: 3 }),
  });
  const versions = fc.record(
    Object.fromEntries(all_nodes.map((name) => [name, fc.integer({ min: 1, max: 3 })])),
  );
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 40 }), versions, (places, of) => {
      const nodes = all_nodes.map((name) => nodeOf(name, { data_version: of[name] }));
      const most = Math.max(...Object.values(of));
      const { shards } = settle(
        places.map(({ node, ...it }, no) => {
          const is_held = node !== null && of[node] >= it.data_version;
          return shardOf(no, { ...it, node: is_held ? node : null, is_held });
        }),
        { nodes },
      );
      for (const { node, data_version } of shards) {
        equal(node === null, data_version > most, `${node} ${data_version}`);
        equal(node === null || of[node] >= data_version, true, `${node} ${data_version}`);
      }
    }),
  );
});

Deno.test("what an operator wants at an older node, or drains to one, stays where it is", () => {
  const nodes = [nodeOf("a", { data_version: 2, is_draining: true }), nodeOf("b")];
  const held = { node: "a", is_held: true, is_used: true, wanted: "b" };
  const { shards } = settle([0, 1].map((no) => shardOf(no, { ...held, data_version: no + 1 })), {
    nodes,
  });
  deepEqual(shards.map(({ node }) => node), ["b", "a"]);
});

Deno.test("a node that is back with leases that have ended is given nothing for that", () => {
  const nodes = ["a", "b"].map((name) => nodeOf(name));
  const shards = [0, 1, 2, 3].map((no) => ({
    ...shardOf(no, { is_used: true, node: no < 2 ? "a" : "b", is_held: no < 2 }),
    is_free: false,
  }));
  const outlook = { me: "a", nodes, shards, mine: new Set([0, 1]), is_shared: true };
  deepEqual(decide(outlook), { take: [], give: [] });
});

Deno.test("a shard that runs nowhere visits each node that can open it once, and rests", () => {
  fc.assert(fc.property(
    fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
    fc.constantFrom(null, ...all_nodes),
    (broken, wanted) => {
      const nodes = all_nodes.map((name) => nodeOf(name, { data_version: name === "d" ? 0 : 1 }));
      let shards = broken.map((_, no) => shardOf(no, { is_used: true, wanted }));
      for (let round = 0; round < 2 * all_nodes.length; round++) {
        ({ shards } = settle(shards, { nodes }));
        // Whoever has it marks that it does not run there.
        shards = shards.map((it) => {
          return broken[it.no] ? { ...it, tried: [...new Set([...it.tried, it.node!])] } : it;
        });
      }
      const { turns } = settle(shards, { nodes });
      equal(turns, 0, "nothing moves any more");
      for (const { no, node, tried } of shards) {
        equal(node !== null && node !== "d", true);
        if (broken[no]) deepEqual(tried.toSorted(), ["a", "b", "c"]);
      }
    },
  ));
});

Deno.test("a shard that runs nowhere moves no other on its way through the nodes", () => {
  fc.assert(fc.property(
    fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
    fc.integer({ min: 1, max: all_nodes.length }),
    (broken, count) => {
      const nodes = all_nodes.slice(0, count).map((name) => nodeOf(name));
      let { shards } = settle(broken.map((_, no) => shardOf(no, { is_used: true })), { nodes });
      const before = shards;
      for (let round = 0; round < 2 * count; round++) {
        shards = shards.map((it) =>
          broken[it.no] ? { ...it, tried: [...new Set([...it.tried, it.node!])] } : it
        );
        ({ shards } = settle(shards, { nodes }));
        for (const { no, node } of shards) if (!broken[no]) equal(node, before[no].node);
      }
    },
  ));
});

/** What a node that holds four shards, and another, do, where it is so with a fifth one. */
function besideFive(last: Partial<Shard>, more: Partial<Shard & { is_free: boolean }> = {}) {
  const nodes = ["a", "b"].map((name) => nodeOf(name));
  const shards = [0, 1, 2, 3].map((no) => (
    { ...shardOf(no, { is_used: true, node: "a", is_held: true }), is_free: false, ...more }
  ));
  const fifth = { ...shardOf(4, { is_used: true, is_held: true, ...last }), is_free: false };
  const decided = (me: string) => {
    const mine = [...shards, fifth].filter(({ node, is_free }) => node === me && !is_free);
    return decide({
      ...{ me, nodes, is_shared: true, shards: [...shards, fifth] },
      mine: new Set(mine.map(({ no }) => no)),
    });
  };
  return { a: decided("a"), b: decided("b") };
}

Deno.test("a node at which a shard does not run is given no others that run elsewhere", () => {
  const givenAway = (last: Partial<Shard>) => besideFive(last).a.give;
  deepEqual(givenAway({ node: "b" }), [0]);
  deepEqual(givenAway({ node: "b", why: "its disk is full" }), []);
  deepEqual(givenAway({ node: "a", tried: ["b"] }), []);
  deepEqual(givenAway({ node: "a", tried: ["b", "a"] }), [0], "it may be the shard's fault");
  const free = { node: null, is_held: false, is_free: true };
  const taken = (last: Partial<Shard>) => {
    const { a, b } = besideFive(last, free);
    return [a.take.length, b.take.length];
  };
  deepEqual(taken({ node: "b" }), [3, 2]);
  deepEqual(taken({ node: "a", tried: ["b"] }), [4, 0]);
});
