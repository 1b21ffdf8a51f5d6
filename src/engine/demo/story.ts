// Which plant a demo is: its seed, beginning and place, and the incidents that follow from them.
import { type Incident, incidentsOf, liveIncidents } from "./incident.ts";
import { solarDay, sunnyPlace } from "./place.ts";
import { storyScene } from "./plant.ts";
import { times } from "./point.ts";

/** Which plant it is: the same story for the same seed and beginning (microseconds, UTC). */
export type DemoStory = {
  readonly seed: number;
  readonly from_us: number;
  /** The key of its place; without one it is the first. */
  readonly place?: string;
  /** What it lived by seconds, in order; the end is null while that goes on. Whole minutes. */
  readonly live?: readonly LiveSpan[];
};

/** A part of the life that is lived by seconds. */
export type LiveSpan = { readonly from_us: number; readonly to_us: number | null };

const minute_us = 60_000_000;
const day_us = 86_400_000_000;

/** A new story with some days of the past, where it is day now. */
export function newStory(
  { seed, days }: { readonly seed: number; readonly days: number },
  at_us: number,
): DemoStory {
  const now_us = Math.floor(at_us / minute_us) * minute_us;
  return { seed, from_us: now_us - days * day_us, place: sunnyPlace(now_us).key };
}

/** The story with its live part, if one goes on, ended at an instant or as soon as it began. */
export function endLive(story: DemoStory, at_us: number): DemoStory {
  const live = story.live?.map(({ from_us, to_us }) => (
    { from_us, to_us: to_us ?? Math.max(from_us, at_us) }
  ));
  return { ...story, live };
}

/** The incidents up to the solar day of an instant (microseconds, UTC), those of that day too. */
export function incidentsUntil(story: DemoStory, until_us: number): Incident[] {
  const scene = storyScene(story);
  const days = solarDay(scene.place, until_us / 1_000_000) - scene.first_day + 1;
  const live = (story.live ?? []).flatMap((span) => {
    const asked = { from_s: span.from_us / 1_000_000, to_s: until_us / 1_000_000 };
    return liveIncidents(scene, span, asked);
  });
  return [...times(days).flatMap((i) => incidentsOf(scene, scene.first_day + i)), ...live];
}
