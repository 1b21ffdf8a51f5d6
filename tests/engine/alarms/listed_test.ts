// Alarms that lists keep: of the version asked for alone, and none whose texts are long.
import { equal } from "node:assert/strict";
import { type ListedAlarm, ListedAlarms } from "../../../src/engine/alarms/listed.ts";
import {
  type AlarmEvent,
  type Occurrence,
  occurrence_nulls,
} from "../../../src/model/alarms/alarm.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";

const long = "x".repeat(alarm_limits.listed_text_length / 2 + 1);

function alarmOf(more: Partial<Occurrence>, events: readonly Partial<AlarmEvent>[] = []) {
  const occurrence = { ...occurrence_nulls, decoded_labels: [], synced_at: 1, ...more };
  return { occurrence, events } as ListedAlarm;
}

Deno.test("an alarm is kept at one version, and the longest unread goes first", () => {
  const listed = new ListedAlarms();
  const alarms = Array.from({ length: alarm_limits.listed_kept }, (_, occurrence_no) => {
    const alarm = alarmOf({ occurrence_no });
    listed.keep(alarm);
    return alarm;
  });
  equal(listed.get({ occurrence_no: 0, synced_at: 1 }), alarms[0]);
  equal(listed.get({ occurrence_no: 0, synced_at: 2 }), undefined);
  listed.keep(alarmOf({ occurrence_no: alarm_limits.listed_kept }));
  equal(listed.get({ occurrence_no: 0, synced_at: 1 }), alarms[0]);
  equal(listed.get({ occurrence_no: 1, synced_at: 1 }), undefined);
  listed.forget();
  equal(listed.get({ occurrence_no: 0, synced_at: 1 }), undefined);
});

Deno.test("an alarm with long texts is not kept, whichever texts these are", () => {
  const listed = new ListedAlarms();
  const isKept = (alarm: ListedAlarm) => {
    listed.keep(alarm);
    return listed.get(alarm.occurrence) !== undefined;
  };
  equal(isKept(alarmOf({ occurrence_no: 1, decoded_labels: [long] })), true);
  equal(isKept(alarmOf({ occurrence_no: 2, decoded_labels: [long, long] })), false);
  equal(isKept(alarmOf({ occurrence_no: 3, params: long, resolution: long })), false);
  equal(isKept(alarmOf({ occurrence_no: 4, rule_description: long }, [{ body: long }])), false);
  equal(isKept(alarmOf({ occurrence_no: 5 }, [{ detail: long }, { body: long }])), false);
});
