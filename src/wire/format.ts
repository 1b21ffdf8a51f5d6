// The formats that a stream of rows can be answered in, and which of them a request asks for.
import Negotiator from "negotiator";
import { Fault } from "../base/fault.ts";
import { nearest } from "../base/did_you_mean.ts";
import type { Answer } from "../model/data/chunk.ts";
import { encodeArrow } from "./arrow/arrow.ts";
import { encodeCsv, encodeJson, encodeNdjson } from "./text.ts";
import { encodeParquet } from "./parquet/parquet.ts";

export const format_names = ["arrow", "parquet", "ndjson", "csv", "json"] as const;
export type Format = typeof format_names[number];

type FormatFacts = {
  /** Media types that mean it; the first is its own name, the others are aliases. */
  readonly media_types: readonly [string, ...string[]];
  /** Whether it packs its columns itself: compressing it for the way gains nothing. */
  readonly is_packed?: true;
  readonly doc: string;
  readonly encode: (answer: Answer) => AsyncGenerator<Uint8Array, void>;
};

/** Every format, the default first. */
export const formats: { readonly [F in Format]: FormatFacts } = {
  arrow: {
    media_types: ["application/vnd.apache.arrow.stream"],
    doc: "Arrow IPC stream. The default.",
    encode: encodeArrow,
  },
  parquet: {
    media_types: ["application/vnd.apache.parquet"],
    is_packed: true,
    doc: "Parquet file.",
    encode: encodeParquet,
  },
  ndjson: {
    media_types: ["application/json-seq", "application/x-ndjson"],
    doc: "One JSON object per line.",
    encode: encodeNdjson,
  },
  csv: {
    media_types: ["text/csv"],
    doc: 'CSV (RFC 4180) with a header row; no value is an empty field, an empty text is "". A ' +
      "text that begins with =, +, -, @, a tab or a line break, and is no negative number, has " +
      "a ' before it, so that no spreadsheet takes it for a formula; the other formats have it " +
      "as it is.",
    encode: encodeCsv,
  },
  json: {
    media_types: ["application/json"],
    doc: "A JSON array of objects.",
    encode: encodeJson,
  },
};

/**
 * The format that a request asks for: by its `format` parameter, else by its `Accept` header
 * (RFC 9110 §12.5.1), else Arrow. A `Fault` invalid for an unknown parameter, not_acceptable when
 * the header allows none of the offered media types.
 */
export function negotiate(accept: string | null, format_param: string | null): Format {
  if (format_param !== null) return formatNamed(format_param);
  const media_type = preferred(accept, offered);
  if (media_type !== undefined) return format_of.get(media_type)!;
  throw new Fault("not_acceptable", `can answer with ${offered.join(", ")}`);
}

/** The media type to answer with: of the format's, the one that the request prefers. */
export function mediaTypeOf(format: Format, accept: string | null): string {
  const { media_types } = formats[format];
  return preferred(accept, media_types) ?? media_types[0];
}

/**
 * The answer's bytes in pieces of up to `body_limits.piece_bytes`; throws what its chunks throw.
 */
export function encode(answer: Answer, format: Format): AsyncGenerator<Uint8Array, void> {
  return formats[format].encode(answer);
}

const offered = format_names.flatMap((name) => formats[name].media_types);
const format_of = new Map(
  format_names.flatMap((name) => formats[name].media_types.map((type) => [type, name] as const)),
);

function formatNamed(name: string): Format {
  const found = format_names.find((known) => known === name);
  if (found !== undefined) return found;
  const near = nearest(name, format_names);
  const message = `must be one of ${format_names.join(", ")}` +
    (near === undefined ? "" : `; did you mean ${near}?`);
  throw new Fault("invalid", `format ${message}`, { flaws: [{ path: "format", message }] });
}

/** What the header prefers; its charset does not matter, since every text here is UTF-8. */
function preferred(accept: string | null, media_types: readonly string[]): string | undefined {
  if (accept === null || accept.trim() === "") return media_types[0];
  const headers = { accept: accept.replaceAll(/;\s*charset=[^;,]*/gi, "") };
  const negotiator: { mediaType(known: readonly string[]): string | undefined } = new Negotiator({
    headers,
  });
  return negotiator.mediaType(media_types);
}
