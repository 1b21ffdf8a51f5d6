// A body that changes many whole quarter-hours: it unfolds a bounded number in a transaction.
import { deepEqual, equal, ok } from "node:assert/strict";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { Rollup } from "../../../src/engine/rollup/rollup.ts";
import type { SampleBatch } from "../../../src/model/samples/sample.ts";
import { SampleBatchBuilder, type SampleRow } from "../../../src/wire/samples/sample_builder.ts";
import { fakeEffects } from "../../help/effects.ts";
import { queryRows } from "../../help/query.ts";
import { all_minutes } from "../../help/whole.ts";
import { openIngest, project, start_us, type TestIngest } from "./ingest_help.ts";

type Row = Omit<SampleRow, "line">;

const quarters = 20;
const begin_us = start_us - 86_400e6;
const most_wholes = 7;

/** A sample in each minute of two tags. */
const samples: readonly Row[] = ["a", "b"].flatMap((tag) =>
  Array.from({ length: quarters * 15 }, (_, i) => ({
    ...{ tag, ts_us: begin_us + i * 60e6, value: i / 7 },
  }))
);

/** Another value in one minute of each quarter-hour. */
const corrections: readonly Row[] = samples.filter((_, i) => i % 15 === 4)
  .map((row, i) => ({ ...row, value: -1 - i }));

/** What a tag brings that nobody knows yet, beside them. */
const fresh: readonly Row[] = corrections.slice(0, 10).map((row) => ({ ...row, tag: "new" }));

const live: Row = { tag: "live", ts_us: start_us, value: 1 };

function batchOf(rows: readonly Row[]): SampleBatch {
  const builder = new SampleBatchBuilder();
  rows.forEach((row, i) => builder.add({ ...row, line: i + 1 }));
  return builder.build();
}

/** Opens an ingest whose samples are rolled up as whole quarter-hours. */
async function openWholes(path?: string, bounds = { most_wholes }): Promise<TestIngest> {
  const test = await openIngest(path, bounds);
  await test.add(samples);
  await settle(test, { looks: false });
  equal(await countWholes(test), 2 * quarters);
  return test;
}

/** Rolls up what is stored; with `looks`, it is verified against the samples. */
async function settle(
  { database, catalog }: TestIngest,
  { looks }: { readonly looks: boolean },
): Promise<void> {
  const { effects } = fakeEffects("2026-06-01T12:00:00Z");
  const roll = await Rollup.open({ database, catalog, effects });
  await roll.settle();
  for await (const { differences, examples } of looks ? verify({ database, catalog, roll }) : []) {
    ok(Object.values(differences).every((count) => count === 0), examples.join("; "));
  }
  await roll.close();
}

function rowsOf({ database }: TestIngest, sql: string) {
  return database.read((connection) => queryRows(connection, sql));
}

async function countWholes(test: TestIngest): Promise<number> {
  return (await rowsOf(test, "FROM whole_quarter")).length;
}

const minutes_sql = `
  SELECT sensor_tag, minute, value
  FROM ${all_minutes} JOIN tag USING (tag_no)
  WHERE NOT carried AND sensor_tag IN ('a', 'b')
  ORDER BY ALL`;

/** How many quarter-hours of tags each write has changed samples of, but for the first one. */
async function changedBy(test: TestIngest): Promise<readonly number[]> {
  const writes = await rowsOf(
    test,
    `SELECT count(DISTINCT (tag_no, ts // 900000000))::INTEGER AS n
     FROM sample
     WHERE tag_no IN (SELECT tag_no FROM tag WHERE sensor_tag IN ('a', 'b'))
     GROUP BY received_at ORDER BY received_at`,
  );
  return writes.slice(1).map(({ n }) => Number(n));
}

Deno.test("a transaction unfolds few whole quarter-hours, and others have turns", async () => {
  const test = await openWholes();
  const order: string[] = [];
  const parts = [[...corrections.slice(0, 25), ...fresh], corrections.slice(25)];
  const body = { batches: parts.map(batchOf), rejected: [], rejected_count: 0 };
  const [answer] = await Promise.all([
    test.ingest.add(project, body).finally(() => order.push("corrections")),
    test.add([live]).finally(() => order.push("live")),
  ]);
  const sent = corrections.length + fresh.length;
  deepEqual([answer.accepted, answer.duplicates, answer.rejected_count], [sent, 0, 0]);
  deepEqual(order, ["live", "corrections"]);
  const changed = await changedBy(test);
  equal(changed.reduce((sum, n) => sum + n, 0), 2 * quarters);
  ok(changed.every((n) => n <= most_wholes), changed.join());
  ok(changed.length < 2 * quarters, changed.join());
  equal(await countWholes(test), 0);
  equal(test.ingest.queued_rows, 0);
  equal(test.ingest.totals.accepted, samples.length + sent + 1);
  equal((await test.stored()).length, samples.length + fresh.length + 1);
  await settle(test, { looks: true });
  const by_time = [...samples];
  corrections.forEach((row, i) => by_time[i * 15 + 4] = row);
  deepEqual(
    await rowsOf(test, minutes_sql),
    by_time.map(({ tag, ts_us, value }) => ({
      ...{ sensor_tag: tag, minute: ts_us / 60e6, value },
    })),
  );
  await test.close();
});

Deno.test("rows of all kinds, in any order, are stored as in one transaction", async () => {
  const rows = corrections.flatMap((row, i): Row[] => [
    { ...row, quality: i % 3, status_code: i % 2 ? 0x40000000 + i : null },
    { ...row, tag: "whole", value: BigInt(i) + 2n ** 60n },
    { ...row, tag: "text", value: i % 4 ? `text ${i}` : null, quality: i % 4 ? null : 2 },
    // The last of an instant counts.
    { ...corrections[i - i % 5], value: i },
  ]);
  const found = [];
  for (const bounds of [{ most_wholes }, { most_wholes: Infinity }]) {
    const test = await openWholes(":memory:", bounds);
    const { accepted, rejected_count } = await test.add(rows);
    equal(rejected_count, 0);
    ok(accepted > 3 * corrections.length, `${accepted}`);
    found.push(await test.stored());
    await test.close();
  }
  deepEqual(found[0], found[1]);
});

Deno.test("bodies that share a transaction unfold few in it together", async () => {
  const test = await openWholes();
  const bodies = Array.from({ length: 20 }, (_, i) => corrections.slice(2 * i, 2 * i + 2));
  const answers = await Promise.all(bodies.map((rows) => test.add(rows)));
  ok(answers.every(({ accepted, duplicates }) => accepted === 2 && duplicates === 0));
  const changed = await changedBy(test);
  ok(changed.every((n) => n <= most_wholes), changed.join());
  await settle(test, { looks: true });
  await test.close();
});

Deno.test("the same body again unfolds nothing", async () => {
  const test = await openWholes();
  const answer = await test.add(samples);
  deepEqual([answer.accepted, answer.duplicates], [0, samples.length]);
  equal(await countWholes(test), 2 * quarters);
  await test.close();
});

Deno.test("a crash between two of its transactions leaves what its samples come to", async () => {
  const folder = await Deno.makeTempDir();
  const test = await openWholes(`${folder}/db`);
  let stored = 0;
  const ended = Promise.withResolvers<void>();
  test.ingest.onStored = () => {
    if (++stored === 3) test.database.abandon().then(ended.resolve, ended.reject);
  };
  const [sent] = await Promise.allSettled([test.add(corrections)]);
  await ended.promise;
  equal(sent.status, "rejected");
  const again = await openIngest(`${folder}/db`, { most_wholes });
  const left = await countWholes(again);
  ok(left > 0 && left < 2 * quarters, `${left}`);
  await settle(again, { looks: true });
  const answer = await again.add(corrections);
  deepEqual([answer.accepted, answer.duplicates], [left, 2 * quarters - left]);
  await settle(again, { looks: true });
  equal(await countWholes(again), 0);
  equal((await rowsOf(again, minutes_sql)).length, samples.length);
  await again.close();
  await Deno.remove(folder, { recursive: true });
});
