// The process of a shard that hangs: its node does not wait for it for ever.
import { deepEqual } from "node:assert/strict";
import { giveWay } from "../../../src/base/effects.ts";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { ShardProcess } from "../../../src/engine/fleet/shard_process.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { fakeEffects } from "../../help/effects.ts";

const { silent_looks, silent_look_ms } = fleet_limits;

Deno.test("a shard that answers and says nothing any more is killed", async () => {
  const { effects, clock } = fakeEffects();
  const said: string[] = [];
  let next = Promise.withResolvers<Message | undefined>();
  const say = (message: Message | undefined) => {
    next.resolve(message);
    next = Promise.withResolvers();
  };
  const self: OtherSelf = {
    send: () => Promise.resolve(),
    receive: () => next.promise,
    end() {
      said.push("killed");
      say(undefined);
      return Promise.resolve(137);
    },
  };
  const ears = { leftMs: () => 1, onTold: () => {}, onHang: () => said.push("it hangs") };
  const process = new ShardProcess(self, ears, effects);
  const settle = async () => {
    for (let turns = 0; turns < 5; turns++) await giveWay();
  };
  const pass = async (looks: number) => {
    for (let i = 0; i < looks; i++) {
      clock.advance(silent_look_ms);
      await settle();
    }
  };
  await pass(silent_looks + 1);
  deepEqual(said, [], "it opens its database, for as long as that takes");
  say({ json: { port: 1 } });
  await settle();
  // This process stood still: that is one look.
  clock.advance(3_600_000);
  await settle();
  await pass(silent_looks - 2);
  say({ json: { ask_ms: 1 } });
  await settle();
  await pass(silent_looks);
  deepEqual(said, [], "it has asked");
  clock.advance(silent_look_ms);
  await settle();
  deepEqual(said.slice(0, 2), ["it hangs", "killed"]);
  await process.ended;
});
