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
import { type Format, format_names, formats } from "../../wire/format.ts";
import { columns_param } from "../frame/param.ts";
import { problem_schema, problems } from "../frame/problem.ts";
import { madeSchema, type Route, type RouteBody, type RouteHeader } from "../frame/route.ts";

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

/** The OpenAPI document of some routes. */
export function describe(routes: readonly Route[], version: string): object {
  const by_path = Map.groupBy(routes, (route) => route.path);
  const paths = [...by_path].map(([path, ofPath]) => [
    path,
    Object.fromEntries(ofPath.map((route) => [route.method.toLowerCase(), operation(route)])),
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
    servers: [{ url: "/" }],
    paths: Object.fromEntries(paths),
    webhooks: describeWebhooks(),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Token` with the token is understood as well.",
        },
        basic: { type: "http", scheme: "basic", description: "The token as the password." },
      },
      schemas: { Problem: problem_schema, ...rowSchemas(routes), ...webhookSchemas() },
      responses: { Problem: problem_response },
    },
  };
}

const problem_response = {
  description: "A problem document (RFC 9457): " +
    Object.values(problems).map(({ status, title }) => `${status} ${title}`).join(", ") + ".",
  headers: { "x-request-id": { schema: { type: "string" } } },
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
} as const;

function operation(route: Route): object {
  const { body } = route;
  return {
    operationId: route.name,
    summary: route.summary,
    description: route.doc,
    ...(route.deprecated ? { deprecated: true } : {}),
    security: route.scope === null || route.by_link ? [] : [{ bearer: [] }, { basic: [] }],
    ...(route.scope === null ? {} : { "x-scope": route.scope }),
    parameters: [...paramsOf(route).map(parameter), ...(route.headers ?? []).map(header)],
    ...(body
      ? {
        requestBody: {
          required: true,
          description: body.doc,
          content: Object.fromEntries(
            body.media_types.map((type) => [type, bodyContent(body)]),
          ),
        },
      }
      : {}),
    responses: {
      [successStatus(route)]: { description: route.summary, ...content(route) },
      default: errorAnswer(route),
    },
  };
}

function errorAnswer({ errors }: Route): object {
  if (errors === undefined) return { $ref: "#/components/responses/Problem" };
  const { media_type, schema } = errors;
  return {
    description: "What is wrong, in the form that clients of this endpoint read.",
    content: { [media_type]: { schema } },
  };
}

function successStatus({ answer }: Route): string {
  if (answer.kind === "nothing") return "204";
  return String(answer.kind === "json" ? answer.status ?? 200 : 200);
}

function content(route: Route): object {
  const { answer } = route;
  switch (answer.kind) {
    case "nothing":
      return {};
    case "text":
      return { content: { [answer.media_type]: { schema: { type: "string" } } } };
    case "bytes":
      return { content: Object.fromEntries(answer.media_types.map((type) => [type, {}])) };
    case "json":
      return { content: { "application/json": { schema: madeSchema(answer.schema) } } };
    case "events":
      return { content: { "text/event-stream": { schema: madeSchema(answer.schema) } } };
    case "stream":
    case "rows":
      return { content: streamContent(rowName(route)) };
  }
}

function bodyContent({ schema }: RouteBody) {
  return schema ? { schema: madeSchema(schema) } : {};
}

/** Every media type of a stream; JSON formats have the row's schema, the others are bytes. */
function streamContent(row: string): object {
  const ref = { $ref: `#/components/schemas/${row}` };
  const schemas: Record<Format, object> = {
    arrow: {},
    parquet: {},
    ndjson: { schema: ref },
    csv: { schema: { type: "string" } },
    json: { schema: { type: "array", items: ref } },
  };
  return Object.fromEntries(
    format_names.flatMap((format) =>
      formats[format].media_types.map((media_type) => [media_type, schemas[format]])
    ),
  );
}

function parameter(param: Param): object {
  const one = {
    ...param_schemas[param.kind],
    ...(param.values ? { enum: param.values } : {}),
    ...(param.minimum !== undefined ? { minimum: param.minimum } : {}),
    ...(param.maximum !== undefined ? { maximum: param.maximum } : {}),
    ...(param.default !== undefined ? { default: param.default } : {}),
    ...(param.example !== undefined ? { examples: [param.example] } : {}),
  };
  return {
    name: param.name,
    in: param.in,
    required: param.required,
    description: param.doc,
    schema: param.repeated ? { type: "array", items: one } : one,
    ...(param.repeated ? { style: "form", explode: true } : {}),
  };
}

function header({ name, required, doc }: RouteHeader): object {
  return { name, in: "header", required, description: doc, schema: { type: "string" } };
}

const param_schemas: Record<ParamKind, object> = {
  text: { type: "string" },
  instant: { type: "string", format: "date-time" },
  duration: { type: "string", format: "duration" },
  date: { type: "string", format: "date" },
  integer: { type: "integer" },
  flag: { type: "boolean" },
};

function rowSchemas(routes: readonly Route[]): Record<string, object> {
  const streams = routes.flatMap((route) =>
    "columns" in route.answer ? [[rowName(route), rowSchema(route.answer.columns)]] : []
  );
  return Object.fromEntries(streams);
}

/** `SignalsRow` of the route `signals`. */
function rowName({ name }: Route): string {
  const words = name.split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("") + "Row";
}

/** A request for each type of event. */
function describeWebhooks(): object {
  return Object.fromEntries(webhook_types.map((type) => [type, { post: webhookOperation(type) }]));
}

/** The schemas that they refer to. */
function webhookSchemas(): Record<string, object> {
  const data = Object.entries(webhook_data).map(([name, { doc, columns }]) => [
    name,
    { ...rowSchema(columns), description: doc },
  ]);
  return { WebhookEnvelope: rowSchema(envelope_columns), ...Object.fromEntries(data) };
}

function webhookOperation(type: WebhookType): object {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  return {
    operationId: `webhook_${type.replace(".", "_")}`,
    summary: webhook_docs[type],
    description: "Sent to every subscription that asks for it. Answer first, then do the work. " +
      "An event can come more than once, and events can come in a different order.",
    security: [],
    parameters: Object.entries(webhook_header_docs).map(([name, description]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: name === "x-svc-event-type" ? { type: "string", const: type } : { type: "string" },
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [ref("WebhookEnvelope")],
            type: "object",
            required: ["type", "data"],
            properties: {
              schema_version: { type: "integer", const: 1 },
              type: { type: "string", const: type },
              data: ref(webhookDataName(type)),
            },
          },
        },
      },
    },
    responses: webhook_answers,
  };
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
