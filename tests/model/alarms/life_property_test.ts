// Any life of an alarm: its status is the fold of its events, it ends once, repeats change nothing.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import {
  alarm_statuses,
  type AlarmEvent,
  type EventDraft,
  hasEnded,
  type Occurrence,
  resolution_policies,
} from "../../../src/model/alarms/alarm.ts";
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

type Turn =
  | { readonly turn: "act"; readonly action: QueueAction; readonly user_id: string }
  | { readonly turn: "clear" | "reraise" | "wake" | "inhibit" | "uninhibit" };

const user = fc.constantFrom("anna", "ben");
const text = fc.constantFrom("x", "y");

const action: fc.Arbitrary<QueueAction> = fc.oneof(
  fc.constantFrom<QueueAction>(
    { action: "claim" },
    { action: "release" },
    { action: "unshelve" },
    { action: "reopen" },
  ),
  fc.record({
    action: fc.constant("shelve" as const),
    until_us: fc.integer({ min: noon_us, max: noon_us + 40 }),
    reason: text,
  }),
  fc.record({ action: fc.constant("resolve" as const), note: text }),
  fc.record({ action: fc.constant("comment" as const), body: text }),
);

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ turn: fc.constant("act" as const), action, user_id: user }) },
  fc.record({
    turn: fc.constantFrom("clear" as const, "reraise" as const, "wake" as const),
  }),
  fc.record({ turn: fc.constantFrom("inhibit" as const, "uninhibit" as const) }),
);

/** Turns, each at its own time: clocks and samples may lag behind what came before. */
const life = fc.array(fc.tuple(turn, fc.integer({ min: noon_us, max: noon_us + 50 })), {
  maxLength: 40,
});

Deno.test("whatever happens to an alarm, its events tell where it stands", () => {
  fc.assert(
    fc.property(fc.constantFrom(...resolution_policies), life, (policy, turns) => {
      const world = new World(occurrenceOf({ resolution_policy: policy }));
      for (const [turn, at_us] of turns) {
        const before = world.occurrence;
        const step = world.turn(turn, at_us);
        if (step) world.take(step);
        if (turn.turn === "act" && step) checkRepeat(world, turn, at_us);
        if (hasEnded(before)) ok(hasEnded(world.occurrence), "it came back from its end");
        checkState(world);
      }
    }),
    { numRuns: 3000 },
  );
});

/** One alarm and its timeline. */
class World {
  occurrence: Occurrence;
  readonly events: AlarmEvent[] = [];

  constructor(occurrence: Occurrence) {
    this.occurrence = occurrence;
    this.#tell({ type: "raised", kind: "lifecycle", created_at: noon_us });
  }

  turn(turn: Turn, at_us: number): LifeStep | undefined {
    const { occurrence, events } = this;
    const values = { recovered_value: 1, last_value: 1 };
    const cause = { occurrence_no: 2, occurrence_id: "grid" };
    switch (turn.turn) {
      case "act": {
        const acted = act(occurrence, turn.action, { user_id: turn.user_id, at_us, events });
        return "step" in acted ? acted.step : undefined;
      }
      case "clear":
        return clear(occurrence, { at_us, ...values });
      case "reraise":
        return reraise(occurrence, { at_us, source_ts: at_us, value: 2 });
      case "wake":
        return wake(occurrence, at_us);
      case "inhibit":
        return inhibit(occurrence, { by: cause, at_us });
      case "uninhibit":
        return uninhibit(occurrence, at_us);
    }
  }

  take({ occurrence, events }: LifeStep): void {
    ok(events.length > 0);
    ok(occurrence.updated_at > this.occurrence.updated_at, "updated_at did not rise");
    this.occurrence = occurrence;
    events.forEach((event) => this.#tell(event));
  }

  #tell(event: EventDraft): void {
    this.events.push({
      ...{ feed_no: 1, synced_at: 1, project_no: 1, site_no: 1, occurrence_no: 1 },
      occurrence_id: "alarm-1",
      ...{ body: null, user_id: null, user_email: null, external_user_id: null, ...event },
      event_id: `wk-${this.events.length + 1}`,
      detail: event.detail === undefined ? null : JSON.stringify(event.detail),
    });
  }
}

/** The same action by the same user again changes nothing; so does a second answer of a client. */
function checkRepeat(
  { occurrence, events }: World,
  { action, user_id }: Turn & { turn: "act" },
  at_us: number,
): void {
  deepEqual(act(occurrence, action, { user_id, at_us: at_us + 1, events }), { unchanged: true });
  if (action.action === "comment") return;
  const other = user_id === "anna" ? "ben" : "anna";
  ok("refused" in act(occurrence, action, { user_id: other, at_us, events }));
}

function checkState({ occurrence, events }: World): void {
  const { status, cleared_at, resumes, claimed_by } = occurrence;
  deepEqual(fold(events), { status, cleared: cleared_at !== null });
  ok(alarm_statuses.includes(status));
  const shelved = status === "shelved";
  equal(resumes !== null, shelved);
  const timed = occurrence.shelved_until !== null;
  const inhibited = occurrence.inhibited_by !== null;
  equal(Number(timed) + Number(inhibited), shelved ? 1 : 0);
  equal(claimed_by !== null, status === "claimed" || resumes === "claimed");
  equal(occurrence.resolution !== null, status === "resolved");
  equal(occurrence.recovered_value !== null, cleared_at !== null);
  ok(cleared_at === null || cleared_at >= occurrence.raised_at);
}
