// GET /platform/v1/performance-v2 and its deprecated predecessor: performance per bucket and group.
import { countText } from "../../base/count.ts";
import type { PerformanceRequest } from "../../engine/performance/group.ts";
import { gatheredPerformance } from "../../engine/performance/gathered.ts";
import { performance_question, performancePart } from "../../engine/performance/part.ts";
import { performanceAnswer } from "../../engine/performance/performance.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import {
  deprecated_performance_columns,
  dimensions,
  included_columns,
  inclusions,
  performance_columns,
} from "../../model/performance/performance.ts";
import { component_names, measure_names } from "../../model/plant/measure.ts";
import { statistics_limits } from "../../model/statistics/limits.ts";
import { statisticColumnsOf, time_average_column } from "../../model/statistics/statistic.ts";
import {
  type DayRange,
  instant_column,
  instant_inclusion,
  intervals,
} from "../../model/time/bucket.ts";
import { chosenColumns, streamAnswer, type StreamContext } from "../frame/answer.ts";
import { invalid } from "../frame/input.ts";
import { aggregate_param, include_param, instant_doc, project_param } from "../frame/param.ts";
import { askedPart, gatherOf, partResponse } from "../frame/part.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import {
  bucket_params,
  projectsOf,
  rangeBetween,
  timezoneHeader,
  zonesOf,
} from "./bucket_param.ts";
import { pendingHeader, pendingRoute } from "./pending.ts";

/** The routes of performance. */
export function performanceRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "performance_v2",
      faults: ["gone"],
      method: "GET",
      path: "/platform/v1/performance-v2",
      summary: "Performance per bucket and group",
      doc,
      scope: "read",
      project: "project_ids",
      params: performance_params,
      answer: {
        kind: "stream",
        row: "PerformanceRow",
        columns: [
          ...performance_columns,
          ...Object.values(included_columns).flat(),
          time_average_column,
          instant_column,
        ],
      },
      handle: async (context) => {
        const { signal } = context;
        const question = askedPart(services, context.request, performance_question);
        const request = requestOf(services, context, question?.range);
        if (!question) return await send(services, context, { request });
        const part = await performancePart(services, { request, question, signal });
        // With whatever is asked before cells: how many days wait is taken from the last of it.
        if (question.want === "cells") return partResponse(part);
        return partResponse(part, await pendingHeader(services, { ...request, signal }));
      },
    }),
    route({
      name: "performance",
      faults: ["gone"],
      method: "GET",
      path: "/platform/v1/performance",
      summary: "Performance per bucket and sensor",
      doc: "Use /platform/v1/performance-v2 instead. This endpoint gives its answer by project, " +
        "block and sensor, in daylight only, without indices and setpoint columns.",
      scope: "read",
      project: "project_id",
      params: deprecated_performance_params,
      answer: {
        kind: "stream",
        row: "DeprecatedPerformanceRow",
        columns: deprecated_performance_columns,
      },
      deprecated: true,
      handle: (context) => {
        const request = deprecatedRequestOf(services, context.values);
        return send(services, context, { request, headers: deprecation });
      },
    }),
    pendingRoute(services),
  ];
}

const doc = "One row per bucket and group_by key, ordered by bucket, then key. The label of a " +
  "bucket is its start in the time zone of the site (header x-svc-site-timezone). In the hour " +
  "that is repeated when summer time ends, both hours have rows. With use_solar_bounds only " +
  "daylight counts, minute by minute, and every daylight bucket of each key has a row. In a " +
  "mean, every minute with samples has the same weight, however many samples it has; a carried " +
  "minute has no measured value. With include=forecast each bucket has the latest forecast that " +
  "was issued before it starts and covers nine tenths of it, otherwise the one that covers most. " +
  "A forecast value is valid until the next value of its run, for one hour at most; the last " +
  "value as long as the one before it. With include=matched each bucket has figures over the " +
  "minutes in which both a measured and an expected value exist (of a counter, over the times " +
  "between readings), and their coverage: judge a plant by these, for missing samples do not " +
  "change them. With include=evidence each bucket tells for which share of its daylight the " +
  "expected value stands on a neighbour's weather. Statistics (include=stats, " +
  "aggregate=time_weighted) are of the sensors' samples, in the unit of the measure; " +
  "/docs/statistics explains them. Of " +
  "several sensors a row, times and transitions are added up, percent_good is the share of all " +
  "their time, time_average is combined as the measure is, and the others are null. They read at " +
  `most ${countText(statistics_limits.sensor_days)} days of sensors.`;

const sensor_params = [
  bucket_params.sentinel_tag,
  {
    name: "component",
    in: "query",
    kind: "text",
    required: true,
    values: component_names,
    example: "inverter",
    doc: "Component of the sensors.",
  },
  {
    name: "component_measure",
    in: "query",
    kind: "text",
    required: true,
    values: measure_names,
    example: "active_power",
    doc: "Measure of the sensors; /docs/measures explains each.",
  },
  bucket_params.hierarchy_ids,
] as const satisfies readonly Param[];

/** Parameters of the current endpoint. */
const performance_params = [
  bucket_params.project_ids,
  bucket_params.dt_start,
  bucket_params.dt_end,
  {
    name: "time_interval",
    in: "query",
    kind: "text",
    required: true,
    values: intervals,
    example: "OneDay",
    doc: "Bucket size. Full: the whole range is one bucket.",
  },
  ...sensor_params,
  bucket_params.block_ids,
  bucket_params.group_by,
  {
    name: "use_solar_bounds",
    in: "query",
    kind: "flag",
    required: false,
    default: true,
    doc: "true: only daylight counts, and every daylight bucket has a row, even if it is empty.",
  },
  {
    ...include_param,
    values: inclusions,
    doc: "forecast: also the latest forecast that was issued before each bucket. matched: also " +
      "measured and expected values over the same minutes, and the daylight that they cover. " +
      "evidence: also the share of daylight with expected values from another site's weather. " +
      "stats: also statistics of the bucket's samples, from percent_good to " +
      `number_of_transitions. ${instant_doc}`,
  },
  aggregate_param,
  {
    name: "forecast_issued_before",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only forecasts issued before this instant; with include=forecast.",
  },
] as const satisfies readonly Param[];

/** Parameters of the deprecated endpoint. */
const deprecated_performance_params = [
  project_param,
  {
    name: "interval",
    in: "query",
    kind: "text",
    required: true,
    values: intervals.filter((interval) => interval !== "Full"),
    example: "OneDay",
    doc: "Bucket size.",
  },
  bucket_params.dt_start,
  bucket_params.dt_end,
  ...sensor_params,
  {
    name: "block_id",
    in: "query",
    kind: "text",
    required: false,
    doc: "Only this block.",
  },
] as const satisfies readonly Param[];

/** RFC 9745, RFC 8594 and RFC 8288. */
const deprecation = {
  deprecation: `@${Date.UTC(2026, 0, 1) / 1000}`,
  sunset: new Date(Date.UTC(2027, 11, 31)).toUTCString(),
  link: '</platform/v1/performance-v2>; rel="successor-version"',
};

async function send(
  services: Services,
  context: StreamContext,
  { request, headers = {} }: {
    readonly request: PerformanceRequest;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const { signal } = context;
  const gather = gatherOf(services, context.request);
  const answer =
    await (gather
      ? gatheredPerformance(services, request, { gather, signal })
      : performanceAnswer(services, request, signal));
  const pending = await pendingHeader(services, { ...request, gather, signal });
  return await streamAnswer(context, answer, { ...headers, ...timezoneHeader(answer), ...pending });
}

function requestOf(
  { catalog, database }: Services,
  context: RouteContext<typeof performance_params>,
  range?: DayRange,
): PerformanceRequest {
  const { values } = context;
  const projects = projectsOf(catalog, values.project_ids);
  const forecast = forecastOf(values);
  const matched = values.include.includes("matched");
  const evidence = values.include.includes("evidence");
  const statistics = statisticColumnsOf(values);
  return {
    projects,
    range: range ?? rangeBetween({ ...values, timezones: zonesOf(projects) }),
    interval: values.time_interval,
    sentinel_tag: values.sentinel_tag,
    component: values.component,
    measure: values.component_measure,
    hierarchy_ids: values.hierarchy_ids,
    block_ids: values.block_ids,
    group_by: values.group_by.length > 0 ? values.group_by : dimensions,
    use_solar_bounds: values.use_solar_bounds,
    forecast,
    matched,
    evidence,
    statistics: statistics.length > 0
      ? { columns: statistics, until_us: database.now_us }
      : undefined,
    columns: chosenColumns(context, [
      ...performance_columns,
      ...(forecast ? included_columns.forecast : []),
      ...(matched ? included_columns.matched : []),
      ...(evidence ? included_columns.evidence : []),
      ...statistics,
      ...(values.include.includes(instant_inclusion) ? [instant_column] : []),
    ]),
  };
}

/** What `include=forecast` asks for. */
function forecastOf(
  { include, forecast_issued_before }: ParamValues<typeof performance_params>,
): PerformanceRequest["forecast"] {
  if (include.includes("forecast")) {
    return { issued_before_us: forecast_issued_before ?? Infinity };
  }
  if (forecast_issued_before === undefined) return undefined;
  throw invalid("forecast_issued_before", "is of use only with include=forecast");
}

function deprecatedRequestOf(
  { catalog }: Services,
  values: ParamValues<typeof deprecated_performance_params>,
): PerformanceRequest {
  const project = catalog.project(values.project_id)!;
  return {
    projects: [project],
    range: rangeBetween({ ...values, timezones: zonesOf([project]) }),
    interval: values.interval,
    sentinel_tag: values.sentinel_tag,
    component: values.component,
    measure: values.component_measure,
    hierarchy_ids: values.hierarchy_ids,
    block_ids: values.block_id === undefined ? [] : [values.block_id],
    group_by: dimensions,
    use_solar_bounds: true,
    columns: deprecated_performance_columns,
  };
}
