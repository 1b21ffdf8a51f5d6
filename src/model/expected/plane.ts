// How a plane of modules, fixed or tracking, faces the sun and the sky.
import { expected_limits } from "./limits.ts";
import type { Mount } from "./pv.ts";
import type { Sun } from "../time/sun.ts";

/** How a plane stands to the sun and to the sky. */
type PlaneView = {
  /** Of the angle between the sun and the plane's normal; below 0 it is behind the plane. */
  readonly cos_aoi: number;
  /** Of the angle between the plane and the ground. */
  readonly cos_tilt: number;
};

type Tracker = Extract<Mount, { kind: "tracker" }>;
/** A direction of length 1. */
type Direction = { readonly east: number; readonly north: number; readonly up: number };

const radians = Math.PI / 180;

/** How a plane faces the sun; a tracker lies flat while the sun is below the horizon. */
export function planeAt(mount: Mount, sun: Sun): PlaneView {
  const toward_sun = directionOf(sun.zenith, sun.azimuth);
  const normal = mount.kind === "fixed"
    ? directionOf(mount.tilt, mount.azimuth)
    : normalOf(mount, sun.cos_zenith > 0 ? rotationTo(toward_sun, mount) : 0);
  const cos_aoi = normal.east * toward_sun.east + normal.north * toward_sun.north +
    normal.up * toward_sun.up;
  return { cos_aoi, cos_tilt: normal.up };
}

/**
 * Whether what one plane sees can stand for another: fixed normals, or axes of turning, near by.
 */
export function seesAlike(one: Mount, other: Mount): boolean {
  if (one.kind !== other.kind) return false;
  const [a, b] = [one, other].map((mount) =>
    mount.kind === "fixed"
      ? directionOf(mount.tilt, mount.azimuth)
      : directionOf(90 + mount.axis_tilt, mount.axis_azimuth)
  );
  const cosine = a.east * b.east + a.north * b.north + a.up * b.up;
  // An axis points both ways.
  const least = Math.cos(expected_limits.alike_degrees * radians);
  return (one.kind === "fixed" ? cosine : Math.abs(cosine)) >= least;
}

function directionOf(zenith: number, azimuth: number): Direction {
  const level = Math.sin(zenith * radians);
  return {
    east: level * Math.sin(azimuth * radians),
    north: level * Math.cos(azimuth * radians),
    up: Math.cos(zenith * radians),
  };
}

/**
 * The rotation about the axis, in degrees, that brings the sun nearest to the normal without one
 * row shading the next; looking along the axis azimuth, positive turns to the right. Anderson and
 * Mikofski, "Slope-aware backtracking for single-axis trackers", NREL/TP-5K00-76626 (2020), eq. 4,
 * 5, 14 to 16, for rows on level ground across the axis.
 */
function rotationTo(sun: Direction, tracker: Tracker): number {
  const { sin_azimuth, cos_azimuth, sin_tilt, cos_tilt } = axisOf(tracker);
  const across = sun.east * cos_azimuth - sun.north * sin_azimuth;
  const above = (sun.east * sin_azimuth + sun.north * cos_azimuth) * sin_tilt + sun.up * cos_tilt;
  const ideal = Math.atan2(across, above) / radians;
  const overlap = Math.abs(Math.cos(ideal * radians) / tracker.ground_cover);
  const back = tracker.backtrack && overlap < 1
    ? Math.sign(ideal) * Math.acos(overlap) / radians
    : 0;
  return Math.max(-tracker.max_angle, Math.min(tracker.max_angle, ideal - back));
}

/** The normal of a plane that is rotated about an axis, which falls towards its azimuth. */
function normalOf(tracker: Tracker, rotation: number): Direction {
  const { sin_azimuth, cos_azimuth, sin_tilt, cos_tilt } = axisOf(tracker);
  const sideways = Math.sin(rotation * radians);
  const upright = Math.cos(rotation * radians);
  return {
    east: sin_azimuth * sin_tilt * upright + cos_azimuth * sideways,
    north: cos_azimuth * sin_tilt * upright - sin_azimuth * sideways,
    up: cos_tilt * upright,
  };
}

function axisOf({ axis_azimuth, axis_tilt }: Tracker) {
  return {
    sin_azimuth: Math.sin(axis_azimuth * radians),
    cos_azimuth: Math.cos(axis_azimuth * radians),
    sin_tilt: Math.sin(axis_tilt * radians),
    cos_tilt: Math.cos(axis_tilt * radians),
  };
}
