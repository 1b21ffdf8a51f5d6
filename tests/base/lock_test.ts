// Many who ask the same are answered by few questions, none of which began before they asked.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Shared } from "../../src/base/lock.ts";

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
