// Requests to the service: JSON, rows as Arrow, and changes. Failures come as a `Problem`.
import { tableFromIPC } from "@uwdata/flechette";

/** Parameters of a request; several values are several parameters of one name. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** What the service refused, or that it can't be reached (`status` 0). */
export class Problem extends Error {
  readonly status: number;
  readonly detail: string;

  constructor(status: number, title: string, detail: string) {
    super(title);
    this.status = status;
    this.detail = detail;
  }
}

/** A failure as it is told: whatever is not of the service as "failed". */
export function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, "failed", String(error));
}

/** The address of a request, relative to the service. */
export function requestAddress(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value === "object") value.forEach((it) => search.append(name, it));
    else search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** What a route answers as JSON. Throws a `Problem`. */
export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal) {
  const response = await ask(requestAddress(path, query), { signal });
  return await response.json() as T;
}

/** An answer, and the tag by which a change names what it was read as. */
export type Tagged<T> = { readonly value: T; readonly etag: string | undefined };

/** What a route answers as JSON, with its tag. Throws a `Problem`. */
export async function getTagged<T>(
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Tagged<T>> {
  const response = await ask(requestAddress(path, query), { signal });
  return { value: await response.json() as T, etag: response.headers.get("etag") ?? undefined };
}

/**
 * Rows by column: numbers with NaN for null and 1 for true, instants in milliseconds since 1970,
 * texts.
 */
export type Rows = {
  readonly length: number;
  readonly numbers: (name: string) => Float64Array;
  readonly texts: (name: string) => readonly (string | null)[];
};

/** The rows that a route streams, fetched as Arrow. Throws a `Problem`. */
export async function getRows(path: string, query: Query, signal?: AbortSignal): Promise<Rows> {
  const address = requestAddress(path, query);
  const headers = { accept: "application/vnd.apache.arrow.stream" };
  const response = await ask(address, { signal, headers });
  return rowsOf(new Uint8Array(await response.arrayBuffer()));
}

/** The rows of an Arrow stream. */
export function rowsOf(bytes: Uint8Array): Rows {
  const table = tableFromIPC(bytes, { useDate: false });
  return {
    length: table.numRows,
    numbers(name) {
      const values = new Float64Array(table.numRows);
      let i = 0;
      for (const value of table.getChild(name)) values[i++] = numberOf(value);
      return values;
    },
    texts: (name) => Array.from(table.getChild(name), (value) => value ?? null),
  };
}

/** What is sent; with `if_match` only where nobody changed it since it was read. */
type Sending = {
  readonly query?: Query;
  readonly body?: unknown;
  readonly if_match?: string;
  readonly signal?: AbortSignal;
};

/** Changes something by a method with a JSON body. Throws a `Problem`. */
export async function send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, {
  query = {},
  body,
  if_match,
  signal,
}: Sending = {}): Promise<T> {
  const isBlob = body instanceof Blob;
  const response = await ask(requestAddress(path, query), {
    method,
    signal,
    body: body === undefined || isBlob ? body : JSON.stringify(body),
    headers: {
      ...(body === undefined ? {} : { "content-type": isBlob ? body.type : "application/json" }),
      ...(if_match === undefined ? {} : { "if-match": if_match }),
    },
  });
  return response.status === 204 ? undefined as T : await response.json() as T;
}

/** Sends a file, and tells which share has gone out. Throws a `Problem`, also when aborted. */
export function upload<T>(path: string, { method = "POST", query, file, onProgress, signal }: {
  readonly method?: "POST" | "PATCH";
  readonly query: Query;
  readonly file: Blob;
  readonly onProgress: (share: number) => void;
  readonly signal?: AbortSignal;
}): Promise<T> {
  // Only this kind of request tells how far it has come.
  const request = new XMLHttpRequest();
  request.open(method, requestAddress(path, query));
  request.setRequestHeader("content-type", file.type);
  request.responseType = "json";
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
  return new Promise((settle, fail) => {
    request.onerror = () => fail(new Problem(0, "unreachable", ""));
    request.onabort = () => fail(new Problem(0, "aborted", ""));
    signal?.addEventListener("abort", () => request.abort());
    request.onload = () => {
      const { status, statusText, response } = request;
      if (status < 300) return settle(response as T);
      fail(refusalOf(status, { title: statusText, ...response }));
    };
    request.send(file);
  });
}

/** Called when the service says that nobody is signed in. */
let onUnauthorized = () => {};

/** Says what is to be done once a session has ended. */
export function whenUnauthorized(then: () => void): void {
  onUnauthorized = then;
}

async function ask(address: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, "unreachable", "");
  }
  if (response.ok) return response;
  const { status, statusText } = response;
  throw refusalOf(status, { title: statusText, ...await response.json().catch(() => ({})) });
}

function refusalOf(
  status: number,
  { title, detail = "" }: { readonly title: string; readonly detail?: string },
): Problem {
  if (status === 401) onUnauthorized();
  return new Problem(status, title, detail);
}

function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "bigint" || typeof value === "boolean" ? Number(value) : NaN;
}

/** An answer as it came, whatever its status. */
export type RawAnswer = {
  readonly status: number;
  readonly status_text: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** Sends a request just so. Throws where nothing answers. */
export async function sendRaw(address: string, init: RequestInit): Promise<RawAnswer> {
  const response = await fetch(address, init);
  return {
    status: response.status,
    status_text: response.statusText,
    headers: [...response.headers],
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}
