// Links that read one thing without a header: made, listed, removed, and read.
import * as z from "zod";
import type { Meter } from "../../base/budget.ts";
import { concat } from "../../base/bytes.ts";
import { Fault, type Flaw, refusal } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import { limits } from "../../base/limits.ts";
import { access_limits } from "../../model/access/limits.ts";
import {
  linkFileName,
  type LinkRead,
  type ReadLink,
  readLinkPath,
} from "../../model/access/read_link.ts";
import { allows, type Grant, type Scope } from "../../model/access/token.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { textUpTo } from "../../model/data/text_form.ts";
import { query_limits } from "../../model/query/limits.ts";
import { instantFlaw, instantOf, instantText } from "../../wire/bytes/instant.ts";
import { type Format, format_names, formats } from "../../wire/format.ts";
import { ownOrigin } from "../frame/client.ts";
import { rawValues } from "../frame/input.ts";
import { readData } from "../frame/json_body.ts";
import { request_limits } from "../frame/limits.ts";
import { columns_param } from "../frame/param.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { format_name, readAnswer } from "./inner.ts";
import { fileResponse, KeptAnswers, type Made } from "./kept.ts";
import { pending_header } from "../performance/pending.ts";
import { type Asking, question_form } from "./query.ts";

const links_path = "/platform/v1/links";

const { sql, projects, timezone } = question_form.shape;

const link_form = z.strictObject({
  name: textUpTo(limits.name_length).describe("What it is for."),
  read: textUpTo(request_limits.url_bytes).optional()
    .describe("A read of this interface with its parameters: /platform/v1/…?project_id=…"),
  query: z.strictObject({ sql, projects, timezone }).optional()
    .describe("A question in SQL, as POST /platform/v1/query takes it."),
  format: z.enum(format_names).optional()
    .describe("Form of the file; by default the one that read names, else csv."),
  expires_at: z.string().optional().describe(
    "When it ends: an ISO 8601 instant with an offset, " +
      `${access_limits.read_link_us / 86_400_000_000} days ahead at most; by default in ` +
      `${access_limits.read_link_usual_us / 86_400_000_000} days.`,
  ),
});

const shown_schema = z.strictObject({
  id: z.string(),
  name: z.string(),
  read: z.string().nullable().describe("The read; null for a question in SQL."),
  query: z.strictObject({
    sql: z.string(),
    projects: z.array(z.string()).optional(),
    timezone: z.string(),
  }).nullable().describe("The question; null for a read."),
  format: z.enum(format_names),
  token_id: z.string().nullable()
    .describe("The token whose rights it has, and with which it ends."),
  user_id: z.string().nullable().describe("The user whose rights it has, where no token does."),
  created_at: z.string().describe("ISO 8601, UTC."),
  expires_at: z.string().describe("ISO 8601, UTC."),
  revoked_at: z.string().nullable().describe("ISO 8601, UTC; null while nobody removed it."),
  is_live: z.boolean().describe("Whether it can be read now."),
});

const made_schema = shown_schema.extend({
  url: z.string().describe("The address, with the link's secret: it is shown only in this answer."),
});

const links_schema = z.strictObject({ links: z.array(shown_schema) });

const refuse = (flaws: readonly Flaw[]) => refusal("the request for a link is wrong", flaws);

/** The routes of links that read routes of the interface, or ask with SQL. */
export function linkRoutes(
  services: Services,
  { routes, asking }: { readonly routes: readonly Route[]; readonly asking: Asking },
): readonly Route[] {
  const reader = new LinkReader(services, { routes, asking });
  return [
    postLink(services, reader),
    listLinks(services),
    deleteLink(services),
    route({
      name: "link_read",
      method: "GET",
      path: "/links/{id}/{secret}/{file}",
      summary: "Read by a link",
      doc: "What the link reads, as it is now, for programs that can't send a token. Takes Range " +
        "and HEAD, as readers of Parquet need them. 404 once the link, or the token that made " +
        "it, has ended. Whoever knows the address can read: keep it as you keep a token.",
      scope: "read",
      project: null,
      by_link: true,
      params: [
        { name: "id", in: "path", kind: "text", required: true, doc: "The link." },
        { name: "secret", in: "path", kind: "text", required: true, doc: "Its secret." },
        { name: "file", in: "path", kind: "text", required: true, doc: "Any name." },
      ],
      answer: {
        kind: "bytes",
        media_types: format_names.map((name) => formats[name].media_types[0]),
      },
      handle: (context) => reader.respond(context),
    }),
  ];
}

const making = { scope: "read", project: null } as const;

function postLink(services: Services, reader: LinkReader): Route {
  return route({
    ...making,
    name: "link_post",
    method: "POST",
    path: links_path,
    summary: "Make a link that reads",
    doc: "An address that gives one read, or one question in SQL, to programs that can't send a " +
      "token: polars, spreadsheets, DuckDB. It gives what the token that makes it can read at " +
      "that time, and ends with the token. What it reads is tried once, so that a mistake is " +
      "told at once. A question in SQL needs the scope query as well.",
    params: [],
    body: {
      media_types: ["application/json"],
      limit_bytes: access_limits.read_link_body_bytes,
      doc: "What it reads, in which form, until when.",
      schema: () => z.toJSONSchema(link_form, { io: "input" }),
    },
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(made_schema) },
    handle: async (context) => {
      const { request, grant } = context;
      const asked = parseForm(link_form, await readData(request), { refuse });
      const wanted = requestOf(services, asked);
      services.read_links.makerOf(grant!);
      await reader.make(wanted, { grant: grant!, outer: context });
      const { link, secret } = await services.read_links.create(wanted, grant!);
      const url = `${ownOrigin(services, request)}${readLinkPath(link, secret)}`;
      const made: z.input<typeof made_schema> = { ...shown(services, link), url };
      return Response.json(made, { status: 201 });
    },
  });
}

function listLinks(services: Services): Route {
  return route({
    ...making,
    name: "links",
    method: "GET",
    path: links_path,
    summary: "Links that read",
    doc: "The links that the token made; an administrator's token has those of everybody whom it " +
      "reaches. Ended ones are listed for 30 days more.",
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(links_schema) },
    handle: ({ grant }) => {
      const links = services.read_links.list(grant!).map((link) => shown(services, link));
      return Response.json({ links } satisfies z.input<typeof links_schema>);
    },
  });
}

function deleteLink(services: Services): Route {
  return route({
    ...making,
    name: "link_delete",
    method: "DELETE",
    path: `${links_path}/{id}`,
    summary: "Remove a link that reads",
    doc: "The link can't be read any more. For who made it, and for administrators. A repeat " +
      "changes nothing and gets the same answer.",
    params: [{ name: "id", in: "path", kind: "text", required: true, doc: "The link." }],
    answer: { kind: "json", schema: () => z.toJSONSchema(shown_schema) },
    handle: async ({ values, grant }) => {
      const link = await services.read_links.revoke(values.id, grant!);
      if (link === undefined) throw new Fault("not_found", `there is no link ${values.id}`);
      return Response.json(shown(services, link));
    },
  });
}

type Wanted = Pick<ReadLink, "name" | "read" | "expires_at"> & { readonly format: Format };

/** What is to be stored. Throws a `Fault` (invalid) with every flaw. */
function requestOf(
  { effects }: Services,
  { name, read, query, format, expires_at }: z.output<typeof link_form>,
): Wanted {
  const flaws: Flaw[] = [];
  const now_us = effects.now_us();
  const latest_us = now_us + access_limits.read_link_us;
  const ends = expires_at === undefined
    ? now_us + access_limits.read_link_usual_us
    : instantOf(expires_at);
  if (Number.isNaN(ends)) flaws.push({ path: "expires_at", message: instantFlaw(expires_at!) });
  else if (!(ends > now_us && ends <= latest_us)) {
    const message = `give an instant in the future, until ${instantText(latest_us)} at most`;
    flaws.push({ path: "expires_at", message });
  }
  if ((read === undefined) === (query === undefined)) {
    flaws.push({ path: "read", message: "give either read or query" });
  }
  if (flaws.length > 0) throw refuse(flaws);
  const named = read === undefined ? undefined : rawValues(queryOf(read), format_name)[0];
  const chosen = format ?? format_names.find((it) => it === named) ?? "csv";
  return { name, read: query ?? { path: read! }, format: chosen, expires_at: ends };
}

function queryOf(path: string): string {
  const at = path.indexOf("?");
  return at < 0 ? "" : path.slice(at + 1);
}

function shown({ read_links }: Services, link: ReadLink): z.input<typeof shown_schema> {
  const { id, name, read, format, token_id, user_id, revoked_at } = link;
  const isPath = "path" in read;
  return {
    ...{ id, name, token_id, user_id },
    read: isPath ? read.path : null,
    query: isPath ? null : { ...read, projects: read.projects && [...read.projects] },
    format: format as Format,
    created_at: instantText(link.created_at),
    expires_at: instantText(link.expires_at),
    revoked_at: revoked_at === null ? null : instantText(revoked_at),
    is_live: read_links.holds(link),
  };
}

type Reader = { readonly grant: Grant; readonly outer: RouteContext<[]> };

/** Reads what links read, as its maker could do now. */
class LinkReader {
  readonly #services: Services;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #asking: Asking;
  readonly #kept: KeptAnswers;

  constructor(
    services: Services,
    { routes, asking }: { readonly routes: readonly Route[]; readonly asking: Asking },
  ) {
    this.#services = services;
    this.#routes = new Map(routes.filter(isReadable).map((route) => [route.path, route]));
    this.#asking = asking;
    this.#kept = new KeptAnswers(services.effects);
  }

  /** The answer of a link that was checked. */
  async respond(
    context: RouteContext<readonly []> & { readonly values: { readonly id: string } },
  ): Promise<Response> {
    const { request, grant, values: { id } } = context;
    const link = this.#services.read_links.get(id)!;
    const format = link.format as Format;
    const { organization_id, project_ids, scopes } = grant!;
    const key = JSON.stringify([id, organization_id, project_ids, scopes]);
    const made = await this.#kept.answer(key, {
      is_part: request.headers.has("range"),
      make: () => this.make({ read: link.read, format }, { grant: grant!, outer: context }),
    });
    return fileResponse(request, made, {
      "content-type": formats[format].media_types[0],
      "content-disposition": `attachment; filename="${linkFileName(link)}"`,
      "x-robots-tag": "noindex",
    });
  }

  /** What is read, and whether its figures may be those of before. Throws as the read itself. */
  async make(
    { read, format }: { readonly read: LinkRead; readonly format: Format },
    { grant, outer }: Reader,
  ): Promise<Made> {
    if (!("path" in read)) {
      requireScope(grant, "query");
      const asked = { ...read, projects: read.projects && [...read.projects] };
      return { bytes: await this.#asking.answer(asked, { grant, outer, format }) };
    }
    const route = this.#routeOf(read.path);
    requireScope(grant, route.scope!);
    if (route.answer.kind === "json" && format !== "json") {
      throw new Fault("invalid", `${route.path} gives JSON: give format json`);
    }
    const query = queryOf(read.path);
    const columns = rawValues(query, columns_param.name).flatMap((names) => names.split(","));
    const call = { route, query, grant, outer };
    const response = await readAnswer(this.#services, call, { format, columns });
    const pending = response.headers.get(pending_header);
    return {
      bytes: await wholeOf(response, outer.meter),
      ...(pending === null ? {} : { headers: { [pending_header]: pending } }),
    };
  }

  #routeOf(address: string): Route {
    const [path] = address.split("?");
    const found = this.#routes.get(path);
    if (found !== undefined) return found;
    // A whole address, or the end of one.
    const own = path.replace(/^https?:\/\/[^/]*/, "");
    const known = [...this.#routes.keys()];
    const hint = known.includes(own)
      ? `; give the path alone, ${own}?…`
      : meant(own, known) || `; there are ${known.join(", ")}`;
    throw refuse([{ path: "read", message: `a link can't read ${path.slice(0, 100)}${hint}` }]);
  }
}

/** Reads whose address alone says what they are, and which end. */
function isReadable({ method, scope, path, answer, planned }: Route): boolean {
  return method === "GET" && scope === "read" && !path.includes("{") && !planned &&
    ["stream", "rows", "json"].includes(answer.kind) && !path.startsWith(links_path);
}

function requireScope(grant: Grant, scope: Scope): void {
  if (allows(grant, scope)) return;
  throw new Fault("forbidden", `the token lacks the scope ${scope}`);
}

/** The bytes of a body, counted as those that requests hold: many links may be read at once. */
async function wholeOf(response: Response, meter: Meter): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    meter.take(piece.length);
    if (bytes > query_limits.answer_bytes) {
      const size = query_limits.answer_bytes / 1024 / 1024;
      throw new Fault("too_large", `what the link reads is longer than ${size} MiB: read less`);
    }
    pieces.push(piece);
  }
  return concat(pieces);
}
