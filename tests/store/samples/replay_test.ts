// Pages of a replay, one behind the other, have each row once, also minutes that are not stored.
import { deepEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import type { Vector } from "../../../src/model/data/chunk.ts";
import type { Resolution } from "../../../src/model/samples/signal.ts";
import { DayOrder } from "../../../src/engine/samples/order.ts";
import type { SignalSelection, SignalWatermark } from "../../../src/store/samples/page.ts";
import { ReplayReaches, replaySignals } from "../../../src/store/samples/replay.ts";
import { openPlant, type PlantSample, type TestPlant } from "../../help/plant.ts";
import { all_minutes } from "../../help/whole.ts";

const begin_us = Date.parse("2026-06-01T05:00:00Z") * 1000;
const minute_us = 60_000_000;
const hours = 6;
const tags = [{ tag_no: 1 }, { tag_no: 2 }, { tag_no: 3 }, { tag_no: 5 }];

/** Samples of some hours of each tag, each with a step of its own. */
function samplesOf(from_hour: number, to_hour: number): PlantSample[] {
  const minutes = Array.from({ length: 60 * (to_hour - from_hour) }, (_, i) => 60 * from_hour + i);
  return tags.flatMap(({ tag_no }) =>
    minutes.filter((minute) => minute % (5 * (tag_no % 3)) === 0 || tag_no === 3)
      .map((minute) => ({ tag: tag_no, at: begin_us + minute * minute_us, value: minute / 7 }))
  );
}

/** Hours, from and to, behind the first sample. */
const spans = [[0, hours], [-1e6, 1e6], [1, 3], [2.4, 2.6], [3.1, 5.3]] as const;

/** What is asked: of hours behind the first sample, and of stamps that many hours in. */
type Asked = {
  readonly tag_nos: number[];
  readonly resolution: Resolution | undefined;
  readonly limit: number;
  readonly hours: readonly [from: number, to: number];
  readonly since: number;
};

/** The first quarter-hour that a page of as many rows looks at has nine minutes in the range. */
const a_quarter_cut: Asked = {
  ...{ tag_nos: [3], resolution: "1m", limit: 15, hours: spans[4], since: 0 },
};

type Row = readonly number[];

/** Every row of some lines from a stamp on, in the order of a replay. */
async function expectedOf(
  plant: TestPlant,
  { tag_nos, resolution, from_us, to_us }: SignalSelection,
  since_us: number,
): Promise<Row[]> {
  const raw = "SELECT received_at, ts, tag_no, 0 AS resolution FROM sample";
  const minutes = `SELECT received_at, minute::BIGINT * 60000000, tag_no, 1 FROM ${all_minutes}`;
  const rows = await plant.rows(
    `SELECT received_at::VARCHAR AS at, ts::VARCHAR AS ts, tag_no, resolution
     FROM (${raw} UNION ALL ${minutes})
     WHERE received_at >= ${since_us} AND ts >= ${from_us} AND ts < ${to_us}
       AND tag_no IN (${tag_nos}) ${resolution ? `AND resolution = ${+(resolution === "1m")}` : ""}
     ORDER BY received_at, ts, tag_no, resolution`,
  );
  return rows.map((it) => [it.at, it.ts, it.tag_no, it.resolution].map(Number));
}

/** The same, page by page. */
async function pagesOf(
  plant: TestPlant,
  selection: SignalSelection,
  since_us: number,
): Promise<Row[]> {
  const reaches = new ReplayReaches();
  const all: Row[] = [];
  let watermark: SignalWatermark = {
    ...{ since_us, until_us: plant.database.committed_us + 1, after_us: -1, after_line: 0 },
  };
  for (let pages = 0;; pages++) {
    ok(pages < 5000, "it comes to an end");
    const { rows, parts } = await plant.database.read((connection) =>
      replaySignals(connection, { selection, watermark, reaches })
    );
    if (rows === 0) return all;
    const [at, ts, line, resolution] = names.map((name) => wholes(parts[name]!));
    for (let i = 0; i < rows; i++) {
      all.push([at[i], ts[i], selection.tag_nos[line[i]], resolution[i]]);
    }
    if (rows < selection.limit) return all;
    const last = rows - 1;
    watermark = {
      ...{ since_us: at[last], until_us: watermark.until_us },
      ...{ after_us: ts[last], after_line: line[last] + 1 },
    };
  }
}

const names = ["received_at", "ts", "line", "resolution"] as const;

function wholes(vector: Vector): number[] {
  ok(vector.kind === "int32" || vector.kind === "int64");
  return Array.from<number | bigint, number>(vector.values, Number);
}

async function withPlant(
  most_new_wholes: number,
  work: (plant: TestPlant) => Promise<void>,
): Promise<void> {
  const plant = await openPlant({
    ...{ at: "2026-06-02T10:30:30Z", timezone: "Asia/Kolkata", tags },
    bounds: { new_wholes: 1, most_new_wholes },
  });
  try {
    // In another order than that of time; the last one is late.
    for (const [from, to] of [[2, 4], [0, 1], [4, hours], [1, 2]] as const) {
      await plant.store(samplesOf(from, to));
      await plant.roll.settle();
    }
    await work(plant);
  } finally {
    await plant.close();
  }
}

for (const [most, few] of [[5, "few"], [1000, "many"]] as const) {
  Deno.test(`replay: pages have each row once, in order, ${few} stored at once`, () =>
    withPlant(most, async (plant) => {
      const countWholes = async () =>
        Number((await plant.rows("SELECT count(*)::INTEGER AS n FROM whole_quarter"))[0].n);
      const before = await countWholes();
      ok(before > 50);
      const [{ first, last }] = await plant.rows(
        "SELECT min(received_at) AS first, max(received_at) AS last FROM sample",
      );
      const hour = fc.nat(hours);
      const asked: fc.Arbitrary<Asked> = fc.record({
        tag_nos: fc.subarray(tags.map(({ tag_no }) => tag_no), { minLength: 1 }),
        resolution: fc.constantFrom<Resolution | undefined>("raw", "1m", undefined),
        limit: fc.constantFrom(20, 100, 333),
        hours: fc.constantFrom(...spans),
        since: hour,
      });
      const check = () =>
        fc.assert(
          fc.asyncProperty(
            asked,
            async ({ tag_nos, resolution, limit, hours: [from, to], since }) => {
              const [from_us, to_us] = [from, to].map((it) => begin_us + it * 60 * minute_us);
              const selection = {
                tag_nos,
                resolution,
                limit,
                offset: 0,
                from_us,
                to_us,
                parts: names,
              };
              const since_us = Number(first) +
                Math.floor((Number(last) + 10 - Number(first)) * since / hours);
              deepEqual(
                await pagesOf(plant, selection, since_us),
                await expectedOf(plant, selection, since_us),
              );
            },
          ),
          { numRuns: 12, examples: [[a_quarter_cut]] },
        );
      await check();
      await new DayOrder({ ...plant, waiting: () => 0 }).settle();
      ok(await countWholes() < before);
      await check();
    }));
}
