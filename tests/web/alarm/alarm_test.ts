// Tests the lists that alarms are in, their order, and what they are looked for by.
import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import {
  type Alarm,
  byUrgency,
  isAnnunciated,
  isWanted,
  standingOf,
} from "../../../src/web/alarm/alarm.ts";
import { alarmWith, eventWith, hour_ms, noon_ms } from "./alarm_help.ts";

Deno.test("an alarm stands in the list of what is to be done with it", () => {
  const cases: readonly (readonly [Partial<Alarm>, string])[] = [
    [{}, "needs"],
    [{ status: "claimed" }, "needs"],
    [{ cleared_ms: noon_ms }, "returned"],
    [{ cleared_ms: noon_ms, status: "claimed" }, "done"],
    [{ cleared_ms: noon_ms, status: "claimed", resolution_policy: "require_both" }, "returned"],
    [{ status: "shelved" }, "shelved"],
    [{ status: "resolved" }, "done"],
  ];
  for (const [said, list] of cases) equal(standingOf(alarmWith(said)), list, JSON.stringify(said));
});

Deno.test("the most urgent is first, then what stands, then the newest", () => {
  const alarms = [
    alarmWith({ rule_name: "a", digit: 1, raised_ms: noon_ms }),
    alarmWith({ rule_name: "b", digit: 2, raised_ms: noon_ms + 2 }),
    alarmWith({ rule_name: "c", digit: 2, raised_ms: noon_ms + 1 }),
    alarmWith({ rule_name: "d", digit: 2, raised_ms: noon_ms + 3, cleared_ms: noon_ms + 4 }),
    alarmWith({ rule_name: "e", digit: 5, raised_ms: noon_ms + 9 }),
  ];
  fc.assert(fc.property(
    fc.shuffledSubarray(alarms, { minLength: alarms.length }),
    (some) => equal(some.toSorted(byUrgency).map((it) => it.rule_name).join(""), "abcde"),
  ));
});

Deno.test("an alarm is found by device, priority and all of its words", () => {
  const alarm = alarmWith({ digit: 2, device_id: "d7", decoded_labels: ["Overcurrent"] });
  const found = [
    { device_id: "d7" },
    { digits: [1, 2] as const },
    { text: "TEMP inverter" },
    { text: "overc" },
    {},
  ].map((it) => isWanted(alarm, it));
  deepEqual(found, [true, true, true, true, true]);
  const missed = [{ device_id: "d8" }, { digits: [1] as const }, { text: "temp battery" }]
    .map((it) => isWanted(alarm, it));
  deepEqual(missed, [false, false, false]);
});

Deno.test("what another alarm held back from its start did not come up", () => {
  const detail = { inhibited_by: "y" };
  const heldAt = (at_ms: number) =>
    alarmWith({ events: [eventWith("shelved", at_ms, { kind: "system", detail })] });
  equal(isAnnunciated(heldAt(noon_ms)), false);
  equal(isAnnunciated(heldAt(noon_ms + hour_ms)), true);
  equal(isAnnunciated(alarmWith()), true);
});
