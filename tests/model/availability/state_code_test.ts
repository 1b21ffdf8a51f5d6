// Status codes and event bits: what a device model makes of them, and their text.
import assert from "node:assert/strict";
import type { DeviceModel } from "../../../src/model/plant/plant.ts";
import { codesOf, codesText } from "../../../src/model/availability/state_code.ts";

const device = { site_no: 1, device_model: "M" };
const model: DeviceModel = {
  ...{ id: "m", site_no: 1, key: "M", pv: null, status: null, events: null, points: null },
};

Deno.test("codes mean what the device model says, or the standard it names", () => {
  const codes = (more: Partial<DeviceModel>) => codesOf(device, [{ ...model, ...more }]);
  const sunspec = codes({ status: '"sunspec"', events: '"sunspec"' });
  assert.deepEqual([4, 5, 7].map((code) => sunspec.status.get(code)), [
    "full_capability",
    "partial_capability",
    "forced_outage",
  ]);
  assert.deepEqual(
    [1, 2, 3, 6, 8].map((code) => sunspec.status.get(code)),
    Array(5).fill(undefined),
  );
  assert.deepEqual([...sunspec.events.keys()], Array.from({ length: 16 }, (_, bit) => bit));
  assert.equal(sunspec.events.get(4), "out_of_electrical_specification");
  const own = codes({ status: '{"0":"suspended","-1":"unknown"}' });
  assert.deepEqual([...own.status], [[0, "suspended"], [-1, "unknown"]]);
  assert.deepEqual([own.events.size, codesOf(device, []).status.size], [0, 0]);
});

Deno.test("a text of codes is the same whatever their order; silence has none", () => {
  const one = codesText({ 3: "suspended", "-1": "unknown", 12: "dc_side_outage" });
  assert.equal(one, codesText({ 12: "dc_side_outage", "-1": "unknown", 3: "suspended" }));
  assert.deepEqual([codesText({}), codesText(undefined), codesText("sunspec")], [
    null,
    null,
    '"sunspec"',
  ]);
});
