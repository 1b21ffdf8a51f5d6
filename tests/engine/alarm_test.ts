// Alarms as they are written: numbers, ids, duplicates, what a failed write leaves, who is told.
import assert from "node:assert/strict";
import { Alarms } from "../../src/engine/alarm.ts";
import type { StoredAlarms } from "../../src/engine/alarm_change.ts";
import { listOccurrences, readFeed, readTimelines } from "../../src/store/alarm.ts";
import { Database } from "../../src/store/database.ts";
import { draftOf, eventOf } from "../help/alarm.ts";
import { fakeEffects } from "../help/effects.ts";

async function open(path = ":memory:") {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 256 });
  const alarms = await Alarms.open({ database });
  return {
    database,
    alarms,
    clock,
    list: () => database.read((connection) => listOccurrences(connection, {})),
    timeline: async (occurrence_id: string) => {
      const all = await database.read((connection) => listOccurrences(connection, {}));
      const one = all.filter((it) => it.occurrence_id === occurrence_id);
      return await database.read((connection) => readTimelines(connection, one));
    },
    feed: () =>
      database.read((connection) => {
        const all = { site_no: null, since_us: 0, after: null, limit: 100, offset: 0 };
        return readFeed(connection, { project_no: 1, ...all });
      }),
  };
}

Deno.test("an occurrence comes back as it was raised, with its number and its events", async () => {
  const { database, alarms, list, timeline } = await open();
  const draft = draftOf({
    occurrence_id: "a",
    rule_version: 2.5,
    decoded_labels: ["Überstrom", "bit 7"],
    params: '{"threshold":80}',
    peak_at: 1,
    cleared_at: 2,
    is_nerc: true,
  });
  const detail = { text: "ß", list: [1, null] };
  await alarms.write((changes) => {
    const raised = changes.raise(draft, [eventOf("raised"), eventOf("commented", { detail })]);
    assert.equal(raised.occurrence_no, 1);
    return Promise.resolve();
  });
  const [{ synced_at, ...stored }] = await list();
  assert.deepEqual(stored, {
    ...draft,
    occurrence_no: 1,
    events_total: 2,
    first_feed_no: 1,
    last_feed_no: 2,
  });
  assert.equal(synced_at, database.committed_us);
  const events = await timeline("a");
  assert.deepEqual(events.map((event) => [event.event_id, event.type, event.detail]), [
    ["wk-000001", "raised", null],
    ["wk-000002", "commented", JSON.stringify(detail)],
  ]);
  await database.close();
});

Deno.test("an event counts once, in a write and over several", async () => {
  const { database, alarms, feed, list } = await open();
  const sent = (type: string, event_id: string) => eventOf(type, { event_id });
  const first = [sent("raised", "e1"), sent("acked", "e2"), sent("twice", "e1")];
  let stored: StoredAlarms | undefined;
  alarms.listen((told) => stored = told);
  await alarms.write((changes) => {
    changes.raise(draftOf({ occurrence_id: "a" }), first);
    changes.raise(draftOf({ occurrence_id: "b" }), [sent("raised", "e1")]);
    return Promise.resolve();
  });
  assert.deepEqual([...stored!.duplicates], [first[2]]);
  const again = [sent("again", "e2"), sent("cleared", "e3"), eventOf("source_updated")];
  await alarms.write(async (changes) => {
    await changes.load({ project_no: 1, ids: ["a", "nobody"] });
    changes.change(changes.find(1, "a")!, again);
    assert.equal(changes.find(1, "nobody"), undefined);
  });
  assert.deepEqual([...stored!.duplicates], [again[0]]);
  const rows = (await feed()).map((event) => `${event.occurrence_id} ${event.event_id}`);
  assert.deepEqual(rows, ["a e1", "a e2", "b e1", "a e3", "a wk-000004"]);
  const totals = (await list()).map((it) => [it.occurrence_id, it.events_total, it.last_feed_no]);
  assert.deepEqual(totals, [["b", 1, 3], ["a", 4, 5]]);
  await database.close();
});

Deno.test("nothing is stored, and nobody told, of what is there already", async () => {
  const { database, alarms, list } = await open();
  const event = eventOf("raised", { event_id: "e1" });
  await alarms.write((changes) => {
    changes.raise(draftOf({ occurrence_id: "a" }), [event]);
    return Promise.resolve();
  });
  const before = await list();
  alarms.listen(() => assert.fail("told"));
  await alarms.write(async (changes) => {
    await changes.load({ nos: [1] });
    changes.change(changes.get(1)!, [{ ...event }]);
  });
  assert.deepEqual(await list(), before);
  await database.close();
});

Deno.test("a write that fails leaves no alarm, and the next one is right", async () => {
  const { database, alarms, feed, list } = await open();
  const raise = (occurrence_id: string, end = () => Promise.resolve()) =>
    alarms.write((changes) => {
      changes.raise(draftOf({ occurrence_id }), [eventOf("raised"), eventOf("commented")]);
      return end();
    });
  await raise("a");
  await assert.rejects(raise("b", () => Promise.reject(new Error("no"))));
  // A database that fails late, in the middle of storing.
  await assert.rejects(alarms.write((changes) => {
    changes.raise(draftOf({ occurrence_id: "c", raised_at: 0.5 }), [eventOf("raised")]);
    return Promise.resolve();
  }));
  await raise("b");
  assert.deepEqual((await list()).map((it) => it.occurrence_id), ["a", "b"]);
  const rows = (await feed()).map((event) => `${event.occurrence_id} ${event.event_id}`);
  assert.deepEqual(rows, ["a wk-000001", "a wk-000002", "b wk-000001", "b wk-000002"]);
  await database.close();
});

Deno.test("listeners hear of a commit after it, and no more once stopped", async () => {
  const { database, alarms } = await open();
  const told: string[] = [];
  const stop = alarms.listen(({ raised, synced_at }) => {
    assert.equal(synced_at, database.committed_us);
    told.push(...raised.map((it) => it.occurrence_id));
  });
  const raise = (occurrence_id: string) =>
    alarms.write((changes) => {
      changes.raise(draftOf({ occurrence_id }), [eventOf("raised")]);
      assert.deepEqual(told.includes(occurrence_id), false);
      return Promise.resolve();
    });
  await raise("a");
  stop();
  await raise("b");
  assert.deepEqual(told, ["a"]);
  await database.close();
});

Deno.test("numbers and stamps go on after a restart", async () => {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  await Deno.remove(path);
  const raise = async (occurrence_id: string) => {
    const { database, alarms, feed } = await open(path);
    await alarms.write((changes) => {
      changes.raise(draftOf({ occurrence_id }), [eventOf("raised")]);
      return Promise.resolve();
    });
    const events = await feed();
    await database.close();
    return events;
  };
  await raise("a");
  const events = await raise("b");
  assert.deepEqual(events.map((event) => [event.occurrence_no, event.feed_no]), [[1, 1], [2, 2]]);
  assert(events[0].synced_at < events[1].synced_at);
  await Deno.remove(path);
});
