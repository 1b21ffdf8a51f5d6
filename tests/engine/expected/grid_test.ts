// Expected power of what sums inverters: losses, limits, and where a part is missing.
import type { Sensor } from "../../../src/model/plant/plant.ts";
import type { PlantDevice, PlantTag, TestPlant } from "../../help/plant.ts";
import { acOf, columnOf, expectedOf, inverter, power, same, weather } from "./model_help.ts";
import { assertVerified, at, modelled, roll, withPlant } from "../rollup/setpoint_help.ts";

const sunny = [weather(100, "poa_front"), weather(101, "ambient_temp")];
const light = [at(100, 0, 640), at(101, 0, 10)];
/** What each inverter gives in it. */
const each_w = acOf(640, 30).model;

type Plan = { readonly devices: readonly PlantDevice[]; readonly tags: readonly PlantTag[] };

function device(id: string, type: string, place: Partial<PlantDevice> = {}): PlantDevice {
  return { id, type, ...place };
}

function grid(losses: number, limit_w?: number): { readonly grid: string } {
  return { grid: JSON.stringify({ losses, limit_w }) };
}

function sum(tag_no: number, sensor: Partial<Sensor>): PlantTag {
  return { tag_no, sensors: [sensor] };
}

/** What sensors are expected to give, in inverters. */
async function inInverters(plan: Plan, sensors: readonly number[]): Promise<(number | null)[]> {
  const found: (number | null)[] = [];
  const tags = [...plan.tags, ...sunny];
  await withPlant({ devices: plan.devices, tags }, async (plant) => {
    await roll(plant, light);
    for (const sensor_no of sensors) found.push(await inverters(plant, sensor_no));
    await assertVerified(plant);
  });
  return found;
}

async function inverters(plant: TestPlant, sensor_no: number): Promise<number | null> {
  const [model] = await expectedOf(plant, sensor_no, [0, 1]);
  return model === null ? null : model / each_w;
}

/** Four inverters under two transformers and a feeder, and sensors of all that is above them. */
function tree(parts: Readonly<Record<string, Partial<PlantDevice>>> = {}): Plan {
  const made = (id: string, type: string, place: Partial<PlantDevice> = {}) =>
    device(id, type, { ...place, ...parts[id] });
  return {
    devices: [
      made("sys", "system"),
      made("feeder", "feeder", { parent_device_id: "sys" }),
      made("t1", "transformer", { parent_device_id: "feeder", block_id: "B1" }),
      made("t2", "transformer", { parent_device_id: "feeder", block_id: "B2" }),
      inverter("a", { parent_device_id: "t1", block_id: "B1" }),
      inverter("b", { parent_device_id: "t1", block_id: "B1" }),
      inverter("c", { parent_device_id: "t2", block_id: "B2" }),
      inverter("d", { parent_device_id: "t2", block_id: "B2" }),
      made("meter", "meter"),
    ],
    tags: [
      ...["a", "b", "c", "d"].map((device_id, i) => power(i + 1, { device_id })),
      sum(11, { device_id: "t1", component: "transformer", block_id: "B1" }),
      sum(12, { device_id: "t2", component: "transformer", block_id: "B2" }),
      sum(13, { device_id: "feeder", component: "feeder" }),
      sum(14, { device_id: "sys", component: "system" }),
      sum(15, { device_id: "meter", component: "meter" }),
      sum(16, { device_id: null, component: "block", block_id: "B1" }),
    ],
  };
}

Deno.test("model: what sums inverters is expected to give what they are", async () => {
  same(await inInverters(tree(), [11, 12, 13, 14, 15, 16]), [2, 2, 4, 4, 4, 2]);
});

Deno.test("model: losses add up on the way", async () => {
  const lossy = tree({
    t1: grid(0.1),
    t2: grid(0.2),
    feeder: grid(0.05),
    sys: grid(0.01),
    meter: grid(0.5),
  });
  const feeder = (2 * 0.9 + 2 * 0.8) * 0.95;
  same(await inInverters(lossy, [11, 12, 13, 14, 15, 16]), [
    ...[2 * 0.9, 2 * 0.8, feeder, feeder * 0.99, feeder * 0.5, 2 * 0.9],
  ]);
});

Deno.test("model: nothing passes on more than its limit, whatever is above it", async () => {
  const limited = tree({
    t1: grid(0.1, 1.5 * each_w),
    sys: grid(0, 3 * each_w),
    feeder: grid(0.1),
  });
  same(await inInverters(limited, [11, 12, 13, 14, 15, 16]), [
    ...[1.5, 2, 3.5 * 0.9, 3, 3.5 * 0.9, 1.5],
  ]);
});

Deno.test("model: what a limit clips is beside it", async () => {
  const plan = tree({ t1: grid(0.1, 1.5 * each_w) });
  await withPlant({ devices: plan.devices, tags: [...plan.tags, ...sunny] }, async (plant) => {
    await roll(plant, light);
    const clipped = await columnOf(plant, { sensor_no: 11, column: "clipped" }, [0, 1]);
    same(clipped, [0.3 * each_w]);
  });
});

Deno.test("model: a meter beside inverters is expected to give what they do", async () => {
  const beside = tree({
    meter: { parent_device_id: "t2", ...grid(0.1) },
    t2: grid(0.2),
  });
  same(await inInverters(beside, [12, 15]), [1.6, 1.6 * 0.9]);
  const in_block = tree({ meter: { block_id: "B1", ...grid(0.1) } });
  same(await inInverters(in_block, [15]), [1.8]);
});

Deno.test("model: without a part's model nothing is expected of what sums it", async () => {
  const plan = tree();
  const devices = plan.devices.map((it) => it.id === "c" ? { ...it, pv: null } : it);
  same(await inInverters({ ...plan, devices }, [1, 3, 11, 12, 13, 14, 15, 16]), [
    ...[1, null, 2, null, null, null, null, 2],
  ]);
});

Deno.test("model: a part that is sent is summed with those that are worked out", async () => {
  const plan = tree();
  const devices = plan.devices.map((it) => it.id === "c" ? { ...it, pv: null } : it);
  const tags = [
    ...plan.tags.filter((tag) => tag.tag_no !== 3),
    ...modelled(3, { device_id: "c" }),
    ...sunny,
  ];
  await withPlant({ devices, tags }, async (plant) => {
    await roll(plant, light);
    same([await inverters(plant, 12), await inverters(plant, 11)], [null, 2]);
    await roll(plant, [at(503, 0, each_w / 2)]);
    same([await inverters(plant, 12), await inverters(plant, 14)], [1.5, 3.5]);
    await assertVerified(plant);
  });
});

Deno.test("model: an inverter that only counts energy is a part all the same", async () => {
  const plan = tree();
  const energy: PlantTag = {
    tag_no: 1,
    sensors: [{ device_id: "a", measure: "energy", accumulation: "counter" }],
  };
  const tags = [energy, ...plan.tags.filter((tag) => tag.tag_no !== 1)];
  same(await inInverters({ ...plan, tags }, [1, 11, 14]), [1 / 60, 2, 4]);
});

Deno.test("model: an inverter that tells nothing of itself is a part all the same", async () => {
  const plan = tree();
  const tags = plan.tags.filter((tag) => tag.tag_no !== 1);
  same(await inInverters({ ...plan, tags }, [11, 14, 16]), [2, 4, 2]);
  const devices = plan.devices.map((it) => it.id === "a" ? { ...it, pv: null } : it);
  same(await inInverters({ devices, tags }, [11, 12, 14]), [null, 2, null]);
});

Deno.test("model: strings of an inverter are expected nothing, and are no inverter", async () => {
  const plan = tree();
  const tags = plan.tags.map((tag) => tag.tag_no === 1 ? { ...tag, tag_no: 20 } : tag);
  const string = power(1, { device_id: "a", component: "mppt" });
  const energy: PlantTag = { tag_no: 21, sensors: [{ device_id: "a", measure: "energy" }] };
  same(await inInverters({ ...plan, tags: [...tags, string, energy] }, [1, 20, 21, 11]), [
    ...[null, 1, 1 / 60, 2],
  ]);
});

Deno.test("model: data streams of a site are summed each by itself", async () => {
  const plan = tree();
  const other = { sentinel_tag: "trial" };
  const tags = [
    ...plan.tags,
    power(21, { device_id: "a", ...other }),
    sum(22, { device_id: "sys", component: "system", ...other }),
    weather(23, "poa_front", other),
    weather(24, "ambient_temp", other),
    ...sunny,
  ];
  await withPlant({ devices: plan.devices, tags }, async (plant) => {
    await roll(plant, [...light, at(23, 0, 320), at(24, 0, 10)]);
    same([await inverters(plant, 14)], [4]);
    const half = acOf(320, 20).model;
    same(await expectedOf(plant, 22, [0, 1]), [half]);
    same(await expectedOf(plant, 21, [0, 1]), [half]);
    await assertVerified(plant);
  });
});
