// Posts to a receiver that nobody vouches for: vetted addresses, one deadline, a bounded answer.
import { lookup } from "node:dns/promises";
import { codeOf, Lines } from "./effects_line.ts";

/** What is posted, and within which bounds. */
export type Post = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** For resolution, connection, TLS, request and answer together. */
  readonly timeout_ms: number;
  /** Why an address must not be connected to; undefined when it may. */
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
