// Rows on their way out: a stream in the format and the compression asked for.
import { pipeline, Readable, type Transform } from "node:stream";
import { constants, createGzip, createZstdCompress } from "node:zlib";
import Negotiator from "negotiator";
import { utf8 } from "../../base/bytes.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { isTagIn } from "./condition.ts";
import { inputRefusal } from "./input.ts";
import { request_limits } from "./limits.ts";
import { columns_param } from "./param.ts";
import type { Answer, Chunk } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { encode, type Format, formats, mediaTypeOf } from "../../wire/format.ts";
import { body_limits } from "../../wire/bytes/limits.ts";
import type { Ending, RouteContext } from "./route.ts";

/** What `streamAnswer` needs of a route's context, whatever the route's parameters. */
export type StreamContext = Pick<
  RouteContext<[]>,
  "request" | "signal" | "format" | "columns" | "effects" | "hold" | "take"
>;

/** The formats that a browser saves as a file. */
const saved: Partial<Record<Format, string>> = { csv: "csv", parquet: "parquet" };

const json_vary = "accept-encoding, authorization";

/** At their fastest: the way is rarely slower than the packing. */
const compressors: Readonly<Record<string, () => Transform>> = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
};

/**
 * The rows of an answer as a response in the negotiated format. Nothing is sent before the first
 * piece is made, so that what fails early is still a problem document; what fails later breaks the
 * connection. Stops the answer's iteration when the client goes or stops reading.
 */
export async function streamAnswer(
  context: StreamContext,
  answer: Answer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { request, format, take } = context;
  if (take) {
    take(projected(answer, context));
    return new Response();
  }
  const extension = saved[format];
  const name = new URL(request.url).pathname.split("/").at(-1);
  return await streamText(context, encode(projected(answer, context), format), {
    encoding: formats[format].is_packed ? undefined : encodingOf(request),
    headers: {
      "content-type": mediaTypeOf(format, request.headers.get("accept")),
      vary: "accept, accept-encoding, authorization",
      ...(extension
        ? { "content-disposition": `attachment; filename="${name}.${extension}"` }
        : {}),
      ...headers,
    },
  });
}

/**
 * Those of an answer's columns that the request asks for, in its order. Throws a `Fault` (invalid)
 * for a name that is none of them.
 */
export function chosenColumns<C extends Column>(
  { columns: names }: Pick<StreamContext, "columns">,
  columns: readonly C[],
): readonly C[] {
  if (names.length === 0) return columns;
  const known = new Map(columns.map((column) => [column.name, column]));
  const unknown = [...new Set(names)].filter((name) => !known.has(name));
  if (unknown.length === 0) return [...new Set(names)].map((name) => known.get(name)!);
  const list = [...known.keys()].join(", ");
  throw inputRefusal(unknown.map((name) => {
    const near = nearest(name, known.keys());
    const said = `this answer has no column ${JSON.stringify(name.slice(0, 100))}`;
    const message = `${said}${near ? `, meant ${near}?` : ""}; its columns are ${list}`;
    return { path: columns_param.name, message };
  }));
}

/** An answer with those of its columns alone that are asked for; the others are not encoded. */
function projected(answer: Answer, context: Pick<StreamContext, "columns">): Answer {
  const columns = chosenColumns(context, answer.columns);
  const places = columns.map((column) => answer.columns.indexOf(column));
  const isWhole = places.length === answer.columns.length && places.every((at, i) => at === i);
  return isWhole ? answer : { ...answer, columns, chunks: picked(answer.chunks, places) };
}

async function* picked(
  chunks: Answer["chunks"],
  places: readonly number[],
): AsyncGenerator<Chunk, void> {
  for await (const { rows, vectors } of chunks) {
    yield { rows, vectors: places.map((at) => vectors[at]) };
  }
}

/** The same of the pieces of a JSON document. */
export async function streamJson(
  context: StreamContext,
  pieces: AsyncGenerator<Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await streamText(context, pieces, {
    encoding: encodingOf(context.request),
    headers: {
      "content-type": "application/json",
      vary: json_vary,
      ...headers,
    },
  });
}

/**
 * A JSON document that is told by its digest, in the compression asked for. The digest and the
 * compression make its ETag, and a client that has it gets 304.
 */
export async function streamTagged(
  context: StreamContext,
  { text, digest }: { readonly text: Uint8Array; readonly digest: string },
): Promise<Response> {
  const { headers } = context.request;
  const encoding = encodingOf(context.request);
  const etag = `"${digest}${encoding ? `-${encoding}` : ""}"`;
  const tagged = { etag, "cache-control": "private, no-cache", vary: json_vary };
  if (isTagIn(headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers: tagged });
  }
  return await streamJson(context, piecesOf(text), tagged);
}

/**
 * A JSON document that is whole: a short one goes out at once, which takes half the time, a longer
 * one or one that is to be compressed in pieces.
 */
export async function sendJson(
  context: StreamContext,
  text: string | Uint8Array<ArrayBuffer>,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const is_short = text.length <= request_limits.whole_length;
  if (!is_short || encodingOf(context.request) !== undefined) {
    const bytes = typeof text === "string" ? utf8(text) : text;
    return await streamJson(context, piecesOf(bytes), more);
  }
  const headers = { "content-type": "application/json", vary: json_vary, ...more };
  return new Response(text, { headers });
}

/** A document in pieces. */
export async function* piecesOf(text: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < text.length; at += body_limits.piece_bytes) {
    yield text.subarray(at, at + body_limits.piece_bytes);
  }
}

/** A JSON array, a row a line, of parts that are printed one by one. */
export async function* printArray<T>(
  parts: AsyncIterable<T> | Iterable<T>,
  print: (part: T) => string,
): AsyncGenerator<Uint8Array, void> {
  let started = false;
  for await (const part of parts) {
    yield utf8((started ? ",\n" : "[\n") + print(part));
    started = true;
  }
  yield utf8(started ? "\n]\n" : "[]\n");
}

async function streamText(
  context: StreamContext,
  pieces: AsyncGenerator<Uint8Array>,
  { encoding, headers }: {
    readonly encoding: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  if (encoding === undefined) return await streamPieces(context, pieces, { headers });
  return await streamPieces(context, compress(pieces, compressors[encoding]()), {
    headers: { ...headers, "content-encoding": encoding },
  });
}

/** Pieces as they are; `onStop` is called when nobody wants more of them. */
export async function streamPieces(
  context: StreamContext,
  pieces: AsyncGenerator<Uint8Array>,
  { headers, onStop = () => {} }: {
    readonly headers: Readonly<Record<string, string>>;
    readonly onStop?: () => void;
  },
): Promise<Response> {
  const first = await pieces.next();
  return new Response(streamOf(pieces, first, { ...context, onStop }), { headers });
}

function encodingOf(request: Request): string | undefined {
  const accept = request.headers.get("accept-encoding");
  if (accept === null) return undefined;
  const offered = ["zstd", "gzip", "identity"];
  const negotiator = new Negotiator({ headers: { "accept-encoding": accept } });
  const chosen = negotiator.encodings(offered, { preferred: ["zstd", "gzip"] })[0];
  return chosen === "identity" ? undefined : chosen;
}

/** The pieces compressed as one frame; an error of theirs or an early stop passes through. */
async function* compress(
  pieces: AsyncGenerator<Uint8Array>,
  compressor: Transform,
): AsyncGenerator<Uint8Array, void> {
  const packed = pipeline(Readable.from(pieces, { objectMode: true }), compressor, () => {});
  for await (const piece of packed) yield piece as Uint8Array;
}

/** Why nobody waits for a piece to be read; made once: an abort without a reason makes one. */
const was_read = new Error("the piece was read");

/** A body that is made as it is read, and errors when its making or the client's reading stops. */
function streamOf(
  pieces: AsyncGenerator<Uint8Array>,
  first: IteratorResult<Uint8Array>,
  context: StreamContext & { readonly onStop: () => void },
): ReadableStream<Uint8Array> {
  const ended = Promise.withResolvers<Ending>();
  context.hold(ended.promise);
  let next: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(first);
  let unread = new AbortController();
  const stop = (ending: Ending) => {
    unread.abort(was_read);
    ended.resolve(ending);
    context.onStop();
    // A generator in the middle of its work stops when that is done.
    pieces.return(undefined).catch(() => {});
  };
  const watch = async (controller: ReadableStreamDefaultController, reading: AbortController) => {
    await context.effects.sleep(request_limits.stream_stall_ms, reading.signal);
    if (reading.signal.aborted) return;
    controller.error(new Error("the client stopped reading"));
    stop("stalled");
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      unread.abort(was_read);
      try {
        const { done, value } = await (next ?? pieces.next());
        next = undefined;
        if (done) {
          controller.close();
          return ended.resolve("complete");
        }
        controller.enqueue(value);
        unread = new AbortController();
        watch(controller, unread);
      } catch (error) {
        if (context.signal.aborted) ended.resolve("cancelled");
        else ended.reject(error);
        throw error;
      }
    },
    cancel: () => stop("cancelled"),
  }, { highWaterMark: 1 });
}
