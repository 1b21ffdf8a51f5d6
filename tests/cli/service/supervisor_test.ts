// What a supervisor hears on its socket: ready, alive, and nothing of a service that is ill.
import { deepEqual, equal, match } from "node:assert/strict";
import { notifierTo } from "../../../src/base/effects.ts";
import { attend, prolonged } from "../../../src/cli/service/supervisor.ts";
import { fakeEffects } from "../../help/effects.ts";

Deno.test("a supervisor hears that a service is ready and alive, until it is ill", async () => {
  await using world = await openWorld();
  const { hear, clock, effects, parts, stop } = world;
  const attending = attend(parts, effects, stop.signal);
  match(await hear(), /^READY=1\nSTATUS=serving, 7 samples/);
  parts.roll.state.stale_days = 3;
  const beat = async () => {
    clock.advance(10_000);
    return await hear();
  };
  match(await beat(), /^WATCHDOG=1\nSTATUS=.* 3 days of tags left/);
  parts.fill.state = { job: "roll_up", percent: 41.7, left: 5 };
  match(await beat(), /^WATCHDOG=1\nSTATUS=filling with its history: 41 %/);
  parts.database.answers = () => Promise.resolve(false);
  await quietly(() => clock.advance(10_000));
  parts.database.answers = () => new Promise(() => {});
  await quietly(() => clock.advance(10_000));
  await quietly(() => clock.advance(15_000));
  parts.database.answers = () => Promise.resolve(true);
  parts.loops[0].has_failed = true;
  await quietly(() => clock.advance(10_000));
  equal(world.said(), 3);
  stop.abort();
  await attending;
});

Deno.test("a supervisor is told to wait on, for as long as a start or a stop takes", async () => {
  await using world = await openWorld();
  const { hear, clock, effects } = world;
  const done = Promise.withResolvers<number>();
  const working = prolonged(effects, "STATUS=opening", () => done.promise);
  const heard = [await hear()];
  await quietly(() => clock.advance(10_000));
  heard.push(await hear());
  deepEqual(heard, Array(2).fill("STATUS=opening\nEXTEND_TIMEOUT_USEC=30000000"));
  done.resolve(5);
  equal(await working, 5);
});

Deno.test("without a supervisor, and with one that is gone, nothing happens", async () => {
  await notifierTo(undefined)("READY=1");
  await notifierTo("/nowhere/socket")("READY=1");
});

/** A socket that hears what is said, a clock, and what is attended to. */
async function openWorld() {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/notify`;
  const socket = Deno.listenDatagram({ transport: "unixpacket", path });
  const tell = notifierTo(path);
  let said = 0;
  let telling = Promise.resolve();
  const { effects: fake, clock } = fakeEffects();
  const effects = {
    ...fake,
    env: () => ({ NOTIFY_SOCKET: path, WATCHDOG_USEC: "30000000" }),
    async notify(state: string) {
      said++;
      await (telling = tell(state));
    },
  };
  const parts = {
    database: { answers: () => Promise.resolve(true) },
    loops: [{ has_failed: false }],
    roll: {
      state: {
        backlog: 7,
        waiting: 0,
        rolled_to_us: 0,
        over_minute: 0,
        stale_days: 0,
        may_be_stale: false,
        marks: 0,
      },
    },
    fill: { state: undefined as undefined | { job: "roll_up"; percent: number; left: number } },
  };
  return {
    ...{ effects, clock, parts, stop: new AbortController(), said: () => said },
    async hear() {
      const [bytes] = await socket.receive();
      await telling;
      await quietly(() => {});
      return new TextDecoder().decode(bytes);
    },
    async [Symbol.asyncDispose]() {
      socket.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Does something and lets whatever follows from it happen. */
async function quietly(work: () => void): Promise<void> {
  const settled = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  await settled();
  work();
  await settled();
}
