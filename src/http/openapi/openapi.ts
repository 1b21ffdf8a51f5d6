// The API description: OpenAPI 3.1, derived from the tables of routes, parameters and columns.
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param, ParamKind } from "../../model/data/param.ts";
import {
  envelope_columns,
  webhook_data,
  webhook_header_docs,
  webhookDataName,
} from "../../model/webhooks/shape.ts";
import { webhook_docs, webhook_types, type WebhookType } from "../../model/webhooks/webhook.ts";
import { limits } from "../../base/limits.ts";
import { format_names, formats } from "../../wire/format.ts";
import { match_header } from "../frame/condition.ts";
import { columns_param } from "../frame/param.ts";
import { problem_schema, type ProblemCode, problems } from "../frame/problem.ts";
import { areas, madeSchema, type Route, type RouteHeader } from "../frame/route.ts";
import { pascal, Shapes } from "./shapes.ts";

/** The parameter that every streaming route takes beside its own. */
export const format_param = {
  name: "format",
  in: "query",
  kind: "text",
  required: false,
  values: format_names,
  doc: "Format of the answer, for clients that cannot set the Accept header. It has priority " +
    "over the header.",
} as const satisfies Param;

/** Every parameter of a route, the format and the columns included. */
export function paramsOf(route: Route): readonly Param[] {
  const { answer: { kind }, params } = route;
  if (kind === "rows") return [...params, columns_param, { ...format_param, doc: rows_doc }];
  return kind === "stream" ? [...params, columns_param, format_param] : params;
}

const rows_doc = "Format of the answer: JSON unless this names another one. In CSV, Arrow and " +
  "Parquet lists and objects are JSON texts, and what is left out of a row is null.";

/** Whether every media type of a body or an answer is described, or one alone. */
export const described_forms = ["all", "one"] as const;

/** What descriptions of operations are made with. */
type Pen = { readonly shapes: Shapes; readonly forms: typeof described_forms[number] };

/** The OpenAPI document of some routes. */
export function describe(
  routes: readonly Route[],
  { version, forms }: { readonly version: string; readonly forms: Pen["forms"] },
): object {
  const shapes = new Shapes();
  const problem = shapes.add({ ...problem_schema, title: "Problem" }, "Problem");
  const operations = routes.map((route) => [route, operation(route, { shapes, forms })] as const);
  const hooks = webhook_types.map((type) => [type, webhookOperation(type, shapes)] as const);
  const components = shapes.components();
  const by_path = Map.groupBy(operations, ([{ path }]) => path);
  const paths = [...by_path].map(([path, ofPath]) => [
    path,
    Object.fromEntries(ofPath.map(([route, make]) => [route.method.toLowerCase(), make()])),
  ]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Wattkeeper",
      version,
      description: "Monitoring of solar plants and batteries: signals, performance, " +
        "availability, alarms, work.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that gave this description." }],
    tags: Object.values(areas).map(({ title, doc }) => ({ name: title, description: doc })),
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(hooks.map(([type, make]) => [type, { post: make() }])),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Token` with the token is understood as well.",
        },
        basic: { type: "http", scheme: "basic", description: "The token as the password." },
      },
      schemas: components,
      responses: problemResponses(problem()),
    },
  };
}

/** Those of an operation: another method is not one. */
const problem_names = (Object.keys(problems) as readonly ProblemCode[])
  .filter((code) => code !== "method_not_allowed");

/** The answers that say what is wrong, one for each kind of problem, and one for any. */
function problemResponses(schema: object): object {
  const content = { "application/problem+json": { schema } };
  const headers = {
    "x-request-id": { description: "Id of the request.", schema: { type: "string" } },
  };
  const retry = {
    "retry-after": {
      description: "Seconds after which it is worth trying again.",
      schema: { type: "integer" },
    },
  };
  const named = problem_names.map((code) => {
    const again = code === "too_many" || code === "unavailable" ? retry : {};
    return [pascal(code), {
      description: `${problems[code].title}: a problem document (RFC 9457).`,
      headers: { ...headers, ...again },
      content,
    }];
  });
  const description = "Anything else that is wrong: a problem document (RFC 9457).";
  return { ...Object.fromEntries(named), Problem: { description, headers, content } };
}

/** What a route can find wrong. */
export function problemsOf(route: Route): readonly ProblemCode[] {
  const { answer, body, faults = [], headers = [], method, params, scope } = route;
  const changes = method !== "GET" && scope !== null && scope !== "read" && scope !== "ingest";
  const hasPath = params.some((param) => param.in === "path");
  const found: readonly (readonly ProblemCode[] | false)[] = [
    ["invalid", "too_large", "internal", "unavailable"],
    scope !== null && ["unauthorized", "forbidden", "too_many"],
    hasPath && ["not_found"],
    answer.kind === "stream" && ["not_acceptable"],
    body !== undefined && ["timeout", "unsupported_media"],
    changes && ["conflict"],
    headers.some(({ name }) => name === match_header.name) && ["precondition_failed"],
    route.noun !== undefined && ["not_available"],
    faults,
  ];
  const codes = new Set(found.flatMap((it) => it || []));
  return problem_names.filter((code) => codes.has(code));
}

/** Whether it answers 304 to who has what it would give. */
function isTagged({ is_tagged, answer }: Route): boolean {
  return is_tagged === true || answer.kind === "json" && answer.tagged === true;
}

/** What makes the description of a route once all shapes have names. */
function operation(route: Route, pen: Pen): () => object {
  const { area = "operation", name, scope } = route;
  const params = paramsOf(route).map((param) => parameter(param, { ...pen, route }));
  const body = bodyOf(route, pen);
  const success = content(route, pen);
  const errors = errorAnswers(route, pen);
  return () => ({
    operationId: name,
    tags: [areas[area].title],
    summary: route.summary,
    description: route.doc,
    ...(route.deprecated ? { deprecated: true } : {}),
    security: scope === null || route.by_link ? [] : [{ bearer: [] }, { basic: [] }],
    ...(scope === null ? {} : { "x-scope": scope }),
    parameters: [...params.map((make) => make()), ...(route.headers ?? []).map(header)],
    ...body(),
    responses: {
      ...Object.fromEntries(
        successStatuses(route).map((
          status,
        ) => [status, { description: `${route.summary}.`, ...success() }]),
      ),
      ...(isTagged(route) ? { 304: not_modified } : {}),
      ...errors(),
    },
  });
}

/** What a browser gets that is not sent on. */
const why_page = {
  description: "Nobody is signed in: a page that says why.",
  content: { "text/html": { schema: { type: "string" } } },
} as const;

function errorAnswers(route: Route, { shapes }: Pen): () => object {
  const { errors } = route;
  const codes = problemsOf(route);
  if (errors === undefined) {
    const ref = (name: string) => ({ $ref: `#/components/responses/${name}` });
    const named = codes.map((code) => [problems[code].status, ref(pascal(code))]);
    const page = route.answer.kind === "redirect" ? { 403: why_page } : {};
    return () => ({ ...Object.fromEntries(named), ...page, default: ref("Problem") });
  }
  const { media_type, schema } = errors;
  const made = shapes.add(schema, pascal(`${route.name}_error`));
  return () => {
    const content = { [media_type]: { schema: made() } };
    const description = "What is wrong, in the form that clients of this endpoint read.";
    const named = codes.map((code) => [
      problems[code].status,
      { description: `${problems[code].title}: in the form that its clients read.`, content },
    ]);
    return { ...Object.fromEntries(named), default: { description, content } };
  };
}

const not_modified = { description: "Not modified: it is what If-None-Match names." } as const;

/** The status of each kind of success. */
function successStatuses({ answer }: Route): readonly number[] {
  if (answer.kind === "nothing") return [204];
  if (answer.kind === "redirect") return [answer.status];
  if (answer.kind !== "json") return [200];
  const { status = 200, also } = answer;
  return also === undefined ? [status] : [status, also];
}

function content({ answer, name }: Route, { shapes, forms }: Pen): () => object {
  switch (answer.kind) {
    case "nothing":
    case "redirect":
      return () => ({});
    case "text":
      return () => ({ content: { [answer.media_type]: { schema: text } } });
    case "bytes":
      return () => ({ content: contentOf(answer.media_types, { forms, schemaOf: fileOf }) });
    case "events":
      return () => ({ content: { "text/event-stream": { schema: event_text } } });
    case "json": {
      const schema = shapes.add(madeSchema(answer.schema), pascal(`${name}_answer`));
      return () => ({ content: { "application/json": { schema: schema() } } });
    }
    case "stream":
    case "rows": {
      const row = shapes.add(rowSchema(answer.columns, answer.row), answer.row);
      const schemaOf = (type: string) => rowsOf(type, row());
      return () => ({ content: contentOf(stream_types, { forms, schemaOf }) });
    }
  }
}

/** What is said of each media type: of all, or of JSON alone, or else of the first. */
function contentOf(
  media_types: readonly string[],
  { forms, schemaOf, examples = {} }: {
    readonly forms: Pen["forms"];
    readonly schemaOf: (media_type: string) => object;
    readonly examples?: Readonly<Record<string, unknown>>;
  },
): Readonly<Record<string, object>> {
  const [first] = media_types;
  const one = media_types.includes("application/json") ? "application/json" : first;
  return Object.fromEntries(
    (forms === "one" ? [one] : media_types).map((type) => [type, {
      schema: schemaOf(type),
      ...(type in examples ? { examples: { usual: { value: examples[type] } } } : {}),
    }]),
  );
}

const text = { type: "string" } as const;
const bytes = { type: "string", format: "binary" } as const;
const event_text = { ...text, description: "Server-sent events, whose data is JSON." } as const;

/** Of a file; one that is JSON holds what was asked for, whatever that is. */
function fileOf(media_type: string): object {
  if (media_type === "application/json") return {};
  return media_type.startsWith("text/") ? text : bytes;
}

/** JSON first: it is what generators of clients take. */
const stream_types = format_names.flatMap((format) => formats[format].media_types)
  .toSorted((a, b) => Number(b === "application/json") - Number(a === "application/json"));

function rowsOf(media_type: string, row: object): object {
  if (media_type === "application/json") return { type: "array", items: row };
  if (media_type === "text/csv") return { ...text, description: "A header, then a row a line." };
  if (/json/.test(media_type)) return { ...text, description: "A row a line, each as JSON." };
  return bytes;
}

function bodyOf({ body, name }: Route, { shapes, forms }: Pen): () => object {
  if (body === undefined) return () => ({});
  const { doc: description, examples, media_types, optional, row, schema } = body;
  const one = row && shapes.add(madeSchema(row), pascal(`${name}_row`));
  const whole = schema && shapes.add(madeSchema(schema), pascal(`${name}_body`));
  // What is not JSON may be compressed, or is no text at all.
  const schemaOf = (type: string) => {
    if (!/^application\/(json|x-www-form-urlencoded)$/.test(type)) return bytes;
    return one ? rowsOf(type, one()) : whole!();
  };
  return () => ({
    requestBody: {
      required: !optional,
      description,
      content: contentOf(media_types, { forms, schemaOf, examples }),
    },
  });
}

function parameter(
  param: Param,
  { forms, route, shapes }: Pen & { readonly route: Route },
): () => object {
  const isFormat = param.name === format_param.name && param.values === format_param.values;
  const schema = shapes.add(
    {
      ...(param.blank || param.values ? text : param_schemas[param.kind]),
      ...(param.values ? { enum: param.values } : {}),
      ...(param.minimum !== undefined ? { minimum: param.minimum } : {}),
      ...(param.maximum !== undefined ? { maximum: param.maximum } : {}),
      ...(param.default !== undefined ? { default: param.default } : {}),
      ...(isFormat && forms === "one" ? { enum: ["json"], default: "json" } : {}),
      ...(param.example !== undefined ? { examples: [param.example] } : {}),
    },
    pascal(`${route.name}_${param.name}`),
    pascal(param.name),
  );
  const bounds = { minItems: param.required ? 1 : 0, maxItems: limits.repeated_values };
  return () => ({
    name: param.name,
    in: param.in,
    required: param.required,
    description: param.doc,
    schema: param.repeated ? { type: "array", items: schema(), ...bounds } : schema(),
    ...(param.repeated ? { style: "form", explode: true } : {}),
  });
}

function header({ name, required, doc }: RouteHeader): object {
  return { name, in: "header", required, description: doc, schema: { type: "string" } };
}

const param_schemas: Record<ParamKind, object> = {
  text: { type: "string", minLength: 1 },
  instant: { type: "string", format: "date-time" },
  duration: { type: "string", pattern: "^(P.+|[0-9]+[smhd])$" },
  time: { type: "string" },
  integer: { type: "integer" },
  flag: { type: "boolean" },
};

/** A request for each type of event. */
function webhookOperation(type: WebhookType, shapes: Shapes): () => object {
  const name = webhookDataName(type);
  const { doc, columns } = webhook_data[name];
  const envelope = shapes.add(rowSchema(envelope_columns, "WebhookEnvelope"), "WebhookEnvelope");
  const data = shapes.add({ ...rowSchema(columns, name), description: doc }, name);
  return () => ({
    operationId: `webhook_${type.replace(".", "_")}`,
    tags: ["Webhooks"],
    summary: webhook_docs[type],
    description: "Sent to every subscription that asks for it. Answer first, then do the work. " +
      "An event can come more than once, and events can come in a different order.",
    security: [],
    parameters: Object.entries(webhook_header_docs).map(([name, description]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: name === "x-svc-event-type" ? { type: "string", const: type } : text,
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [envelope()],
            type: "object",
            required: ["type", "data"],
            properties: {
              schema_version: { type: "integer", const: 1 },
              type: { type: "string", const: type },
              data: data(),
            },
          },
        },
      },
    },
    responses: webhook_answers,
  });
}

const webhook_answers = {
  "2XX": { description: "Accepted: it is not sent again." },
  "410": { description: "Gone: the subscription is disabled." },
  "429": {
    description: "Too many requests: it is sent again after Retry-After (one day at most), or " +
      "after a minute.",
  },
  "503": {
    description: "Unavailable: it is sent again after Retry-After (one day at most), or after a " +
      "minute.",
  },
  default: { description: "Not accepted: it is sent again later. Redirects are not followed." },
} as const;
