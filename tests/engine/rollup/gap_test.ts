// Quarter-hours with gaps that values are carried into: what is read of them, however it is stored,
// is what their samples come to minute by minute.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { unfoldAhead } from "../../../src/engine/rollup/whole.ts";
import { DayOrder } from "../../../src/engine/samples/order.ts";
import { wholeMinutes } from "../../../src/store/performance/whole.ts";
import { openPlant, type PlantSample, type PlantTag, type TestPlant } from "../../help/plant.ts";
import { runQuery } from "../../help/query.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

const minute_us = 60_000_000;
const begin = Date.parse("2026-06-01T05:00:00Z") / 60_000;
const minutes = 180;

const sensors = [{ measure: "dc_voltage", scale: 0.5, offset: 1 }] as const;

const tagsCarriedFor = (carry_s: number): PlantTag[] => [
  { tag_no: 1, carry_s, sensors },
  { tag_no: 2, carry_s, encoding: "integer" },
  { tag_no: 3, carry_s, encoding: "string" },
];

/** A sample of each tag every so many minutes, from a minute on, but for some of them. */
function samplesOf({ step, first, but, bad }: World): PlantSample[] {
  const taken = Array.from({ length: minutes }, (_, minute) => minute)
    .filter((minute) => minute % step === first % step && !but.includes(minute));
  return taken.flatMap((minute) =>
    [1, 2, 3].map((tag): PlantSample => ({
      ...{ tag, at: (begin + minute) * minute_us + 1_000_000 * tag },
      value: [minute / 7, BigInt(minute), `state ${minute % 4}`][tag - 1],
      quality: bad.includes(minute) ? 2 : [0, 1, null][minute % 3],
      code: minute % 2 ? 7 : null,
    }))
  );
}

const textOf = (number: number | null | undefined) => number?.toString() ?? null;

type Minute = Readonly<Record<string, string | null>>;

/** What samples come to, each in a minute of its own, where values are carried for `carry` more. */
function minutesOf(samples: readonly PlantSample[], carry: number): Minute[] {
  const by_tag = [1, 2, 3].map((tag) =>
    samples.filter((it) => it.tag === tag).sort((a, b) => Number(a.at) - Number(b.at))
  );
  return by_tag.flatMap((own) =>
    own.flatMap((sample, i) => {
      const minute = Math.floor(Number(sample.at) / minute_us);
      const next = i + 1 < own.length ? Math.floor(Number(own[i + 1].at) / minute_us) : Infinity;
      const is_bad = sample.quality === 2;
      const until = is_bad ? minute + 1 : Math.min(next, minute + carry + 1);
      return Array.from({ length: until - minute }, (_, k): Minute => {
        const count = (quality: number) => String(Number(k === 0 && sample.quality === quality));
        return {
          ...{ tag_no: String(sample.tag), minute: String(minute + k), carried: String(k > 0) },
          value: is_bad ? null : String(sample.value),
          ...{ quality: textOf(sample.quality), status_code: textOf(sample.code) },
          ...{ good_count: count(0), uncertain_count: count(1), bad_count: count(2) },
        };
      });
    })
  );
}

const columns = "tag_no::VARCHAR AS tag_no, minute::VARCHAR AS minute, carried::VARCHAR AS " +
  "carried, coalesce(value::VARCHAR, value_int::VARCHAR, value_str) AS value, " +
  "quality::VARCHAR AS quality, status_code::VARCHAR AS status_code, " +
  "good_count::VARCHAR AS good_count, uncertain_count::VARCHAR AS uncertain_count, " +
  "bad_count::VARCHAR AS bad_count";

async function read(plant: TestPlant, from = all_minutes): Promise<Minute[]> {
  const rows = await plant.rows(`SELECT ${columns} FROM ${from} AS m ORDER BY m.tag_no, m.minute`);
  return rows.map((row) => ({ ...row, value: plainValue(row) })) as Minute[];
}

/** DuckDB writes 1.0 where JavaScript writes 1. */
const plainValue = ({ tag_no, value }: Record<string, unknown>) =>
  tag_no === "1" && typeof value === "string" ? String(Number(value)) : value;

async function verified(plant: TestPlant): Promise<void> {
  for await (const { differences, examples } of verify(plant)) {
    ok(Object.values(differences).every((count) => count === 0), examples.join("; "));
  }
}

async function wholesOf(plant: TestPlant): Promise<number> {
  const [{ n }] = await plant.rows(
    "SELECT count(*)::INTEGER AS n FROM whole_quarter WHERE seen IS NOT NULL",
  );
  return Number(n);
}

type World = Readonly<Record<"step" | "first" | "carry_s", number>> & {
  readonly but: readonly number[];
  readonly bad: readonly number[];
};

async function withPlant(
  { carry_s, ...world }: World,
  work: (plant: TestPlant, samples: PlantSample[]) => Promise<void>,
): Promise<void> {
  const plant = await openPlant({
    ...{ at: "2026-06-02T10:30:30Z", timezone: "Asia/Kolkata", tags: tagsCarriedFor(carry_s) },
    bounds: { new_wholes: 1, most_new_wholes: 10 },
  });
  try {
    const samples = samplesOf({ ...world, carry_s });
    await plant.store(samples);
    await plant.roll.settle();
    await work(plant, samples);
  } finally {
    await plant.close();
  }
}

const some_minutes = fc.array(fc.nat(minutes - 1), { maxLength: 6 });

Deno.test("gaps: what is read is what samples come to, before and after a day is in order", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 2, 5, 15),
      fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(4)),
      fc.constantFrom(60, 240, 600, 900, 7200),
      some_minutes,
      some_minutes,
      (step, first, carry_s, but, bad) =>
        withPlant({ step, first, carry_s, but, bad }, async (plant, samples) => {
          const expected = minutesOf(samples, carry_s / 60);
          deepEqual(await read(plant), expected);
          await verified(plant);
          const readings = () => plant.rows(`FROM ${all_readings} ORDER BY minute`);
          const [before, found] = [await readings(), await wholesOf(plant)];
          const unchanged = async () => {
            deepEqual(await read(plant), expected);
            deepEqual(await readings(), before);
            await verified(plant);
          };
          // Those with gaps stay, until their samples go.
          await new DayOrder({ ...plant, waiting: () => 0 }).settle();
          equal(await wholesOf(plant), found);
          await unchanged();
          const session = plant.database.session();
          const day = Math.floor(begin / 1440);
          await unfoldAhead({ ...plant, session }, { day, tags: [1, 3] });
          equal(await wholesOf(plant), found / 3);
          await unfoldAhead({ ...plant, session }, { day });
          session.close();
          equal(await wholesOf(plant), 0);
          await unchanged();
        }),
    ),
    { numRuns: 8 },
  ));

const fives: World = { step: 5, first: 0, carry_s: 600, but: [], bad: [] };
const wholes = 3 * minutes / 15;

Deno.test("gaps: from any minute to any other the same minutes are read", () =>
  withPlant(fives, async (plant, samples) => {
    equal(await wholesOf(plant), wholes);
    const inWholes = await read(plant, `(${wholeMinutes(within(0, 1e8))})`);
    deepEqual(inWholes, minutesOf(samples, 4));
    for (const [from, to] of [[0, 1], [3, 4], [7, 23], [14, 15], [15, 16], [29, 47], [61, 62]]) {
      deepEqual(
        await read(plant, `(${wholeMinutes(within(begin + from, begin + to))})`),
        inWholes.filter(({ minute }) =>
          Number(minute) >= begin + from && Number(minute) < begin + to
        ),
      );
    }
  }));

function within(begin: number, end: number) {
  const bounds = { begin: `${begin}::BIGINT`, end: `${end}::BIGINT` };
  return { samples: "true", wholes: "true", ...bounds };
}

Deno.test("gaps: a late and a corrected sample change the minutes up to the next one", () =>
  withPlant(fives, async (plant, samples) => {
    const late: PlantSample = { ...samples[3], at: (begin + 7) * minute_us, value: 70 };
    const corrected: PlantSample = { ...samples[30], value: -1 };
    for (const one of [late, corrected]) {
      await plant.store([one]);
      await plant.roll.settle();
    }
    equal(await wholesOf(plant), wholes - 2);
    const all = samples.with(30, corrected).concat(late);
    deepEqual(await read(plant), minutesOf(all, 10));
    await verified(plant);
  }));

Deno.test("gaps: of tags that are carried for less time the minutes go, for more they stay", () =>
  withPlant(fives, async (plant, samples) => {
    for (const carry_s of [240, 120, 300]) {
      await plant.map(tagsCarriedFor(carry_s));
      await plant.database.write((write) => plant.roll.markStale(write, [1, 2, 3]));
      await plant.roll.settle();
      deepEqual(await read(plant), minutesOf(samples, carry_s / 60), `${carry_s} s`);
      if (carry_s === 240) equal(await wholesOf(plant), wholes);
      if (carry_s === 120) equal(await wholesOf(plant), 0);
      await verified(plant);
    }
  }));

Deno.test("gaps: what is carried for less time while a pass runs leaves no minutes", async () => {
  const tags = [{ tag_no: 1, carry_s: 1800 }];
  const plant = await openPlant({ at: "2026-06-05T10:30:30Z", tags });
  try {
    await plant.store([{ tag: 1, at: "2026-06-01T23:45:00Z", value: 5 }]);
    let changed: Promise<void> | undefined;
    // Before the pass stores what it made of the plant as it was: nothing of the next day is there.
    plant.roll.onWorked = () =>
      changed ??= plant.database.write(async (write) => {
        await runQuery(write.connection, "UPDATE tag SET carry_s = 240", {});
        await plant.roll.markStale(write, [1]);
      });
    await plant.roll.settle();
    await changed;
    await plant.roll.settle();
    const [{ n }] = await plant.rows("SELECT count(*)::INTEGER AS n FROM minute");
    equal(n, 5);
    await verified(plant);
  } finally {
    await plant.close();
  }
});
