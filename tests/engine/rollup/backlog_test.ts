// The roll-up's list of writes that wait.
import { deepEqual, equal } from "node:assert/strict";
import { Backlog } from "../../../src/engine/rollup/backlog.ts";
import { rollup_limits } from "../../../src/model/rollup/limits.ts";

Deno.test("backlog: next takes whole writes up to a number of samples, at least one", () => {
  const backlog = new Backlog();
  equal(backlog.next(10), undefined);
  backlog.add([{ received_at: 1, rows: 25 }, { received_at: 2, rows: 4 }]);
  backlog.add([{ received_at: 5, rows: 6 }, { received_at: 7, rows: 1 }]);
  equal(backlog.next(10), 1);
  backlog.drop(1);
  equal(backlog.next(10), 5);
  equal(backlog.next(100), 7);
  equal(backlog.rows(), 11);
  backlog.drop(7);
  equal(backlog.last_us, undefined);
});

const { load_rows, rows: full_rows, nap_ms } = rollup_limits;

/** How it naps for as long as `most_ms` while writes of so many samples come, one in each nap. */
async function gather(most_ms: number, writes: readonly number[]): Promise<number[]> {
  const backlog = new Backlog();
  const [first, ...later] = writes.map((rows, i) => ({ received_at: i + 1, rows }));
  backlog.add([first]);
  const naps: number[] = [];
  const sleep = (wait_ms: number) => {
    naps.push(wait_ms);
    backlog.add(later.splice(0, 1));
    return Promise.resolve();
  };
  await backlog.gather(most_ms, { effects: { sleep }, signal: new AbortController().signal });
  return naps;
}

Deno.test("backlog: under a load, a pass waits for more as long as the last took", async () => {
  const steady = Array.from({ length: 9 }, () => load_rows);
  deepEqual(await gather(2.5 * nap_ms, steady), [nap_ms, nap_ms, nap_ms / 2]);
  deepEqual(await gather(0, steady), []);
});

Deno.test("backlog: it waits no longer once no more comes, or enough for a full pass", async () => {
  deepEqual(await gather(9 * nap_ms, [load_rows, load_rows]), [nap_ms, nap_ms]);
  deepEqual(await gather(9 * nap_ms, [load_rows, full_rows, load_rows]), [nap_ms]);
  deepEqual(await gather(9 * nap_ms, [full_rows, load_rows]), []);
});

Deno.test("backlog: without a load, no pass waits for more", async () => {
  const few = Array.from({ length: 9 }, () => load_rows - 1);
  deepEqual(await gather(9 * nap_ms, few), []);
});
