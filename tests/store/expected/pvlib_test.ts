// A year of hours at three places, a southern and a polar one among them, against pvlib.
import assert from "node:assert/strict";
import array from "../../data/pvlib/array.json" with { type: "json" };
import { differFromPvlib } from "../../help/pvlib.ts";

/** The most that each quantity may differ while the sun is a degree up. */
const bounds: Readonly<Record<string, number>> = {
  zenith: 0.02,
  azimuth: 0.02,
  extra: 0.01,
  fixed_isotropic: 0.5,
  fixed_hay_davies: 0.5,
  tracker_isotropic: 0.5,
  tracker_hay_davies: 0.5,
  faiman: 0.02,
  sapm: 0.02,
  pvsyst: 0.02,
  dc: array.rated_dc_w / 1000,
  fixed_ac: array.rated_ac_w / 1000,
  tracker_ac: array.rated_ac_w / 1000,
};

/** With the sun on the horizon: refraction differs by up to 0.09 degrees there, nothing else. */
const horizon_bounds: typeof bounds = { ...bounds, zenith: 0.1 };

Deno.test("sun, irradiance, temperature and power of a year are pvlib's", async () => {
  const found = await differFromPvlib();
  assert.equal(found.length, 2 * Object.keys(bounds).length);
  for (const { quantity, up, worst, site, at } of found) {
    const bound = (up ? bounds : horizon_bounds)[quantity];
    assert.ok(worst <= bound, `${quantity} is off by ${worst} at ${site}, ${at}`);
  }
});
