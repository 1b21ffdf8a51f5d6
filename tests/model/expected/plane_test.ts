// How planes face the sun: fixed ones by their angles, trackers up to their limits and row shade.
import assert from "node:assert/strict";
import fc from "fast-check";
import { planeAt } from "../../../src/model/expected/plane.ts";
import type { Mount } from "../../../src/model/expected/pv.ts";
import type { Sun } from "../../../src/model/time/sun.ts";

const radians = Math.PI / 180;

function sunFrom(zenith: number, azimuth: number): Sun {
  return { zenith, azimuth, cos_zenith: Math.cos(zenith * radians), extra_w_m2: 1366.1 };
}

function trackerOf(changes: Partial<Extract<Mount, { kind: "tracker" }>>): Mount {
  const level = { axis_tilt: 0, axis_azimuth: 180, max_angle: 90 };
  return { kind: "tracker", ...level, backtrack: false, ground_cover: 0.4, ...changes };
}

/** The angle of incidence and the tilt, degrees. */
function angles(mount: Mount, sun: Sun): readonly number[] {
  const { cos_aoi, cos_tilt } = planeAt(mount, sun);
  return [cos_aoi, cos_tilt].map((it) => Math.acos(Math.min(1, Math.max(-1, it))) / radians);
}

function near(found: readonly number[], wanted: readonly number[]): void {
  const off = found.map((it, i) => Math.abs(it - wanted[i]));
  assert.ok(Math.max(...off) < 1e-5, `${found}, not ${wanted}`);
}

Deno.test("a fixed plane faces the sun as its tilt and azimuth say", () => {
  near(angles({ kind: "fixed", tilt: 30, azimuth: 180 }, sunFrom(30, 180)), [0, 30]);
  near(angles({ kind: "fixed", tilt: 30, azimuth: 0 }, sunFrom(30, 180)), [60, 30]);
  near(angles({ kind: "fixed", tilt: 90, azimuth: 90 }, sunFrom(80, 270)), [170, 90]);
  near(angles({ kind: "fixed", tilt: 0, azimuth: 77 }, sunFrom(40, 200)), [40, 0]);
});

Deno.test("a tracker on a level axis turns to the sun, up to its limit", () => {
  near(angles(trackerOf({}), sunFrom(50, 90)), [0, 50]);
  near(angles(trackerOf({}), sunFrom(50, 270)), [0, 50]);
  near(angles(trackerOf({}), sunFrom(50, 180)), [50, 0]);
  near(angles(trackerOf({ max_angle: 45 }), sunFrom(70, 90)), [25, 45]);
});

Deno.test("a tilted axis leans to its azimuth", () => {
  near(angles(trackerOf({ axis_tilt: 20 }), sunFrom(20, 180)), [0, 20]);
  near(angles(trackerOf({ axis_tilt: 20, axis_azimuth: 0 }), sunFrom(20, 180)), [40, 20]);
});

Deno.test("backtracking turns rows away from a low sun until no row shades the next", () => {
  near(angles(trackerOf({ backtrack: true }), sunFrom(60, 90)), [0, 60]);
  const low = planeAt(trackerOf({ backtrack: true }), sunFrom(80, 90));
  // The beam that falls on a row's ground is what its modules take in, no more.
  near([0.4 * low.cos_aoi], [Math.cos(80 * radians)]);
  near(angles(trackerOf({ backtrack: true }), sunFrom(89.9999999, 90)), [90, 0]);
});

Deno.test("a tracker lies flat while the sun is below the horizon", () => {
  for (const backtrack of [false, true]) {
    near(angles(trackerOf({ backtrack }), sunFrom(95, 90)), [95, 0]);
  }
});

Deno.test("a tracker that may turn freely never faces the sun worse than one with limits", () => {
  const angle = (min: number, max: number) => fc.double({ min, max, noNaN: true });
  const world = [angle(0, 89), angle(0, 360), angle(0, 30), angle(0, 360), angle(0, 60)] as const;
  fc.assert(fc.property(...world, (zenith, azimuth, axis_tilt, axis_azimuth, limit) => {
    const sun = sunFrom(zenith, azimuth);
    const free = planeAt(trackerOf({ axis_tilt, axis_azimuth }), sun);
    const held = planeAt(trackerOf({ axis_tilt, axis_azimuth, max_angle: limit }), sun);
    assert.ok(free.cos_aoi >= held.cos_aoi - 1e-9);
    assert.ok(held.cos_tilt >= Math.cos((limit + axis_tilt) * radians) - 1e-9);
    for (const view of [free, held]) assert.ok(Math.abs(view.cos_aoi) <= 1 + 1e-9);
  }));
});
