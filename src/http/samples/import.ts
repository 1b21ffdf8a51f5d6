// Imports of files under /ingest/v1/imports: sent, looked through, stored, followed, removed.
import * as z from "zod";
import { Fault, type Flaw, refusal } from "../../base/fault.ts";
import type { ImportWay, SentImport } from "../../engine/ingest/sent_file.ts";
import { reasonsOf } from "../../engine/ingest/understanding.ts";
import type { Param } from "../../model/data/param.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { import_states } from "../../model/samples/import.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { import_formats } from "../../wire/import/import_file.ts";
import { import_limits } from "../../engine/ingest/limits.ts";
import { refusal_schema } from "../../wire/import/refusal.ts";
import { import_settings, inFields, map_schema } from "../../wire/import/settings.ts";
import { time_forms, type TimeForm } from "../../wire/import/time.ts";
import { projectOf } from "../frame/auth.ts";
import { bytesOf } from "../frame/body.ts";
import { readOptionalData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/ingest/v1/imports";
const one = `${path}/{id}`;
const own_project = { ...project_param, doc: "Project that the file's rows belong to." } as const;
const id = { name: "id", in: "path", kind: "text", required: true } as const;
const id_param = { ...id, doc: "The import's ID." } as const satisfies Param;

/** A file in, what is in it, its rows into the database. */
export function importRoutes(services: Services): readonly Route[] {
  return [
    sendRoute(services),
    appendRoute(services),
    listRoute(services),
    oneRoute(services),
    workRoute(services, "check"),
    workRoute(services, "import"),
    cancelRoute(services),
    deleteRoute(services),
  ];
}

const file_body = {
  media_types: ["application/octet-stream"],
  limit_bytes: import_limits.file_bytes,
  streamed: true,
  deadline_ms: import_limits.send_ms,
} as const;
const common = { scope: "ingest", project: "project_id" } as const;

function sendRoute({ imports }: Services): Route {
  return route({
    ...common,
    name: "import_post",
    method: "POST",
    path,
    summary: "Send a file to import",
    doc: "Keeps a file at the service, as it is: a table as portals and loggers write them (CSV " +
      "and the like, TOA5, XLSX), or rows of samples (NDJSON, JSON, CSV, Arrow stream); or .gz " +
      "of one. Nothing of it is stored yet: check it, then import it. A file that nobody goes " +
      `on with is removed after ${import_limits.keep_ms / 3_600_000} hours. A file may come in ` +
      "parts: say its `size`, send the first part or nothing, and go on with PATCH.",
    params: [own_project, {
      name: "name",
      in: "query",
      kind: "text",
      required: false,
      default: "",
      doc: "Name of the file, to know it by.",
    }, {
      name: "size",
      in: "query",
      kind: "integer",
      required: false,
      minimum: 1,
      maximum: import_limits.file_bytes,
      doc: "Bytes of the whole file, where the body is the first part of it, or empty.",
    }],
    body: {
      ...file_body,
      doc: `The bytes of the file, up to ${import_limits.file_bytes / 1024 ** 3} GiB. Its kind ` +
        "is found by what is in it.",
    },
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(import_schema) },
    handle: async ({ request, values: { project_id, name, size }, grant }) => {
      if (name.length > import_limits.name_length) {
        throw new Fault("invalid", `name: at most ${import_limits.name_length} characters`);
      }
      if (request.headers.get("content-type")?.startsWith("multipart/")) {
        throw new Fault(
          "unsupported_media",
          "send the bytes of the file as the body, not a form: curl --data-binary @FILE",
        );
      }
      const bytes = size ?? Number(request.headers.get("content-length") ?? 0);
      const { token_id, user_id } = grant!;
      const by = { project_id, token_id, user_id };
      const sending = { ...by, name, bytes, is_part: size !== undefined };
      const sent = await imports.receive(sending, bytesOf(request));
      return Response.json(shown(sent), { status: 201 });
    },
  });
}

function appendRoute({ imports }: Services): Route {
  return route({
    ...common,
    name: "import_patch",
    method: "PATCH",
    path: one,
    summary: "Send more of a file",
    doc:
      "Puts the body behind what has arrived of a file that comes in parts. What arrives stays, " +
      "also when the line is cut or the service restarts: GET says in `arrived_bytes` where to " +
      "go on. Of two requests for one file the later one goes on.",
    params: [id_param, own_project, {
      name: "offset",
      in: "query",
      kind: "integer",
      required: true,
      minimum: 0,
      maximum: import_limits.file_bytes,
      doc: "Where in the file the body begins: at `arrived_bytes`.",
    }],
    body: { ...file_body, doc: "The next bytes of the file, up to its end." },
    answer: { kind: "json", schema: () => z.toJSONSchema(import_schema) },
    faults: ["conflict"],
    handle: async ({ request, values: { project_id, id, offset } }) =>
      Response.json(shown(await imports.append({ project_id, id, offset }, bytesOf(request)))),
  });
}

function listRoute({ imports }: Services): Route {
  return route({
    ...common,
    name: "imports",
    method: "GET",
    path,
    summary: "Imports",
    doc: "The files of a project that wait for their import, are imported or were, the oldest " +
      "first; `check` and `report` are left out. With them the settings that a check and an " +
      "import take.",
    params: [own_project],
    answer: { kind: "json", schema: () => z.toJSONSchema(list_schema) },
    handle: ({ values: { project_id } }) => {
      const bare = { understood: null, report: null };
      const list = imports.list(project_id).map((it) => shown({ ...it, ...bare }));
      const answer = { imports: list, settings: shown_settings };
      return Response.json(answer satisfies z.input<typeof list_schema>);
    },
  });
}

function oneRoute({ imports }: Services): Route {
  return route({
    ...common,
    name: "import",
    method: "GET",
    path: one,
    summary: "One import",
    doc: "A file, how far it is, and what was found in it or became of its rows.",
    params: [id_param, own_project],
    answer: { kind: "json", schema: () => z.toJSONSchema(import_schema) },
    handle: ({ values: { project_id, id } }) => Response.json(shown(imports.get(project_id, id))),
  });
}

const works = {
  check: {
    path: `${one}/check`,
    summary: "Look through a file",
    doc: "Reads the file to its end and stores nothing. Answers at once: GET shows how far it " +
      "is, then how the file is understood, state checked. What can't be told is state refused, " +
      "with the settings that answer it in `asked`. One file of a project is read at a time; " +
      "others wait.",
  },
  import: {
    path: `${one}/import`,
    summary: "Import a file",
    doc: "Looks the file through, unless that was done with the same settings, and stores its " +
      "rows. Answers at once: GET shows how far it is, then the report, state imported: rows = " +
      "accepted + duplicates + rejected_count. To import a file again is safe: what is stored " +
      "already are duplicates.",
  },
} as const;

function workRoute(services: Services, work: keyof typeof works): Route {
  return route({
    ...common,
    ...works[work],
    name: `import_${work}`,
    method: "POST",
    params: [id_param, own_project],
    body: {
      media_types: ["application/json"],
      limit_bytes: import_limits.settings_bytes,
      doc: "How the file is to be read; what is left out is found by what is in it. The settings " +
        "have the names that a mapping file of `wattkeeper import` has.",
      schema: () => z.toJSONSchema(way_schema, { io: "input" }),
    },
    answer: { kind: "json", status: 202, schema: () => z.toJSONSchema(import_schema) },
    faults: ["conflict"],
    handle: async ({ request, values: { project_id, id } }) => {
      const data = await readOptionalData(request);
      const way = parseForm(way_schema, data, { refuse: refuseWay }) as ImportWay;
      projectOf(services, project_id);
      const sent = services.imports.start({ project_id, id, work, way });
      return Response.json(shown(sent), { status: 202 });
    },
  });
}

const refuseWay = (flaws: readonly Flaw[]) => refusal("the settings can't be read", flaws);

function cancelRoute({ imports }: Services): Route {
  return route({
    ...common,
    name: "import_cancel",
    method: "POST",
    path: `${one}/cancel`,
    summary: "Cancel an import",
    doc: "Ends what is done with the file. What was stored by then stays. Nothing happens where " +
      "nothing is done.",
    params: [id_param, own_project],
    answer: { kind: "json", schema: () => z.toJSONSchema(import_schema) },
    handle: async ({ values: { project_id, id } }) =>
      Response.json(shown(await imports.cancel(project_id, id))),
  });
}

function deleteRoute({ imports }: Services): Route {
  return route({
    ...common,
    name: "import_delete",
    method: "DELETE",
    path: one,
    summary: "Remove an import",
    doc: "Removes the file, and cancels what is done with it. The answer is what it was. Stored " +
      "rows stay.",
    params: [id_param, own_project],
    answer: { kind: "json", schema: () => z.toJSONSchema(import_schema) },
    handle: async ({ values: { project_id, id } }) =>
      Response.json(shown(await imports.remove(project_id, id))),
  });
}

const way_schema = map_schema.extend({
  format: z.enum(import_formats).optional().describe("Found by the content where left out."),
  lane: z.enum(["signal", "model", "forecast"]).optional()
    .describe("signal: measured values, the default. model: expected ones. forecast: forecasts."),
});

const reason_list = z.array(z.strictObject({
  reason: z.string(),
  count: z.int(),
  first: z.array(z.strictObject({ line: z.int(), tag: z.string().nullable() })),
}));

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
  proposed: z.record(z.string(), z.unknown()).describe("Settings that read the file alike."),
});

const import_schema = z.strictObject({
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
    duplicates: z.int(),
    rejected_count: z.int(),
    reasons: reason_list,
    whole: z.boolean().describe(
      "Every value is stored: none was rejected, and none replaced another one of the file " +
        "without repeats = last.",
    ),
  }).nullable().describe("What became of the rows so far."),
});

const list_schema = z.strictObject({
  imports: z.array(import_schema),
  settings: z.array(z.strictObject({
    name: z.string(),
    kind: z.enum(["text", "list", "count"]),
    doc: z.string(),
    choices: z.array(z.strictObject({ value: z.string(), example: z.string().nullable() })),
  })).describe("The settings; one with choices takes nothing else."),
});

const shown_settings = Object.entries(import_settings).map(([name, { kind, doc, choices }]) => ({
  ...{ name, kind, doc },
  choices: (choices ?? []).map((value) => ({ value, example: exampleOf(name, value) })),
}));

function exampleOf(setting: string, value: string): string | null {
  return setting === "time_format" ? time_forms[value as TimeForm].example : null;
}

function shown(sent: SentImport): z.input<typeof import_schema> {
  const { project_id, name, bytes, state, way, detail, refusal, asked, report } = sent;
  return {
    ...{ import_id: sent.id, project_id, name, bytes, arrived_bytes: sent.arrived_bytes },
    created_by: sent.user_id,
    ...{ created_at: instantText(sent.created_us), state, percent: Math.floor(100 * sent.share) },
    ...{ settings: way, detail, refusal, asked: [...asked] },
    check: sent.understood && shownCheck(sent.understood),
    report: report && {
      ...{ accepted: report.accepted, duplicates: report.duplicates },
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
    ...{ doubtful: it.doubtful, proposed: it.proposed },
  };
}
