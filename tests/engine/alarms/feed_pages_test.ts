// Pages of the feed that are kept: what all their readers hold while they read is bounded.
import { equal } from "node:assert/strict";
import type { FeedSource } from "../../../src/engine/alarms/feed.ts";
import { startAt } from "../../../src/engine/alarms/feed.ts";
import { FeedPages } from "../../../src/engine/alarms/feed_pages.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { arrayOf, type Chunk, type Vector, wordsOf } from "../../../src/model/data/chunk.ts";
import { feed_columns } from "../../../src/store/alarms/feed.ts";

const body = "x".repeat(4_096);

/** So many events, each with a text of 4 KiB. */
function eventsOf(rows: number): Chunk {
  const vectors = Object.entries(feed_columns).map(([name, column]): Vector => {
    const kind = column.replace("?", "");
    if (kind === "text") {
      const text = name === "body" ? body : name === "detail" ? "{}" : "e";
      return { kind: "text", words: wordsOf(Array.from({ length: rows }, () => text)) };
    }
    const fixed = kind === "int32" ? "int32" as const : "int64" as const;
    return { kind: fixed, values: arrayOf(fixed, rows) } as Vector;
  });
  return { rows, vectors };
}

Deno.test("slow readers of the feed together hold no more of its pages than is kept", async () => {
  let reads = 0;
  const chunk = eventsOf(Math.ceil(0.6 * alarm_limits.feed_kept_bytes / body.length));
  const page = () => {
    reads++;
    return Promise.resolve({ chunks: [chunk], next: startAt(1) });
  };
  const pages = new FeedPages({ feed: { page }, users: { version: 0 } });
  const source: FeedSource = { project: { project_no: 1 } as FeedSource["project"], site_no: null };
  const open = (offset: number) => pages.read(source, { after: startAt(0), limit: 1, offset });
  const readAll = async ({ pieces }: Awaited<ReturnType<typeof open>>) => {
    for await (const _ of pieces);
  };
  const readsOf = async (offset: number) => {
    const before = reads;
    await readAll(await open(offset));
    return reads - before;
  };
  const slow = (await open(1)).pieces;
  const most = alarm_limits.feed_kept_bytes / 2;
  for (let bytes = 0; bytes < most;) bytes += (await slow.next()).value!.length;
  equal(await readsOf(2), 1);
  equal(await readsOf(2), 1, "there was no room for this one beside what the other reads");
  for await (const _ of slow);
  equal(await readsOf(1), 0, "the one that came first is kept");
  equal(await readsOf(2), 1);
  equal(await readsOf(2), 0, "there is room again");
  const gone = (await open(3)).pieces;
  for (let bytes = 0; bytes < most;) bytes += (await gone.next()).value!.length;
  await gone.return();
  equal(await readsOf(4), 1);
  equal(await readsOf(4), 0, "who is gone holds nothing");
});
