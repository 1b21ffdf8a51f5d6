// The roll-up's list of writes that wait, and what the passing of time makes due.
import { deepEqual, equal } from "node:assert/strict";
import { Backlog, OpenMinutes } from "../../../src/engine/rollup/backlog.ts";
import { withPlant } from "./setpoint_help.ts";

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
