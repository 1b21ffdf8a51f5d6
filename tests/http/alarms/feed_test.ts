// Tests GET /platform/v1/alarms/events: order, watermarks, pages beside writers, printed texts.
import { deepEqual, equal, ok } from "node:assert/strict";
import { concat, textOf } from "../../../src/base/bytes.ts";
import fc from "../../help/costly.ts";
import { AlarmFeed, startAt } from "../../../src/engine/alarms/feed.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { feedAnswer } from "../../../src/engine/alarms/feed_text.ts";
import { encodeJson } from "../../../src/wire/text.ts";
import { eventOf } from "../../help/alarm.ts";
import { countReads, type FeedRow, flawsOf, type Json, openAlarms } from "./alarm_help.ts";
import { runQuery } from "../../help/query.ts";

const keyOf = ({ occurrence_id, event_id }: FeedRow) => `${occurrence_id} ${event_id}`;

Deno.test("events come as they were stored: by time, then occurrence, then event id", async () => {
  const { services: { alarms }, raise, get, close } = await openAlarms();
  const a = await raise({ occurrence_id: "a" });
  const b = await raise({ occurrence_id: "b", site_no: 2 });
  await raise({ occurrence_id: "elsewhere", project_no: 2, site_no: 3 });
  await alarms.write(async (changes) => {
    await changes.load({ nos: [a.occurrence_no, b.occurrence_no] });
    const events = ["é", "z", "Z", "\u{1f600}", "\uffee"].map((event_id) =>
      eventOf("odd", { event_id })
    );
    changes.change(changes.get(b.occurrence_no)!, events);
    changes.change(changes.get(a.occurrence_no)!, [eventOf("noted"), eventOf("noted")]);
  });
  const { data } = await get("/alarms/events");
  deepEqual(data.map(keyOf), [
    "a wk-000001",
    "b wk-000001",
    "a wk-000002",
    "a wk-000003",
    ...["Z", "z", "é", "\uffee", "\u{1f600}"].map((id) => `b ${id}`),
  ]);
  deepEqual((await get("/alarms/events?site=west")).data.length, 6);
  deepEqual((await get("/alarms/events?limit=3&offset=4")).data, data.slice(4, 7));
  deepEqual((await get("/alarms/events?offset=9")).data, []);
  for (const [i, row] of data.entries()) {
    const words = {
      updated_since: row.synced_at,
      after: row.svc_occurrence_ref,
      after_event_id: row.event_id,
    };
    const rest = await get(`/alarms/events?${new URLSearchParams(words)}`);
    deepEqual(rest.data, data.slice(i + 1));
    const since = await get(`/alarms/events?updated_since=${row.synced_at}`);
    deepEqual(since.data, data.filter((it: FeedRow) => it.synced_at >= row.synced_at));
  }
  await close();
});

Deno.test("the parts of a watermark require each other; what is missing is named", async () => {
  const { get, close } = await openAlarms();
  const since = "updated_since=2026-06-01T00:00:00Z";
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["after=occ-000000000001", ["updated_since", "after_event_id"]],
    ["after_event_id=e", ["updated_since", "after"]],
    ["after=occ-000000000001&after_event_id=e", ["updated_since"]],
    [`after=occ-000000000001&${since}`, ["after_event_id"]],
    [`after_event_id=e&${since}`, ["after"]],
    [`after_event_id=e&after=x&${since}`, ["after"]],
    ["limit=0", ["limit"]],
    ["limit=100001", ["limit"]],
    ["offset=-1", ["offset"]],
    ["updated_since=2026-06-01", ["updated_since"]],
    ["site=nowhere", ["site"]],
    ["since=2026-06-01T00:00:00Z", ["since"]],
  ];
  for (const [query, paths] of cases) {
    const { status, data } = await get(`/alarms/events?${query}`);
    equal(status, 400, query);
    deepEqual(flawsOf(data), paths, query);
  }
  const { data, headers } = await get(`/alarms/events?${since}&limit=100000`);
  deepEqual(data, []);
  equal(headers.get("content-type"), "application/json");
  await close();
});

Deno.test("pages of any limit, by links alone, hold each event once beside writers", async () => {
  const { raise, change, pages, get, close } = await openAlarms();
  const raised = [
    await raise({ occurrence_id: "a" }),
    await raise({ occurrence_id: "b", site_no: 2 }),
    await raise({ occurrence_id: "c", project_no: 2, site_no: 3 }),
  ];
  const write = (which: number, count: number) =>
    change(raised[which], {}, Array.from({ length: count }, () => eventOf("commented")));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom("", "&site=west"),
      fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 7 })), { maxLength: 6 }),
      async (limit, site, writes) => {
        const seen: FeedRow[] = [];
        for await (const page of pages<FeedRow>(`/alarms/events?limit=${limit}${site}`)) {
          seen.push(...page);
          const next = writes.pop();
          // The writer does not wait for the reader.
          if (next) void write(...next);
        }
        const last = seen.at(-1)?.synced_at ?? "";
        const { data } = await get(`/alarms/events?limit=100000${site}`);
        deepEqual(seen, data.filter((row: FeedRow) => row.synced_at <= last));
        equal(new Set(seen.map(keyOf)).size, seen.length);
      },
    ),
    { numRuns: 10 },
  );
  await close();
});

Deno.test("any text and detail stands in the feed as in the alarm's timeline", async () => {
  const { raise, get, close } = await openAlarms();
  const text = fc.string({ unit: "binary", minLength: 1 }).filter((it) => it.isWellFormed());
  await fc.assert(
    fc.asyncProperty(
      fc.record({ type: text, kind: text, body: text, external_user_id: text, detail: fc.json() }),
      async ({ detail, ...said }) => {
        const event = eventOf(said.type, { ...said, detail: JSON.parse(detail) });
        const { occurrence_id, synced_at } = await raise({ occurrence_id: `${++count}` }, [event]);
        const { data: feed } = await get(`/alarms/events?updated_since=${instant(synced_at)}`);
        const { data: one } = await get(`/alarms/${occurrence_id}`);
        deepEqual(feed, one.events);
        deepEqual([feed[0].type, feed[0].body], [said.type, said.body]);
        deepEqual(feed[0].detail, JSON.parse(detail));
      },
    ),
    { numRuns: 30 },
  );
  await close();
});
let count = 0;

Deno.test("a user's address shows to the user's own organization only", async () => {
  const { services: { users }, raise, get, close } = await openAlarms();
  const named = (organization: string) =>
    users.create({
      organization,
      email: `x@${organization}.test`,
      first_name: "A",
      last_name: "B",
    });
  const own = await named("org-p");
  const foreign = await named("org-q");
  const events = [own, foreign].map(({ id }, i) =>
    eventOf("noted", { event_id: `${i}`, user_id: id })
  );
  const sent = eventOf("noted", { event_id: "2", user_email: "someone@source.test" });
  await raise({ occurrence_id: "x" }, [...events, sent]);
  const emails = [own.email, null, "someone@source.test"];
  deepEqual((await get("/alarms/events")).data.map((it: Json) => it.user_email), emails);
  const shown = async () => (await get("/alarms/x")).data.events.map((it: Json) => it.user_email);
  deepEqual(await shown(), emails);
  const { email } = await users.change(own.id, {
    email: "y@org-p.test",
    first_name: "A",
    last_name: "B",
  });
  deepEqual(await shown(), [email, ...emails.slice(1)]);
  await close();
});

Deno.test("a full page is read once, and printed again once an address has changed", async () => {
  const { services: { database, users }, raise, get, close } = await openAlarms();
  const name = { first_name: "A", last_name: "B" };
  const { id } = await users.create({ organization: "org-p", email: "x@org-p.test", ...name });
  await raise({ occurrence_id: "a" }, [eventOf("noted", { user_id: id }), eventOf("noted")]);
  await raise({ occurrence_id: "b", site_no: 2 }, [eventOf("noted")]);
  const reads = countReads(database);
  const readsOf = async (query: string) => {
    const { data, headers } = await get(`/alarms/events?${query}`);
    return { data, link: headers.get("link"), reads: reads() };
  };
  const first = await readsOf("limit=2");
  deepEqual([first.data.length, first.reads], [2, 1]);
  deepEqual(await readsOf("limit=2"), { ...first, reads: 0 });
  const others = ["limit=1", "limit=2&offset=1", "limit=2&site=west"];
  const asked = await Promise.all(others.map(readsOf));
  for (const { data } of asked) ok(JSON.stringify(data) !== JSON.stringify(first.data));
  const email = "y@org-p.test";
  await users.change(id, { email, ...name });
  const changed = first.data.map((it: FeedRow, i: number) =>
    i === 0 ? { ...it, user_email: email } : it
  );
  deepEqual(await readsOf("limit=2"), { ...first, data: changed });
  const whole = await readsOf("limit=10");
  await raise({ occurrence_id: "c" }, [eventOf("noted")]);
  equal((await readsOf("limit=10")).data.length, whole.data.length + 1, "more may follow");
  await close();
});

Deno.test("a page of very many events is read part by part and ends where it said", async () => {
  const { services: { database, alarms, users }, project, other, raise, close } =
    await openAlarms();
  await raise({ occurrence_id: "x" });
  await database.write(({ connection, stamp_us }) =>
    runQuery(
      connection,
      "INSERT INTO occurrence_event " +
        "SELECT 2 + i, $at - 30000 + i // 3, 1 + (i % 5 = 0)::INTEGER, " +
        "1 + 2 * (i % 5 = 0)::INTEGER, 1, 'x', 'e' || i, 'noted', 'source', i, NULL, NULL, NULL, " +
        "NULL, NULL FROM range(40000) t(i)",
      { at: stamp_us },
    )
  );
  const feed = await AlarmFeed.open({ database, alarms, users });
  const source = { project, site_no: null };
  const read = async (limit: number, offset: number) => {
    const { chunks, next } = await feed.page(source, { after: startAt(0), limit, offset });
    const pieces = await Array.fromAsync(encodeJson(feedAnswer(chunks)));
    const rows: FeedRow[] = JSON.parse(textOf(concat(pieces)));
    return { rows, next };
  };
  const { rows: all, next } = await read(100_000, 0);
  equal(all.length, 32_001);
  equal(next, undefined);
  const page = await read(25_000, 1_234);
  deepEqual(page.rows, all.slice(1_234, 26_234));
  equal(page.next?.event_id, page.rows.at(-1)!.event_id);
  const rest = await feed.page(source, { after: page.next!, limit: 1, offset: 0 });
  const [first] = await Array.fromAsync(encodeJson(feedAnswer(rest.chunks)));
  ok(textOf(first).includes(all[26_234].event_id));
  const reads = countReads(database);
  const sparse = { project: other, site_no: null };
  const few = await feed.page(sparse, { after: startAt(0), limit: 2_000, offset: 0 });
  const chunks = await Array.fromAsync(few.chunks);
  equal(chunks.reduce((sum, { rows }) => sum + rows, 0), 2_000);
  equal(reads(), 4, "what others lie between is found in two looks, and read in one");
  await close();
});

Deno.test("a page of huge events holds few of them at once, and shows all of each", async () => {
  const { services: { database, alarms, users }, project, raise, close } = await openAlarms();
  await raise({ occurrence_id: "x" });
  // Every seventh is long, and so are the last 300 but for one: 18 MB in all.
  await database.write(({ connection, stamp_us }) =>
    runQuery(
      connection,
      "INSERT INTO occurrence_event " +
        "SELECT 2 + i, $at + i, 1, 1, 1, 'x', 'e' || i, 'noted', 'source', i, 'b' || i, " +
        "NULL, NULL, NULL, json_object('i', i, 'text', repeat('x', CASE " +
        "WHEN i = 450 THEN 5 WHEN i >= 300 OR i % 7 = 0 THEN 60000 ELSE 5 END))::VARCHAR " +
        "FROM range(600) t(i)",
      { at: stamp_us },
    )
  );
  const feed = await AlarmFeed.open({ database, alarms, users });
  const source = { project, site_no: null };
  const { chunks, next } = await feed.page(source, { after: startAt(0), limit: 590, offset: 1 });
  const all = await Array.fromAsync(chunks);
  for (const chunk of all) {
    const bytes = chunk.vectors.reduce(
      (sum, it) => sum + (it.kind === "text" ? it.words.bytes.length : 0),
      0,
    );
    ok(bytes < 1.1 * alarm_limits.feed_long_bytes, `${bytes} bytes of ${chunk.rows} events`);
  }
  ok(all.length < 10, `${all.length} reads, as if each long event had one of its own`);
  const pieces = await Array.fromAsync(encodeJson(feedAnswer(all)));
  type Row = FeedRow & { readonly body: string; readonly detail: { i: number; text: string } };
  const rows: Row[] = JSON.parse(textOf(concat(pieces)));
  deepEqual(
    rows.map(({ event_id, body, detail }) => [event_id, body, detail.i, detail.text.length]),
    Array.from({ length: 590 }, (_, i) => {
      const isShort = i === 450 || i < 300 && i % 7 !== 0;
      return [`e${i}`, `b${i}`, i, isShort ? 5 : 60_000];
    }),
  );
  equal(next?.event_id, "e589");
  await close();
});

function instant(at_us: number): string {
  return `${new Date(at_us / 1000).toISOString().slice(0, -1)}${
    String(at_us % 1000).padStart(3, "0")
  }Z`;
}
