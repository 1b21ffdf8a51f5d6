// Tests floods and the report of a month, with figures worked out by hand.
import { deepEqual, equal } from "node:assert/strict";
import { type Alarm } from "../../../src/web/alarm/alarm.ts";
import { floodAt, floodsOf } from "../../../src/web/alarm/flood.ts";
import { attendMs, reportOf } from "../../../src/web/alarm/report.ts";
import { alarmWith, eventWith, hour_ms, minute_ms, noon_ms } from "./alarm_help.ts";

/** Alarms that were raised so many minutes after noon. */
function raisedAt(minutes: readonly number[], said: Partial<Alarm> = {}): readonly Alarm[] {
  return minutes.map((minute) => alarmWith({ raised_ms: noon_ms + minute * minute_ms, ...said }));
}

const eleven = Array.from({ length: 11 }, (_, i) => i * 0.5);

Deno.test("eleven alarms in ten minutes are a flood, ten are none", () => {
  deepEqual(floodsOf(raisedAt(eleven.slice(0, 10))), []);
  deepEqual(floodsOf(raisedAt(eleven, { digit: 5 })), []);
  const alarms = raisedAt(eleven);
  const [flood, ...others] = floodsOf(alarms.toReversed());
  deepEqual(others, []);
  equal(flood.first, alarms[0]);
  deepEqual([flood.from_ms, flood.alarms, flood.peak], [noon_ms, 11, 11]);
  // The fifth last came at 3 minutes: ten minutes later there are four.
  equal(flood.to_ms, noon_ms + 13 * minute_ms);
});

Deno.test("a flood goes on while five come in ten minutes, and another one can follow", () => {
  const slow = [7, 9, 11, 13, 15, 17];
  const [flood, ...others] = floodsOf(raisedAt([...eleven, ...slow]));
  deepEqual([flood.alarms, others.length], [17, 0]);
  equal(flood.to_ms, noon_ms + (9 + 10) * minute_ms);
  const twice = floodsOf(raisedAt([...eleven, ...eleven.map((it) => it + 60)]));
  deepEqual(twice.map(({ alarms }) => alarms), [11, 11]);
});

Deno.test("a moment is in a flood from its first alarm until it is over", () => {
  const alarms = raisedAt(eleven);
  equal(floodAt(alarms, noon_ms + 6 * minute_ms)?.alarms, 11);
  equal(floodAt(alarms, noon_ms + 13 * minute_ms), undefined);
});

const month = {
  from_ms: Date.UTC(2026, 5, 1),
  to_ms: Date.UTC(2026, 5, 11),
  zone: "UTC",
  positions: 2,
};

Deno.test("a report counts by day, position and priority, and names the bad actors", () => {
  const day_min = 24 * 60;
  const report = reportOf({
    ...month,
    alarms: [
      ...raisedAt([0, 60, 120], { digit: 1, cleared_ms: noon_ms + hour_ms * 9 }),
      ...raisedAt([day_min], { digit: 4, source_tag: "u" }),
      ...raisedAt([3], { digit: 5 }),
      ...raisedAt([-2 * day_min], { digit: 3 }),
      ...raisedAt([20 * day_min]),
    ],
  });
  deepEqual([report.annunciated, report.information, report.each_day], [4, 1, 4 / 2 / 10]);
  deepEqual(report.days.slice(0, 3), [
    { day: "2026-06-01", alarms: 3, each: 1.5 },
    { day: "2026-06-02", alarms: 1, each: 0.5 },
    { day: "2026-06-03", alarms: 0, each: 0 },
  ]);
  equal(report.days.length, 10);
  deepEqual(report.bad_actors.map(({ count, share }) => [count, share]), [[3, 0.75], [1, 0.25]]);
  deepEqual(
    report.priorities.map(({ digit, count, share }) => [digit, count, share]),
    [[1, 3, 0.75], [2, 0, 0], [3, 0, 0], [4, 1, 0.25]],
  );
});

Deno.test("a report looks at the end of its span: what was cleared later stands", () => {
  const cleared_ms = month.to_ms + hour_ms;
  const events = [eventWith("raised", noon_ms), eventWith("cleared", cleared_ms)];
  const late = { raised_ms: month.to_ms - 23 * hour_ms };
  const { standing } = reportOf({
    ...month,
    alarms: [
      alarmWith({ source_tag: "stands", cleared_ms, events }),
      alarmWith({ ...late, source_tag: "young", events: [eventWith("raised", late.raised_ms)] }),
    ],
  });
  deepEqual(standing.map(({ source_tag }) => source_tag), ["stands"]);
});

Deno.test("attending is the first thing that somebody does", () => {
  const attended = (minutes: number) =>
    alarmWith({
      cleared_ms: noon_ms + hour_ms,
      events: [
        eventWith("raised", noon_ms),
        eventWith("commented", noon_ms + minutes * minute_ms),
        eventWith("cleared", noon_ms + hour_ms),
      ],
    });
  equal(attendMs(attended(5)), 5 * minute_ms);
  const alone = alarmWith({
    cleared_ms: noon_ms + 1,
    events: [eventWith("raised", noon_ms), eventWith("cleared", noon_ms + 1)],
  });
  const { attend, unattended } = reportOf({
    ...month,
    alarms: [...[1, 2, 3, 4, 50].map(attended), alone],
  });
  deepEqual(attend, { count: 5, median_ms: 3 * minute_ms, p90_ms: 50 * minute_ms });
  equal(unattended, 1);
});
