// Bodies that share a transaction: what one of them throws fails no other, and none counts twice.
import { deepEqual, equal } from "node:assert/strict";
import { SampleBatchBuilder } from "../../../src/wire/samples/sample_builder.ts";
import type { SampleBatch } from "../../../src/model/samples/sample.ts";
import { snapshotRow, withAlarms } from "../alarms/ingest_help.ts";
import { openIngest, project, start_us } from "../ingest/ingest_help.ts";

function batchOf(tag: string, values: readonly number[]): SampleBatch {
  const builder = new SampleBatchBuilder();
  values.forEach((value, i) => builder.add({ line: i + 1, tag, ts_us: start_us + i, value }));
  return builder.build();
}

/** A batch without its tags, as a decoder's mistake would be. */
function broken(): SampleBatch {
  const { tags: _, ...batch } = batchOf("broken", [1, 2]);
  return batch as unknown as SampleBatch;
}

Deno.test("a body that throws fails alone; those beside it are stored, counted once", async () => {
  const { ingest, stored, close } = await openIngest();
  const bodies = Array.from(
    { length: 40 },
    (_, i) => i % 13 === 6 ? broken() : batchOf(`tag ${i % 10}`, [i, i + 1]),
  );
  const answers = await Promise.allSettled(
    bodies.map((batch) =>
      ingest.add(project, { batches: [batch], rejected: [], rejected_count: 0 })
    ),
  );
  deepEqual(
    answers.flatMap(({ status }, i) => status === "rejected" ? [i] : []),
    [6, 19, 32],
  );
  const kept = answers.flatMap((it) => it.status === "fulfilled" ? [it.value] : []);
  const sum = (name: "accepted" | "duplicates" | "rejected_count") =>
    kept.reduce((total, answer) => total + answer[name], 0);
  // Each body has two rows; a later one of the same tag replaces the earlier one's.
  deepEqual([sum("accepted"), sum("duplicates"), sum("rejected_count")], [74, 0, 0]);
  equal((await stored()).length, 20);
  deepEqual(ingest.totals, { accepted: 74, duplicates: 0, rejected: 0, failed: 6 });
  equal(ingest.queued_rows, 0);
  await close();
});

Deno.test("rows that were rejected in a transaction that failed are told once", async () => {
  const { ingest, close } = await openIngest();
  const far_us = start_us + 3600e6;
  const builder = new SampleBatchBuilder();
  builder.add({ line: 1, tag: "a", ts_us: start_us, value: 1 });
  builder.add({ line: 2, tag: "a", ts_us: far_us, value: 1 });
  const [, answer] = await Promise.allSettled([
    ingest.add(project, { batches: [broken()], rejected: [], rejected_count: 0 }),
    ingest.add(project, { batches: [builder.build()], rejected: [], rejected_count: 0 }),
  ]);
  equal(answer.status, "fulfilled");
  const { accepted, rejected_count, rejected } = answer.value;
  deepEqual([accepted, rejected_count, rejected.map(({ line }) => line)], [1, 1, [2]]);
  await close();
});

Deno.test("a body of alarms that throws fails alone as well", () =>
  withAlarms(async ({ ingest, alarms, all, send }) => {
    alarms.mark((changes) => {
      const fails = [...changes.all].some(({ occurrence }) => occurrence.occurrence_id === "bad");
      return fails ? Promise.reject(new RangeError("no such number")) : Promise.resolve(() => {});
    });
    const names = ["a", "b", "bad", "c", "d"];
    const answers = await Promise.allSettled(names.map((name) => send([snapshotRow(name)])));
    deepEqual(
      answers.map((it) => it.status === "fulfilled" ? it.value.accepted : "failed"),
      [1, 1, "failed", 1, 1],
    );
    deepEqual((await all()).map((it) => it.occurrence_id).sort(), ["a", "b", "c", "d"]);
    deepEqual(ingest.totals, { accepted: 4, duplicates: 0, rejected: 0, failed: 1 });
  }));
