// Parameters of devices: what a device inherits, and what goes without saying.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Device, DeviceModel } from "../../../src/model/plant/plant.ts";
import { gridOf, mergePv, pvOf, pvText } from "../../../src/model/expected/pv.ts";
import { pv_form } from "../../../src/model/expected/pv_form.ts";

const device: Device = {
  id: "d",
  site_no: 1,
  key: "INV1",
  name: "INV1",
  type: "inverter",
  parent_device_id: null,
  block_id: null,
  device_model: "M",
  event_tag: null,
  pv: null,
  grid: null,
};
const model: DeviceModel = {
  ...{ id: "m", site_no: 1, key: "M", pv: null, status: null, events: null, points: null },
};
const rated = { rated_dc_w: 1200, rated_ac_w: 1000 };

/** The parameters of a device with a table over its device model's. */
function merged(own?: object, under?: object) {
  const text = (table?: object) => table && JSON.stringify(table) || null;
  return pvOf({ ...device, pv: text(own) }, [
    { ...model, site_no: 2, pv: text({ rated_dc_w: 1, rated_ac_w: 1 }) },
    { ...model, pv: text(under) },
  ]);
}

Deno.test("a device without parameters has none; its defaults are PVWatts version 5's", () => {
  assert.equal(merged(), null);
  assert.deepEqual(merged(rated), {
    ...rated,
    gamma: -0.0035,
    losses: 0.14,
    efficiency: 0.96,
    efficiency_curve: null,
    mount: null,
    transposition: "hay_davies",
    albedo: 0.2,
    temperature: { kind: "faiman", u0: 25, u1: 6.84 },
  });
});

Deno.test("a device's own parameters stand over its model's, field by field", () => {
  const under = { ...rated, gamma: -0.004, temperature: { model: "sapm", a: -3 } };
  const own = { rated_dc_w: 1300, losses: 0, temperature: { model: "sapm", b: -0.1 } };
  const { rated_dc_w, rated_ac_w, gamma, losses, temperature } = merged(own, under)!;
  assert.deepEqual({ rated_dc_w, rated_ac_w, gamma, losses }, {
    rated_dc_w: 1300,
    rated_ac_w: 1000,
    gamma: -0.004,
    losses: 0,
  });
  assert.deepEqual(temperature, { kind: "sapm", a: -3.56, b: -0.1, delta_t: 3 });
  assert.deepEqual(merged(undefined, under)?.gamma, -0.004);
  const pvsyst = { ...rated, temperature: { model: "pvsyst" } };
  assert.deepEqual(merged(pvsyst)?.temperature, {
    kind: "pvsyst",
    u_c: 29,
    u_v: 0,
    module_efficiency: 0.1,
    absorption: 0.9,
  });
});

Deno.test("how modules stand is one choice: a device's takes its model's place", () => {
  const fixed = { ...rated, tilt: 25, azimuth: 180 };
  const tracking = { ...rated, tracker: { max_angle: 52 } };
  const tracker = {
    kind: "tracker",
    axis_tilt: 0,
    axis_azimuth: 180,
    max_angle: 52,
    backtrack: true,
    ground_cover: 0.35,
  };
  assert.deepEqual(merged({ azimuth: 90 }, fixed)?.mount, { kind: "fixed", tilt: 25, azimuth: 90 });
  assert.deepEqual(merged({ tracker: { max_angle: 52 } }, fixed)?.mount, tracker);
  assert.deepEqual(merged({ gamma: 0 }, tracking)?.mount, tracker);
  assert.deepEqual(merged({ tilt: 0, azimuth: 0 }, tracking)?.mount, {
    kind: "fixed",
    tilt: 0,
    azimuth: 0,
  });
});

Deno.test("a text of parameters leaves out what holds without it, and means the same", () => {
  const text = (own: object, under?: object) =>
    pvText(pv_form.parse(own), under && pv_form.parse(under));
  assert.equal(text({ losses: 0.14, temperature: { model: "faiman", u0: 25 } }), null);
  assert.equal(text({ ...rated, gamma: -0.004 }, { ...rated, gamma: -0.004 }), null);
  assert.equal(text({ gamma: -0.0035 }, { gamma: -0.004 }), '{"gamma":-0.0035}');
  assert.equal(
    text({ losses: -0, ...rated }),
    text({ rated_ac_w: 1e3, losses: 0, rated_dc_w: 1200 }),
  );
  assert.equal(
    text({ tracker: { backtrack: true, axis_tilt: 5 }, temperature: { model: "sapm" } }),
    '{"tracker":{"axis_tilt":5},"temperature":{"model":"sapm"}}',
  );
  const under = pv_form.parse({ ...rated, tilt: 25, azimuth: 180 });
  const own = pv_form.parse({ tilt: 25, azimuth: 90 });
  assert.equal(pvText(own, under), '{"azimuth":90}');
  assert.deepEqual(mergePv({ azimuth: 90 }, under), mergePv(own, under));
});

Deno.test("the shortest texts of any two tables mean what the tables mean", () => {
  const mounts = [{}, { tilt: 20, azimuth: 180 }, { tracker: {} }, { tracker: { axis_tilt: 5 } }];
  const table = fc.record({
    gamma: fc.constantFrom(undefined, -0.0035, -0.004),
    albedo: fc.constantFrom(undefined, 0.2, 0.5),
    efficiency_curve: fc.constantFrom(undefined, [[0, 0], [1, 0.97]]),
    temperature: fc.constantFrom(undefined, { model: "faiman", u1: 6.84 }, { model: "pvsyst" }),
    mount: fc.constantFrom(...mounts),
  }).map(({ mount, ...rest }) => pv_form.parse({ ...rated, ...rest, ...mount }));
  fc.assert(fc.property(table, table, (own, under) => {
    const short = (text: string | null) => text === null ? undefined : JSON.parse(text);
    const found = merged(short(pvText(own, under)), short(pvText(under)));
    assert.deepEqual(found, merged(own, under));
  }));
});

Deno.test("a grid device loses and limits nothing unless it says so", () => {
  const none = { losses: 0, limit_w: null, nominal_voltage_v: null };
  assert.deepEqual(gridOf(device), none);
  assert.deepEqual(gridOf({ ...device, grid: '{"limit_w":2e7}' }), { ...none, limit_w: 2e7 });
});
