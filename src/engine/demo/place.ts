// Where the demo's plant stands: one of some real places, so that it is day there when it begins.
import { sunAt } from "../../model/time/sun.ts";

/** A place of the demo's plant, with the plant's name there. */
export type DemoPlace = {
  readonly key: string;
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timezone: string;
  /** Nominal frequency of the grid. */
  readonly grid_hz: 50 | 60;
};

/** How high the sun is, at least, where a demo begins at the first place. */
const well_up_deg = 20;

/** The places, the preferred one first: in the high plains of southern Colorado. */
export const demo_places: readonly DemoPlace[] = [
  {
    ...{ key: "prairie-sun", name: "Prairie Sun" },
    ...{ latitude: 38.12, longitude: -104.61, timezone: "America/Denver", grid_hz: 60 },
  },
  {
    ...{ key: "pampa-clara", name: "Pampa Clara" },
    ...{ latitude: -23.86, longitude: -69.14, timezone: "America/Santiago", grid_hz: 50 },
  },
  {
    ...{ key: "dehesa-solar", name: "Dehesa Solar" },
    ...{ latitude: 38.63, longitude: -6.08, timezone: "Europe/Madrid", grid_hz: 50 },
  },
  {
    ...{ key: "karoo-light", name: "Karoo Light" },
    ...{ latitude: -30.71, longitude: 23.98, timezone: "Africa/Johannesburg", grid_hz: 50 },
  },
  {
    ...{ key: "thar-surya", name: "Thar Surya" },
    ...{ latitude: 27.54, longitude: 71.92, timezone: "Asia/Kolkata", grid_hz: 50 },
  },
  {
    ...{ key: "darling-plains", name: "Darling Plains" },
    ...{ latitude: -27.18, longitude: 151.27, timezone: "Australia/Brisbane", grid_hz: 50 },
  },
  {
    ...{ key: "kahuku-sun", name: "Kahuku Sun" },
    ...{ latitude: 21.33, longitude: -158.06, timezone: "Pacific/Honolulu", grid_hz: 60 },
  },
];

/** The place for a demo that begins now: the first one by day, else where the sun is highest. */
export function sunnyPlace(now_us: number): DemoPlace {
  const heights = demo_places.map((place) => sunHeight(place, now_us));
  if (heights[0] >= well_up_deg) return demo_places[0];
  return demo_places[heights.indexOf(Math.max(...heights))];
}

/** The place of a story; the first one where the story names none. */
export function storyPlace({ place }: { readonly place?: string }): DemoPlace {
  return demo_places.find(({ key }) => key === place) ?? demo_places[0];
}

/** How high the sun is over the horizon, degrees. */
export function sunHeight(place: DemoPlace, at_us: number): number {
  return 90 - sunAt(place, at_us).zenith;
}

/** An instant in mean solar time, by which the demo's days are told; both in seconds since 1970. */
export function solarTime({ longitude }: DemoPlace, at_s: number): number {
  return at_s + longitude * seconds_per_degree;
}

/** The solar day (since 1970) of an instant. */
export function solarDay(place: DemoPlace, at_s: number): number {
  return Math.floor(solarTime(place, at_s) / day_s);
}

const seconds_per_degree = 240;
const day_s = 86_400;
