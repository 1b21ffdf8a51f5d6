// The line to a centre: asks it, within a time and a rate of bytes, and counts what it costs.
import type { Effects } from "../../base/effects.ts";
import { concat, textOf, utf8 } from "../../base/bytes.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { CentreAnswer } from "../../model/upstream/upstream.ts";

/** Where a centre is, and what lets a gateway in. */
export type Centre = { readonly url: string; readonly token: string };

/** An answer as it came; without a status: why there is none. */
export type BytesAnswer = Omit<CentreAnswer, "text"> & { readonly bytes: Uint8Array };

/** What is asked: a GET, or with a body a POST. */
export type CentreQuestion = {
  readonly path: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** How the body is packed; not at all by default. */
  readonly encoding?: "zstd";
  readonly media_type?: string;
};

/** The centre can't be asked now; the message says what is wrong and what to do. */
export class LineFault extends Error {
  override readonly name = "LineFault";
  readonly retry_after_ms: number | null;

  constructor(message: string, retry_after_ms: number | null = null) {
    super(message);
    this.retry_after_ms = retry_after_ms;
  }
}

type LineParts = {
  readonly centre: Centre;
  /** The most that is sent, in kbit/s; 0 for no bound. */
  readonly max_kbit: number;
  readonly effects: Pick<Effects, "request" | "sleep" | "monotonic_ms">;
};

/** Bytes of a request beside its body, about: its head. */
const head_bytes = 400;

/** One question at a time. */
export class Line {
  readonly #parts: LineParts;
  /** When what was sent so far is paid for, on the clock that never jumps. */
  #free_ms = -Infinity;
  #sent_bytes = 0;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  get centre(): Centre {
    return this.#parts.centre;
  }

  /** Takes how many bytes were sent since this was last asked. */
  takeSent(): number {
    const sent = this.#sent_bytes;
    this.#sent_bytes = 0;
    return sent;
  }

  /** How long so many bytes take at the rate that is allowed, in milliseconds. */
  timeOf(bytes: number): number {
    const { max_kbit } = this.#parts;
    return max_kbit === 0 ? 0 : 8 * bytes / max_kbit;
  }

  /** How many bytes go in a time at the rate that is allowed. */
  bytesIn(ms: number): number {
    const { max_kbit } = this.#parts;
    return max_kbit === 0 ? Infinity : max_kbit * ms / 8;
  }

  /** The answer, or why there is none; never throws. Ends at once when `signal` aborts. */
  async ask(question: CentreQuestion, signal: AbortSignal): Promise<CentreAnswer> {
    const { bytes, ...answer } = await this.#ask(question, signal);
    return { ...answer, text: textOf(bytes) };
  }

  /** The bytes of an answer, which are paid for as what is sent is; likewise. */
  async askBytes(question: CentreQuestion, signal: AbortSignal): Promise<BytesAnswer> {
    const answer = await this.#ask(question, signal);
    this.#free_ms += this.timeOf(answer.bytes.length);
    return answer;
  }

  async #ask(question: CentreQuestion, signal: AbortSignal): Promise<BytesAnswer> {
    const { effects } = this.#parts;
    const bytes = head_bytes + (question.body?.length ?? 0);
    await effects.sleep(Math.max(0, this.#free_ms - effects.monotonic_ms()), signal);
    this.#free_ms = Math.max(this.#free_ms, effects.monotonic_ms()) + this.timeOf(bytes);
    this.#sent_bytes += bytes;
    const done = new AbortController();
    const late = new AbortController();
    const stop = AbortSignal.any([signal, late.signal]);
    void effects.sleep(upstream_limits.send_ms, AbortSignal.any([done.signal, signal]))
      .then(() => late.abort());
    try {
      const response = await effects.request(requestOf(this.centre, question, stop));
      const { status, headers } = response;
      return { status, retry_after: headers.get("retry-after"), bytes: await firstBytes(response) };
    } catch (error) {
      const is_late = late.signal.aborted && !signal.aborted;
      const text = is_late
        ? `no answer within ${upstream_limits.send_ms / 1000} s`
        : reasonOf(error, this.centre);
      return { status: null, retry_after: null, bytes: utf8(text) };
    } finally {
      done.abort();
    }
  }
}

function requestOf(
  { url, token }: Centre,
  { path, search = {}, body, media_type, encoding }: CentreQuestion,
  signal: AbortSignal,
): Request {
  const address = `${url.replace(/\/+$/, "")}${path}?${new URLSearchParams(search)}`;
  const headers = new Headers({ authorization: `Bearer ${token}` });
  if (media_type !== undefined) headers.set("content-type", media_type);
  if (encoding !== undefined) headers.set("content-encoding", encoding);
  const method = body === undefined ? "GET" : "POST";
  // A token is for no other address.
  return new Request(address, { method, headers, body, signal, redirect: "manual" });
}

/** The beginning of an answer; of what is longer than any answer of a centre, no more. */
async function firstBytes(response: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > upstream_limits.answer_bytes) break;
  }
  return concat(pieces);
}

/** Why nothing came back; what refuses a token may repeat it. */
function reasonOf(error: unknown, { token }: Pick<Centre, "token">): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  const text = cause instanceof Error ? cause.message : message;
  return text.replace(/^.*\((Connect|SendRequest)\): /, "").replaceAll(token || "\n", "…")
    .replaceAll(/\s+/g, " ").slice(0, 200);
}
