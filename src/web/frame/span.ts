// Spans of time, and how hands and keys move them.

/** From an instant to the one before which it ends, in milliseconds since 1970 UTC. */
export type Span = { readonly from_ms: number; readonly to_ms: number };

/** A span that is `factor` times as long; the instant at `share` of it stays where it is. */
export function zoomed({ from_ms, to_ms }: Span, factor: number, share = 0.5): Span {
  const about_ms = from_ms + share * (to_ms - from_ms);
  return {
    from_ms: about_ms - (about_ms - from_ms) * factor,
    to_ms: about_ms + (to_ms - about_ms) * factor,
  };
}

/** A span that lies later by a share of its length; earlier where that is negative. */
export function moved({ from_ms, to_ms }: Span, share: number): Span {
  const by_ms = share * (to_ms - from_ms);
  return { from_ms: from_ms + by_ms, to_ms: to_ms + by_ms };
}

/** The span in which two fingers stand at the same instants as before; `from` and `to` shares. */
export function pinched(
  { from_ms, to_ms }: Span,
  from: readonly [number, number],
  to: readonly [number, number],
): Span {
  const at = (share: number) => from_ms + share * (to_ms - from_ms);
  const distance = Math.max(0.02, Math.abs(to[1] - to[0])) * Math.sign(to[1] - to[0] || 1);
  const per_share = Math.abs((at(from[1]) - at(from[0])) / distance);
  const start = at(from[0]) - to[0] * per_share;
  return { from_ms: start, to_ms: start + per_share };
}

/** The span that a key asks for; undefined for a key that asks for none. */
export function spanOfKey(key: string, shown: Span): Span | undefined {
  switch (key) {
    case "ArrowLeft":
      return moved(shown, -0.2);
    case "ArrowRight":
      return moved(shown, 0.2);
    case "+":
    case "=":
      return zoomed(shown, 0.5);
    case "-":
      return zoomed(shown, 2);
  }
}
