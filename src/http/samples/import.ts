// Imports of files under /ingest/v1/imports: sent, looked through, stored, followed, removed.
import * as z from "zod";
import { Fault, type Flaw, refusal } from "../../base/fault.ts";
import type { ImportWay } from "../../engine/ingest/sent_file.ts";
import type { Param } from "../../model/data/param.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { import_limits } from "../../engine/ingest/limits.ts";
import { projectOf } from "../frame/auth.ts";
import { bytesOf } from "../frame/body.ts";
import { readOptionalData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import {
  import_schema,
  list_schema,
  shown_settings,
  shownImport,
  way_schema,
} from "./import_shape.ts";

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
      return Response.json(shownImport(sent), { status: 201 });
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
      Response.json(
        shownImport(await imports.append({ project_id, id, offset }, bytesOf(request))),
      ),
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
      const list = imports.list(project_id).map((it) => shownImport({ ...it, ...bare }));
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
    handle: ({ values: { project_id, id } }) =>
      Response.json(shownImport(imports.get(project_id, id))),
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
      return Response.json(shownImport(sent), { status: 202 });
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
      Response.json(shownImport(await imports.cancel(project_id, id))),
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
      Response.json(shownImport(await imports.remove(project_id, id))),
  });
}
