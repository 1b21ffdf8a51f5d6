// Fills new issues in from what they are opened from: an alarm, missed energy, unavailable time.
import { work_limits } from "../../model/work/limits.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import { quarter_us } from "../../model/availability/fact.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { Issue, IssueDevice, WorkPriority } from "../../model/work/issue.ts";
import type { SentIssue } from "../../model/work/issue_form.ts";
import { measures } from "../../model/plant/measure.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayAt, localText } from "../../model/time/zone.ts";
import { findOccurrences } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import { type Drop, readDrops, readOutages } from "../../store/work/issue_origin.ts";
import { invertersOf } from "../catalog/inverter.ts";
import { type Checking, checkInstant } from "./request.ts";

/** What an issue is filled in with, and the occurrences that it is linked to. */
type Fill = {
  readonly fields:
    & Pick<Issue, "name" | "description" | "source" | "sentinel_tag" | "effective_from">
    & Pick<Issue, "effective_to" | "devices">
    & Partial<Pick<Issue, "priority">>;
  readonly occurrences: readonly Occurrence[];
};

type Sent = NonNullable<SentIssue["from"]>;
type SentRange = NonNullable<Sent["performance"]>;

/** Looks at what an issue is opened from; undefined with flaws where something is wrong with it. */
export async function fillIssue(
  database: Database,
  { alarm, performance, availability }: Sent,
  checking: Checking,
): Promise<Fill | undefined> {
  if (alarm !== undefined) return await fillFromAlarm(database, alarm, checking);
  if (performance) return await fillFromDrop(database, performance, checking);
  return await fillFromOutage(database, availability!, checking);
}

const priorities: Readonly<Record<string, WorkPriority>> = { critical: "urgent", high: "high" };

async function fillFromAlarm(
  database: Database,
  occurrence_id: string,
  { catalog, project, flaws }: Checking,
): Promise<Fill | undefined> {
  const { project_no } = project;
  const ids = [occurrence_id];
  const [alarm] = await database.read((it) => findOccurrences(it, { project_no, ids }));
  if (alarm === undefined) {
    const message = "the project has no occurrence with this ID";
    return void flaws.push({ path: "from.alarm", message });
  }
  const { raised_at, cleared_at, source_tag, severity, rule_name, rule_description } = alarm;
  const device = alarm.device_id === null ? undefined : catalog.device(alarm.device_id);
  const tag = catalog.findTag(project_no, "signal", source_tag);
  const [sensor] = tag ? catalog.sensorsOfTag(tag.tag_no) : [];
  const span = { effective_from: raised_at, effective_to: cleared_at };
  const said = [rule_name, ...alarm.decoded_labels].join(", ");
  return {
    fields: {
      name: short(`${rule_name}: ${device?.name ?? source_tag}`),
      description: `${said}: ${device ? `${device.name} (${source_tag})` : source_tag}, ` +
        `priority ${severity}, raised ${localText(project.timezone, raised_at)} ` +
        `with the value ${alarm.raised_value}.` +
        (rule_description ? `\n${rule_description}` : ""),
      source: "alarm",
      priority: priorities[severity] ?? (severity === "medium" ? "medium" : "low"),
      sentinel_tag: sensor?.sentinel_tag ?? null,
      devices: device ? [{ device_id: device.id, component: device.type, ...span }] : [],
      ...span,
    },
    occurrences: [alarm],
  };
}

async function fillFromDrop(
  database: Database,
  sent: SentRange,
  checking: Checking,
): Promise<Fill | undefined> {
  const path = "from.performance";
  const span = checkRange(sent, path, checking);
  const sensors = energySensors(sent.hierarchy_ids, path, checking);
  if (checking.flaws.length > 0) return undefined;
  const drops = await database.read((it) =>
    readDrops(it, {
      ...daysOf(span, checking),
      sensors: Int32Array.from(sensors, ({ sensor_no }) => sensor_no),
      from_quarter: Math.floor(span.from_us / quarter_us),
      to_quarter: Math.ceil(span.to_us / quarter_us),
    })
  );
  const amounts = new Set(sensors.filter(isAmount).map(({ sensor_no }) => sensor_no));
  const sum = (wh: (drop: Drop) => readonly [number, number]) =>
    drops.reduce((all, drop) => all + wh(drop)[amounts.has(drop.sensor_no) ? 0 : 1], 0);
  const measured = sum(({ measured, measured_h }) => [measured, measured_h]);
  const expected = sum(({ expected, expected_h }) => [expected, expected_h]);
  if (!(expected > 0)) {
    const message = "nothing was expected and measured in this time";
    return void checking.flaws.push({ path: `${path}.from`, message });
  }
  const percent = Math.abs(100 * (1 - measured / expected)).toFixed(1);
  const devices = devicesOf(sensors, span);
  return {
    fields: {
      name: short(`Performance drop: ${namesOf(devices, checking)}`),
      description: `${spanText(span, checking)}: ` +
        `${inKwh(measured)} measured, ${inKwh(expected)} expected, ` +
        `${percent} % ${measured < expected ? "less" : "more"} than expected.`,
      ...besides(span, sensors),
      source: "performance",
      devices,
    },
    occurrences: [],
  };
}

async function fillFromOutage(
  database: Database,
  sent: SentRange,
  checking: Checking,
): Promise<Fill | undefined> {
  const path = "from.availability";
  const span = checkRange(sent, path, checking);
  const sensors = inverterSensors(sent.hierarchy_ids, path, checking);
  if (checking.flaws.length > 0) return undefined;
  const outages = await database.read((it) =>
    readOutages(it, {
      ...daysOf(span, checking),
      ...span,
      sensors: Int32Array.from(sensors, ({ sensor_no }) => sensor_no),
    })
  );
  const known = outages.reduce((all, { hours }) => all + hours, 0);
  const lost = outages.reduce((all, { unavailable_hours }) => all + unavailable_hours, 0);
  if (known === 0) {
    const message = "no state of them is known in this time";
    return void checking.flaws.push({ path: `${path}.from`, message });
  }
  const devices = devicesOf(sensors, span);
  const parts = outages.filter(({ unavailable_hours }) => unavailable_hours > 0)
    .map(({ state, unavailable_hours }) => `${state} ${unavailable_hours.toFixed(2)} h`);
  return {
    fields: {
      name: short(`Unavailable: ${namesOf(devices, checking)}`),
      description: `${spanText(span, checking)}: ` +
        `unavailable for ${lost.toFixed(2)} of ${known.toFixed(2)} inverter-hours of daylight` +
        `${parts.length > 0 ? ` (${parts.join(", ")})` : ""}.`,
      ...besides(span, sensors),
      source: "availability",
      devices,
    },
    occurrences: [],
  };
}

function checkRange({ from, to }: SentRange, path: string, { flaws }: Checking): TimeSpan {
  const from_us = checkInstant<undefined>(from, `${path}.from`, { flaws })!;
  const to_us = checkInstant<undefined>(to, `${path}.to`, { flaws })!;
  const days = work_limits.range_us / 86_400_000_000;
  const message = to_us <= from_us
    ? "must be later than from: swapped?"
    : `give at most ${days} days`;
  if (to_us <= from_us || to_us - from_us > work_limits.range_us) {
    flaws.push({ path: `${path}.to`, message });
  }
  return { from_us, to_us };
}

/** Sensors of energy that is expected, one a device. */
function energySensors(
  ids: readonly string[],
  path: string,
  { catalog, project, flaws }: Checking,
): readonly Sensor[] {
  const known = new Map(
    catalog.sensors.filter(({ project_no }) => project_no === project.project_no)
      .map((sensor) => [sensor.hierarchy_id, sensor]),
  );
  const devices = new Map<string | null, number>();
  return ids.flatMap((id, i) => {
    const sensor = known.get(id);
    const flaw = (message: string) => {
      flaws.push({ path: `${path}.hierarchy_ids[${i}]`, message });
      return [];
    };
    if (sensor === undefined) return flaw("is no sensor of the project");
    if (!isAmount(sensor) && measures.get(sensor.measure)!.unit !== "W") {
      return flaw(`is a sensor of ${sensor.measure}: give one of an energy or a power`);
    }
    const twin = devices.get(sensor.device_id);
    if (twin !== undefined) return flaw(`is of the same device as hierarchy_ids[${twin}]`);
    devices.set(sensor.device_id, i);
    return [sensor];
  });
}

/** The sensors that stand for some inverters, each once. */
function inverterSensors(
  ids: readonly string[],
  path: string,
  { catalog, project, flaws }: Checking,
): readonly Sensor[] {
  const known = new Map(
    invertersOf(catalog).filter(({ sensor }) => sensor.project_no === project.project_no)
      .flatMap(({ sensor, power, energy, status }) =>
        [sensor, power, energy, status].flatMap((it) =>
          it ? [[it.hierarchy_id, sensor] as const] : []
        )
      ),
  );
  ids.forEach((id, i) => {
    const message = "is no inverter of the project";
    if (!known.has(id)) flaws.push({ path: `${path}.hierarchy_ids[${i}]`, message });
  });
  return [...new Set(ids.flatMap((id) => known.get(id) ?? []))];
}

/** Whether a sensor's values are Wh, not W. */
function isAmount({ measure }: Sensor): boolean {
  return measures.get(measure)!.unit === "Wh" && measures.get(measure)!.over_time === "increment";
}

function devicesOf(sensors: readonly Sensor[], span: TimeSpan): readonly IssueDevice[] {
  const at = { effective_from: span.from_us, effective_to: span.to_us };
  return sensors.flatMap(({ device_id, component }) =>
    device_id === null ? [] : [{ device_id, component, ...at }]
  );
}

function besides({ from_us, to_us }: TimeSpan, sensors: readonly Sensor[]) {
  const { sentinel_tag } = sensors[0];
  return { sentinel_tag, effective_from: from_us, effective_to: to_us };
}

/** The local days of a span, and one more at each end, as days change at another hour elsewhere. */
function daysOf({ from_us, to_us }: TimeSpan, { project: { timezone } }: Checking) {
  const dayOf = (us: number) => dayAt(timezone, Math.floor(us / minute_us));
  return { from_day: dayOf(from_us) - 1, to_day: dayOf(to_us) + 1 };
}

function namesOf(devices: readonly IssueDevice[], { catalog, project }: Checking): string {
  const [first, ...others] = devices;
  if (first === undefined) return project.name;
  return others.length > 0 ? `${devices.length} devices` : catalog.device(first.device_id)!.name;
}

/** A span in the project's zone, as descriptions begin with it. */
function spanText({ from_us, to_us }: TimeSpan, { project: { timezone } }: Checking): string {
  return `From ${localText(timezone, from_us)} to ${localText(timezone, to_us)}`;
}

function inKwh(wh: number): string {
  return `${(wh / 1000).toFixed(1)} kWh`;
}

function short(name: string): string {
  return name.slice(0, work_limits.name_length);
}
