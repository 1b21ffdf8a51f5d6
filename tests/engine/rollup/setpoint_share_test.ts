// Setpoints of a plant, of meters in it and of inverters, against sharing them round by round.
import { ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import type { PlantDevice, PlantSample, PlantTag } from "../../help/plant.ts";
import { acOf, expectedOf, inverter, power, weather } from "../expected/model_help.ts";
import {
  assertVerified,
  at,
  curbed,
  modelled,
  roll,
  setpoint,
  withPlant,
} from "./setpoint_help.ts";

/** How many minutes each plant has, each with models, limits and storage of its own. */
const minutes = 6;
/** What an inverter without a sent model gives in the test's light. */
const light_w = acOf(640, 30).model;

/** `told`: its power is measured and its model sent; `counted`: only an energy, in the light. */
const kinds = ["told", "told", "told", "counted", "silent"] as const;
/** What it hangs on: M above all, N in M, O in N. */
const places = ["M", "N", "O"] as const;
type Place = typeof places[number];
const losses: Readonly<Record<Place, number>> = { M: 0, N: 0.1, O: 0.2 };
/** The meters that are passed from a place upwards. */
const passed = { M: ["M"], N: ["N", "M"], O: ["O", "N", "M"] } as const;

const watts = fc.integer({ min: 0, max: 1000 });
const perMinute = <T>(value: fc.Arbitrary<T>) =>
  fc.array(value, { minLength: minutes, maxLength: minutes });
const limit = (max: number) => perMinute(fc.option(fc.integer({ min: -50, max }), { freq: 2 }));

const plants = fc.record({
  inverters: fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      place: fc.constantFrom(...places),
      models: perMinute(fc.oneof(watts, fc.constant(0))),
      limits: limit(999),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  storage: fc.option(fc.record({
    place: fc.constantFrom(...places),
    powers: perMinute(fc.integer({ min: -800, max: 800 })),
  })),
  limits: fc.record({ M: limit(3000), N: limit(2000), O: limit(1500) }),
});
type Plant = typeof plants extends fc.Arbitrary<infer T> ? T : never;

/** No setpoint, as it is over any rating here. */
const none = 1e6;
const power_no: Readonly<Record<Place, number>> = { M: 201, N: 202, O: 203 };

function tagsOf({ inverters, storage }: Plant): readonly PlantTag[] {
  return [
    ...inverters.flatMap(({ kind }, i): readonly PlantTag[] => {
      const place = { device_id: `i${i}`, capacity: 1000 } as const;
      if (kind === "silent") return [power(1 + i, place)];
      const own = setpoint(101 + i, { device_id: `i${i}` });
      if (kind === "told") return [...modelled(1 + i, place), own];
      const counter = { ...place, measure: "energy", accumulation: "counter" } as const;
      return [{ tag_no: 1 + i, sensors: [counter] }, own];
    }),
    ...places.flatMap((id, i): readonly PlantTag[] => {
      const meter = { component: "meter", device_id: id, capacity: 1e5 } as const;
      return [power(power_no[id], meter), setpoint(211 + i, meter)];
    }),
    ...(storage ? [power(220, { component: "bess_pcs", device_id: "pcs", scale: -1 })] : []),
    weather(300, "poa_front"),
    weather(301, "ambient_temp"),
  ];
}

function devicesOf({ inverters, storage }: Plant): readonly PlantDevice[] {
  const meter = (id: Place, parent_device_id: Place | null) => ({
    ...{ id, type: "meter", parent_device_id },
    grid: JSON.stringify({ losses: losses[id] }),
  });
  return [
    ...[meter("M", null), meter("N", "M"), meter("O", "N")],
    ...inverters.map(({ kind, place }, i) => {
      const device = { id: `i${i}`, parent_device_id: place };
      return kind === "counted" ? inverter(device.id, device) : device;
    }),
    ...(storage ? [{ id: "pcs", type: "bess_pcs", parent_device_id: storage.place }] : []),
  ];
}

function samplesOf({ inverters, storage, limits }: Plant): readonly PlantSample[] {
  return Array.from({ length: minutes }, (_, minute) => [
    ...[at(300, minute, 640), at(301, minute, 10)],
    ...inverters.flatMap(({ kind, models, limits }, i) => [
      ...(kind === "told" ? [at(501 + i, minute, models[minute])] : []),
      ...(kind === "silent" ? [] : [at(101 + i, minute, limits[minute] ?? none)]),
    ]),
    ...places.map((id, i) => at(211 + i, minute, limits[id][minute] ?? none)),
    ...(storage ? [at(220, minute, -storage.powers[minute])] : []),
  ]).flat();
}

type Share = { readonly place: Place; readonly model: number; most: number };

/** Shares a limit round by round: who can't take its share passes the rest of it on. */
function share(parts: readonly Share[], setpoint: number): void {
  if (parts.reduce((sum, { most }) => sum + most, 0) <= setpoint) return;
  let open = parts.filter(({ model }) => model > 0);
  let left = setpoint;
  for (const part of parts) if (!open.includes(part)) left -= part.most;
  for (;;) {
    const models = open.reduce((sum, { model }) => sum + model, 0);
    const full = open.filter(({ model, most }) => most < left * model / models - 1e-9);
    if (full.length === 0) {
      for (const part of open) part.most = left * part.model / models;
      return;
    }
    for (const { most } of full) left -= most;
    open = open.filter((part) => !full.includes(part));
  }
}

/** What inverters and meters are expected to give in a minute, and at most under the setpoints. */
function referenceOf({ inverters, storage, limits }: Plant, minute: number) {
  const parts = inverters.map(({ kind, place, models, limits }) => {
    if (kind === "silent") return null;
    const model = kind === "told" ? models[minute] : light_w;
    return { place, model, most: Math.min(model, limits[minute] ?? Infinity) };
  });
  const known = parts.filter((part) => part !== null);
  const below = (id: Place) => ({ place }: Pick<Share, "place">) =>
    passed[place].some((it) => it === id);
  // A meter beside reaches what the next one above does; the lowest are shared first.
  const reach = (id: Place) =>
    below(
      passed[id].find((it) => [...inverters, storage].some((part) => part && below(it)(part)))!,
    );
  const whole = (id: Place) => inverters.every(reach(id));
  const sub = places.filter((id) => !whole(id)).toReversed();
  for (const id of sub) share(known.filter(reach(id)), limits[id][minute] ?? Infinity);
  const plant = Math.min(...places.filter(whole).map((id) => limits[id][minute] ?? Infinity));
  share(known, plant);
  const factor = (place: Place, to: Place) =>
    passed[place].slice(0, passed[place].findIndex((it) => it === to) + 1)
      .reduce((product, id) => product * (1 - losses[id]), 1);
  const meters = places.map((id) => {
    const stored = storage && below(id)(storage)
      ? factor(storage.place, id) * storage.powers[minute]
      : 0;
    const sum = (pick: (part: Share) => number) =>
      parts.reduce(
        (sum, part) => part && below(id)(part) ? sum + factor(part.place, id) * pick(part) : sum,
        stored,
      );
    const model = sum((part) => part.model);
    const own = Math.min(limits[id][minute] ?? Infinity, plant);
    return { model, most: Math.min(model, own, sum((part) => part.most)) };
  });
  return { parts, meters };
}

function near(found: number | null, expected: number | undefined, note: string): void {
  const same = found === null || expected === undefined
    ? found === (expected ?? null)
    : Math.abs(found - expected) <= 1e-7;
  ok(same, `${note}: ${found}, not ${expected}`);
}

Deno.test("setpoint: any plant's are shared as round by round", async () => {
  const property = fc.asyncProperty(plants, async (made) => {
    const options = { tags: tagsOf(made), devices: devicesOf(made) };
    await withPlant(options, async (plant) => {
      await roll(plant, samplesOf(made));
      const expected = Array.from({ length: minutes }, (_, it) => referenceOf(made, it));
      for (const [i, { kind }] of made.inverters.entries()) {
        const found = await curbed(plant, 1 + i, [0, minutes]);
        const per = kind === "counted" ? 60 : 1;
        found.forEach((value, minute) =>
          near(
            value === null ? null : value * per,
            expected[minute].parts[i]?.most,
            `inverter ${i}`,
          )
        );
      }
      for (const [m, id] of places.entries()) {
        const is_below = (place: Place) => passed[place].some((it) => it === id);
        const own = made.inverters.filter(({ place }) => is_below(place));
        // One with nothing below it reads what a meter above it does.
        if (own.length === 0 || own.some(({ kind }) => kind === "silent")) continue;
        const models = await expectedOf(plant, power_no[id], [0, minutes]);
        const found = await curbed(plant, power_no[id], [0, minutes]);
        found.forEach((value, minute) => {
          near(models[minute], expected[minute].meters[m].model, `model of ${id} at ${minute}`);
          near(value, expected[minute].meters[m].most, `${id} at ${minute}`);
        });
      }
      await assertVerified(plant);
    });
  });
  await fc.assert(property, { numRuns: 5 });
});
