// What requests on issues and on work orders share: their routes, conditions, repeats and answers.
import * as z from "zod";
import { sha256Hex } from "../../base/digest.ts";
import type { Fault } from "../../base/fault.ts";
import { work_limits } from "../../model/work/limits.ts";
import type { WorkAnswer, WorkAsk } from "../../engine/work/action.ts";
import { showPhoto } from "../../engine/work/photo.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Column } from "../../model/data/column.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import type { PlannedNoun } from "../../model/setting.ts";
import type { Photo } from "../../model/work/photo.ts";
import type { Connection } from "../../store/connection.ts";
import { projectOf } from "../frame/auth.ts";
import { match_header, versionsOf } from "../frame/condition.ts";
import { invalid } from "../frame/input.ts";
import { formBody, readData, readOptionalData } from "../frame/json_body.ts";
import { project_param } from "../frame/param.ts";
import { type Route, route, type RouteHeader } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** What an issue and a work order differ by in the requests that both have. */
export type WorkNoun = {
  readonly path: string;
  readonly noun: PlannedNoun;
  readonly kind: Photo["kind"];
  /** One of them in words. */
  readonly one: string;
  /** One of them in the API description. */
  readonly row: string;
  readonly columns: readonly Column[];
};

/** What the API description says of a route. */
export type Said = Pick<Route, "name" | "summary" | "doc">;

/** One of a noun, as it was when it last changed. */
export function getRoute(
  services: Services,
  { path, noun, one, columns, kind }: WorkNoun,
  { read, missing, ...said }: Said & {
    readonly read: (connection: Connection, key: Key) => Promise<Kept | undefined>;
    readonly missing: () => Fault;
  },
): Route {
  return route({
    ...said,
    method: "GET",
    path: `${path}/{id}`,
    scope: "read",
    project: "project_id",
    noun,
    params: [idParam(one), project_param, include_param],
    answer: { kind: "json", schema: rowSchema(columns) },
    handle: async ({ values: { project_id, id, include } }) => {
      const { project_no } = projectOf(services, project_id);
      const found = await services.database.read((it) => read(it, { project_no, id }));
      if (found === undefined) throw missing();
      const { snapshot, version } = found;
      if (include.length === 0) return answerWork({ body: snapshot, version });
      const photos = await services.photos.list({ kind, owner_id: id, project_no });
      const body = JSON.stringify({ ...JSON.parse(snapshot), photos: photos.map(showPhoto) });
      return answerWork({ body, version });
    },
  });
}

/** Makes one of a noun; the same request under the same key makes nothing again. */
export function postRoute(
  services: Services,
  { path, noun, columns }: WorkNoun,
  { form, body_doc, act, ...said }: Said & Body & { readonly act: Act<WorkAsk> },
): Route {
  return route({
    ...said,
    method: "POST",
    path,
    scope: "manage",
    project: "project_id",
    noun,
    params: [project_param],
    headers: [once_header],
    body: bodyOf(form, body_doc),
    answer: { kind: "json", status: 201, also: 200, schema: rowSchema(columns) },
    handle: async (context) => {
      const ask = await createAsk(services, context);
      return answerWork(await act(services, await readData(context.request), ask));
    },
  });
}

/** Changes one of a noun: by PATCH, by DELETE, or by POST of a step under it. */
export function changeRoute(
  services: Services,
  { path, noun, one, columns }: WorkNoun,
  { method, step, schema, form, body_doc, act, ...said }: Change,
): Route {
  // Who deletes something may be left out, and the body with it.
  const read = method === "DELETE" ? readOptionalData : readData;
  return route({
    ...said,
    method,
    path: `${path}/{id}${step === undefined ? "" : `/${step}`}`,
    scope: "manage",
    project: "project_id",
    noun,
    params: [idParam(one), project_param],
    headers: [match_header],
    body: { ...bodyOf(form, body_doc), ...(method === "DELETE" ? { optional: true } : {}) },
    answer: { kind: "json", schema: schema ?? rowSchema(columns) },
    handle: async (context) => {
      const data = await read(context.request);
      return answerWork(await act(services, data, changeAsk(services, context)));
    },
  });
}

const include_param = {
  name: "include",
  in: "query",
  kind: "text",
  required: false,
  repeated: true,
  values: ["photos"],
  doc: "photos: also `photos`, the list of its photos, the oldest first.",
} as const satisfies Param;

/** The parameter that names one of a noun. */
export function idParam(one: string) {
  return { name: "id", in: "path", kind: "text", required: true, doc: `The ${one}'s ID.` } as const;
}

/** A way to change one: its method, and the word of a step. */
type Change = Said & Body & {
  readonly method: "PATCH" | "DELETE" | "POST";
  readonly step?: string;
  /** Of the answer, where that is not one of the noun. */
  readonly schema?: object;
  readonly act: Act<WorkAsk & { readonly id: string }>;
};

/** What the body says, by its form. */
type Body = { readonly form: z.ZodType; readonly body_doc: string };

/** Where one of a noun is, and what is kept of it: its latest snapshot, as JSON. */
type Key = { readonly project_no: number; readonly id: string };
type Kept = { readonly snapshot: string; readonly version: number };

type Act<Ask> = (services: Services, data: unknown, ask: Ask) => Promise<WorkAnswer>;

/** Makes a create the same for a repeat. */
const once_header: RouteHeader = {
  name: "Idempotency-Key",
  required: false,
  doc: `A word of up to ${work_limits.idempotency_key_length} characters. For 24 hours the ` +
    "same request with it makes nothing new and gets the same answer, with " +
    "Idempotency-Replayed: true; a " +
    "different request with it gets 409.",
  example: "$(uuidgen)",
};

type Asking = {
  readonly request: Request;
  readonly grant: Grant | null;
  readonly values: { readonly project_id: string };
};

/** A change of something, under the conditions of its headers. */
function changeAsk(
  services: Pick<Services, "catalog">,
  { request, grant, values: { project_id, id } }: Asking & { readonly values: { id: string } },
): WorkAsk & { readonly id: string } {
  const if_match = versionsOf(request.headers.get("if-match"));
  return { project: projectOf(services, project_id), grant: grant!, id, if_match };
}

/** The making of something, which a key makes the same for a repeat. */
async function createAsk(
  services: Pick<Services, "catalog">,
  { request, grant, values: { project_id } }: Asking,
): Promise<WorkAsk> {
  const ask = { project: projectOf(services, project_id), grant: grant! };
  const key = request.headers.get("idempotency-key");
  if (key === null) return ask;
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > work_limits.idempotency_key_length) {
    const most = work_limits.idempotency_key_length;
    throw invalid("Idempotency-Key", `give 1 to ${most} visible ASCII characters`);
  }
  const { pathname, search } = new URL(request.url);
  const asked = `${request.method} ${pathname}${search}\n${await request.clone().text()}`;
  return { ...ask, once: { key, digest: sha256Hex(asked) } };
}

/** The answer to a change. */
function answerWork({ body, version, note, is_replayed }: WorkAnswer): Response {
  return new Response(body, {
    status: note === "created" ? 201 : 200,
    headers: {
      "content-type": "application/json",
      ...(version === null ? {} : { etag: `"${version}"` }),
      ...(note === "existing" ? { "x-svc-existing": "true" } : {}),
      ...(is_replayed ? { "idempotency-replayed": "true" } : {}),
    },
  });
}

/** What a request's body is, by its form. */
function bodyOf(form: z.ZodType, doc: string) {
  return formBody(form, { doc, limit_bytes: work_limits.body_bytes });
}
