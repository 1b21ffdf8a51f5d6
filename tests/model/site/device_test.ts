// Parameters in site files: what is impossible is refused at its path, and told how it should be.
import assert from "node:assert/strict";
import { flawAt, flaws } from "../../help/site_flaw.ts";

const rated = { rated_dc_w: 1200, rated_ac_w: 1000 };

const inverter = (more: object) => ({ devices: [{ key: "I", type: "inverter", ...more }] });
const pvFlaw = (name: string, pv: object) =>
  flawAt(`devices[0].pv.${name}`, inverter({ pv: { ...rated, ...pv } }));

Deno.test("an impossible PV parameter is refused at its path", () => {
  assert.match(pvFlaw("rated_dc_w", { rated_dc_w: -5 }), /more than 0/);
  assert.match(pvFlaw("rated_ac_w", { rated_ac_w: 0 }), /more than 0/);
  assert.match(pvFlaw("gamma", { gamma: 0.0035 }), /at most 0/);
  assert.match(pvFlaw("gamma", { gamma: -0.35 }), /at least -0\.02/);
  assert.match(pvFlaw("losses", { losses: 1 }), /less than 1, not \d+$/);
  assert.match(pvFlaw("losses", { losses: 14 }), /less than 1, not \d+$/);
  assert.match(pvFlaw("losses", { losses: "14 %" }), /give a number/);
  pvFlaw("losses", { losses: -0.01 });
  pvFlaw("efficiency", { efficiency: 0 });
  pvFlaw("efficiency", { efficiency: 96 });
  pvFlaw("tilt", { tilt: 91, azimuth: 180 });
  assert.match(pvFlaw("azimuth", { tilt: 25, azimuth: 360 }), /less than 360/);
  pvFlaw("albedo", { albedo: 1.2 });
  assert.match(pvFlaw("transposition", { transposition: "hay_davis" }), /meant hay_davies\?/);
  assert.match(pvFlaw("gama", { gama: -0.004 }), /no such key; meant gamma\?/);
  assert.deepEqual(flaws(inverter({ pv: { ...rated, gamma: 0, losses: 0, efficiency: 1 } })), []);
});

Deno.test("curves, trackers and temperatures are checked to their innermost value", () => {
  const curve = (...points: unknown[]) => ({ efficiency_curve: points });
  assert.match(pvFlaw("efficiency_curve", curve([0.5, 0.9])), /at least 2 items/);
  assert.match(pvFlaw("efficiency_curve", curve([0.5, 0.9], [0.5, 0.95])), /rising load/);
  assert.match(pvFlaw("efficiency_curve[1][1]", curve([0, 0], [1, 1.1])), /at most 1/);
  assert.match(pvFlaw("efficiency_curve[0][0]", curve([-1, 0], [1, 1])), /at least 0/);
  pvFlaw("efficiency_curve[1]", curve([0, 0], [1]));
  pvFlaw("tracker.max_angle", { tracker: { max_angle: 120 } });
  assert.match(pvFlaw("tracker.backtrak", { tracker: { backtrak: true } }), /meant backtrack\?/);
  assert.match(
    pvFlaw("temperature.model", { temperature: { model: "f" } }),
    /faiman.*sapm.*pvsyst/,
  );
  pvFlaw("temperature.model", { temperature: { u0: 25 } });
  pvFlaw("temperature.u0", { temperature: { model: "faiman", u0: 0 } });
  assert.match(
    pvFlaw("temperature.deltat", { temperature: { model: "sapm", deltat: 3 } }),
    /delta_t/,
  );
  assert.match(pvFlaw("tilt", { tilt: 25, tracker: {} }), /beside a tracker/);
});

Deno.test("what can't be defaulted has to come from a device or its device model", () => {
  assert.match(flawAt("devices[0].pv.rated_ac_w", inverter({ pv: { rated_dc_w: 1 } })), /missing/);
  const model = (pv: object, more: object) => ({
    device_models: [{ key: "M", pv }],
    ...inverter({ device_model: "M", ...more }),
  });
  assert.deepEqual(flaws(model(rated, {})), []);
  assert.deepEqual(flaws(model({ rated_ac_w: 1 }, { pv: { rated_dc_w: 1 } })), []);
  assert.match(flawAt("devices[0].pv.rated_dc_w", model({ rated_ac_w: 1 }, {})), /missing/);
  assert.match(
    flawAt("devices[0].pv.azimuth", model(rated, { pv: { tilt: 20 } })),
    /tilt needs it/,
  );
  assert.match(flawAt("devices[0].pv.tilt", model(rated, { pv: { azimuth: 9 } })), /azimuth needs/);
  const tilted = { ...rated, tilt: 20, azimuth: 180 };
  assert.deepEqual(flaws(model(tilted, { pv: { azimuth: 90 } })), []);
  assert.deepEqual(flaws(model(tilted, { pv: { tracker: {} } })), []);
  assert.match(
    flawAt("device_models[0].pv.azimuth", model({ ...tilted, tilt: undefined, tracker: {} }, {})),
    /beside a tracker/,
  );
});

Deno.test("parameters stand only on devices that have a use for them", () => {
  const device_models = [{ key: "M", pv: rated }];
  const meter = (more: object) => ({
    device_models,
    devices: [{ key: "D", type: "meter", ...more }],
  });
  assert.match(flawAt("devices[0].pv", meter({ pv: rated })), /of inverters, not of meter/);
  assert.match(flawAt("devices[0].device_model", meter({ device_model: "M" })), /of inverters/);
  assert.deepEqual(flaws(meter({ grid: { losses: 0.01, limit_w: 2e7 } })), []);
  assert.match(flawAt("devices[0].grid", inverter({ grid: {} })), /only for system, block, feeder/);
  flawAt("devices[0].grid.losses", meter({ grid: { losses: 1 } }));
  flawAt("devices[0].grid.limit_w", meter({ grid: { limit_w: -1 } }));
  flawAt("devices[0].grid.nominal_voltage_v", meter({ grid: { nominal_voltage_v: 0 } }));
});

Deno.test("codes have a known state, and the nearest is suggested", () => {
  const model = (more: object) => ({ device_models: [{ key: "M", ...more }] });
  const status = (status: unknown) => model({ status });
  assert.deepEqual(flaws(status("sunspec")), []);
  assert.deepEqual(flaws(status({ 0: "suspended", "-3": "unknown" })), []);
  const misspelt = flawAt("device_models[0].status.3", status({ 3: "forced_outtage" }));
  assert.match(misspelt, /no such name as "forced_outtage"; meant forced_outage\?/);
  assert.match(flawAt("device_models[0].status.x", status({ x: "suspended" })), /whole number/);
  assert.match(flawAt("device_models[0].status", status("sunspek")), /"sunspec" or a table/);
  flawAt("device_models[0].status", status(5));
  const codes = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [i, "suspended"]));
  assert.match(flawAt("device_models[0].status", status(codes)), /at most 1000 codes/);
  assert.match(
    flawAt("device_models[0].events.64", model({ events: { 64: "suspended" } })),
    /bit from 0 to 63/,
  );
});

Deno.test("device models are known and stand once; an event word is one device's", () => {
  const device_models = [{ key: "M", events: "sunspec" }, { key: "N" }];
  const one = (more: object) => ({ device_models, ...inverter(more) });
  assert.match(flawAt("devices[0].device_model", one({ device_model: "m" })), /meant M\?/);
  flawAt("device_models[1].key", { device_models: [{ key: "M" }, { key: "M" }] });
  assert.deepEqual(flaws(one({ device_model: "M", event_tag: "e" })), []);
  assert.match(
    flawAt("devices[0].event_tag", one({ device_model: "N", event_tag: "e" })),
    /meaning/,
  );
  const word = one({ device_model: "M", event_tag: "e" });
  const devices = [...word.devices, { ...word.devices[0], key: "J" }];
  assert.match(flawAt("devices[1].event_tag", { ...word, devices }), /one of devices\[0\]/);
  const tags = [{ name: "e", encoding: "float" }];
  assert.match(flawAt("tags[0].encoding", { ...word, tags }), /give integer/);
});
