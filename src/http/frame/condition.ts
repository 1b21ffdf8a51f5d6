// Conditions of requests (RFC 9110): If-Match of a change, If-None-Match of a read.
import { sha256Hex } from "../../base/digest.ts";
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

/**
 * An answer that is whole in memory with the tag of its bytes; 304 where the request has these
 * already. The tag is of what is sent, so that a 304 is right whatever the answer was made from.
 */
export async function withTag(response: Response, { headers: asked }: Request): Promise<Response> {
  if (response.status !== 200) return response;
  const bytes = await response.bytes();
  const headers = new Headers(response.headers);
  const tag = `"${sha256Hex(bytes).slice(0, 32)}"`;
  headers.set("etag", tag);
  if (!headers.has("cache-control")) headers.set("cache-control", "private, no-cache");
  if (!isTagIn(asked.get("if-none-match"), tag)) {
    headers.set("content-length", String(bytes.length));
    return new Response(bytes, { headers });
  }
  headers.delete("content-type");
  headers.delete("content-encoding");
  return new Response(null, { status: 304, headers });
}

/** Whether an If-None-Match header names a tag, weak or not; `*` names any. */
export function isTagIn(header: string | null, tag: string): boolean {
  if (header === null) return false;
  const tags = header.split(",").map((it) => it.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(tag);
}
