// A photo of an issue or a work order: what is kept of it, and what its first bytes say it is.
import { oneOf, type PlainRow } from "../data/row.ts";

/** What photos are of. */
export const photo_kinds = ["issue", "work_order"] as const;

/** The types that are taken. */
export const photo_media_types = ["image/jpeg", "image/png", "image/webp"] as const;
export type PhotoMediaType = typeof photo_media_types[number];

/** A photo as it is kept, beside its bytes. */
export const photo_table = {
  id: "text",
  kind: oneOf(photo_kinds),
  /** Id of the issue or work order. */
  owner_id: "text",
  project_no: "int32",
  media_type: oneOf(photo_media_types),
  /** Bytes. */
  size: "int32",
  /** Id of the user who sent it. */
  created_by: "text?",
  created_at: "instant",
  /** SHA-256 of its bytes; null: it was taken before digests were kept, and is not shared yet. */
  digest: "text?",
  /** Whether its bytes are here; else they come over the line. */
  is_here: "bool",
  /** When it was removed from a shared project: it must not come back; null: it is there. */
  removed_at: "instant?",
} as const;

/** A photo as it is kept; instants are microseconds since 1970 UTC. */
export type Photo = PlainRow<typeof photo_table>;

/** Whether something that was told is of a photo. */
export function isOfPhoto(told: unknown): boolean {
  return Object(told).kind === "photo";
}

/** What the change that removes a photo is called: whoever removes it, it is one change. */
export function removalId(photo_id: string): string {
  return `${photo_id}.removed`;
}

/** The type of an image by its first bytes; undefined for what is none of those that are taken. */
export function photoTypeOf(bytes: Uint8Array): PhotoMediaType | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, 12));
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  return text.startsWith("RIFF") && text.slice(8) === "WEBP" ? "image/webp" : undefined;
}
