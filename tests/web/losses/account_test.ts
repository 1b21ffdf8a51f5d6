// Loss accounts: sums, figures that add up in rows and columns, and the order of causes.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  type Account,
  account_columns,
  account_parts,
  accountsOf,
  figuresOf,
  lostShare,
  paretoOf,
  sumOfAccounts,
} from "../../../src/web/losses/account.ts";

const none = Object.fromEntries(account_parts.map((part) => [part, 0])) as Record<
  typeof account_parts[number],
  number
>;

const account = (parts: Partial<Account>): Account => {
  const all = { ...none, ...parts };
  const expected = account_parts.reduce((sum, part) => sum + all[part], 0);
  return { key: "", expected, unmeasured: 0, is_partial: false, ...all };
};

Deno.test("rows become accounts, and what nothing tells of is other", () => {
  const values: Record<string, number> = {
    expected_energy: 100,
    produced_energy: 90,
    derate_loss: 4,
    unknown_loss: 6,
    is_partial: 1,
  };
  const [found] = accountsOf({
    length: 1,
    numbers: (name) => {
      equal(account_columns.some((it) => it === name), true);
      return [values[name] ?? 0];
    },
    texts: () => ["2026-06-01"],
  }, "bucket_start");
  deepEqual(
    { ...found },
    { ...account({ produced: 90, derate: 4, other: 6 }), key: "2026-06-01", is_partial: true },
  );
});

Deno.test("days without an account count as nothing in a sum", () => {
  const sum = sumOfAccounts([
    account({ produced: 90, grid: 10 }),
    { ...account({}), expected: NaN, produced: NaN, is_partial: true },
  ]);
  equal(sum.expected, 100);
  equal(sum.is_partial, true);
  equal(lostShare(sum), 0.1);
  equal(Number.isNaN(lostShare(account({}))), true);
});

Deno.test("figures add up in every row and column", () => {
  const energy = fc.double({ min: 0, max: 1e7, noNaN: true });
  const one = fc.tuple(energy, energy, energy, fc.double({ min: -1e6, max: 1e6, noNaN: true }));
  fc.assert(fc.property(fc.array(one, { minLength: 1, maxLength: 40 }), (all) => {
    const accounts = all.map(([produced, derate, unavailability, other]) =>
      account({ produced, derate, unavailability, other })
    );
    const { rows, total } = figuresOf(accounts, 1000);
    // Rounded, a little below zero is -0.
    equal(total.expected, Math.round(sumOfAccounts(accounts).expected / 1000) + 0);
    for (const name of [...account_parts, "expected", "lost"] as const) {
      equal(rows.reduce((sum, row) => sum + row[name], 0), total[name]);
    }
    for (const row of [...rows, total]) {
      equal(account_parts.reduce((sum, part) => sum + row[part], 0), row.expected);
      equal(row.produced + row.lost, row.expected);
    }
    accounts.forEach((it, i) => {
      ok(Math.abs(rows[i].lost - (it.expected - it.produced) / 1000) < 1 + 1e-6);
      ok(Math.abs(rows[i].produced - it.produced / 1000) < 1 + 1e-6);
    });
  }));
});

Deno.test("causes are in the order of their energy, with what they reach together", () => {
  const ranks = paretoOf(new Map([["a", 25], ["b", 50], ["c", -5], ["d", 25], ["e", 0]]));
  deepEqual(ranks, [
    { key: "b", value: 50, reached: 0.5 },
    { key: "a", value: 25, reached: 0.75 },
    { key: "d", value: 25, reached: 1 },
  ]);
});
