// `POST /admin/v1/query`: an operator's SELECT on a running service.
import * as z from "zod";
import { type Flaw, refusal } from "../../base/fault.ts";
import { service_limits } from "../../engine/service/limits.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { requireWholeReach } from "../frame/auth.ts";
import { readData } from "../frame/json_body.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const refuse = (flaws: readonly Flaw[]) => refusal("the query can't be read", flaws);

/** By tokens that reach every organization: the tables hold all of them. */
export function queryRoutes({ queries }: Services): readonly Route[] {
  return [
    route({
      name: "query",
      method: "POST",
      path: "/admin/v1/query",
      summary: "Read the database with SQL",
      doc: "Runs one SELECT on the tables of the service, for " +
        `${service_limits.query_ms / 1000} s and ` +
        `${service_limits.query_bytes / 1024 / 1024} MiB of answer at most. Tables with secrets, ` +
        "files and other databases can't be read. The tables may change with each version. " +
        `${service_limits.queries} queries run at once; more get 429. A function on long texts ` +
        "can't be interrupted: it may go on after its answer, and keeps its place until it ends.",
      scope: "admin",
      project: null,
      params: [],
      body: {
        media_types: ["application/json"],
        limit_bytes: service_limits.query_body_bytes,
        doc: "The statement, and the form of the answer.",
        schema: () => z.toJSONSchema(query_schema, { io: "input" }),
      },
      answer: { kind: "bytes", media_types: [media_types.csv, media_types.json] },
      handle: async ({ request, grant, signal }) => {
        requireWholeReach(grant!);
        const query = parseForm(query_schema, await readData(request), { refuse });
        const text = await queries.answer(query, { signal });
        return new Response(text, {
          headers: { "content-type": query.json ? media_types.json : media_types.csv },
        });
      },
    }),
  ];
}

const media_types = { csv: "text/csv; charset=utf-8", json: "application/x-ndjson" } as const;

const query_schema = z.strictObject({
  sql: z.string().min(1).describe("One SELECT statement."),
  json: z.boolean().default(false).describe("One JSON object a line instead of CSV."),
});
