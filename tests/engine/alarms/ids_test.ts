// The IDs that alarms may have: none of theirs is ever missed, most others are told apart.
import { equal, ok, rejects } from "node:assert/strict";
import { AlarmIds } from "../../../src/engine/alarms/ids.ts";
import type { Alarms } from "../../../src/engine/alarms/alarm.ts";
import type { EventDraft } from "../../../src/model/alarms/alarm.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { Database } from "../../../src/store/database.ts";
import { occurrenceOf } from "../../help/alarm.ts";
import { fakeEffects } from "../../help/effects.ts";

type Told = Parameters<Parameters<Alarms["listen"]>[0]>[0];

Deno.test("every ID of an alarm may be one, stored or raised since; few others may", async () => {
  const { ids, store, raise, close } = await open();
  await store("old", 3_000);
  for (const id of idsOf("old", 3_000)) ok(await ids.mayHave(id), id);
  equal(await ids.mayHave("grüße-1"), false);
  await store("grüße", 2);
  raise("grüße", 2);
  ok(await ids.mayHave("grüße-1"));
  const found = await Promise.all(idsOf("none", 3_000).map((id) => ids.mayHave(id)));
  ok(found.filter((may) => may).length < 60);
  await close();
});

Deno.test("an ID is there that was raised while IDs are read, or before many others", async () => {
  const { ids, store, raise, close } = await open();
  const [early, late] = [ids.mayHave("a-1"), ids.mayHave("a-2")];
  await store("a", 1);
  raise("a", 1);
  await Promise.all([early, late]);
  ok(await ids.mayHave("a-1"));
  equal(await ids.mayHave("a-2"), false);
  const many = alarm_limits.ids_kept;
  await store("b", many);
  const asked = ids.mayHave("b-7");
  raise("b", many);
  ok(await asked);
  for (const id of ["a-1", "b-1", `b-${many}`]) ok(await ids.mayHave(id), id);
  await close();
});

Deno.test("IDs that can't be read are read with the next question", async () => {
  const { ids, store, fail, close } = await open();
  await store("a", 1);
  fail(true);
  await rejects(ids.mayHave("a-1"));
  fail(false);
  ok(await ids.mayHave("a-1"));
  await close();
});

function idsOf(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${word}-${i + 1}`);
}

/** IDs over a database, whose alarms `store` stores and `raise` tells of. */
async function open() {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", memory_mb: 256, threads: 1, effects });
  let told: (stored: Told) => void = () => {};
  let fails = false;
  const read: Database["read"] = (work) =>
    fails ? Promise.reject(new Error("no reader")) : database.read(work);
  const ids = new AlarmIds({
    database: { read },
    alarms: {
      listen(listener) {
        told = listener;
        return () => {};
      },
    },
  });
  return {
    ids,
    fail: (is: boolean) => void (fails = is),
    store: (word: string, count: number) =>
      database.write(({ connection }) =>
        connection.script(
          `INSERT INTO occurrence (occurrence_id, id_hash)
           SELECT id, (md5_number_lower(id) >> 1)::BIGINT
           FROM (SELECT '${word}-' || n AS id FROM range(1, ${count + 1}) AS r(n))`,
        )
      ),
    raise(word: string, count: number) {
      const raised = idsOf(word, count).map((occurrence_id) => occurrenceOf({ occurrence_id }));
      const nothing = { changed: [], synced_at: 0, settle: [], duplicates: new Set<EventDraft>() };
      told({ ...nothing, raised, events: count });
    },
    close: () => database.close(),
  };
}
