// The condition of a change: that it is still what was read (RFC 9110, If-Match).
import { invalid } from "./input.ts";
import type { RouteHeader } from "./route.ts";

/** Keeps a change from undoing what someone else did. */
export const match_header: RouteHeader = {
  name: "If-Match",
  required: false,
  doc: "The ETag that you read: 412 if it was changed since then.",
  example: '\\"3\\"',
};

/** The versions of an If-Match header; `*` and none are any. */
export function versionsOf(text: string | null): readonly number[] | undefined {
  if (text === null || text.trim() === "*") return undefined;
  const tags = text.split(",").map((tag) => tag.trim());
  if (!tags.every((tag) => /^(W\/)?"[^"]*"$/.test(tag))) {
    throw invalid("If-Match", 'give the ETag that was read, such as "3"');
  }
  // A weak tag never matches, and what is no version of ours is none.
  return tags.flatMap((tag) => /^"[1-9]\d{0,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []);
}
