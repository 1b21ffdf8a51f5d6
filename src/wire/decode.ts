// A request's body as decoded rows: picks the decoder by media type, undoes the content encoding.
import { type Meter, unmetered } from "../base/budget.ts";
import { decodeCsv } from "./samples/decode_csv.ts";
import { decodeJsonArray, decodeNdjson } from "./samples/json.ts";
import { inflate } from "./bytes/inflate.ts";
import { pickByType } from "./bytes/media_type.ts";
import type { Decoded, DecodeOptions, IngestLane } from "./samples/row_builder.ts";
import type { TagIndex } from "./samples/tag_index.ts";

export type { Decoded, IngestLane } from "./samples/row_builder.ts";

type Decoder = (body: AsyncIterable<Uint8Array>, options: DecodeOptions) => Promise<Decoded>;

const decoders: Readonly<Record<string, Decoder>> = {
  "application/x-ndjson": decodeNdjson,
  "application/json-seq": decodeNdjson,
  "application/json": decodeJsonArray,
  "text/csv": decodeCsv,
  // Its package takes long to load, and a start has no use for it.
  "application/vnd.apache.arrow.stream": async (body, options) =>
    (await import("./samples/decode_arrow.ts")).decodeArrow(body, options),
};

/** The media types of sample bodies. */
export const sample_media_types: readonly string[] = Object.keys(decoders);

/**
 * Decodes a whole body of samples. A row that can't be read is rejected and leaves its neighbours
 * be; a body that can't be read (unknown type or encoding, cut short, too large) is a `Fault`, and
 * so is one that its meter has no room for.
 */
export async function decodeSamples(
  body: AsyncIterable<Uint8Array>,
  options: {
    readonly media_type: string;
    readonly encoding: string | null;
    readonly lane?: IngestLane;
    readonly meter?: Meter;
    readonly tags?: TagIndex;
  },
): Promise<Decoded> {
  const decoder = pickByType(decoders, options.media_type);
  const { encoding, lane = "signal", meter = unmetered, tags } = options;
  return await decoder(inflate(body, { encoding, meter }), { lane, meter, tags });
}
