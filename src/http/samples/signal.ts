// GET /platform/v1/signals: the values of a project's tags, as sent and scaled, raw and by minute.
import type { Flaw } from "../../base/fault.ts";
import type { InstantGrid } from "../../engine/signals/instant.ts";
import { type SignalReplay, type SignalRequest, Signals } from "../../engine/signals/signal.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { lanes, resolutions, signal_columns } from "../../model/samples/signal.ts";
import {
  statisticColumnsOf,
  statistics_columns,
  statistics_inclusion,
  time_average_column,
} from "../../model/statistics/statistic.ts";
import { instant_column, instant_inclusion } from "../../model/time/bucket.ts";
import { ReplayReaches } from "../../store/samples/replay.ts";
import { chosenColumns, streamAnswer } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { inputRefusal } from "../frame/input.ts";
import { aggregate_param, include_param, pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { documentPage } from "../page/document.ts";
import { code, row, table } from "../page/html.ts";
import guide from "./statistics.md" with { type: "text" };

/** The routes of signals. */
export function signalRoutes(services: Services): readonly Route[] {
  const signals = new Signals({
    ...services,
    visible_after_us: services.settings.visible_after_ms * 1000,
    reaches: new ReplayReaches(),
  });
  return [
    route({
      name: "signals",
      faults: ["gone"],
      method: "GET",
      path: "/platform/v1/signals",
      summary: "Signal values",
      doc: "Values of a project's tags in two lanes (raw_signal: every tag as sent; performance: " +
        "tags mapped to a device, scaled) and two resolutions (raw samples, 1m). With from and " +
        "to, rows are ordered by ts, then sensor_tag (in the order of its UTF-8 bytes), then " +
        "lane (raw_signal first), then resolution (raw first). A tag that several sensors read " +
        "has a row of the performance lane for each. With received_since, rows are " +
        "ordered by received_at, ts, sensor_tag, and are of the raw_signal lane unless you ask " +
        "for lane=performance, which then has the first sensor of each tag. To resume, set " +
        "received_since, after_ts and after_tag to the last row's received_at, ts and " +
        "sensor_tag. Rows are then visible about 5 seconds after they are stored. With at, or " +
        "with from, to and every, each tag has one row an instant, of resolution interpolated, " +
        "in the same order; include=stats and aggregate=time_weighted add columns to 1m rows. " +
        "/docs/statistics explains both. A tag that no source has sent and no site file declares " +
        `has no rows; the header ${unknown_header} names such tags of the request, ` +
        `percent-encoded, up to ${sample_limits.unknown_tags_shown}.`,
      scope: "read",
      project: "project_id",
      params,
      spanOf,
      answer: {
        kind: "stream",
        row: "SignalRow",
        columns: [...signal_columns, ...statistics_columns, time_average_column, instant_column],
      },
      handle: (context) => {
        const request = requestOf(services, context);
        const answer = signals.read(request, context.signal);
        return streamAnswer(
          context,
          answer,
          unknownTags(services, { project: request.project, tags: request.filter.tags }),
        );
      },
    }),
  ];
}

/** The header that names tags which are asked for and do not exist, as after a slip of the pen. */
export const unknown_header = "x-svc-unknown-tags";

/** That header, where there are such tags. */
export function unknownTags(
  { catalog }: Services,
  { project, tags }: { readonly project: Project; readonly tags: readonly string[] },
): Readonly<Record<string, string>> {
  const unknown = tags.filter((tag) =>
    catalog.findTag(project.project_no, "signal", tag) === undefined
  );
  const shown = unknown.slice(0, sample_limits.unknown_tags_shown)
    .map((tag) => encodeURIComponent(tag.toWellFormed()));
  return shown.length > 0 ? { [unknown_header]: shown.join(",") } : {};
}

/** The page about statistics and values at instants. */
export function statisticsPage(): Promise<string> {
  const columns = [...statistics_columns, time_average_column];
  return documentPage(guide, {
    columns: table(
      ["column", "unit", ""],
      columns.map(({ name, unit, doc }) => row([code(name), unit ?? "", doc])),
    ),
  });
}

const skip_doc =
  "Rows to skip. With received_since use after_ts and after_tag instead: new rows between two " +
  "pages would move the offset.";

const params = [
  project_param,
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    example: "2026-06-01T00:00:00Z",
    doc: "First ts, inclusive. Required without received_since; with it, an additional limit.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    example: "2026-06-02T00:00:00Z",
    doc: "End of ts, exclusive. Required without received_since; with it, an additional limit.",
  },
  {
    name: "received_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only rows stored at or after this time, by received_at, late samples included.",
  },
  {
    name: "after_ts",
    in: "query",
    kind: "instant",
    required: false,
    doc: "ts of the last row received. Requires received_since and after_tag.",
  },
  {
    name: "after_tag",
    in: "query",
    kind: "text",
    required: false,
    doc: "sensor_tag of the last row received. Requires received_since and after_ts.",
  },
  {
    name: "tag_class",
    in: "query",
    kind: "text",
    required: false,
    doc: "Only tags of this class, for example alarms.",
  },
  {
    name: "device_id",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    names: "device",
    doc: "Only performance rows of these devices, by id or key; raw_signal rows have none.",
  },
  {
    name: "tag",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    doc: "Only these sensor_tag values.",
  },
  {
    name: "lane",
    in: "query",
    kind: "text",
    required: false,
    values: lanes,
    doc: "Default: both, or raw_signal with received_since.",
  },
  {
    name: "resolution",
    in: "query",
    kind: "text",
    required: false,
    values: resolutions,
    doc: "Default: both.",
  },
  {
    name: "at",
    in: "query",
    kind: "instant",
    required: false,
    repeated: true,
    doc: "Give the values at these instants, instead of rows from from to to.",
  },
  {
    name: "every",
    in: "query",
    kind: "duration",
    required: false,
    doc: "Give the values at from and then after each such time, before to: ISO 8601, or short, " +
      "such as PT15M or 15m.",
  },
  {
    ...include_param,
    values: [statistics_inclusion, instant_inclusion],
    doc: "stats: also statistics of each minute's samples, with resolution=1m. ts_utc: also ts " +
      "once more under this name, as rows of buckets have it.",
  },
  {
    ...aggregate_param,
    doc: `${aggregate_param.doc} With resolution=1m.`,
  },
  ...pageParams("Rows", { skip: skip_doc }),
] as const satisfies readonly Param[];

type Values = ParamValues<typeof params>;

function requestOf(
  { catalog }: Services,
  context: RouteContext<typeof params>,
): SignalRequest {
  const { values } = context;
  const flaws = [...conflicts(values)];
  if (flaws.length > 0) throw inputRefusal(flaws);
  const { received_since, device_id, tag, tag_class } = values;
  const statistics = statisticColumnsOf(values);
  return {
    project: projectOf({ catalog }, values.project_id),
    filter: {
      // A device's rows are of the performance lane, which a replay has only when asked for.
      lane: values.lane ?? (received_since === undefined ? undefined : "raw_signal"),
      tags: tag,
      tag_class,
      device_ids: device_id,
    },
    resolution: values.resolution,
    from_us: values.from ?? 0,
    to_us: values.to ?? Number.MAX_SAFE_INTEGER,
    replay: replayOf(values),
    instants: instantsOf(values),
    statistics,
    columns: chosenColumns(context, [
      ...signal_columns,
      ...statistics,
      ...(values.include.includes(instant_inclusion) ? [instant_column] : []),
    ]),
    limit: values.limit,
    offset: values.offset,
  };
}

/** Minutes have stamps of their own, and what was stored since a time may be anywhere. */
function spanOf({ from, to, resolution, received_since, every, at }: Values) {
  const is_plain = received_since === undefined && every === undefined && at.length === 0;
  if (is_plain && resolution === "raw" && from !== undefined && to !== undefined) {
    return { from_us: from, to_us: to };
  }
  return { ask: "ask for raw samples by from, to and resolution=raw" };
}

function replayOf({ received_since, after_ts, after_tag }: Values): SignalReplay | undefined {
  if (received_since === undefined) return undefined;
  const resumes = after_ts !== undefined && after_tag !== undefined;
  const after = resumes ? { ts_us: after_ts, tag: after_tag } : undefined;
  return { since_us: received_since, after };
}

/** The instants that are asked for, rising. */
function instantsOf({ at, every, from, to }: Values): InstantGrid | undefined {
  if (at.length > 0) {
    const instants = [...new Set(at)].toSorted((a, b) => a - b);
    return { count: instants.length, instantAt: (i) => instants[i] };
  }
  if (every === undefined || from === undefined || to === undefined) return undefined;
  return { count: Math.ceil((to - from) / every), instantAt: (i) => from + i * every };
}

/** What is wrong with the parameters together, each at the one that would mend it. */
function* conflicts(values: Values): Generator<Flaw> {
  yield* additionConflicts(values);
  if (values.at.length > 0) yield* instantConflicts(values);
  else yield* rangeConflicts(values);
}

/** `at` and `every` choose the rows; statistics are of minutes. */
function* additionConflicts(values: Values): Generator<Flaw> {
  const { every, at, received_since, resolution, include, aggregate } = values;
  if (every !== undefined && at.length > 0) {
    yield { path: "every", message: "give at or every, not both" };
  }
  const choice = at.length > 0 ? "at" : "every";
  if (at.length > 0 || every !== undefined) {
    if (received_since !== undefined) {
      yield { path: choice, message: "is of no use with received_since" };
    }
    if (resolution !== undefined) {
      yield { path: "resolution", message: `leave it out: rows of ${choice} are interpolated` };
    }
  }
  const added = include.includes(statistics_inclusion)
    ? "include"
    : aggregate === undefined
    ? undefined
    : "aggregate";
  if (added === undefined) return;
  if (resolution !== "1m" || received_since !== undefined) {
    yield { path: added, message: "is of 1m rows by time: give from, to and resolution=1m" };
  }
}

function* instantConflicts({ from, to }: Values): Generator<Flaw> {
  const message = "leave it out: at names every instant";
  if (from !== undefined) yield { path: "from", message };
  if (to !== undefined) yield { path: "to", message };
}

function* rangeConflicts(values: Values): Generator<Flaw> {
  const { from, to, received_since, after_ts, after_tag } = values;
  if (received_since === undefined) {
    const message = "is required unless received_since is set: give a date-time with an offset";
    if (from === undefined) yield { path: "from", message };
    if (to === undefined) yield { path: "to", message };
    const lone = "requires received_since: give the last row's received_at";
    if (after_ts !== undefined) yield { path: "after_ts", message: lone };
    if (after_tag !== undefined) yield { path: "after_tag", message: lone };
  } else if (after_ts !== undefined && after_tag === undefined) {
    yield {
      path: "after_tag",
      message: "is required with after_ts: give the last row's sensor_tag",
    };
  } else if (after_tag !== undefined && after_ts === undefined) {
    yield { path: "after_ts", message: "is required with after_tag: give the last row's ts" };
  }
  if (from !== undefined && to !== undefined && from >= to) {
    yield { path: "to", message: "must be later than from; are the two swapped?" };
  }
}
