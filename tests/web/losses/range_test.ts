// Ranges of days: named or from the address, and never later than the last day that is over.
import { deepEqual, equal } from "node:assert/strict";
import { bucketDays, lengthOf, monthEnd, rangeOf } from "../../../src/web/losses/range.ts";

const none = { range: undefined, from: undefined, to: undefined };

Deno.test("named ranges end with the last day that is over", () => {
  const days = (range: string, last: string) => {
    const { from, to, interval } = rangeOf({ ...none, range }, last);
    return [from, to, interval];
  };
  deepEqual(days("yesterday", "2026-11-21"), ["2026-11-21", "2026-11-21", "OneDay"]);
  deepEqual(days("week", "2026-11-03"), ["2026-10-28", "2026-11-03", "OneDay"]);
  deepEqual(days("month", "2026-11-21"), ["2026-11-01", "2026-11-21", "OneDay"]);
  deepEqual(days("last_month", "2026-03-31"), ["2026-02-01", "2026-02-28", "OneDay"]);
  deepEqual(days("last_month", "2026-01-05"), ["2025-12-01", "2025-12-31", "OneDay"]);
  deepEqual(days("year", "2026-11-21"), ["2026-01-01", "2026-11-21", "OneMonth"]);
  deepEqual(days("nonsense", "2026-11-21"), ["2026-11-01", "2026-11-21", "OneDay"]);
});

Deno.test("days of the address are cut at the last day that is over", () => {
  const range = (from: string | undefined, to: string | undefined) =>
    rangeOf({ ...none, from, to }, "2026-11-21");
  deepEqual(range("2026-06-01", "2026-12-31"), {
    from: "2026-06-01",
    to: "2026-11-21",
    interval: "OneWeek",
    preset: undefined,
  });
  equal(range("2026-12-05", "2026-12-31").from, "2026-11-21");
  equal(range("2026-11-09", "2026-11-02").from, "2026-11-02");
  equal(range(undefined, "2026-11-02").from, "2026-11-02");
  equal(range("nonsense", undefined).preset, "month");
});

Deno.test("buckets have the days of the range alone", () => {
  const year = rangeOf({ ...none, range: "year" }, "2026-11-21");
  deepEqual(bucketDays("2026-11-01", year), { from: "2026-11-01", to: "2026-11-21" });
  deepEqual(bucketDays("2026-02-01", year), { from: "2026-02-01", to: "2026-02-28" });
  const weeks = rangeOf({ ...none, from: "2026-06-03", to: "2026-09-01" }, "2026-11-21");
  deepEqual(bucketDays("2026-06-01", weeks), { from: "2026-06-03", to: "2026-06-07" });
  equal(monthEnd("2028-02-10"), "2028-02-29");
  equal(lengthOf({ from: "2026-02-27", to: "2026-03-01" }), 3);
});
