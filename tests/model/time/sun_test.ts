// Where the sun stands: published figures, and the horizon at sunrise and sunset.
import assert from "node:assert/strict";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { sunEvents } from "../../../src/model/time/daylight.ts";
import { sunAt } from "../../../src/model/time/sun.ts";

function near(found: number, wanted: number, within: number): void {
  assert.ok(Math.abs(found - wanted) <= within, `${found} is not ${wanted}`);
}

Deno.test("the sun of the SPA report's example stands where the report says", () => {
  const golden = { latitude: 39.742476, longitude: -105.1786 };
  const sun = sunAt(golden, Date.parse("2003-10-17T19:30:30Z") * 1000);
  near(sun.zenith, 50.11162, 0.01);
  near(sun.azimuth, 194.34024, 0.01);
  near(sun.cos_zenith, Math.cos(50.11162 * Math.PI / 180), 0.0002);
});

Deno.test("the sun passes north of a southern place and is on the horizon as it rises", () => {
  const cape_town = { latitude: -33.92, longitude: 18.42, timezone: "Africa/Johannesburg" };
  const { sunrise_s, transit_s, sunset_s } = sunEvents(cape_town, dayNumber("2025-06-21"))!;
  const [rise, noon, set] = [sunrise_s!, transit_s, sunset_s!].map((at_s) =>
    sunAt(cape_town, at_s * 1e6)
  );
  near(Math.abs(noon.azimuth - 180), 180, 0.1);
  near(noon.zenith, 33.92 + 23.44, 0.1);
  assert.ok(rise.azimuth < 90 && set.azimuth > 270, `${rise.azimuth}, ${set.azimuth}`);
  for (const { zenith } of [rise, set]) near(zenith, 90.35, 0.05);
});

Deno.test("the sun is strongest in January and weakest in July", () => {
  const at = (day: string) =>
    sunAt({ latitude: 0, longitude: 0 }, Date.parse(day) * 1000).extra_w_m2;
  near(at("2025-01-03T00:00Z"), 1414, 1);
  near(at("2025-07-04T00:00Z"), 1321, 1);
  near(at("2024-12-31T23:59Z"), at("2025-01-01T00:00Z"), 0.2);
});
