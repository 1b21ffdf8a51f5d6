// The start page and the reference page as HTML, rendered from the table of routes.
import { html } from "@hono/hono/html";
import { limits } from "../../base/limits.ts";
import type { Column } from "../../model/data/column.ts";
import type { Param } from "../../model/data/param.ts";
import { format_names, formats } from "../../wire/format.ts";
import { examplesOf } from "./example.ts";
import { code, type Html, listed, page, prose, row, table } from "./html.ts";
import { paramsOf } from "../openapi/openapi.ts";
import { problems } from "../frame/problem.ts";
import type { Route, RouteHeader } from "../frame/route.ts";

/** What this is and where to go. */
export function startPage(version: string): Html {
  return page("Wattkeeper", [
    html`
      <h1>Wattkeeper</h1>
      <p class="quiet">Version ${version}</p>
      <p>Keeps what an energy site's instruments send, and answers what it did: signals as they came
      and scaled, performance, availability and losses by time bucket, as Arrow, Parquet, JSON or
      CSV; alarms from the condition to the operator who settles it.</p>
      <ul>
        <li><a href="/docs">Reference</a>: every endpoint, its parameters and its rows</li>
        <li><a href="/docs/measures">Measures</a>: units, aggregation, models;
        <a href="/docs/availability">availability and losses</a>: states, evidence, accounts;
        <a href="/docs/alarms">alarms</a>: life, rules, feed;
        <a href="/docs/work">issues and work orders</a>: statuses, guards, history;
        <a href="/docs/webhooks">webhooks</a>: events, signatures, attempts</li>
        <li><a href="/openapi.json">OpenAPI 3.1</a>: the same for machines</li>
        <li><a href="/healthz">Health</a>, <a href="/readyz">readiness</a>,
        <a href="/metrics">metrics</a></li>
      </ul>
    `,
  ]);
}

/** The reference of some routes; examples call `origin`. */
export function referencePage(
  routes: readonly Route[],
  { version, origin }: { readonly version: string; readonly origin: string },
): Html {
  return page("Wattkeeper reference", [
    html`
      <h1>Reference</h1>
      <p class="quiet">Wattkeeper ${version} · <a href="/openapi.json">OpenAPI 3.1</a> ·
      <a href="/docs/measures">Measures</a> ·
      <a href="/docs/availability">Availability and losses</a> ·
      <a href="/docs/alarms">Alarms</a> ·
      <a href="/docs/work">Issues and work orders</a> ·
      <a href="/docs/webhooks">Webhooks</a></p>
    `,
    contents(routes),
    conventions(),
    errors(),
    ...routes.map((route) => section(route, origin)),
  ]);
}

function contents(routes: readonly Route[]): Html {
  const items = routes.map((route) =>
    html`<li><a href="#${route.name}"><code>${route.method} ${route.path}</code></a></li>`
  );
  return html`
    <nav aria-label="Endpoints">
      <ul>${items}</ul>
    </nav>
  `;
}

function conventions(): Html {
  const rows = format_names.map((name) =>
    row([code(name), listed(formats[name].media_types), formats[name].doc])
  );
  return html`
    <h2 id="conventions">Conventions</h2>
    <p>Send the token as <code>Authorization: Bearer …</code>, or as the password of HTTP Basic with
    any user name; never in an address. Date-times are ISO 8601 with an offset; answers hold UTC
    with microseconds. Every range is half-open. A parameter marked “several” is repeated for each
    value. JSON and CSV are compressed with zstd or gzip when Accept-Encoding asks for it.</p>
    <p>A streamed answer is chosen by <code>Accept</code>, or by <code>format</code>. One that fails
    in the middle breaks the connection: what ended properly is whole.</p>
    ${table(["format", "Accept", ""], rows)}
  `;
}

function errors(): Html {
  const rows = Object.entries(problems).map(([name, { status, title }]) =>
    html`
      <tr id="problem-${name}">
        <td>${status}</td>
        <td>${title}</td>
        <td>${code(name)}</td>
      </tr>
    `
  );
  return html`
    <h2 id="errors">Errors</h2>
    <p>Errors are problem documents (RFC 9457): <code>type</code>, <code>title</code>,
    <code>status</code>, <code>detail</code>, <code>instance</code> (the request's id, also in the
    header <code>x-request-id</code>) and, for invalid input, <code>errors</code> with the path of
    every flaw. 429 and 503 carry <code>Retry-After</code>.</p>
    ${table(["status", "title", "type"], rows)}
    ${shares()}
  `;
}

/** How much runs at once. */
function shares(): Html {
  const rows = [
    ["requests", limits.requests_per_token, limits.requests_in_flight],
    [
      "downloads: streamed rows, lists of alarms, issues and work orders",
      limits.streams_per_token,
      limits.streams_in_flight,
    ],
    ["streams of events", limits.events_per_token, limits.events_in_flight],
  ].map((cells) => row(cells.map(String)));
  return html`
    <h3 id="limits">At once</h3>
    <p>A token runs so many at once, and the service so many of all tokens. Beyond that a request or
    a download waits, up to ${limits.queue_wait_ms / 1000} seconds and ${limits.queued_per_token} of
    a token; a stream of events does not. What finds no room gets 429 where its token runs its whole
    share, 503 where the service is full. ${code("/metrics")} counts both.</p>
    ${table(["", "of a token", "in all"], rows)}
  `;
}

function section(route: Route, origin: string): Html {
  const params = paramsOf(route);
  const notes = [
    route.scope === null ? "public" : `scope ${route.scope}`,
    ...(route.planned ? ["planned"] : []),
    ...(route.deprecated ? ["deprecated"] : []),
  ];
  return html`
    <section id="${route.name}">
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
      ${route.body ? body(route) : ""}
      ${answer(route)}
      ${route.planned ? "" : examples(route, origin)}
    </section>
  `;
}

function parameters(params: readonly Param[]): Html {
  const rows = params.map((param) =>
    row([
      code(param.name),
      `${param.kind}${param.repeated ? ", several" : ""}`,
      param.required ? "required" : param.default === undefined ? "" : `default ${param.default}`,
      html`${prose(param.doc)}${bounds(param)}${values(param.values)}`,
    ])
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
  if (known.length <= 12) {
    return html`
      One of ${list}.
    `;
  }
  return html`<details><summary>${known.length} values</summary>${list}</details>`;
}

function body(route: Route): Html {
  const { media_types, limit_bytes, doc, schema } = route.body!;
  return html`
    <h3>Body</h3>
    <p>${doc} At most ${limit_bytes / 1024 / 1024} MiB. Media types:
    ${listed(media_types)}.</p>
    ${schema
      ? html`
        <details>
          <summary>Schema</summary>
          <pre tabindex="0">${JSON.stringify(schema, null, 2)}</pre>
        </details>
      `
      : ""}
  `;
}

function answer({ answer, planned }: Route): Html | string {
  if (planned) return "";
  if (answer.kind === "text") {
    return html`
      <h3>Answer</h3>
      <p>${code(answer.media_type)}</p>
    `;
  }
  if (answer.kind === "stream") return columns(answer.columns);
  return html`
    <h3>${answer.kind === "events" ? "Data of an event" : "Answer"}</h3>
    <pre tabindex="0">${JSON.stringify(answer.schema, null, 2)}</pre>
  `;
}

function columns(all: readonly Column[]): Html {
  const rows = all.map((column) =>
    row([
      code(column.name),
      column.kind,
      column.nullable ? "nullable" : "",
      html`${column.doc}${column.unit ? ` Unit: ${column.unit}.` : ""}${values(column.values)}`,
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
