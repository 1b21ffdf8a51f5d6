// What the demo's plant did, told by the plant itself: energy by day, what replacements lose of it.
import type { Incident } from "../../../src/engine/demo/incident.ts";
import { DemoPlant } from "../../../src/engine/demo/plant.ts";
import { deviceKey } from "../../../src/engine/demo/point.ts";
import { type DemoStory, incidentsUntil } from "../../../src/engine/demo/story.ts";

/** Seconds between the readings of a counter. */
const reading_s = 300;
const step_s = 60;
const day_s = 86_400;

/** A replaced register, and its last reading before and its first one after. */
export type Replacement = { readonly tag: string; readonly from_s: number; readonly to_s: number };

/** The registers that were replaced up to an instant. */
export function replacementsOf(story: DemoStory, to_us: number): readonly Replacement[] {
  return incidentsUntil(story, to_us).flatMap((incident) =>
    registersOf(incident).map((tag) => ({
      tag,
      from_s: Math.floor(incident.from_s / reading_s) * reading_s,
      to_s: Math.ceil(incident.to_s / reading_s) * reading_s,
    }))
  );
}

function registersOf({ kind, target }: Incident): readonly string[] {
  if (kind === "replaced") return [`${deviceKey("INV", target)}.E_TOTAL`];
  return kind === "new_meter" ? ["MTR-01.E_DEL", "MTR-01.E_REC"] : [];
}

/**
 * What each counter counts in days from the midnight `midnight_s` on, Wh: all that passed it, but
 * for what did while it was replaced.
 */
export function trueEnergy(
  story: DemoStory,
  { midnight_s, days }: { readonly midnight_s: number; readonly days: number },
): ReadonlyMap<string, Float64Array> {
  const to_s = midnight_s + days * day_s;
  const replacements = replacementsOf(story, to_s * 1e6);
  const plant = new DemoPlant(story);
  const energy = new Map<string, Float64Array>();
  const add = (tag: string, power_w: number) => {
    if (
      replacements.some((it) => it.tag === tag && plant.at_s > it.from_s && plant.at_s <= it.to_s)
    ) {
      return;
    }
    const by_day = energy.get(tag) ?? new Float64Array(days);
    by_day[Math.floor((plant.at_s - step_s - midnight_s) / day_s)] += power_w * step_s / 3600;
    energy.set(tag, by_day);
  };
  while (plant.at_s < to_s) {
    plant.advance(step_s);
    plant.inverters.forEach(({ ac_w }, i) => add(`${deviceKey("INV", i)}.E_TOTAL`, ac_w));
    add("MTR-01.E_DEL", Math.max(0, plant.export_w));
    add("MTR-01.E_REC", Math.max(0, -plant.export_w));
  }
  return energy;
}
