// SQL: over views of what the interface reads, by its projects; over the tables, for operators.
import * as z from "zod";
import { Fault, type Flaw, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { type Question, Questions } from "../../engine/query/query.ts";
import { service_limits } from "../../engine/service/limits.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { noteUpTo, textUpTo } from "../../model/data/text_form.ts";
import type { Project } from "../../model/plant/plant.ts";
import { query_limits } from "../../model/query/limits.ts";
import { isTimezone, zoneFlaw } from "../../model/time/zone.ts";
import { type Format, format_names, formats, mediaTypeOf, negotiate } from "../../wire/format.ts";
import { reachedProject, requireWholeReach } from "../frame/auth.ts";
import { Gate } from "../frame/gate.ts";
import { readData } from "../frame/json_body.ts";
import { request_limits } from "../frame/limits.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { documentPage } from "../page/document.ts";
import { code, row, table } from "../page/html.ts";
import guide from "./query.md" with { type: "text" };
import { supply } from "./supply.ts";
import { type View, viewsOf } from "./view.ts";

/** What is asked, as a body says it, or a link keeps it. */
export const question_form = z.strictObject({
  sql: noteUpTo(query_limits.sql_length).describe("One SELECT over the views of /docs/query."),
  projects: z.array(textUpTo(limits.name_length)).min(1).max(query_limits.projects).optional()
    .describe("Projects, by id or key; left out: all that the token reaches."),
  format: z.enum(format_names).optional().describe("Form of the answer; by default Accept says."),
  timezone: textUpTo(limits.name_length).default("UTC")
    .describe("IANA zone of days, and of times without an offset."),
});

/** What is asked. */
export type Asked = z.output<typeof question_form>;

const refuse = (flaws: readonly Flaw[]) => refusal("the query can't be read", flaws);

/** Answers questions in SQL; few at once. */
export class Asking {
  readonly #routes: readonly Route[];
  readonly #services: Services;
  readonly #questions: Questions;
  readonly #gate: Gate;
  #views: readonly View[] | undefined;

  constructor(services: Services, routes: readonly Route[]) {
    this.#services = services;
    this.#routes = routes;
    this.#questions = new Questions(services);
    this.#gate = new Gate({
      noun: "queries",
      whose: "organization",
      running: query_limits.running,
      running_per_token: query_limits.running_per_token,
      queued: request_limits.queued,
      queued_per_token: request_limits.queued_per_token,
    }, services.effects);
  }

  /** What can be asked; made when it is first needed: schemas of answers take long. */
  get views(): readonly View[] {
    return (this.#views ??= viewsOf(this.#routes));
  }

  /** The bytes of an answer. Throws a `Fault` as `Questions` does. */
  async answer(
    asked: Asked,
    { grant, outer, format }: {
      readonly grant: Grant;
      readonly outer: RouteContext<[]>;
      readonly format: Format;
    },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { sql, timezone } = asked;
    if (!isTimezone(timezone)) throw refuse([{ path: "timezone", message: zoneFlaw(timezone) }]);
    const projects = projectsOf(this.#services, { asked, grant });
    const views = this.views.map(({ name, columns, times, words }) => (
      { name, columns, times, words }
    ));
    const question: Question = { sql, timezone, format, views };
    // Tokens are made at will: the share is an organization's.
    const whose = grant.organization_id ?? grant.token_id;
    const leave = await this.#gate.enter(whose, outer);
    try {
      return await this.#questions.answer(question, {
        signal: outer.signal,
        load: (wanted, place) =>
          supply(this.#services, { views: this.views, wanted }, {
            ...{ projects, grant, outer },
            ...place,
          }),
      });
    } finally {
      leave();
    }
  }
}

/** The projects that are asked for, or all that the grant reaches. */
function projectsOf(
  services: Services,
  { asked: { projects: names }, grant }: { readonly asked: Asked; readonly grant: Grant },
): readonly Project[] {
  if (names) return [...new Set(names.map((name) => reachedProject(services, { grant, name })))];
  const all = services.catalog.projects.filter((project) => reaches(grant, project));
  if (all.length <= query_limits.projects) return all;
  const what = `the token reaches ${all.length} projects, of which a query reads at most`;
  throw new Fault("invalid", `${what} ${query_limits.projects}: name some in projects`);
}

/** The views with their columns, and what links are. */
export function queryPage(routes: readonly Route[]): Promise<string> {
  const views = viewsOf(routes);
  return documentPage(guide, {
    views: table(
      ["view", "as", "columns", ""],
      views.map(({ name, route, columns, doc }) =>
        row([code(name), code(route.path), columns.map((it) => it.name).join(", "), doc])
      ),
    ),
  });
}

/** A question in SQL. */
export function sqlRoutes(asking: Asking): readonly Route[] {
  return [
    route({
      name: "sql_query",
      method: "POST",
      path: "/platform/v1/query",
      summary: "Ask with SQL",
      doc: "Runs one SELECT over views of what the other endpoints read, for the projects that " +
        `the token reaches. /docs/query lists the views and their columns. A query takes at most ` +
        `${query_limits.query_ms / 1000} s, ${query_limits.memory_mb} MiB of memory, and ` +
        `${query_limits.source_rows} rows of the views; its answer has at most ` +
        `${query_limits.answer_rows} rows and ${query_limits.answer_bytes / 1024 / 1024} MiB. ` +
        "Nothing but the views can be read, and nothing changed.",
      scope: "query",
      project: null,
      params: [],
      body: {
        media_types: ["application/json"],
        limit_bytes: query_limits.body_bytes,
        doc: "The question, and the form of the answer.",
        schema: () => z.toJSONSchema(question_form, { io: "input" }),
      },
      answer: {
        kind: "bytes",
        media_types: format_names.flatMap((name) => formats[name].media_types.slice(0, 1)),
      },
      handle: async (context) => {
        const { request, grant } = context;
        const asked = parseForm(question_form, await readData(request), { refuse });
        const accept = request.headers.get("accept");
        const format = asked.format ?? negotiate(accept, null);
        const bytes = await asking.answer(asked, { grant: grant!, outer: context, format });
        const media_type = mediaTypeOf(format, asked.format ? null : accept);
        return new Response(bytes, { headers: { "content-type": media_type } });
      },
    }),
  ];
}

/** An operator's SELECT on the tables, by tokens that reach every organization: they hold all. */
export function operatorRoutes({ queries }: Services): readonly Route[] {
  return [
    route({
      name: "query",
      method: "POST",
      path: "/admin/v1/query",
      summary: "Read the database with SQL",
      doc: "Runs one SELECT on the tables of the service, for " +
        `${service_limits.query_ms / 1000} s and ` +
        `${service_limits.query_bytes / 1024 / 1024} MiB of answer at most. Tables with secrets, ` +
        "files and other databases can't be read. The tables may change with each version. " +
        `${service_limits.queries} queries run at once; more get 429. A function on long texts ` +
        "can't be interrupted: it may go on after its answer, and keeps its place until it ends. " +
        "A node of a fleet is told with `shard` in the address whose tables.",
      scope: "admin",
      project: null,
      params: [],
      body: {
        media_types: ["application/json"],
        limit_bytes: service_limits.query_body_bytes,
        doc: "The statement, and the form of the answer.",
        schema: () => z.toJSONSchema(operator_form, { io: "input" }),
      },
      answer: { kind: "bytes", media_types: [operator_types.csv, operator_types.json] },
      handle: async ({ request, grant, signal }) => {
        requireWholeReach(grant!);
        const query = parseForm(operator_form, await readData(request), { refuse });
        const text = await queries.answer(query, { signal });
        return new Response(text, {
          headers: { "content-type": query.json ? operator_types.json : operator_types.csv },
        });
      },
    }),
  ];
}

const operator_types = { csv: "text/csv; charset=utf-8", json: "application/x-ndjson" } as const;

const operator_form = z.strictObject({
  sql: z.string().min(1).describe("One SELECT statement."),
  json: z.boolean().default(false).describe("One JSON object a line instead of CSV."),
});
