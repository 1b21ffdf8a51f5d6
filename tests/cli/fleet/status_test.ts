// What `fleet status` says of nodes and shards, and its code.
import { equal, match } from "node:assert/strict";
import { runCli } from "../../../src/cli/cli.ts";
import type { FleetDoors } from "../../../src/cli/frame/context.ts";
import { exit_codes } from "../../../src/cli/frame/exit.ts";
import type { FleetNode } from "../../../src/model/fleet/shard.ts";
import type { Seen } from "../../../src/store/fleet/fleet_catalog.ts";
import { fakeEffects } from "../../help/effects.ts";

const lost: Seen = {
  ...{ no: 3, node: null, epoch: 2, is_held: false, home: "a", is_open: false, wanted: null },
  ...{ is_used: true, is_made: true, data_version: 7, why: null, tried: [], mark: "" },
  is_outlined: false,
};

const node: FleetNode = {
  ...{ name: "a", address: "http://a", version: "1", data_version: 7 },
  ...{ is_live: true, is_draining: false },
};

/** What is printed of such a fleet. */
async function status(nodes: readonly FleetNode[], shards: readonly Seen[]) {
  const { effects, printed } = fakeEffects();
  const catalog = {
    isMade: () => Promise.resolve(true),
    look: () => Promise.resolve({ nodes, shards, news: [] }),
    close: () => Promise.resolve(),
  };
  const code = await runCli(["fleet", "status"], {
    ...{ effects: { ...effects, env: () => ({}) }, version: "1" },
    openService: () => Promise.reject(new Error("no service is asked for")),
    loadFleet: () => Promise.resolve({ openCatalog: () => catalog } as unknown as FleetDoors),
  });
  return { code, text: printed.out };
}

Deno.test("a fleet whose nodes are all away needs a node, not a newer program", async () => {
  for (const nodes of [[], [{ ...node, is_live: false }]]) {
    const { code, text } = await status(nodes, [lost]);
    equal(code, exit_codes.failed);
    match(text, /^no node is alive: `wattkeeper fleet serve` starts one$/m);
    match(text, /^shard 3 is at no node; a held it last$/m);
  }
});

Deno.test("a shard that no node can open needs the newer program", async () => {
  const { text } = await status([{ ...node, data_version: 6 }], [lost]);
  match(text, /^shard 3 is at no node; .*version 7, which needs a node of the newer program$/m);
});

Deno.test("a node that is away is no failure while its shards run elsewhere", async () => {
  const held = { ...lost, is_held: true, node: "a" };
  const { code, text } = await status([node, { ...node, name: "b", is_live: false }], [held]);
  equal(code, exit_codes.ok);
  match(text, /^a {2}alive .* 1 shards, those with data: 3$/m);
  match(text, /^b {2}away .* 0 shards, those with data: none$/m);
});
