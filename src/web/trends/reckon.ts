// Asks the service for the statistics of curves in a span: of its minutes, or of whole days where
// there are too many of those.
import { getRows, type Rows } from "../frame/api.ts";
import { performance_path, performanceParams } from "../frame/performance.ts";
import { dayAfter, dayOf, dayStart } from "../frame/zone.ts";
import { hasSamples, most_rows, signals_path } from "./request.ts";
import type { Source } from "./source.ts";
import type { Span } from "../frame/span.ts";
import { instantWord } from "./span.ts";
import { combined, type Minutes, type Statistics } from "./statistics.ts";

/** Statistics of a curve, and the whole days that they are of, where it is these. */
export type Reckoned = Statistics & { readonly days?: readonly [string, string] };

/** What is asked for of which plant; the span is of whole minutes. */
export type Question = Span & { readonly project_id: string; readonly zone: string };

/** How many minutes of all curves together are read; of more, whole days are asked for. */
const most_minutes = 60_000;

/** The figures by the curve's word; those that have no samples of their own have none. */
export async function reckon(
  sources: readonly Source[],
  question: Question,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Reckoned>> {
  const sampled = sources.filter(hasSamples);
  const minutes = (question.to_ms - question.from_ms) / 60_000;
  if (sampled.length === 0 || minutes < 1) return new Map();
  const isShort = minutes * sampled.length <= most_minutes;
  const groups = Object.groupBy(
    sampled,
    ({ curve, component, measure }) =>
      curve.kind === "tag" ? "tag" : isShort ? "sensor" : `${component}:${measure}`,
  );
  const answers = await Promise.all(
    Object.values(groups).map((group) =>
      isShort
        ? ofMinutes(group!, question, signal)
        : group![0].curve.kind === "tag"
        ? []
        : ofDays(group!, question, signal)
    ),
  );
  return new Map(answers.flat());
}

type Answer = readonly (readonly [string, Reckoned])[];

async function ofMinutes(
  sources: readonly Source[],
  { project_id, ...span }: Question,
  signal: AbortSignal,
): Promise<Answer> {
  const isSent = sources[0].curve.kind === "tag";
  const key = isSent ? "sensor_tag" : "hierarchy_id";
  const rows = await getRows(signals_path, {
    project_id,
    tag: [...new Set(sources.map(({ tag }) => tag!))],
    lane: isSent ? "raw_signal" : "performance",
    resolution: "1m",
    from: instantWord(span.from_ms),
    to: instantWord(span.to_ms),
    include: "stats",
    aggregate: "time_weighted",
    limit: most_rows,
    columns: [
      ...["ts", key, "value", "value_int", "good_count", "uncertain_count", "duration_good"],
      ...["carried", "minimum", "maximum", "standard_deviation", "time_average"],
    ].join(","),
  }, signal);
  const keys = rows.texts(key);
  const minutes = minutesOf(rows);
  return sources.map(({ word, tag, hierarchy_id }) => {
    const own = isSent ? tag : hierarchy_id;
    const cut = (column: Float64Array) => column.filter((_, i) => keys[i] === own);
    return [word, combined(mapped(minutes, cut), span)];
  });
}

function minutesOf(rows: Rows): Minutes {
  const whole = rows.numbers("value_int");
  return {
    instants: rows.numbers("ts"),
    mean: rows.numbers("value").map((it, i) => Number.isNaN(it) ? whole[i] : it),
    time_average: rows.numbers("time_average"),
    least: rows.numbers("minimum"),
    greatest: rows.numbers("maximum"),
    deviation: rows.numbers("standard_deviation"),
    good: rows.numbers("good_count"),
    uncertain: rows.numbers("uncertain_count"),
    carried: rows.numbers("carried"),
    good_s: rows.numbers("duration_good"),
  };
}

function mapped(minutes: Minutes, change: (column: Float64Array) => Float64Array): Minutes {
  return Object.fromEntries(
    Object.entries(minutes).map(([name, column]) => [name, change(column)]),
  ) as Minutes;
}

/** Of the whole days within the span. */
async function ofDays(
  sources: readonly Source[],
  { project_id, zone, from_ms, to_ms }: Question,
  signal: AbortSignal,
): Promise<Answer> {
  const first = dayOf(from_ms, zone);
  const from = dayStart(first, zone) === from_ms ? first : dayAfter(first);
  const to = dayAfter(dayOf(to_ms, zone), -1);
  if (to < from) return [];
  const params = performanceParams({
    project_id,
    component: sources[0].component!,
    measure: sources[0].measure!,
    interval: "Full",
    from,
    to,
    group_by: "hierarchy_id",
    hierarchy_ids: sources.map(({ hierarchy_id }) => hierarchy_id!),
    is_whole_day: true,
    include: ["stats"],
    columns: [
      ...["hierarchy_id", "sensor_value", "percent_good", "minimum", "maximum"],
      ...["standard_deviation", "time_average"],
    ],
  });
  const query = { ...params, aggregate: "time_weighted" };
  const rows = await getRows(performance_path, query, signal);
  const keys = rows.texts("hierarchy_id");
  const column = (name: string) => rows.numbers(name);
  const [mean, good] = [column("sensor_value"), column("percent_good")];
  const [least, greatest] = [column("minimum"), column("maximum")];
  const [deviation, time_weighted] = [column("standard_deviation"), column("time_average")];
  return sources.flatMap(({ word, hierarchy_id }) => {
    const i = keys.indexOf(hierarchy_id!);
    if (i < 0) return [];
    return [[word, {
      mean: mean[i],
      time_weighted: time_weighted[i],
      least: least[i],
      greatest: greatest[i],
      deviation: deviation[i],
      count: NaN,
      percent_good: good[i],
      least_ms: NaN,
      greatest_ms: NaN,
      total: NaN,
      days: [from, to] as const,
    }]];
  });
}
