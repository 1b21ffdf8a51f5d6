// The pages for people, and the API description from the table of routes.
import { html } from "@hono/hono/html";
import { gzipSync } from "node:zlib";
import style from "./page/reference.css" with { type: "text" };
import { signInPage } from "./access/oidc.ts";
import { alarmPage } from "./alarms/ingest.ts";
import { availabilityPage } from "./availability/availability.ts";
import { counterPage } from "./counters/counter.ts";
import type { Param } from "../model/data/param.ts";
import { describe, described_forms } from "./openapi/openapi.ts";
import { guide_names, guidePage, guidePath, requireGuide } from "./page/guide.ts";
import { areaPage, areaPath, referencePage, startPage } from "./page/page.ts";
import { page_limits } from "./page/limits.ts";
import { measurePage } from "./plant/meta.ts";
import { area_names, areas, type Route, route, type RouteContext } from "./frame/route.ts";
import { ownOrigin } from "./frame/client.ts";
import type { Services } from "./frame/services.ts";
import { docsScript } from "./screens/screens.ts";
import { webhookPage } from "./webhooks/delivery.ts";
import { queryPage } from "./query/query.ts";
import { sensorPage } from "./samples/health.ts";
import { statisticsPage } from "./samples/signal.ts";
import { workPage } from "./work/issue.ts";

const common = { method: "GET", scope: null, project: null, params: [] } as const;
const page = { ...common, answer: { kind: "text", media_type: "text/html" } } as const;

const forms_param = {
  name: "forms",
  in: "query",
  kind: "text",
  required: false,
  values: described_forms,
  default: "all",
  doc: "one: of each body and answer one media type alone, JSON where it is one of them, for " +
    "generators of clients that can't read more.",
} as const satisfies Param;

/** Stands in the reference for the origin that it was asked at. */
const any_origin = "http://origin.invalid";

/**
 * `/docs` and what is under it, and `/openapi.json` of the routes given. They are public: each
 * is made once, at its first call, and never again.
 */
export function referenceRoutes(
  services: Services,
  routes: readonly Route[],
): readonly Route[] {
  const { version } = services;
  const pages = new Map<string, () => Promise<string>>([
    ["/docs/start", once(() => startPage(version))],
    ["/docs", once(() => referencePage(routes, version))],
    ...area_names.map((area) =>
      [areaPath(area), once(() => areaPage(area, { routes, origin: any_origin }))] as const
    ),
    ...word_pages.map(({ name, make }) => [`/docs/${name}`, once(() => make(routes))] as const),
    ...guide_names.map((name) => [guidePath(name), once(() => guidePage(name))] as const),
  ]);
  const index = once(() => searchIndex(pages));
  const show = (path: string) => async ({ request }: Pick<RouteContext<[]>, "request">) => {
    const shown = String(await html`${ownOrigin(services, request)}`);
    const made = await pages.get(path)!();
    return packed(request, made.replaceAll(any_origin, () => shown), "text/html");
  };
  return [
    ...described_pages.map(({ name, path, summary, doc }) =>
      route({
        ...page,
        ...{ path, summary, doc },
        name: name === "" ? "docs" : `docs_${name}`,
        is_tagged: true,
        handle: show(path),
      })
    ),
    guideRoute(show),
    ...fileRoutes({
      "plant.json": {
        media_type: "application/json",
        make: textOf(() => import("../../docs/grafana/plant.json", { with: { type: "text" } })),
      },
      "infinity.json": {
        media_type: "application/json",
        make: textOf(() => import("../../docs/grafana/infinity.json", { with: { type: "text" } })),
      },
      "reference.css": { media_type: "text/css", make: () => style },
      "reference.js": { media_type: "text/javascript", make: docsScript },
      "index.json": { media_type: "application/json", make: index },
    }),
    descriptionRoute(routes, version),
  ];
}

/** The guides, each by its name. */
function guideRoute(
  show: (path: string) => (context: Pick<RouteContext<[]>, "request">) => Promise<Response>,
): Route {
  return route({
    ...page,
    name: "docs_guide",
    is_tagged: true,
    path: "/docs/guide/{name}",
    summary: "Guide",
    doc: "How to install, connect, send, read, look after; /docs/start lists them.",
    params: [{
      ...{ name: "name", in: "path", kind: "text", required: true } as const,
      doc: `One of ${guide_names.join(", ")}.`,
    }],
    handle: async ({ request, values: { name } }) => {
      requireGuide(name);
      return await show(guidePath(name))({ request });
    },
  });
}

type TextModule = { readonly default: string };

const textOf = (load: () => Promise<unknown>) => async () => (await load() as TextModule).default;

function descriptionRoute(routes: readonly Route[], version: string): Route {
  const documents = {
    all: once(() => JSON.stringify(describe(routes, { version, forms: "all" }))),
    one: once(() => JSON.stringify(describe(routes, { version, forms: "one" }))),
  };
  return route({
    ...common,
    name: "openapi",
    is_tagged: true,
    path: "/openapi.json",
    summary: "API description",
    doc: "OpenAPI 3.1 of every endpoint, for programs.",
    params: [forms_param],
    answer: { kind: "json", schema: { type: "object" } },
    handle: async ({ request, values }) =>
      packed(request, await documents[values.forms](), "application/json"),
  });
}

type File = { readonly media_type: string; readonly make: () => Promise<string> | string };

/** What the pages load. */
function fileRoutes(files: Readonly<Record<string, File>>): readonly Route[] {
  return Object.entries(files).map(([name, { media_type, make }]) =>
    route({
      ...common,
      name: `docs_${name.replace(".", "_")}`,
      is_tagged: true,
      path: `/docs/${name}`,
      summary: `${name} of the pages`,
      doc: "For the pages only.",
      answer: { kind: "text", media_type },
      handle: async ({ request }) => packed(request, await make(), media_type),
    })
  );
}

/** The pages of words: what each is about, in the order of the start page. */
const word_pages = [
  {
    name: "measures",
    summary: "Measures",
    doc: "The measure dictionary, as a page.",
    make: measurePage,
  },
  {
    name: "availability",
    summary: "Availability and losses",
    doc: "States, evidence and the loss account, as a page.",
    make: availabilityPage,
  },
  {
    name: "counters",
    summary: "Counters",
    doc: "What is possible, declared resets, and what is kept of counters, as a page.",
    make: counterPage,
  },
  {
    name: "sensors",
    summary: "Sensors",
    doc: "Sensors that are silent, stuck, dead, ahead of time or beyond their rating, as a page.",
    make: sensorPage,
  },
  {
    name: "statistics",
    summary: "Statistics",
    doc: "Statistics of samples in buckets, and values at instants, as a page.",
    make: statisticsPage,
  },
  {
    name: "query",
    summary: "SQL and links",
    doc: "Views that SQL can ask, and links that read without a token, as a page.",
    make: queryPage,
  },
  {
    name: "alarms",
    summary: "Alarms",
    doc: "Life, rules, times, feed, rows and figures of alarms, as a page.",
    make: alarmPage,
  },
  {
    name: "work",
    summary: "Issues and work orders",
    doc: "Statuses, history and fields of issues and work orders, as a page.",
    make: workPage,
  },
  {
    name: "signin",
    summary: "Signing in",
    doc: "Ways to sign in, sessions, attempts and OpenID Connect, as a page.",
    make: signInPage,
  },
  {
    name: "webhooks",
    summary: "Webhooks",
    doc: "Events, bodies, signatures, attempts and targets of webhooks, as a page.",
    make: webhookPage,
  },
] as const;

/** Every page, in the order of the contents. */
const described_pages = [
  {
    name: "start",
    path: "/docs/start",
    summary: "Contents",
    doc: "What the service does, with links.",
  },
  {
    name: "",
    path: "/docs",
    summary: "Reference page",
    doc: "What endpoints have in common, and on which page each is.",
  },
  ...area_names.map((area) => {
    const { title: summary, doc } = areas[area];
    return { name: `api_${area}`, path: areaPath(area), summary, doc };
  }),
  ...word_pages.map((it) => ({ ...it, path: `/docs/${it.name}` })),
];

/** Calls `make` at the first call, and gives what that gave from then on. */
function once(make: () => Promise<string> | string): () => Promise<string> {
  let made: Promise<string> | undefined;
  return () => made ??= (async () => await make())();
}

/** What was packed last, by its text: a few pages, each at one or two origins. */
const packed_texts = new Map<string, Uint8Array<ArrayBuffer>>();

/** A text as it is asked for; a page loads nothing but what the service itself has. */
function packed({ headers }: Request, content: string, media_type: string): Response {
  const is_packed = /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
  if (is_packed && !packed_texts.has(content)) {
    if (packed_texts.size >= page_limits.packed) packed_texts.clear();
    packed_texts.set(content, new Uint8Array(gzipSync(content, { level: 9 })));
  }
  return new Response(is_packed ? packed_texts.get(content) : content, {
    headers: {
      "content-type": `${media_type}; charset=utf-8`,
      "content-security-policy": content_policy,
      "cache-control": "no-cache",
      vary: "accept-encoding",
      ...(is_packed ? { "content-encoding": "gzip" } : {}),
    },
  });
}

/** Scripts, styles and data of this service alone, and nothing in the page itself. */
const content_policy = "default-src 'none'; style-src 'self'; script-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A place of the documentation: its address, what it is called, the page, its words. */
type Place = readonly [href: string, title: string, page: string, words: string];

/** All pages and their sections, by address, as JSON. */
async function searchIndex(
  pages: ReadonlyMap<string, () => Promise<string>>,
): Promise<string> {
  const places: Place[] = [];
  for (const [path, make] of pages) {
    const html = await make();
    const page = plain(/<title>([^]*?)<\/title>/.exec(html)![1]);
    // A section begins with an element that has an anchor.
    const [intro, ...parts] = html.split(/<(?=(?:section|h2)\s+id=")/);
    const [, opening] = intro.split("</h1>");
    places.push([path, page, "", wordsOf(opening.replace(/<nav[^]*<\/nav>/, ""))]);
    for (const part of parts) {
      const [, id] = /id="([^"]+)"/.exec(part)!;
      const [, head = id] = /<h2[^>]*>([^]*?)<\/h2>|^h2[^>]*>([^]*?)<\/h2>/.exec(`<${part}`) ?? [];
      const title = plain(head.replaceAll(/<span class="tag">[^<]*<\/span>/g, ""));
      places.push([`${path}#${id}`, title, page, wordsOf(`<${part}`)]);
    }
  }
  return JSON.stringify(places);
}

/** What the search looks through of a piece of a page. */
function wordsOf(html: string): string {
  return plain(html.replaceAll(/<pre[^]*?<\/pre>/g, "")).slice(0, page_limits.search_length);
}

/** The text of a piece of a page. */
function plain(html: string): string {
  return html.replaceAll("<wbr>", "").replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ").trim();
}
