// Alarms as they are written: numbers, ids, duplicates, what a failed write leaves, who is told.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { Alarms } from "../../../src/engine/alarms/alarm.ts";
import type { StoredAlarms } from "../../../src/engine/alarms/unit_of_work.ts";
import { listOccurrences, readTimelines } from "../../../src/store/alarms/alarm.ts";
import type { AlarmEvent } from "../../../src/model/alarms/alarm.ts";
import { Database } from "../../../src/store/database.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { fakeEffects } from "../../help/effects.ts";

/** Events in the order of the feed. */
function inFeed(events: readonly AlarmEvent[]): readonly AlarmEvent[] {
  return events.toSorted((a, b) => a.feed_no - b.feed_no);
}

async function open(path = ":memory:") {
  const { effects, clock } = fakeEffects();
  const database = await Database.open({ path, effects, threads: 1, memory_mb: 256 });
  const alarms = await Alarms.open({ database });
  return {
    database,
    alarms,
    clock,
    list: () => database.read((connection) => listOccurrences(connection, {})),
    events: () =>
      database.read(async (connection) =>
        await readTimelines(connection, await listOccurrences(connection, {}))
      ),
  };
}

Deno.test("an occurrence comes back as it was raised, with its number and its events", async () => {
  const { database, alarms, list, events } = await open();
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
  const told = (await events()).map((event) => [event.event_id, event.type, event.detail]);
  assert.deepEqual(told, [
    ["wk-000001", "raised", null],
    ["wk-000002", "commented", JSON.stringify(detail)],
  ]);
  await database.close();
});

Deno.test("an event counts once, in a write and over several", async () => {
  const { database, alarms, events, list } = await open();
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
  const rows = inFeed(await events()).map((it) => `${it.occurrence_id} ${it.event_id}`);
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
  const { database, alarms, events, list } = await open();
  const raise = (occurrence_id: string, end = () => Promise.resolve()) =>
    alarms.write((changes) => {
      changes.raise(draftOf({ occurrence_id }), [eventOf("raised"), eventOf("commented")]);
      return end();
    });
  await raise("a");
  await assert.rejects(raise("b", () => Promise.reject(new Error("no"))));
  // In the middle of storing: the occurrence is written when its event turns out wrong.
  await assert.rejects(alarms.write((changes) => {
    const wrong = eventOf("raised", { created_at: 0.5 });
    changes.raise(draftOf({ occurrence_id: "c" }), [wrong]);
    return Promise.resolve();
  }));
  await raise("b");
  assert.deepEqual((await list()).map((it) => it.occurrence_id), ["a", "b"]);
  const rows = inFeed(await events()).map((it) => `${it.occurrence_id} ${it.event_id}`);
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
    const { database, alarms, events } = await open(path);
    await alarms.write((changes) => {
      changes.raise(draftOf({ occurrence_id }), [eventOf("raised")]);
      return Promise.resolve();
    });
    const stored = inFeed(await events());
    await database.close();
    return stored;
  };
  await raise("a");
  const events = await raise("b");
  assert.deepEqual(events.map((event) => [event.occurrence_no, event.feed_no]), [[1, 1], [2, 2]]);
  assert(events[0].synced_at < events[1].synced_at);
  await Deno.remove(path);
});

/** What a write of the property below does: which alarms get events of which ids. */
const steps = fc.array(
  fc.record({
    fails: fc.boolean(),
    sent: fc.array(
      fc.record({
        occurrence: fc.integer({ min: 0, max: 5 }),
        event_id: fc.option(fc.constantFrom("a", "b", "B", "\u{1F525}", "\uFF21", "ab", "é")),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  }),
  { maxLength: 8 },
);

Deno.test("any writes leave each event once, numbered in the order of the feed", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (writes) => {
      const { database, alarms, events, list } = await open();
      const expected = new Set<string>();
      let own = 0;
      for (const { fails, sent } of writes) {
        const write = alarms.write(async (changes) => {
          await changes.load({ project_no: 1, ids: sent.map((it) => `o${it.occurrence}`) });
          for (const { occurrence, event_id } of sent) {
            const occurrence_id = `o${occurrence}`;
            const known = changes.find(1, occurrence_id) ??
              changes.raise(draftOf({ occurrence_id }), []);
            changes.change(known, [eventOf("seen", { event_id: event_id ?? undefined })]);
          }
          if (fails) throw new Error("no");
        });
        if (fails) await assert.rejects(write);
        else {
          await write;
          for (const { occurrence, event_id } of sent) {
            expected.add(`o${occurrence} ${event_id ?? `own ${own++}`}`);
          }
        }
      }
      const stored = inFeed(await events());
      assert.equal(stored.length, expected.size);
      assert.deepEqual(stored.toSorted(byFeedKey), stored);
      for (const it of await list()) {
        const its = stored.filter((event) => event.occurrence_no === it.occurrence_no);
        assert.equal(new Set(its.map((event) => event.event_id)).size, it.events_total);
        assert.equal(its[0].feed_no, it.first_feed_no);
        assert.equal(its.at(-1)!.feed_no, it.last_feed_no);
        assert.equal(its.at(-1)!.synced_at, it.synced_at);
      }
      await database.close();
    }),
    { numRuns: 12 },
  );
});

function byFeedKey(a: AlarmEvent, b: AlarmEvent): number {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return a.synced_at - b.synced_at || a.occurrence_no - b.occurrence_no ||
    compareBytes(bytes(a.event_id), bytes(b.event_id));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
}
