// Statistics of the samples behind performance rows: by sensor and bucket, then by group.
import { countText } from "../../base/count.ts";
import { Fault } from "../../base/fault.ts";
import type { Vector } from "../../model/data/chunk.ts";
import { measures, type OverSensors } from "../../model/plant/measure.ts";
import type { Sensor, Tag } from "../../model/plant/plant.ts";
import { statistics_limits } from "../../model/statistics/limits.ts";
import {
  SeriesStatistics,
  type SeriesSums,
  seriesSums,
  type Spans,
} from "../../model/statistics/series.ts";
import {
  type SeriesView,
  type StatisticColumn,
  type StatisticsAsked,
  statisticVector,
} from "../../model/statistics/statistic.ts";
import type { DayRange, Positions } from "../../model/time/bucket.ts";
import { daylightOf, type Place } from "../../model/time/daylight.ts";
import { minute_us } from "../../model/time/series.ts";
import { overlap } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import { sensorsBefore } from "../../store/performance/minutes.ts";
import { addSeries, holdOf, isState } from "../samples/series.ts";
import type { StatisticsValues } from "./aggregates.ts";
import type { AnswerPlan } from "./reading.ts";
import { StatisticsSums } from "./statistics_sums.ts";
import type { WeightOf } from "./weight.ts";

/** Throws a `Fault` (invalid) when statistics would read the samples of too many days. */
export function checkSeries(sensors: readonly Sensor[], { from_day, to_day }: DayRange): void {
  const days = sensors.length * (to_day - from_day);
  if (days <= statistics_limits.sensor_days) return;
  throw new Fault(
    "invalid",
    `Statistics read the samples themselves: ${countText(days)} days of sensors; the most are ` +
      `${countText(statistics_limits.sensor_days)}. Ask for fewer days or fewer sensors.`,
  );
}

type Picked = { readonly rows: number; readonly cells: Int32Array };
type MakeStatistic = (picked: Picked, values: { statistics?: StatisticsValues }) => Vector;

/** A column of each statistic that is asked for, by its name. */
export function statisticMakers(
  asked: StatisticsAsked | undefined,
): Readonly<Record<string, MakeStatistic>> {
  const maker = (column: StatisticColumn): MakeStatistic => ({ rows, cells }, { statistics }) => {
    const from = statistics!.get(column.name)!;
    const values = new Float64Array(rows);
    for (let i = 0; i < rows; i++) values[i] = from[cells[i]];
    return statisticVector(column, values);
  };
  return Object.fromEntries((asked?.columns ?? []).map((it) => [it.name, maker(it)]));
}

/** A sensor's sums by position, and how its rows show them. */
type SensorSums = {
  readonly sensor: Sensor;
  readonly sums: SeriesSums;
  readonly view: SeriesView;
};

/** Reads statistics slab by slab. */
export class StatisticsReader {
  readonly #plan: AnswerPlan;
  readonly #asked: StatisticsAsked & { readonly op: OverSensors | undefined };

  /** `op` combines the time averages of a group's sensors; without one, no group has two. */
  constructor(
    plan: AnswerPlan,
    asked: StatisticsAsked & { readonly op: OverSensors | undefined },
  ) {
    this.#plan = plan;
    this.#asked = asked;
  }

  /** The statistics of those positions, by cell. */
  async read(
    connection: Connection,
    { from, to }: Positions,
    weight: WeightOf | undefined,
  ): Promise<StatisticsSums> {
    const { groups, group_of } = this.#plan.selection;
    const cells = new StatisticsSums((to - from) * groups.length, this.#asked.op, this.#asked);
    for (const { sensor, sums, view } of await this.#readSums(connection, { from, to })) {
      const group = group_of[sensor.sensor_no];
      const buckets = Int32Array.from({ length: to - from }, (_, i) => i);
      const targets = {
        cells: buckets.map((bucket) => bucket * groups.length + group),
        weights: weight && Float64Array.from(buckets, (i) => weight(sensor.sensor_no, from + i)),
      };
      cells.add({ sums, view, is_alone: groups[group].sensors.length === 1 }, targets);
    }
    return cells;
  }

  /** The sums of every sensor, whose samples are read. */
  async #readSums(connection: Connection, positions: Positions): Promise<SensorSums[]> {
    const { catalog, selection } = this.#plan;
    const all: SensorSums[] = [];
    for (const [site_no, sensors] of Map.groupBy(selection.sensors, (it) => it.site_no)) {
      const place = catalog.placeOf(site_no);
      const spans = this.#spansOf(place, positions);
      const last = spans.to_us.length - 1;
      const series = sensors.map((sensor) => {
        const tag = catalog.tag(sensor.tag_no)!;
        const sums = seriesSums(positions.to - positions.from);
        const rule = { stepped: isState(tag), hold_us: holdOf(tag) };
        all.push({ sensor, sums, view: viewOf(sensor, tag) });
        return {
          tag,
          sensor_no: sensor.sensor_no,
          series: new SeriesStatistics(spans, sums, rule),
        };
      });
      if (last < 0) continue;
      const begun = await this.#begunBefore(connection, sensors, { place, positions });
      for (const it of series) if (begun.has(it.sensor_no)) it.series.begin();
      const span = { from_us: spans.from_us[0], to_us: spans.to_us[last] };
      await addSeries(connection, series, span);
    }
    return all;
  }

  /** Those of a site's sensors that have data from before some positions. */
  #begunBefore(
    connection: Connection,
    sensors: readonly Sensor[],
    { place, positions }: { readonly place: Place; readonly positions: Positions },
  ): Promise<ReadonlySet<number>> {
    const pieces = this.#plan.axis.piecesOf(place.timezone, positions);
    return sensorsBefore(connection, {
      sensors: Int32Array.from(sensors, (sensor) => sensor.sensor_no),
      day: Math.min(...pieces.map((piece) => piece.from_day)),
      minute: Math.min(...pieces.map((piece) => piece.from_minute)),
    });
  }

  /** The times of buckets at a place, in daylight if only that counts, as far as data can be. */
  #spansOf(place: Place, positions: Positions): Spans {
    const spans: { from_us: number; to_us: number; bucket: number }[] = [];
    for (const piece of this.#plan.axis.piecesOf(place.timezone, positions)) {
      const days = Array.from({ length: piece.to_day - piece.from_day }, (_, i) => i);
      const lit = this.#plan.request.use_solar_bounds
        ? days.flatMap((i) => daylightOf(place, piece.from_day + i))
          .map((span) => overlap(span, piece))
        : [piece];
      for (const { from_minute, to_minute } of lit) {
        for (let minute = from_minute; minute < to_minute;) {
          const position = Math.floor((minute + piece.shift) / piece.width);
          const end = Math.min(to_minute, (position + 1) * piece.width - piece.shift);
          const to_us = Math.min(end * minute_us, this.#asked.until_us);
          const from_us = minute * minute_us;
          if (from_us < to_us) spans.push({ from_us, to_us, bucket: position - positions.from });
          minute = end;
        }
      }
    }
    spans.sort((a, b) => a.from_us - b.from_us);
    return {
      from_us: Float64Array.from(spans, (span) => span.from_us),
      to_us: Float64Array.from(spans, (span) => span.to_us),
      bucket: Int32Array.from(spans, (span) => span.bucket),
    };
  }
}

/** A sensor that integrates a rate has no samples in its own unit. */
function viewOf({ measure, accumulation, scale, offset }: Sensor, tag: Tag): SeriesView {
  const is_state = isState(tag);
  const integrates = measures.get(measure)!.over_time === "increment" && accumulation === "none";
  return integrates ? { scale: NaN, offset, is_state } : { scale, offset, is_state };
}
