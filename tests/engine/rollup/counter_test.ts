// Counters as they roll up: whatever way their samples come in, the rows and events are the same.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { verify } from "../../../src/engine/rollup/pass.ts";
import { openPlant, type PlantSample, type PlantTag, type TestPlant } from "../../help/plant.ts";

const minute_us = 60_000_000;
const counter = { measure: "energy", accumulation: "counter", scale: 1000 } as const;

Deno.test("verify: a register that wraps, with late, corrected and bad samples", async () => {
  const start_us = Date.parse("2026-06-01T00:00:00Z") * 1000;
  const tags = [{ tag_no: 1, sensors: [{ ...counter, capacity: 1e6, register_bits: 32 }] }];
  await withPlant({ tags, at: "2026-06-03T00:00:30Z" }, async (plant) => {
    const next = randomOf(7);
    let energy = 0;
    const all = Array.from({ length: 2880 }, (_, i): PlantSample => {
      energy += Math.max(0, Math.sin((i % 1440 - 360) * Math.PI / 720)) * 16;
      const quality = next() < 0.01 ? 2 : 0;
      const value = next() < 0.01 ? null : Math.round(4294960000 + energy) % 2 ** 32;
      return { tag: 1, at: start_us + i * minute_us, value, quality };
    });
    const shuffled = all.map((it) => ({ it, key: next() })).sort((a, b) => a.key - b.key)
      .map(({ it }) => it);
    const [late, body] = [shuffled.slice(0, 900), shuffled.slice(900)];
    for (let i = 0; i < body.length; i += 500) {
      await plant.store(body.slice(i, i + 500));
      await plant.roll.settle();
    }
    for (let i = 0; i < late.length; i += 300) {
      await plant.store(late.slice(i, i + 300));
      await plant.roll.settle();
    }
    const wrong = shuffled.slice(1200, 1500).map((it) => ({ ...it, value: 17 }));
    for (const part of [wrong, wrong.map((it) => all.find(({ at }) => at === it.at)!)]) {
      for (let i = 0; i < part.length; i += 150) {
        await plant.store(part.slice(i, i + 150));
        await plant.roll.settle();
      }
      equal(await differences(plant), 0);
    }
    const usable = all.filter(({ value, quality }) => value !== null && quality === 0);
    const ends = [usable[0], usable.at(-1)!].map(({ value }) => Number(value));
    const [{ kwh }] = await plant.rows("SELECT sum(value) / 1000 AS kwh FROM daily");
    ok(Math.abs(Number(kwh) - (ends[1] + 2 ** 32 - ends[0])) < 1e-6, String(kwh));
    deepEqual(await plant.rows("SELECT DISTINCT kind FROM counter_event"), [{ kind: "wrap" }]);
  });
});

/** Two hours of flawed registers: rated and not, of known and unknown ends. */
const plant_tags: readonly PlantTag[] = [
  { tag_no: 1, sensors: [{ ...counter, capacity: 1e6 }] },
  { tag_no: 2, sensors: [{ ...counter, capacity: 1e6, register_modulus: 1_000_000 }] },
  { tag_no: 3, sensors: [counter] },
  { tag_no: 4, sensors: [{ ...counter, capacity: 1e5 }] },
];
const start_us = Date.parse("2026-06-01T10:00:00Z") * 1000;

const flaws: fc.Arbitrary<(value: number) => number> = fc.constantFrom(
  ...[4294967295, 0, 65535, 3].map((to) => () => to),
  (value: number) => value + 20_000,
  (value: number) => value / 2,
);

type Run = {
  readonly tag: number;
  readonly first: number;
  readonly spacing: number;
  readonly rises: readonly number[];
  readonly flaws: readonly { at: number; for: number; be: (value: number) => number }[];
};

const run: fc.Arbitrary<Run> = fc.record({
  tag: fc.integer({ min: 1, max: 4 }),
  first: fc.constantFrom(100, 65_500, 999_900, 4_294_967_200),
  spacing: fc.constantFrom(1, 1, 5, 15),
  rises: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 10, maxLength: 120 }),
  flaws: fc.array(
    fc.record({ at: fc.nat({ max: 119 }), for: fc.integer({ min: 1, max: 14 }), be: flaws }),
    { maxLength: 4 },
  ),
});

function samplesOf({ tag, first, spacing, rises, flaws }: Run): PlantSample[] {
  let level = first;
  return rises.slice(0, 120 / spacing).map((rise, i) => {
    level += rise;
    const flaw = flaws.find((it) => i >= it.at && i < it.at + it.for);
    const end = tag === 2 ? 1_000_000 : 2 ** 32;
    const value = (flaw ? flaw.be(level) : level) % end;
    return { tag, at: start_us + i * spacing * minute_us, value };
  });
}

Deno.test("roll: flawed counters give the same rows and events in any order", async () => {
  const runs = fc.uniqueArray(run, { minLength: 2, maxLength: 4, selector: ({ tag }) => tag });
  const property = fc.asyncProperty(
    runs,
    fc.integer({ min: 2, max: 6 }),
    fc.nat(),
    async (list, parts, seed) => {
      const all = list.flatMap((it) => samplesOf(it));
      const whole = await rolledUp([all]);
      const next = randomOf(seed);
      const batches = Array.from({ length: parts }, (): PlantSample[] => []);
      for (const it of all) {
        // A wrong one first, now and then, that its correction replaces.
        const i = Math.floor(next() * parts);
        if (i > 0 && next() < 0.1) batches[i - 1].push({ ...it, value: next() < 0.5 ? 0 : 1e7 });
        batches[i].push(it);
      }
      deepEqual(await rolledUp(batches), whole);
    },
  );
  await fc.assert(property, { numRuns: 2 });
});

Deno.test("roll: flawed counters that come live, with a restart, give the same", async () => {
  const property = fc.asyncProperty(run, fc.nat({ max: 39 }), async (one, stop) => {
    const all = samplesOf(one).filter(({ at }) => Number(at) < start_us + 40 * minute_us);
    const whole = await rolledUp([all]);
    await withPlant({ tags: plant_tags, at: "2026-06-01T10:00:00Z" }, async (plant) => {
      for (let minute = 0; minute < 41; minute++) {
        const due = all.filter(({ at }) => at === start_us + minute * minute_us);
        if (due.length > 0) await plant.store(due);
        plant.clock.advance(60_000);
        await plant.roll.settle();
        if (minute === stop) await plant.restart();
      }
      deepEqual(await rowsOf(plant), whole);
      equal(await differences(plant), 0);
    });
  });
  await fc.assert(property, { numRuns: 1 });
});

Deno.test("roll: a sample that comes late takes back what it shows to be right", () =>
  withPlant({ tags: plant_tags, at: "2026-06-01T13:00:00Z" }, async (plant) => {
    const at = (minute: number, value: number): PlantSample => ({
      tag: 1,
      at: start_us + minute * minute_us,
      value,
    });
    await plant.store([at(0, 100), at(1, 110), at(2, 500), at(3, 510)]);
    await plant.roll.settle();
    deepEqual(await kinds(plant), ["suspect"]);
    await plant.store([at(4, 520)]);
    await plant.roll.settle();
    deepEqual(await kinds(plant), ["new_track"]);
    await plant.store([at(2, 120), at(3, 130), at(4, 140)]);
    await plant.roll.settle();
    deepEqual(await kinds(plant), []);
    deepEqual(await plant.rows("SELECT value FROM daily"), [{ value: 40_000 }]);
    equal(await differences(plant), 0);
  }));

Deno.test("verify: finds an event that was tampered with", () =>
  withPlant({ tags: plant_tags, at: "2026-06-01T13:00:00Z" }, async (plant) => {
    const values = [100, 110, 9e9, 120, 130];
    await plant.store(
      values.map((value, i) => ({ tag: 1, at: start_us + i * minute_us, value })),
    );
    await plant.roll.settle();
    equal(await differences(plant), 0);
    await plant.database.write(({ connection }) => connection.script("DELETE FROM counter_event"));
    const days = [];
    for await (const day of verify(plant)) days.push(day);
    deepEqual(days.map(({ differences }) => differences.counter_event), [1]);
    deepEqual(days[0].examples, [
      "counter_event 2026-06-01T10:02 of tag 1 (inverter energy) is missing",
    ]);
  }));

Deno.test("roll: the power's rating stands for the energy's", () => {
  const power = { measure: "active_power", device_id: "d1", capacity: 1e6 } as const;
  const tags = [
    { tag_no: 1, sensors: [{ ...counter, device_id: "d1" }] },
    { tag_no: 2, sensors: [{ ...power, device_id: "d1" }] },
  ];
  return withPlant({ tags, at: "2026-06-01T13:00:00Z" }, async (plant) => {
    const values = [100, 110, 136, 137];
    await plant.store(
      values.map((value, i) => ({ tag: 1, at: start_us + i * minute_us, value })),
    );
    await plant.roll.settle();
    deepEqual(await kinds(plant), ["suspect"]);
  });
});

async function kinds(plant: TestPlant): Promise<unknown[]> {
  return (await plant.rows("SELECT kind FROM counter_event ORDER BY ts")).map(({ kind }) => kind);
}

async function rolledUp(batches: readonly PlantSample[][]): Promise<unknown> {
  let rows: unknown;
  await withPlant({ tags: plant_tags, at: "2026-06-01T13:00:00Z" }, async (plant) => {
    for (const batch of batches) {
      await plant.store(batch);
      await plant.roll.settle();
    }
    equal(await differences(plant), 0);
    rows = await rowsOf(plant);
  });
  return rows;
}

async function rowsOf(plant: TestPlant): Promise<unknown> {
  return {
    reading: await plant.rows(
      "SELECT * REPLACE (round(value, 6) AS value, NULL AS value_setpoint) FROM reading " +
        "ORDER BY sensor_no, minute",
    ),
    event: await plant.rows("SELECT * FROM counter_event ORDER BY sensor_no, ts, kind"),
  };
}

async function withPlant(
  options: { readonly tags: readonly PlantTag[]; readonly at: string },
  work: (plant: TestPlant) => Promise<void>,
): Promise<void> {
  const plant = await openPlant(options);
  try {
    await work(plant);
  } finally {
    await plant.close();
  }
}

async function differences(plant: TestPlant): Promise<number> {
  let count = 0;
  for await (const day of verify(plant)) {
    count += Object.values(day.differences).reduce((sum, n) => sum + n, 0);
  }
  return count;
}

/** Numbers in [0, 1) that are the same each time. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
