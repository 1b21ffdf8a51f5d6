// Lists of issues and of work orders: which part of them is asked for, and how many there are.
import * as z from "zod";
import { assert } from "../../base/assert.ts";
import { concat, utf8 } from "../../base/bytes.ts";
import type { Grant } from "../../model/access/token.ts";
import { type Chunk, wordAt } from "../../model/data/chunk.ts";
import type { Param } from "../../model/data/param.ts";
import { work_priorities, type WorkPriority } from "../../model/work/issue.ts";
import { work_limits } from "../../model/work/limits.ts";
import type { Connection } from "../../store/connection.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import { type StreamContext, streamJson } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { invalid } from "../frame/input.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import { asksTable, streamTable, type TableRow } from "../frame/row_table.ts";
import type { Services } from "../frame/services.ts";
import type { Said, WorkNoun } from "./request.ts";

const assigned_param = {
  name: "assigned_to",
  in: "query",
  kind: "text",
  required: false,
  names: "user",
  doc: "Only rows that are assigned to this user, by id or e-mail; me: the user of the token.",
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

/** What the lists of both have in common; the rest is said with the list's route. */
export function listOf({ path, noun, row, columns }: WorkNoun) {
  return {
    method: "GET",
    path,
    scope: "read",
    project: "project_id",
    noun,
    answer: { kind: "rows", row, columns },
  } as const;
}

/** A page of a list, each as it was when it last changed. */
export async function answerPage<V extends PageValues>(
  services: Pick<Services, "catalog" | "database">,
  context: StreamContext & { readonly values: V; readonly grant: Grant | null },
  { columns, list }: Pick<WorkNoun, "columns"> & {
    readonly list: (connection: Connection, part: PartOf<V>) => Promise<Iterable<Chunk>>;
  },
): Promise<Response> {
  const { project_id, updated_since: since_us, ...filter } = context.values;
  const { project_no } = projectOf(services, project_id);
  const assigned_to = userOf(context);
  const chunks = await services.database.read(
    (connection) => list(connection, { ...filter, assigned_to, project_no, since_us }),
    context.signal,
  );
  if (asksTable(context)) {
    return await streamTable(context, { columns, batches: parsedSnapshots(chunks) });
  }
  return await streamJson(context, printSnapshots(chunks));
}

function* parsedSnapshots(chunks: Iterable<Chunk>): Generator<readonly TableRow[], void> {
  for (const { rows, vectors: [snapshot] } of chunks) {
    assert(snapshot.kind === "text" && !snapshot.codes, "a snapshot is text of its own");
    yield Array.from({ length: rows }, (_, i) => JSON.parse(wordAt(snapshot.words, i)));
  }
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
    answer: { kind: "json", schema: () => z.toJSONSchema(counts_schema) },
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

type PageValues = {
  readonly project_id: string;
  readonly updated_since?: number;
  readonly assigned_to?: string;
};

type PartOf<V extends PageValues> = Omit<V, "project_id" | "updated_since"> & {
  readonly project_no: number;
  readonly since_us: number | undefined;
};

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
