// A source's alarms into the database, in any order, again, at one time and across a restart.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { fold } from "../../../src/model/alarms/fold.ts";
import { act, type QueueAction } from "../../../src/model/alarms/life.ts";
import { at, at_us, eventRow, openAlarms, snapshotRow, withAlarms } from "./ingest_help.ts";

const statuses = ["open", "claimed", "shelved", "resolved"];

/** Five snapshots of an occurrence and three events, one of which a snapshot holds too. */
function story(id: string) {
  const snapshots = [0, 1, 2, 3, 4].map((n) =>
    snapshotRow(id, {
      updated_at: at(n),
      status: statuses[(n * (id.startsWith("a") ? 1 : 3)) % 4],
      cleared_at: n % 2 === 0 ? null : at(n),
      last_value: n,
      resolution: n === 3 ? "done" : null,
      decoded_labels: n > 2 ? ["Fan"] : [],
      events: n === 1 ? [{ event_id: "n1", type: "claimed", created_at: at(1) }] : [],
    })
  );
  return [
    ...snapshots,
    eventRow(id, "e1", { type: "cleared" }),
    eventRow(id, "e2", { type: "resolved", kind: "operator" }),
    eventRow(id, "n1", { type: "claimed" }),
  ];
}

Deno.test("any order and repetition of snapshots and events leads to the same end", () =>
  withAlarms(async ({ send, one, events }) => {
    let run = 0;
    const order = fc.array(fc.nat(15), { maxLength: 30 });
    const cuts = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 });
    const property = fc.asyncProperty(order, cuts, async (picked, sizes) => {
      const ids = [`a ${++run}`, `b ${run}`];
      const rows = ids.flatMap(story);
      // Some rows in the picked order, some of them twice, then all of them.
      const sequence = [...picked, ...rows.keys()].map((i) => rows[i]);
      for (let sent = 0, body = 0; sent < sequence.length; body++) {
        const part = sequence.slice(sent, sent += sizes[body % sizes.length]);
        const { accepted, duplicates } = await send(part);
        assert.equal(accepted + duplicates, part.length);
      }
      for (const id of ids) {
        const end = (await one(id))!;
        const { status, cleared_at, last_value, updated_at, resolution, decoded_labels } = end;
        assert.deepEqual([status, cleared_at, last_value], ["open", null, 4]);
        assert.deepEqual([updated_at, resolution, decoded_labels], [at_us(4), null, ["Fan"]]);
        const timeline = await events(id);
        assert.deepEqual(fold(timeline), { status, cleared: false });
        const sent = timeline.map((it) => it.event_id).filter((it) => !it.startsWith("wk-"));
        assert.deepEqual(sent.sort(), ["e1", "e2", "n1"]);
      }
    });
    await fc.assert(property, { numRuns: 15 });
  }));

/** What happens to an alarm: its source's word by its own clock, or an operator's act here. */
type Turn = { readonly row: object } | { readonly action: QueueAction };

const turns: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({
    minute: fc.integer({ min: 1, max: 70 }),
    status: fc.constantFrom(...statuses, undefined),
    cleared: fc.boolean(),
  }).map(({ minute, status, cleared }) => ({
    row: { updated_at: at(minute), status, cleared_at: cleared ? at(minute) : null },
  })),
  fc.constantFrom<QueueAction>(
    { action: "claim" },
    { action: "release" },
    { action: "shelve", until_us: at_us(300), reason: "later" },
    { action: "unshelve" },
    { action: "resolve", note: "done" },
    { action: "reopen" },
  ).map((action) => ({ action })),
);

Deno.test("operators and a source with a clock of its own leave what the events tell", () =>
  withAlarms(async ({ send, one, events, alarms }) => {
    let run = 0;
    const property = fc.asyncProperty(fc.array(turns, { maxLength: 12 }), async (story) => {
      const id = `o ${++run}`;
      let sent = { minute: at(0), cleared_at: null as string | null };
      await send([snapshotRow(id)]);
      for (const turn of story) {
        if ("row" in turn) {
          await send([snapshotRow(id, { ...turn.row })]);
          const { updated_at, cleared_at } = turn.row as Record<string, string>;
          if (updated_at >= sent.minute) sent = { minute: updated_at, cleared_at };
          continue;
        }
        await alarms.write(async (changes) => {
          await changes.load({ project_no: 1, ids: [id] });
          const by = { user_id: "u", at_us: changes.write.now_us };
          const acted = act(changes.find(1, id)!, turn.action, by);
          if ("step" in acted) changes.change(acted.step.occurrence, acted.step.events);
        });
      }
      const { status, cleared_at } = (await one(id))!;
      assert.equal(
        cleared_at,
        sent.cleared_at === null ? null : Date.parse(sent.cleared_at) * 1000,
      );
      assert.deepEqual(fold(await events(id)), { status, cleared: cleared_at !== null });
    });
    await fc.assert(property, { numRuns: 20 });
  }));

Deno.test("bodies at one time share nothing wrong", () =>
  withAlarms(async ({ send, one, events }) => {
    const bodies = Array.from({ length: 12 }, (_, n) => [
      snapshotRow("shared", { updated_at: at(n), last_value: n }),
      snapshotRow(`own ${n}`),
      eventRow("shared", `e${n % 4}`),
      eventRow(`own ${(n + 1) % 12}`, "late"),
    ]);
    const answers = await Promise.all(bodies.map((rows) => send(rows)));
    const sum = answers.reduce((sum, { accepted, duplicates }) => sum + accepted + duplicates, 0);
    assert.equal(sum, 48);
    assert.equal((await one("shared"))?.last_value, 11);
    const shared = (await events("shared")).map((it) => it.event_id);
    assert.equal(new Set(shared).size, shared.length);
    assert.deepEqual(shared.filter((id) => id.startsWith("e")).sort(), ["e0", "e1", "e2", "e3"]);
    for (let n = 0; n < 12; n++) assert.equal((await events(`own ${n}`)).length, 2);
  }));

Deno.test("what waited is there after a restart, numbers go on", async () => {
  const path = await Deno.makeTempDir();
  try {
    const before = await openAlarms(`${path}/db`);
    await before.send([eventRow("a", "e1"), snapshotRow("b")]);
    await before.close();
    const after = await openAlarms(`${path}/db`);
    await after.send([snapshotRow("a"), snapshotRow("b", { updated_at: at(3), last_value: 5 })]);
    assert.deepEqual((await after.events("a")).map((it) => it.event_id), ["wk-000001", "e1"]);
    assert.deepEqual((await after.events("b")).map((it) => it.type), ["raised", "source_updated"]);
    const [b, a] = [await after.one("b"), await after.one("a")];
    assert.ok(a!.occurrence_no > b!.occurrence_no);
    await after.close();
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});
