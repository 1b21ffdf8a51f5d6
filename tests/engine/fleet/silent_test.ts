// The process of a shard that hangs: its node does not wait for it for ever.
import { deepEqual, equal, match } from "node:assert/strict";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { ShardProcess } from "../../../src/engine/fleet/shard_process.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import { fakeEffects } from "../../help/effects.ts";
import { aTurn } from "../../help/until.ts";

const { idle_looks, silent_looks, silent_look_ms, work_ms } = fleet_limits;

/** A process in a test's hand, which says what it is told to, and works as the test says. */
function processOf() {
  const { effects, clock } = fakeEffects();
  const state: { killed: string[]; worked_ms: number | undefined } = { killed: [], worked_ms: 0 };
  let next = Promise.withResolvers<Message | undefined>();
  const say = (message: Message | undefined) => {
    next.resolve(message);
    next = Promise.withResolvers();
  };
  const self: OtherSelf = {
    pid: 1,
    send: () => Promise.resolve(),
    receive: () => next.promise,
    end() {
      say(undefined);
      return Promise.resolve(137);
    },
  };
  const ears = {
    leftMs: () => 1,
    onTold: () => {},
    workedMs: () => Promise.resolve(state.worked_ms),
    onHang: (why: string) => state.killed.push(why),
    onKeep: () => Promise.resolve(undefined),
  };
  const process = new ShardProcess(self, ears, effects);
  const settle = async () => {
    for (let turns = 0; turns < 5; turns++) await aTurn();
  };
  return {
    ...{ process, state },
    async say(message: Message) {
      say(message);
      await settle();
    },
    async pass(looks: number, look_ms: number = silent_look_ms) {
      for (let i = 0; i < looks; i++) {
        clock.advance(look_ms);
        await settle();
      }
    },
  };
}

/** This process stood still: that is one look. */
const stood_still_ms = 3_600_000;

Deno.test("a shard that answers and says nothing any more is killed", async () => {
  const { process, state, say, pass } = processOf();
  await say({ json: { port: 1 } });
  await pass(1);
  await pass(1, stood_still_ms);
  await pass(silent_looks - 2);
  await say({ json: { ask_ms: 1 } });
  await pass(silent_looks);
  deepEqual(state.killed, [], "it has asked");
  await pass(1);
  equal(state.killed.length, 1);
  equal(await process.ended, 137);
  match(process.last_words!, /said nothing for 30 s$/);
});

Deno.test("a shard opens for as long as it works, and is killed if it hangs", async () => {
  const { process, state, pass } = processOf();
  for (let looks = 0; looks < 3 * idle_looks; looks++) {
    state.worked_ms! += work_ms / (idle_looks - 1);
    await pass(1);
  }
  state.worked_ms! += work_ms;
  await pass(1);
  await pass(1, stood_still_ms);
  await pass(idle_looks - 2);
  deepEqual(state.killed, [], "it may wait for the disk");
  await pass(1);
  equal(state.killed.length, 1);
  equal(await process.ended, 137);
  equal(await process.port, undefined);
  match(process.last_words!, /did nothing for 300 s while it opened its database$/);
});

Deno.test("where the system tells of no work, a shard may open for ever", async () => {
  const { process, state, say, pass } = processOf();
  state.worked_ms = undefined;
  await pass(2 * idle_looks);
  await say({ json: { port: 1 } });
  equal(await process.port, 1);
  await pass(silent_looks);
  deepEqual(state.killed, []);
  await pass(1);
  equal(state.killed.length, 1, "it answers, and says nothing");
});
