// What can go wrong, as errors.

/** Anything that goes wrong between a program and the service. */
export class WattkeeperError extends Error {
  override readonly name: string = "WattkeeperError";
}

/** The service did not answer, or its answer broke off, after all attempts. */
export class ConnectionFailed extends WattkeeperError {
  override readonly name = "ConnectionFailed";
}

/** What the service says is wrong (RFC 9457). */
export type ProblemText = {
  readonly title?: string;
  readonly detail?: string;
  readonly instance?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};

/** The service refused. `status` tells how; `detail` and `errors` tell what is wrong and where. */
export class ServiceError extends WattkeeperError {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly detail: string;
  /** Every error in what was sent, with its place. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** What the service's log has beside this request. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, text: string) {
    const { title = response.statusText, detail = text.slice(0, 500), errors = [], instance } =
      problemOf(text);
    const places = errors.map(({ path, message }) => `\n  ${path}: ${message}`).join("");
    super(`${response.status} ${title}: ${detail}${errors.length > 1 ? places : ""}`);
    this.status = response.status;
    this.detail = detail;
    this.errors = errors;
    this.requestId = instance ?? response.headers.get("x-request-id") ?? undefined;
    const after = response.headers.get("retry-after") ?? "";
    this.retryAfterMs = /^\d+$/.test(after) ? 1000 * Number(after) : undefined;
  }
}

/** What an ingest answers: accepted + duplicates + rejected_count are all rows. */
export type IngestResult = {
  readonly accepted: number;
  /** Identical rows that were stored before. */
  readonly duplicates: number;
  readonly rejected_count: number;
  /** The first rejected rows. */
  readonly rejected: readonly {
    readonly line: number;
    readonly tag: string | null;
    readonly reason: string;
  }[];
};

/** Rows of an ingest were rejected; the others are stored. */
export class RejectedRows extends WattkeeperError {
  override readonly name = "RejectedRows";
  readonly result: IngestResult;

  constructor(result: IngestResult) {
    const shown = result.rejected.slice(0, 3).map(({ tag, reason }) => `${tag}: ${reason}`);
    super(`${result.rejected_count} rows were rejected: ${shown.join("; ")}`);
    this.result = result;
  }
}

function problemOf(text: string): ProblemText {
  try {
    const problem: unknown = JSON.parse(text);
    return typeof problem === "object" && problem !== null ? problem : {};
  } catch {
    return {};
  }
}
