// The newest samples that have a value, as they are on disk.
import assert from "node:assert/strict";
import fc from "fast-check";
import { giveWay } from "../../../src/base/effects.ts";
import { LatestValues } from "../../../src/engine/samples/latest.ts";
import { SampleStage, sourceOf } from "../../../src/engine/samples/staging.ts";
import { Database } from "../../../src/store/database.ts";
import { appendSamples } from "../../../src/store/samples/sample.ts";
import { SampleBatchBuilder } from "../../../src/wire/samples/sample_builder.ts";
import { fakeEffects } from "../../help/effects.ts";
import { connectTo } from "../../help/modbus.ts";
import { readingService } from "../../help/sources.ts";

Deno.test("the last value of a tag is found behind what only has a status", async () => {
  const { services, clock, close } = await readingService(connectTo({}), []);
  const { ingest, catalog, effects } = services;
  const now_us = effects.now_us();
  const builder = new SampleBatchBuilder("signal", { tags: ingest.tags.of(1, "signal") });
  const rows = [
    { tag: "number", ts_us: now_us - 9e6, value: 1 },
    { tag: "number", ts_us: now_us - 8e6, value: 2 },
    { tag: "number", ts_us: now_us - 1e6, status_code: 0x8031_0000 },
    { tag: "whole", ts_us: now_us - 7e6, value: 5n },
    { tag: "text", ts_us: now_us - 6e6, value: "on" },
    { tag: "old", ts_us: now_us - 99e6, value: 1 },
  ];
  rows.forEach((row, line) => builder.add({ ...row, line }));
  const batch = { batches: [builder.build()], rejected: [], rejected_count: 0 };
  await ingest.add(catalog.projectByNo(1)!, batch);
  clock.advance(1000);
  const names = new Map(
    ["number", "whole", "text", "old"].map((name) => [
      catalog.findTag(1, "signal", name)!.tag_no,
      name,
    ]),
  );
  const found = await ingest.latest.withValues(Int32Array.from(names.keys()), now_us - 50e6);
  assert.deepEqual(
    found.map(({ tag_no, ts_us }) => [names.get(tag_no), (ts_us - now_us) / 1e6]).sort(),
    [["number", -8], ["text", -6], ["whole", -7]],
  );
  assert.ok(found.every(({ received_us }) => Math.abs(received_us - now_us) < 1e6));
  await close();
});

/** Rows of as many tags: their numbers, times and values are 0, 1, 2 and so on. */
function stageOf(rows: number): SampleStage {
  const builder = new SampleBatchBuilder("signal");
  const stage = new SampleStage(rows);
  for (let i = 0; i < rows; i++) builder.add({ tag: "a", ts_us: i, value: i, line: i });
  const source = sourceOf(builder.build());
  for (let row = 0; row < rows; row++) {
    stage.put(source, { row, tag_no: row, store_as: "float", owner: 0 });
  }
  return stage;
}

Deno.test("a commit of many rows is taken in turns, and told of once it is there", async () => {
  const rows = 200_000;
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects });
  const latest = new LatestValues({ database, effects });
  const stage = stageOf(rows);
  let rings = 0;
  latest.listen(() => rings++);
  let turns = 0;
  let taken = false;
  const taking = latest.take(stage, 7).finally(() => taken = true);
  for (; !taken; await giveWay()) {
    const has_some = latest.of(0) !== undefined && latest.of(rows - 1) === undefined;
    if (!has_some) continue;
    turns++;
    assert.deepEqual([latest.changed_us, rings], [0, 0]);
  }
  await taking;
  assert.ok(turns > 0);
  assert.deepEqual([latest.changed_us, rings, latest.of(rows - 1)?.value], [7, 1, rows - 1]);
  await database.close();
});

Deno.test("the newest sample of a tag is known, in whatever order commits bring them", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects });
  const row = fc.record({ tag_no: fc.nat(2), ts_us: fc.nat(20), value: fc.nat(1000) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 12 }), { maxLength: 6 }), async (all) => {
      const latest = new LatestValues({ database, effects });
      const newest = new Map<number, { ts_us: number; value: number; received_us: number }>();
      for (const [commit, rows] of all.entries()) {
        const builder = new SampleBatchBuilder("signal");
        const stage = new SampleStage(rows.length);
        rows.forEach((row, line) => builder.add({ ...row, tag: "a", line }));
        const source = sourceOf(builder.build());
        for (const [i, { tag_no, ts_us, value }] of rows.entries()) {
          stage.put(source, { row: i, tag_no, store_as: "float", owner: 0 });
          const before = newest.get(tag_no);
          if (before === undefined || ts_us >= before.ts_us) {
            newest.set(tag_no, { ts_us, value, received_us: commit });
          }
        }
        await latest.take(stage, commit);
      }
      for (const tag_no of [0, 1, 2]) {
        const { ts_us, value, received_us } = latest.of(tag_no) ?? {};
        const known = ts_us === undefined ? undefined : { ts_us, value, received_us };
        assert.deepEqual(known, newest.get(tag_no));
      }
    }),
  );
  await database.close();
});

Deno.test("what is read before its commit is taken is told of with all of that", async () => {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", effects });
  const latest = new LatestValues({ database, effects });
  const stage = stageOf(3);
  const stamp_us = await database.write(async ({ connection, stamp_us }) => {
    await appendSamples(connection, stage.chunk(stamp_us));
    return stamp_us;
  });
  await latest.load();
  assert.deepEqual([latest.changed_us, latest.of(1)], [0, undefined]);
  await latest.take(stage, stamp_us);
  assert.deepEqual([latest.changed_us, latest.of(1)?.value], [stamp_us, 1]);
  const later = new LatestValues({ database, effects });
  await later.load();
  assert.deepEqual([later.changed_us, later.of(1)?.value], [stamp_us, 1]);
  await database.close();
});
