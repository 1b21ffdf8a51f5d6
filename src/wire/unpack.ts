// A gzip file as its content, from any offset of that on.
import { Fault } from "../base/fault.ts";
import type { Source } from "./historian/historian.ts";

/** The content of a gzip file. Each reading unpacks from the start and skips to its offset. */
export function gunzipped(source: Source): Source {
  return async function* (offset) {
    let at = 0;
    for await (const part of contentOf(source)) {
      const skip = Math.max(0, offset - at);
      at += part.length;
      if (skip < part.length) yield part.subarray(skip);
    }
  };
}

async function* contentOf(source: Source): AsyncGenerator<Uint8Array, void> {
  const gunzip = new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>;
  const content = ReadableStream.from(source(0)).pipeThrough(gunzip);
  try {
    for await (const part of content) yield part;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Fault("invalid", `the gzip file is damaged or cut short: ${error.message}`);
  }
}
