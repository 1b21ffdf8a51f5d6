// Tests GET /platform/v1/alarms/stream: what is told when, resuming, heartbeats, every end.
import { deepEqual, equal, ok } from "node:assert/strict";
import { request_limits } from "../../../src/http/frame/limits.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { cursorOf, placeOfCursor } from "../../../src/engine/alarms/feed.ts";
import { eventOf } from "../../help/alarm.ts";
import { type FeedRow, flawsOf, openAlarms } from "./alarm_help.ts";

/** A part of a stream that ends with an empty line. */
type Frame = {
  readonly id?: string;
  readonly event?: string;
  readonly data?: FeedRow;
  readonly comment?: string;
};

/** The frames of a response, one at a time. */
class Reader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(response: Response) {
    equal(response.status, 200);
    equal(response.headers.get("content-type"), "text/event-stream");
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next frame; undefined at the end. */
  async next(): Promise<Frame | undefined> {
    while (!this.#text.includes("\n\n")) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
    const end = this.#text.indexOf("\n\n");
    const lines = this.#text.slice(0, end).split("\n");
    this.#text = this.#text.slice(end + 2);
    const frame: Record<string, unknown> = {};
    for (const line of lines) {
      const at = line.indexOf(": ");
      const name = line.slice(0, at) || "comment";
      frame[name] = name === "data" ? JSON.parse(line.slice(at + 2)) : line.slice(at + 2);
    }
    return frame;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

/** A service with streams of it, all cancelled at the end. */
async function openStreams() {
  const service = await openAlarms();
  const readers: Reader[] = [];
  return {
    ...service,
    async open(query = "", headers: HeadersInit = {}): Promise<Reader> {
      const path = `/platform/v1/alarms/stream?project_id=${service.project.id}${query}`;
      const reader = new Reader(await service.fetch(path, { headers }));
      readers.push(reader);
      return reader;
    },
    /** The database's answer to another read gives everything else its turn. */
    turn: () => service.services.database.read((connection) => connection.script("SELECT 1")),
    async close() {
      for (const reader of readers) await reader.cancel();
      await service.close();
    },
  };
}

Deno.test("a stream tells each event after its commit, as the feed has it", async () => {
  const { open, raise, change, get, close } = await openStreams();
  await raise({ occurrence_id: "before" });
  const stream = await open();
  const { id: start } = (await stream.next())!;
  const raised = await raise({ occurrence_id: "x" });
  const first = (await stream.next())!;
  await change(raised, {}, [eventOf("two\r\nwords"), eventOf("commented")]);
  const more = [(await stream.next())!, (await stream.next())!];
  deepEqual([first, ...more].map(({ event }) => event), ["raised", "two words", "commented"]);
  const { data: feed } = await get("/alarms/events?offset=1");
  deepEqual([first, ...more].map(({ data }) => data), feed);
  const { synced_at: since_us } = placeOfCursor(first.id!)!;
  equal(since_us, raised.synced_at);
  ok(placeOfCursor(start!)!.synced_at <= since_us);
  await close();
});

Deno.test("a client that comes again with its cursor misses and repeats nothing", async () => {
  const { open, raise, change, close } = await openStreams();
  const raised = await raise({ occurrence_id: "x" });
  const stream = await open("&updated_since=2026-01-01T00:00:00Z");
  await stream.next();
  const { id, data } = (await stream.next())!;
  equal(data?.event_id, "wk-000001");
  await stream.cancel();
  await change(raised, {}, [eventOf("a"), eventOf("b")]);
  for (
    const [query, headers] of [
      ["", { "last-event-id": id! }],
      [`&last_event_id=${id}`, {}],
      [`&last_event_id=${cursorOf({ synced_at: 0, occurrence_no: 0, event_id: "" })}`, {
        "last-event-id": id!,
      }],
    ] as const
  ) {
    const again = await open(query, headers);
    equal((await again.next())?.id, id);
    deepEqual([(await again.next())?.event, (await again.next())?.event], ["a", "b"]);
    await again.cancel();
  }
  const missed = await open();
  const { id: now } = (await missed.next())!;
  await missed.cancel();
  await change(raised, {}, [eventOf("c")]);
  const late = await open("", { "last-event-id": now! });
  await late.next();
  equal((await late.next())?.event, "c");
  await close();
});

Deno.test("a long history comes look by look, then what is new, each event once", async () => {
  const { open, raise, change, close } = await openStreams();
  const raised = await raise({ occurrence_id: "x" });
  const count = 2 * alarm_limits.feed_stream_events + 7;
  await change(raised, {}, Array.from({ length: count }, () => eventOf("noted")));
  const stream = await open("&updated_since=2026-01-01T00:00:00Z");
  await stream.next();
  const ids: string[] = [];
  for (let i = 0; i <= count; i++) ids.push((await stream.next())!.data!.event_id);
  await change(raised, {}, [eventOf("noted")]);
  ids.push((await stream.next())!.data!.event_id);
  deepEqual(
    ids,
    Array.from({ length: count + 2 }, (_, i) => `wk-${String(i + 1).padStart(6, "0")}`),
  );
  await close();
});

Deno.test("several clients hear of their own site and project only", async () => {
  const { open, raise, fetch, other, close } = await openStreams();
  const [all, west] = [await open(), await open("&site=west")];
  const north = new Reader(
    await fetch(`/platform/v1/alarms/stream?project_id=${other.id}`),
  );
  for (const stream of [all, west, north]) await stream.next();
  await raise({ occurrence_id: "e", site_no: 1 });
  await raise({ occurrence_id: "n", project_no: 2, site_no: 3 });
  await raise({ occurrence_id: "w", site_no: 2 });
  const heard = async (stream: Reader) => (await stream.next())?.data?.occurrence_id;
  deepEqual([await heard(all), await heard(all)], ["e", "w"]);
  equal(await heard(west), "w");
  equal(await heard(north), "n");
  await north.cancel();
  await close();
});

Deno.test("a heartbeat comes every fifteen seconds, whether or not there are events", async () => {
  const { open, raise, turn, clock, close } = await openStreams();
  const stream = await open();
  await stream.next();
  const beat = { comment: "beat" };
  const next = stream.next();
  await turn();
  clock.advance(alarm_limits.stream_beat_ms - 1);
  await raise({ occurrence_id: "a" });
  equal((await next)?.event, "raised");
  const second = stream.next();
  await turn();
  clock.advance(1);
  deepEqual(await second, beat);
  const third = stream.next();
  await turn();
  clock.advance(alarm_limits.stream_beat_ms);
  deepEqual(await third, beat);
  await close();
});

for (const way of ["at the heartbeat", "before an event is told"]) {
  Deno.test(`a stream whose token was revoked ends ${way}`, async () => {
    const { services: { access }, fetch, raise, turn, ...rest } = await openStreams();
    const { project, clock, close } = rest;
    const { token, id } = await access.create({
      name: "reader",
      organization_id: null,
      project_ids: null,
      scopes: ["read"],
      expires_at: null,
    });
    const stream = new Reader(
      await fetch(`/platform/v1/alarms/stream?project_id=${project.id}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    );
    await stream.next();
    const next = stream.next();
    await access.revoke(id);
    await turn();
    if (way === "at the heartbeat") clock.advance(alarm_limits.stream_beat_ms);
    else await raise({ occurrence_id: "x" });
    equal(await next, undefined);
    await close();
  });
}

Deno.test("streams end properly when the service stops", async () => {
  const { open, refuse, turn, close } = await openStreams();
  const streams = [await open(), await open("&site=east")];
  for (const stream of streams) await stream.next();
  const ends = streams.map((stream) => stream.next());
  await turn();
  refuse();
  deepEqual(await Promise.all(ends), [undefined, undefined]);
  await close();
});

Deno.test("a client that stops reading is cut off, and its slot is free again", async () => {
  const { raise, fetch, turn, project, clock, close } = await openStreams();
  await raise({ occurrence_id: "x" });
  const path = `/platform/v1/alarms/stream?project_id=${project.id}`;
  for (let i = 0; i < 2 * request_limits.events_per_token; i++) {
    const response = await fetch(`${path}&updated_since=2026-01-01T00:00:00Z`);
    equal(response.status, 200);
    for (let round = 0; round < 3; round++) {
      await turn();
      clock.advance(request_limits.stream_stall_ms);
    }
    const cut = response.body!.pipeTo(new WritableStream());
    equal(await cut.then(() => "whole", () => "cut"), "cut");
  }
  await close();
});

Deno.test("what is no cursor is refused by name, and any place has one", async () => {
  const { fetch, project, close } = await openAlarms();
  const path = `/platform/v1/alarms/stream?project_id=${project.id}`;
  for (const cursor of ["x", "MQ", "%F0", cursorOf({ ...here, event_id: "e" }) + "!"]) {
    const bad = await fetch(`${path}&last_event_id=${encodeURIComponent(cursor)}`);
    equal(bad.status, 400, cursor);
    deepEqual(flawsOf(await bad.json()), ["last_event_id"]);
  }
  const bad = await fetch(path, { headers: { "last-event-id": "none" } });
  deepEqual(flawsOf(await bad.json()), ["Last-Event-ID"]);
  for (const event_id of ["", "wk-000001", "a b\nc", "\u{1f600} é"]) {
    const place = { ...here, event_id };
    deepEqual(placeOfCursor(cursorOf(place)), place);
    ok(/^[\w-]+$/.test(cursorOf(place)));
  }
  await close();
});

const here = { synced_at: 1_780_000_000_000_001, occurrence_no: 7 } as const;
