// Turns of two lanes; many who ask the same are answered by few questions, begun after they asked.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Shared, TwoLanes } from "../../src/base/lock.ts";

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
