// The month of a report: the newest that is worth one, or the one asked for as far as it is over.
import { deepEqual, equal } from "node:assert/strict";
import { monthAfter, monthOf } from "../../../src/web/report/month.ts";

const days = (named: string | undefined, last: string) => {
  const { range: { from, to }, is_whole } = monthOf(named, last);
  return [from, to, is_whole];
};

Deno.test("without a name it is the newest that has more than its first days", () => {
  deepEqual(days(undefined, "2026-11-21"), ["2026-11-01", "2026-11-21", false]);
  deepEqual(days(undefined, "2026-11-10"), ["2026-10-01", "2026-10-31", true]);
  deepEqual(days(undefined, "2026-10-31"), ["2026-10-01", "2026-10-31", true]);
  deepEqual(days("2026-13", "2026-01-05"), ["2025-12-01", "2025-12-31", true]);
});

Deno.test("a month that goes on ends with the last day that is over", () => {
  deepEqual(days("2026-11", "2026-11-21"), ["2026-11-01", "2026-11-21", false]);
  deepEqual(days("2027-03", "2026-11-21"), ["2026-11-01", "2026-11-21", false]);
});

Deno.test("months follow each other over the years", () => {
  equal(monthAfter("2026-12", 1), "2027-01");
  equal(monthAfter("2026-01", -1), "2025-12");
  equal(monthAfter("2026-01", 1), "2026-02");
});
