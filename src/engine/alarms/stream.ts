// A stream of server-sent events: the feed from a place on, told as it grows, and heartbeats.
import { textOf, utf8 } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { Bell } from "../../base/in_time.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import type { FeedPlace } from "../../store/alarms/feed.ts";
import type { AlarmFeed, FeedSource, FeedStart } from "./feed.ts";

/** What is streamed to whom. */
type AlarmStreamRequest = {
  readonly source: FeedSource;
  readonly after: FeedStart;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Whether the reader may still read; asked at each heartbeat. */
  readonly isAllowed: () => boolean;
};

/**
 * The frames of a stream (WHATWG HTML, server-sent events). Reads only what its reader takes, so
 * that it never holds more than one look at the feed; polls nothing.
 */
export async function* alarmStream(
  { feed, effects }: {
    readonly feed: AlarmFeed;
    readonly effects: Pick<Effects, "monotonic_ms" | "sleep">;
  },
  { source, after, signal, isAllowed }: AlarmStreamRequest,
): AsyncGenerator<Uint8Array, void> {
  const bell = new Bell();
  const unlisten = feed.listen(source, () => bell.ring());
  try {
    // The id alone is no event, but a client that is cut off now resumes from it.
    yield utf8(`retry: ${alarm_limits.stream_retry_ms}\nid: ${cursorOf(after)}\n\n`);
    let place = after;
    let beat_ms = effects.monotonic_ms() + alarm_limits.stream_beat_ms;
    while (!signal.aborted) {
      bell.still();
      const events = await feed.events(source, place);
      if (events.length > 0) {
        place = events.at(-1)!;
        yield utf8(events.map(frameOf).join(""));
      }
      const left_ms = beat_ms - effects.monotonic_ms();
      if (left_ms <= 0) {
        if (!isAllowed()) return;
        beat_ms += Math.ceil((1 - left_ms) / alarm_limits.stream_beat_ms) *
          alarm_limits.stream_beat_ms;
        yield utf8(": beat\n\n");
      } else if (events.length < alarm_limits.feed_stream_events) {
        await bell.wait({ wait_ms: left_ms, effects, signal });
      }
    }
  } finally {
    unlisten();
  }
}

/** A place in the feed as text for clients to hand back: base64url of its three parts. */
export function cursorOf({ synced_at, occurrence_no, event_id }: FeedPlace): string {
  const text = `${synced_at} ${occurrence_no} ${event_id}`;
  return utf8(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The place that a cursor names; undefined where the text is none. */
export function placeOfCursor(cursor: string): FeedPlace | undefined {
  try {
    const text = textOf(Uint8Array.fromBase64(cursor, { alphabet: "base64url" }));
    const [, synced_at, occurrence_no, event_id] = /^(\d{1,16}) (\d{1,12}) (.*)$/s.exec(text) ?? [];
    if (event_id === undefined) return undefined;
    return { synced_at: Number(synced_at), occurrence_no: Number(occurrence_no), event_id };
  } catch {
    return undefined;
  }
}

function frameOf(event: FeedPlace & { readonly type: string; readonly text: string }): string {
  // A source's own word for a type must not end its line.
  const type = event.type.replaceAll(/[\r\n]+/g, " ");
  return `id: ${cursorOf(event)}\nevent: ${type}\ndata: ${event.text}\n\n`;
}
