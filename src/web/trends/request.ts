// The requests that give curves in a span: as few as there are kinds of rows.
import type { Query } from "../frame/api.ts";
import { performance_path, performanceParams } from "../frame/performance.ts";
import { dayOf } from "../frame/zone.ts";
import type { Span } from "../frame/span.ts";
import { instantWord, type Step } from "./span.ts";
import type { Source } from "./source.ts";

/** Rows that are asked for, and the curves that are in them. */
export type Request = {
  readonly kind: "signals" | "performance";
  readonly path: string;
  readonly query: Query;
  readonly sources: readonly Source[];
  /** The step that the rows have. */
  readonly step: Step;
};

/** What is read of which plant. */
export type Reading = Span & {
  readonly project_id: string;
  readonly zone: string;
  readonly step: Step;
};

/** How many rows a request may have. */
export const most_rows = 100_000;

export const signals_path = "/platform/v1/signals";

const intervals = {
  raw: "OneMinute",
  minute: "OneMinute",
  quarter: "FifteenMinutes",
  hour: "OneHour",
  day: "OneDay",
} as const;

/** The step in which the service has a curve, where another is wanted. */
export function stepOf(source: Source, step: Step): Step {
  if (source.curve.kind === "tag") return step === "raw" ? "raw" : "minute";
  return step === "raw" && !hasSamples(source) ? "minute" : step;
}

/** Whether a curve's values are those of samples: not of several sensors, nor computed. */
export function hasSamples({ curve, is_expected, is_increment }: Source): boolean {
  return curve.kind === "tag" || curve.kind === "sensor" && !is_expected && !is_increment;
}

/** The requests for all curves. */
export function requestsOf(sources: readonly Source[], reading: Reading): readonly Request[] {
  const groups = Object.values(Object.groupBy(sources, (source) => groupOf(source, reading.step)));
  return groups.map((group) =>
    isOfSignals(group![0], reading.step)
      ? signalRequest(group!, reading)
      : performanceRequest(group!, reading)
  );
}

function isOfSignals(source: Source, step: Step): boolean {
  return hasSamples(source) && ["raw", "minute"].includes(stepOf(source, step));
}

function groupOf(source: Source, step: Step): string {
  const { curve, component, measure } = source;
  if (isOfSignals(source, step)) return curve.kind === "tag" ? "sent" : "scaled";
  return [curve.kind, component, measure].join();
}

function signalRequest(sources: readonly Source[], { step, ...reading }: Reading): Request {
  const own = stepOf(sources[0], step);
  const isSent = sources[0].curve.kind === "tag";
  return {
    kind: "signals",
    path: signals_path,
    query: {
      project_id: reading.project_id,
      tag: [...new Set(sources.map(({ tag }) => tag!))],
      lane: isSent ? "raw_signal" : "performance",
      resolution: own === "raw" ? "raw" : "1m",
      from: instantWord(reading.from_ms),
      to: instantWord(reading.to_ms),
      limit: most_rows,
      columns: [
        ...["ts", isSent ? "sensor_tag" : "hierarchy_id", "value", "value_int", "quality"],
        ...(own === "raw" ? [] : ["carried"]),
      ].join(","),
    },
    sources,
    step: own,
  };
}

function performanceRequest(
  sources: readonly Source[],
  { project_id, zone, step, from_ms, to_ms }: Reading,
): Request {
  const [{ curve, component, measure }] = sources;
  const isTotal = curve.kind === "total";
  // What is good is told of samples, whose reading costs: only where the eye can tell it.
  const withQuality = !isTotal && step === "quarter";
  const withModel = sources.some(({ is_expected }) => is_expected);
  return {
    kind: "performance",
    path: performance_path,
    query: performanceParams({
      project_id,
      component: component!,
      measure: measure!,
      interval: intervals[step],
      from: dayOf(from_ms, zone),
      to: dayOf(to_ms - 1, zone),
      group_by: isTotal ? "project_id" : "hierarchy_id",
      hierarchy_ids: isTotal ? undefined : [...new Set(sources.map((it) => it.hierarchy_id!))],
      is_whole_day: true,
      include: [...(withQuality ? ["stats"] : []), ...(withModel ? ["matched"] : [])],
      columns: [
        ...[isTotal ? "project_id" : "hierarchy_id", "sensor_value", "model_value"],
        ...(withQuality ? ["percent_good"] : []),
        ...(withModel ? ["coverage"] : []),
      ],
    }),
    sources,
    step: stepOf(sources[0], step),
  };
}
