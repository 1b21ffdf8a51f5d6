// Performance computed the slow way: every reading looked at, every clock asked of Temporal.
import { dayText } from "../../src/model/time/calendar.ts";
import { type MeasureName, measures } from "../../src/model/plant/measure.ts";
import type { Dimension } from "../../src/model/performance/performance.ts";
import type { Interval } from "../../src/model/time/bucket.ts";
import type { Project, Sensor, Site } from "../../src/model/plant/plant.ts";
import type { PlacedReading, TestReading, TestRow } from "./reading.ts";

/** A plant with its readings and where their clocks stand. */
export type ReferencePlant = {
  readonly projects: readonly Project[];
  readonly sites: readonly Site[];
  readonly sensors: readonly Sensor[];
  /** By sensor number. */
  readonly readings: ReadonlyMap<number, readonly PlacedReading[]>;
  /** The daylight minutes of each site. */
  readonly lit: ReadonlyMap<number, ReadonlySet<number>>;
};

/** What is asked of it. */
export type ReferenceRequest = {
  readonly sensors: readonly Sensor[];
  readonly from_day: number;
  readonly to_day: number;
  readonly interval: Interval;
  readonly group_by: readonly Dimension[];
  readonly use_solar_bounds: boolean;
};

type Bucket = { readonly label: string; readonly pass: number };
const day_ms = 86_400_000;
const minutes: Partial<Record<Interval, number>> = {
  OneMinute: 1,
  FiveMinutes: 5,
  TenMinutes: 10,
  FifteenMinutes: 15,
  ThirtyMinutes: 30,
  OneHour: 60,
};

const clocks = new Map<string, Date>();

/** The reading of a zone's wall clock at a UTC minute, as a UTC date. */
export function clockAt(timezone: string, minute: number): Date {
  const key = `${timezone} ${minute}`;
  const known = clocks.get(key);
  if (known) return known;
  const local = Temporal.Instant.fromEpochMilliseconds(minute * 60_000)
    .toZonedDateTimeISO(timezone);
  const clock = new Date(minute * 60_000 + local.offsetNanoseconds / 1e6);
  clocks.set(key, clock);
  return clock;
}

/** The label of the bucket that holds a reading of the clock. */
export function labelOf(interval: Interval, clock: Date, from_day: number): string {
  const text = clock.toISOString().slice(0, 19).replace("T", " ");
  const day = text.slice(0, 10);
  const width = minutes[interval];
  if (width !== undefined) {
    const minute = clock.getUTCMinutes() - clock.getUTCMinutes() % width;
    return `${text.slice(0, 14)}${String(minute).padStart(2, "0")}:00`;
  }
  const monday = new Date(Date.parse(day) - (clock.getUTCDay() + 6) % 7 * day_ms);
  const days: Partial<Record<Interval, string>> = {
    Full: dayText(from_day),
    OneDay: day,
    OneWeek: monday.toISOString().slice(0, 10),
    OneMonth: `${day.slice(0, 7)}-01`,
    OneYear: `${day.slice(0, 4)}-01-01`,
  };
  return `${days[interval]} 00:00:00`;
}

const known = new Map<string, ReadonlyMap<number, Bucket>>();

/** The bucket of every minute of a zone's local days, in the order of the instant. */
export function bucketsOf(
  timezone: string,
  { from_day, to_day, interval }: ReferenceRequest,
): ReadonlyMap<number, Bucket> {
  const key = `${timezone} ${from_day} ${to_day} ${interval}`;
  const buckets = known.get(key) ?? makeBuckets(timezone, { from_day, to_day, interval });
  known.set(key, buckets);
  return buckets;
}

type Range = Pick<ReferenceRequest, "from_day" | "to_day" | "interval">;

function makeBuckets(timezone: string, { from_day, to_day, interval }: Range) {
  const buckets = new Map<number, Bucket>();
  const seen = new Map<string, { readonly offset: number; readonly pass: number }>();
  for (let minute = (from_day - 1) * 1440; minute < (to_day + 1) * 1440; minute++) {
    const clock = clockAt(timezone, minute);
    const day = Math.floor(clock.getTime() / day_ms);
    if (day < from_day || day >= to_day) continue;
    const label = labelOf(interval, clock, from_day);
    const offset = clock.getTime() - minute * 60_000;
    const before = seen.get(label);
    const again = before && before.offset !== offset && interval in minutes;
    const pass = (before?.pass ?? 0) + (again ? 1 : 0);
    seen.set(label, { offset, pass });
    buckets.set(minute, { label, pass });
  }
  return buckets;
}

/** The expected rows by `<group> <label> <pass>`, each with its values. */
export function expectedRows(
  plant: ReferencePlant,
  request: ReferenceRequest,
): ReadonlyMap<string, TestRow> {
  const project_of = new Map(plant.projects.map((project) => [project.project_no, project]));
  const zones = new Set(plant.projects.map((project) => project.timezone));
  const buckets = new Map([...zones].map((zone) => [zone, bucketsOf(zone, request)]));
  const zoneOf = (sensor: Sensor) => project_of.get(sensor.project_no)!.timezone;
  const bucketed = (sensor: Sensor) => byBucket(sensor, plant, { request, buckets, zoneOf });
  const rows = new Map<string, TestRow>();
  const groups = Map.groupBy(
    request.sensors,
    (sensor) => groupKey(sensor, request.group_by, project_of),
  );
  for (const [group, members] of groups) {
    const cells = new Map<string, Member[]>();
    for (const sensor of members) {
      const readings = bucketed(sensor);
      const powers = powerOf(sensor, plant, bucketed);
      const dark = request.use_solar_bounds ? buckets.get(zoneOf(sensor))! : new Map();
      for (const [minute, { label, pass }] of dark) {
        const coarse = !(request.interval in minutes);
        if (!coarse && !plant.lit.get(sensor.site_no)!.has(minute)) continue;
        const key = `${group} ${label} ${pass}`;
        if (!cells.has(key)) cells.set(key, []);
      }
      for (const [bucket, found] of readings) {
        const key = `${group} ${bucket}`;
        if (!cells.has(key)) cells.set(key, []);
        cells.get(key)!.push({ readings: found, weight: weightOf(sensor, powers?.get(bucket)) });
      }
    }
    for (const [key, cell] of cells) {
      const row = rowOf(cell, request.sensors[0].measure);
      const has_value = cell.some(({ readings }) =>
        readings.some(({ value, model }) => value !== undefined || model !== undefined)
      );
      if (has_value || request.use_solar_bounds) rows.set(key, row);
    }
  }
  return rows;
}

type Clocks = {
  readonly request: ReferenceRequest;
  readonly buckets: ReadonlyMap<string, ReadonlyMap<number, Bucket>>;
  readonly zoneOf: (sensor: Sensor) => string;
};

/** A sensor's readings that count, by `<label> <pass>`. */
function byBucket(sensor: Sensor, plant: ReferencePlant, { request, buckets, zoneOf }: Clocks) {
  const own = buckets.get(zoneOf(sensor))!;
  const found = new Map<string, TestReading[]>();
  for (const reading of plant.readings.get(sensor.sensor_no) ?? []) {
    const bucket = own.get(reading.minute);
    if (!bucket || (request.use_solar_bounds && !reading.light)) continue;
    const key = `${bucket.label} ${bucket.pass}`;
    const list = found.get(key);
    if (list) list.push(reading);
    else found.set(key, [reading]);
  }
  return found;
}

/** The words of a group, as its rows show them. */
export function groupKey(
  sensor: Sensor,
  group_by: readonly Dimension[],
  project_of: ReadonlyMap<number, Project>,
): string {
  const project = group_by.includes("project_id") ? project_of.get(sensor.project_no)!.id : null;
  const block = group_by.includes("block_id") ? sensor.block_id : null;
  const hierarchy = group_by.includes("hierarchy_id") ? sensor.hierarchy_id : null;
  return `${project}|${block}|${hierarchy}`;
}

type Member = { readonly readings: readonly TestReading[]; readonly weight: number };
type Weighted = { readonly value: number; readonly weight: number };

function rowOf(cell: readonly Member[], measure: MeasureName): TestRow {
  const { over_time, over_sensors } = measures.get(measure)!;
  const combine = (name: "value" | "model" | "value_setpoint" | "model_setpoint") => {
    const values: Weighted[] = [];
    for (const { readings, weight } of cell) {
      const known = readings.filter((it) => it[name] !== undefined)
        .toSorted((a, b) => a.minute - b.minute).map((it) => it[name]!);
      if (known.length === 0) continue;
      const by = name.startsWith("model") && over_time !== "increment" ? "mean" : over_time;
      values.push({ value: overTime(by, known), weight });
    }
    return values.length === 0 ? null : overSensors(over_sensors, values);
  };
  const value = combine("value");
  const [model, model_setpoint] = [combine("model"), combine("model_setpoint")];
  const ratio = (by: number | null) => value !== null && by ? value / by : null;
  return {
    sensor_value: value,
    model_value: model ?? 0,
    sensor_value_setpoint: combine("value_setpoint"),
    model_value_setpoint: model_setpoint ?? 0,
    performance_index: ratio(model),
    performance_index_setpoint: ratio(model_setpoint),
  };
}

function overTime(by: string, values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  if (by === "increment") return sum;
  if (by === "last") return values[values.length - 1];
  if (by === "max") return Math.max(...values);
  if (by === "min") return Math.min(...values);
  return sum / values.length;
}

function overSensors(by: string, values: readonly Weighted[]): number | null {
  const numbers = values.map(({ value }) => value);
  const sum = numbers.reduce((total, value) => total + value, 0);
  if (by === "sum") return sum;
  if (by === "max") return Math.max(...numbers);
  if (by === "min") return Math.min(...numbers);
  if (by === "same") return new Set(numbers).size === 1 ? numbers[0] : null;
  const weight = values.reduce((total, it) => total + it.weight, 0);
  const weighted = values.reduce((total, it) => total + it.value * it.weight, 0) / weight;
  return by === "mean" || !Number.isFinite(weighted) ? sum / numbers.length : weighted;
}

/** The active power of a sensor's device by bucket, where the sensor's measure asks for it. */
function powerOf(
  sensor: Sensor,
  plant: ReferencePlant,
  bucketed: (sensor: Sensor) => ReadonlyMap<string, readonly TestReading[]>,
) {
  if (measures.get(sensor.measure)!.over_sensors !== "power_mean") return undefined;
  const power = plant.sensors.find((it) =>
    it.device_id === sensor.device_id && it.measure === "active_power"
  );
  return power && bucketed(power);
}

/** Capacity, or the mean power of the device in the bucket, whichever way it flows. */
function weightOf(sensor: Sensor, powers: readonly TestReading[] | undefined): number {
  if (powers === undefined) return sensor.capacity ?? NaN;
  const values = powers.flatMap(({ value }) => value === undefined ? [] : [value]);
  return Math.abs(values.reduce((total, value) => total + value, 0) / values.length);
}
