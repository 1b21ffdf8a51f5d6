// What events of conditions make of alarms: gaps, clocks, servers that say little.
import { deepEqual, equal, ok } from "node:assert/strict";
import {
  type ConditionAlarm,
  type ConditionEvent,
  followCondition,
  severityWord,
} from "../../../src/model/sources/condition.ts";
import { event_fields, serverEvent } from "../../../src/wire/sources/opcua_event.ts";

const scene = {
  ...{ source: "scada", site: "s", alarm_class: null, severity_from: 1 },
  placeOf: () => ({}),
};

const active: ConditionEvent = {
  ...{ condition: "ns=2;s=A", name: "A", event_type: "ns=0;i=2915", source_node: null },
  ...{ source_name: "I1", input_node: null, message: "hot", comment: null, severity: 700 },
  ...{ at_us: 1000, turned_us: null, is_enabled: true, is_active: true, is_retained: true },
  ...{ is_acknowledged: null, is_confirmed: null },
};
const ended: ConditionEvent = { ...active, at_us: 2000, is_active: false, is_retained: false };

/** What stands after events, and the last of their rows. */
function after(events: readonly (ConditionEvent & { readonly after_gap?: boolean })[]) {
  let known: ConditionAlarm | undefined;
  const ids = new Set<string>();
  for (const { after_gap = false, ...event } of events) {
    for (const row of followCondition(known, { event, after_gap, scene })) {
      known = row;
      ids.add(row.occurrence_id);
    }
  }
  return { known, count: ids.size };
}

Deno.test("a condition that ends and begins again is another alarm", () => {
  const { known, count } = after([active, ended, { ...active, at_us: 3000 }]);
  equal(count, 2);
  deepEqual([known!.state.raised_at, known!.state.cleared_at], [3000, null]);
});

Deno.test("a server's clock that is set back hides nothing", () => {
  const { known } = after([active, { ...ended, at_us: 10 }]);
  deepEqual([known!.state.cleared_at, known!.state.updated_at], [1000, 1000]);
  const again = after([active, { ...ended, at_us: 10 }, { ...active, at_us: 20 }]);
  equal(again.count, 2);
  ok(again.known!.state.cleared_at === null && again.known!.state.updated_at >= 1000);
});

Deno.test("the same events again, as a refresh sends them, change nothing", () => {
  const turned = { ...active, turned_us: 900 };
  const once = after([turned]);
  const twice = after([turned, { ...turned, after_gap: true }]);
  deepEqual(twice, once);
});

Deno.test("one that ended and began in a gap is two; live, a careless server's is one", () => {
  const first = { ...active, turned_us: 900 };
  const later = { ...active, at_us: 5000, turned_us: 5000 };
  equal(after([first, { ...later, after_gap: true }]).count, 2);
  equal(after([first, later]).count, 1);
});

Deno.test("one without such a state is active while it matters; a disabled one never", () => {
  const plain = { ...active, is_active: null };
  equal(after([plain]).known!.state.cleared_at, null);
  equal(
    after([plain, { ...plain, at_us: 2000, is_retained: false }]).known!.state.cleared_at,
    2000,
  );
  equal(
    after([active, { ...active, at_us: 2000, is_enabled: false }]).known!.state.cleared_at,
    2000,
  );
  equal(after([ended]).known, undefined, "what has ended before it was seen");
});

Deno.test("severities from 1 to 1000 are words, a fifth each", () => {
  deepEqual([1, 200, 201, 400, 401, 600, 601, 800, 801, 1000].map(severityWord), [
    ...["info", "info", "low", "low", "medium", "medium", "high", "high", "critical", "critical"],
  ]);
});

Deno.test("names that are long or odd are kept apart, and within their bounds", () => {
  const named = (condition: string) =>
    followCondition(undefined, {
      event: { ...active, condition, name: "a\nb\ud800" },
      ...{ after_gap: false, scene },
    })[0];
  const [one, two] = ["1", "2"].map((end) => named(`ns=2;s=${"x".repeat(900)}${end}`));
  ok(one.occurrence_id !== two.occurrence_id && one.occurrence_id.length === 512);
  equal(one.state.rule_name, "a b\ufffd");
});

Deno.test("fields that are missing, of another type or from the future are no trouble", () => {
  const names = Object.keys(event_fields);
  const said = (fields: Readonly<Record<string, unknown>>) =>
    serverEvent(names.map((name) => ({ value: fields[name] })), { now_us: 5000, latest_us: 9000 });
  deepEqual(said({}), { kind: "other" });
  deepEqual(serverEvent([], { now_us: 1, latest_us: 2 }), { kind: "other" });
  deepEqual(said({ type: "ns=0;i=2788" }), { kind: "refresh_end", at_us: 5000 });
  const odd = said({
    ...{ condition: "ns=2;i=1", type: 7, severity: "x", active: 1, at: new Date(10) },
    ...{ message: { text: null }, name: 9, turned: new Date(NaN), retain: true },
  });
  equal(odd.kind, "condition");
  if (odd.kind !== "condition") return;
  const { severity, is_active, at_us, message, name, turned_us } = odd.event;
  deepEqual([severity, is_active, at_us, message, name, turned_us], [
    1,
    null,
    5000,
    null,
    null,
    null,
  ]);
  equal(said({ condition: "ns=2;i=1", branch: "ns=2;i=9" }).kind, "other");
});
