// Tests the API description and the pages against the routes that they are made from.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { webhook_types } from "../../src/model/webhooks/webhook.ts";
import { areaPath } from "../../src/http/page/page.ts";
import { type Area, area_names, areas } from "../../src/http/frame/route.ts";
import { find, type Place } from "../../src/web/docs/find.ts";
import { testService } from "../help/service.ts";

type Json = { readonly [name: string]: Json } | readonly Json[] | string | number | boolean | null;

/** Every object of a document, with where it stands. */
function* walk(json: Json, path = "#"): Generator<[string, { readonly [name: string]: Json }]> {
  if (json === null || typeof json !== "object") return;
  if (!Array.isArray(json)) yield [path, json as { readonly [name: string]: Json }];
  for (const [name, inner] of Object.entries(json)) {
    yield* walk(inner, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

const service = await testService({ at: "2026-06-01T12:00:00Z" });
// deno-lint-ignore no-explicit-any
const document: any = await (await service.fetch("/openapi.json")).json();
// deno-lint-ignore no-explicit-any
const one: any = await (await service.fetch("/openapi.json?forms=one")).json();
const pages = new Map<string, string>();
for (const path of ["/docs", ...area_names.map(areaPath)]) {
  pages.set(path, (await (await service.fetch(path)).text()).replaceAll("<wbr>", ""));
}
const page = [...pages.values()].join("\n");
await service.close();

/** The area of an operation, by its tag. */
function areaOf({ tags }: { readonly tags: readonly string[] }): Area {
  return area_names.find((it) => areas[it].title === tags[0])!;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  // deno-lint-ignore no-explicit-any
  Object.entries(methods as any).map(([method, operation]: [string, any]) => (
    { path, method, operation }
  ))
);

Deno.test("the description is OpenAPI 3.1 whose references all resolve", () => {
  match(document.openapi, /^3\.1\.\d$/);
  const places = new Set([...walk(document)].map(([path]) => path));
  for (const [path, object] of walk(document)) {
    if (typeof object.$ref === "string") ok(places.has(object.$ref), `${path}: ${object.$ref}`);
  }
});

Deno.test("every operation has an id of its own, an answer, and a problem for the rest", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  equal(new Set(ids).size, ids.length);
  for (const { path, operation } of operations) {
    ok(operation.summary && operation.description, path);
    const { $ref, content } = operation.responses.default;
    if (content) ok(/^\/(write|query|api|prometheus|health)\b/.test(path), path);
    else equal($ref, "#/components/responses/Problem");
    const [success] = Object.keys(operation.responses);
    match(success, /^[23]\d\d$/);
    ok(operation.responses[success].description, path);
  }
});

Deno.test("path parameters are exactly those of the path, and each parameter is there once", () => {
  for (const { path, operation } of operations) {
    const named: string[] = operation.parameters
      .filter((param: { in: string }) => param.in === "path")
      .map((param: { name: string; required: boolean }) => (ok(param.required), param.name));
    const wanted = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    deepEqual(named.toSorted(), wanted.toSorted(), path);
    const names = operation.parameters.map((param: { name: string }) => param.name);
    equal(new Set(names).size, names.length, path);
  }
});

Deno.test("every schema has types of JSON Schema, and required properties that it names", () => {
  const types = ["string", "number", "integer", "boolean", "array", "object", "null"];
  for (const [path, object] of walk(document)) {
    if (path.endsWith("/properties") || object.in !== undefined) continue;
    for (const type of [object.type ?? []].flat() as string[]) {
      if (!/\/(schema|schemas|items|properties)\b/.test(path)) continue;
      ok(types.includes(type), `${path}: ${type}`);
    }
    if (Array.isArray(object.required) && object.properties) {
      for (const name of object.required as string[]) {
        ok(name in (object.properties as object), path);
      }
    }
  }
});

Deno.test("every schema is well-formed by the rules of JSON Schema", () => {
  const ajv = new Ajv2020({ strict: false });
  const { schemas } = document.components;
  const inline = [...walk(document)].filter(([path]) => path.endsWith("/schema"));
  for (const [path, schema] of [...Object.entries(schemas), ...inline]) {
    ok(ajv.validateSchema(schema as object), `${path}: ${JSON.stringify(ajv.errors)}`);
  }
});

Deno.test("the page shows every field of every body", () => {
  let fields = 0;
  for (const { operation: { operationId, requestBody } } of operations) {
    const { schema } = requestBody?.content["application/json"] ?? {};
    const name = (schema?.items ?? schema)?.$ref?.split("/")[3];
    const { properties } = document.components.schemas[name] ?? {};
    const [section] = new RegExp(`<section\\s+id="${operationId}"[^]*?</section>`).exec(page)!;
    // A schema stands once on a page; a very long one is named.
    const isElsewhere = /As of <a|JSON Schema of/.test(section);
    for (const name of Object.keys(properties ?? {})) {
      ok(isElsewhere || section.includes(`"${name}"`), `${operationId} ${name}`);
      fields++;
    }
  }
  ok(fields > 100, `${fields} fields`);
});

Deno.test("each shape has one name, and no answer or body has a shape of its own", () => {
  const names = Object.keys(document.components.schemas);
  ok(names.length > 150, `${names.length} names`);
  for (const name of names) match(name, /^[A-Z][A-Za-z0-9]*$/);
  const bare = [...walk(document)].filter(([path, { properties }]) =>
    properties !== undefined && !/^#\/components\/schemas\/\w+$/.test(path) &&
    !path.startsWith("#/webhooks/") && !path.endsWith("/properties")
  );
  deepEqual(bare.map(([path]) => path), []);
  const texts = names.map((name) => {
    const { title: _, description: _d, ...shape } = document.components.schemas[name];
    return JSON.stringify(shape);
  });
  equal(new Set(texts).size, texts.length);
});

Deno.test("there is nothing in the description that generators of clients can't read", () => {
  for (const [path, object] of walk(document)) {
    if (path.endsWith("/properties")) continue;
    for (const word of ["prefixItems", "$defs", "$schema", "propertyNames", "nullable"]) {
      ok(!(word in object), `${path} has ${word}`);
    }
    ok(typeof object.items !== "boolean", `${path} has items of true or false`);
    if (object.type === "array") ok(object.items !== undefined, `${path} has no items`);
    const types = [object.type ?? []].flat() as string[];
    if (/schema/.test(path) && types.includes("null")) {
      ok(object.properties === undefined && object.enum === undefined, `${path} may be null`);
    }
  }
});

Deno.test("every operation has an area that is explained, and the errors of its kind", () => {
  const titles = new Set(document.tags.map(({ name }: { name: string }) => name));
  for (const { path, method, operation } of operations) {
    const { responses, security, tags, requestBody } = operation;
    equal(tags.length, 1, path);
    ok(titles.has(tags[0]), `${path}: ${tags[0]}`);
    const wanted = [
      ...["400", "413"],
      ...(security.length > 0 ? ["401", "403", "429"] : []),
      ...(path.includes("{") ? ["404"] : []),
      ...(requestBody ? ["408", "415"] : []),
    ];
    for (const status of wanted) ok(status in responses, `${method} ${path} has no ${status}`);
  }
});

Deno.test("bodies of rows are arrays in JSON, and bytes in other types", () => {
  const { content } = document.paths["/ingest/v1/signals"].post.requestBody;
  deepEqual(content["application/json"].schema, {
    type: "array",
    items: { $ref: "#/components/schemas/Sample" },
  });
  for (const type of ["application/x-ndjson", "text/csv", "application/vnd.apache.arrow.stream"]) {
    deepEqual(content[type].schema, { type: "string", format: "binary" }, type);
  }
});

Deno.test("with forms=one each body and answer has one media type, JSON if it can", () => {
  const { paths } = one;
  type Said = { readonly content?: object };
  // deno-lint-ignore no-explicit-any
  for (const operation of Object.values(paths).flatMap((it) => Object.values(it as any)) as any[]) {
    const { parameters, requestBody, responses } = operation;
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)] as Said[]) {
      ok(Object.keys(content).length <= 1, operation.operationId);
    }
    const format = parameters.find(({ name }: { name: string }) => name === "format");
    if (format) equal(format.schema.default, "json", operation.operationId);
  }
  deepEqual(Object.keys(paths["/platform/v1/signals"].get.responses[200].content), [
    "application/json",
  ]);
});

Deno.test("the endpoints of the interface are described", () => {
  const paths = [
    "/platform/v1/signals",
    "/platform/v1/performance-v2",
    "/platform/v1/performance",
    "/platform/v1/availability",
    "/platform/v1/alarms/{occurrence_id}",
    "/platform/v1/alarms/events",
    "/platform/v1/issues",
    "/platform/v1/work-orders",
    "/platform/v1/issues/{id}/history",
    "/integrations/v1/issues/sync",
    "/webhooks/jwks.json",
    "/ingest/v1/signals",
    "/healthz",
    "/metrics",
  ];
  for (const path of paths) ok(path in document.paths, path);
  equal(document.paths["/platform/v1/performance"].get.deprecated, true);
});

Deno.test("every type of event is described as what is posted: headers, envelope, data", () => {
  deepEqual(Object.keys(document.webhooks), webhook_types);
  // deno-lint-ignore no-explicit-any
  for (const [type, { post }] of Object.entries<any>(document.webhooks)) {
    const names = post.parameters.map((param: { name: string }) => param.name);
    for (const name of ["id", "type"]) ok(names.includes(`x-svc-event-${name}`));
    ok(names.includes("x-svc-signature"));
    const { schema } = post.requestBody.content["application/json"];
    equal(schema.properties.type.const, type);
    const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(schema.properties.data.$ref)!;
    const { required } = document.components.schemas[name];
    ok(required.includes(type.startsWith("alarm.") ? "events" : data_fields[type] ?? "id"), type);
    deepEqual(Object.keys(post.responses), ["410", "429", "503", "2XX", "default"]);
  }
});

/** A field that tells the data of some types from others. */
const data_fields: Readonly<Record<string, string>> = {
  "issue.updated": "work_orders",
  "workorder.completed": "created_by",
  "workorder.deleted": "title",
  "report.ready": "link",
  "webhook.test": "subscription_id",
};

Deno.test("the reference page shows every operation, parameter and column", () => {
  for (const { path, operation } of operations) {
    const own = pages.get(areaPath(areaOf(operation)))!;
    const [, after] = own.split(`id="${operation.operationId}"`);
    ok(after, path);
    const [section] = after.split("</section>");
    for (const { name } of operation.parameters) ok(section.includes(`<code>${name}</code>`), name);
  }
  ok(page.includes("<code>value_encoding</code>"));
  ok(page.includes("<code>performance_index_setpoint</code>"));
  for (const code of ["invalid", "forbidden", "unavailable"]) ok(page.includes(`problem-${code}`));
});

Deno.test("the pages load only what is the service's own, and no link is broken", async () => {
  const { fetch, close } = await testService();
  const words = ["measures", "availability", "alarms", "work", "webhooks"];
  const pages = new Map<string, string>();
  const all = [
    "/docs",
    "/docs/start",
    ...words.map((it) => `/docs/${it}`),
    ...area_names.map(areaPath),
  ];
  for (const path of all) {
    const answer = await fetch(path);
    equal(answer.status, 200);
    match(answer.headers.get("content-type")!, /^text\/html/);
    const policy = answer.headers.get("content-security-policy")!;
    match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';/);
    const text = await answer.text();
    ok(text.length <= 150_000, `${path}: ${text.length}`);
    pages.set(path, text);
  }
  for (const [at, text] of pages) {
    const own = '<script type="module" src="/docs/reference.js"></script>';
    ok(!/<script|style="|src=|\{\{/i.test(text.replace(own, "")), at);
    for (const [, link] of text.matchAll(/href="([^"]*)"/g)) {
      match(link, /^[/#]/);
      const [path, id] = link.split("#");
      const target = pages.get(path || at);
      if (id !== undefined) ok(target?.includes(`id="${id}"`), `${at}: ${link}`);
      else if (!target) equal((await fetch(path)).status, 200, `${at}: ${link}`);
    }
  }
  equal(
    (await fetch("/docs/reference.css")).headers.get("content-type"),
    "text/css; charset=utf-8",
  );
  await close();
});

Deno.test("pages are packed, have a tag, and the index finds every endpoint", async () => {
  const { fetch, close } = await testService();
  for (const path of ["/docs", "/docs/api/alarms", "/docs/index.json", "/openapi.json"]) {
    const plain = await fetch(path);
    const text = await plain.text();
    const packed = await fetch(path, { headers: { "accept-encoding": "gzip" } });
    equal(packed.headers.get("content-encoding"), "gzip");
    const tags = [plain, packed].map(({ headers }) => headers.get("etag")!);
    ok(tags[0] !== tags[1]);
    const bytes = await packed.arrayBuffer();
    ok(bytes.byteLength < text.length / 3, path);
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    equal(await new Response(unpacked).text(), text);
    const again = { "accept-encoding": "gzip", "if-none-match": tags[1] };
    equal((await fetch(path, { headers: again })).status, 304);
  }
  const places: readonly Place[] = await (await fetch("/docs/index.json")).json();
  for (const { operation } of operations) {
    const href = `${areaPath(areaOf(operation))}#${operation.operationId}`;
    ok(places.some(([at]) => at === href), href);
  }
  deepEqual(
    find(places, "performance-v2").map(([href]) => href)[0].split("#")[1],
    "performance_v2",
  );
  ok(find(places, "rotate secret").some(([href]) => href.endsWith("#subscription_rotate_secret")));
  const first = (text: string) => find(places, text)[0]?.[0].replace("/docs/", "");
  deepEqual(["derived", "sparkplug", "modbus", "destination", "s3", "declare plant"].map(first), [
    ...["guide/derived", "guide/mqtt", "api/send#source_put"],
    ...["api/operation#destinations", "guide/destinations#parquet-files-in-an-s3-compatible-store"],
    "guide/connect#declare-the-plant",
  ]);
  ok(find(places, "telegraf").some(([href]) => href === "/docs/guide/telegraf"));
  deepEqual(find(places, "no such words at all xyz"), []);
  await close();
});
