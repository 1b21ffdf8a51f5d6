// The roll-up's list of writes that wait.
import { equal } from "node:assert/strict";
import { Backlog } from "../../../src/engine/rollup/backlog.ts";

Deno.test("backlog: next takes whole writes up to a number of samples, at least one", () => {
  const backlog = new Backlog();
  equal(backlog.next(10), undefined);
  backlog.add([{ received_at: 1, rows: 25 }, { received_at: 2, rows: 4 }]);
  backlog.add([{ received_at: 5, rows: 6 }, { received_at: 7, rows: 1 }]);
  equal(backlog.next(10), 1);
  backlog.drop(1);
  equal(backlog.next(10), 5);
  equal(backlog.next(100), 7);
  equal(backlog.rows, 11);
  backlog.drop(7);
  equal(backlog.last_us, undefined);
});
