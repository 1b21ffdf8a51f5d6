// Minutes of running quarter-hours are kept: what comes later is added to them, no more is read.
import { deepEqual } from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { PlantTag, TestPlant } from "../../help/plant.ts";
import { inverter, power, weather } from "../expected/model_help.ts";
import { type Come, lastOf, passTime, timeOf } from "./live_help.ts";
import { assertVerified, rolledUp, setpoint, withPlant } from "./setpoint_help.ts";

const tags: readonly PlantTag[] = [
  power(1, { capacity: 1000 }),
  { tag_no: 2, sensors: [{ measure: "energy", accumulation: "counter", capacity: 1000 }] },
  { tag_no: 3, carry_s: 3600, sensors: [{ component: "meter", device_id: "m" }] },
  { tag_no: 4, carry_s: 0 },
  { tag_no: 5, encoding: "integer", sensors: [{ measure: "operating_status" }] },
  setpoint(6),
  weather(7, "poa_front"),
  weather(8, "ambient_temp"),
];
const devices = [inverter("d1")];

/** Twenty minutes before a midnight of UTC, in daylight where the plant stands. */
const start = Date.parse("2026-06-01T23:40:00Z") / 60_000;
const length = 50;
const end = start + length + 80;

/** Samples of a tag, several a minute, at once or late; the first ones sent again, corrected. */
const come: fc.Arbitrary<readonly Come[]> = fc.record({
  tag: fc.integer({ min: 1, max: 8 }),
  from: fc.integer({ min: 0, max: length - 1 }),
  late: fc.constantFrom(0, 0, 0, 1, 16, 40),
  again: fc.constantFrom(undefined, 1, 3, 20),
  every_s: fc.constantFrom(7, 20, 60),
  values: fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 60 }),
  quality: fc.constantFrom(0, 0, 0, 1, 2, null),
}).map(({ tag, from, late, again, every_s, values, quality }) => {
  const comeAt = (values: readonly number[], after: number) =>
    values.map((value, i) => {
      const second = (start + from) * 60 + i * every_s;
      const sample = { tag, at: second * 1_000_000, value: tag === 5 ? BigInt(value) : value };
      return { sample: { ...sample, quality }, minute: Math.floor(second / 60) + late + after };
    });
  const corrected = values.slice(0, 4).map((value) => value + 1);
  return [...comeAt(values, 0), ...again ? comeAt(corrected, again) : []];
});

const steps = fc.array(fc.constantFrom(1, 1, 1, 1, 2, 4, 17), { minLength: 12, maxLength: 12 });

Deno.test("roll: what is kept of running quarter-hours changes nothing", async () => {
  const runs = fc.array(come, { minLength: 10, maxLength: 30 });
  const property = fc.asyncProperty(
    runs,
    steps,
    fc.nat({ max: 20 }),
    fc.nat({ max: 20 }),
    async (runs, waits, restart, remap) => {
      // Of those of one time the last one counts: in the order of coming, then of the list.
      const list = runs.flat().toSorted((a, b) => a.minute - b.minute);
      let at_once: unknown;
      const scaled = { ...tags[0], sensors: tags[0].sensors!.map((it) => ({ ...it, scale: 2 })) };
      await withPlant(
        { tags: [scaled, ...tags.slice(1)], devices, at: timeOf(end) },
        async (it) => {
          await it.store(lastOf(list));
          await it.roll.settle();
          at_once = await rolledUp(it);
        },
      );
      await withPlant({ tags, devices, at: timeOf(start) }, async (plant) => {
        await passTime(plant, list, {
          ...{ from: start, to: end, waits },
          before: async (step, is_last) => {
            if (step === remap || is_last && step < remap) await rescale(plant, scaled);
          },
          behind: async (step) => void (step === restart && await plant.restart()),
        });
        await assertVerified(plant);
        deepEqual(await rolledUp(plant), at_once);
      });
    },
  );
  await fc.assert(property, { numRuns: 1 });
});

async function rescale(plant: TestPlant, tag: PlantTag): Promise<void> {
  await plant.map([tag]);
  await plant.database.write((write) => plant.roll.markStale(write, [tag.tag_no]));
}

Deno.test("roll: samples of minutes that are known are not read again until one comes", () =>
  withPlant({ tags, devices, at: timeOf(start) }, async (plant) => {
    const values = async () => {
      const rows = await plant.rows("SELECT minute, value FROM minute ORDER BY minute");
      return rows.map(({ minute, value }) => [Number(minute) - start, value]);
    };
    const sendIn = async (minute: number, sent: readonly number[]) => {
      await plant.store(sent.map((value, i) => ({
        tag: 1,
        at: ((start + minute) * 60 + i) * 1_000_000,
        value,
      })));
      plant.clock.advance(60_000);
      await plant.roll.settle();
    };
    await sendIn(0, [1, 3]);
    // Behind the back of the roll-up, so that a reading of it would show.
    await plant.database.write(({ connection }) =>
      connection.script("UPDATE sample SET value = value + 100")
    );
    await sendIn(1, [5, 7]);
    deepEqual(await values(), [[0, 2], [1, 6]]);
    // From a minute on to which something comes late, all is read again.
    await plant.store([{ tag: 1, at: (start * 60 + 2) * 1_000_000, value: 2 }]);
    await plant.roll.settle();
    const first = (101 + 103 + 2) / 3;
    deepEqual(await values(), [[0, first], [1, 6]]);
    await sendIn(2, [8, 9]);
    deepEqual(await values(), [[0, first], [1, 6], [2, 8.5]]);
  }));
