// Which processes stand in for shards, by which outline, and for how long.
import { deepEqual, equal } from "node:assert/strict";
import type { Message, OtherSelf } from "../../../src/base/effects_self.ts";
import { silent_log } from "../../../src/engine/core/log.ts";
import { SealedDays } from "../../../src/engine/fleet/sealed_days.ts";
import { StandIns } from "../../../src/engine/fleet/stand_ins.ts";
import { fleet_limits } from "../../../src/model/fleet/limits.ts";
import type { Notice } from "../../../src/model/fleet/shard.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { test_settings } from "../../help/service.ts";

const told: Notice = { organizations: [], projects: [], sites: [], tokens: [], users: [] };
const known = { told, share: 1 };

/** A node's stand-ins, and what was started and ended, each as its command line. */
function inHand({ dies = false } = {}) {
  const { effects, clock } = fakeEffects();
  const done: string[] = [];
  /** The outline of each shard that counts. */
  const outlines = new Map<number, number>();
  const startSelf = (task?: { readonly args: readonly string[] }): OtherSelf => {
    const name = task!.args.slice(1).join(" ");
    const over = Promise.withResolvers<undefined>();
    const said: Message[] = dies ? [] : [{ json: { port: 1000 + done.length } }];
    if (dies) over.resolve(undefined);
    done.push(`start ${name}`);
    return {
      pid: 0,
      send: (message) => {
        const { outline } = Object("json" in message ? message.json : {});
        if (outline) done.push(`${name} reads by ${outline}`);
        return Promise.resolve();
      },
      receive: () => said.length > 0 ? Promise.resolve(said.shift()) : over.promise,
      end: () => {
        over.resolve(undefined);
        done.push(`end ${name}`);
        return Promise.resolve(0);
      },
    };
  };
  const stand_ins = new StandIns({
    ...{ settings: test_settings, log: silent_log, address: "http://a" },
    effects: { ...effects, startSelf },
    catalog: {
      outlines: {
        find: (no) => Promise.resolve(outlines.get(no)),
        read: (no) => {
          const outline_no = outlines.get(no);
          const kept = outline_no && { outline_no, outline: `outline ${outline_no}` };
          return Promise.resolve(kept || undefined);
        },
      },
    },
  });
  return { stand_ins, clock, outlines, done, take: () => done.splice(0) };
}

Deno.test("a stand-in reads by the outline that counts, and is true while that does", async () => {
  const { stand_ins, outlines, take } = inHand();
  equal(await stand_ins.begin(1, known), undefined);
  outlines.set(1, 7);
  const turn = (await stand_ins.begin(1, known))!;
  deepEqual(take(), ["start stand-in 1", "stand-in 1 reads by outline 7"]);
  equal(await turn.isTrue(), true);
  turn.end();
  const again = (await stand_ins.begin(1, known))!;
  deepEqual([take(), again.port], [[], turn.port], "the same process");
  outlines.delete(1);
  equal(await again.isTrue(), false, "it was withdrawn meanwhile");
  again.end();
  equal(await stand_ins.begin(1, known), undefined);
  outlines.set(1, 9);
  const next = (await stand_ins.begin(1, known))!;
  deepEqual(take().filter((it) => !it.startsWith("end")), [
    "start stand-in 1",
    "stand-in 1 reads by outline 9",
  ]);
  equal(await again.isTrue(), false, "what was read by the one before");
  equal(await next.isTrue(), true);
  await stand_ins.close();
});

Deno.test("one that is about to be asked makes no room for another", async () => {
  const { stand_ins, outlines } = inHand();
  const nos = Array.from({ length: fleet_limits.stand_ins }, (_, i) => i + 1);
  for (const no of [...nos, 99]) outlines.set(no, 1);
  for (const no of nos) {
    const turn = await stand_ins.begin(no, known);
    if (no === 1) turn!.end();
  }
  const both = await Promise.all([1, 99].map((no) => stand_ins.begin(no, known)));
  deepEqual(both.map((it) => it !== undefined), [true, false]);
  await stand_ins.close();
});

Deno.test("few stand in at a time, and none that nobody asks", async () => {
  const { stand_ins, outlines, clock, take } = inHand();
  const nos = Array.from({ length: fleet_limits.stand_ins }, (_, i) => i + 1);
  for (const no of [...nos, 99]) outlines.set(no, 1);
  const turns = [];
  for (const no of nos) turns.push((await stand_ins.begin(no, known))!);
  equal(await stand_ins.begin(99, known), undefined, "all of them answer");
  turns[1].end();
  (await stand_ins.begin(99, known))!.end();
  deepEqual([stand_ins.has(2), stand_ins.has(99)], [false, true]);
  take();
  clock.advance(fleet_limits.stand_in_idle_ms);
  stand_ins.look(() => told);
  deepEqual(take().filter((it) => it.startsWith("end")), ["end stand-in 99"], "others answer");
  await stand_ins.close();
});

Deno.test("where one does not start, none is started for a while", async () => {
  const { stand_ins, outlines, clock, take } = inHand({ dies: true });
  outlines.set(1, 1);
  equal(await stand_ins.begin(1, known), undefined);
  equal(await stand_ins.begin(1, known), undefined);
  equal(take().filter((it) => it.startsWith("start")).length, 1);
  clock.advance(fleet_limits.stand_in_rest_ms);
  equal(await stand_ins.begin(1, known), undefined);
  equal(take().filter((it) => it.startsWith("start")).length, 1);
});

Deno.test("what is read while the lake takes a name away does not leave", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects, memory_mb: 128, threads: 1 });
  const dayOf = (day: number) => ({ day, file: `lake-${day}-1`, rows: 1, last_received_at: 1 });
  let named = [dayOf(1), dayOf(2)];
  const lake = { sealed: () => Promise.resolve(named) };
  const days = new SealedDays({ database, lake });
  const day_us = 86_400_000_000;
  const span = { from_us: day_us, to_us: 2 * day_us };
  const undone: string[] = [];
  const read = (work: () => Promise<string>) =>
    days.read(span, work, (done) => undone.push(done)).catch((error) => error.message);
  equal(await read(() => Promise.resolve("a")), "a");
  const said = await read(() => {
    named = [dayOf(2)];
    return Promise.resolve("b");
  });
  equal(/have changed meanwhile/.test(said), true, said);
  deepEqual(undone, ["b"]);
  equal(/does not tell of 1970-01-02/.test(await read(() => Promise.resolve("c"))), true);
  await database.abandon();
});
