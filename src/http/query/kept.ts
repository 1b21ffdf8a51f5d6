// Answers that are kept for a moment: who reads a file in parts gets parts of one and the same.
import type { Effects } from "../../base/effects.ts";
import { access_limits } from "../../model/access/limits.ts";

/** The bytes of an answer, and the headers that tell of them. */
export type Made = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer, and what tells it from any other. */
export type Whole = Made & { readonly etag: string };

type Entry = {
  readonly made: Promise<Whole>;
  made_ms: number;
  used_ms: number;
  size: number;
};

/** Keeps the last answers by key, within a bound of memory. */
export class KeptAnswers {
  readonly #effects: Pick<Effects, "monotonic_ms">;
  /** Those that were used last are last. */
  readonly #entries = new Map<string, Entry>();

  constructor(effects: Pick<Effects, "monotonic_ms">) {
    this.#effects = effects;
  }

  /** The answer of a key: the last one while it is fresh, or while its parts are read; or anew. */
  async answer(
    key: string,
    { is_part, make }: {
      readonly is_part: boolean;
      readonly make: () => Promise<Made>;
    },
  ): Promise<Whole> {
    const now_ms = this.#effects.monotonic_ms();
    const known = this.#entries.get(key);
    const isFresh = known && now_ms - known.made_ms < access_limits.read_link_fresh_ms;
    const isRead = known && is_part &&
      now_ms - known.used_ms < access_limits.read_link_part_ms &&
      now_ms - known.made_ms < access_limits.read_link_whole_ms;
    const times = { made_ms: now_ms, used_ms: now_ms };
    const entry = isFresh || isRead ? known : { made: whole(make), ...times, size: 0 };
    entry.used_ms = now_ms;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    try {
      const made = await entry.made;
      entry.size = made.bytes.length;
      this.#shrink();
      return made;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      // It was made for a reader who may have left: who waited with them gets one of their own.
      if (entry === known) return await this.answer(key, { is_part, make });
      throw error;
    }
  }

  /** Forgets what nobody reads in parts any more, then the oldest, as far as there is no room. */
  #shrink(): void {
    const now_ms = this.#effects.monotonic_ms();
    let bytes = 0;
    for (const [key, entry] of [...this.#entries].reverse()) {
      bytes += entry.size;
      const isOver = now_ms - entry.used_ms >= access_limits.read_link_part_ms;
      if (entry.size > 0 && (isOver || bytes > access_limits.read_link_bytes)) {
        this.#entries.delete(key);
      }
    }
  }
}

async function whole(make: () => Promise<Made>): Promise<Whole> {
  const made = await make();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", made.bytes), 0, 16);
  // Whoever is told that nothing has changed keeps the headers, too.
  const tags = [digest.toBase64({ alphabet: "base64url", omitPadding: true })];
  return { ...made, etag: `"${tags.concat(Object.values(made.headers ?? {})).join("-")}"` };
}

/**
 * A file as a client asks for it: whole, the part that Range names, or that it has it already. The
 * body of a part is no copy.
 */
export function fileResponse(
  { headers: asked }: Request,
  { bytes, etag, headers: told }: Whole,
  headers: Readonly<Record<string, string>>,
): Response {
  const kept = { etag, "accept-ranges": "bytes", "cache-control": "private, no-cache" };
  const all = { ...headers, ...told, ...kept };
  const known = asked.get("if-none-match")?.split(",").map((it) => it.trim()) ?? [];
  if (known.some((it) => it === "*" || it === etag)) {
    return new Response(null, { status: 304, headers: all });
  }
  const if_range = asked.get("if-range");
  const range = if_range === null || if_range === etag ? asked.get("range") : null;
  const part = range === null ? undefined : partOf(range, bytes.length);
  if (part === undefined) {
    return new Response(bytes, { headers: { ...all, "content-length": String(bytes.length) } });
  }
  if (part === "none") {
    const no_part = { ...all, "content-range": `bytes */${bytes.length}` };
    return new Response(null, { status: 416, headers: no_part });
  }
  const { from, to } = part;
  return new Response(bytes.subarray(from, to), {
    status: 206,
    headers: {
      ...all,
      "content-length": String(to - from),
      "content-range": `bytes ${from}-${to - 1}/${bytes.length}`,
    },
  });
}

/** `[from, to)` of a Range of one part; undefined where all is to be sent (RFC 9110 §14.2). */
function partOf(
  range: string,
  length: number,
): { readonly from: number; readonly to: number } | "none" | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim());
  if (found === null || found[1] + found[2] === "") return undefined;
  const [first, last] = [found[1], found[2]];
  const from = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? length : Math.min(length, Number(last) + 1);
  if (first !== "" && last !== "" && Number(last) < from) return undefined;
  return from >= length || from >= to ? "none" : { from, to };
}
