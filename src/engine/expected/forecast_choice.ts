// Lays the points of forecast runs out as steps, sensor by sensor, and has the best run told.
import type { RunChoice } from "../../model/expected/forecast.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import type { ForecastPoints } from "../../store/expected/forecast.ts";
import type { ForecastSource } from "./forecast_source.ts";

/** A sensor and what the runs of its sources say. */
export type Told = { readonly sensor: Sensor; readonly choice: RunChoice };

type Point = {
  readonly source: ForecastSource;
  readonly issued_us: number;
  readonly minute: number;
  readonly value: number;
};

/** What is told by points in order of `sources`, each sensor once; `begin` makes its choice. */
export async function* toldBy(
  points: AsyncIterable<ForecastPoints>,
  sources: readonly ForecastSource[],
  begin: (sensor: Sensor) => RunChoice,
): AsyncGenerator<Told, void> {
  let told: Told | undefined;
  let before: Point | undefined;
  let step = Infinity;
  for await (const piece of points) {
    for (let i = 0; i < piece.value.length; i++) {
      const point = pointAt(piece, i, sources);
      if (before && told) step = addStep(told.choice, before, { next: point, step });
      if (told?.sensor !== point.source.sensor) {
        if (told) yield told;
        told = { sensor: point.source.sensor, choice: begin(point.source.sensor) };
      }
      before = point;
    }
  }
  if (!before || !told) return;
  addStep(told.choice, before, { step });
  yield told;
}

function pointAt(piece: ForecastPoints, i: number, sources: readonly ForecastSource[]): Point {
  return {
    source: sources[piece.source_no[i]],
    issued_us: piece.issued_us[i],
    minute: piece.minute[i],
    value: piece.value[i],
  };
}

/**
 * A point holds until the next one of its run; the last one for as long as the one before. Gives
 * how far the next point of the run is, Infinity when the run ends.
 */
function addStep(
  choice: RunChoice,
  { source, issued_us, minute, value }: Point,
  { next, step }: { readonly next?: Point; readonly step: number },
): number {
  const goes_on = next?.source === source && next.issued_us === issued_us;
  choice.add(source.stepOf(minute, goes_on ? next.minute : minute + step, value));
  if (goes_on) return next.minute - minute;
  choice.endRun(issued_us, { is_better: source.is_own });
  return Infinity;
}
