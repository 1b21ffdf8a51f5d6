// Which plant a demo tells of, what befalls it, and what its inverters' states then are.
import { Dice } from "../../base/random.ts";
import type { State } from "../../model/availability/availability.ts";
import { type Incident, type IncidentKind, incidentsOf, solarDay } from "./incident.ts";
import { crowd, size } from "./plant.ts";
import { times } from "./point.ts";

/** Which plant it is: the same story for the same seed and beginning (microseconds, UTC). */
export type DemoStory = { readonly seed: number; readonly from_us: number };

/** An inverter (from 0) in the middle of an incident, and the states that would tell the truth. */
export type Moment = {
  readonly kind: IncidentKind;
  readonly inverter: number;
  readonly at_us: number;
  readonly states: readonly State[];
};

/** A curtailment binds only while the sun gives more; what a silent one made is counted later. */
const true_states: Partial<Record<IncidentKind, readonly State[]>> = {
  curtailment: ["service_setpoint", "full_capability"],
  trip: ["forced_outage"],
  derate: ["partial_capability"],
  maintenance: ["scheduled_maintenance"],
  outage: ["forced_outage"],
  silence: ["full_capability"],
};

/** How long after its end an incident is settled: a counter has spoken again. */
const settled_s = 1800;

/** The incidents up to the solar day of an instant (microseconds, UTC), those of that day too. */
export function incidentsUntil({ seed, from_us }: DemoStory, until_us: number): Incident[] {
  const dice = new Dice(seed);
  const first_day = solarDay(from_us / 1_000_000);
  const days = solarDay(until_us / 1_000_000) - first_day + 1;
  return times(days).flatMap((i) => incidentsOf(dice, { day: first_day + i, first_day, crowd }));
}

/** The middle of each incident that is over, for inverters of which it alone can be told. */
export function momentsOf(story: DemoStory, now_us: number): Moment[] {
  const incidents = incidentsUntil(story, now_us);
  return incidents.filter((it) => isSettled(it, { story, now_us })).flatMap((incident) => {
    const { kind, from_s, to_s } = incident;
    const states = true_states[kind];
    if (states === undefined) return [];
    const at_us = (from_s + to_s) / 2 * 1_000_000;
    return befallenAlone(incident, incidents)
      .map((inverter) => ({ kind, inverter, at_us, states }));
  });
}

/** Whether all of an incident can be told: it began within the story and is over for a while. */
export function isSettled(
  { from_s, to_s }: Incident,
  { story, now_us }: { readonly story: DemoStory; readonly now_us: number },
): boolean {
  return from_s * 1_000_000 >= story.from_us && (to_s + settled_s) * 1_000_000 < now_us;
}

/** The inverters that an incident befalls, and around its time no other one. */
export function befallenAlone(
  incident: Incident,
  incidents: readonly Incident[],
): readonly number[] {
  const { from_s, to_s } = incident;
  const others = incidents.filter((it) =>
    it !== incident && it.from_s - settled_s < to_s && from_s - settled_s < it.to_s
  );
  return befallen(incident)
    .filter((inverter) => !others.some((it) => befallen(it).includes(inverter)));
}

/** The inverters that an incident befalls. */
export function befallen({ kind, target }: Incident): readonly number[] {
  if (kind === "bad") return [];
  if (kind === "curtailment") return times(size.inverters);
  if (kind !== "outage") return [target];
  return times(size.per_block).map((i) => target * size.per_block + i);
}
