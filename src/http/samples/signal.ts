// GET /platform/v1/signals: the values of a project's tags, as sent and scaled, raw and by minute.
import type { Flaw } from "../../base/fault.ts";
import { type SignalReplay, type SignalRequest, Signals } from "../../engine/signals/signal.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { lanes, resolutions, signal_columns } from "../../model/samples/signal.ts";
import { streamAnswer } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { inputRefusal } from "../frame/input.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The routes of signals. */
export function signalRoutes(services: Services): readonly Route[] {
  const signals = new Signals({
    ...services,
    visible_after_us: services.settings.visible_after_ms * 1000,
  });
  return [
    route({
      name: "signals",
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
        "sensor_tag. Rows are then visible about 5 seconds after they are stored.",
      scope: "read",
      project: "project_id",
      params,
      answer: { kind: "stream", columns: signal_columns },
      handle: (context) => {
        const request = requestOf(services, context.values);
        return streamAnswer(context, signals.read(request, context.signal));
      },
    }),
  ];
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
    doc: "Only performance rows of these devices; raw_signal rows have none.",
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
  ...pageParams("Rows", { skip: skip_doc }),
] as const satisfies readonly Param[];

type Values = ParamValues<typeof params>;

function requestOf({ catalog }: Services, values: Values): SignalRequest {
  const flaws = [...conflicts(values)];
  if (flaws.length > 0) throw inputRefusal(flaws);
  const { received_since, device_id, tag, tag_class } = values;
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
    limit: values.limit,
    offset: values.offset,
  };
}

function replayOf({ received_since, after_ts, after_tag }: Values): SignalReplay | undefined {
  if (received_since === undefined) return undefined;
  const resumes = after_ts !== undefined && after_tag !== undefined;
  const after = resumes ? { ts_us: after_ts, tag: after_tag } : undefined;
  return { since_us: received_since, after };
}

/** What is wrong with the parameters together, each at the one that would mend it. */
function* conflicts(values: Values): Generator<Flaw> {
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
    yield { path: "to", message: "must be later than from" };
  }
}
