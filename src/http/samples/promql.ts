// What asks a Prometheus, such as Grafana, asks a project's signals: queries, series, labels.
import { utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import {
  prom_series_doc,
  PromCatalog,
  type PromSeries,
  QueryTurns,
  requireFew,
} from "../../engine/signals/prom_series.ts";
import { type PromParts, PromQuery } from "../../engine/signals/prom_query.ts";
import type { Param } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { instantOf } from "../../wire/bytes/instant.ts";
import { streamJson } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { Gate } from "../frame/gate.ts";
import { invalid, parseInput } from "../frame/input.ts";
import { request_limits } from "../frame/limits.ts";
import type { ErrorForm } from "../frame/problem.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { printInstant, printLabels, printList, printRange } from "./prom_print.ts";

/** The project as a part of the address: everything of Prometheus is below one. */
export const project_path_param = {
  name: "project",
  in: "path",
  kind: "text",
  required: true,
  names: "project",
  doc: "Key or id of the project.",
} as const satisfies Param;

const string = { type: "string" } as const;
const form_type = "application/x-www-form-urlencoded";

/** The words of Prometheus for what is wrong. */
const errors: ErrorForm = {
  media_type: "application/json",
  schema: {
    type: "object",
    required: ["status", "errorType", "error"],
    properties: { status: { const: "error" }, errorType: string, error: string },
  },
  print: ({ code, detail: error }) => {
    const errorType = code === "invalid" ? "bad_data" : code;
    return JSON.stringify({ status: "error", errorType, error });
  },
};

/** An answer's data beside its status, for the API description. */
const answerOf = (data: object) => ({
  kind: "json",
  streamed: true,
  schema: {
    type: "object",
    required: ["status", "data"],
    properties: { status: { const: "success" }, data },
  },
} as const);

const texts = { type: "array", items: string } as const;
const points = { type: "array", items: {} } as const;
const result = {
  type: "object",
  required: ["resultType", "result"],
  properties: { resultType: { enum: ["matrix", "vector", "scalar"] }, result: points },
} as const;

function param<N extends string>(name: N, doc: string) {
  return {
    ...{ name, doc, in: "query", kind: "text", required: false, blank: true },
  } as const satisfies Param;
}

const query = param("query", "The query in PromQL.");
const ignored = [param("timeout", "Not used here."), param("limit", "Not used here.")] as const;
const matches = {
  ...param("match[]", "A selector of series; several: what any selects."),
  repeated: true,
} as const;
const within = [
  param("start", "Not used here: series are those of all time."),
  param("end", "Not used here."),
  ...ignored,
] as const;

/** One question of the API of Prometheus, asked with GET or with a form. */
type Question<P extends readonly Param[]> = {
  readonly name: string;
  /** Behind `/api/v1/`. */
  readonly path: string;
  readonly summary: string;
  readonly doc: string;
  readonly params: P;
  readonly data: object;
  /** The data of the answer, as a text of JSON in pieces. */
  readonly work: (asked: QuestionContext) => Promise<Iterable<string>> | Iterable<string>;
};

type QuestionContext = {
  readonly project: Project;
  readonly values: Asked;
  readonly signal: AbortSignal;
  readonly token_id: string;
};

/** What was asked: texts by name, a list of those that may be repeated. */
type Asked = Readonly<Record<string, string | readonly string[] | undefined>>;

type Questions = readonly Question<readonly Param[]>[];

/** The routes of questions about a project's signals. */
export function promQlRoutes(services: Services): readonly Route[] {
  const series = new PromCatalog(services.catalog);
  const questions = [
    ...queryQuestions({ ...services, series }),
    ...seriesQuestions(series),
    ...toolQuestions(services),
  ];
  return questions.flatMap((question) => {
    const isForm = ["query", "query_range", "series", "labels"].includes(question.path);
    return (["GET", "POST"] as const).slice(0, isForm ? 2 : 1)
      .map((method) => routeOf(services, question, method));
  });
}

const promql_bounds = {
  noun: "queries",
  running: request_limits.promql_in_flight,
  running_per_token: request_limits.promql_per_token,
  queued: request_limits.queued,
  queued_per_token: request_limits.queued_per_token,
} as const;

function queryQuestions({ effects, ...parts }: PromParts & Pick<Services, "effects">): Questions {
  const gate = new Gate(promql_bounds, effects);
  const worth = async (asked: QuestionContext, instants_us: readonly number[]) => {
    const { project, values, signal, token_id } = asked;
    const query = required("query", values.query);
    const leave = await gate.enter(token_id, asked);
    try {
      return await new PromQuery(parts, project, { instants_us, signal }).answer(query);
    } finally {
      leave();
    }
  };
  return [
    {
      name: "prometheus_query",
      path: "query",
      summary: "PromQL at an instant",
      doc: `The values of a query at a time. ${prom_series_doc} ${language_doc}`,
      params: [query, param("time", `${time_doc} By default now.`), ...ignored],
      data: result,
      work: async (asked) => {
        const instants_us = [timeOf("time", asked.values.time) ?? effects.now_us()];
        const found = await worth(asked, instants_us);
        return printInstant(found, instants_us[0]);
      },
    },
    {
      name: "prometheus_query_range",
      path: "query_range",
      summary: "PromQL over a range",
      doc: "The values of a query at start, and then every step up to end, at most " +
        `${sample_limits.prom_instants} of them. What can be asked is told at query.`,
      params: [
        ...[query, param("start", time_doc), param("end", `${time_doc} Included.`)],
        ...[param("step", "Seconds, or a duration such as 5m."), ...ignored],
      ],
      data: result,
      work: async (asked) => {
        const instants_us = await instantsOf(asked.values);
        const found = await worth(asked, instants_us);
        return printRange(found, instants_us);
      },
    },
  ];
}

function seriesQuestions(series: PromCatalog): Questions {
  const select = async ({ project, values, signal }: QuestionContext) => {
    const { parseSelector } = await promql();
    const selectors = list(values["match[]"]).map(parseSelector);
    return await series.select(project, selectors, new QueryTurns(signal));
  };
  return [
    {
      name: "prometheus_series",
      path: "series",
      summary: "Series as Prometheus names them",
      doc: "The labels of the series that match.",
      params: [matches, ...within],
      data: { type: "array", items: { type: "object" } },
      work: async (asked) => {
        if (list(asked.values["match[]"]).length === 0) throw invalid("match[]", "give a selector");
        const found = requireFew(await select(asked));
        return printList(found, ({ labels }: PromSeries) => printLabels(labels));
      },
    },
    {
      name: "prometheus_labels",
      path: "labels",
      summary: "Names of labels",
      doc: "The names of the labels that series have.",
      params: [matches, ...within],
      data: texts,
      work: async (asked) =>
        printList(series.words(await select(asked)), (word) => JSON.stringify(word)),
    },
    {
      name: "prometheus_label_values",
      path: "label/{name}/values",
      summary: "Values of a label",
      doc: "The values that series have of a label; of `__name__`, their metrics.",
      params: [
        { name: "name", in: "path", kind: "text", required: true, doc: "The label." },
        ...[matches, ...within],
      ],
      data: texts,
      work: async (asked) => {
        const words = series.words(await select(asked), String(asked.values.name));
        return printList(words, (word) => JSON.stringify(word));
      },
    },
  ];
}

/** What Grafana asks beside. */
function toolQuestions({ version }: Services): Questions {
  return [
    {
      name: "prometheus_metadata",
      path: "metadata",
      summary: "Metadata of metrics",
      doc: "None: Grafana asks for it.",
      params: [param("metric", "Not used here."), ...ignored],
      data: { type: "object" },
      work: () => ["{}"],
    },
    {
      name: "prometheus_rules",
      path: "rules",
      summary: "Rules in PromQL",
      doc: "None: Grafana asks for it. The rules here are read at /platform/v1/rules.",
      params: [param("type", "Not used here."), ...ignored],
      data: { type: "object", required: ["groups"], properties: { groups: points } },
      work: () => ['{"groups":[]}'],
    },
    {
      name: "prometheus_buildinfo",
      path: "status/buildinfo",
      summary: "Version, as Prometheus says it",
      doc: "A version of Prometheus whose questions are answered, for what wants to see one.",
      params: [],
      data: { type: "object" },
      work: () => [
        JSON.stringify({ version: "2.42.0", revision: `wattkeeper ${version}` }),
      ],
    },
  ];
}

/** A start has no use for its packages. */
const promql = () => import("../../wire/samples/promql.ts");

const time_doc = "Seconds since 1970, or a date-time with an offset.";

const language_doc = "Understood are selectors with `=`, `!=`, `=~` and `!~`, `offset`, `rate`, " +
  "`increase`, `delta`, `avg_over_time` and its like for sum, min, max, last and count, `sum`, " +
  "`avg`, `min`, `max` and `count` with `by` or `without`, arithmetic and comparisons with " +
  "numbers and between series of the same labels. A range is open at its start.";

function routeOf(
  services: Services,
  { name, path, work, ...question }: Question<readonly Param[]>,
  method: "GET" | "POST",
): Route {
  const isForm = method === "POST";
  return route<readonly Param[]>({
    ...question,
    name: isForm ? `${name}_form` : name,
    summary: isForm ? `${question.summary}, with a form` : question.summary,
    method,
    path: `/prometheus/{project}/api/v1/${path}`,
    params: [project_path_param, ...question.params],
    scope: "read",
    project: "project",
    ...(isForm ? { body: formOf(question.params) } : {}),
    answer: answerOf(question.data),
    errors,
    faults: ["gone"],
    handle: async (context) => {
      const { request, signal, grant } = context;
      const values = context.values as Asked & { readonly project: string };
      const form = isForm
        ? parseInput(question.params, { query: await request.text(), path: {} }) as Asked
        : {};
      const project = projectOf(services, values.project);
      const { token_id } = grant!;
      const data = await work({ project, values: merged(values, form), signal, token_id });
      return await streamJson(context, envelope(data));
    },
  });
}

function formOf(params: readonly Param[]) {
  const properties = params.map(({ name, doc, repeated }) =>
    [name, { ...(repeated ? texts : string), description: doc }] as const
  );
  return {
    media_types: [form_type],
    limit_bytes: request_limits.form_bytes,
    doc: "The parameters as a form; those in the address count as well.",
    schema: { type: "object", properties: Object.fromEntries(properties) },
  };
}

/** What a form says comes before what the address does. */
function merged(values: Asked, form: Asked): Asked {
  const said = Object.entries(form).filter(([, value]) => value !== undefined && value.length > 0);
  return { ...values, ...Object.fromEntries(said) };
}

async function* envelope(data: Iterable<string>): AsyncGenerator<Uint8Array> {
  yield utf8('{"status":"success","data":');
  for (const piece of data) yield utf8(piece);
  yield utf8("}\n");
}

function list(value: Asked[string]): readonly string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}

function required(name: string, value: Asked[string]): string {
  if (typeof value === "string") return value;
  const form = name === "step" ? ": give seconds, or a duration such as 5m" : "";
  throw invalid(name, `is required${form}`);
}

/** Microseconds of a time; undefined where it is not given. */
function timeOf(name: string, value: Asked[string]): number | undefined {
  if (typeof value !== "string") return undefined;
  const us = /^\d{1,11}(\.\d+)?$/.test(value) ? Math.round(Number(value) * 1e6) : instantOf(value);
  if (!Number.isNaN(us)) return us;
  throw invalid(name, "give seconds since 1970 or a date-time with an offset");
}

/** The instants of a range, at least one. Throws a `Fault` where it is none, or has too many. */
async function instantsOf(values: Asked): Promise<readonly number[]> {
  const [start, end] = ["start", "end"].map((name) => timeOf(name, required(name, values[name]))!);
  const { durationOf } = await promql();
  const step_us = durationOf(required("step", values.step));
  if (step_us <= 0) throw invalid("step", "give a step longer than nothing");
  if (end < start) throw invalid("end", "is before start");
  const count = Math.floor((end - start) / step_us) + 1;
  if (count > sample_limits.prom_instants) {
    const most = sample_limits.prom_instants;
    throw new Fault("invalid", `the range has ${count} steps, at most ${most}: take a longer step`);
  }
  return Array.from({ length: count }, (_, i) => start + i * step_us);
}
