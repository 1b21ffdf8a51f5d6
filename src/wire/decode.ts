// A request's body as decoded rows: picks the decoder by media type, undoes the content encoding.
import { Fault } from "../base/fault.ts";
import { decodeArrow } from "./decode_arrow.ts";
import { decodeCsv } from "./decode_csv.ts";
import { decodeJsonArray, decodeNdjson } from "./decode_json.ts";
import { inflate } from "./inflate.ts";
import type { Decoded, IngestLane } from "./row_taker.ts";

export type { Decoded, IngestLane } from "./row_taker.ts";

type Decoder = (body: AsyncIterable<Uint8Array>, lane: IngestLane) => Promise<Decoded>;

const decoders: Readonly<Record<string, Decoder>> = {
  "application/x-ndjson": decodeNdjson,
  "application/json-seq": decodeNdjson,
  "application/json": decodeJsonArray,
  "text/csv": decodeCsv,
  "application/vnd.apache.arrow.stream": decodeArrow,
};

/** The media types of sample bodies. */
export const sample_media_types: readonly string[] = Object.keys(decoders);

/**
 * Decodes a whole body of samples. A row that can't be read is rejected and leaves its neighbours
 * be; a body that can't be read (unknown type or encoding, cut short, too large) is a `Fault`.
 */
export async function decodeSamples(
  body: AsyncIterable<Uint8Array>,
  options: {
    readonly media_type: string;
    readonly encoding: string | null;
    readonly lane?: IngestLane;
  },
): Promise<Decoded> {
  const decoder = decoderOf(options.media_type);
  return await decoder(inflate(body, options.encoding), options.lane ?? "signal");
}

function decoderOf(media_type: string): Decoder {
  const [type, ...parameters] = media_type.toLowerCase().split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice(8);
  if (charset && !/^"?(utf-?8|us-ascii)"?$/.test(charset)) {
    throw new Fault("unsupported_media", `unknown charset ${charset}: send utf-8`);
  }
  if (Object.hasOwn(decoders, type)) return decoders[type];
  const known = sample_media_types.join(", ");
  throw new Fault("unsupported_media", `unknown media type ${type || "(none)"}: send ${known}`);
}
