// Posts to untrusted receivers: checked addresses, one deadline, a bounded answer, a short reuse.
import { lookup } from "node:dns/promises";
import { buildConnector, Client } from "undici";
import { concat, textOf } from "./bytes.ts";
import { limits } from "./limits.ts";

/** What is posted, and within which bounds. */
export type Post = {
  readonly url: URL;
  /** POST by default. */
  readonly method?: "POST" | "PUT" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** For resolution, connection, TLS, request and answer together. */
  readonly timeout_ms: number;
  /** Why nothing may go to an address; undefined when it may. Asked once more before it goes. */
  readonly refuse: (address: string) => string | undefined;
  /** Ends it at once. */
  readonly signal: AbortSignal;
};

/** What came of it. */
export type Posted = {
  /** Null where no head of an answer came. */
  readonly status: number | null;
  /** Why not, in a few words. */
  readonly error: string | null;
  readonly is_timeout: boolean;
  /** The header `Retry-After`, as it came. */
  readonly retry_after: string | null;
  /** The header `ETag`, as it came; undefined for none. */
  readonly etag?: string;
  /** The address that was called, or refused; null where there is none. */
  readonly address: string | null;
  /** The answer's first bytes, up to `limits.answer_bytes`, as text. */
  readonly answer: string;
};

/** Every address of a name, in the order to try them. */
export type Resolve = (name: string) => Promise<readonly string[]>;

type Network = {
  readonly resolve?: Resolve;
  /** Certificates (PEM) to trust instead of the usual ones. */
  readonly ca?: string;
};

/**
 * The real network. A name is resolved once a post, and every address that it has is vetted; the
 * socket gets a vetted address, never the name. Redirects are not followed. A connection is used
 * again for a moment if its answer came whole and small; in every other case it is closed.
 */
export function systemPost(
  { resolve = resolveName, ca }: Network = {},
): (post: Post) => Promise<Posted> {
  const lines = new Lines(ca);
  return async (post) => {
    const deadline = new AbortController();
    const abort = () => deadline.abort();
    const timer = setTimeout(abort, post.timeout_ms);
    post.signal.addEventListener("abort", abort);
    if (post.signal.aborted) abort();
    const { signal } = deadline;
    let address: string | null = null;
    try {
      const hostname = post.url.hostname.replace(/^\[(.*)\]$/, "$1");
      const addresses = await untilAborted(resolve(hostname), signal);
      const refusal = refusalOf(addresses, post);
      if (refusal) return { ...unanswered, ...refusal };
      for (address of addresses.slice(0, -1)) {
        const answered = await lines.post(post, { address, signal }).catch(elsewhere);
        if (answered) return { ...answered, error: null, is_timeout: false, address };
      }
      address = addresses.at(-1)!;
      const answered = await lines.post(post, { address, signal });
      return { ...answered, error: null, is_timeout: false, address };
    } catch (error) {
      if (!signal.aborted) return { ...unanswered, error: wordsOf(error), address };
      const late = `no answer within ${post.timeout_ms / 1000} s`;
      return { ...unanswered, error: late, is_timeout: true, address };
    } finally {
      clearTimeout(timer);
      post.signal.removeEventListener("abort", abort);
    }
  };
}

const unanswered = {
  status: null,
  is_timeout: false,
  retry_after: null,
  address: null,
  answer: "",
} as const;

/** IPv4 first: a way to it is there more often. */
async function resolveName(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true });
  return found.sort((a, b) => a.family - b.family).map(({ address }) => address);
}

/** One bad address is enough: a name with good and bad ones is out for the bad ones. */
function refusalOf(addresses: readonly string[], { refuse }: Post) {
  if (addresses.length === 0) return { error: "the name has no address" };
  for (const address of addresses) {
    const error = refuse(address);
    if (error !== undefined) return { error, address };
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Goes on to the next address where this one could not be reached. */
function elsewhere(error: unknown): void {
  if (!unreached.has(codeOf(error))) throw error;
}

const unreached = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);

function wordsOf(error: unknown): string {
  const code = codeOf(error);
  const known = words[code];
  if (known) return known;
  if (code.startsWith("HPE_")) return "the answer is not HTTP";
  const message = error instanceof Error ? error.message : String(error);
  // deno-lint-ignore no-control-regex
  return message.replaceAll(/[\x00-\x1f\x7f]+/g, " ").slice(0, 200);
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name could not be resolved",
  ECONNREFUSED: "the connection was refused",
  EHOSTUNREACH: "the address can't be reached",
  ENETUNREACH: "the address can't be reached",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection broke",
  UND_ERR_SOCKET: "the connection broke",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
};

/** The head of an answer, and the first bytes of its body as text. */
type Answered = {
  readonly status: number;
  readonly retry_after: string | null;
  readonly etag?: string;
  readonly answer: string;
};

type Place = { readonly address: string; readonly signal: AbortSignal };

/** Every connection that is open. */
class Lines {
  readonly #connector: buildConnector.connector;
  /** Those that wait for more to send, by where they lead to. */
  readonly #idle = new Map<string, Line[]>();

  constructor(ca: string | undefined) {
    this.#connector = buildConnector({ timeout: 0, maxCachedSessions: 0, ca });
  }

  /** Posts to one address. Throws where no head of an answer comes. */
  async post(post: Post, place: Place): Promise<Answered> {
    const key = `${post.url.origin} ${place.address}`;
    const used = this.#take(key);
    if (used) {
      try {
        return await this.#postOn(used, { post, place, key });
      } catch (error) {
        // It may have been closed at the other end at this very moment: that is nobody's failure.
        if (place.signal.aborted || !closed.has(codeOf(error))) throw error;
      }
    }
    const line = new Line(post.url.origin, place.address, { connect: this.#connector });
    return await this.#postOn(line, { post, place, key });
  }

  async #postOn(
    line: Line,
    { post, place, key }: { readonly post: Post; readonly place: Place; readonly key: string },
  ): Promise<Answered> {
    let is_clean = false;
    try {
      const { is_whole, ...answered } = await line.post(post, place.signal);
      is_clean = is_whole;
      return answered;
    } finally {
      if (is_clean) this.#keep(key, line);
      else line.close();
    }
  }

  #take(key: string): Line | undefined {
    const lines = this.#idle.get(key);
    const line = lines?.pop();
    if (lines?.length === 0) this.#idle.delete(key);
    line?.wake();
    return line;
  }

  #keep(key: string, line: Line): void {
    const lines = this.#idle.get(key) ?? [];
    this.#idle.set(key, lines);
    lines.push(line);
    line.rest(() => {
      lines.splice(lines.indexOf(line), 1);
      if (lines.length === 0) this.#idle.delete(key);
      line.close();
    });
  }
}

const closed = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** The code of an error; empty where it has none. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** One connection, made when it is first used. */
class Line {
  readonly #client: Client;
  #socket: { destroy(): unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #refuse: Post["refuse"] = () => undefined;

  constructor(
    origin: string,
    address: string,
    { connect }: { readonly connect: buildConnector.connector },
  ) {
    this.#client = new Client(origin, {
      pipelining: 1,
      // The caller has one deadline over everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: limits.answer_header_bytes,
      connect: (options, callback) => {
        // It gives the socket before it is connected, which its types do not say.
        this.#socket = connect({ ...options, hostname: address }, (...connected) => {
          const refusal = this.#refuse(address);
          if (refusal === undefined) return callback(...connected);
          this.#socket?.destroy();
          callback(new Error(refusal), null);
        }) as never;
      },
    });
  }

  async post(
    { url, method = "POST", headers, body, refuse }: Post,
    signal: AbortSignal,
  ): Promise<Answered & { readonly is_whole: boolean }> {
    // The client hears of a signal only once it is connected.
    const close = () => this.close();
    this.#refuse = refuse;
    signal.addEventListener("abort", close);
    try {
      signal.throwIfAborted();
      const path = url.pathname + url.search;
      const answer = await this.#client.request({ method, path, headers, body });
      const { statusCode: status, headers: { "retry-after": asked, etag: tag } } = answer;
      const retry_after = typeof asked === "string" ? asked : null;
      const etag = typeof tag === "string" ? { etag: tag } : {};
      return { status, retry_after, ...etag, ...await readStart(answer.body) };
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  /** Calls `end` when nobody has woken it for a moment. */
  rest(end: () => void): void {
    this.#timer = setTimeout(end, limits.line_idle_ms);
  }

  wake(): void {
    clearTimeout(this.#timer);
  }

  /** Closes the socket, whether it is connected or not. */
  close(): void {
    this.#client.destroy().catch(() => {});
    this.#socket?.destroy();
  }
}

/** The first bytes of a body as text. The head has come and counts, however the body ends. */
async function readStart(body: AsyncIterable<Uint8Array>) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let is_whole = false;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= limits.answer_bytes) break;
    }
    is_whole = length < limits.answer_bytes;
  } catch {
    // Cut short.
  }
  return { answer: textOf(concat(pieces).subarray(0, limits.answer_bytes)), is_whole };
}
