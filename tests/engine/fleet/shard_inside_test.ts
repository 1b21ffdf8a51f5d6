// How long a shard's process may answer, by what its node says, however late that comes.
import { deepEqual, equal, rejects } from "node:assert/strict";
import type { Message, Pipe } from "../../../src/base/effects_self.ts";
import { onLeaseClock } from "../../../src/engine/fleet/outward.ts";
import { ShardInside } from "../../../src/engine/fleet/shard_inside.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import type { Notice } from "../../../src/model/fleet/shard.ts";
import { fakeEffects } from "../../help/effects.ts";
import { aTurn } from "../../help/until.ts";

/** The two ends of a pipe in a test's hand. */
function pipeInHand() {
  const told: unknown[] = [];
  let next = Promise.withResolvers<Message | undefined>();
  const pipe: Pipe = {
    send: (message) => {
      told.push("json" in message ? message.json : undefined);
      return Promise.resolve();
    },
    receive: () => next.promise,
  };
  return {
    pipe,
    told,
    /** Says something to the process; undefined: the node has gone. */
    async say(json: unknown): Promise<void> {
      const { resolve } = next;
      next = Promise.withResolvers();
      resolve(json === undefined ? undefined : { json });
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  };
}

Deno.test("a shard counts its lease from when it asked: a late word is worth less", async () => {
  const { effects, clock } = fakeEffects();
  const { pipe, say } = pipeInHand();
  const inside = new ShardInside({ pipe, effects });
  equal(inside.is_certain, false, "before anything was said");
  const asked_ms = effects.monotonic_ms();
  clock.advance(3_000);
  await say({ asked_ms, left_ms: 5_000 });
  equal(inside.is_certain, true);
  clock.advance(1_999);
  equal(inside.is_certain, true);
  clock.advance(1);
  equal(inside.is_certain, false);
  // A process that was stopped for a minute finds an old word in its pipe.
  await say({ asked_ms, left_ms: 9_000 });
  clock.advance(60_000);
  equal(inside.is_certain, false);
  await say({ asked_ms: effects.monotonic_ms(), left_ms: 0 });
  equal(inside.is_certain, false, "its node is not certain itself");
});

Deno.test("a machine that was suspended knows when it wakes that its lease has ended", async () => {
  const { effects, clock } = fakeEffects();
  let suspended_ms = 0;
  const sinceStart = () => effects.monotonic_ms() + 5_000 + suspended_ms;
  const timed = onLeaseClock(effects, sinceStart);
  const { pipe, say } = pipeInHand();
  const inside = new ShardInside({ pipe, effects: timed });
  await say({ asked_ms: timed.monotonic_ms(), left_ms: 9_000 });
  clock.advance(8_000);
  equal(inside.is_certain, true);
  suspended_ms = 3_600_000;
  equal(inside.is_certain, false);
  const untold = onLeaseClock(effects, () => undefined);
  equal(untold.monotonic_ms(), effects.monotonic_ms());
});

const notice: Notice = { organizations: [], projects: [], sites: [], tokens: [], users: [] };

Deno.test("a shard takes over what it was told last, until that is stored", async () => {
  const { effects, clock } = fakeEffects();
  const { pipe, say } = pipeInHand();
  const inside = new ShardInside({ pipe, effects });
  const [first, second, third] = [1, 2, 3].map(() => ({ ...notice }));
  await say({ adopt: first });
  await say({ adopt: second });
  const taken: Notice[] = [];
  let is_full = true;
  const take = (told: Notice) => {
    if (is_full) return Promise.reject(new Error("the disk is full"));
    taken.push(told);
    return Promise.resolve();
  };
  await rejects(inside.adopt(take), /full/);
  is_full = false;
  await inside.adopt(take);
  deepEqual([taken.length, taken[0] === second], [1, true]);

  let failures = 0;
  const keeping = inside.keepAdopting(take, () => failures++);
  is_full = true;
  await say({ adopt: third });
  deepEqual([taken.length, failures], [1, 1]);
  is_full = false;
  clock.advance(fleet_limits.ask_ms);
  await say({ asked_ms: 0, left_ms: 0 });
  deepEqual([taken.length, taken[1] === third, failures], [2, true, 1]);
  await say({ stop: true });
  await keeping;
});

Deno.test("a shard asks and tells until its node is gone, and stops when it is told", async () => {
  const { effects } = fakeEffects();
  const { pipe, say, told } = pipeInHand();
  const inside = new ShardInside({ pipe, effects });
  const running = inside.run(() => notice);
  await say({ adopt: notice });
  await say({ stop: true });
  equal(inside.stop.aborted, true);
  await say(undefined);
  await inside.gone;
  await running;
  equal(told.length, 2);
  equal(told[1], (told as { told?: unknown }[]).find((it) => it.told));
});

Deno.test("what ended is told again once it is taken over, and not before", async () => {
  const { effects, clock } = fakeEffects();
  const { pipe, say, told } = pipeInHand();
  const inside = new ShardInside({ pipe, effects });
  const running = inside.run(() => notice);
  const ended = [{ id: "t", revoked_at: 1 }];
  const endedNow = async () => {
    clock.advance(fleet_limits.ask_ms);
    for (let turns = 0; turns < 5; turns++) await aTurn();
    return (told as { told?: Notice }[]).flatMap((it) => it.told ?? []).at(-1)?.ended;
  };
  await say({ adopt: { ...notice, ended } });
  equal(await endedNow(), undefined);
  await rejects(inside.adopt(() => Promise.reject(new Error("the disk is full"))), /full/);
  equal(await endedNow(), undefined);
  await inside.adopt(() => Promise.resolve());
  deepEqual(await endedNow(), ended);
  await say({ adopt: { ...notice, ended: [] } });
  await inside.adopt(() => Promise.resolve());
  deepEqual(await endedNow(), []);
  await say(undefined);
  await running;
});

Deno.test("a shard says in one line why it ends", async () => {
  const { effects } = fakeEffects();
  const { pipe, told } = pipeInHand();
  await new ShardInside({ pipe, effects }).fail(new Error("the disk\n  is \x1b[31mfull\n"));
  deepEqual(told, [{ failed: "the disk; is  [31mfull" }]);
});

Deno.test("a node that stands still holds nobody who asks what became of an outline", async () => {
  const { effects, clock } = fakeEffects();
  const { pipe } = pipeInHand();
  const full = { ...pipe, send: () => new Promise<void>(() => {}) };
  const inside = new ShardInside({ pipe: full, effects });
  const keeping = inside.keep({ after_no: 0, outline: null });
  await aTurn();
  clock.advance(fleet_limits.keep_ms);
  equal(await keeping, undefined);
});
