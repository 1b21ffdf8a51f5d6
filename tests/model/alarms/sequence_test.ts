// Sequences of OPC 10000-9 in the words of this service: annex B.1.2, and shelving of 5.8.
//
// A condition of the standard is a rule on a tag here; each of its rounds is an occurrence, whose
// policy require_both asks for what the standard's confirmation asks for. Its variables are
//   Active    the condition holds: cleared_at is null
//   Acked     someone has seen it: it is not open
//   Confirmed nobody has to settle it: it is not claimed
//   Retain    it has not ended
// Acknowledge is claim, Confirm is resolve with its note, TimedShelve is shelve, OneShotShelve is
// the shelf of an auto alarm (it ends with the condition), Suppress is inhibit. Branches (B.1.3)
// are not kept: an alarm that comes back before it has ended is reraised, each return an event.
import { deepEqual, equal } from "node:assert/strict";
import { hasEnded, type Occurrence } from "../../../src/model/alarms/alarm.ts";
import { fold } from "../../../src/model/alarms/fold.ts";
import {
  act,
  clear,
  inhibit,
  type LifeStep,
  type QueueAction,
  reraise,
  uninhibit,
  wake,
} from "../../../src/model/alarms/life.ts";
import { noon_us, occurrenceOf } from "../../help/alarm.ts";

type States = readonly [active: boolean, acked: boolean, confirmed: boolean, retain: boolean];

const [T, F] = [true, false];

/** A condition without an occurrence is in its initial state. */
function statesOf(it: Occurrence | undefined): States {
  if (it === undefined) return [F, T, T, F];
  return [it.cleared_at === null, it.status !== "open", it.status !== "claimed", !hasEnded(it)];
}

function done(occurrence: Occurrence | undefined, action: QueueAction): Occurrence {
  const acted = act(occurrence!, action, { user_id: "anna", at_us: noon_us + 1 });
  return (acted as { step: LifeStep }).step.occurrence;
}

const raised = () => occurrenceOf({ resolution_policy: "require_both" });
const acknowledge = (it?: Occurrence) => done(it, { action: "claim" });
const confirm = (it?: Occurrence) => done(it, { action: "resolve", note: "Fan changed" });
const goInactive = (it?: Occurrence) =>
  clear(it!, { at_us: noon_us + 2, recovered_value: 1, last_value: 1 })!.occurrence;

Deno.test("the states of OPC 10000-9 table B.1 come in its order", () => {
  const table: readonly (readonly [(it?: Occurrence) => Occurrence, States])[] = [
    [raised, [T, F, T, T]], // 1 Alarm goes active.
    [acknowledge, [T, T, F, T]], // 2 Acknowledged, Confirm required.
    [goInactive, [F, T, F, T]], // 3 Alarm goes inactive.
    [confirm, [F, T, T, F]], // 4 Confirmed.
    [raised, [T, F, T, T]], // 5 Alarm goes active.
    [goInactive, [F, F, T, T]], // 6 Alarm goes inactive.
    [acknowledge, [F, T, F, T]], // 7 Acknowledged, Confirm required.
    [confirm, [F, T, T, F]], // 8 Confirmed.
  ];
  let condition: Occurrence | undefined;
  deepEqual(statesOf(condition), [F, T, T, F]);
  table.forEach(([turn, states], i) => {
    condition = turn(condition);
    deepEqual(statesOf(condition), states, `event ${i + 1}`);
  });
});

Deno.test("an alarm that returns unconfirmed is reraised and stays acknowledged", () => {
  const gone = goInactive(acknowledge(raised()));
  const back = reraise(gone, { at_us: noon_us + 3, source_ts: noon_us + 3, value: 9 })!;
  deepEqual(statesOf(back.occurrence), [T, T, F, T]);
  equal(back.events[0].type, "reraised");
  deepEqual(statesOf(confirm(back.occurrence)), [T, T, T, T]);
  deepEqual(statesOf(goInactive(confirm(back.occurrence))), [F, T, T, F]);
});

Deno.test("a timed shelf outlives the condition and ends with its time or by unshelve", () => {
  const shelve = { action: "shelve", until_us: noon_us + 10, reason: "Crew on the way" } as const;
  const shelved = done(raised(), shelve);
  equal(goInactive(shelved).status, "shelved");
  equal(wake(goInactive(shelved), noon_us + 10)?.occurrence.status, "open");
  equal(done(shelved, { action: "unshelve" }).status, "open");
  equal(wake(done(acknowledge(raised()), shelve), noon_us + 10)?.occurrence.status, "claimed");
});

Deno.test("a one-shot shelf ends when the condition goes", () => {
  const auto = occurrenceOf({ resolution_policy: "auto" });
  const shelve = { action: "shelve", until_us: noon_us + 10, reason: "Crew on the way" } as const;
  const gone = goInactive(done(auto, shelve));
  deepEqual([gone.status, hasEnded(gone)], ["open", true]);
});

Deno.test("a suppressed alarm follows its condition, and returns with its cause's end", () => {
  const raised_event = { type: "raised", kind: "lifecycle", created_at: noon_us };
  const cause = { occurrence_no: 9, occurrence_id: "comms" };
  const suppressed = inhibit(raised(), { by: cause, at_us: noon_us })!;
  deepEqual(fold([raised_event, ...suppressed.events]), { status: "shelved", cleared: false });
  equal(goInactive(suppressed.occurrence).status, "shelved");
  const freed = uninhibit(suppressed.occurrence, noon_us + 4)!;
  deepEqual(statesOf(freed.occurrence), [T, F, T, T]);
});
