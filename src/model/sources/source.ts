// A source as it is kept, the tags of its state, and what is known of how it does.
import { oneOf, type PlainRow } from "../data/row.ts";

/** Where sources are declared: each in one place only. */
export const source_origins = ["site_file", "api"] as const;
export type SourceOrigin = typeof source_origins[number];

/** A source of a site. */
export const source_table = {
  id: "text",
  site_no: "int32",
  /** Unique in its project. */
  key: "text",
  origin: oneOf(source_origins),
  /** What `sourceText` gives. */
  definition: "text",
  /** Name of the token that it was made with; null: a site file. */
  author: "text?",
} as const;

/** A source of a site. */
export type Source = PlainRow<typeof source_table>;

/** What goes wrong with a source, by its kind, in the order of the reference. */
export const source_errors = {
  timeouts: "Nobody answered in time.",
  refused: "Nothing listens there, or the connection broke.",
  denied: "A certificate, a password or a right was not accepted.",
  protocol: "An answer was none, or the device refused what was asked.",
  rejected: "Samples that were not stored, as a body of them would not have been.",
} as const;

export type SourceErrorKind = keyof typeof source_errors;
export const source_error_kinds = Object.keys(source_errors) as readonly SourceErrorKind[];

/** The tags that tell how a source does; each name follows the source's key and a dot. */
export const source_tags = {
  connected: "1 if all its devices answer, else 0.",
  last_value_age_s: "Seconds since its newest value.",
  clock_ahead_s: "Of a source that tells times: seconds by which its clock is ahead of this one; " +
    "negative: behind, or its values are so long on their way.",
  gap_s: "Of a broker: seconds since it was last heard, 0 while it is connected; what was sent " +
    "meanwhile may be lost.",
  ...source_errors,
} as const;

export const source_tag_names = Object.keys(source_tags) as readonly (keyof typeof source_tags)[];
