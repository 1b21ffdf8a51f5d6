// The bucket axis against the wall clock itself: every minute of days on which clocks change.
import assert from "node:assert/strict";
import {
  axisOf,
  dayPositions,
  type DayRange,
  type Interval,
  intervals,
  minutesOf,
} from "../../../src/model/time/bucket.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { clockAt, labelOf } from "../../help/performance_reference.ts";
import time from "../../vectors/time.json" with { type: "json" };

function rangeOf(first: string, last: string): DayRange {
  return { from_day: dayNumber(first), to_day: dayNumber(last) + 1 };
}

function labelText(minute: number): string {
  return Temporal.Instant.fromEpochMilliseconds(minute * 60_000).toString()
    .replace("T", " ").replace("Z", "");
}

/** The position of every minute of a zone, by UTC minute; asserts that none is met twice. */
function minutesByPosition(timezone: string, axis: ReturnType<typeof axisOf>) {
  const found = new Map<number, number>();
  for (const piece of axis.piecesOf(timezone, { from: 0, to: axis.size })) {
    for (let minute = piece.from_minute; minute < piece.to_minute; minute++) {
      const day = Math.floor(clockAt(timezone, minute).getTime() / 86_400_000);
      if (day < piece.from_day || day >= piece.to_day) continue;
      assert.ok(!found.has(minute));
      found.set(minute, Math.floor((minute + piece.shift) / piece.width));
    }
  }
  return found;
}

const changes = [
  ["America/Chicago", "2022-11-04", "2022-11-08"],
  ["America/Chicago", "2022-03-12", "2022-03-14"],
  ["Asia/Amman", "2021-03-25", "2021-03-27"],
  ["Australia/Lord_Howe", "2024-04-06", "2024-04-08"],
  ["Australia/Lord_Howe", "2024-10-05", "2024-10-07"],
  ["America/Santiago", "2019-09-07", "2019-09-09"],
  ["America/St_Johns", "2010-11-07", "2010-11-07"],
  ["America/St_Johns", "2010-11-05", "2010-11-06"],
  ["Pacific/Apia", "2011-12-28", "2012-01-01"],
  ["Asia/Kathmandu", "2024-01-31", "2024-02-01"],
  ["America/Phoenix", "2024-12-30", "2025-01-02"],
] as const;

for (const [timezone, first, last] of changes) {
  Deno.test(`each minute of ${first} to ${last} in ${timezone} is where its clock says`, () => {
    const range = rangeOf(first, last);
    const clocks = clocksOf(timezone, range);
    for (const interval of intervals) {
      const axis = axisOf(interval, { range, timezones: [timezone] });
      const labels = axis.labelsOf({ from: 0, to: axis.size });
      const found = minutesByPosition(timezone, axis);
      assert.equal(found.size, clocks.size);
      let before = -1;
      for (const [minute, clock] of clocks) {
        const position = found.get(minute)!;
        assert.equal(labelText(labels[position]), labelOf(interval, clock, range.from_day));
        // A clock that goes back over midnight takes whole days apart, never shorter buckets.
        assert.ok(position >= before || minutesOf(interval) === undefined);
        before = position;
      }
    }
  });
}

/** The wall clock of every minute of the range's local days, in order. */
function clocksOf(timezone: string, { from_day, to_day }: DayRange): ReadonlyMap<number, Date> {
  const clocks = new Map<number, Date>();
  for (let minute = (from_day - 2) * 1440; minute < (to_day + 2) * 1440; minute++) {
    const clock = clockAt(timezone, minute);
    const day = Math.floor(clock.getTime() / 86_400_000);
    if (day >= from_day && day < to_day) clocks.set(minute, clock);
  }
  return clocks;
}

for (const { tz, day, minutes } of time.minutes_per_local_hour) {
  Deno.test(`the hours of ${day} in ${tz} hold the minutes that the clock shows`, () => {
    const axis = axisOf("OneHour", { range: rangeOf(day, day), timezones: [tz] });
    const labels = axis.labelsOf({ from: 0, to: axis.size });
    const counts = new Map<string, number>();
    for (const position of minutesByPosition(tz, axis).values()) {
      const hour = labelText(labels[position]).slice(11, 13);
      counts.set(hour, (counts.get(hour) ?? 0) + 1);
    }
    for (const [hour, count] of Object.entries(minutes)) {
      assert.equal(counts.get(hour) ?? 0, count, `hour ${hour}`);
    }
  });
}

Deno.test("an hour that a clock repeats is two buckets of one label, the first pass first", () => {
  const axis = axisOf("ThirtyMinutes", {
    range: rangeOf("2022-11-06", "2022-11-06"),
    timezones: ["America/Chicago"],
  });
  const labels = [...axis.labelsOf({ from: 0, to: 7 })].map((label) => labelText(label).slice(11));
  assert.deepEqual(labels, [
    "00:00:00",
    "00:30:00",
    "01:00:00",
    "01:30:00",
    "01:00:00",
    "01:30:00",
    "02:00:00",
  ]);
});

Deno.test("half an hour repeated at Lord Howe is a second bucket of its hour", () => {
  const zone = "Australia/Lord_Howe";
  const axis = axisOf("OneHour", { range: rangeOf("2024-04-07", "2024-04-07"), timezones: [zone] });
  const counts = new Array(axis.size).fill(0);
  for (const position of minutesByPosition(zone, axis).values()) counts[position]++;
  assert.deepEqual(counts.slice(0, 4), [60, 60, 30, 60]);
  assert.deepEqual([...axis.labelsOf({ from: 1, to: 4 })].map((it) => it % 1440), [60, 60, 120]);
});

Deno.test("zones that change on different days and hours share one order", () => {
  const timezones = ["Australia/Lord_Howe", "Australia/Sydney", "Asia/Tokyo"];
  const axis = axisOf("FifteenMinutes", { range: rangeOf("2024-04-07", "2024-04-07"), timezones });
  assert.equal(axis.size, 96 + 2 + 4);
  const by_zone = timezones.map((zone) => minutesByPosition(zone, axis));
  by_zone.forEach((found, i) => {
    const sorted = [...found].sort((a, b) => a[0] - b[0]).map(([, position]) => position);
    assert.deepEqual(sorted, sorted.toSorted((a, b) => a - b));
    assert.equal(new Set(sorted).size, [98, 100, 96][i]);
  });
});

Deno.test("positions can be asked for in parts", () => {
  const zone = "America/Chicago";
  for (const interval of intervals) {
    const axis = axisOf(interval, {
      range: rangeOf("2022-11-05", "2022-11-07"),
      timezones: [zone, "Asia/Tokyo"],
    });
    const whole = minutesByPosition(zone, axis);
    let parts = 0;
    const step = Math.max(1, Math.floor(axis.size / 7));
    for (let from = 0; from < axis.size; from += step) {
      const positions = { from, to: Math.min(axis.size, from + step) };
      for (const piece of axis.piecesOf(zone, positions)) {
        for (let minute = piece.from_minute; minute < piece.to_minute; minute++, parts++) {
          const position = Math.floor((minute + piece.shift) / piece.width);
          assert.equal(position, whole.get(minute));
          assert.ok(position >= positions.from && position < positions.to);
        }
      }
    }
    assert.equal(parts, whole.size);
  }
});

Deno.test("days fall to the weeks, months and years that hold them, within the range", () => {
  const range = rangeOf("2024-10-30", "2025-02-03");
  const sizes = { Full: 1, OneDay: 97, OneWeek: 15, OneMonth: 5, OneYear: 2 } as const;
  for (const [interval, size] of Object.entries(sizes)) {
    const axis = axisOf(interval as Interval, { range, timezones: ["UTC"] });
    assert.equal(axis.size, size);
    const minutes = minutesByPosition("UTC", axis);
    for (const positions of [{ from: 0, to: size }, { from: size - 1, to: size }]) {
      const { from_day, to_day, buckets } = dayPositions(axis.day_starts!, range, positions);
      assert.equal(buckets.length, to_day - from_day);
      buckets.forEach((at, i) => assert.equal(at, minutes.get((from_day + i) * 1440)));
    }
  }
});

Deno.test("a clip cuts the minutes at its instants", () => {
  const from_minute = Date.parse("2022-11-06T06:10:00Z") / 60_000;
  const clip = { from_minute, to_minute: from_minute + 100 };
  for (const interval of intervals) {
    const range = { ...rangeOf("2022-11-06", "2022-11-06"), clip };
    const axis = axisOf(interval, { range, timezones: ["America/Chicago"] });
    assert.equal(axis.day_starts, null);
    const found = minutesByPosition("America/Chicago", axis);
    assert.equal(found.size, 100);
    const whole = axisOf(interval, {
      range: { ...range, clip: undefined },
      timezones: ["America/Chicago"],
    });
    const all = minutesByPosition("America/Chicago", whole);
    for (const [minute, position] of found) assert.equal(position, all.get(minute));
  }
});
