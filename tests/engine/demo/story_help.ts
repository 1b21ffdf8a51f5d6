// What is true of a demo's story: which states its inverters have, which alarms its rules raise.
import type { Incident, IncidentKind } from "../../../src/engine/demo/incident.ts";
import { storyPlace } from "../../../src/engine/demo/place.ts";
import { size } from "../../../src/engine/demo/plant.ts";
import { deviceKey, times } from "../../../src/engine/demo/point.ts";
import { rule_names } from "../../../src/engine/demo/rule.ts";
import { type DemoStory, incidentsUntil } from "../../../src/engine/demo/story.ts";
import type { State } from "../../../src/model/availability/availability.ts";

/** An inverter (from 0) in the middle of an incident, and the states that are true of it. */
export type Moment = {
  readonly kind: IncidentKind;
  readonly inverter: number;
  readonly at_us: number;
  readonly states: readonly State[];
};

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

/** What keeps an inverter from giving what its modules could. */
const stopping: readonly IncidentKind[] = ["trip", "derate", "outage", "maintenance"];

/** The local days on which something stops inverters, each as `INV-07 2026-06-01`. */
export function downDaysOf(story: DemoStory, now_us: number): ReadonlySet<string> {
  const down = incidentsUntil(story, now_us).filter(({ kind }) => stopping.includes(kind));
  return new Set(down.flatMap((incident) => {
    const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(incident.from_s * 1000));
    const day = at.toZonedDateTimeISO(storyPlace(story).timezone).toPlainDate();
    return befallen(incident).map((inverter) => `${deviceKey("INV", inverter)} ${day}`);
  }));
}

/** An alarm of an incident: it begins and ends by this much after the incident, at most. */
export type DemoAlarm = {
  readonly kind: IncidentKind;
  readonly rule_name: string;
  readonly source_tag: string;
  /** [from, to) in microseconds since 1970. */
  readonly from_us: number;
  readonly to_us: number;
  readonly slack_us: number;
  /** Whether it is there for certain, whatever else befell its device. */
  readonly certain: boolean;
};

/** Its rule, its tag, and the most that it comes after the incident: the tag's rhythm and delay. */
type Sign = { readonly rule_name: string; readonly tag: string; readonly slack_s: number };

const signs: Partial<Record<IncidentKind, Sign>> = {
  trip: { rule_name: rule_names.trip, tag: "FAULT_WORD", slack_s: 900 },
  outage: { rule_name: rule_names.no_grid, tag: "FAULT_WORD", slack_s: 900 },
  derate: { rule_name: rule_names.hot, tag: "FAULT_WORD", slack_s: 900 },
  silence: { rule_name: rule_names.silent, tag: "P_AC", slack_s: 660 },
  // What comes hours later may find the alarm of a silence.
  late: { rule_name: rule_names.silent, tag: "P_AC", slack_s: 660 },
  bad: { rule_name: rule_names.irradiance, tag: "POA", slack_s: 960 },
  curtailment: { rule_name: rule_names.curtailed, tag: "P_SETPOINT", slack_s: 300 },
  replaced: { rule_name: rule_names.silent, tag: "P_AC", slack_s: 660 },
  new_meter: { rule_name: rule_names.no_meter, tag: "P", slack_s: 360 },
};

/** The alarms of all incidents up to now. */
export function alarmsOf(story: DemoStory, now_us: number): readonly DemoAlarm[] {
  const incidents = incidentsUntil(story, now_us);
  return incidents.flatMap((incident): DemoAlarm[] => {
    const { kind, from_s, to_s } = incident;
    const sign = signs[kind];
    if (sign === undefined) return [];
    const { rule_name, tag, slack_s } = sign;
    const settled = isSettled(incident, { story, now_us }) && kind !== "late";
    return devicesOf(incident, incidents).map(({ device, alone }) => ({
      ...{ kind, rule_name, source_tag: `${device}.${tag}` },
      from_us: from_s * 1_000_000,
      to_us: to_s * 1_000_000,
      slack_us: slack_s * 1_000_000,
      certain: settled && alone,
    }));
  });
}

function devicesOf(incident: Incident, incidents: readonly Incident[]) {
  const { kind, target } = incident;
  if (kind === "curtailment") return [{ device: "PPC", alone: true }];
  if (kind === "bad") return [{ device: deviceKey("MET", target), alone: true }];
  if (kind === "new_meter") return [{ device: deviceKey("MTR", target), alone: true }];
  const alone = new Set(befallenAlone(incident, incidents));
  return befallen(incident).map((inverter) => ({
    device: deviceKey("INV", inverter),
    alone: alone.has(inverter),
  }));
}

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

/** Whether all of an incident can be told: it began within the story and is over for a while. */
function isSettled(
  { from_s, to_s }: Incident,
  { story, now_us }: { readonly story: DemoStory; readonly now_us: number },
): boolean {
  return from_s * 1_000_000 >= story.from_us && (to_s + settled_s) * 1_000_000 < now_us;
}

/** The inverters that an incident befalls, and around its time no other one. */
function befallenAlone(
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
function befallen({ kind, target }: Incident): readonly number[] {
  if (["bad", "stuck", "dead", "new_meter"].includes(kind)) return [];
  if (kind === "curtailment") return times(size.inverters);
  if (kind !== "outage") return [target];
  return times(size.per_block).map((i) => target * size.per_block + i);
}
