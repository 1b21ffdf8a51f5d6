// The pages for people, and the API description from the table of routes.
import { html } from "@hono/hono/html";
import style from "./page/reference.css" with { type: "text" };
import { signInPage } from "./access/oidc.ts";
import { alarmPage } from "./alarms/ingest.ts";
import { availabilityPage } from "./availability/availability.ts";
import { counterPage } from "./counters/counter.ts";
import { describe } from "./openapi/openapi.ts";
import { referencePage, startPage } from "./page/page.ts";
import { measurePage } from "./plant/meta.ts";
import { type Route, route } from "./frame/route.ts";
import { ownOrigin } from "./frame/client.ts";
import type { Services } from "./frame/services.ts";
import { webhookPage } from "./webhooks/delivery.ts";
import { sensorPage } from "./samples/health.ts";
import { statisticsPage } from "./samples/signal.ts";
import { workPage } from "./work/issue.ts";

const common = { method: "GET", scope: null, project: null, params: [] } as const;
const page = { ...common, answer: { kind: "text", media_type: "text/html" } } as const;

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
  const reference = once(() => referencePage(routes, { version, origin: any_origin }));
  const document = once(() => JSON.stringify(describe(routes, version)));
  return [
    route({
      ...page,
      name: "docs_start",
      is_tagged: true,
      path: "/docs/start",
      summary: "Contents",
      doc: "What the service does, with links.",
      handle: answerOf(() => startPage(version)),
    }),
    route({
      ...page,
      name: "docs",
      is_tagged: true,
      path: "/docs",
      summary: "Reference page",
      doc: "Every endpoint, its parameters and its rows, as a page.",
      handle: async ({ request }) => {
        const shown = String(await html`${ownOrigin(services, request)}`);
        return text((await reference()).replaceAll(any_origin, () => shown), "text/html");
      },
    }),
    ...wordRoutes(),
    route({
      ...common,
      name: "docs_style",
      is_tagged: true,
      path: "/docs/reference.css",
      summary: "Style of the pages",
      doc: "For the pages only.",
      answer: { kind: "text", media_type: "text/css" },
      handle: () => text(style, "text/css"),
    }),
    route({
      ...common,
      name: "openapi",
      is_tagged: true,
      path: "/openapi.json",
      summary: "API description",
      doc: "OpenAPI 3.1 of every endpoint, for programs.",
      answer: { kind: "json", schema: { type: "object" } },
      handle: async () =>
        new Response(await document(), { headers: { "content-type": "application/json" } }),
    }),
  ];
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
    doc: "Sensors that are silent, stuck, dead or ahead of time, as a page.",
    make: sensorPage,
  },
  {
    name: "statistics",
    summary: "Statistics",
    doc: "Statistics of samples in buckets, and values at instants, as a page.",
    make: statisticsPage,
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

function wordRoutes(): readonly Route[] {
  return word_pages.map(({ name, summary, doc, make }) =>
    route({
      ...page,
      name: `docs_${name}`,
      is_tagged: true,
      path: `/docs/${name}`,
      summary,
      doc,
      handle: answerOf(make),
    })
  );
}

/** Calls `make` at the first call, and gives what that gave from then on. */
function once(make: () => Promise<string> | string): () => Promise<string> {
  let made: Promise<string> | undefined;
  return () => made ??= (async () => await make())();
}

/** Answers with a page that is the same for all. */
function answerOf(make: () => Promise<string>): () => Promise<Response> {
  const page = once(make);
  return async () => text(await page(), "text/html");
}

/** A page that loads nothing but its own style sheet. */
function text(content: string, media_type: string): Response {
  return new Response(content, {
    headers: {
      "content-type": `${media_type}; charset=utf-8`,
      "content-security-policy":
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'",
    },
  });
}
