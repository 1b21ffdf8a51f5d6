// POST /ingest/v1: a source's samples, forecasts and line protocol into the database.
import { Fault } from "../../base/fault.ts";
import type { Meter } from "../../base/budget.ts";
import { limits } from "../../base/limits.ts";
import { expected_limits } from "../../model/expected/limits.ts";
import type { IngestAnswer, StoredAnswer } from "../../model/samples/sample.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Project } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import type { Param } from "../../model/data/param.ts";
import { inflate } from "../../wire/bytes/inflate.ts";
import { type Decoded, decodeSamples, sample_media_types } from "../../wire/decode.ts";
import { decodeLines } from "../../wire/samples/decode_line.ts";
import { line_doc, precisions } from "../../wire/samples/line_text.ts";
import type { TagIndex } from "../../wire/samples/tag_index.ts";
import { projectOf } from "../frame/auth.ts";
import { bytesOf } from "../frame/body.ts";
import { include_param, project_param } from "../frame/param.ts";
import { rejectedSchema } from "../frame/rejected.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** Both ways in. */
export function ingestRoutes(services: Services): readonly Route[] {
  return [signalsRoute(services), lineRoute(services)];
}

const own_project = { ...project_param, doc: "Project that the rows belong to." } as const;

/** What a value is that is sent as expected or forecast. */
const expected_doc = "Expected and forecast values are in the raw unit of the tag, like its " +
  "samples: value × scale + offset of the sensor is in the unit of the measure. For a tag that " +
  "is both a power and an energy they are the power, and the energy is its integral; for a tag " +
  "that is only an energy they are amounts, or a power if it has no accumulation. A value over " +
  `${expected_limits.rated_factor} × the rated power is rejected.`;

const lane = {
  name: "lane",
  in: "query",
  kind: "text",
  required: false,
  values: ["signal", "model", "forecast"],
  default: "signal",
  doc: "signal: measured values. model: expected values, for the same tag. forecast: forecast " +
    `values; rows then also have issued_at. ${expected_doc}`,
} as const satisfies Param;

const include_corrected = {
  ...include_param,
  values: ["corrected"],
  doc: "corrected: also how many of the accepted rows replaced a stored one.",
} as const satisfies Param;

const precision = {
  name: "precision",
  in: "query",
  kind: "text",
  required: false,
  values: precisions,
  default: "ns",
  doc: "Unit of the timestamps. auto: what their number of digits tells, s, ms, us or ns.",
} as const satisfies Param;

function signalsRoute(services: Services): Route {
  return route({
    name: "ingest_signals",
    method: "POST",
    path: "/ingest/v1/signals",
    summary: "Send samples",
    doc: "Stores a body of rows. The answer is sent when they are committed and on disk. A row " +
      "that cannot be accepted is rejected with its line and the reason; the other rows are " +
      "still stored. A body that breaks off or cannot be read is refused completely. A row with " +
      "the same (tag, ts) as a stored row is a duplicate if it is identical; otherwise it " +
      "replaces the stored row. So sending a " +
      `body again is safe. Rows more than ${
        sample_limits.future_us / 60_000_000
      } minutes in the future are rejected.`,
    scope: "ingest",
    project: "project_id",
    params: [own_project, lane, include_corrected],
    body: {
      media_types: sample_media_types,
      limit_bytes: body_limits.body_bytes,
      doc: row_doc,
      row: row_schema,
      examples: {
        "application/json": [{ ...example, value: 812.5, quality: "good" }],
        "application/x-ndjson": `${JSON.stringify({ ...example, value: 812.5 })}\n`,
        "text/csv": `tag,ts,value\n${example.tag},${example.ts},812.5\n`,
      },
      streamed: true,
    },
    answer: { kind: "json", schema: answer_schema },
    handle: async ({ request, values, meter, grant }) => {
      const { project_no } = projectOf(services, values.project_id);
      const lane = values.lane === "model" ? "model" : "signal";
      const decoded = await decodeSamples(bytesOf(request), {
        media_type: request.headers.get("content-type") ?? "",
        encoding: request.headers.get("content-encoding"),
        lane: values.lane,
        meter,
        tags: services.ingest.tags.of(project_no, lane),
      });
      const project = projectOf(services, values.project_id);
      // Before, so that they are judged so at once; and those that are new.
      await noteSender(services, grant!, { project, decoded });
      const answer = await services.ingest.add(project, decoded);
      await noteSender(services, grant!, { project, decoded });
      return Response.json({
        ...shownAnswer(answer, values.include),
        ...values.lane === "signal" ? {} : { note: expected_doc },
      });
    },
  });
}

/** Notes which tags come by a gateway: their silence is judged by what it has told. */
async function noteSender(
  { gateways, catalog }: Services,
  grant: Grant,
  { project, decoded }: { readonly project: Project; readonly decoded: Decoded },
): Promise<void> {
  if (!gateways.isGateway(grant)) return;
  const tags = decoded.batches.filter(({ lane }) => lane === "signal")
    .flatMap((batch) => batch.tags)
    .map((name) => catalog.findTag(project.project_no, "signal", name)?.tag_no);
  await gateways.sent(grant, tags.filter((tag_no) => tag_no !== undefined));
}

function lineRoute(services: Services): Route {
  return route({
    name: "ingest_line",
    method: "POST",
    path: "/ingest/v1/line",
    summary: "Send samples in InfluxDB line protocol",
    doc: `For Telegraf and similar programs. ${line_doc}`,
    scope: "ingest",
    project: "project_id",
    params: [own_project, precision],
    body: {
      media_types: ["text/plain"],
      limit_bytes: body_limits.body_bytes,
      doc: "One point per line, plain or compressed with gzip or zstd. The memory limits are " +
        "those of /signals.",
      streamed: true,
    },
    answer: { kind: "json", schema: answer_schema },
    handle: async ({ values, ...context }) => {
      const find = () => projectOf(services, values.project_id);
      const times = { precision: values.precision, now_us: services.effects.now_us() };
      const answer = await storeBody(
        services,
        { ...context, find },
        (bytes, options) => decodeLines(bytes, { ...times, ...options }),
      );
      return Response.json(shownAnswer(answer));
    },
  });
}

/** A body, and the project that its rows belong to: it may be gone once the body is read. */
export type SentBody = Pick<RouteContext<[]>, "request" | "meter"> & {
  /** Throws a `Fault` (forbidden) where there is none in reach. */
  readonly find: () => Project;
};

/** Stores the signals that `decode` makes of a body's bytes once its encoding is undone. */
export async function storeBody(
  services: Services,
  { request, meter, find }: SentBody,
  decode: (
    bytes: AsyncIterable<Uint8Array>,
    options: { readonly meter: Meter; readonly tags: TagIndex },
  ) => Promise<Decoded>,
): Promise<StoredAnswer> {
  const encoding = request.headers.get("content-encoding");
  const tags = services.ingest.tags.of(find().project_no, "signal");
  const bytes = inflate(bytesOf(request), { encoding, meter });
  const decoded = await decode(bytes, { meter, tags });
  return await services.ingest.add(find(), decoded);
}

/** The answer with what was asked for. */
function shownAnswer(
  { corrected, ...answer }: StoredAnswer,
  include: readonly string[] = [],
): IngestAnswer & Partial<StoredAnswer> {
  return include.includes("corrected") ? { ...answer, corrected } : answer;
}

/** How many reasons stand in a message of one line. */
const told_reasons = 3;

/** What clients of others' tools hear of an answer with rejected rows: the others are stored. */
export function partialWrite({ accepted, duplicates, ...of }: IngestAnswer): Fault {
  const flaws = of.rejected.map(({ line, tag, reason }) => ({
    path: `line ${line}`,
    message: tag === null ? reason : `${tag}: ${reason}`,
  }));
  const told = flaws.slice(0, told_reasons).map(({ path, message }) => `${path}: ${message}`);
  const more = of.rejected_count > told.length ? "; and more" : "";
  const counts = `stored=${accepted + duplicates} dropped=${of.rejected_count}`;
  return new Fault("invalid", `partial write: ${told.join("; ")}${more} ${counts}`, { flaws });
}

const row_doc =
  "Rows as NDJSON, one JSON array, CSV with a header, or an Arrow stream (ts as Timestamp with a " +
  "time zone, texts plain or with a dictionary, buffers uncompressed), plain or compressed with " +
  "gzip or zstd. A row has at most one of value, value_int and value_str, and none only if its " +
  "quality is bad. The encoding of a tag is declared, or that of its first value; whole numbers " +
  "are converted if nothing is lost. A text is rejected if the tag is a measure of numbers, also " +
  '"812.5" and 1.234,50: numbers are written with a decimal point and nothing else. In CSV, ' +
  "quotes around a cell mean nothing, and texts are in value_str. A zstd window has at most " +
  `${
    body_limits.zstd_window_bytes / 1_048_576
  } MiB. A body that needs too much memory gets 413: send ` +
  "it in several parts. A body for which there is no memory at the moment gets 503: send it again.";

const example = { tag: "inv1.p_ac_kw", ts: "2026-06-01T10:00:00Z" };

const row_schema = {
  title: "Sample",
  type: "object",
  required: ["tag", "ts"],
  additionalProperties: false,
  properties: {
    tag: { type: "string", maxLength: limits.tag_length, description: "Also as sensor_tag." },
    ts: {
      type: "string",
      format: "date-time",
      description: "With an offset; microseconds at most.",
    },
    value: {
      type: ["number", "boolean", "string", "null"],
      description: "A number is a float, a boolean an integer of 0 or 1, a text a string.",
    },
    value_int: { type: ["integer", "string", "null"], description: "An exact Int64." },
    value_str: { type: ["string", "null"], maxLength: sample_limits.text_value_length },
    quality: { enum: ["good", "uncertain", "bad", null] },
    status_code: {
      type: ["integer", "null"],
      minimum: 0,
      maximum: 4294967295,
      description: "OPC UA status code; its two highest bits are the quality.",
    },
    issued_at: { type: "string", format: "date-time", description: "With lane=forecast only." },
  },
} as const;

const answer_schema = {
  title: "IngestAnswer",
  type: "object",
  required: ["accepted", "duplicates", "rejected_count", "rejected"],
  properties: {
    accepted: { type: "integer", description: "Rows stored, including rows that replaced one." },
    duplicates: { type: "integer", description: "Identical rows that were already stored." },
    ...rejectedSchema("tag"),
    corrected: {
      type: "integer",
      description: "With include=corrected: the accepted rows that replaced a stored one.",
    },
    note: { type: "string", description: "With lane model or forecast: what their values are." },
  },
} as const;
