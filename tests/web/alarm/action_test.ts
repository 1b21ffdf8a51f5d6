// Tests that the screens offer exactly what the life of alarms allows.
import { equal } from "node:assert/strict";
import { act } from "../../../src/model/alarms/life.ts";
import { alarm_statuses, resolution_policies } from "../../../src/model/alarms/alarm.ts";
import type { Occurrence } from "../../../src/model/alarms/alarm.ts";
import { action_words, allows, lastMove } from "../../../src/web/alarm/action.ts";
import { alarmWith, eventWith, noon_ms } from "./alarm_help.ts";

Deno.test("an action is offered where the service does it", () => {
  const said = { until_us: 2, reason: "r", note: "n", body: "b" };
  for (const action of action_words) {
    for (const status of alarm_statuses) {
      for (const resolution_policy of resolution_policies) {
        for (const cleared of [null, noon_ms]) {
          const alarm = alarmWith({ status, resolution_policy, cleared_ms: cleared });
          const occurrence = { status, resolution_policy, cleared_at: cleared, updated_at: 0 };
          const acted = act(occurrence as Occurrence, { action, ...said } as never, {
            user_id: "u",
            at_us: 1,
          });
          equal(allows(alarm, action), "step" in acted, `${action} ${status} ${cleared}`);
        }
      }
    }
  }
});

Deno.test("the move before a refused one is the last that an operator made", () => {
  const claimed = eventWith("claimed", noon_ms + 1);
  const events = [
    eventWith("raised", noon_ms),
    claimed,
    eventWith("commented", noon_ms + 2),
    eventWith("cleared", noon_ms + 3),
  ];
  equal(lastMove(alarmWith({ events })), claimed);
});
