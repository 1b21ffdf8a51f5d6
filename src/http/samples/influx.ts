// The doors of InfluxDB 1, 2 and 3: what writes to one writes line protocol into a project.
import { Fault } from "../../base/fault.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import type { Param } from "../../model/data/param.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import { decodeLines } from "../../wire/samples/decode_line.ts";
import { line_doc, type Precision, precisions } from "../../wire/samples/line_text.ts";
import { projectOf, reachedProject } from "../frame/auth.ts";
import { request_limits } from "../frame/limits.ts";
import type { ErrorForm } from "../frame/problem.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { partialWrite, storeBody } from "./ingest.ts";

/** What clients of InfluxDB write with, and what they ask when they connect. */
export function influxRoutes(services: Services): readonly Route[] {
  return [
    ...[writeRoute(services), writeRoute2(services), writeRoute3(services)],
    ...[queryRoute(services, "GET"), queryRoute(services, "POST")],
    ...[bucketsRoute(services), pingRoute(services)],
  ];
}

/** A parameter of these clients that says the project, or something that is not used here. */
function text<N extends string>(name: N, doc: string) {
  return {
    ...{ name, doc, in: "query", kind: "text", required: false, blank: true },
  } as const satisfies Param;
}

function project<N extends string>(name: N) {
  const param = text(name, "Key or id of the project.");
  return { ...param, required: true, names: "project" } as const satisfies Param;
}

function unit<const D extends Precision>(usual: D) {
  return {
    ...text("precision", "Unit of the timestamps. auto: what their number of digits tells."),
    values: precisions,
    default: usual,
  } as const;
}

const unused = "Not used here.";
const user = text("u", "User name. " + unused);
const password = text(
  "p",
  "The token, for clients that send it so. Proxies may keep addresses: prefer the header.",
);

const accept_partial = {
  ...text("accept_partial", "Only true: rows are stored or rejected one by one."),
  values: ["true"],
} as const satisfies Param;

const no_sync = text("no_sync", "Not used: every answer waits for the disk.");

const write_doc = "Stores line protocol as /ingest/v1/line does, and answers 204 once all of it " +
  "is on disk. Where lines or samples were rejected it answers 400, with the first of them and " +
  `why: a partial write; the others are stored. ${line_doc}`;

const write = {
  method: "POST",
  scope: "ingest",
  body: {
    media_types: ["text/plain"],
    limit_bytes: body_limits.body_bytes,
    doc: "One point per line, plain or compressed with gzip or zstd.",
    streamed: true,
  },
  answer: { kind: "nothing" },
} as const;

function writeRoute(services: Services): Route {
  return route({
    ...write,
    name: "influx_write",
    path: "/write",
    summary: "Write as to InfluxDB 1",
    doc: `For outputs.influxdb of Telegraf and clients of InfluxDB 1. ${write_doc}`,
    project: "db",
    token_param: "p",
    params: [
      project("db"),
      unit("ns"),
      user,
      password,
      text("rp", unused),
      text("consistency", unused),
    ],
    errors: errors_1,
    handle: (context) => store(services, context, context.values.db),
  });
}

function writeRoute2(services: Services): Route {
  return route({
    ...write,
    name: "influx_write_2",
    path: "/api/v2/write",
    summary: "Write as to InfluxDB 2",
    doc: `For outputs.influxdb_v2 of Telegraf and clients of InfluxDB 2. ${write_doc}`,
    project: "bucket",
    params: [project("bucket"), unit("ns"), text("org", unused), text("orgID", unused)],
    errors: errors_2,
    handle: (context) => store(services, context, context.values.bucket),
  });
}

function writeRoute3(services: Services): Route {
  return route({
    ...write,
    name: "influx_write_3",
    path: "/api/v3/write_lp",
    summary: "Write as to InfluxDB 3",
    doc: write_doc,
    project: "db",
    params: [project("db"), unit("auto"), accept_partial, no_sync, text("org", unused)],
    errors: errors_3,
    handle: (context) => store(services, context, context.values.db),
  });
}

type WriteContext = Pick<RouteContext<[]>, "request" | "meter"> & {
  readonly values: { readonly precision: Precision };
};

async function store(
  services: Services,
  context: WriteContext,
  project_id: string,
): Promise<Response> {
  const find = () => projectOf(services, project_id);
  const times = {
    precision: context.values.precision,
    now_us: services.effects.now_us(),
  };
  const answer = await storeBody(
    services,
    { ...context, find },
    (bytes, options) => decodeLines(bytes, { ...times, ...options }),
  );
  if (answer.rejected_count > 0) throw partialWrite(answer);
  return new Response(null, { status: 204 });
}

const string = { type: "string" } as const;

/** Telegraf keeps what it could not write only where it reads "database not found". */
const errors_1: ErrorForm = {
  media_type: "application/json",
  schema: { type: "object", required: ["error"], properties: { error: string } },
  print: ({ code, detail }) =>
    JSON.stringify({ error: code === "forbidden" ? `database not found: ${detail}` : detail }),
};

const errors_2: ErrorForm = {
  media_type: "application/json",
  schema: {
    type: "object",
    required: ["code", "message"],
    properties: { code: string, message: string },
  },
  print: ({ code, detail }) => JSON.stringify({ code: code.replaceAll("_", " "), message: detail }),
};

const errors_3: ErrorForm = {
  media_type: "application/json",
  schema: {
    type: "object",
    required: ["error"],
    properties: {
      error: string,
      data: {
        type: "array",
        description: "Of a partial write: the first of what was rejected.",
        items: {
          type: "object",
          required: ["error_message", "line_number"],
          properties: { error_message: string, line_number: { type: "integer" } },
        },
      },
    },
  },
  print: ({ detail, errors = [] }) => {
    const data = errors.flatMap(({ path, message }) => {
      const line = /^line (\d+)$/.exec(path)?.[1];
      return line ? [{ error_message: message, line_number: Number(line) }] : [];
    });
    if (data.length === 0) return JSON.stringify({ error: detail });
    return JSON.stringify({ error: "partial write of line protocol occurred", data });
  },
};

/** The name is bare, or in quotes with escapes. */
const create_database = /^CREATE\s+DATABASE\s+("(?:[^"\\]|\\.)+"|[\w.-]+)(?:\s+WITH\s.+)?$/i;
const show_databases = /^SHOW\s+DATABASES$/i;

const results_schema = {
  type: "object",
  required: ["results"],
  properties: { results: { type: "array", items: { type: "object" } } },
} as const;

function queryRoute(services: Services, method: "GET" | "POST"): Route {
  return route({
    name: `influx_query_${method.toLowerCase()}`,
    method,
    path: "/query",
    summary: method === "GET" ? "Projects as databases" : "Projects as databases, with POST",
    doc: "What clients of InfluxDB 1 ask when they connect. `SHOW DATABASES` lists the projects " +
      "that the token reaches. `CREATE DATABASE` makes nothing: it says whether the project, by " +
      "key or id, is there for the token. Any other query gets 400: data are read under /platform.",
    scope: "ingest",
    project: null,
    token_param: "p",
    any_query: true,
    params: [text("q", "The query, or in the body."), user, password],
    ...(method === "GET" ? {} : {
      body: {
        media_types: ["application/x-www-form-urlencoded"],
        limit_bytes: request_limits.form_bytes,
        doc: "`q` as a form, where it is not in the address.",
        schema: { type: "object", properties: { q: string } },
      },
    }),
    answer: { kind: "json", schema: results_schema },
    errors: errors_1,
    handle: async ({ request, grant }) => {
      const query = new URL(request.url).searchParams.get("q") ??
        new URLSearchParams(await request.text()).get("q") ?? "";
      const series = answerQuery(services, grant!, query.trim());
      return Response.json({ results: [{ statement_id: 0, ...series }] });
    },
  });
}

/** The series of a statement's result. Throws a `Fault` (invalid, forbidden). */
function answerQuery(services: Services, grant: Grant, text: string): object {
  const query = text.endsWith(";") ? text.slice(0, -1).trimEnd() : text;
  if (show_databases.test(query)) {
    const values = reachedOf(services, grant).map(({ key }) => [key]);
    return { series: [{ name: "databases", columns: ["name"], values }] };
  }
  const [, quoted] = create_database.exec(query) ?? [];
  if (quoted === undefined) {
    const wanted = "send SHOW DATABASES or CREATE DATABASE";
    throw new Fault("invalid", `${wanted}; read data with GET /platform/v1/signals`);
  }
  const name = quoted.replace(/^"(.*)"$/, "$1").replaceAll(/\\(.)/g, "$1");
  reachedProject(services, { grant, name });
  return {};
}

function reachedOf({ catalog }: Services, grant: Grant) {
  return catalog.projects.filter((project) => reaches(grant, project));
}

function bucketsRoute(services: Services): Route {
  return route({
    name: "influx_buckets",
    method: "GET",
    path: "/api/v2/buckets",
    summary: "Projects as buckets",
    doc: "The projects that the token reaches, as clients of InfluxDB 2 look up a bucket.",
    scope: "ingest",
    project: null,
    any_query: true,
    params: [text("name", "Only the project of this key.")],
    answer: {
      kind: "json",
      schema: {
        type: "object",
        required: ["buckets"],
        properties: { buckets: { type: "array", items: { type: "object" } } },
      },
    },
    errors: errors_2,
    handle: ({ request, grant }) => {
      const name = new URL(request.url).searchParams.get("name");
      const buckets = reachedOf(services, grant!).filter(({ key }) => name === null || key === name)
        .map(({ id, organization_id, key }) => (
          { id, orgID: organization_id, name: key, type: "user", retentionRules: [] }
        ));
      return Response.json({ buckets });
    },
  });
}

/** The version whose writes clients may expect. */
const influx_version = "1.8.10";

function pingRoute({ version }: Services): Route {
  return route({
    name: "influx_ping",
    method: "GET",
    path: "/ping",
    summary: "Whether the service answers, as InfluxDB says it",
    doc: "The header x-influxdb-version names a version of InfluxDB 1 for clients that want to " +
      "see one, x-influxdb-build that of this service.",
    scope: null,
    project: null,
    any_query: true,
    params: [],
    answer: { kind: "nothing" },
    handle: () =>
      new Response(null, {
        status: 204,
        headers: {
          "x-influxdb-version": influx_version,
          "x-influxdb-build": `wattkeeper ${version}`,
        },
      }),
  });
}
