// The life of an alarm: every row of the transition table, and all that it forbids, as data.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { hasEnded, type Occurrence } from "../../../src/model/alarms/alarm.ts";
import { fold } from "../../../src/model/alarms/fold.ts";
import {
  act,
  type Acted,
  clear,
  type QueueAction,
  reraise,
} from "../../../src/model/alarms/life.ts";
import { inhibit, type LifeStep, uninhibit, wake } from "../../../src/model/alarms/life.ts";
import { noon_us, occurrenceOf } from "../../help/alarm.ts";

const at_us = noon_us + 60_000_000;
const by = { user_id: "anna", at_us };
const until_us = at_us + 3_600_000_000;

const actions: Readonly<Record<string, QueueAction>> = {
  claim: { action: "claim" },
  release: { action: "release" },
  shelve: { action: "shelve", until_us, reason: "r" },
  unshelve: { action: "unshelve" },
  resolve: { action: "resolve", note: "n" },
  reopen: { action: "reopen" },
  comment: { action: "comment", body: "b" },
};

/** The status after each action; `-` where it is refused. A shelved one was claimed before. */
const queue_table = `
  policy       condition status   | claim   release shelve  unshelve resolve  reopen comment
  auto         active    open     | claimed -       shelved -        resolved -      open
  auto         active    claimed  | -       open    shelved -        resolved -      claimed
  auto         active    shelved  | -       -       -       claimed  resolved -      shelved
  auto         active    resolved | -       -       -       -        -        open   resolved
  auto         cleared   open     | claimed -       shelved -        resolved -      open
  auto         cleared   claimed  | -       open    shelved -        resolved -      claimed
  auto         cleared   shelved  | -       -       -       claimed  resolved -      shelved
  auto         cleared   resolved | -       -       -       -        -        -      resolved
  manual       active    open     | claimed -       shelved -        resolved -      open
  manual       active    claimed  | -       open    shelved -        resolved -      claimed
  manual       active    shelved  | -       -       -       claimed  resolved -      shelved
  manual       active    resolved | -       -       -       -        -        -      resolved
  manual       cleared   open     | claimed -       shelved -        resolved -      open
  manual       cleared   claimed  | -       open    shelved -        resolved -      claimed
  manual       cleared   shelved  | -       -       -       claimed  resolved -      shelved
  manual       cleared   resolved | -       -       -       -        -        -      resolved
  require_both active    open     | claimed -       shelved -        resolved -      open
  require_both active    claimed  | -       open    shelved -        resolved -      claimed
  require_both active    shelved  | -       -       -       claimed  resolved -      shelved
  require_both active    resolved | -       -       -       -        -        open   resolved
  require_both cleared   open     | claimed -       shelved -        resolved -      open
  require_both cleared   claimed  | -       open    shelved -        resolved -      claimed
  require_both cleared   shelved  | -       -       -       claimed  resolved -      shelved
  require_both cleared   resolved | -       -       -       -        -        -      resolved`;

/** Whether it has ended; the status after the condition went or came back; `-`: nothing happens. */
const condition_table = `
  policy       condition status   | ended clear    reraise
  auto         active    open     | no    open     -
  auto         active    claimed  | no    claimed  -
  auto         active    shelved  | no    claimed  -
  auto         active    resolved | no    resolved -
  auto         cleared   open     | yes   -        -
  auto         cleared   claimed  | yes   -        -
  auto         cleared   shelved  | yes   -        -
  auto         cleared   resolved | yes   -        -
  manual       active    open     | no    open     -
  manual       active    claimed  | no    claimed  -
  manual       active    shelved  | no    shelved  -
  manual       active    resolved | yes   -        -
  manual       cleared   open     | no    -        open
  manual       cleared   claimed  | no    -        claimed
  manual       cleared   shelved  | no    -        shelved
  manual       cleared   resolved | yes   -        -
  require_both active    open     | no    open     -
  require_both active    claimed  | no    claimed  -
  require_both active    shelved  | no    shelved  -
  require_both active    resolved | no    resolved -
  require_both cleared   open     | no    -        open
  require_both cleared   claimed  | no    -        claimed
  require_both cleared   shelved  | no    -        shelved
  require_both cleared   resolved | yes   -        -`;

const event_types: Readonly<Record<string, string>> = {
  claim: "claimed",
  release: "released",
  shelve: "shelved",
  unshelve: "unshelved",
  resolve: "resolved",
  reopen: "reopened",
  comment: "commented",
};

/** Why each action is refused. */
const reasons: Readonly<Record<string, RegExp>> = {
  "claim claimed": /^it is claimed already/,
  "claim shelved": /^it is shelved: unshelve it first$/,
  "claim resolved": /^it is resolved: reopen it first$/,
  "release open": /^it is not claimed$/,
  "release shelved": /^it is shelved: unshelve it first$/,
  "release resolved": /^it is resolved: reopen it first$/,
  "shelve shelved": /^it is shelved already/,
  "shelve resolved": /^it is resolved: reopen it first$/,
  "unshelve open": /^it is not shelved$/,
  "unshelve claimed": /^it is not shelved$/,
  "unshelve resolved": /^it is resolved, not shelved$/,
  "resolve resolved": /^it is resolved already/,
  "reopen open": /^it is not resolved$/,
  "reopen claimed": /^it is not resolved$/,
  "reopen shelved": /^it is not resolved$/,
  "reopen resolved": /^it has ended: a new one is raised when the condition returns$/,
};

type Row = { readonly occurrence: Occurrence; readonly cells: Readonly<Record<string, string>> };

function rowsOf(table: string): Row[] {
  const [names, ...rows] = table.trim().split("\n").map((line) => line.trim().split(/[ |]+/));
  return rows.map((words) => {
    const cells = Object.fromEntries(names.map((name, i) => [name, words[i]]));
    const { policy, condition, status } = cells;
    const occurrence = occurrenceOf({
      resolution_policy: policy as Occurrence["resolution_policy"],
      status: status as Occurrence["status"],
      resumes: status === "shelved" ? "claimed" : null,
      shelved_until: status === "shelved" ? until_us : null,
      claimed_by: status === "claimed" || status === "shelved" ? "ben" : null,
      resolution: status === "resolved" ? "before" : null,
      cleared_at: condition === "cleared" ? noon_us + 1 : null,
    });
    return { occurrence, cells };
  });
}

function stepOf(acted: Acted): LifeStep {
  ok("step" in acted, JSON.stringify(acted));
  return acted.step;
}

Deno.test("each action leads where the table says, and is refused in words elsewhere", () => {
  const rows = rowsOf(queue_table);
  equal(rows.length, 24);
  for (const { occurrence, cells } of rows) {
    for (const [name, action] of Object.entries(actions)) {
      const where = `${cells.policy} ${cells.condition} ${cells.status} ${name}`;
      const acted = act(occurrence, action, by);
      if (cells[name] === "-") {
        ok("refused" in acted, where);
        match(acted.refused, reasons[`${name} ${cells.status}`], where);
        continue;
      }
      const { occurrence: after, events } = stepOf(acted);
      equal(after.status, cells[name], where);
      equal(after.cleared_at, occurrence.cleared_at, where);
      deepEqual(events.map(({ type, kind }) => [type, kind]), [[event_types[name], "operator"]]);
      deepEqual([events[0].user_id, events[0].created_at, after.updated_at], [
        "anna",
        at_us,
        at_us,
      ]);
    }
  }
});

Deno.test("the condition moves its own axis, and nothing that has ended", () => {
  const rows = rowsOf(condition_table);
  equal(rows.length, 24);
  for (const { occurrence, cells } of rows) {
    const where = `${cells.policy} ${cells.condition} ${cells.status}`;
    equal(hasEnded(occurrence), cells.ended === "yes", where);
    const gone = clear(occurrence, { at_us, recovered_value: 7, last_value: 8 });
    equal(gone?.occurrence.status ?? "-", cells.clear, where);
    if (gone) {
      const { cleared_at, recovered_value, last_value } = gone.occurrence;
      deepEqual([cleared_at, recovered_value, last_value], [at_us, 7, 8]);
      const types = gone.events.map(({ type, kind }) => `${type} ${kind}`);
      const leaves = cells.policy === "auto" && cells.status === "shelved";
      deepEqual(types, leaves ? ["cleared lifecycle", "unshelved system"] : ["cleared lifecycle"]);
    }
    const back = reraise(occurrence, { at_us, source_ts: noon_us + 5, value: 9 });
    equal(back?.occurrence.status ?? "-", cells.reraise, where);
    if (back) {
      const { cleared_at, recovered_value, last_value, raised_at } = back.occurrence;
      deepEqual([cleared_at, recovered_value, last_value, raised_at], [null, null, 9, noon_us]);
      deepEqual(back.events, [{
        type: "reraised",
        kind: "lifecycle",
        created_at: at_us,
        detail: { value: 9, source_ts: "2026-06-01T12:00:00.000005Z" },
      }]);
    }
  }
});

Deno.test("each action keeps what it is told, and takes back what no longer holds", () => {
  const open = occurrenceOf({});
  const claimed = stepOf(act(open, actions.claim, by)).occurrence;
  equal(claimed.claimed_by, "anna");
  equal(stepOf(act(claimed, actions.release, by)).occurrence.claimed_by, null);
  const shelving = stepOf(act(claimed, actions.shelve, by));
  const shelved = shelving.occurrence;
  deepEqual(
    [shelved.resumes, shelved.shelved_until, shelved.claimed_by],
    ["claimed", until_us, "anna"],
  );
  const [event] = shelving.events;
  deepEqual([event.body, event.detail], ["r", { until: "2026-06-01T13:01:00.000000Z" }]);
  const unshelved = stepOf(act(shelved, actions.unshelve, by)).occurrence;
  deepEqual([unshelved.resumes, unshelved.shelved_until, unshelved.claimed_by], [
    null,
    null,
    "anna",
  ]);
  const resolving = stepOf(act(shelved, actions.resolve, by));
  const { occurrence: resolved } = resolving;
  deepEqual(
    [resolved.resolution, resolved.claimed_by, resolved.resumes, resolved.shelved_until],
    ["n", null, null, null],
  );
  equal(resolving.events[0].body, "n");
  equal(stepOf(act(resolved, actions.reopen, by)).occurrence.resolution, null);
  const from_open = stepOf(act(open, actions.shelve, by)).occurrence;
  equal(stepOf(act(from_open, actions.unshelve, by)).occurrence.status, "open");
});

Deno.test("a shelf's time is up when the clock says so, and the event tells when it was", () => {
  const shelved = stepOf(act(occurrenceOf({}), actions.shelve, by)).occurrence;
  equal(wake(shelved, until_us - 1), undefined);
  const step = wake(shelved, until_us + 5_000_000)!;
  deepEqual([step.occurrence.status, step.occurrence.shelved_until], ["open", null]);
  deepEqual(step.events, [{ type: "unshelved", kind: "system", created_at: until_us }]);
  equal(wake(step.occurrence, until_us + 5_000_000), undefined);
});

Deno.test("an inhibited alarm has no time, and leaves its shelf with what inhibits it", () => {
  const open = occurrenceOf({});
  const cause = { occurrence_no: 7, occurrence_id: "grid" };
  const { occurrence: inhibited, events } = inhibit(open, { by: cause, at_us })!;
  deepEqual([inhibited.status, inhibited.inhibited_by, inhibited.shelved_until], [
    "shelved",
    7,
    null,
  ]);
  deepEqual(events[0], {
    type: "shelved",
    kind: "system",
    created_at: at_us,
    detail: { inhibited_by: "grid" },
  });
  equal(wake(inhibited, Number.MAX_SAFE_INTEGER), undefined);
  equal(inhibit(inhibited, { by: cause, at_us }), undefined);
  equal(uninhibit(open, at_us), undefined);
  const freed = uninhibit(inhibited, at_us + 1)!;
  deepEqual([freed.occurrence.status, freed.occurrence.inhibited_by], ["open", null]);
  equal(freed.events[0].kind, "system");
  const taken = stepOf(act(inhibited, actions.unshelve, by)).occurrence;
  deepEqual([taken.status, taken.inhibited_by, uninhibit(taken, at_us)], ["open", null, undefined]);
  const reshelved = stepOf(act(taken, actions.shelve, by)).occurrence;
  equal(uninhibit(reshelved, at_us), undefined);
});

Deno.test("a recovery never comes before the alarm, and tells what made it", () => {
  const open = occurrenceOf({});
  const gone = clear(open, {
    at_us: noon_us - 5,
    recovered_value: null,
    last_value: null,
    kind: "system",
    detail: { reason: "rule_removed" },
  })!;
  equal(gone.occurrence.cleared_at, noon_us);
  deepEqual(gone.events, [{
    type: "cleared",
    kind: "system",
    created_at: noon_us,
    detail: { reason: "rule_removed" },
  }]);
  ok(gone.occurrence.updated_at > open.updated_at);
});

Deno.test("what a source's snapshots say counts in the fold, a source's own events do not", () => {
  const snapshot = (detail: object) => ({
    type: "source_updated",
    kind: "source",
    created_at: 0,
    detail: JSON.stringify(detail),
  });
  const own = (type: string) => ({ type, kind: "operator", created_at: 0 });
  const sent = { ...own("resolved"), event_id: "e-1", kind: "source" };
  deepEqual(fold([own("raised"), sent]), { status: "open", cleared: false });
  const told = [own("raised"), snapshot({ status: "claimed", cleared_at: "2026-06-01T12:00:00Z" })];
  deepEqual(fold(told), { status: "claimed", cleared: true });
  const shelved = [...told, snapshot({ status: "shelved", severity: "low" }), own("unshelved")];
  deepEqual(fold(shelved), { status: "claimed", cleared: true });
  deepEqual(fold([...shelved, snapshot({ cleared_at: null })]), {
    status: "claimed",
    cleared: false,
  });
});
