// Storage below what sums inverters: which of its powers counts, and what it adds by day and night.
import { deepEqual } from "node:assert/strict";
import { planModels } from "../../../src/engine/expected/plan.ts";
import type { Sensor } from "../../../src/model/plant/plant.ts";
import { openPlant, type PlantDevice, type PlantTag } from "../../help/plant.ts";
import { assertVerified, at, each, roll, withPlant } from "../rollup/setpoint_help.ts";
import { acOf, columnOf, expectedOf, inverter, power, same, weather } from "./model_help.ts";

const on = (id: string, type: string, parent_device_id: string | null = null): PlantDevice => ({
  ...{ id, type, parent_device_id },
});
const battery = (tag_no: number, device_id: string, component: Sensor["component"] = "bess_pcs") =>
  power(tag_no, { component, device_id });
const meter = power(3, { component: "meter", device_id: "m" });

/** The tags of the storage in what a meter above two inverters is expected to read, with shares. */
async function storageOf(
  storage: readonly PlantDevice[],
  told: readonly PlantTag[],
): Promise<readonly (readonly [number, number])[] | null> {
  const plant = await openPlant({
    devices: [
      { ...on("t", "transformer"), grid: JSON.stringify({ losses: 0.1 }) },
      on("m", "meter", "t"),
      ...["a", "b"].map((id) => inverter(id, { parent_device_id: "t" })),
      ...storage,
    ],
    tags: [power(1, { device_id: "a" }), power(2, { device_id: "b" }), meter, ...told],
  });
  const { points, storage: rows } = planModels(plant.catalog);
  await plant.close();
  const point = points.find(({ sensor_no }) => sensor_no === 3);
  if (point === undefined) return null;
  return rows.filter(({ node_no }) => node_no === point.node_no)
    .map(({ tag_no, factor }) => [tag_no, factor]);
}

const tree = [on("bess", "bess", "t"), on("p", "bess_pcs", "bess"), on("q", "bess_pcs", "bess")];

Deno.test("storage: its converters count, once each, whatever else tells of it", async () => {
  const whole = battery(10, "bess", "bess");
  const told = [whole, battery(11, "p"), battery(12, "q"), battery(13, "q")];
  deepEqual(await storageOf(tree, told), [[11, 0.9], [12, 0.9]]);
  // One converter is not measured: the battery is.
  deepEqual(await storageOf(tree, [whole, battery(11, "p")]), [[10, 0.9]]);
  const measured = battery(14, "bm", "bess_meter");
  deepEqual(await storageOf([...tree, on("bm", "bess_meter", "t")], [measured]), [[14, 0.9]]);
});

Deno.test("storage: beside one another without a tree, it counts once", async () => {
  const flat = tree.map((device) => ({ ...device, parent_device_id: "t" }));
  const told = [battery(10, "bess", "bess"), battery(11, "p"), battery(12, "q")];
  deepEqual(await storageOf(flat, told), [[11, 0.9], [12, 0.9]]);
});

Deno.test("storage: elsewhere it is no part, unmeasured it leaves nothing expected", async () => {
  const elsewhere = [on("n", "meter"), on("p", "bess_pcs", "n")];
  deepEqual(await storageOf(elsewhere, [battery(11, "p")]), []);
  deepEqual(await storageOf(tree, []), null);
  deepEqual(await storageOf(tree, [battery(11, "p")]), null);
  // Cells on direct current and a plant controller are not asked for a power.
  deepEqual(await storageOf([on("r", "bess_rack", "t"), on("c", "bess_ppc", "t")], []), []);
});

const day = [
  ...[power(1, { device_id: "a" }), meter, battery(11, "p"), power(4, { component: "system" })],
  ...[weather(100, "poa_front"), weather(101, "ambient_temp")],
  power(5, { component: "meter", device_id: "n" }),
];
const devices = [
  ...[on("m", "meter"), inverter("a", { parent_device_id: "m" })],
  ...[on("n", "meter", "m"), on("p", "bess_pcs", "n")],
];

Deno.test("storage: by day it is added, in the dark it is all, with a gap nothing", async () => {
  await withPlant({ tags: day, devices }, async (plant) => {
    // Ten hours before noon it is dark. The last value is bad, so it is not carried on.
    const night = [at(11, -600, 40), at(11, -595, -50), { ...at(11, -590, 0), quality: 2 }];
    const noon = [at(11, 0, -30), { ...at(11, 3, 0), quality: 2 }];
    const meters = each(3, [-602, -585], 1);
    await roll(plant, [...each(100, [0, 6], 640), ...each(101, [0, 6], 10), ...noon]);
    await roll(plant, [...night, ...meters]);
    const lit = acOf(640, 30).model;
    const [light, dark] = [[-30, -30, -30, null], [40, -50, null]];
    for (const sensor_no of [3, 4]) {
      same(
        await expectedOf(plant, sensor_no, [0, 4]),
        light.map((it) => it === null ? null : it + lit),
      );
      same((await expectedOf(plant, sensor_no, [-600, -585])).filter((_, i) => i % 5 === 0), dark);
    }
    // A meter of the battery alone reads what that does.
    same(await expectedOf(plant, 5, [0, 4]), light);
    same(await columnOf(plant, { sensor_no: 3, column: "value" }, [-602, -600]), [1, 1]);
    same(await expectedOf(plant, 3, [-602, -600]), [null, null]);
    await assertVerified(plant);
    // It is corrected later.
    await roll(plant, [at(11, 1, 70)]);
    same(await expectedOf(plant, 3, [0, 3]), [lit - 30, lit + 70, lit + 70]);
    await assertVerified(plant);
  });
});
