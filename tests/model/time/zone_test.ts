// Offset segments against the IANA database's own answers, and local days as minutes.
import assert from "node:assert/strict";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { clippedSegments, daySpans, isTimezone, localText } from "../../../src/model/time/zone.ts";
import time from "../../vectors/time.json" with { type: "json" };

function lengthOf(timezone: string, day: string): number {
  return daySpans(timezone, dayNumber(day))
    .reduce((sum, span) => sum + span.to_minute - span.from_minute, 0);
}

for (const { tz, day, hours } of time.day_hours) {
  Deno.test(`${day} in ${tz} lasts ${hours} hours`, () => {
    assert.equal(lengthOf(tz, day), hours * 60);
  });
}

Deno.test("segments tile their range and agree with the wall clock at every hour", () => {
  for (const timezone of ["America/Chicago", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"]) {
    const from_minute = Date.parse("2023-06-01T00:00:00Z") / 60_000;
    const to_minute = Date.parse("2024-12-01T00:00:00Z") / 60_000;
    let at = from_minute;
    for (const segment of clippedSegments(timezone, { from_minute, to_minute })) {
      assert.equal(segment.from_minute, at);
      for (let minute = at; minute < segment.to_minute; minute += 60) {
        const local = Temporal.Instant.fromEpochMilliseconds(minute * 60_000)
          .toZonedDateTimeISO(timezone);
        assert.equal(local.offsetNanoseconds, segment.offset_minutes * 60e9);
      }
      at = segment.to_minute;
    }
    assert.equal(at, to_minute);
  }
});

Deno.test("segments hold at the ends of time", () => {
  const [segment, ...more] = clippedSegments("UTC", { from_minute: -1e9, to_minute: 4e9 });
  assert.deepEqual(more, []);
  assert.equal(segment.offset_minutes, 0);
});

Deno.test("a clock that goes back over midnight splits a local day in two spans", () => {
  const spans = daySpans("America/St_Johns", dayNumber("2010-11-07"));
  assert.equal(spans.length, 2);
  assert.equal(spans[0].to_minute - spans[0].from_minute, 1);
  assert.equal(lengthOf("America/St_Johns", "2010-11-07"), 1441);
  assert.equal(lengthOf("America/St_Johns", "2010-11-06"), 1499);
});

Deno.test("a skipped day has no minutes", () => {
  assert.deepEqual(daySpans("Pacific/Apia", dayNumber("2011-12-30")), []);
});

Deno.test("a time zone is an IANA name", () => {
  for (const name of ["Europe/Madrid", "UTC", "Etc/GMT+5", "Asia/Kathmandu"]) {
    assert.ok(isTimezone(name), name);
  }
  for (const name of ["", "+05:30", "Mars/Base", "2024-01-01T00:00Z", "Europe/Madrid "]) {
    assert.ok(!isTimezone(name), name);
  }
});

Deno.test("an instant is written as a zone's clock shows it, with its offset", () => {
  const text = (timezone: string, at: string) => localText(timezone, Date.parse(at) * 1000);
  const at = "2026-11-22T22:01:30.5Z";
  assert.equal(text("America/Denver", at), "2026-11-22 15:01:30 -07:00");
  assert.equal(text("Asia/Kolkata", at), "2026-11-23 03:31:30 +05:30");
  assert.equal(text("UTC", at), "2026-11-22 22:01:30 +00:00");
  // The hour that comes twice.
  assert.equal(text("Europe/Madrid", "2026-10-25T00:30:00Z"), "2026-10-25 02:30:00 +02:00");
  assert.equal(text("Europe/Madrid", "2026-10-25T01:30:00Z"), "2026-10-25 02:30:00 +01:00");
});
