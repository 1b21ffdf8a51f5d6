// Which plant a demo is: its seed and beginning, and the incidents that follow from them.
import { Dice } from "../../base/random.ts";
import { type Incident, incidentsOf, solarDay } from "./incident.ts";
import { crowd } from "./plant.ts";
import { times } from "./point.ts";

/** Which plant it is: the same story for the same seed and beginning (microseconds, UTC). */
export type DemoStory = {
  readonly seed: number;
  readonly from_us: number;
  /** What it lived by seconds, in order; the end is null while that goes on. Whole minutes. */
  readonly live?: readonly LiveSpan[];
};

type LiveSpan = { readonly from_us: number; readonly to_us: number | null };

/** The story with its live part, if one goes on, ended at an instant or as soon as it began. */
export function endLive(story: DemoStory, at_us: number): DemoStory {
  const live = story.live?.map(({ from_us, to_us }) => (
    { from_us, to_us: to_us ?? Math.max(from_us, at_us) }
  ));
  return { ...story, live };
}

/** The incidents up to the solar day of an instant (microseconds, UTC), those of that day too. */
export function incidentsUntil({ seed, from_us }: DemoStory, until_us: number): Incident[] {
  const dice = new Dice(seed);
  const first_day = solarDay(from_us / 1_000_000);
  const days = solarDay(until_us / 1_000_000) - first_day + 1;
  return times(days).flatMap((i) => incidentsOf(dice, { day: first_day + i, first_day, crowd }));
}
