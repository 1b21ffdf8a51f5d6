// The screens: the document that every page begins with, and the built files that it loads.
import { gzipSync } from "node:zlib";
import { html } from "@hono/hono/html";
import * as z from "zod";
import { utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { fill_jobs, type FillState } from "../../engine/service/fill.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import built_json from "./built.json" with { type: "json" };

/** What the build made: which files start the screens, and which each page needs. */
type Built = {
  readonly script: string;
  readonly style: string;
  /** What the pages of the documentation start. */
  readonly docs: string;
  readonly pages: Readonly<Record<string, readonly string[]>>;
};

const built: Built = built_json;

/** The texts of the files by name: loaded when the first is asked for. */
const loadFiles = () => import("./files.json", { with: { type: "json" } });

/** The page that the bare address opens. */
const first_page = "overview";

/** The page whose address also answers programs: who answers them gives browsers this document. */
export const shared_page = "health";

const common = { method: "GET", scope: null, project: null } as const;

/**
 * Each page's document, and the files of all: both are public, they hold nothing of a plant. Then
 * what the screens alone ask for.
 */
export function screenRoutes(services: Services): readonly Route[] {
  const own = Object.keys(built.pages).filter((name) => name !== shared_page);
  const pages = [["", first_page], ...own.map((name) => [name, name])];
  return [
    ...pages.map(([path, page]) =>
      route({
        ...common,
        name: `screen_${path || "first"}`,
        is_tagged: true,
        path: `/${path}`,
        summary: `Screen: ${page}`,
        doc: "A page for people, which asks for its data with the browser's session.",
        params: [],
        any_query: true,
        answer: { kind: "text", media_type: "text/html" },
        handle: () => documentOf(page),
      })
    ),
    route({
      ...common,
      name: "screen_file",
      is_tagged: true,
      path: "/web/{name}",
      summary: "Files of the screens",
      doc: "A script, a style sheet or a picture. Its name changes with its content.",
      params: [{ name: "name", in: "path", kind: "text", required: true, doc: "The file." }],
      answer: { kind: "text", media_type: "text/javascript" },
      handle: ({ values, request }) => fileOf(values.name, request),
    }),
    fillRoute(services),
  ];
}

/** The script of the documentation's pages. */
export function docsScript(): string {
  return `import "/web/${built.docs}";\n`;
}

/** A page's document, with the files that it loads before its script asks for any more. */
export async function documentOf(page: string): Promise<Response> {
  const preloads = built.pages[page].map((name) =>
    html`<link rel="modulepreload" href="/web/${name}">`
  );
  const document = await html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <meta name="color-scheme" content="light dark">
            <title>Wattkeeper</title>
            <link rel="icon" href="/web/icon.svg">
            <link rel="stylesheet" href="/web/${built.style}">
            ${preloads}
            <script type="module" src="/web/${built.script}"></script>
          </head>
      <body>
        <div id="screen">
          <header class="top"><strong class="plant">Wattkeeper</strong></header>
        </div>
        <noscript>These screens need JavaScript. The interface does not: see /docs.</noscript>
      </body>
    </html>
  `;
  return new Response(String(document), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": content_policy,
      "cache-control": "no-cache",
    },
  });
}

/** Scripts, styles, pictures and data of this service alone; nothing in the document itself. */
const content_policy = [
  "default-src 'none'",
  ...["script-src", "style-src", "connect-src", "manifest-src"].map((it) => `${it} 'self'`),
  "img-src 'self' blob:",
  "form-action 'self'",
  ...["base-uri", "frame-ancestors", "object-src"].map((it) => `${it} 'none'`),
].join("; ");

const media_types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Those files that were asked for, compressed as far as gzip goes. */
const packed = new Map<string, Uint8Array<ArrayBuffer>>();

async function fileOf(name: string, { headers }: Request): Promise<Response> {
  const files: Readonly<Record<string, string>> = (await loadFiles()).default;
  if (!Object.hasOwn(files, name)) throw new Fault("not_found", "there is no such file");
  const text = files[name];
  const is_packed = /\bgzip\b/.test(headers.get("accept-encoding") ?? "");
  if (is_packed && !packed.has(name)) {
    packed.set(name, new Uint8Array(gzipSync(text, { level: 9 })));
  }
  return new Response(is_packed ? packed.get(name) : utf8(text), {
    headers: {
      "content-type": media_types[name.split(".").at(-1)!],
      "cache-control": /-\w{8}\.\w+$/.test(name)
        ? "public, max-age=31536000, immutable"
        : "no-cache",
      vary: "accept-encoding",
      ...(is_packed ? { "content-encoding": "gzip" } : {}),
    },
  });
}

const state_schema = z.strictObject({
  job: z.enum(Object.keys(fill_jobs)).nullable().describe("What is done now; null: all is done."),
  percent: z.number().describe("Of everything that there is to do."),
  left: z.number().describe("Of this job: hours to simulate, samples, days, minutes of rules."),
});

/** The progress of the demo's history. */
function fillRoute({ fill }: Pick<Services, "fill">): Route {
  return route({
    name: "demo",
    method: "GET",
    path: "/platform/v1/demo",
    summary: "How far the demo's history is",
    doc: "While the demo makes its history, how far that is. Other services answer 404.",
    scope: "read",
    project: null,
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(state_schema) },
    handle: () => {
      if (fill.state === undefined) throw new Fault("not_found", "this service is not the demo");
      return Response.json(fill.state satisfies FillState);
    },
  });
}
