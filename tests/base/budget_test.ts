// The budget of bodies: what is refused and how, and that all of it comes back.
import { deepEqual, equal, throws } from "node:assert/strict";
import { Budget } from "../../src/base/budget.ts";
import { limits } from "../../src/base/limits.ts";

const step = limits.held_step_bytes;
const full = { code: "unavailable", retry_after_s: limits.retry_after_s };
const over_share = { ...full, code: "too_many" };

Deno.test("a budget refuses one body too large for good, and more bodies for a while", () => {
  const budget = new Budget(16 * step);
  throws(() => budget.open("a").take(9 * step + 1), { code: "too_large" });
  const first = budget.open("a");
  first.take(6 * step);
  const second = budget.open("a");
  second.take(4 * step);
  throws(() => second.take(step), over_share);
  deepEqual(budget.refused, { too_large: 1, too_many: 1, unavailable: 0 });
  // What was refused is not reserved; the first step of each body is free.
  equal(budget.reserved_bytes, (5 + 3) * step);
  first.close();
  second.close();
  equal(budget.reserved_bytes, 0);
  budget.open("a").take(9 * step);
});

Deno.test("a budget has room for others beside a flooding token, and for every small body", () => {
  const budget = new Budget(16 * step);
  budget.open("a").take(9 * step);
  throws(() => budget.open("a").take(2 * step), over_share);
  budget.open("b").take(9 * step);
  equal(budget.reserved_bytes, 16 * step);
  throws(() => budget.open("c").take(2 * step), full);
  for (const token of ["a", "b", "c"]) budget.open(token).take(step);
  equal(budget.reserved_bytes, 16 * step);
});

Deno.test("an account gives back what is not held any more, and the rest once it is closed", () => {
  const budget = new Budget(16 * step);
  const account = budget.open("a");
  for (let message = 0; message < 100; message++) {
    account.take(5 * step);
    account.give(5 * step);
  }
  equal(budget.reserved_bytes, 0);
  for (let row = 0; row < 4 * step; row++) account.take(1);
  equal(budget.reserved_bytes, 3 * step);
  account.close();
  account.close();
  equal(budget.reserved_bytes, 0);
});

Deno.test("the budget is half of the database's memory, within its bound", () => {
  const mb = 1024 * 1024;
  Budget.beside(64).open("a").take(16 * mb + step);
  throws(() => Budget.beside(64).open("a").take(16 * mb + step + 1), { code: "too_large" });
  throws(() => Budget.beside(100_000).open("a").take(limits.held_bytes), { code: "too_large" });
});
