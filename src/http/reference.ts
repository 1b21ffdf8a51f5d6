// The pages for people, and the API description from the table of routes.
import style from "../web/reference.css" with { type: "text" };
import { alarmPage } from "./alarm_page.ts";
import { describe } from "./openapi.ts";
import { referencePage, startPage } from "./page.ts";
import { type Route, route } from "./route.ts";
import type { Services } from "./services.ts";
import { webhookPage } from "./webhook_page.ts";
import { availabilityPage, measurePage } from "./word_page.ts";
import { workPage } from "./work_page.ts";

const common = { method: "GET", scope: null, project: null, params: [] } as const;
const page = { ...common, answer: { kind: "text", media_type: "text/html" } } as const;

/** `/`, `/docs` and what is under it, and `/openapi.json` of the routes given. */
export function referenceRoutes(
  { version }: Pick<Services, "version">,
  routes: readonly Route[],
): readonly Route[] {
  const document = describe(routes, version);
  return [
    route({
      ...page,
      name: "start",
      path: "/",
      summary: "Start page",
      doc: "What this is, with links.",
      handle: async () => text(String(await startPage(version)), "text/html"),
    }),
    route({
      ...page,
      name: "docs",
      path: "/docs",
      summary: "Reference page",
      doc: "Every endpoint, its parameters and its rows, for people.",
      handle: async ({ request }) => {
        const { origin } = new URL(request.url);
        return text(String(await referencePage(routes, { version, origin })), "text/html");
      },
    }),
    ...wordRoutes(),
    route({
      ...common,
      name: "docs_style",
      path: "/docs/reference.css",
      summary: "Style of the pages",
      doc: "Used by the pages alone.",
      answer: { kind: "text", media_type: "text/css" },
      handle: () => text(style, "text/css"),
    }),
    route({
      ...common,
      name: "openapi",
      path: "/openapi.json",
      summary: "API description",
      doc: "OpenAPI 3.1 of every endpoint, for machines.",
      answer: { kind: "json", schema: { type: "object" } },
      handle: () => Response.json(document),
    }),
  ];
}

function wordRoutes(): readonly Route[] {
  return [
    route({
      ...page,
      name: "docs_measures",
      path: "/docs/measures",
      summary: "Measures",
      doc: "The measure dictionary, for people.",
      handle: async () => text(String(await measurePage()), "text/html"),
    }),
    route({
      ...page,
      name: "docs_availability",
      path: "/docs/availability",
      summary: "Availability and losses",
      doc: "States, evidence and the words of the loss account, for people.",
      handle: async () => text(String(await availabilityPage()), "text/html"),
    }),
    route({
      ...page,
      name: "docs_alarms",
      path: "/docs/alarms",
      summary: "Alarms",
      doc: "Their life, rules, times, feed, rows and figures, for people.",
      handle: async () => text(String(await alarmPage()), "text/html"),
    }),
    route({
      ...page,
      name: "docs_work",
      path: "/docs/work",
      summary: "Issues and work orders",
      doc: "Their statuses, guards, history and fields, for people.",
      handle: async () => text(String(await workPage()), "text/html"),
    }),
    route({
      ...page,
      name: "docs_webhooks",
      path: "/docs/webhooks",
      summary: "Webhooks",
      doc: "Events, bodies, signatures, attempts and targets, for people.",
      handle: async () => text(String(await webhookPage()), "text/html"),
    }),
  ];
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
