// Turns of two lanes; work that passes a barrier; many who ask the same are answered by few
// questions, begun after they asked.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Barrier, Passage, Shared, TwoLanes } from "../../src/base/lock.ts";

Deno.test("two lanes take turns where both wait, and each keeps its order", async () => {
  const lanes = new TwoLanes();
  const order: string[] = [];
  let inside = 0;
  const run = (name: string, fails = "") =>
    lanes.run(name.startsWith("own") ? "own" : "asked", async () => {
      equal(inside++, 0, "one at a time");
      order.push(name);
      await Promise.resolve();
      inside--;
      if (fails) throw new Error(fails);
    });
  await run("own 0");
  const all = ["own 1", "own 2", "own 3", "asked 1", "asked 2"].map((name) => run(name));
  const failing = rejects(run("asked 3", "no"), /no/);
  await Promise.all([...all, failing, run("asked 4"), run("asked 5")]);
  await run("own 4");
  deepEqual(order, [
    ...["own 0", "own 1", "asked 1", "own 2", "asked 2", "own 3", "asked 3", "asked 4"],
    ...["asked 5", "own 4"],
  ]);
});

/** A barrier, and work that passes it until it is told to end. */
function passing() {
  const barrier = new Barrier();
  const order: string[] = [];
  const begin = (name: string, passage: Pick<Barrier, "run"> = barrier) => {
    const end = Promise.withResolvers<void>();
    const over = passage.run(() => {
      order.push(name);
      return end.promise;
    });
    return { end: end.resolve, over };
  };
  return { barrier, order, begin };
}

const never = () => new Promise<void>(() => {});

async function ticks(count = 20): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

Deno.test("work that is to be alone waits for what is at work; what comes waits", async () => {
  const { barrier, order, begin } = passing();
  const before = begin("before");
  await ticks();
  const alone = barrier.alone(() => Promise.resolve(void order.push("alone")), never);
  const after = begin("after");
  await ticks();
  deepEqual(order, ["before"]);
  before.end();
  equal(await alone, true);
  await ticks();
  deepEqual(order, ["before", "alone", "after"]);
  after.end();
  await after.over;
  equal(barrier.is_empty, true);
});

Deno.test("what can't be alone in time is left, and what came goes on", async () => {
  const { barrier, order, begin } = passing();
  const before = begin("before");
  await ticks();
  let is_told = false;
  const patience = (signal: AbortSignal) => {
    signal.addEventListener("abort", () => is_told = true);
    return ticks(5);
  };
  const alone = barrier.alone(() => Promise.resolve(void order.push("alone")), patience);
  const after = begin("after");
  equal(await alone, false);
  equal(is_told, true);
  await ticks();
  deepEqual(order, ["before", "after"]);
  before.end();
  after.end();
});

Deno.test("who has entered goes on while others wait, and is at work until it leaves", async () => {
  const { barrier, order, begin } = passing();
  const passage = new Passage(barrier);
  await passage.enter();
  await passage.enter();
  const alone = barrier.alone(() => Promise.resolve(void order.push("alone")), never);
  const own = begin("own", passage);
  own.end();
  await own.over;
  await ticks();
  deepEqual(order, ["own"]);
  passage.leave();
  passage.leave();
  equal(await alone, true);
  equal(barrier.is_empty, true);
  await rejects(barrier.alone(() => Promise.reject(new Error("no")), never), /no/);
  const later = begin("later", passage);
  later.end();
  await later.over;
  deepEqual(order, ["own", "alone", "later"]);
});

Deno.test("who asks while a question is open shares the next one", async () => {
  const shared = new Shared<number>();
  const open: PromiseWithResolvers<void>[] = [];
  const ask = () =>
    shared.ask(async () => {
      const gate = Promise.withResolvers<void>();
      const no = open.push(gate);
      await gate.promise;
      if (no === 2) throw new Error("away");
      return no;
    });
  const first = ask();
  while (open.length < 1) await Promise.resolve();
  const second = [ask(), ask(), ask()];
  open[0].resolve();
  equal(await first, 1);
  while (open.length < 2) await Promise.resolve();
  const third = ask();
  open[1].resolve();
  for (const it of second) await rejects(it, /away/);
  while (open.length < 3) await Promise.resolve();
  open[2].resolve();
  deepEqual([await third, open.length], [3, 3], "what failed keeps nobody from asking");
});
