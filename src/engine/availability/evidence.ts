// The evidence for inverters' states: overrides, work orders, the grid, status codes, alarms.
import { giveWay } from "../../base/effects.ts";
import { activeSpans, type Occurrence } from "../../model/alarms/alarm.ts";
import {
  outage_classes,
  type State,
  type StateSpan,
  verdict,
} from "../../model/availability/availability.ts";
import { type InverterFacts, quarter_us, type Scene } from "../../model/availability/fact.ts";
import type { Declared } from "../../model/availability/loss_quarter.ts";
import { claimsOf, type Held, nothing_held } from "../../model/availability/state_code.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import { devicesAbove } from "../../model/plant/device_tree.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import { minute_us } from "../../model/time/series.ts";
import { day_minutes } from "../../model/time/zone.ts";
import { listOccurrences, readTimelines } from "../../store/alarms/alarm.ts";
import {
  listDips,
  listLimits,
  listOverrides,
  type OverrideRow,
  readBits,
  readCodes,
} from "../../store/availability/fact.ts";
import type { Connection } from "../../store/connection.ts";
import { listWindows, type WorkSpan } from "../../store/work/window.ts";
import type { Stage } from "./load.ts";
import type { GridVoltage, PowerLimit, SitePlant, Stream } from "./plant.ts";
import { numbersOf } from "./take.ts";

/** What evidence speaks for, of each inverter of a stream, in its order. */
export type Evidence = {
  readonly states: readonly (readonly StateSpan[])[];
  /** The losses that operators declared. */
  readonly declared: readonly (readonly Declared[])[];
  /** The setpoint that limits it most, by the place of each quarter-hour in the scene. */
  readonly limits: readonly ReadonlyMap<number, string>[];
};

type Reading = Stage & { readonly facts: readonly InverterFacts[] };

/** All evidence on a stream's inverters. Marks as heard where a status was sent. */
export async function loadEvidence(
  session: Connection,
  { plant, stream }: { readonly plant: SitePlant; readonly stream: Stream },
  reading: Reading,
): Promise<Evidence> {
  const status = await loadCodes(session, stream, reading);
  const events = await loadBits(session, stream, reading);
  const overrides = await loadOverrides(session, plant, reading);
  const outages = await loadOutages(session, stream, reading);
  const alarms = await loadAlarms(session, { plant, stream }, reading);
  const orders = await loadOrders(session, { plant, stream }, reading);
  const states: (readonly StateSpan[])[] = [];
  for (const [n, { sensor, codes, ...tags }] of stream.inverters.entries()) {
    if (n % inverters_at_a_time === 0) await giveWay();
    const said = {
      status: status.get(tags.status?.tag_no) ?? nothing_held,
      events: events.get(tags.event_tag_no) ?? nothing_held,
    };
    states.push([
      ...claimsOf(said, { codes, facts: reading.facts[n], scene: reading.scene }),
      ...outages.filter(({ below }) => below.has(n)).flatMap(({ spans }) => spans),
      ...(overrides.get(sensor.hierarchy_id) ?? []).flatMap(overrideSpan),
      ...alarms[n],
      ...orders[n],
    ]);
  }
  const declared = stream.inverters.map(({ sensor }) =>
    (overrides.get(sensor.hierarchy_id) ?? []).flatMap(declaredSpan)
  );
  return { states, declared, limits: await loadLimits(session, stream, reading) };
}

const inverters_at_a_time = 64;

type HeldByTag = ReadonlyMap<number | undefined, Held>;

async function loadCodes(
  session: Connection,
  { inverters }: Stream,
  { range, scene, facts }: Reading,
): Promise<HeldByTag> {
  const by_tag = new Map(
    inverters.flatMap(({ status }, n) => status ? [[status.tag_no, n] as const] : []),
  );
  if (by_tag.size === 0) return new Map();
  const tags = Int32Array.from(by_tag.keys());
  const chunk = await readCodes(session, { ...range, ...lightHull(scene), tags });
  const [tag_no, quarter, , , heard] = chunk.vectors.map(numbersOf);
  for (let i = 0; i < chunk.rows; i++) {
    const at = quarter[i] - scene.from;
    if (heard[i] === 1 && scene.light_h[at] > 0) facts[by_tag.get(tag_no[i])!].heard[at] = 1;
  }
  return heldOf(chunk);
}

/** Cuts columns tag_no, quarter, code, minutes, in order of tag, into each tag's own. */
function heldOf({ rows, vectors }: Chunk): HeldByTag {
  const [tag_no, quarter, code, minutes] = vectors.map(numbersOf) as Int32Array[];
  const held = new Map<number, Held>();
  for (let from = 0, i = 1; i <= rows; i++) {
    if (i < rows && tag_no[i] === tag_no[from]) continue;
    held.set(tag_no[from], {
      quarter: quarter.subarray(from, i),
      code: code.subarray(from, i),
      minutes: minutes.subarray(from, i),
    });
    from = i;
  }
  return held;
}

/** The minutes of a day, from one of them on and round the clock, that hold all daylight. */
function lightHull({ days }: Scene): { readonly from_minute: number; readonly minutes: number } {
  const spans = days.flatMap(({ light }) => light);
  const first = Math.floor((spans.at(0)?.from_us ?? 0) / minute_us);
  let [least, most] = [0, 0];
  for (const { from_us, to_us } of spans) {
    const turned = Math.floor(from_us / minute_us) - first + day_minutes / 2;
    const from = turned % day_minutes - day_minutes / 2;
    least = Math.min(least, from);
    most = Math.max(most, from + Math.ceil((to_us - from_us) / minute_us) + 1);
  }
  // Days before the first light, so that no minute in question lies before it.
  return { from_minute: first + least - 2 * day_minutes, minutes: most - least };
}

async function loadBits(
  session: Connection,
  { inverters }: Stream,
  { range }: Stage,
): Promise<HeldByTag> {
  const tags = inverters.flatMap(({ event_tag_no, codes }) =>
    event_tag_no === undefined || codes.events.size === 0 ? [] : [event_tag_no]
  );
  if (tags.length === 0) return new Map();
  return heldOf(await readBits(session, { ...range, tags: Int32Array.from(new Set(tags)) }));
}

async function loadOverrides(
  session: Connection,
  { project_no }: SitePlant,
  { scene }: Stage,
): Promise<ReadonlyMap<string, readonly OverrideRow[]>> {
  const range = {
    from_us: scene.from * quarter_us,
    to_us: (scene.from + scene.count) * quarter_us,
  };
  const rows = await listOverrides(session, { ...range, project_no });
  return Map.groupBy(rows, ({ hierarchy_id }) => hierarchy_id);
}

function overrideSpan({ from_us, to_us, state, reason, author }: OverrideRow): StateSpan[] {
  if (state === null) return [];
  const detail = `${reason} (${author})`;
  return [{ from_us, to_us, ...verdict(state, { evidence: "override", detail }) }];
}

function declaredSpan({ from_us, to_us, loss, share, reason, author }: OverrideRow): Declared[] {
  if (loss === null || share === null) return [];
  return [{ from_us, to_us, part: loss, share, detail: `${reason} (${author})` }];
}

type Outage = { readonly below: ReadonlySet<number>; readonly spans: readonly StateSpan[] };

async function loadOutages(
  session: Connection,
  { voltages }: Stream,
  { range }: Stage,
): Promise<readonly Outage[]> {
  if (voltages.length === 0) return [];
  const dips = await listDips(session, {
    ...range,
    sensors: Int32Array.from(voltages, ({ sensor }) => sensor.sensor_no),
    least_v: voltages.map(({ least_v }) => least_v),
  });
  const by_sensor = Map.groupBy(dips, ({ sensor_no }) => sensor_no);
  return voltages.map((voltage) => ({
    below: new Set(voltage.below),
    spans: spansOf(by_sensor.get(voltage.sensor.sensor_no) ?? [], voltage),
  }));
}

/** Which setpoint lets each inverter give the least, and what it allows. */
async function loadLimits(
  session: Connection,
  { inverters, limits }: Stream,
  { range, scene }: Stage,
): Promise<readonly ReadonlyMap<number, string>[]> {
  const lowest = inverters.map(() => new Map<number, { share: number; detail: string }>());
  const by_sensor = new Map(limits.map((limit) => [limit.sensor.sensor_no, limit]));
  const sensors = Int32Array.from(by_sensor.keys());
  const rows = limits.length > 0 ? await listLimits(session, { ...range, sensors }) : [];
  for (const { sensor_no, quarter, least } of rows) {
    const { tag, whole, below, sensor } = by_sensor.get(sensor_no)!;
    const said = { share: least / whole, detail: `${tag} at ${limitText(least, sensor)}` };
    for (const n of below) {
      const share = lowest[n].get(quarter - scene.from)?.share ?? 1;
      if (said.share < share) lowest[n].set(quarter - scene.from, said);
    }
  }
  return lowest.map((by_place) => new Map(by_place.entries().map(([i, it]) => [i, it.detail])));
}

function limitText(value: number, { measure }: PowerLimit["sensor"]): string {
  if (measure.endsWith("_pct")) return `${Number(value.toPrecision(4))} %`;
  const [unit, size] = value >= 1e6 ? ["MW", 1e6] : ["kW", 1e3];
  return `${Number((value / size).toPrecision(4))} ${unit}`;
}

function spansOf(
  dips: readonly { readonly quarter: number; readonly minutes: number }[],
  { detail }: GridVoltage,
): readonly StateSpan[] {
  const spans: StateSpan[] = [];
  for (const { quarter, minutes } of dips) {
    for (let minute = 0; minute < 15; minute++) {
      if ((minutes >> minute & 1) === 0) continue;
      const from_us = quarter * quarter_us + minute * minute_us;
      const last = spans.at(-1);
      if (last?.to_us === from_us) {
        spans[spans.length - 1] = { ...last, to_us: from_us + minute_us };
      } else {
        const said = verdict("out_of_electrical_specification", { evidence: "grid", detail });
        spans.push({ from_us, to_us: from_us + minute_us, ...said });
      }
    }
  }
  return spans;
}

/** What the trips and faults at each inverter of a stream, and at what it depends on, say of it. */
async function loadAlarms(
  session: Connection,
  { plant, stream }: { readonly plant: SitePlant; readonly stream: Stream },
  { scene }: Stage,
): Promise<readonly (readonly StateSpan[])[]> {
  const alarms = await listOccurrences(session, {
    site_no: plant.site_no,
    alarm_classes: outage_classes,
    from_us: scene.from * quarter_us,
    to_us: (scene.from + scene.count) * quarter_us,
  });
  // An automatic one stands from when it was raised until it was cleared: its life tells no more.
  const turning = alarms.filter(({ resolution_policy }) => resolution_policy !== "auto");
  const events = await readTimelines(session, turning);
  const lives = Map.groupBy(events, ({ occurrence_no }) => occurrence_no);
  // Of some at once, the one that came first says why.
  alarms.sort((a, b) => b.raised_at - a.raised_at || b.occurrence_no - a.occurrence_no);
  const by_device = Map.groupBy(alarms, ({ device_id }) => device_id);
  return stream.inverters.map(({ device }) =>
    [device.id, ...devicesAbove(plant.tree, device.id)]
      .flatMap((id) => by_device.get(id) ?? [])
      .flatMap((alarm) =>
        alarmSpans(alarm, activeSpans(alarm, lives.get(alarm.occurrence_no) ?? []))
      )
  );
}

function alarmSpans({ rule_name }: Occurrence, spans: readonly TimeSpan[]): readonly StateSpan[] {
  const said = verdict("forced_outage", { evidence: "alarm", detail: rule_name });
  return spans.map((span) => ({ ...span, ...said }));
}

/** Types of work that something broken asks for; any other is planned. */
const corrective_types = new Set(["corrective", "emergency", "warranty"]);

/** What the work on each inverter of a stream, and on what it depends on, says of it. */
async function loadOrders(
  session: Connection,
  { plant, stream }: { readonly plant: SitePlant; readonly stream: Stream },
  { scene }: Stage,
): Promise<readonly (readonly StateSpan[])[]> {
  const spans = await listWindows(session, {
    project_no: plant.project_no,
    from_us: scene.from * quarter_us,
    to_us: (scene.from + scene.count) * quarter_us,
  });
  const by_device = Map.groupBy(spans, ({ device_id }) => device_id);
  return stream.inverters.map(({ device }) =>
    [device.id, ...devicesAbove(plant.tree, device.id)]
      .flatMap((id) => by_device.get(id) ?? [])
      // Of some at once, the one that began first says why.
      .sort((a, b) => b.from_us - a.from_us || b.number - a.number)
      .map(orderSpan)
  );
}

function orderSpan({ from_us, to_us, work_type, number }: WorkSpan): StateSpan {
  const state: State = corrective_types.has(work_type)
    ? "planned_corrective_action"
    : "scheduled_maintenance";
  const detail = `${work_type}, work order ${number}`;
  return { from_us, to_us, ...verdict(state, { evidence: "work_order", detail }) };
}
