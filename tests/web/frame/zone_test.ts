// Local days, hours and offsets of a plant, whatever zone this test runs in.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  dayAfter,
  dayOf,
  dayStart,
  instantOf,
  isDay,
  offsetMinutes,
  offsetText,
  timeText,
} from "../../../src/web/frame/zone.ts";

const zone = "America/Denver";
const hour_ms = 3_600_000;

/** The hours of a local day, each as it is labelled. */
function hoursOf(day: string): string[] {
  const labels: string[] = [];
  for (let at = dayStart(day, zone); at < dayStart(dayAfter(day), zone); at += hour_ms) {
    labels.push(`${timeText(at, zone)} ${offsetText(at, zone)}`);
  }
  return labels;
}

Deno.test("the day on which clocks go forward has 23 hours, each with its offset", () => {
  const hours = hoursOf("2026-03-08");
  equal(hours.length, 23);
  deepEqual(hours.slice(0, 4), ["00:00 −07:00", "01:00 −07:00", "03:00 −06:00", "04:00 −06:00"]);
});

Deno.test("the day on which clocks go back has 25 hours, no two of one label", () => {
  const hours = hoursOf("2026-11-01");
  equal(new Set(hours).size, 25);
  deepEqual(hours.slice(0, 4), ["00:00 −06:00", "01:00 −06:00", "01:00 −07:00", "02:00 −07:00"]);
});

Deno.test("of a local time that is twice the first is meant, of one that is not the next", () => {
  equal(instantOf("2026-11-01T01:30", zone), Date.parse("2026-11-01T07:30:00Z"));
  equal(instantOf("2026-03-08T02:30", zone), Date.parse("2026-03-08T09:30:00Z"));
});

Deno.test("offsets of zones that are not whole hours", () => {
  const at = Date.parse("2026-06-01T00:00:00Z");
  equal(offsetText(at, "Asia/Kathmandu"), "+05:45");
  equal(offsetText(at, "America/St_Johns"), "−02:30");
  equal(offsetText(at, "UTC"), "+00:00");
});

Deno.test("every instant is in its day, and its local time leads back to it or its twin", () => {
  const zones = ["America/Denver", "Europe/Madrid", "Australia/Lord_Howe", "Asia/Kathmandu"];
  fc.assert(fc.property(
    fc.integer({ min: 1_500_000_000, max: 2_000_000_000 }),
    fc.constantFrom(...zones),
    (minute, zone) => {
      const at = Math.floor(minute / 60) * 60_000;
      const day = dayOf(at, zone);
      equal(dayStart(day, zone) <= at && at < dayStart(dayAfter(day), zone), true);
      const local = new Date(at + offsetMinutes(at, zone) * 60_000).toISOString().slice(0, 16);
      equal([0, 0.5, 1].some((hours) => at - instantOf(local, zone) === hours * hour_ms), true);
    },
  ));
});

Deno.test("a text is a day where the calendar has it", () => {
  deepEqual(["2026-02-28", "2028-02-29"].filter(isDay), ["2026-02-28", "2028-02-29"]);
  deepEqual(
    ["2026-02-30", "2026-13-01", "2026-2-3", "0202-02-03", "yesterday", undefined].filter(isDay),
    [],
  );
});
