// What requests on issues and on work orders share: their routes, conditions, repeats and answers.
import { z } from "zod";
import { assert } from "../../base/assert.ts";
import { concat, utf8 } from "../../base/bytes.ts";
import type { Fault } from "../../base/fault.ts";
import { work_limits } from "../../model/work/limits.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import type { WorkAnswer, WorkAsk } from "../../engine/work/action.ts";
import type { Grant } from "../../model/access/token.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import type { PlannedNoun } from "../../model/setting.ts";
import { work_priorities, type WorkPriority } from "../../model/work/issue.ts";
import { sha256Hex } from "../../model/webhooks/signature.ts";
import type { Connection } from "../../store/connection.ts";
import { type StreamContext, streamJson } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { invalid } from "../frame/input.ts";
import { readData, readOptionalData } from "../frame/json_body.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route, type RouteHeader } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const assigned_param = {
  name: "assigned_to",
  in: "query",
  kind: "text",
  required: false,
  doc: "Only rows that are assigned to this user, by id; me: the user of the token.",
} as const satisfies Param;

/** The parameters of a list that say which part of it: whose, what changed since when, the page. */
export const part_params = [
  {
    name: "priority",
    in: "query",
    kind: "text",
    required: false,
    values: work_priorities,
    doc: "Only rows of this priority.",
  },
  assigned_param,
  {
    name: "active",
    in: "query",
    kind: "flag",
    required: false,
    doc: "true: only rows that someone is still to deal with. false: only those that are done.",
  },
  {
    name: "sort",
    in: "query",
    kind: "text",
    required: false,
    values: ["priority"],
    doc: "priority: the most urgent first, of one priority the newest first.",
  },
  {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only rows that changed at or after this time, by updated_at.",
  },
  ...pageParams("Rows", { most: work_limits.page_rows, usual: work_limits.page_rows_default }),
] as const satisfies readonly Param[];

/** What an issue and a work order differ by in the requests that both have. */
export type WorkNoun = {
  readonly path: string;
  readonly noun: PlannedNoun;
  /** One of them in words. */
  readonly one: string;
  readonly columns: readonly Column[];
};

/** What the API description says of a route. */
type Said = Pick<Route, "name" | "summary" | "doc">;

/** What the lists of both have in common; the rest is said with the list's route. */
export function listOf({ path, noun, columns }: WorkNoun) {
  return {
    method: "GET",
    path,
    scope: "read",
    project: "project_id",
    noun,
    answer: {
      kind: "json",
      streamed: true,
      schema: { type: "array", items: rowSchema(columns) },
    },
  } as const;
}

/** A page of a list, each as it was when it last changed. */
export async function answerPage<V extends PageValues>(
  services: Pick<Services, "catalog" | "database">,
  context: StreamContext & { readonly values: V; readonly grant: Grant | null },
  list: (connection: Connection, part: PartOf<V>) => Promise<Iterable<Chunk>>,
): Promise<Response> {
  const { project_id, updated_since: since_us, ...filter } = context.values;
  const { project_no } = projectOf(services, project_id);
  const assigned_to = userOf(context);
  const chunks = await services.database.read(
    (connection) => list(connection, { ...filter, assigned_to, project_no, since_us }),
    context.signal,
  );
  return await streamJson(context, printSnapshots(chunks));
}

/** How many of a noun there are, by status and priority. */
export function countRoute(
  services: Services,
  { path, noun }: WorkNoun,
  { count, ...said }: Said & {
    readonly count: (connection: Connection, asked: CountAsked) => Promise<readonly WorkCount[]>;
  },
): Route {
  return route({
    ...said,
    method: "GET",
    path: `${path}/counts`,
    scope: "read",
    project: "project_id",
    noun,
    params: [project_param, assigned_param],
    answer: { kind: "json", schema: z.toJSONSchema(counts_schema) },
    handle: async (context) => {
      const { project_no } = projectOf(services, context.values.project_id);
      const assigned_to = userOf(context) ?? null;
      const counts = await services.database.read((it) => count(it, { project_no, assigned_to }));
      return Response.json({ counts });
    },
  });
}

const counts_schema = z.strictObject({
  counts: z.array(z.strictObject({
    status: z.string(),
    priority: z.enum(work_priorities),
    count: z.int(),
  })).describe("Only statuses and priorities of which there are any."),
});

type CountAsked = { readonly project_no: number; readonly assigned_to: string | null };
type WorkCount = {
  readonly status: string;
  readonly priority: WorkPriority;
  readonly count: number;
};

/** The id of the user whose rows are asked for. Throws a `Fault` where "me" is nobody. */
function userOf(
  { values: { assigned_to }, grant }: {
    readonly values: { readonly assigned_to?: string };
    readonly grant: Grant | null;
  },
): string | undefined {
  if (assigned_to !== "me") return assigned_to;
  if (grant?.user_id) return grant.user_id;
  throw invalid("assigned_to", "the token is not a user's: give an id");
}

/** One of a noun, as it was when it last changed. */
export function getRoute(
  services: Services,
  { path, noun, one, columns }: WorkNoun,
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
    params: [idParam(one), project_param],
    answer: { kind: "json", schema: rowSchema(columns) },
    handle: async ({ values: { project_id, id } }) => {
      const { project_no } = projectOf(services, project_id);
      const found = await services.database.read((it) => read(it, { project_no, id }));
      if (found === undefined) throw missing();
      return answerWork({ body: found.snapshot, version: found.version });
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
    answer: { kind: "json", status: 201, schema: rowSchema(columns) },
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
    body: bodyOf(form, body_doc),
    answer: { kind: "json", schema: schema ?? rowSchema(columns) },
    handle: async (context) => {
      const data = await read(context.request);
      return answerWork(await act(services, data, changeAsk(services, context)));
    },
  });
}

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

type PageValues = {
  readonly project_id: string;
  readonly updated_since?: number;
  readonly assigned_to?: string;
};

type PartOf<V extends PageValues> = Omit<V, "project_id" | "updated_since"> & {
  readonly project_no: number;
  readonly since_us: number | undefined;
};

/** Keeps a change from undoing what someone else did. */
const match_header: RouteHeader = {
  name: "If-Match",
  required: false,
  doc: "The ETag that you read: 412 if it was changed since then.",
  example: '\\"3\\"',
};

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
  return {
    media_types: ["application/json"],
    limit_bytes: work_limits.body_bytes,
    doc,
    schema: z.toJSONSchema(form, { io: "input" }),
  };
}

/**
 * A JSON array of the snapshots of a list, a line each, their bytes as they are. In pieces, as many
 * clients may hold one each.
 */
async function* printSnapshots(
  chunks: Iterable<Chunk>,
): AsyncGenerator<Uint8Array, void> {
  let before = opening;
  let parts: Uint8Array[] = [];
  let size = 0;
  for (const { rows, vectors: [snapshot] } of chunks) {
    assert(snapshot.kind === "text" && !snapshot.codes, "a snapshot is text of its own");
    const { bytes, offsets } = snapshot.words;
    for (let i = 0; i < rows; i++) {
      parts.push(before, bytes.subarray(offsets[i], offsets[i + 1]));
      before = comma;
      size += offsets[i + 1] - offsets[i];
      if (size < body_limits.piece_bytes) continue;
      yield concat(parts);
      parts = [];
      size = 0;
    }
  }
  yield concat([...parts, utf8(before === opening ? "[]\n" : "\n]\n")]);
}

const opening = utf8("[\n");
const comma = utf8(",\n");

/** The versions of an If-Match header (RFC 9110); `*` and none are any. */
function versionsOf(text: string | null): readonly number[] | undefined {
  if (text === null || text.trim() === "*") return undefined;
  const tags = text.split(",").map((tag) => tag.trim());
  if (!tags.every((tag) => /^(W\/)?"[^"]*"$/.test(tag))) {
    throw invalid("If-Match", 'give the ETag that was read, such as "3"');
  }
  // A weak tag never matches, and what is no version of ours is none.
  return tags.flatMap((tag) => /^"[1-9]\d{0,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []);
}
