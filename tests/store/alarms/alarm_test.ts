// Alarms as they are kept: what filters let through, resuming, timelines, events that wait.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { Alarms } from "../../../src/engine/alarms/alarm.ts";
import type { OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import {
  findOccurrences,
  listOccurrences,
  listUnchanged,
  type OccurrenceFilter,
  readOccurrence,
  readTimelines,
} from "../../../src/store/alarms/alarm.ts";
import {
  addWaiting,
  listWaiting,
  takeWaiting,
  type WaitingDraft,
  waitingRoom,
} from "../../../src/store/alarms/waiting.ts";
import { Database } from "../../../src/store/database.ts";
import { draftOf, eventOf, noon_us } from "../../help/alarm.ts";
import { fakeEffects } from "../../help/effects.ts";

type Said = Parameters<typeof draftOf>[0];

/** A database with one write of alarms for each list of drafts. */
async function open(writes: readonly (readonly Said[])[] = [], path = ":memory:") {
  const { effects } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 256 });
  const alarms = await Alarms.open({ database });
  for (const drafts of writes) {
    await alarms.write((changes) => {
      for (const said of drafts) changes.raise(draftOf(said), [eventOf("raised")]);
      return Promise.resolve();
    });
  }
  return {
    database,
    alarms,
    list: (filter: OccurrenceFilter) =>
      database.read((connection) => listOccurrences(connection, filter)),
  };
}

const drafts: readonly (Partial<OccurrenceDraft> & { occurrence_id: string })[] = [
  { occurrence_id: "plain" },
  { occurrence_id: "other project", project_no: 2, site_no: 3 },
  { occurrence_id: "other site", site_no: 2 },
  { occurrence_id: "claimed", status: "claimed", severity: "low", kind: "enum" },
  { occurrence_id: "trip", alarm_class: "trip", device_id: "d1", source_tag: "T" },
  { occurrence_id: "own", origin: "rule", rule_no: 7, rule_name: "Own" },
  { occurrence_id: "cleared", cleared_at: noon_us + 10 },
  { occurrence_id: "manual", resolution_policy: "manual", cleared_at: noon_us + 20 },
  { occurrence_id: "resolved", resolution_policy: "manual", status: "resolved" },
  {
    occurrence_id: "both",
    resolution_policy: "require_both",
    status: "resolved",
    raised_at: noon_us + 5,
  },
];

const filters: readonly (readonly [OccurrenceFilter, string])[] = [
  [{ project_no: 2 }, "other project"],
  [{ site_no: 2 }, "other site"],
  [{ statuses: ["claimed"] }, "claimed"],
  [{ statuses: ["claimed", "resolved"] }, "claimed, resolved, both"],
  [{ severities: ["low", "info"] }, "claimed"],
  [{ kinds: ["enum"] }, "claimed"],
  [{ alarm_classes: ["trip"] }, "trip"],
  [{ device_ids: ["d1", "d2"] }, "trip"],
  [{ source_tags: ["T"] }, "trip"],
  [{ rule_nos: [7, 8] }, "own"],
  [{ rule_names: ["Own"], source_tags: ["INV-1/Temp"] }, "own"],
  [{ rule_names: ["Own"], source_tags: ["T"] }, ""],
  [{ active: false }, "cleared, manual"],
  [{ ended: true }, "cleared, resolved"],
  [{ ended: false, active: false }, "manual"],
  [{ from_us: noon_us + 10, active: false }, "manual"],
  [{ from_us: noon_us + 9, to_us: noon_us + 1, active: false }, "cleared, manual"],
  [{ to_us: noon_us + 5, statuses: ["resolved"] }, "resolved"],
  [{ statuses: [] }, ""],
  [{ limit: 2, offset: 1 }, "other project, other site"],
];

Deno.test("a filter lets through what it says, all of them together what passes each", async () => {
  const { database, list } = await open([drafts]);
  assert.equal((await list({ site_no: undefined })).length, drafts.length);
  for (const [filter, expected] of filters) {
    const found = (await list(filter)).map(({ occurrence_id }) => occurrence_id).join(", ");
    assert.equal(found, expected, JSON.stringify(filter));
  }
  await database.close();
});

Deno.test("pages that resume after the last row hold every occurrence once", async () => {
  const writes = [3, 1, 4].map((count, w) =>
    Array.from({ length: count }, (_, i) => ({ occurrence_id: `${w} ${i}`, project_no: 1 + i % 2 }))
  );
  const { database, list } = await open(writes);
  const all = await list({ project_no: 1 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), async (limit) => {
      const paged = [];
      for (let since_us = 0, after_no = -1;;) {
        const page = await list({ project_no: 1, since_us, after_no, limit });
        paged.push(...page);
        if (page.length < limit) break;
        ({ synced_at: since_us, occurrence_no: after_no } = page.at(-1)!);
      }
      assert.deepEqual(paged, all);
    }),
    { numRuns: 7 },
  );
  await database.close();
});

Deno.test("a list of two statements tells where an occurrence changed between them", async () => {
  const { database, alarms, list } = await open([[{ occurrence_id: "a" }, { occurrence_id: "b" }]]);
  const all = await list({});
  let [value, between] = [0, () => Promise.resolve()];
  const listed = (known?: typeof all) =>
    database.read((connection) => {
      const rows: typeof connection.rows = async (...run) => {
        const found = await connection.rows(...run);
        await between();
        between = () => Promise.resolve();
        return found;
      };
      const by_no = ({ occurrence_no }: { readonly occurrence_no: number }) =>
        known?.find((it) => it.occurrence_no === occurrence_no);
      return listUnchanged(Object.assign(Object.create(connection), { rows }), {}, by_no);
    });
  const change = () =>
    alarms.write(async (changes) => {
      await changes.load({ nos: [2] });
      changes.change({ ...changes.get(2)!, last_value: ++value }, [eventOf("comment")]);
    }).then(() => {});
  assert.deepEqual(await listed(), all);
  between = change;
  assert.equal(await listed(), undefined);
  assert.deepEqual(await listed(), await list({}));
  between = change;
  // What is known is not read: it is as it was at the moment of the list.
  const known = await list({});
  assert.deepEqual(await listed(known), known);
  await database.close();
});

Deno.test("an occurrence is found by its ID in its own project only", async () => {
  const ids = ["a", "A", "", "a'b", "\u{1F525}"];
  const { database } = await open([ids.map((occurrence_id) => ({ occurrence_id }))]);
  await database.read(async (connection) => {
    for (const occurrence_id of ids) {
      const one = await readOccurrence(connection, { project_no: 1, occurrence_id });
      assert.equal(one?.occurrence_id, occurrence_id);
      assert.equal(await readOccurrence(connection, { project_no: 2, occurrence_id }), undefined);
    }
    const found = await findOccurrences(connection, { project_no: 1, ids: ["A", "none", "a'b"] });
    assert.deepEqual(found.map((it) => it.occurrence_id), ["A", "a'b"]);
    assert.deepEqual(await findOccurrences(connection, { project_no: 1, ids: [] }), []);
  });
  await database.close();
});

Deno.test("a timeline is ordered by when it happened, its newest events last", async () => {
  const { database, alarms, list } = await open([[{ occurrence_id: "a" }, { occurrence_id: "b" }]]);
  await alarms.write(async (changes) => {
    await changes.load({ nos: [1] });
    const late = [3, 1, 2].map((i) => eventOf(`at ${i}`, { created_at: noon_us + i }));
    changes.change(changes.get(1)!, late);
  });
  const occurrences = await list({});
  const typesOf = async (newest?: number) => {
    const events = await database.read((it) => readTimelines(it, occurrences, { newest }));
    return events.map(({ occurrence_id, type }) => `${occurrence_id} ${type}`);
  };
  assert.deepEqual(await typesOf(), ["a raised", "a at 1", "a at 2", "a at 3", "b raised"]);
  assert.deepEqual(await typesOf(2), ["a at 2", "a at 3", "b raised"]);
  await database.close();
});

function waitingOf(occurrence_id: string, event_id: string): WaitingDraft {
  return {
    occurrence_id,
    event_id,
    type: "raised",
    kind: "source",
    created_at: noon_us,
    body: null,
    user_id: null,
    user_email: null,
    external_user_id: null,
    detail: '{"n":1}',
  };
}

Deno.test("events wait for their occurrence, each once, and are taken out with it", async () => {
  const { database } = await open();
  const sent = [waitingOf("a", "1"), waitingOf("a", "2"), waitingOf("b", "1"), waitingOf("a", "1")];
  const add = (project_no: number, events: readonly WaitingDraft[]) =>
    database.write((write) => addWaiting(write, project_no, events));
  assert.deepEqual(await add(1, sent), sent.slice(0, 3));
  assert.deepEqual(await add(1, [sent[1], waitingOf("b", "2")]), [waitingOf("b", "2")]);
  assert.equal((await add(2, sent)).length, 3);
  const room = await database.read((connection) => waitingRoom(connection, 1));
  assert.equal(room.events, alarm_limits.waiting_events - 4);
  assert.ok(room.length < alarm_limits.waiting_length);
  const taken = await database.write((write) =>
    takeWaiting(write, { project_no: 1, ids: ["a", "none"] })
  );
  const received_at = taken[0].received_at;
  assert.deepEqual(taken.map((it) => it.event_id).toSorted(), ["1", "2"]);
  assert.deepEqual(taken.find((it) => it.event_id === "1"), { ...sent[0], received_at });
  const left = await database.read((connection) =>
    listWaiting(connection, { project_no: 1, limit: 10, offset: 0 })
  );
  assert.deepEqual(left.map((it) => `${it.occurrence_id} ${it.event_id}`), ["b 1", "b 2"]);
  await database.close();
});

Deno.test("a restart goes on after the last stamp, whatever carries it", async () => {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  await Deno.remove(path);
  const first = await open([[{ occurrence_id: "a" }]], path);
  await first.database.write((write) => addWaiting(write, 1, [waitingOf("b", "1")]));
  const { committed_us } = first.database;
  await first.database.close();
  const again = await open([], path);
  assert.equal(again.database.committed_us, committed_us);
  await again.database.close();
  await Deno.remove(path);
});
