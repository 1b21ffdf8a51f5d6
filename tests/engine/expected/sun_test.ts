// Expected power where no irradiance was measured in the plane: computed from the sun.
import { deepEqual, ok } from "node:assert/strict";
import { planeAt } from "../../../src/model/expected/plane.ts";
import type { Mount } from "../../../src/model/expected/pv.ts";
import { type Sun, sunAt } from "../../../src/model/time/sun.ts";
import type { PlantTag } from "../../help/plant.ts";
import { acOf, expectedOf, inverter, params, power, same, weather } from "./model_help.ts";
import { assertVerified, at, each, noon, roll, withPlant } from "../rollup/setpoint_help.ts";

const place = { latitude: 35.05, longitude: -106.54 };
const fixed: Mount = { kind: "fixed", tilt: 30, azimuth: 200 };
const tilted = { ...params, tilt: 30, azimuth: 200 };
const ambient = weather(20, "ambient_temp");
const ghi = weather(10, "ghi");
const dni = weather(11, "dni");
const dhi = weather(12, "dhi");

const sunOf = (minute: number) => sunAt(place, (noon + minute + 0.5) * 60_000_000);

/** Hay and Davies' sky, or an isotropic one, with a ground that reflects a fifth. */
function onPlane(
  sun: Sun,
  { ghi, dni, dhi }: { readonly ghi: number; readonly dni: number; readonly dhi: number },
  { mount = fixed, sky = "hay_davies" }: { readonly mount?: Mount; readonly sky?: string } = {},
): number {
  const { cos_aoi, cos_tilt } = planeAt(mount, sun);
  const share = sky === "hay_davies" ? dni / sun.extra_w_m2 : 0;
  const around = dhi * share * Math.max(cos_aoi, 0) / sun.cos_zenith;
  const rest = dhi * (1 - share) * (1 + cos_tilt) / 2;
  return dni * Math.max(cos_aoi, 0) + around + rest + ghi * 0.2 * (1 - cos_tilt) / 2;
}

const modelOf = (poa: number) => acOf(poa, 10 + poa / 32).model;

/** Expected values of two minutes, from these tags and levels of light. */
async function lit(
  tags: readonly PlantTag[],
  levels: Readonly<Record<number, number>>,
  pv: object = tilted,
): Promise<(number | null)[]> {
  let found: (number | null)[] = [];
  const devices = [inverter("d1", { pv: JSON.stringify(pv) })];
  await withPlant({ devices, tags: [power(1), ambient, ...tags] }, async (plant) => {
    const minutes = [0, 60];
    await roll(
      plant,
      minutes.flatMap((minute) => [
        at(20, minute, 10),
        ...Object.entries(levels).map(([tag, value]) => at(Number(tag), minute, value)),
      ]),
    );
    const hour = await expectedOf(plant, 1, [0, 61]);
    found = minutes.map((minute) => hour[minute]);
    await assertVerified(plant);
  });
  return found;
}

Deno.test("model: light from all of the sky is taken to the plane", async () => {
  const light = { ghi: 500, dni: 450, dhi: 120 };
  same(
    await lit([ghi, dni, dhi], { 10: 500, 11: 450, 12: 120 }),
    [0, 60].map((minute) => modelOf(onPlane(sunOf(minute), light))),
  );
});

Deno.test("model: of two kinds of light follows the third", async () => {
  const third = (sun: Sun) => ({
    ghi: { ghi: 450 * sun.cos_zenith + 120, dni: 450, dhi: 120 },
    dni: { ghi: 500, dni: (500 - 120) / sun.cos_zenith, dhi: 120 },
    dhi: { ghi: 500, dni: 350, dhi: 500 - 350 * sun.cos_zenith },
  });
  const wanted = (kind: "ghi" | "dni" | "dhi") =>
    [0, 60].map((minute) => modelOf(onPlane(sunOf(minute), third(sunOf(minute))[kind])));
  same(await lit([dni, dhi], { 11: 450, 12: 120 }), wanted("ghi"));
  same(await lit([ghi, dhi], { 10: 500, 12: 120 }), wanted("dni"));
  same(await lit([ghi, dni], { 10: 500, 11: 350 }), wanted("dhi"));
  deepEqual(await lit([ghi], { 10: 500 }), [null, null]);
});

Deno.test("model: the sky can be isotropic, modules can follow the sun", async () => {
  const light = { ghi: 500, dni: 450, dhi: 120 };
  const levels = { 10: 500, 11: 450, 12: 120 };
  same(
    await lit([ghi, dni, dhi], levels, { ...tilted, transposition: "isotropic" }),
    [0, 60].map((minute) => modelOf(onPlane(sunOf(minute), light, { sky: "isotropic" }))),
  );
  const mount: Mount = {
    ...{ kind: "tracker", axis_tilt: 0, axis_azimuth: 180, max_angle: 50 },
    ...{ backtrack: true, ground_cover: 0.4 },
  };
  const { kind: _, ...tracker } = mount;
  same(
    await lit([ghi, dni, dhi], levels, { ...params, tracker }),
    [0, 60].map((minute) => modelOf(onPlane(sunOf(minute), light, { mount }))),
  );
});

Deno.test("model: what was measured in the plane comes before the sun", async () => {
  const poa = weather(13, "poa_front");
  same(await lit([ghi, dni, dhi, poa], { 10: 500, 11: 450, 12: 120, 13: 333 }), [
    modelOf(333),
    modelOf(333),
  ]);
});

Deno.test("model: a plane that is not known takes nothing from the sun", async () => {
  deepEqual(await lit([ghi, dni, dhi], { 10: 500, 11: 450, 12: 120 }, params), [null, null]);
});

Deno.test("model: one kind of light stays too little beside a stream that has two", async () => {
  const trial = { sentinel_tag: "trial" };
  const devices = [
    inverter("d1", { pv: JSON.stringify(tilted) }),
    inverter("d2", { pv: JSON.stringify(tilted) }),
  ];
  const tags = [
    ...[power(1), ambient, ghi, dhi],
    power(2, { ...trial, device_id: "d2" }),
    weather(21, "ambient_temp", trial),
    weather(14, "ghi", trial),
  ];
  await withPlant({ devices, tags }, async (plant) => {
    const both = (tag: number, other: number, value: number) => [
      at(tag, 0, value),
      at(other, 0, value),
    ];
    await roll(plant, [...both(20, 21, 10), ...both(10, 14, 600), at(12, 0, 120)]);
    ok((await expectedOf(plant, 1, [0, 1]))[0]! > 0);
    deepEqual(await expectedOf(plant, 2, [0, 1]), [null]);
  });
});

Deno.test("model: hours without direct light are no flat line", async () => {
  const devices = [inverter("d1", { pv: JSON.stringify(tilted) })];
  await withPlant({ devices, tags: [power(1), ambient, ghi, dni] }, async (plant) => {
    await roll(plant, [
      ...each(20, [0, 60], 10),
      ...each(10, [0, 60], (minute) => 100 + minute),
      ...each(11, [0, 60], 0),
    ]);
    const found = await expectedOf(plant, 1, [0, 60]);
    ok(found.every((value) => value !== null && value > 0));
    same([found[59]], [modelOf(onPlane(sunOf(59), { ghi: 159, dni: 0, dhi: 159 }))]);
  });
});
