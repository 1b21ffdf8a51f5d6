// Tests GET /platform/v1/alarms and /{occurrence_id}: fields, timelines, filters, pages.
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { alarm_limits } from "../../../src/model/alarms/limits.ts";
import { event_columns, occurrence_columns } from "../../../src/model/alarms/shape.ts";
import { eventOf, minute_us, noon_us } from "../../help/alarm.ts";
import { countReads, flawsOf, type Json, openAlarms } from "./alarm_help.ts";

Deno.test("an alarm has every field, with null where there is nothing to say", async () => {
  const { raise, get, project, close } = await openAlarms();
  await raise({ occurrence_id: "plain/1" });
  const { data } = await get("/alarms/plain%2F1");
  deepEqual(data, {
    occurrence_id: "plain/1",
    svc_occurrence_ref: "occ-000000000001",
    source: "scada",
    organization_id: project.organization_id,
    project_id: project.id,
    site: "east",
    rule_name: "Temperature high",
    rule_version: null,
    kind: "threshold",
    severity: "high",
    status: "open",
    resolution_policy: "auto",
    resolution: null,
    raised_at: "2026-06-01T12:00:00.000000Z",
    source_ts: null,
    updated_at: "2026-06-01T12:00:00.000000Z",
    synced_at: data.synced_at,
    cleared_at: null,
    raised_value: 81.5,
    last_value: null,
    peak_value: null,
    peak_at: null,
    recovered_value: null,
    source_tag: "INV-1/Temp",
    measure: null,
    rule_description: null,
    decoded_labels: [],
    point_key: null,
    alarm_class: null,
    is_nerc: false,
    device_id: null,
    device_name: null,
    device_type: null,
    parent_device_id: null,
    events: [{
      event_id: "wk-000001",
      occurrence_id: "plain/1",
      svc_occurrence_ref: "occ-000000000001",
      type: "raised",
      kind: "lifecycle",
      created_at: "2026-06-01T12:00:00.000000Z",
      synced_at: data.synced_at,
      body: null,
      user_id: null,
      user_email: null,
      external_user_id: null,
      detail: null,
    }],
    events_total: 1,
    events_truncated: false,
  });
  await close();
});

Deno.test("where an alarm is judged is told where it is asked for, alone", async () => {
  const { raise, get, fetch, project, close } = await openAlarms();
  await raise({ occurrence_id: "x" });
  const { data: { judged_at, gateway, ...rest } } = await get("/alarms/x?include=judged");
  deepEqual([judged_at, gateway], ["here", null]);
  deepEqual(rest, (await get("/alarms/x")).data);
  const { data: [listed] } = await get("/alarms?include=judged");
  deepEqual(listed, { ...rest, judged_at, gateway });
  const names = async (query: string) => {
    const asked = `/platform/v1/alarms?project_id=${project.id}&format=csv${query}`;
    return (await (await fetch(asked)).text()).split("\r\n")[0];
  };
  equal(await names("&include=judged"), `${await names("")},judged_at,gateway`);
  await close();
});

Deno.test("the fields of an alarm are those of its columns, once each", async () => {
  const { raise, get, close } = await openAlarms();
  const limit = { operator: ">", threshold: 80 };
  await raise({ occurrence_id: "x", params: JSON.stringify(limit), decoded_labels: ["a", "b"] });
  const { data } = await get("/alarms/x");
  deepEqual(Object.keys(data), occurrence_columns.map(({ name }) => name));
  deepEqual(Object.keys(data.events[0]), event_columns.map(({ name }) => name));
  deepEqual(data.params, limit);
  deepEqual(data.decoded_labels, ["a", "b"]);
  const [listed] = (await get("/alarms")).data;
  deepEqual(listed, data);
  await close();
});

Deno.test("the words of a device are the plant's", async () => {
  const { raise, get, services: { catalog, database }, close } = await openAlarms();
  const inverter = catalog.devices.find(({ key }) => key === "east-inv")!;
  await raise({ occurrence_id: "x", device_id: inverter.id });
  const { data } = await get("/alarms/x");
  deepEqual(
    [data.device_id, data.device_name, data.device_type, data.parent_device_id],
    [inverter.id, "Inverter 1", "inverter", inverter.parent_device_id],
  );
  await database.write(({ connection }) => connection.script("UPDATE device SET name = 'Roof'"));
  await catalog.reload();
  equal((await get("/alarms/x")).data.device_name, "Roof");
  await close();
});

Deno.test("an alarm's own page has its whole timeline, a list the newest 50 events", async () => {
  const { raise, change, get, close } = await openAlarms();
  const raised = await raise({ occurrence_id: "x" });
  const comments = Array.from(
    { length: 60 },
    (_, i) => eventOf("commented", { created_at: noon_us + (i + 1) * minute_us, body: `${i}` }),
  );
  await change(raised, {}, comments);
  const { data: one } = await get("/alarms/x");
  equal(one.events.length, 61);
  deepEqual([one.events_total, one.events_truncated], [61, false]);
  const [listed] = (await get("/alarms")).data;
  deepEqual(listed, {
    ...one,
    events: one.events.slice(-alarm_limits.events_shown),
    events_truncated: true,
  });
  await close();
});

Deno.test("an alarm that the project has not is not found", async () => {
  const { raise, get, fetch, other, close } = await openAlarms();
  await raise({ occurrence_id: "x", project_no: 2, site_no: 3 });
  equal((await get("/alarms/x")).status, 404);
  equal((await get("/alarms/none")).status, 404);
  equal((await fetch(`/platform/v1/alarms/x?project_id=${other.id}`)).status, 200);
  equal((await fetch("/platform/v1/alarms/x?project_id=none")).status, 403);
  equal((await fetch("/platform/v1/alarms/x")).status, 400);
  await close();
});

Deno.test("an alarm that is read again and again is as it was last stored", async () => {
  const { raise, change, get, fetch, project, services: { alarm_reads }, close } =
    await openAlarms();
  equal((await get("/alarms/x")).status, 404);
  const raised = await raise({ occurrence_id: "x" });
  const readers: Promise<unknown>[] = [];
  for (let last_value = 1; last_value <= 20; last_value++) {
    readers.push(get("/alarms/x"), alarm_reads.print(project, "x"));
    await change(raised, { last_value });
    const { data } = await get("/alarms/x");
    deepEqual([data.last_value, data.events.length], [last_value, last_value + 1]);
    deepEqual((await get("/alarms/x")).data, data);
  }
  const newest = await alarm_reads.one(project, "x", { newest: 2 });
  deepEqual(newest?.events.map(({ event_id }) => event_id), ["wk-000020", "wk-000021"]);
  equal(newest?.events_truncated, true);
  await Promise.all(readers);
  const answer = await fetch(`/platform/v1/alarms/x?project_id=${project.id}`, { method: "HEAD" });
  equal(answer.status, 200);
  await close();
});

Deno.test("a list that is read again shows what was stored since, long texts whole", async () => {
  const { raise, change, get, services: { database }, close } = await openAlarms();
  const raised = [];
  for (const occurrence_id of ["a", "b", "c"]) raised.push(await raise({ occurrence_id }));
  const body = "x".repeat(alarm_limits.listed_text_length);
  await change(raised[2], {}, [eventOf("commented", { body }), eventOf("commented", { body })]);
  const reads = countReads(database);
  const readsOf = async (query: string) => {
    const { data } = await get(`/alarms?${query}`);
    return { data, reads: reads() };
  };
  const short = await readsOf("limit=2");
  deepEqual(short.reads, 2, "the list, and the events");
  deepEqual(await readsOf("limit=2"), { ...short, reads: 1 });
  const all = await readsOf("");
  deepEqual(all.data[2].events.map((it: Json) => it.body), [null, body, body]);
  deepEqual(await readsOf("sort=priority"), {
    data: all.data.toReversed(),
    reads: 2,
  }, "long texts are read again");
  await change(raised[0], { last_value: 7 });
  const { data } = await readsOf("");
  deepEqual(data.map((it: Json) => it.occurrence_id), ["b", "c", "a"]);
  deepEqual([data[2].last_value, data[2].events_total], [7, 2]);
  deepEqual(data.slice(0, 2), all.data.slice(1));
  await close();
});

Deno.test("an active alarm of a rule shows its tag's newest value and its peak", async () => {
  const { fetch, project, get, clock, close } = await openAlarms();
  const call = async (path: string, method: string, body: object) => {
    const response = await fetch(path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    equal(response.ok, true, text);
  };
  const send = (value: number) => {
    clock.now_us += 1_000_000;
    const row = { tag: "east-inv/temp", ts: new Date(clock.now_us / 1000).toISOString(), value };
    return call(`/ingest/v1/signals?project_id=${project.id}`, "POST", [row]);
  };
  await send(20);
  await call(`/platform/v1/rules/hot?project_id=${project.id}&site=east`, "PUT", {
    name: "Hot",
    kind: "threshold",
    operator: ">",
    threshold: 80,
    tag: "east-inv/temp",
    resolution_policy: "manual",
  });
  for (const [value, peak] of [[90, 90], [95, 95], [85, 95]]) {
    await send(value);
    const [listed] = (await get("/alarms")).data;
    const { last_value, peak_value, cleared_at } = listed;
    deepEqual([last_value, peak_value, cleared_at], [value, peak, null]);
    deepEqual((await get(`/alarms/${listed.occurrence_id}`)).data, listed);
  }
  await send(70);
  const [{ peak_value, recovered_value, cleared_at }] = (await get("/alarms")).data;
  deepEqual([peak_value, recovered_value, cleared_at !== null], [95, 70, true]);
  await send(85);
  const [reraised] = (await get("/alarms")).data;
  deepEqual([reraised.cleared_at, reraised.last_value, reraised.peak_value], [null, 85, 95]);
  await close();
});

Deno.test("each filter of the list keeps what passes it, several of a kind any", async () => {
  const { raise, get, close } = await openAlarms();
  await raise({ occurrence_id: "a", severity: "high", kind: "stale", device_id: "d1" });
  await raise({ occurrence_id: "b", severity: "low", alarm_class: "comms", cleared_at: noon_us });
  await raise({ occurrence_id: "c", severity: "odd", status: "claimed", site_no: 2 });
  await raise({ occurrence_id: "d", project_no: 2, site_no: 3 });
  const cases: Readonly<Record<string, string>> = {
    "": "abc",
    "severity=low&severity=odd": "bc",
    "kind=stale": "a",
    "alarm_class=comms": "b",
    "device_id=d1&device_id=d2": "a",
    "status=claimed": "c",
    "status=open&severity=low": "b",
    "active=true": "ac",
    "active=false": "b",
    "from=2026-06-01T12:00:00Z": "ac",
    "from=2026-06-01T11:59:59Z": "abc",
    "to=2026-06-01T12:00:00Z": "",
    "to=2026-06-01T12:00:01Z": "abc",
    "site=west": "c",
    "site=east&active=true": "a",
    "severity=none": "",
    "limit=1&offset=1": "b",
  };
  for (const [query, ids] of Object.entries(cases)) {
    const { data } = await get(`/alarms?${query}`);
    equal(data.map((it: Json) => it.occurrence_id).join(""), ids, query);
  }
  await close();
});

Deno.test("wrong filters are refused by name", async () => {
  const { get, close } = await openAlarms();
  const cases: Readonly<Record<string, string>> = {
    "status=opened": "status",
    "site=wets": "site",
    "after=occ-000000000001": "updated_since",
    "after=1&updated_since=2026-06-01T00:00:00Z": "after",
    "updated_since=2026-06-01T00:00:00": "updated_since",
    "limit=10001": "limit",
    "limit=0": "limit",
    "offset=-1": "offset",
    "active=yes": "active",
    "severities=low": "severities",
  };
  for (const [query, path] of Object.entries(cases)) {
    const { status, data } = await get(`/alarms?${query}`);
    equal(status, 400, query);
    deepEqual(flawsOf(data), [path], query);
  }
  await close();
});

Deno.test("pages of any limit, by their links alone, hold each alarm as it is last", async () => {
  const { raise, change, pages, get, close } = await openAlarms();
  for (let i = 0; i < 12; i++) await raise({ occurrence_id: `${i}`, site_no: 1 + i % 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.nat(11), { minLength: 1, maxLength: 15 }),
      async (limit, changes) => {
        const seen = new Map<unknown, Json>();
        const stored: string[] = [];
        for await (const page of pages<Json>(`/alarms?limit=${limit}`)) {
          ok(page.length <= limit);
          for (const row of page) seen.set(row.occurrence_id, row);
          stored.push(...page.map(({ synced_at }) => String(synced_at)));
          const next = changes.pop();
          if (next !== undefined) await change({ occurrence_no: next + 1 }, { last_value: next });
        }
        deepEqual(stored, stored.toSorted());
        equal(seen.size, 12);
        // What changed after the last page was read comes when the reader resumes from there.
        const { data } = await get("/alarms");
        const settled = data.filter((row: Json) => String(row.synced_at) <= stored.at(-1)!);
        for (const row of settled) deepEqual(seen.get(row.occurrence_id), row);
      },
    ),
    { numRuns: 8 },
  );
  await close();
});
