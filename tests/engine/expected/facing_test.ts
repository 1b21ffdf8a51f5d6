// Expected power of modules that face different ways: each side is judged by its own light.
import { deepEqual, equal } from "node:assert/strict";
import type { PlantDevice } from "../../help/plant.ts";
import { seesAlike } from "../../../src/model/expected/plane.ts";
import { acOf, expectedOf, inverter, params, power, same, weather } from "./model_help.ts";
import { assertVerified, each, roll, withPlant } from "../rollup/setpoint_help.ts";

const ambient = weather(20, "ambient_temp");
const of = (poa: number) => acOf(poa, 10 + poa / 32).model;
const east = (minute: number) => 700 + minute;
const west = (minute: number) => 150 + minute;

/** An inverter of a block, with modules that face an azimuth. */
function side(id: string, [block_id, azimuth]: readonly [string, number]): PlantDevice {
  return inverter(id, { block_id, pv: JSON.stringify({ ...params, tilt: 15, azimuth }) });
}

const devices = [
  side("e", ["E", 90]),
  side("w", ["W", 270]),
  side("f", ["F", 95]),
  inverter("any", { block_id: "X" }),
];
const tags = [
  ...devices.map(({ id }, i) => power(i + 1, { device_id: id })),
  weather(10, "poa_front", { block_id: "E" }),
  weather(11, "poa_front", { block_id: "W" }),
  ambient,
];

Deno.test("facing: the side in less light is not taken for shaded", async () => {
  await withPlant({ devices, tags }, async (plant) => {
    await roll(plant, [...each(10, [0, 20], east), ...each(11, [0, 20], west)]);
    await roll(plant, each(20, [0, 20], 10));
    const found = await Promise.all([1, 2, 3, 4].map((no) => expectedOf(plant, no, [19, 20])));
    // A block without a sensor has that of modules which face its way; without a way, any.
    same(found.flat(), [of(719), of(169), of(719), of((719 + 169) / 2)]);
    await assertVerified(plant);
  });
});

Deno.test("facing: light of another side makes no model", async () => {
  await withPlant({ devices, tags }, async (plant) => {
    await roll(plant, [...each(11, [0, 20], west), ...each(20, [0, 20], 10)]);
    const found = await Promise.all([1, 2, 3, 4].map((no) => expectedOf(plant, no, [19, 20])));
    same(found.flat(), [null, of(169), null, of(169)]);
  });
});

Deno.test("facing: a shaded sensor gives way to another block's of the same side", async () => {
  const more = [...tags, weather(12, "poa_front", { block_id: "F" })];
  await withPlant({ devices, tags: more }, async (plant) => {
    await roll(plant, [...each(10, [0, 20], east), ...each(12, [0, 20], west)]);
    await roll(plant, [...each(11, [0, 20], west), ...each(20, [0, 20], 10)]);
    const found = await Promise.all([1, 2, 3].map((no) => expectedOf(plant, no, [19, 20])));
    same(found.flat(), [of(719), of(169), of(719)]);
  });
});

Deno.test("facing: planes are alike within 15 degrees, axes whichever way they point", () => {
  const fixed = (tilt: number, azimuth: number) => ({ kind: "fixed", tilt, azimuth }) as const;
  const turning = (axis_tilt: number, axis_azimuth: number) => ({
    ...{ kind: "tracker", axis_tilt, axis_azimuth } as const,
    ...{ max_angle: 60, backtrack: true, ground_cover: 0.3 },
  });
  const pairs = [
    [fixed(20, 180), fixed(30, 190)],
    [fixed(0, 90), fixed(10, 270)],
    [turning(0, 180), turning(0, 0)],
    [fixed(10, 90), fixed(10, 270)],
    [turning(0, 180), turning(0, 90)],
    [turning(10, 180), turning(10, 0)],
    [fixed(0, 180), turning(0, 180)],
  ] as const;
  deepEqual(
    pairs.map(([one, other]) => seesAlike(one, other)),
    [true, true, true, false, false, false, false],
  );
  for (const [one, other] of pairs) equal(seesAlike(one, other), seesAlike(other, one));
});
