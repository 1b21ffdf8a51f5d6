// How imports and what is found in files are told over HTTP.
import * as z from "zod";
import type { SentImport } from "../../engine/ingest/sent_file.ts";
import { import_limits } from "../../engine/ingest/limits.ts";
import { reasonsOf } from "../../engine/ingest/understanding.ts";
import { import_states } from "../../model/samples/import.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { import_formats } from "../../wire/import/import_file.ts";
import { refusal_schema } from "../../wire/import/refusal.ts";
import { import_settings, inFields, map_schema } from "../../wire/import/settings.ts";
import { time_forms, type TimeForm } from "../../wire/import/time.ts";

/** How a file is to be read. */
export const way_schema = map_schema.extend({
  format: z.enum(import_formats).optional().describe("Found by the content where left out."),
  lane: z.enum(["signal", "model", "forecast"]).optional()
    .describe("signal: measured values, the default. model: expected ones. forecast: forecasts."),
});

const reason_list = z.array(z.strictObject({
  reason: z.string(),
  count: z.int(),
  first: z.array(z.strictObject({ line: z.int(), tag: z.string().nullable() })),
}));

const excess_schema = z.strictObject({
  tag: z.string(),
  count: z.int().describe("How many of its values are over twice the rated power."),
  greatest_w: z.number().describe("The power of the greatest size, W."),
  rated_w: z.number().describe("Rated power, W."),
  divisor: z.number().nullable()
    .describe("1000 or 1000000 where the values, divided by it, fit the rated power."),
  read_as: z.string().nullable().describe("The unit that the tag's `scale` reads them in."),
  fits_as: z.string().nullable().describe("The unit that they fit the rated power in."),
});

const check_schema = z.strictObject({
  format: z.enum(import_formats),
  rows: z.int().describe("Values: a row of a table has several."),
  rejected_count: z.int(),
  tags: z.int(),
  span: z.strictObject({ from: z.string(), to: z.string() }).nullable()
    .describe("Times of the first and the last value, UTC."),
  cells: z.strictObject({ delimiter: z.string(), decimal: z.string() }).nullable()
    .describe("Null for rows of samples, as is `time`."),
  time: z.strictObject({
    columns: z.array(z.string()),
    format: z.string(),
    example: z.string(),
    timezone: z.string().nullable().describe("Null where every time has an offset."),
    timezone_by: z.enum(["setting", "file", "project"]).nullable(),
    step_s: z.number().describe("The most frequent step between rows."),
    moved: z.boolean().describe("Times are ends of intervals, and stored as their starts."),
  }).nullable(),
  keys: z.array(z.string()).describe("Columns that say what a row's values are of."),
  columns: z.array(z.strictObject({
    name: z.string(),
    tag: z.string(),
    kind: z.enum(["number", "text"]).nullable(),
    unit: z.string().nullable(),
    is_new: z.boolean().describe("The project has no such tag yet."),
    measures: z.array(z.string()).describe("What the site file says of the tag."),
  })).describe("Columns of values; the tags where `keys` make them."),
  more_columns: z.int(),
  left_out: z.array(z.strictObject({ name: z.string(), why: z.string() })),
  first_rows: z.array(z.strictObject({
    line: z.int(),
    ts: z.string(),
    cells: z.array(z.strictObject({
      tag: z.string(),
      value: z.union([z.string(), z.number()]).nullable(),
    })),
    more: z.int(),
  })),
  reasons: reason_list,
  repeats: z.strictObject({
    same: z.int(),
    differing: z.int(),
    first: z.array(z.strictObject({ line: z.int(), tag: z.string(), ts: z.string() })),
  }).describe("Values under the tag and time of one before."),
  doubtful: z.array(z.strictObject({ value: z.number(), count: z.int(), tag: z.string() }))
    .describe("Numbers that loggers write for no value."),
  excess: z.array(excess_schema)
    .describe("Tags whose powers are beyond their rating: they are taken as they are."),
  proposed: z.record(z.string(), z.unknown()).describe("Settings that read the file alike."),
});

/** A file as it is told of. */
export const import_schema = z.strictObject({
  import_id: z.string(),
  project_id: z.string(),
  name: z.string(),
  bytes: z.int(),
  arrived_bytes: z.int().describe("Those at the service; fewer while its state is sending."),
  created_by: z.string().nullable().describe("Id of the user who sent it."),
  created_at: z.string(),
  state: z.enum(import_states),
  percent: z.int().describe("Of the file that is being sent or read."),
  settings: z.record(z.string(), z.unknown()).describe("How it was to be read the last time."),
  detail: z.string().nullable().describe("Why it was refused, failed or was cancelled."),
  refusal: refusal_schema.nullable().describe("The refusal's name and values; open set."),
  asked: z.array(z.string()).describe("The settings that answer a refusal, the nearest first."),
  check: check_schema.nullable().describe("What was found in the file."),
  report: z.strictObject({
    accepted: z.int(),
    corrected: z.int().nullable()
      .describe("Of the accepted, the values that replaced another one of their tag and time."),
    duplicates: z.int(),
    rejected_count: z.int(),
    reasons: reason_list,
    whole: z.boolean().describe(
      "Every value is stored: none was rejected, and none replaced another one of the file " +
        "without repeats = last.",
    ),
  }).nullable().describe("What became of the rows so far."),
});

/** The files of a project, and the settings that there are. */
export const list_schema = z.strictObject({
  imports: z.array(import_schema),
  settings: z.array(z.strictObject({
    name: z.string(),
    kind: z.enum(["text", "list", "count"]),
    doc: z.string(),
    choices: z.array(z.strictObject({ value: z.string(), example: z.string().nullable() })),
  })).describe("The settings; one with choices takes nothing else."),
});

/** The settings as they are listed. */
export const shown_settings = Object.entries(import_settings).map((
  [name, { kind, doc, choices }],
) => ({
  ...{ name, kind, doc },
  choices: (choices ?? []).map((value) => ({ value, example: exampleOf(name, value) })),
}));

function exampleOf(setting: string, value: string): string | null {
  return setting === "time_format" ? time_forms[value as TimeForm].example : null;
}

/** A file as it is sent. */
export function shownImport(sent: SentImport): z.input<typeof import_schema> {
  const { project_id, name, bytes, state, way, detail, refusal, asked, report } = sent;
  return {
    ...{ import_id: sent.id, project_id, name, bytes, arrived_bytes: sent.arrived_bytes },
    created_by: sent.user_id,
    ...{ created_at: instantText(sent.created_us), state, percent: Math.floor(100 * sent.share) },
    ...{ settings: way, detail, refusal, asked: [...asked] },
    check: sent.understood && shownCheck(sent.understood),
    report: report && {
      ...{ accepted: report.accepted, corrected: report.corrected },
      duplicates: report.duplicates,
      rejected_count: report.rejected_count,
      reasons: shownReasons(reasonsOf(report.reasons)),
      whole: sent.is_whole,
    },
  };
}

function shownReasons(reasons: ReturnType<typeof reasonsOf>): typeof reasons {
  return reasons.slice(0, import_limits.shown_reasons)
    .map((it) => ({ ...it, reason: inFields(it.reason) }));
}

function shownCheck(it: NonNullable<SentImport["understood"]>): z.input<typeof check_schema> {
  const { span, time, repeats } = it;
  return {
    ...{ format: it.format, rows: it.rows, rejected_count: it.rejected_count, tags: it.tags },
    span: span && { from: instantText(span.from_us), to: instantText(span.to_us) },
    cells: it.cells,
    time: time && {
      ...{ columns: time.columns, format: time.form, example: time.example, moved: time.moved },
      timezone: time.zone?.name ?? null,
      timezone_by: time.zone && (time.zone.by === "flag" ? "setting" : time.zone.by),
      step_s: time.step_us / 1e6,
    },
    keys: it.keys,
    columns: it.columns.map(({ known, ...column }) => (
      { ...column, is_new: !known, measures: [...known?.measures ?? []] }
    )),
    ...{ more_columns: it.more_columns, left_out: [...it.left_out] },
    first_rows: it.first_rows.map(({ ts_us, ...row }) => ({ ...row, ts: instantText(ts_us) })),
    reasons: shownReasons(it.reasons),
    repeats: {
      ...{ same: repeats.same, differing: repeats.differing },
      first: repeats.first.map(({ ts_us, ...at }) => ({ ...at, ts: instantText(ts_us) })),
    },
    ...{ doubtful: it.doubtful, excess: [...it.excess], proposed: it.proposed },
  };
}
