// A request's body as plain bytes: its content encoding undone, within bounds before and after.
import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { Meter } from "../../base/budget.ts";
import { giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { ZstdFrames } from "./zstd_frames.ts";

/** The content encodings that a body may have. */
const content_encodings = ["identity", "gzip", "zstd"] as const;

/**
 * The bytes of `body` with its `Content-Encoding` undone as they come. A `Fault`: too_large beyond
 * `limits.body_bytes` of body or `limits.inflated_body_bytes` of content, unsupported_media for
 * another encoding, invalid when the compressed stream is damaged or cut short. What `body` itself
 * throws goes through, and what `meter` does.
 */
export function inflate(
  body: AsyncIterable<Uint8Array>,
  { encoding, meter }: { readonly encoding: string | null; readonly meter: Meter },
): AsyncIterable<Uint8Array> {
  const name = encoding?.trim().toLowerCase() || "identity";
  const sent = bounded(body, limits.body_bytes);
  if (name === "identity") return sent;
  if (name === "gzip" || name === "x-gzip") {
    return bounded(gunzip(sent), limits.inflated_body_bytes);
  }
  if (name === "zstd") return bounded(unzstd(sent, meter), limits.inflated_body_bytes);
  throw new Fault(
    "unsupported_media",
    `unknown content encoding ${name}: send ${content_encodings.join(", ")}`,
  );
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  limit_bytes: number,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit_bytes) {
      throw new Fault("too_large", `the body is larger than ${limit_bytes} bytes`);
    }
    yield chunk;
  }
}

function gunzip(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  return through(body, createGunzip());
}

async function* unzstd(
  body: AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array, void> {
  const frames = new FrameSource(body);
  let bytes = 0;
  let counted_bytes = 0;
  try {
    for (let count = 0; await frames.more(); count++) {
      if (count === limits.zstd_frames) {
        throw new Fault("too_large", `send a zstd body of at most ${count} frames`);
      }
      for await (const chunk of through(frames.next(), createZstdDecompress())) {
        // The decompressor keeps the last of what it gave: its window.
        bytes += chunk.length;
        const kept_bytes = Math.min(bytes, frames.window_bytes);
        meter.take(kept_bytes - counted_bytes);
        counted_bytes = kept_bytes;
        yield chunk;
      }
    }
  } finally {
    await frames.close();
  }
}

/** The frames of a zstd body, one after the other; each wants a decompressor of its own. */
class FrameSource {
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #frames = new ZstdFrames();
  #rest: Uint8Array = new Uint8Array(0);

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]();
  }

  get window_bytes(): number {
    return this.#frames.window_bytes;
  }

  /** Whether there are bytes left. */
  async more(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#body.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }

  /** Reads no further. */
  async close(): Promise<void> {
    await this.#body.return?.();
  }

  /** The bytes of the next frame; a window beyond the bound goes to no decompressor. */
  async *next(): AsyncGenerator<Uint8Array, void> {
    do {
      if (!await this.more()) throw new Fault("invalid", "the zstd body is cut short");
      const end = this.#frames.push(this.#rest);
      if (this.window_bytes > limits.zstd_window_bytes) {
        const most = `at most ${limits.zstd_window_bytes} bytes`;
        throw new Fault("too_large", `compress the zstd body with a window of ${most}`);
      }
      const part = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      yield part;
    } while (!this.#frames.whole);
  }
}

/** Runs a body through a decompressor; only its own errors become Faults. */
async function* through(
  body: AsyncIterable<Uint8Array>,
  inflater: ReturnType<typeof createGunzip>,
): AsyncGenerator<Uint8Array, void> {
  let source_error: unknown;
  const source = async function* () {
    try {
      yield* body;
    } catch (error) {
      source_error = error;
      throw error;
    }
  };
  const input = Readable.from(source());
  // The error is also thrown by the iteration below; the callback keeps it from being unhandled.
  pipeline(input, inflater, () => {});
  let unpaused_bytes = 0;
  try {
    for await (const chunk of inflater) {
      yield chunk as Uint8Array;
      // A few bytes may hold many: they come without a pause, and others must have their turn.
      unpaused_bytes += (chunk as Uint8Array).length;
      if (unpaused_bytes < limits.inflate_turn_bytes) continue;
      unpaused_bytes = 0;
      await giveWay();
    }
  } catch (error) {
    if (source_error !== undefined) throw source_error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("invalid", `the compressed body is damaged or cut short: ${reason}`);
  } finally {
    input.destroy();
    inflater.destroy();
  }
}
