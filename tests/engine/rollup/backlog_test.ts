// The roll-up's list of writes that wait, and what the passing of time makes due.
import { deepEqual, equal } from "node:assert/strict";
import { Backlog, OpenMinutes } from "../../../src/engine/rollup/backlog.ts";
import { rollup_limits } from "../../../src/model/rollup/limits.ts";
import { withPlant } from "./setpoint_help.ts";

Deno.test("backlog: next takes whole writes up to a number of samples, at least one", () => {
  const backlog = new Backlog();
  const half = rollup_limits.rows / 2;
  equal(backlog.next(), undefined);
  backlog.drop(0);
  backlog.add([{ received_at: 1, rows: 5 * half }, { received_at: 2, rows: half - 1 }]);
  backlog.add([{ received_at: 5, rows: half + 1 }, { received_at: 7, rows: 1 }]);
  equal(backlog.next(), 1);
  backlog.drop(1);
  equal(backlog.next(), 5);
  equal(backlog.rows, 2 * half + 1);
  backlog.drop(7);
  equal(backlog.next(), undefined);
  equal(backlog.last_us, undefined);
});

Deno.test("backlog: more is taken where the last samples were of few quarter-hours", () => {
  const { rows, dense_rows, dense_quarter } = rollup_limits;
  const backlog = new Backlog();
  for (let stamp = 1; stamp <= 10; stamp++) backlog.add([{ received_at: stamp, rows: rows / 2 }]);
  equal(backlog.next(), 2);
  backlog.touched(rows / dense_quarter);
  backlog.drop(2);
  equal(backlog.next(), 4, "they had just so many samples each");
  backlog.touched(rows / dense_quarter - 1);
  backlog.drop(4);
  equal(backlog.next(), 4 + 2 * dense_rows / rows);
  backlog.drop(10);
  equal(backlog.next(), undefined);
  backlog.touched(0);
  backlog.drop(10);
  backlog.add([11, 12, 13].map((received_at) => ({ received_at, rows: rows / 2 })));
  equal(backlog.next(), 12, "of nothing nothing is known");
});

Deno.test("backlog: after a pass that failed less is taken, until nothing waits", () => {
  const { rows, halvings } = rollup_limits;
  const least = rows / 2 ** halvings;
  const backlog = new Backlog();
  const writes = 4 * 2 ** halvings;
  const stamps = Array.from({ length: writes }, (_, i) => ({ received_at: i + 1, rows: least }));
  backlog.add(stamps);
  const taken = Array.from({ length: halvings + 2 }, () => backlog.next());
  deepEqual(taken, [16, 8, 4, 2, 1, 1]);
  backlog.drop(1);
  equal(backlog.next(), 2, "as little, while some wait");
  backlog.drop(writes);
  equal(backlog.next(), undefined);
  backlog.drop(writes);
  backlog.add(stamps.map((it) => ({ ...it, received_at: it.received_at + writes })));
  equal(backlog.next(), writes + 16);
});

Deno.test("open minutes: however old the last pass, a tag is due where its values reach", () =>
  withPlant({ tags: [{ tag_no: 1, carry_s: 900 }] }, ({ catalog }) => {
    const open = new OpenMinutes(catalog);
    open.addAlive([{ tag_no: 1, minute: 3000 }]);
    const quarters = (from: number, to: number) => open.due(from, to).quarter;
    deepEqual(quarters(3001, 3002), [200]);
    deepEqual(quarters(3001, 9000), [200, 201], "it is carried for a quarter-hour");
    deepEqual(quarters(2999, 3002), [199, 200], "one of before is carried until it comes");
    deepEqual(quarters(100, 3002), [6, 7, 200], "and only so long");
    deepEqual(quarters(3002, 3002), []);
    deepEqual(quarters(3016, 9000), []);
    return Promise.resolve();
  }));
