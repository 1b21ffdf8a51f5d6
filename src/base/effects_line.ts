// Connections for posts: each to one address, used again for a moment, closed on any trouble.
import { buildConnector, Client } from "undici";
import { concat, textOf } from "./bytes.ts";
import type { Post } from "./effects_post.ts";
import { limits } from "./limits.ts";

/** The head of an answer, and the first bytes of its body as text. */
type Answered = {
  readonly status: number;
  readonly retry_after: string | null;
  readonly answer: string;
};

type Place = { readonly address: string; readonly signal: AbortSignal };

/** Every connection that is open. */
export class Lines {
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
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** One connection, made when it is first used. */
class Line {
  readonly #client: Client;
  #socket: { destroy(): unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

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
        this.#socket = connect({ ...options, hostname: address }, callback) as never;
      },
    });
  }

  async post(
    { url, headers, body }: Post,
    signal: AbortSignal,
  ): Promise<Answered & { readonly is_whole: boolean }> {
    // The client hears of a signal only once it is connected.
    const close = () => this.close();
    signal.addEventListener("abort", close);
    try {
      signal.throwIfAborted();
      const path = url.pathname + url.search;
      const answer = await this.#client.request({ method: "POST", path, headers, body });
      const { statusCode: status, headers: { "retry-after": asked } } = answer;
      const retry_after = typeof asked === "string" ? asked : null;
      return { status, retry_after, ...await readStart(answer.body) };
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
