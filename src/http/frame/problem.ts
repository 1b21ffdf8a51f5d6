// Errors as problem documents (RFC 9457): the one map from a fault's code to its status.
import { Fault, type FaultCode } from "../../base/fault.ts";
import { instantText } from "../../wire/bytes/instant.ts";

/** Every kind of problem: a fault's code, or `internal` for a mistake of ours. */
export type ProblemCode = FaultCode | "internal" | "method_not_allowed";

/** Status and title of each kind of problem. */
export const problems: Readonly<Record<ProblemCode, { status: number; title: string }>> = {
  invalid: { status: 400, title: "Invalid request" },
  unauthorized: { status: 401, title: "No valid token" },
  forbidden: { status: 403, title: "Not allowed" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  not_acceptable: { status: 406, title: "No acceptable format" },
  timeout: { status: 408, title: "Request too slow" },
  conflict: { status: 409, title: "Conflict" },
  gone: { status: 410, title: "No longer kept" },
  precondition_failed: { status: 412, title: "Changed by someone else" },
  too_large: { status: 413, title: "Too large" },
  unsupported_media: { status: 415, title: "Unsupported media type" },
  too_many: { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Internal error" },
  not_available: { status: 501, title: "Not implemented" },
  unavailable: { status: 503, title: "Unavailable" },
};

/** JSON Schema of a problem document. */
export const problem_schema = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance"],
  properties: {
    type: { type: "string", description: "Link to the description of this kind of problem." },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong, and what is expected." },
    instance: { type: "string", description: "Id of the request, also in x-request-id." },
    available_from: {
      type: "string",
      format: "date-time",
      description: "Of what is no longer kept: from when on there is data.",
    },
    errors: {
      type: "array",
      description: "For invalid input: every error and its place.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
} as const;

/** What a problem document says. */
export type Problem = {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly available_from?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** How an answer says what is wrong. */
export type ErrorForm = {
  readonly media_type: string;
  readonly schema: object;
  readonly print: (problem: Problem, request_id: string) => string;
};

const problem_document: ErrorForm = {
  media_type: "application/problem+json",
  schema: problem_schema,
  print: ({ code, detail, available_from, errors }, request_id) => {
    const { status, title } = problems[code];
    return JSON.stringify({
      type: `/docs#problem-${code}`,
      title,
      status,
      detail,
      instance: request_id,
      ...(available_from ? { available_from } : {}),
      ...(errors?.length ? { errors } : {}),
    });
  },
};

/** The answer that carries a problem. */
export function problemResponse(
  problem: Problem,
  request_id: string,
  form: ErrorForm = problem_document,
): Response {
  return new Response(form.print(problem, request_id), {
    status: problems[problem.code].status,
    headers: { "content-type": form.media_type, ...problem.headers },
  });
}

/** A fault as a problem; whatever else was thrown is ours, and says nothing of its inside. */
export function problemOf(error: unknown, request: Request): Problem {
  if (!(error instanceof Fault)) {
    return { code: "internal", detail: "The service failed; its log has the cause by this id." };
  }
  return {
    code: error.code,
    detail: error.message,
    errors: error.flaws,
    ...(error.available_from_us === undefined
      ? {}
      : { available_from: instantText(error.available_from_us) }),
    headers: headersOf(error, request),
  };
}

function headersOf({ code, retry_after_s }: Fault, request: Request): Record<string, string> {
  const headers: Record<string, string> = {};
  if (code === "unauthorized") {
    // A browser would ask for a name and a password in the midst of a page.
    const isPage = ["cors", "same-origin"].includes(request.headers.get("sec-fetch-mode") ?? "");
    const basic = isPage ? "" : ', Basic realm="wattkeeper"';
    headers["www-authenticate"] = `Bearer realm="wattkeeper"${basic}`;
  }
  if (retry_after_s !== undefined) headers["retry-after"] = String(retry_after_s);
  return headers;
}
