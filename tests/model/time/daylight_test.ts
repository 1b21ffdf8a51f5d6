// Daylight against figures of the NREL Solar Position Algorithm, and at the edges of local days.
import assert from "node:assert/strict";
import {
  dayNumber,
  dayText,
  isDay,
  monthStart,
  weekStart,
} from "../../../src/model/time/calendar.ts";
import { daylightOf, forgetDaylight, sunEvents } from "../../../src/model/time/daylight.ts";
import solar from "../../vectors/solar.json" with { type: "json" };

for (const it of solar.cases) {
  Deno.test(`the sun of ${it.day} at ${it.lat}, ${it.lon} rises, passes and sets as by SPA`, () => {
    const place = { latitude: it.lat, longitude: it.lon, timezone: it.tz };
    const day = dayNumber(it.day);
    const sun = sunEvents(place, day)!;
    if (it.polar) {
      assert.equal(sun.polar, it.polar);
      const minutes = daylightOf(place, day).map((span) => span.to_minute - span.from_minute);
      assert.deepEqual(minutes, it.polar === "day" ? [1440] : []);
      return;
    }
    const within_s = Math.abs(it.lat) < 60 ? 5 : 30;
    const pairs = [
      [sun.sunrise_s, it.sunrise],
      [sun.transit_s, it.transit],
      [sun.sunset_s, it.sunset],
    ] as const;
    for (const [found_s, text] of pairs) {
      const off_s = Math.abs(found_s! - Date.parse(text!) / 1000);
      assert.ok(off_s <= within_s, `${text} is off by ${off_s} s`);
    }
  });
}

Deno.test("a sunset after local midnight lights the first minutes of the next day", () => {
  const fairbanks = { latitude: 64.84, longitude: -147.72, timezone: "America/Anchorage" };
  const spans = daylightOf(fairbanks, dayNumber("2024-06-21"));
  const midnight = Date.parse("2024-06-21T08:00:00Z") / 60_000;
  assert.equal(spans.length, 2);
  assert.equal(spans[0].from_minute, midnight);
  const spilled = spans[0].to_minute - midnight;
  assert.ok(spilled > 40 && spilled < 55, `${spilled} minutes`);
  assert.equal(spans[1].to_minute, midnight + 1440);
});

Deno.test("daylight of any day lies in the day, in order and apart", () => {
  for (const latitude of [-78, -35, 0, 51, 66, 69]) {
    const place = { latitude, longitude: 18, timezone: "Europe/Oslo" };
    for (let day = dayNumber("2024-01-01"); day < dayNumber("2025-01-01"); day++) {
      let last = -Infinity;
      for (const span of daylightOf(place, day)) {
        assert.ok(span.from_minute > last && span.to_minute > span.from_minute);
        last = span.to_minute;
      }
    }
  }
});

Deno.test("a place that was moved, or has another clock, has the daylight of where it is", () => {
  const place = { latitude: 40, longitude: 0, timezone: "UTC" };
  const day = dayNumber("2024-06-21");
  const before = daylightOf(place, day);
  for (const now of [{ latitude: 45 }, { longitude: 9 }, { timezone: "Asia/Tokyo" }]) {
    assert.notDeepEqual(daylightOf({ ...place, ...now }, day), before);
    assert.deepEqual(daylightOf({ ...place }, day), before);
  }
  assert.notDeepEqual(daylightOf(place, day + 1), before);
});

Deno.test("a day that the zone skipped has no daylight", () => {
  const apia = { latitude: -13.83, longitude: -171.77, timezone: "Pacific/Apia" };
  assert.deepEqual(daylightOf(apia, dayNumber("2011-12-30")), []);
  assert.equal(sunEvents(apia, dayNumber("2011-12-30")), undefined);
  assert.equal(daylightOf(apia, dayNumber("2011-12-31")).length, 1);
});

Deno.test("a calendar date is one that exists", () => {
  for (const text of ["2024-02-29", "1970-01-01", "9999-12-31"]) {
    assert.ok(isDay(text), text);
    assert.equal(dayText(dayNumber(text)), text);
  }
  for (const text of ["2023-02-29", "2024-02-30", "2024-13-01", "2024-1-1", "", "2024-01-01T00"]) {
    assert.ok(!isDay(text), text);
  }
});

Deno.test("weeks start on Monday, months on their first", () => {
  assert.equal(dayText(weekStart(dayNumber("2024-11-03"))), "2024-10-28");
  assert.equal(dayText(weekStart(dayNumber("1969-12-31"))), "1969-12-29");
  assert.equal(dayText(monthStart(dayNumber("2024-12-31"), 1)), "2025-01-01");
});

Deno.test("daylight is kept until it is forgotten, and then worked out the same", () => {
  const place = { latitude: 33.4, longitude: -112.1, timezone: "America/Phoenix" };
  const day = dayNumber("2026-03-14");
  const first = daylightOf(place, day);
  assert.equal(daylightOf(place, day), first);
  forgetDaylight();
  const again = daylightOf(place, day);
  assert.notEqual(again, first);
  assert.deepEqual(again, first);
  assert.equal(daylightOf(place, day), again);
});
