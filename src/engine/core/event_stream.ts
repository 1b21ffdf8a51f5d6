// Server-sent events (WHATWG HTML): frames as they come up, heartbeats, every way to end.
import { utf8 } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { Bell } from "../../base/in_time.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";

/** What a look finds: frames as text, and when to look again although nobody rings. */
export type Look = {
  readonly text: string;
  /** Whether there may be more already. */
  readonly is_full: boolean;
  readonly wait_ms?: number;
};

/** A stream: what rings for it and what it finds then. */
type EventSource = {
  /** Where a client that is cut off before the first event resumes. */
  readonly cursor: string;
  /** Lets commits ring; gives the ways to stop that. */
  readonly listen: (ring: () => void) => readonly (() => void)[];
  readonly look: () => Promise<Look> | Look;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked before anything is told. */
  readonly isAllowed: () => boolean;
};

/**
 * The bytes of a stream. Looks only when its reader takes, so that it never holds more than one
 * look; polls nothing.
 */
export async function* eventStream(
  effects: Pick<Effects, "monotonic_ms" | "sleep">,
  { cursor, listen, look, signal, isAllowed }: EventSource,
): AsyncGenerator<Uint8Array, void> {
  const bell = new Bell();
  const stops = listen(() => bell.ring());
  try {
    // The id alone is no event, but a client that is cut off now resumes from it.
    yield utf8(`retry: ${alarm_limits.stream_retry_ms}\nid: ${cursor}\n\n`);
    let beat_ms = effects.monotonic_ms() + alarm_limits.stream_beat_ms;
    while (!signal.aborted) {
      bell.still();
      const { text, is_full, wait_ms = Infinity } = await look();
      if (!isAllowed()) return;
      if (text !== "") yield utf8(text);
      const left_ms = beat_ms - effects.monotonic_ms();
      if (left_ms <= 0) {
        beat_ms += Math.ceil((1 - left_ms) / alarm_limits.stream_beat_ms) *
          alarm_limits.stream_beat_ms;
        yield utf8(": beat\n\n");
      } else if (!is_full) {
        await bell.wait({ wait_ms: Math.min(left_ms, wait_ms), effects, signal });
      }
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** An event as a frame; its type is one line whatever a source calls it. */
export function frameOf(
  { id, type, data }: { readonly id: string; readonly type: string; readonly data: string },
): string {
  return `id: ${id}\nevent: ${type.replaceAll(/[\r\n]+/g, " ")}\ndata: ${data}\n\n`;
}
