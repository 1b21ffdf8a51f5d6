// `POST /integrations/v1/issues/sync`: another system says how issues stand, signed.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { syncIssues } from "../../engine/work/sync.ts";
import { sync_answer_schema, sync_form } from "../../model/work/sync.ts";
import { requireMedia } from "../frame/json_body.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The inbound sync. */
export function syncRoutes(services: Services): readonly Route[] {
  return [route({
    name: "issue_sync",
    method: "POST",
    path: "/integrations/v1/issues/sync",
    summary: "Update existing issues",
    doc: "Sets status, priority, assigned user or external id of issues; it never makes an " +
      "issue. The token and the subscription whose secret signed must have access to the " +
      "project. Each item is applied on its own, completely or not at all. The subscription gets " +
      "no webhook for its own changes, unless it has hears_itself.",
    scope: "sync",
    project: null,
    noun: "issues",
    params: [],
    headers: [{
      name: "x-svc-signature",
      required: true,
      doc: "t=<Unix seconds>,v1=<hex HMAC-SHA256>: the HMAC of <t>.<body>, its bytes as they " +
        "are sent, keyed with the text of a subscription's secret; t is at most " +
        `${limits.signature_clock_s} seconds from the clock of the service.`,
      example: "t=$T,v1=$HMAC",
    }],
    body: {
      media_types: ["application/json"],
      limit_bytes: limits.sync_body_bytes,
      doc: "The issues with their new values.",
      schema: z.toJSONSchema(sync_form, { io: "input" }),
    },
    answer: { kind: "json", schema: z.toJSONSchema(sync_answer_schema) },
    handle: async ({ request, grant }) => {
      const header = request.headers.get("x-svc-signature");
      const read = () => {
        requireMedia(request, ["application/json"]);
        return request.bytes();
      };
      return Response.json(await syncIssues(services, { grant: grant!, header, read }));
    },
  })];
}
