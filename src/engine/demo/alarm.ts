// Which alarms the demo's story is to raise, and which it explains.
import type { Incident, IncidentKind } from "./incident.ts";
import { deviceKey } from "./point.ts";
import { rule_names } from "./rule.ts";
import { befallen, befallenAlone, type DemoStory, incidentsUntil, isSettled } from "./story.ts";

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
  const alone = new Set(befallenAlone(incident, incidents));
  return befallen(incident).map((inverter) => ({
    device: deviceKey("INV", inverter),
    alone: alone.has(inverter),
  }));
}
