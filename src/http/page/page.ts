// The start page and the reference: every route with its rows and commands to paste, by area.
import { html, raw } from "@hono/hono/html";
import { request_limits } from "../frame/limits.ts";
import type { Column } from "../../model/data/column.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param, ParamKind } from "../../model/data/param.ts";
import { type Format, format_names, formats } from "../../wire/format.ts";
import { documentPage } from "./document.ts";
import { guideList } from "./guide.ts";
import { code, type Html, listed, page, prose, row, table } from "./html.ts";
import { paramsOf } from "../openapi/openapi.ts";
import { problems } from "../frame/problem.ts";
import {
  type Area,
  area_names,
  areas,
  madeSchema,
  type Route,
  type RouteHeader,
} from "../frame/route.ts";
import reference from "./reference.md" with { type: "text" };
import start from "./start.md" with { type: "text" };

/** What this is and where to go. */
export async function startPage(version: string): Promise<string> {
  return documentPage(start, { version, guides: await guideList() });
}

/** What all endpoints have in common, and which page shows each. */
export function referencePage(routes: readonly Route[], version: string): Promise<string> {
  return documentPage(reference, {
    version,
    endpoints: endpoints(routes),
    formats: table(["format", "Accept", ""], format_names.map(formatRow)),
    problems: table(["status", "title", "type"], problem_names.map(problemRow)),
    shares: table(["", "of a token", "of all"], shares.map((cells) => row(cells))),
  });
}

/** The endpoints of an area; examples call `origin`. */
export async function areaPage(
  area: Area,
  { routes, origin }: { readonly routes: readonly Route[]; readonly origin: string },
): Promise<string> {
  const own = routesAbout(area, routes);
  const { title, doc } = areas[area];
  const shown = new Map<string, string>();
  const links = own.map((route) => html`<li><a href="#${route.name}">${address(route)}</a></li>`);
  const head = html`
    <h1>${title}</h1>
    <p><a href="/docs">Reference</a> · ${doc}</p>
    <nav aria-label="Endpoints">
      <ul>${links}</ul>
    </nav>
  `;
  const sections = own.map((route) => section(route, { origin, shown }));
  return String(await page(title, [head, ...sections]));
}

/** The address of an area's page. */
export function areaPath(area: Area): string {
  return `/docs/api/${area}`;
}

function routesAbout(wanted: Area, routes: readonly Route[]): readonly Route[] {
  return routes.filter(({ area = "operation" }) => area === wanted);
}

function endpoints(routes: readonly Route[]): Html {
  const lists = area_names.map((area) => {
    const { title, doc } = areas[area];
    const items = routesAbout(area, routes).map((route) =>
      html`<li id="${route.name}"><a href="${areaPath(area)}#${route.name}">${
        address(route)
      }</a></li>`
    );
    return html`
      <section aria-labelledby="area-${area}">
        <h3 id="area-${area}"><a href="${areaPath(area)}">${title}</a></h3>
        <p>${doc}</p>
        <ul>${items}</ul>
      </section>
    `;
  });
  return html`<nav aria-label="Endpoints">${lists}</nav>`;
}

function address({ method, path }: Route): Html {
  return html`<code>${method} ${path}</code>`;
}

function formatRow(name: Format): Html {
  return row([code(name), listed(formats[name].media_types), formats[name].doc]);
}

const problem_names = Object.keys(problems) as readonly (keyof typeof problems)[];

function problemRow(name: keyof typeof problems): Html {
  const { status, title } = problems[name];
  return html`
    <tr id="problem-${name}">
      <td>${status}</td>
      <td>${title}</td>
      <td>${code(name)}</td>
    </tr>
  `;
}

/** How much runs at the same time. */
const shares = [
  ["requests", request_limits.requests_per_token, request_limits.requests_in_flight],
  [
    "downloads: streamed rows, lists of alarms, issues and work orders",
    request_limits.streams_per_token,
    request_limits.streams_in_flight,
  ],
  ["streams of events", request_limits.events_per_token, request_limits.events_in_flight],
] as const;

/** What the sections of a page share: where examples call, and where a schema stands already. */
type Sheet = { readonly origin: string; readonly shown: Map<string, string> };

function section(route: Route, sheet: Sheet): Html {
  const params = paramsOf(route);
  const notes = [
    route.scope === null ? "public" : `scope ${route.scope}`,
    ...(route.planned ? ["planned"] : []),
    ...(route.deprecated ? ["deprecated"] : []),
  ];
  return html`
    <section
      id="${route.name}"
      data-method="${route.method}"
      data-path="${route.path}"
      data-kind="${route.planned ? "planned" : route.answer.kind}"
      data-body="${route.body?.media_types[0] ?? ""}"
    >
      <h2>
        <code><span class="method">${route.method}</span> ${route.path}</code>
        ${notes.map((note) =>
          html`
            <span class="tag">${note}</span>
          `
        )}
      </h2>
      <p>${route.summary}. ${prose(route.doc)}</p>
      ${params.length > 0 ? parameters(params) : ""}
      ${route.headers ? headers(route.headers) : ""}
      ${route.body ? body(route, sheet) : ""}
      ${answer(route, sheet)}
      ${route.planned ? "" : examples(route, sheet.origin)}
    </section>
  `;
}

function parameters(params: readonly Param[]): Html {
  const rows = params.map((param) =>
    html`
      <tr data-param="${param.name}" data-in="${param.in}" data-example="${exampleOf(param)}">
        <td>${code(param.name)}</td>
        <td>${param.kind}${param.repeated ? ", several" : ""}</td>
        <td>${param.required
          ? "required"
          : param.default === undefined
          ? ""
          : `default ${param.default}`}</td>
        <td>${prose(param.doc)}${bounds(param)}${values(param.values)}</td>
      </tr>
    `
  );
  return html`<h3>Parameters</h3>${table(["name", "kind", "", ""], rows)}`;
}

function headers(read: readonly RouteHeader[]): Html {
  const rows = read.map(({ name, required, doc }) =>
    row([code(name), required ? "required" : "", prose(doc)])
  );
  return html`<h3>Headers</h3>${table(["name", "", ""], rows)}`;
}

function bounds({ minimum, maximum }: Param): string {
  const least = minimum === undefined ? "" : ` At least ${minimum}.`;
  return maximum === undefined ? least : `${least} At most ${maximum}.`;
}

/** The allowed values; a long list folds. */
function values(known: readonly string[] | undefined): Html | string {
  if (known === undefined) return "";
  const list = known.map((value, i) => html`${i > 0 ? ", " : ""}${code(value)}`);
  if (known.length <= 12) return html`<span class="values"> One of ${list}.</span>`;
  return html`<details class="values"><summary>${known.length} values</summary>${list}</details>`;
}

/** What stands in the field of a parameter before anybody writes: only what a request needs. */
function exampleOf(param: Param): string {
  if (param.example !== undefined) return param.example;
  if (!param.required) return "";
  return param.values?.[0] ?? (param.names === undefined ? stand_ins[param.kind](param) : "");
}

function body(route: Route, sheet: Sheet): Html {
  const { media_types, limit_bytes, doc, row, schema = row } = route.body!;
  return html`
    <h3>Body</h3>
    <p>${prose(doc)} At most ${sizeText(limit_bytes)}. Media types:
    ${listed(media_types)}.</p>
    ${schema
      ? html`<details><summary>Schema</summary>${
        schemaText(madeSchema(schema), { route, of: "body", sheet })
      }</details>`
      : ""}
  `;
}

/** Longer ones are for programs. */
const schema_length = 24_000;

type SchemaPlace = {
  readonly route: Route;
  readonly of: "body" | "answer";
  readonly sheet: Sheet;
};

/** A schema as text: once on a page, and where it is very long, where to find it. */
function schemaText(schema: object, { route, of, sheet: { shown } }: SchemaPlace): Html {
  const text = JSON.stringify(schema, null, 1);
  const before = shown.get(text);
  if (before) return html`<p>As of <a href="#${before}">${before}</a>.</p>`;
  shown.set(text, route.name);
  if (text.length <= schema_length) return html`<pre tabindex="0">${raw(plainText(text))}</pre>`;
  return html`
    <p>JSON Schema of ${Math.round(text.length / 1000)} kB: ${code(of)} of ${code(route.name)} in
    <a href="/openapi.json">/openapi.json</a>; the one of site files also by
    ${code("wattkeeper site schema")}.</p>
  `;
}

/** A text within an element: quotation marks stand for themselves. */
function plainText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function answer(route: Route, sheet: Sheet): Html | string {
  const { answer, planned } = route;
  if (planned) return "";
  if (answer.kind === "text") {
    return html`
      <h3>Answer</h3>
      <p>${code(answer.media_type)}</p>
    `;
  }
  if (answer.kind === "bytes") {
    return html`
      <h3>Answer</h3>
      <p>${listed(answer.media_types)}</p>
    `;
  }
  if (answer.kind === "redirect") {
    return html`
      <h3>Answer</h3>
      <p>${answer.status}, to another address</p>
    `;
  }
  if (answer.kind === "nothing") {
    return html`
      <h3>Answer</h3>
      <p>204, without a body</p>
    `;
  }
  if (answer.kind === "stream") return columns(answer.columns);
  const schema = answer.kind === "rows"
    ? { type: "array", items: rowSchema(answer.columns) }
    : madeSchema(answer.schema);
  return html`
    <h3>${answer.kind === "events" ? "Data of an event" : "Answer"}</h3>
    ${schemaText(schema, { route, of: "answer", sheet })}
  `;
}

function columns(all: readonly Column[]): Html {
  const rows = all.map((column) =>
    row([
      code(column.name),
      column.kind,
      column.nullable ? "nullable" : "",
      html`${prose(column.doc)}${column.unit ? ` Unit: ${column.unit}.` : ""}${
        values(column.values)
      }`,
    ])
  );
  return html`<h3>Rows</h3>${table(["column", "kind", "", ""], rows)}`;
}

function examples(route: Route, origin: string): Html | string {
  const all = examplesOf(route, origin);
  if (all.length === 0) return "";
  const parts = all.map(({ name, text }) =>
    html`
      <p class="quiet">${name}</p>
      <pre tabindex="0">${text}</pre>
    `
  );
  return html`<h3>Examples</h3>${parts}`;
}

/** A command and the tool that it is for. */
type Example = { readonly name: string; readonly text: string };

/** Commands that call a route of the service at `origin`. */
function examplesOf(route: Route, origin: string): readonly Example[] {
  const address = origin + pathOf(route);
  const query = queryOf(route);
  const asked = (more: string) => address + (query + more ? `?${query}${more}` : "");
  if (route.answer.kind === "rows") {
    return [
      { name: "curl", text: curl(route, asked("")) },
      { name: "curl, as a table", text: curl(route, asked("&format=csv")) },
    ];
  }
  if (route.answer.kind !== "stream") return [{ name: "curl", text: curl(route, asked("")) }];
  return [
    { name: "curl", text: curl(route, asked("&format=csv")) },
    { name: "pandas", text: python(asked(""), pandas) },
    { name: "polars", text: python(asked(""), polars) },
    {
      name: "Excel (Power Query; sign in as Basic, the token as password)",
      text: excel(asked("&format=csv")),
    },
  ];
}

const pandas = {
  library: "pyarrow",
  read: "pyarrow.ipc.open_stream(answer.content).read_pandas()",
} as const;

const polars = { library: "polars", read: "polars.read_ipc_stream(answer.content)" } as const;

function curl(route: Route, url: string): string {
  const { method, scope, headers = [], body } = route;
  const parts = [
    route.answer.kind === "events" ? "curl --fail --no-buffer" : "curl --fail",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(scope === null ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...headers.filter(({ required }) => required)
      .map(({ name, example }) => `-H "${name}: ${example}"`),
    ...(body ? [`-H "Content-Type: ${body.media_types[0]}" --data-binary @FILE`] : []),
    `"${url}"`,
  ];
  return parts.join(" ");
}

function python(
  url: string,
  { library, read }: { readonly library: string; readonly read: string },
): string {
  return `import os, requests, ${library}
answer = requests.get(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
)
answer.raise_for_status()
frame = ${read}`;
}

function excel(url: string): string {
  return `let
    Source = Csv.Document(Web.Contents("${url}"), [Encoding = 65001]),
    Rows = Table.PromoteHeaders(Source)
in
    Rows`;
}

function pathOf(route: Route): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name) => name.toUpperCase());
}

/** What a request must say, and what it had better say for a first look. */
function queryOf(route: Route): string {
  return paramsOf(route)
    .filter((param) => param.in === "query" && (param.required || param.example !== undefined))
    .map((param) =>
      `${param.name}=${param.example ?? param.values?.[0] ?? stand_ins[param.kind](param)}`
    )
    .join("&");
}

const stand_ins: Record<ParamKind, (param: Param) => string> = {
  text: ({ name }) => name.replace(/s$/, "").toUpperCase(),
  instant: () => "2026-06-01T00:00:00Z",
  duration: () => "PT15M",
  time: () => "2026-06-01",
  integer: ({ minimum }) => String(minimum ?? 1),
  flag: () => "true",
};

function sizeText(bytes: number): string {
  const mib = bytes / 1024 / 1024;
  return mib < 1 ? `${bytes / 1024} KiB` : `${mib} MiB`;
}
