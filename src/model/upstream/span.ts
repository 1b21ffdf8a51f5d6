// What waits to be sent, as spans of the stamp of storing, and which piece of it goes next.
import { upstream_limits } from "./limits.ts";

/** Stamps, [from_us, to_us), in microseconds since 1970 UTC. */
export type StampSpan = { readonly from_us: number; readonly to_us: number };

/** The end of the span that what is stored from now on belongs to. */
export const open_end_us = Number.MAX_SAFE_INTEGER;

/** StampSpans in order, none empty, with a gap between any two. */
export type StampSpans = readonly StampSpan[];

/** Nothing was ever forwarded: what was stored until now is backlog, what comes is live. */
export function firstSpans(head_us: number): StampSpans {
  const live_us = head_us + 1;
  return [{ from_us: 0, to_us: live_us }, { from_us: live_us, to_us: open_end_us }];
}

/** The same with all of `span`. What is live stays by itself. */
export function addSpan(spans: StampSpans, { from_us, to_us }: StampSpan): StampSpans {
  const open = spans.filter((it) => it.to_us === open_end_us);
  const closed = spans.filter((it) => it.to_us < open_end_us);
  const added = { from_us, to_us: Math.min(to_us, open.at(0)?.from_us ?? to_us) };
  if (added.from_us >= added.to_us) return spans;
  const apart = closed.filter((it) => it.to_us < added.from_us || it.from_us > added.to_us);
  const joined = closed.filter((it) => !apart.includes(it)).reduce(hull, added);
  return fewer([...apart, joined, ...open].sort((a, b) => a.from_us - b.from_us));
}

/** The same without `span`. Where too many spans are left, the closest become one. */
export function takeOut(spans: StampSpans, span: StampSpan): StampSpans {
  if (span.from_us >= span.to_us) return spans;
  const left = spans.flatMap((it) =>
    [
      { from_us: it.from_us, to_us: Math.min(it.to_us, span.from_us) },
      { from_us: Math.max(it.from_us, span.to_us), to_us: it.to_us },
    ].filter(({ from_us, to_us }) => from_us < to_us)
  );
  return fewer(left);
}

/** What lies in both. */
export function sharedSpans(some: StampSpans, others: StampSpans): StampSpans {
  return some.flatMap((a) =>
    others.map((b) => (
      { from_us: Math.max(a.from_us, b.from_us), to_us: Math.min(a.to_us, b.to_us) }
    )).filter(({ from_us, to_us }) => from_us < to_us)
  );
}

/** What lies in `added` and not in `spans`; nothing where that takes too many spans to tell. */
export function spansBesides(added: readonly StampSpan[], spans: StampSpans): StampSpans {
  const left = spans.reduce(takeOut, added.reduce<StampSpans>(addSpan, []));
  return left.length < upstream_limits.spans ? left : [];
}

/** What lies between two joined spans is sent again, as little as can be. */
function fewer(spans: StampSpans): StampSpans {
  if (spans.length <= upstream_limits.spans) return spans;
  // The open one stays by itself: what is live begins there.
  const gaps = spans.slice(1, -1).map((span, i) => span.from_us - spans[i].to_us);
  const at = gaps.indexOf(Math.min(...gaps));
  return fewer([...spans.slice(0, at), hull(spans[at], spans[at + 1]), ...spans.slice(at + 2)]);
}

function hull(a: StampSpan, b: StampSpan): StampSpan {
  return { from_us: Math.min(a.from_us, b.from_us), to_us: Math.max(a.to_us, b.to_us) };
}

/**
 * What is live: the newest of what was stored up to `head_us` and was never looked at. Undefined
 * for nothing. What is older than the window is left to the backlog, once this is out.
 */
export function livePiece(spans: StampSpans, head_us: number): StampSpan | undefined {
  const open = spans.at(-1);
  if (open?.to_us !== open_end_us || open.from_us > head_us) return undefined;
  const window_us = head_us + 1 - upstream_limits.live_window_us;
  return { from_us: Math.max(open.from_us, window_us), to_us: head_us + 1 };
}

/** The newest of the backlog: all that is not live. Undefined for nothing. */
export function backlogPiece(spans: StampSpans): StampSpan | undefined {
  return spans.findLast(({ to_us }) => to_us !== open_end_us);
}

/** All that is live, of what was stored up to `head_us`. Undefined for nothing. */
export function livePart(spans: StampSpans, head_us: number): StampSpan | undefined {
  const open = spans.at(-1);
  if (open?.to_us !== open_end_us || open.from_us > head_us) return undefined;
  return { from_us: open.from_us, to_us: head_us + 1 };
}

/** The oldest span that waits, of what was stored up to `head_us`. Undefined for nothing. */
export function oldestPart(spans: StampSpans, head_us: number): StampSpan | undefined {
  const [first] = spans;
  if (first === undefined || first.from_us > head_us) return undefined;
  return { from_us: first.from_us, to_us: Math.min(first.to_us, head_us + 1) };
}

/** How old the oldest stored row is that is live and not forwarded; 0 where there is none. */
export function lagUs(
  spans: StampSpans,
  { head_us, now_us }: { readonly head_us: number; readonly now_us: number },
): number {
  const open = spans.at(-1);
  if (open?.to_us !== open_end_us || open.from_us > head_us) return 0;
  return Math.max(0, now_us - Math.max(open.from_us, 0));
}

/** Of each length of a period, how long it is. */
export const period_us = { hour: 3_600_000_000, day: 86_400_000_000 } as const;
export type PeriodLength = keyof typeof period_us;

/** The period that a stamp lies in. */
export function periodAt(at_us: number, length: PeriodLength): StampSpan {
  const from_us = Math.floor(at_us / period_us[length]) * period_us[length];
  return { from_us, to_us: from_us + period_us[length] };
}

/**
 * The newest span that waits of the periods that ended by `now_us`: nothing more will be stored in
 * these. Undefined where nothing waits there.
 */
export function endedPart(
  spans: StampSpans,
  { now_us, length }: { readonly now_us: number; readonly length: PeriodLength },
): StampSpan | undefined {
  const { from_us: end_us } = periodAt(now_us, length);
  const span = spans.findLast(({ from_us }) => from_us < end_us);
  return span && { from_us: span.from_us, to_us: Math.min(span.to_us, end_us) };
}

/** A period's name in files: 2026-06-01T08Z, 2026-06-01. */
export function periodName({ from_us }: StampSpan, length: PeriodLength): string {
  const text = new Date(from_us / 1000).toISOString();
  return length === "hour" ? `${text.slice(0, 13)}Z` : text.slice(0, 10);
}

/** What of the stored rows a centre has, as it is told. */
export type Told = {
  /** All that was stored before is there ... */
  readonly told_us: number;
  /** ... but for what waits within this; null: nothing does. */
  readonly backlog: StampSpan | null;
};

/** What a centre has, once all that is live will be there next. */
export function toldOf(
  spans: StampSpans,
  { head_us, now_us }: { readonly head_us: number; readonly now_us: number },
): Told {
  const closed = spans.filter(({ to_us }) => to_us !== open_end_us);
  const open_us = spans.find(({ to_us }) => to_us === open_end_us)?.from_us ?? head_us + 1;
  const window_us = Math.max(open_us, head_us + 1 - upstream_limits.live_window_us);
  const is_live = open_us <= head_us;
  // What is older than the window is left to the backlog.
  const left = is_live && window_us > open_us ? [{ from_us: open_us, to_us: window_us }] : [];
  const waiting = [...closed, ...left];
  return {
    told_us: is_live ? window_us : Math.max(now_us, open_us),
    backlog: waiting.length === 0 ? null : waiting.reduce(hull),
  };
}
