// The door of Prometheus: what it writes to a remote storage becomes samples of a project.
import { Fault } from "../../base/fault.ts";
import { series_doc } from "../../model/samples/labels.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import type { RemoteWriteVersion } from "../../wire/samples/remote_write.ts";
import { projectOf } from "../frame/auth.ts";
import { type ErrorForm, problemResponse } from "../frame/problem.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { partialWrite, storeBody } from "./ingest.ts";
import { project_path_param } from "./promql.ts";

/** Prometheus shows the first line of an error in its log. */
const errors: ErrorForm = {
  media_type: "text/plain",
  schema: { type: "string" },
  print: ({ detail }) => `${detail}\n`,
};

/** What Prometheus writes with. */
export function remoteWriteRoute(services: Services): Route {
  return route({
    name: "prometheus_write",
    method: "POST",
    path: "/prometheus/{project}/api/v1/write",
    summary: "Remote write of Prometheus",
    doc: "For `remote_write` of Prometheus, its agent, Grafana Alloy and others, in version 1 " +
      `and 2. Answers 204 once everything is on disk. ${series_doc} Where samples are ` +
      "rejected it answers 400, with the first of them and why; the others are stored.",
    scope: "ingest",
    project: "project",
    params: [project_path_param],
    body: {
      media_types: ["application/x-protobuf"],
      limit_bytes: body_limits.snappy_body_bytes,
      doc: "A `prometheus.WriteRequest`, or, with `;proto=io.prometheus.write.v2.Request` in " +
        `the type, one of version 2; compressed with snappy, at most ` +
        `${body_limits.snappy_body_bytes / 1_048_576} MiB before that.`,
      streamed: true,
    },
    answer: { kind: "nothing" },
    errors,
    handle: async ({ values, request_id, ...body }) => {
      const find = () => projectOf(services, values.project);
      const version = versionOf(body.request.headers.get("content-type"));
      // A start has no use for its package.
      const { decodeRemoteWrite } = await import("../../wire/samples/remote_write.ts");
      const answer = await storeBody(
        services,
        { ...body, find },
        (bytes, options) => decodeRemoteWrite(bytes, { version, ...options }),
      );
      const written = answer.accepted + answer.duplicates;
      const headers = version === 1 ? undefined : countsOf(written);
      if (answer.rejected_count === 0) return new Response(null, { status: 204, headers });
      const { code, message: detail } = partialWrite(answer);
      return problemResponse({ code, detail, headers }, request_id, errors);
    },
  });
}

/** Without them, a sender of version 2 takes everything for lost. */
function countsOf(samples: number): Readonly<Record<string, string>> {
  const name = (of: string) => `x-prometheus-remote-write-${of}-written`;
  return { [name("samples")]: `${samples}`, [name("histograms")]: "0", [name("exemplars")]: "0" };
}

function versionOf(media_type: string | null): RemoteWriteVersion {
  const [type, ...params] = (media_type ?? "").toLowerCase().split(";").map((it) => it.trim());
  const proto = params.find((it) => it.startsWith("proto="))?.slice(6) ?? messages[1];
  if (type === "application/x-protobuf") {
    if (proto === messages[1]) return 1;
    if (proto === messages[2]) return 2;
  }
  const wanted = `application/x-protobuf, its proto ${messages[1]} or ${messages[2]}`;
  throw new Fault("unsupported_media", `send content-type ${wanted}`);
}

const messages = {
  1: "prometheus.writerequest",
  2: "io.prometheus.write.v2.request",
} as const;
