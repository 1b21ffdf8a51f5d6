// Statistics of cells: what is added up of several sensors, and what is of one alone.
import type { OverSensors } from "../../model/plant/measure.ts";
import { type SeriesSums, seriesSums } from "../../model/statistics/series.ts";
import {
  type SeriesView,
  type StatisticName,
  statisticOf,
  type StatisticsAsked,
} from "../../model/statistics/statistic.ts";
import type { StatisticsValues } from "./aggregates.ts";
import { addPlain, type CellTargets, Combined, type Numbers, under, within } from "./combined.ts";

/** Sums that together say the statistics of several sensors. */
const added = ["known_us", "good_us", "bad_us", "samples", "usable", "transitions"] as const;
/** What these say. */
const of_several = new Set<StatisticName>([
  ...["percent_good", "duration_good", "duration_bad", "number_of_transitions"] as const,
]);

/** A sensor's sums by bucket, and how its rows show them. */
type Series = {
  readonly sums: SeriesSums;
  readonly view: SeriesView;
  /** Whether no other sensor is in its cells. */
  readonly is_alone: boolean;
};

/** The statistics of a slab's cells, of its sensors one after the other. */
export class StatisticsSums {
  readonly #names: readonly StatisticName[];
  readonly #average: Combined;
  readonly #sums: SeriesSums;
  /** How many sensors of a cell are of a state; 0 where nothing has transitions. */
  readonly #states: Float64Array;
  /** What is told of cells with one sensor. */
  readonly #alone: ReadonlyMap<StatisticName, Float64Array>;

  /** `op` combines the time averages of a cell's sensors. */
  constructor(size: number, op: OverSensors | undefined, { columns }: StatisticsAsked) {
    this.#names = columns.map(({ name }) => name);
    this.#average = Combined.of(size, op);
    this.#sums = seriesSums(size);
    this.#states = new Float64Array(size);
    const alone = this.#names.filter((it) => it !== "time_average" && !of_several.has(it));
    this.#alone = new Map(alone.map((name) => [name, new Float64Array(size)]));
    this.clear(size);
  }

  /** Makes the first `size` cells ready for what is added. */
  clear(size: number): void {
    this.#average.clear(size);
    for (const sums of Object.values(this.#sums)) sums.fill(0, 0, size);
    this.#states.fill(0, 0, size);
    for (const values of this.#alone.values()) values.fill(NaN, 0, size);
  }

  add({ sums, view, is_alone }: Series, targets: CellTargets): void {
    const { cells } = targets;
    const valuesOf = (name: StatisticName) =>
      Float64Array.from(cells, (_, bucket) => statisticOf(name, { sums, bucket, view }));
    if (this.#names.includes("time_average")) this.#average.add(valuesOf("time_average"), targets);
    for (const name of added) addPlain(this.#sums[name], cells, sums[name]);
    if (view.is_state) cells.forEach((cell) => this.#states[cell]++);
    if (!is_alone) return;
    for (const [name, into] of this.#alone) {
      valuesOf(name).forEach((value, bucket) => into[cells[bucket]] = value);
    }
  }

  /** What the cells are made of, for another to take. */
  sums(): Numbers {
    const size = this.#states.length;
    return {
      ...under("average", this.#average.sums(size)),
      ...Object.fromEntries(added.map((name) => [name, this.#sums[name]])),
      states: this.#states,
      ...under("alone", Object.fromEntries(this.#alone)),
    };
  }

  /** Adds what cells of another are made of; `isAlone` says which cells have one sensor in all. */
  take(numbers: Numbers, cells: Int32Array, isAlone: (cell: number) => boolean): void {
    this.#average.take(within("average", numbers), cells);
    for (const name of added) addPlain(this.#sums[name], cells, numbers[name]);
    addPlain(this.#states, cells, numbers.states);
    for (const [name, values] of Object.entries(within("alone", numbers))) {
      const into = this.#alone.get(name as StatisticName)!;
      cells.forEach((cell, i) => into[cell] = isAlone(cell) ? values[i] : NaN);
    }
  }

  finish(): StatisticsValues {
    return new Map(this.#names.map((name) => [name, this.#valuesOf(name)]));
  }

  #valuesOf(name: StatisticName): Float64Array {
    if (name === "time_average") return this.#average.finish();
    return this.#alone.get(name) ?? this.#states.map((states, bucket) => {
      const view = { scale: 1, offset: 0, is_state: states > 0 };
      return statisticOf(name, { sums: this.#sums, bucket, view });
    });
  }
}
