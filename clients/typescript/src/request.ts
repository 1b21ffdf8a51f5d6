// A request and its attempts: what is sent, when it is sent again, what comes back.
import { ConnectionFailed, ServiceError } from "./errors.ts";

/** How often, and with which pauses, a request is sent again. */
export type Retry = {
  /** All attempts; 5 by default. */
  readonly attempts?: number;
  /** The first pause, which doubles; 500 by default. `Retry-After` of the service comes before. */
  readonly firstMs?: number;
  /** The longest pause; 30 000 by default. */
  readonly longestMs?: number;
};

/** What a parameter can be: undefined is left out, a list is repeated. */
export type Value = string | number | boolean | Date | readonly string[] | undefined;

/** One request. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly params?: Readonly<Record<string, Value>>;
  readonly accept?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it can be sent again though the first one may have been done. */
  readonly repeatable?: boolean;
};

/** How a client reaches its service. */
export type Line = {
  readonly url: string;
  readonly token: string;
  readonly fetch: typeof fetch;
  readonly retry: Required<Retry>;
};

/** Refused before anything was done. */
const refused = [429, 503];
const broken = [500, 502, 504];
/** A service that asks for a longer pause than five minutes is not waited for: its error says so. */
const longestAskedMs = 300_000;

/**
 * The answer to a call, as `read` takes it. Throws `ServiceError` for what the service refuses,
 * `ConnectionFailed` where it does not answer, and the signal's reason where that aborts.
 */
export async function send<T>(
  line: Line,
  call: Call,
  { read, signal }: {
    readonly read: (response: Response) => Promise<T>;
    readonly signal?: AbortSignal;
  },
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    const isLast = attempt >= line.retry.attempts;
    try {
      const response = await line.fetch(...requestOf(line, call, signal));
      if (response.ok) return await read(response);
      const error = new ServiceError(response, await response.text());
      const canRepeat = refused.includes(error.status) ||
        (call.repeatable && broken.includes(error.status));
      const isLong = (error.retryAfterMs ?? 0) > longestAskedMs;
      if (isLast || isLong || !canRepeat) throw error;
      await pause(error.retryAfterMs ?? pauseMs(line.retry, attempt), signal);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      signal?.throwIfAborted();
      if (isLast || !call.repeatable) {
        const why = error instanceof Error ? error.message : String(error);
        throw new ConnectionFailed(`${call.method} ${call.path}: ${why}`, { cause: error });
      }
      await pause(pauseMs(line.retry, attempt), signal);
    }
  }
}

/** Whether what failed can be over later: the service is away, or has too much to do. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return [...refused, 502, 504].includes(error.status);
  return error instanceof ConnectionFailed;
}

function requestOf(
  { url, token }: Line,
  { method, path, params = {}, accept = "application/json", body, headers = {} }: Call,
  signal: AbortSignal | undefined,
): [string, RequestInit] {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, textOf(one));
  }
  const asked = query.size > 0 ? `?${query}` : "";
  return [url.replace(/\/$/, "") + path + asked, {
    method,
    signal,
    headers: {
      accept,
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }];
}

function textOf(value: string | number | boolean | Date): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function pauseMs({ firstMs, longestMs }: Required<Retry>, attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Waits; rejects with the signal's reason as soon as that aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
