// Months of a zone: when one is settled, where it begins and ends, and which are still to be told.
import { deepEqual, equal } from "node:assert/strict";
import { isNewMonth, lastMonth } from "../../../src/model/webhooks/report.ts";

const monthAt = (timezone: string, at: string) => lastMonth(timezone, Date.parse(at) * 1000);
const nameAt = (timezone: string, at: string) => monthAt(timezone, at).name;

Deno.test("a month is settled at six on the first morning by the local clock", () => {
  // The clocks of Denver went back at two that night: it is six an hour later.
  equal(nameAt("America/Denver", "2026-11-01T12:59:59.999Z"), "2026-09");
  equal(nameAt("America/Denver", "2026-11-01T13:00:00Z"), "2026-10");
  equal(nameAt("America/Denver", "2026-06-01T12:00:00Z"), "2026-05");
  equal(nameAt("America/Denver", "2026-06-01T11:59:59Z"), "2026-04");
  equal(nameAt("Pacific/Kiritimati", "2026-12-31T16:00:00Z"), "2026-12");
  equal(nameAt("Pacific/Kiritimati", "2026-12-31T15:59:00Z"), "2026-11");
  equal(nameAt("UTC", "2027-01-01T06:00:00Z"), "2026-12");
});

Deno.test("a month begins and ends at local midnights, with the offset of each", () => {
  deepEqual(monthAt("America/Denver", "2026-12-01T13:00:00Z"), {
    name: "2026-11",
    from_day: Date.parse("2026-11-01") / 86_400_000,
    to_day: Date.parse("2026-12-01") / 86_400_000,
    from: "2026-11-01T00:00:00-06:00",
    to: "2026-12-01T00:00:00-07:00",
  });
  const { from, to } = monthAt("America/Denver", "2026-04-20T00:00:00Z");
  deepEqual([from, to], ["2026-03-01T00:00:00-07:00", "2026-04-01T00:00:00-06:00"]);
  equal(monthAt("Africa/Cairo", "2026-05-10T00:00:00Z").to, "2026-05-01T00:00:00+03:00");
});

Deno.test("a month is told of once, and none before the first that was", () => {
  equal(isNewMonth("2026-10", []), true);
  equal(isNewMonth("2026-10", ["2026-10"]), false);
  equal(isNewMonth("2026-09", ["2026-10"]), false);
  // The clock was months ahead, and is right again.
  equal(isNewMonth("2026-11", ["2026-10", "2027-02"]), true);
  equal(isNewMonth("2027-02", ["2026-10", "2027-02"]), false);
});
