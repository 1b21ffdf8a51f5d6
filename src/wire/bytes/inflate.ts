// A request's body as plain bytes: its content encoding undone, within bounds before and after.
import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { Meter } from "../../base/budget.ts";
import { concat } from "../../base/bytes.ts";
import { giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { body_limits } from "./limits.ts";

/** The content encodings that a body may have. */
const content_encodings = ["identity", "gzip", "zstd", "snappy"] as const;

/**
 * The bytes of `body` with its `Content-Encoding` undone as they come; of snappy, which has no
 * pieces, all at once. A `Fault`: too_large beyond `body_limits.body_bytes` of body or
 * `body_limits.inflated_body_bytes` of content (of snappy `body_limits.snappy_body_bytes`),
 * unsupported_media for another encoding, invalid when the compressed stream is damaged or cut
 * short. What `body` itself throws goes through, and what `meter` does.
 */
export function inflate(
  body: AsyncIterable<Uint8Array>,
  { encoding, meter }: { readonly encoding: string | null; readonly meter: Meter },
): AsyncIterable<Uint8Array> {
  const name = encoding?.trim().toLowerCase() || "identity";
  const sent = bounded(body, body_limits.body_bytes);
  if (name === "identity") return sent;
  if (name === "gzip" || name === "x-gzip") {
    return bounded(gunzip(sent), body_limits.inflated_body_bytes);
  }
  if (name === "zstd") return bounded(unzstd(sent, meter), body_limits.inflated_body_bytes);
  if (name === "snappy") return unsnap(sent, meter);
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
      if (count === body_limits.zstd_frames) {
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

/** A snappy block, as one piece. Its compressed bytes are no more than a few over those of it. */
async function* unsnap(
  body: AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array, void> {
  const limit_bytes = body_limits.snappy_body_bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of bounded(body, limit_bytes)) {
    meter.take(2 * piece.length);
    pieces.push(piece);
  }
  const block = concat(pieces);
  const { length, start } = snappyLength(block);
  if (length > limit_bytes) {
    throw new Fault("too_large", `send at most ${limit_bytes} bytes in a snappy body`);
  }
  meter.take(length);
  yield unpackSnappy(block, { start, length });
}

/** What a snappy block says of its length, a varint, and where its elements begin. */
function snappyLength(block: Uint8Array): { readonly length: number; readonly start: number } {
  let length = 0;
  for (let at = 0; at < Math.min(block.length, 5); at++) {
    length += (block[at] & 0x7f) * 2 ** (7 * at);
    if (block[at] < 0x80) return { length, start: at + 1 };
  }
  throw brokenSnappy();
}

/** The content of a block: runs of bytes as they are, and copies of what came before. */
function unpackSnappy(
  block: Uint8Array,
  { start, length }: { readonly start: number; readonly length: number },
): Uint8Array {
  const content = new Uint8Array(length);
  let [at, to] = [start, 0];
  while (at < block.length) {
    const tag = block[at++];
    const kind = tag & 3;
    // Of a long run as of a copy, the size or the place stands in the bytes that follow.
    const inner = kind === 0 ? Math.max(0, (tag >> 2) - 59) : [0, 1, 2, 4][kind];
    if (at + inner > block.length) throw brokenSnappy();
    let said = 0;
    for (let i = 0; i < inner; i++) said += block[at++] * 2 ** (8 * i);
    if (kind === 0) {
      const size = (inner === 0 ? tag >> 2 : said) + 1;
      if (at + size > block.length || to + size > length) throw brokenSnappy();
      content.set(block.subarray(at, at + size), to);
      at += size;
      to += size;
    } else {
      const size = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
      const back = kind === 1 ? (tag >> 5) * 256 + said : said;
      if (back === 0 || back > to || to + size > length) throw brokenSnappy();
      // A copy may reach into what it makes.
      for (const end = to + size; to < end; to++) content[to] = content[to - back];
    }
  }
  if (to !== length) throw brokenSnappy();
  return content;
}

function brokenSnappy(): Fault {
  return new Fault("invalid", "the snappy body is damaged or cut short");
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
      if (this.window_bytes > body_limits.zstd_window_bytes) {
        const most = `at most ${body_limits.zstd_window_bytes} bytes`;
        throw new Fault("too_large", `compress the zstd body with a window of ${most}`);
      }
      const part = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      yield part;
    } while (!this.#frames.whole);
  }
}

const frame_magic = 0xfd2fb528;
const skippable_magic = 0x184d2a50;

/** What the next header bytes are of. */
type Part = "magic" | "descriptor" | "frame" | "skippable" | "block";

/**
 * Follows the frames of a zstd stream (RFC 8878): whether it ended at a frame's end, its windows.
 * Fed the compressed bytes as they go by. The decompressor of the runtime takes a stream that is
 * cut short for a whole one, and leaves what follows its first frame, so both are judged here; what
 * is inside the blocks is its business.
 */
class ZstdFrames {
  /** Bytes of the header that is being read, until there are enough of them. */
  #header: number[] = [];
  #want = 4;
  #part: Part = "magic";
  #skip = 0;
  #checksum = 0;
  #descriptor = 0;
  #window_bytes = 0;

  /** Takes the next bytes of the stream, as far as its frame goes; says how many that were. */
  push(bytes: Uint8Array): number {
    let at = 0;
    do {
      if (this.#skip > 0) {
        const step = Math.min(this.#skip, bytes.length - at);
        this.#skip -= step;
        at += step;
      } else {
        this.#header.push(bytes[at++]);
        if (this.#header.length === this.#want) this.#read();
      }
    } while (at < bytes.length && !this.whole);
    return at;
  }

  /** Whether the stream so far is whole frames: the last one has ended. */
  get whole(): boolean {
    return this.#part === "magic" && this.#header.length === 0 && this.#skip === 0;
  }

  /** The largest window of the frames so far: memory that the decompressor sets up for one. */
  get window_bytes(): number {
    return this.#window_bytes;
  }

  #read(): void {
    const header = this.#header;
    const value = numberOf(header);
    this.#header = [];
    if (this.#part === "magic") {
      // Anything else is for the decompressor to refuse.
      const skippable = value - (value & 0xf) === skippable_magic;
      this.#to(skippable ? "skippable" : "descriptor", skippable ? 4 : 1);
      if (!skippable && value !== frame_magic) this.#skip = Infinity;
    } else if (this.#part === "skippable") {
      this.#skip = value;
      this.#to("magic", 4);
    } else if (this.#part === "descriptor") {
      const { single, dictionary, size } = partsOf(value);
      this.#descriptor = value;
      this.#checksum = (value & 4) === 0 ? 0 : 4;
      this.#to("frame", dictionary + size + (single ? 0 : 1));
    } else if (this.#part === "frame") {
      const { single, dictionary, size } = partsOf(this.#descriptor);
      // What is written in two bytes begins where one byte ends.
      const window_bytes = single
        ? numberOf(header.slice(dictionary)) + (size === 2 ? 256 : 0)
        : (8 + (header[0] & 7)) * 2 ** (7 + (header[0] >> 3));
      this.#window_bytes = Math.max(this.#window_bytes, window_bytes);
      this.#to("block", 3);
    } else {
      this.#block(value);
    }
  }

  /** A block header: a bit for the frame's last block, two bits of type, then the size. */
  #block(value: number): void {
    const run_length = ((value >> 1) & 3) === 1;
    const last = (value & 1) === 1;
    this.#skip = (run_length ? 1 : value >>> 3) + (last ? this.#checksum : 0);
    if (last) this.#to("magic", 4);
  }

  #to(part: Part, want: number): void {
    this.#part = part;
    this.#want = want;
  }
}

/** A number as its bytes, the lowest first. */
function numberOf(bytes: readonly number[]): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** What a frame's descriptor says of the rest of its header: the bytes of its fields. */
function partsOf(descriptor: number) {
  // A frame in a single segment has no window of its own: its window is its content.
  const single = (descriptor >> 5) & 1;
  const dictionary = [0, 1, 2, 4][descriptor & 3];
  return { single, dictionary, size: [single, 2, 4, 8][descriptor >> 6] };
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
      if (unpaused_bytes < body_limits.inflate_turn_bytes) continue;
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
