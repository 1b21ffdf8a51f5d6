// Tests alarms as they were: whatever happened to one, nothing later than the moment is in it.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { act, clear, reraise } from "../../../src/model/alarms/life.ts";
import type { EventDraft, Occurrence } from "../../../src/model/alarms/alarm.ts";
import { occurrence_nulls } from "../../../src/model/alarms/alarm.ts";
import { alarmAt } from "../../../src/web/alarm/replay.ts";
import { type Alarm } from "../../../src/web/alarm/alarm.ts";
import { draftOf } from "../../help/alarm.ts";
import { alarmWith, eventWith, hour_ms, noon_ms } from "./alarm_help.ts";

/** What can happen to an alarm, one thing a minute. */
const step = fc.constantFrom(
  ...["claim", "release", "shelve", "unshelve", "resolve", "reopen", "comment"] as const,
  ...["clear", "reraise", "rest"] as const,
);

/** The states that an alarm had, each with the minute since which it was so. */
type Lived = { readonly states: readonly Occurrence[]; readonly events: readonly EventDraft[][] };

function live(
  steps: readonly string[],
  resolution_policy: Occurrence["resolution_policy"],
): Lived {
  const draft = draftOf({ occurrence_id: "x", resolution_policy, raised_at: noon_ms * 1000 });
  let occurrence = { ...occurrence_nulls, ...draft } as Occurrence;
  let events: EventDraft[] = [
    { type: "raised", kind: "lifecycle", created_at: noon_ms * 1000 },
  ];
  const lived = { states: [occurrence], events: [events] };
  for (const [i, name] of steps.entries()) {
    const at_us = (noon_ms + (i + 1) * 60_000) * 1000;
    const made = stepOf(occurrence, name, at_us);
    occurrence = made?.occurrence ?? occurrence;
    events = [...events, ...made?.events ?? []];
    lived.states.push(occurrence);
    lived.events.push(events);
  }
  return lived;
}

function stepOf(occurrence: Occurrence, name: string, at_us: number) {
  const value = { recovered_value: 1, last_value: 1 };
  if (name === "clear") return clear(occurrence, { at_us, ...value });
  if (name === "reraise") return reraise(occurrence, { at_us, source_ts: at_us, value: 2 });
  if (name === "rest") return undefined;
  const said = { until_us: at_us + 9e12, reason: "r", note: `n${at_us}`, body: "b" };
  const acted = act(occurrence, { action: name, ...said } as never, { user_id: "u", at_us });
  return "step" in acted ? acted.step : undefined;
}

/** The alarm as the screens get it when everything has happened. */
function shownAs({ states, events }: Lived): Alarm {
  const last = states.at(-1)!;
  const msOf = (us: number | null) => us === null ? null : us / 1000;
  return alarmWith({
    status: last.status,
    resolution_policy: last.resolution_policy,
    resolution: last.resolution,
    cleared_ms: msOf(last.cleared_at),
    last_value: last.last_value,
    recovered_value: last.recovered_value,
    events: events.at(-1)!.map(({ type, kind, created_at, body = null }, i) =>
      eventWith(type, created_at / 1000, { event_id: `wk-${i}`, kind, body })
    ),
  });
}

Deno.test("an alarm at a moment is as the service had it then, with nothing later", () => {
  fc.assert(fc.property(
    fc.array(step, { maxLength: 20 }),
    fc.constantFrom("auto" as const, "manual" as const, "require_both" as const),
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: 0, max: 59_999 }),
    (steps, policy, minute, rest_ms) => {
      const lived = live(steps, policy);
      const at_ms = noon_ms + minute * 60_000 + rest_ms;
      const i = Math.min(minute, steps.length);
      const alarm = alarmAt(shownAs(lived), at_ms)!;
      const { status, cleared_at, resolution } = lived.states[i];
      const was = [status, cleared_at === null ? null : cleared_at / 1000, resolution];
      deepEqual([alarm.status, alarm.cleared_ms, alarm.resolution], was);
      equal(alarm.events.length, lived.events[i].length);
      ok(instantsIn(alarm).every((it) => it <= at_ms));
    },
  ));
});

/** Every instant that is in an alarm, but for what was planned then. */
function instantsIn({ raised_ms, cleared_ms, peak_ms, events }: Alarm): readonly number[] {
  return [raised_ms, cleared_ms, peak_ms, ...events.map(({ at_ms }) => at_ms)]
    .filter((it) => it !== null);
}

Deno.test("an alarm is not there before it was raised", () => {
  equal(alarmAt(alarmWith(), noon_ms - 1), undefined);
  equal(alarmAt(alarmWith(), noon_ms)?.status, "open");
});

Deno.test("values that came later are left out", () => {
  const cleared_ms = noon_ms + hour_ms;
  const alarm = alarmWith({
    cleared_ms,
    last_value: 70,
    recovered_value: 70,
    peak_value: 99,
    peak_ms: noon_ms + 1000,
    events: [eventWith("raised", noon_ms), eventWith("cleared", cleared_ms)],
  });
  const valuesAt = (at_ms: number) => {
    const { last_value, recovered_value, peak_value } = alarmAt(alarm, at_ms)!;
    return [last_value, recovered_value, peak_value];
  };
  deepEqual(valuesAt(noon_ms), [null, null, null]);
  deepEqual(valuesAt(noon_ms + 1000), [null, null, 99]);
  deepEqual(valuesAt(cleared_ms), [70, 70, 99]);
});

Deno.test("what is done later with an alarm that was over leaves its values", () => {
  const cleared_ms = noon_ms + hour_ms;
  const alarm = alarmWith({
    cleared_ms,
    last_value: 70,
    events: [
      eventWith("raised", noon_ms),
      eventWith("cleared", cleared_ms),
      eventWith("resolved", cleared_ms + hour_ms),
    ],
  });
  equal(alarmAt(alarm, cleared_ms)!.last_value, 70);
  equal(alarmAt(alarm, noon_ms + 1)!.last_value, null);
});

Deno.test("of a source's alarm its snapshots tell", () => {
  const alarm = alarmWith({
    events: [
      eventWith("raised", noon_ms, { detail: { status: "claimed", cleared_at: null } }),
      eventWith("source_updated", noon_ms + hour_ms, {
        detail: { status: "resolved", cleared_at: new Date(noon_ms + 1000).toISOString() },
      }),
    ],
  });
  const stateAt = (at_ms: number) => {
    const { status, cleared_ms } = alarmAt(alarm, at_ms)!;
    return [status, cleared_ms];
  };
  deepEqual(stateAt(noon_ms + 1), ["claimed", null]);
  deepEqual(stateAt(noon_ms + hour_ms), ["resolved", noon_ms + 1000]);
});
