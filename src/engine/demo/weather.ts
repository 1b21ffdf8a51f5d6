// The demo's sky: sun, clouds, temperature and wind at any second, the same for the same seed.
import { getPosition } from "suncalc";
import type { Dice } from "../../base/random.ts";
import { type DemoPlace, solarDay, solarTime } from "./place.ts";

/** The blocks lie in a row; a cloud takes this long from one to the next. */
const block_delay_s = 80;
const day_s = 86_400;
const to_radians = Math.PI / 180;

/** What the sky does at one instant; irradiance in W/m2, one figure a block where clouds pass. */
export type Weather = {
  readonly altitude_deg: number;
  /** Rotation of the single-axis trackers, degrees, west positive. */
  readonly tracker_deg: number;
  readonly ghi: readonly number[];
  readonly poa: readonly number[];
  readonly ambient_c: number;
  readonly wind_ms: number;
  readonly humidity_pct: number;
};

/** `at_s` is seconds since 1970 UTC. */
type WeatherQuestion = {
  readonly at_s: number;
  readonly blocks: number;
  readonly place: DemoPlace;
};

type Moment = Pick<WeatherQuestion, "at_s" | "place">;

/** The weather over some blocks at one instant. */
export function weatherAt(dice: Dice, { at_s, blocks, place }: WeatherQuestion): Weather {
  const sun = getPosition(new Date(at_s * 1000), place.latitude, place.longitude);
  const clear = clearSky(sun.altitude);
  const tracker_deg = trackerRotation(sun.altitude, sun.azimuth);
  const aim = cosineOfIncidence(sun, tracker_deg);
  const passes = Array.from(
    { length: blocks },
    (_, block) => transmittance(dice, { at_s: at_s - block * block_delay_s, place }),
  );
  const air = airAt(dice, { at_s, place });
  return {
    altitude_deg: sun.altitude,
    tracker_deg,
    ghi: passes.map((pass) => clear.direct_horizontal * pass + clear.diffuse * diffuseGain(pass)),
    poa: passes.map((pass) =>
      clear.direct_normal * pass * aim + clear.diffuse * diffuseGain(pass) * 0.97
    ),
    ...air,
  };
}

/** Haurwitz' clear sky, an eighth of it diffuse. */
function clearSky(altitude_deg: number) {
  if (altitude_deg <= 0.5) return { direct_horizontal: 0, direct_normal: 0, diffuse: 0 };
  const height = Math.sin(altitude_deg * to_radians);
  const ghi = 1098 * height * Math.exp(-0.059 / height);
  const diffuse = 0.125 * ghi;
  return { direct_horizontal: ghi - diffuse, direct_normal: (ghi - diffuse) / height, diffuse };
}

/** True tracking to ±55°; flat at night. */
function trackerRotation(altitude_deg: number, azimuth_deg: number): number {
  if (altitude_deg <= 0) return 0;
  const west = -Math.sin(azimuth_deg * to_radians) * Math.cos(altitude_deg * to_radians);
  const angle = Math.atan2(west, Math.sin(altitude_deg * to_radians)) / to_radians;
  return Math.max(-55, Math.min(55, angle));
}

type Sun = { readonly altitude: number; readonly azimuth: number };

function cosineOfIncidence(sun: Sun, tracker_deg: number): number {
  const west = -Math.sin(sun.azimuth * to_radians) * Math.cos(sun.altitude * to_radians);
  const up = Math.sin(sun.altitude * to_radians);
  const tilt = tracker_deg * to_radians;
  return Math.max(0, west * Math.sin(tilt) + up * Math.cos(tilt));
}

/** Share of the beam that the clouds let through: clear, broken or overcast days in turn. */
function transmittance(dice: Dice, { at_s, place }: Moment): number {
  const cover = dice.unit(1, solarDay(place, at_s)) ** 1.6;
  const field = 0.6 * dice.curve(2, at_s / 1500) + 0.4 * dice.curve(3, at_s / 300);
  const thickness = Math.max(0, Math.min(1, (field + 1.7 * cover - 0.75) * 3));
  return 1 - 0.85 * thickness;
}

/** Broken clouds scatter more light than a clear sky has. */
function diffuseGain(pass: number): number {
  return 1 + 1.6 * pass * (1 - pass) - 0.35 * (1 - pass);
}

/** Air by season and time of day, with slow and quick changes. */
function airAt(dice: Dice, { at_s, place }: Moment) {
  const solar_s = solarTime(place, at_s);
  const summer = place.latitude < 0 ? 0.05 : 0.55;
  const year = Math.cos(2 * Math.PI * (solar_s / day_s / 365.2422 - summer));
  const day = Math.cos(2 * Math.PI * (solar_s / day_s - 0.64));
  const ambient_c = 11 + 12 * year + 7 * day + 4 * dice.curve(4, at_s / (2 * day_s)) +
    0.6 * dice.curve(5, at_s / 900);
  const gust = 0.7 * dice.curve(6, at_s / 7200) + 0.3 * dice.curve(7, at_s / 240);
  return {
    ambient_c,
    wind_ms: Math.max(0.2, 4.2 + 3.6 * gust + 1.2 * day),
    humidity_pct: Math.max(8, Math.min(98, 46 - 1.1 * (ambient_c - 11) + 18 * gust)),
  };
}
