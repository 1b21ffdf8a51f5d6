// The month of a report: the newest that is worth one, or the one asked for as far as it is over.
import { deepEqual, equal } from "node:assert/strict";
import { monthAfter, monthOf } from "../../../src/web/report/month.ts";

const two_years = ["2025", "2026"].flatMap((year) =>
  Array.from({ length: 12 }, (_, i) => `${year}-${String(i + 1).padStart(2, "0")}`)
);

const days = (named: string | undefined, last: string, months: readonly string[] = two_years) => {
  const known = months.filter((month) => month <= last.slice(0, 7));
  const { range: { from, to }, is_whole } = monthOf(named, { last, months: known });
  return [from, to, is_whole];
};

Deno.test("without a name it is the newest that has more than its first days", () => {
  deepEqual(days(undefined, "2026-11-21"), ["2026-11-01", "2026-11-21", false]);
  deepEqual(days(undefined, "2026-11-10"), ["2026-10-01", "2026-10-31", true]);
  deepEqual(days(undefined, "2026-10-31"), ["2026-10-01", "2026-10-31", true]);
  deepEqual(days("2026-13", "2026-01-05"), ["2025-12-01", "2025-12-31", true]);
});

Deno.test("of a young plant it is the first days, of a silent one the last month with data", () => {
  deepEqual(days(undefined, "2026-11-05", ["2026-11"]), ["2026-11-01", "2026-11-05", false]);
  deepEqual(days(undefined, "2026-11-21", ["2026-08", "2026-09"]), [
    "2026-09-01",
    "2026-09-30",
    true,
  ]);
  deepEqual(days(undefined, "2026-11-05", []), ["2026-10-01", "2026-10-31", true]);
  deepEqual(days("2026-10", "2026-11-05", ["2026-11"]), ["2026-10-01", "2026-10-31", true]);
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
