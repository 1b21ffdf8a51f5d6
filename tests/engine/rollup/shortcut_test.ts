// A pass leaves out what its counts tell to be empty; what is stored is what plain sums give.
import { deepEqual, equal } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { openPlant, type PlantSample, type PlantTag, type TestPlant } from "../../help/plant.ts";
import { all_minutes, all_readings } from "../../help/whole.ts";

const carry = 15;
const length = 75;
const start = Date.parse("2026-06-01T09:55:00Z") / 60_000;
const tag_nos = [1, 2, 3] as const;
const tags: readonly PlantTag[] = tag_nos.map((tag_no) => ({
  tag_no,
  carry_s: carry * 60,
  sensors: [{ measure: "dc_voltage", device_id: `d${tag_no}`, scale: 0.5 }],
}));

/** A value of a tag's minute, in eighths, so that sums are exact, and how long it is on its way. */
type Come = { readonly tag: number; readonly minute: number; value: number; readonly late: number };

/** Minutes on end without a gap, or with some; what comes later for a minute goes before. */
const run: fc.Arbitrary<Come[]> = fc.record({
  tag: fc.constantFrom(...tag_nos),
  from: fc.constantFrom(0, 5, 5, 20, 35, 41),
  minutes: fc.constantFrom(3, 15, 30, 70),
  late: fc.constantFrom(0, 0, 0, 1, 20),
  skipped: fc.constantFrom(Infinity, Infinity, 7, 22),
  eighth: fc.integer({ min: 0, max: 999 }),
}).map(({ tag, from, minutes, late, skipped, eighth }) =>
  Array.from({ length: Math.min(minutes, length - from) }, (_, i) => from + i)
    .filter((_, i) => (i + 1) % skipped !== 0)
    .map((minute) => ({ tag, minute: start + minute, value: (eighth + minute) / 8, late }))
);

/** What comes, and after how many minutes each the roll-up looks. */
const plans = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 4 }),
  steps: fc.array(fc.constantFrom(1, 5, 10, 15, 30, 75), { minLength: 1, maxLength: 5 }),
});

type Minute = { value: number; carried: boolean };

/** The minutes of a tag before `over`, as definitions say. */
function minutesOf(values: ReadonlyMap<number, number>, over: number): Map<number, Minute> {
  const found = new Map<number, Minute>();
  let last = -Infinity;
  for (let minute = start; minute < over; minute++) {
    const sent = values.get(minute);
    if (sent !== undefined) last = minute;
    if (minute - last <= carry) {
      found.set(minute, { value: values.get(last)!, carried: sent === undefined });
    }
  }
  return found;
}

async function assertStored(
  plant: TestPlant,
  { come, over }: { readonly come: readonly Come[]; readonly over: number },
): Promise<void> {
  const minutes: unknown[] = [];
  const sums = new Map<string, { n: number; value: number }>();
  for (const tag of tag_nos) {
    const own = come.filter((it) => it.tag === tag).map((it) => [it.minute, it.value] as const);
    for (const [minute, { value, carried }] of minutesOf(new Map(own), over)) {
      minutes.push({ tag_no: tag, minute, value, carried });
      if (carried) continue;
      const key = `${tag} ${Math.floor(minute / 15)}`;
      const sum = sums.getOrInsertComputed(key, () => ({ n: 0, value: 0 }));
      sum.n++;
      sum.value += value / 2;
    }
  }
  const read = (sql: string) => plant.rows(sql);
  deepEqual(
    await read(`SELECT tag_no, minute, value, carried
      FROM ${all_minutes} ORDER BY tag_no, minute`),
    minutes,
  );
  deepEqual(
    await read(`SELECT sensor_no, minute, value
      FROM ${all_readings} ORDER BY sensor_no, minute`),
    await read(`SELECT tag_no AS sensor_no, minute, value / 2 AS value
      FROM ${all_minutes} AS minute WHERE NOT carried ORDER BY tag_no, minute`),
  );
  const quarters = await read(`SELECT sensor_no || ' ' || quarter AS key, sum(n)::INTEGER AS n,
      sum(value) AS value FROM quarter GROUP BY sensor_no, quarter ORDER BY sensor_no, quarter`);
  deepEqual(quarters, [...sums].map(([key, sum]) => ({ key, ...sum })));
}

Deno.test("roll: a pass that leaves out what is empty stores what plain sums give", async () => {
  const property = fc.asyncProperty(plans, async ({ runs, steps }) => {
    const last = new Map(runs.flat().map((it) => [`${it.tag} ${it.minute}`, it]));
    const all = [...last.values()].sort((a, b) => a.tag - b.tag || a.minute - b.minute);
    const plant = await openPlant({ at: new Date(start * 60_000).toISOString(), tags });
    try {
      const end = start + length + 40;
      let over = start;
      for (let step = 0; over < end; step++) {
        const before = over;
        over = Math.min(over + steps[step % steps.length], end);
        plant.clock.now_us = over * 60_000_000;
        const due = ({ minute, late }: Come) => minute + late < over;
        await plant.store(
          all.filter((it) => due(it) && it.minute + it.late >= before)
            .map(({ tag, minute, value }): PlantSample => ({
              tag,
              at: minute * 60_000_000,
              value,
            })),
        );
        await plant.roll.settle();
        await assertStored(plant, { come: all.filter(due), over });
      }
      for await (const { differences } of verify(plant)) {
        equal(Object.values(differences).reduce((sum, n) => sum + n), 0);
      }
    } finally {
      await plant.close();
    }
  });
  await fc.assert(property, { numRuns: 6, seed: 20260601 });
});
