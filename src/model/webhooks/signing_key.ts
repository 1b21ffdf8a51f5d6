// The life of a signing key: published before it signs, replaced, published a day longer.
import type { PlainRow } from "../data/row.ts";
import { webhook_limits } from "./limits.ts";

/** A key as it is kept, published while it is. Instants are microseconds since 1970 UTC. */
export const signing_key_table = {
  /** RFC 7638 thumbprint. */
  kid: "text",
  /** Its secret half, base64url. */
  seed: "text",
  created_at: "instant",
  /** Since when it signs; null for the next one, which does not yet. */
  signs_from: "instant?",
  /** Until when it signs beside its successor; null while it has none that signs. */
  signs_until: "instant?",
  /** When it is no longer published; null likewise. */
  expires_at: "instant?",
} as const;

/** A key as it is kept, published while it is. Instants are microseconds since 1970 UTC. */
export type KeptKey = PlainRow<typeof signing_key_table>;

/** What a key is: the next one, the one that signs, its predecessor that still does, or did. */
export type KeyState = "next" | "signing" | "retiring" | "retired";

const phase_us = webhook_limits.signing_phase_us;

/** How long keys sign, and how long the next one is published before it does, in microseconds. */
export type KeySpans = { readonly period_us: number; readonly publish_us: number };

/** What a key is at an instant. */
export function keyState({ signs_from, signs_until }: KeptKey, now_us: number): KeyState {
  if (signs_from === null) return "next";
  if (signs_until === null) return "signing";
  return signs_until > now_us ? "retiring" : "retired";
}

/** When a key signs or is planned to. */
export function signsFrom(
  { signs_from, created_at }: KeptKey,
  { publish_us }: Pick<KeySpans, "publish_us">,
): number {
  return signs_from ?? created_at + publish_us;
}

/**
 * The keys as they are from an instant on: the next one signs once it was published so long, and
 * then the one before retires. Each step counts from when it is taken, so that both sign for a day
 * however long the service stood still; where the clock was put back, nothing is waited for longer
 * than a step takes. The very same keys where nothing changes.
 */
export function keysAt(
  keys: readonly KeptKey[],
  now_us: number,
  spans: Pick<KeySpans, "publish_us">,
): readonly KeptKey[] {
  const left = keys.filter(({ expires_at }) => expires_at === null || expires_at > now_us)
    .map((key) => notLater(key, now_us));
  const next = left.find(({ signs_from }) => signs_from === null);
  const starts = next !== undefined && signsFrom(next, spans) <= now_us;
  const stepped = !starts ? left : left.map((key) => {
    if (key === next) return { ...key, signs_from: now_us };
    return key.signs_until === null ? retired(key, now_us) : key;
  });
  const last = stepped.findLast(({ signs_until }) => signs_until !== null);
  const now = stepped.map((key) => key === last ? key : ended(key, now_us));
  const isSame = now.length === keys.length && now.every((key, i) => key === keys[i]);
  return isSame ? keys : now;
}

/** When the next key is to be made; never while one waits. */
export function rotationDue(keys: readonly KeptKey[], spans: KeySpans): number {
  if (keys.some(({ signs_from }) => signs_from === null)) return Infinity;
  const newest_us = Math.max(...keys.map((key) => signsFrom(key, spans)));
  return newest_us + Math.max(0, spans.period_us - spans.publish_us);
}

/** When `keysAt` changes something, or the next key is to be made. */
export function stepDue(keys: readonly KeptKey[], spans: KeySpans): number {
  const steps = keys.map((key) =>
    key.signs_from === null ? signsFrom(key, spans) : key.expires_at ?? Infinity
  );
  return Math.min(rotationDue(keys, spans), ...steps);
}

function retired(key: KeptKey, now_us: number): KeptKey {
  return { ...key, signs_until: now_us + phase_us, expires_at: now_us + 2 * phase_us };
}

/** A key before the one that retires: it does not sign again when the clock is put back. */
function ended(key: KeptKey, now_us: number): KeptKey {
  const isOver = key.signs_until === null || key.signs_until <= now_us;
  return isOver ? key : { ...key, signs_until: now_us };
}

/** A key whose past is not in the future, and whose end is no farther than if it began now. */
function notLater(key: KeptKey, now_us: number): KeptKey {
  const least = (at_us: number | null, bound_us: number) =>
    at_us === null ? null : Math.min(at_us, bound_us);
  const capped = {
    ...key,
    created_at: Math.min(key.created_at, now_us),
    signs_from: least(key.signs_from, now_us),
    signs_until: least(key.signs_until, now_us + phase_us),
    expires_at: least(key.expires_at, now_us + 2 * phase_us),
  };
  const isSame = capped.created_at === key.created_at && capped.signs_from === key.signs_from &&
    capped.signs_until === key.signs_until && capped.expires_at === key.expires_at;
  return isSame ? key : capped;
}
