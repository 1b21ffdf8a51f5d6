// What a node and the process of one of its shards tell each other.
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { OutlineWord } from "../../model/fleet/outline.ts";
import type { Notice } from "../../model/fleet/shard.ts";

/**
 * From the node: for how long the lease is certain, counted from when that was asked; what others
 * told; the number of the outline that was asked for then; and to a stand-in that outline.
 */
export type ToShard =
  | { readonly asked_ms: number; readonly left_ms: number }
  | { readonly adopt: Notice }
  | { readonly kept: number | null; readonly ask_no: number }
  | { readonly outline: string }
  | { readonly stop: true };

/**
 * From the shard: a question by its own clock, the port that it answers at, what it tells all, what
 * is to become of its outline, and why it ends.
 */
export type FromShard =
  | { readonly ask_ms: number }
  | { readonly port: number }
  | { readonly told: Notice }
  | { readonly keep: OutlineWord; readonly ask_no: number }
  | { readonly failed: string };

/** Why something failed, in one line. */
export function whyOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const line = text.trim().replaceAll(/\s*\n\s*/g, "; ").replaceAll(/\p{Cc}+/gu, " ");
  return line.slice(0, fleet_limits.why_length);
}
