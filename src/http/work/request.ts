// What requests on issues and work orders have in common: parameters, conditions, repeats, answers.
import { z } from "zod";
import { assert } from "../../base/assert.ts";
import { concat, utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { WorkAnswer, WorkAsk } from "../../engine/work/action.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Param } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { sha256Hex } from "../../model/webhooks/signature.ts";
import type { Grant } from "../../model/access/token.ts";
import type { RouteHeader } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** Parameters that several endpoints take. */
export const work_params = {
  project_id: { name: "project_id", in: "query", kind: "text", required: true, doc: "Project." },
  issue: { name: "id", in: "path", kind: "text", required: true, doc: "The issue's ID." },
  order: { name: "id", in: "path", kind: "text", required: true, doc: "The work order's ID." },
  updated_since: {
    name: "updated_since",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Only rows that changed at or after this time, by updated_at.",
  },
  limit: {
    name: "limit",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 1,
    maximum: limits.work_page_rows,
    default: limits.work_page_rows_default,
    doc: "Largest number of rows on the page.",
  },
  offset: {
    name: "offset",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 0,
    default: 0,
    doc: "Rows to skip.",
  },
} as const satisfies Record<string, Param>;

/** Keeps a change from undoing what someone else did. */
export const match_header: RouteHeader = {
  name: "If-Match",
  required: false,
  doc: "The ETag that you read: 412 if it was changed since then.",
  example: '\\"3\\"',
};

/** Makes a create the same for a repeat. */
export const once_header: RouteHeader = {
  name: "Idempotency-Key",
  required: false,
  doc:
    `A word of up to ${limits.idempotency_key_length} characters. For 24 hours the same request ` +
    "with it makes nothing new and gets the same answer, with Idempotency-Replayed: true; a " +
    "different request with it gets 409.",
  example: "$(uuidgen)",
};

/** The project of a request. */
export function projectOf({ catalog }: Pick<Services, "catalog">, project_id: string): Project {
  const project = catalog.project(project_id);
  if (project === undefined) throw new Fault("forbidden", "the project is gone");
  return project;
}

type Asking = {
  readonly request: Request;
  readonly grant: Grant | null;
  readonly values: { readonly project_id: string; readonly id?: string };
};

/** A change of something, under the conditions of its headers. */
export function changeAsk<A extends Asking>(
  services: Pick<Services, "catalog">,
  { request, grant, values }: A,
): WorkAsk & { readonly id: A["values"]["id"] } {
  const { project_id, id } = values;
  const if_match = versionsOf(request.headers.get("if-match"));
  return { project: projectOf(services, project_id), grant: grant!, id, if_match };
}

/** The making of something, which a key makes the same for a repeat. */
export async function createAsk(
  services: Pick<Services, "catalog">,
  { request, grant, values: { project_id } }: Asking,
): Promise<WorkAsk> {
  const ask = { project: projectOf(services, project_id), grant: grant! };
  const key = request.headers.get("idempotency-key");
  if (key === null) return ask;
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > limits.idempotency_key_length) {
    const most = limits.idempotency_key_length;
    throw badHeader("Idempotency-Key", `give 1 to ${most} visible ASCII characters`);
  }
  const { pathname, search } = new URL(request.url);
  const asked = `${request.method} ${pathname}${search}\n${await request.clone().text()}`;
  return { ...ask, once: { key, digest: sha256Hex(asked) } };
}

/** The answer to a change. */
export function answerWork({ body, version, note, is_replayed }: WorkAnswer): Response {
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
export function bodyOf(form: z.ZodType, doc: string) {
  return {
    media_types: ["application/json"],
    limit_bytes: limits.work_body_bytes,
    doc,
    schema: z.toJSONSchema(form, { io: "input" }),
  };
}

/**
 * A JSON array of the snapshots of a list, a line each, their bytes as they are. In pieces, as many
 * clients may hold one each.
 */
export async function* printSnapshots(
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
      if (size < limits.piece_bytes) continue;
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
    throw badHeader("If-Match", 'give the ETag that was read, such as "3"');
  }
  // A weak tag never matches, and what is no version of ours is none.
  return tags.flatMap((tag) => /^"[1-9]\d{0,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []);
}

function badHeader(path: string, message: string): Fault {
  return new Fault("invalid", `${path}: ${message}`, { flaws: [{ path, message }] });
}
