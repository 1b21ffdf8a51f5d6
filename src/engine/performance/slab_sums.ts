// What the cells of a slab are made of, of one shard or of several.
import type { OverSensors } from "../../model/plant/measure.ts";
import { Cells, type CellValues } from "./aggregates.ts";
import { type Numbers, under, within } from "./combined.ts";
import { ForecastCells } from "./forecast_cells.ts";
import { MatchedSums } from "./matched.ts";
import type { AnswerPlan } from "./reading.ts";
import { DaylightShare } from "./share.ts";
import { StatisticsSums } from "./statistics_sums.ts";

/** What is told beside the values, where it is asked for. */
type Beside = {
  readonly forecast: ForecastCells | undefined;
  readonly matched: MatchedSums | undefined;
  readonly statistics: StatisticsSums | undefined;
  readonly fallback: DaylightShare | undefined;
};

/** How the sensors of a plan's cells are combined; undefined where none has two. */
export function opOf({ is_single, selection }: AnswerPlan): OverSensors | undefined {
  return is_single ? undefined : selection.measure.over_sensors;
}

/** All of a slab's cells. */
export class SlabSums {
  readonly #cells: Cells;
  readonly #beside: Beside;

  constructor(cells: Cells, beside: Beside) {
    this.#cells = cells;
    this.#beside = beside;
  }

  /** Cells of a plan; `clear` comes first. */
  static of(plan: AnswerPlan, size: number): SlabSums {
    const op = opOf(plan);
    const { forecast, matched, statistics, evidence } = plan.request;
    const cells = new Cells(size, op);
    const beside = {
      forecast: forecast && new ForecastCells(size, op),
      matched: matched ? new MatchedSums(size, op) : undefined,
      statistics: statistics && new StatisticsSums(size, op, statistics),
      fallback: evidence ? new DaylightShare(size) : undefined,
    };
    return new SlabSums(cells, beside);
  }

  /** Makes the first `size` cells ready for what is added. */
  clear(size: number): void {
    const { forecast, matched, statistics, fallback } = this.#beside;
    for (const part of [this.#cells, forecast, matched, statistics, fallback]) part?.clear(size);
  }

  /** What the first `size` cells are made of, for another to take. */
  numbers(size: number): Numbers {
    const { forecast, matched, statistics, fallback } = this.#beside;
    return {
      ...this.#cells.sums(size),
      ...under("forecast", forecast?.sums(size)),
      ...under("matched", matched?.sums(size)),
      ...under("statistics", statistics?.sums()),
      ...under("fallback", fallback?.sums(size)),
    };
  }

  /** Adds what cells of another are made of; `isAlone` says which cells have one sensor in all. */
  take(numbers: Numbers, cells: Int32Array, isAlone: (cell: number) => boolean): void {
    const { forecast, matched, statistics, fallback } = this.#beside;
    this.#cells.take(numbers, cells);
    forecast?.take(within("forecast", numbers), cells);
    matched?.take(within("matched", numbers), cells);
    statistics?.take(within("statistics", numbers), cells, isAlone);
    fallback?.take(within("fallback", numbers), cells);
  }

  /** The values of all cells, some of them the cells' own arrays. */
  finish(): CellValues {
    const { forecast, matched, statistics, fallback } = this.#beside;
    return {
      ...this.#cells.finish(),
      forecast: forecast?.finish(),
      matched: matched?.finish(),
      statistics: statistics?.finish(),
      fallback_share: fallback?.finish(),
    };
  }
}
