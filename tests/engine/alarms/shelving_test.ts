// Shelves end by the clock: on time, once, after a restart, whatever the clock does meanwhile.
import { deepEqual, equal, rejects } from "node:assert/strict";
import { Alarms } from "../../../src/engine/alarms/alarm.ts";
import type { StoredAlarms } from "../../../src/engine/alarms/unit_of_work.ts";
import { Shelving } from "../../../src/engine/alarms/action.ts";
import { act, inhibit, type QueueAction } from "../../../src/model/alarms/life.ts";
import { Database } from "../../../src/store/database.ts";
import { draftOf, eventOf } from "../../help/alarm.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";

const minute_us = 60_000_000;

async function opened() {
  const { effects, clock } = fakeEffects();
  const sleeps: number[] = [];
  const watched = {
    ...effects,
    sleep(wait_ms: number, ...signals: AbortSignal[]) {
      sleeps.push(wait_ms);
      return effects.sleep(wait_ms, ...signals);
    },
  };
  const database = await Database.open({ path: ":memory:", threads: 1, effects });
  const alarms = await Alarms.open({ database });
  const shelving = await Shelving.open({ database, alarms, effects: watched });
  await alarms.write((changes) => {
    for (const occurrence_id of ["a", "b", "c"]) {
      changes.raise(draftOf({ occurrence_id, resolution_policy: "manual" }), [eventOf("raised")]);
    }
    return Promise.resolve();
  });
  const start_us = clock.now_us;
  return {
    ...{ database, alarms, shelving, clock, sleeps, start_us },
    reopened: () => Shelving.open({ database, alarms, effects: watched }),
    act: (occurrence_no: number, action: QueueAction) =>
      alarms.write(async (changes) => {
        await changes.load({ nos: [occurrence_no] });
        const by = { user_id: "anna", at_us: changes.write.stamp_us };
        const acted = act(changes.get(occurrence_no)!, action, by);
        if ("step" in acted) changes.change(acted.step.occurrence, acted.step.events);
      }),
    shelve(occurrence_no: number, minutes: number) {
      const until_us = start_us + minutes * minute_us;
      return this.act(occurrence_no, { action: "shelve", until_us, reason: "r" });
    },
    /** The minutes at which each occurrence was told to have left the shelf, and by whom. */
    told: async () =>
      (await database.read((it) =>
        queryRows<{ occurrence_no: number; created_at: number; kind: string }>(
          it,
          "SELECT occurrence_no, created_at, kind FROM occurrence_event " +
            "WHERE type = 'unshelved' ORDER BY feed_no",
        )
      )).map((it) => [it.occurrence_no, (it.created_at - start_us) / minute_us, it.kind]),
    statuses: async () =>
      (await database.read((it) =>
        queryRows<{ status: string }>(it, "SELECT status FROM occurrence ORDER BY occurrence_no")
      )).map(({ status }) => status),
    commit: () =>
      new Promise<StoredAlarms>((resolve) => {
        const stop = alarms.listen((stored) => {
          stop();
          resolve(stored);
        });
      }),
  };
}

Deno.test("a shelf ends when its time is up, and tells that time", async () => {
  const it = await opened();
  await it.act(2, { action: "claim" });
  await it.shelve(1, 10);
  await it.shelve(2, 5);
  it.clock.now_us = it.start_us + 5 * minute_us - 1;
  await it.shelving.settle();
  deepEqual(await it.statuses(), ["shelved", "shelved", "open"]);
  it.clock.now_us = it.start_us + 5 * minute_us;
  await it.shelving.settle();
  await it.shelving.settle();
  deepEqual(await it.statuses(), ["shelved", "claimed", "open"]);
  it.clock.now_us = it.start_us + 60 * minute_us;
  await it.shelving.settle();
  deepEqual(await it.statuses(), ["open", "claimed", "open"]);
  deepEqual(await it.told(), [[2, 5, "system"], [1, 10, "system"]]);
  await it.database.close();
});

Deno.test("a shelf that an operator ended or made anew ends by its newest time only", async () => {
  const it = await opened();
  await it.shelve(1, 5);
  await it.act(1, { action: "unshelve" });
  await it.shelve(1, 20);
  await it.shelve(2, 5);
  await it.act(2, { action: "resolve", note: "n" });
  it.clock.now_us = it.start_us + 10 * minute_us;
  await it.shelving.settle();
  deepEqual(await it.statuses(), ["shelved", "resolved", "open"]);
  it.clock.now_us = it.start_us + 20 * minute_us;
  await it.shelving.settle();
  deepEqual((await it.told()).slice(1), [[1, 20, "system"]]);
  await it.database.close();
});

Deno.test("what is inhibited has no time, and stays on its shelf", async () => {
  const it = await opened();
  await it.alarms.write(async (changes) => {
    await changes.load({ nos: [1, 2] });
    const step = inhibit(changes.get(1)!, { by: changes.get(2)!, at_us: it.start_us })!;
    changes.change(step.occurrence, step.events);
  });
  it.clock.now_us += 400 * 86_400_000_000;
  await it.shelving.settle();
  deepEqual(await it.statuses(), ["shelved", "open", "open"]);
  await it.database.close();
});

Deno.test("a restart takes up the shelves that ended meanwhile, and those to come", async () => {
  const it = await opened();
  await it.shelve(1, 5);
  await it.shelve(2, 30);
  it.clock.now_us = it.start_us + 20 * minute_us;
  const again = await it.reopened();
  await again.settle();
  deepEqual(await it.told(), [[1, 5, "system"]]);
  it.clock.now_us = it.start_us + 30 * minute_us;
  await again.settle();
  deepEqual(await it.told(), [[1, 5, "system"], [2, 30, "system"]]);
  // The first one's memory says that both are due: what is stored decides.
  await it.shelving.settle();
  equal((await it.told()).length, 2);
  await it.database.close();
});

Deno.test("a clock that jumps back, or on, loses no shelf and ends none twice", async () => {
  const it = await opened();
  await it.shelve(1, 5);
  it.clock.now_us = it.start_us + 6 * minute_us;
  await it.shelving.settle();
  it.clock.now_us = it.start_us - 60 * minute_us;
  await it.shelving.settle();
  await it.shelve(1, 7);
  await it.shelving.settle();
  deepEqual(await it.statuses(), ["shelved", "open", "open"]);
  it.clock.now_us = it.start_us + 600 * minute_us;
  await it.shelving.settle();
  deepEqual(await it.told(), [[1, 5, "system"], [1, 7, "system"]]);
  await it.database.close();
});

Deno.test("in the background it sleeps until the next end, and a new shelf wakes it", async () => {
  const it = await opened();
  const stop = new AbortController();
  const running = it.shelving.loop.run(stop.signal);
  await it.shelve(1, 0.5);
  await it.alarms.write(() => Promise.resolve());
  deepEqual(it.sleeps, [30_000]);
  await it.shelve(2, 0.25);
  await it.alarms.write(() => Promise.resolve());
  deepEqual(it.sleeps, [30_000, 15_000]);
  for (const occurrence_no of [2, 1]) {
    const committed = it.commit();
    it.clock.advance(15_000);
    deepEqual((await committed).changed.map((it) => it.occurrence_no), [occurrence_no]);
    await it.alarms.write(() => Promise.resolve());
  }
  deepEqual(it.sleeps, [30_000, 15_000, 15_000]);
  await it.shelve(3, 600);
  await it.alarms.write(() => Promise.resolve());
  equal(it.sleeps.at(-1), 600 * 60_000 - 30_000);
  stop.abort();
  await running;
  await it.database.close();
});

Deno.test("what fails to leave the shelf keeps no other on it", async () => {
  const it = await opened();
  for (const no of [1, 2, 3]) await it.shelve(no, 10);
  it.alarms.mark((changes) => {
    const fails = [...changes.all].some(({ occurrence }) => occurrence.occurrence_no === 2);
    return fails ? Promise.reject(new RangeError("no such number")) : Promise.resolve(() => {});
  });
  it.clock.now_us = it.start_us + 11 * minute_us;
  await rejects(it.shelving.settle(), /no such number/);
  deepEqual(await it.statuses(), ["open", "shelved", "open"]);
  await it.database.close();
});
