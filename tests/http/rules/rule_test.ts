// Alarm rules over HTTP: made, changed, listed, removed, refused, and tried on the past.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { head } from "../../help/site_flaw.ts";
import { testService } from "../../help/service.ts";

const file = {
  ...head,
  device_models: [{
    key: "M",
    points: { "Error-17": { label: "Insulation fault", severity: "critical" } },
  }],
  devices: [
    { key: "I1", type: "inverter", device_model: "M" },
    { key: "I2", type: "inverter", device_model: "M" },
  ],
  tags: [{ name: "I1.alarm", encoding: "integer", device_key: "I1" }],
  sensors: [
    { tag: "I1.kw", device: "I1", measure: "active_power", scale: 1000 },
    { tag: "I2.kw", device: "I2", measure: "active_power", scale: 1000 },
  ],
  rules: [{ key: "declared", name: "Declared", kind: "stale", max_age_s: 900, tag: "I1.kw" }],
};

const high = {
  name: "Too much power",
  kind: "threshold",
  operator: ">",
  threshold: 50_000,
  deadband: 5_000,
  measure: "active_power",
  component: "inverter",
};

const base = "/platform/v1/rules";

type Json = Record<string, unknown>;
type Answer = { readonly status: number; readonly data: Json };

async function openService() {
  const service = await testService({ at: "2026-06-01T12:00:00Z" });
  const json = { "content-type": "application/json" };
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = {
      method,
      headers: json,
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const response = await service.fetch(path, init);
    return { status: response.status, data: await response.json() };
  };
  equal((await call("PUT", "/admin/v1/sites/s", file)).status, 200);
  const { id } = service.services.catalog.projects[0];
  const at = (path = "") => `${base}${path}?project_id=${id}&site=s`;
  const put = (key: string, body: unknown) => call("PUT", at(`/${key}`), body);
  return { ...service, call, put, at, id };
}

Deno.test("a change of a rule can demand that it is still what was read", async () => {
  const { fetch, put, at, close } = await openService();
  equal((await put("high", high)).status, 201);
  equal((await put("high", { ...high, threshold: 60_000 })).data.version, 2);
  const change = async (method: string, key: string, version: string) => {
    const response = await fetch(at(`/${key}`), {
      method,
      headers: { "content-type": "application/json", "if-match": version },
      body: method === "PUT" ? JSON.stringify({ ...high, threshold: 70_000 }) : undefined,
    });
    return { status: response.status, data: await response.json() as Json };
  };
  const late = await change("PUT", "high", '"1"');
  equal(late.status, 412);
  match(String(late.data.detail), /version 2: someone changed it/);
  equal((await change("DELETE", "high", '"1"')).status, 412);
  equal((await change("PUT", "other", '"1"')).status, 412);
  equal((await change("PUT", "high", "2")).status, 400);
  equal((await change("PUT", "high", '"2"')).data.version, 3);
  equal((await change("DELETE", "high", '"3"')).status, 200);
  equal((await change("PUT", "high", '"3"')).status, 412);
  await close();
});

Deno.test("a rule is created, changed, the same again, removed, goes on from there", async () => {
  const { put, call, at, services, close } = await openService();
  const created = await put("high", high);
  equal(created.status, 201);
  equal(created.data.result, "created");
  equal(created.data.version, 1);
  equal(created.data.origin, "api");
  equal(created.data.author, "test");
  equal(created.data.tags_watched, 2);
  const again = await put("high", { ...high, key: "high", severity: "medium" });
  equal(again.status, 200);
  equal(again.data.result, "unchanged");
  const changed = await put("high", { ...high, severity: "high" });
  deepEqual([changed.data.result, changed.data.version], ["updated", 2]);
  const listed = await call("GET", at());
  deepEqual((listed.data as unknown as Json[]).map(({ key, origin }) => [key, origin]), [
    ["declared", "site_file"],
    ["high", "api"],
  ]);
  const removed = await call("DELETE", at("/high"));
  equal(removed.status, 200);
  ok(removed.data.valid_to);
  equal((await call("DELETE", at("/high"))).status, 404);
  deepEqual(services.rules.watchpoints.map(({ rule }) => rule.key), ["declared"]);
  const back = await put("high", high);
  deepEqual([back.status, back.data.version], [201, 3]);
  const versions = (await call("GET", at("/high/versions"))).data as unknown as Json[];
  deepEqual(versions.map(({ version }) => version), [3, 2, 1]);
  deepEqual(versions.map(({ valid_to }) => valid_to === null), [true, false, false]);
  equal(versions[1].valid_from, versions[2].valid_to);
  equal((await call("GET", at("/never/versions"))).status, 404);
  deepEqual((await call("PUT", "/admin/v1/sites/s", file)).data.changes, []);
  await close();
});

Deno.test("a band is a rule like others: made, refused, listed and raised by the API", async () => {
  const { put, call, at, fetch, id, close } = await openService();
  const { operator: _, threshold: __, ...place } = high;
  const band = { ...place, kind: "outside", low: -1000, high: 50_000 };
  const wrong = await put("band", { ...band, low: 60_000 });
  equal(wrong.status, 400);
  deepEqual(wrong.data.errors, [{ path: "low", message: "must be less than high" }]);
  equal((await put("band", band)).status, 201);
  const [listed] = (await call("GET", at())).data as unknown as Json[];
  deepEqual([listed.key, (listed.definition as Json).low], ["band", -1000]);
  const sent = await fetch(`/ingest/v1/signals?project_id=${id}`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: '{"tag":"I1.kw","ts":"2026-06-01T11:59:00Z","value":-2}\n' +
      '{"tag":"I2.kw","ts":"2026-06-01T11:59:30Z","value":51}',
  });
  equal(sent.status, 200);
  const alarms = await call("GET", `/platform/v1/alarms?project_id=${id}`);
  const shown = (alarms.data as unknown as Json[]).map((
    it,
  ) => [it.source_tag, it.kind, it.raised_value, it.decoded_labels, it.params]);
  const params = { low: -1000, high: 50_000, deadband: 5000 };
  deepEqual(shown.toSorted(), [
    ["I1.kw", "outside", -2000, ["below"], params],
    ["I2.kw", "outside", 51_000, ["above"], params],
  ]);
  await close();
});

Deno.test("a rule belongs to where it is declared: the other place gets a conflict", async () => {
  const { put, call, at, close } = await openService();
  const refused = await put("declared", high);
  equal(refused.status, 409);
  match(String(refused.data.detail), /site file of s declares.*PUT \/admin\/v1\/sites\/s/);
  equal((await call("DELETE", at("/declared"))).status, 409);
  await put("high", high);
  const twice = { ...file, rules: [{ ...high, key: "high" }] };
  const conflict = await call("PUT", "/admin/v1/sites/s", twice);
  equal(conflict.status, 409);
  deepEqual((conflict.data.errors as Json[]).map(({ path }) => path), ["rules[0].key"]);
  await call("DELETE", at("/high"));
  equal((await call("PUT", "/admin/v1/sites/s", twice)).status, 200);
  const versions = (await call("GET", at("/high/versions"))).data as unknown as Json[];
  deepEqual(versions.map(({ version, origin }) => [version, origin]), [[2, "site_file"], [
    1,
    "api",
  ]]);
  await close();
});

Deno.test("a wrong rule is refused with the path of each flaw", async () => {
  const { put, call, at, services, close } = await openService();
  const flaws = async (body: unknown, key = "r") => {
    const { status, data } = await put(key, body);
    equal(status, 400);
    return (data.errors as Json[]).map(({ path, message }) => `${path}: ${message}`);
  };
  match((await flaws({ ...high, threshold: "nominal * 1.1" }))[0], /^threshold: give a number/);
  match((await flaws({ ...high, measure: "active_powr" }))[0], /^measure: .*meant active_power\?/);
  match((await flaws({ ...high, treshold: 1 }))[0], /^treshold: .*meant threshold\?/);
  match((await flaws({ ...high, mask: 1 }))[0], /^mask: is of another kind/);
  match((await flaws({ ...high, kind: "treshold" }))[0], /^kind: .*meant threshold\?/);
  match((await flaws({ ...high, key: "other" }))[0], /^key: is not the key in the path, r/);
  const tag = { measure: undefined, component: undefined, tag: "I1.kv" };
  match((await flaws({ ...high, ...tag }))[0], /^tag: there is no tag "I1.kv"; meant I1.kw\?/);
  match((await flaws([high]))[0], /^: give an object/);
  match((await flaws({ ...high, kind: undefined }))[0], /^kind: is missing/);
  equal((await call("PUT", at("/r").replace("site=s", "site=t"), high)).status, 400);
  equal(services.rules.watchpoints.length, 1);
  await close();
});

Deno.test("rules need their scopes, and the project", async () => {
  const { services, fetch, at, call, close } = await openService();
  const { token } = await services.access.create({
    name: "reader",
    organization_id: null,
    project_ids: null,
    scopes: ["read"],
    expires_at: null,
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const status = async (method: string, path: string, body?: string) => {
    const response = await fetch(path, { method, headers, body });
    await response.body?.cancel();
    return response.status;
  };
  equal(await status("GET", at()), 200);
  equal(await status("PUT", at("/high"), JSON.stringify(high)), 403);
  equal(await status("DELETE", at("/declared")), 403);
  equal((await call("GET", `${base}?project_id=other`)).status, 403);
  equal((await call("GET", base)).status, 400);
  await close();
});

Deno.test("rules are tried on the past, and nothing is changed", async () => {
  const { services, fetch, call, at, id, close } = await openService();
  const minute = (i: number) => new Date(Date.UTC(2026, 4, 31, 10, i)).toISOString();
  const rows = [
    ...[40, 60, 70, 48, 44, 55].map((value, i) => ({ tag: "I1.kw", ts: minute(i), value })),
    ...[0, 17, 17, 5, 0].map((value_int, i) => ({ tag: "I1.alarm", ts: minute(i), value_int })),
  ];
  const body = rows.map((row) => JSON.stringify(row)).join("\n");
  const headers = { "content-type": "application/x-ndjson" };
  const stored = await fetch(`/ingest/v1/signals?project_id=${id}`, {
    method: "POST",
    headers,
    body,
  });
  equal((await stored.json()).accepted, rows.length);
  const rules = [
    { ...high, key: "high" },
    { key: "points", name: "Points", kind: "enum", points: true, tag: "I1.alarm" },
  ];
  const range = "&from=2026-05-31T10:00:00Z&to=2026-05-31T11:00:00Z";
  const { status, data } = await call("POST", at("/test") + range, { rules });
  equal(status, 200);
  const [first, second] = data.rules as Json[];
  deepEqual([first.raised, first.standing_s, first.tags_watched, first.tags_silent], [
    2,
    180 + 55 * 60,
    2,
    1,
  ]);
  const [tag] = first.tags as Json[];
  deepEqual([tag.source_tag, tag.device_key, tag.standing], ["I1.kw", "I1", true]);
  const [episode] = tag.occurrences as Json[];
  equal(episode.raised_at, "2026-05-31T10:01:00.000000Z");
  equal(episode.cleared_at, "2026-05-31T10:04:00.000000Z");
  deepEqual([episode.raised_value, episode.peak_value, episode.recovered_value], [
    60_000,
    70_000,
    44_000,
  ]);
  const points = (second.tags as Json[])[0].occurrences as Json[];
  deepEqual(points.map(({ decoded_labels, point_key }) => [decoded_labels, point_key]), [
    [["Insulation fault"], "Error-17"],
    [["Error-5"], "Error-5"],
  ]);
  equal(services.rules.watchpoints.length, 1);
  const backwards = range.replace("&to=2026-05-31T11", "&to=2026-05-31T09");
  const wrong = [range.replace("2026-05", "2022-05"), backwards, range.replaceAll("2026", "2027")];
  for (const it of wrong) equal((await call("POST", at("/test") + it, { rules })).status, 400, it);
  const flawed = await call("POST", at("/test") + range, {
    rules: [{ ...rules[0], threshold: "x" }],
  });
  deepEqual((flawed.data.errors as Json[]).map(({ path }) => path), ["rules[0].threshold"]);
  await close();
});

Deno.test("a trial tells what was raised in fact, a rule's end clears what stands", async () => {
  const { services, fetch, call, put, at, id, clock, close } = await openService();
  const bounded = { ...high, on_delay_s: 90, off_delay_s: 60 };
  equal((await put("high", bounded)).status, 201);
  const start_ms = Date.UTC(2026, 5, 1, 8);
  const rows = Array.from({ length: 400 }, (_, i) => ({
    tag: `I${1 + i % 2}.kw`,
    ts: new Date(start_ms + i * 15_000).toISOString(),
    value: 48 + 12 * Math.sin(i / 9) + 3 * Math.sin(i * 7),
  }));
  for (let i = 0; i < rows.length; i += 37) {
    const body = rows.slice(i, i + 37).map((row) => JSON.stringify(row)).join("\n");
    const headers = { "content-type": "application/x-ndjson" };
    const stored = await fetch(`/ingest/v1/signals?project_id=${id}`, {
      method: "POST",
      headers,
      body,
    });
    equal((await stored.json()).rejected_count, 0);
  }
  clock.advance(3_600_000);
  await services.evaluator.settle();
  const range = "&from=2026-06-01T08:00:00Z&to=2026-06-01T12:00:00Z";
  const rules = [{ ...bounded, key: "high" }];
  const { data } = await call("POST", at("/test") + range, { rules });
  const tried = (data.rules as Json[])[0].tags as Json[];
  const figures = ["raised_at", "cleared_at", "source_ts", "raised_value", "peak_value", "peak_at"];
  const told = (it: Json) => [...figures, "recovered_value"].map((name) => it[name]);
  const expected = tried.flatMap(({ occurrences, source_tag }) =>
    (occurrences as Json[]).map((it) => [source_tag, ...told(it)])
  );
  const alarms = await call("GET", `/platform/v1/alarms?project_id=${id}`);
  const raised = (alarms.data as unknown as Json[]).filter(({ kind }) => kind === "threshold");
  const found = raised.map((it) => [it.source_tag, ...told(it)]);
  deepEqual(found.toSorted(), expected.toSorted());
  ok(found.length > 5);
  const standing = raised.filter(({ cleared_at }) => cleared_at === null).length;
  ok(standing > 0, "one is active at the end");
  await call("DELETE", at("/high"));
  const active = `/platform/v1/alarms?project_id=${id}&active=true`;
  const left = (await call("GET", active)).data as unknown as Json[];
  deepEqual(left.filter(({ kind }) => kind === "threshold"), []);
  equal(services.rules.watchpoints.length, 1);
  await close();
});

Deno.test("deviation rules are tried on minutes and what was expected of them", async () => {
  const { fetch, call, at, id, settle, close } = await openService();
  const send = async (lane: string, values: readonly number[]) => {
    const rows = values.map((value, i) => ({
      tag: "I1.kw",
      ts: new Date(Date.UTC(2026, 5, 1, 8, i)).toISOString(),
      value,
    }));
    const body = rows.map((row) => JSON.stringify(row)).join("\n");
    const headers = { "content-type": "application/x-ndjson" };
    const path = `/ingest/v1/signals?project_id=${id}&lane=${lane}`;
    equal((await (await fetch(path, { method: "POST", headers, body })).json()).rejected_count, 0);
  };
  await send("signal", [50, 50, 30, 30, 20, 30, 45, 50, 20, 20]);
  await send("model", Array.from({ length: 8 }, () => 50));
  await settle();
  const weak = {
    ...{ key: "weak", name: "Weak", kind: "deviation", from: "model", limit_pct: 20 },
    ...{ measure: "active_power", component: "inverter", on_delay_s: 120, min_expected: 1000 },
  };
  const range = "&from=2026-06-01T08:00:00Z&to=2026-06-01T08:08:00Z";
  const { status, data } = await call("POST", at("/test") + range, { rules: [weak] });
  equal(status, 200);
  const [rule] = data.rules as Json[];
  deepEqual([rule.raised, rule.tags_watched, rule.tags_silent], [1, 2, 1]);
  const [alarm] = (rule.tags as Json[])[0].occurrences as Json[];
  deepEqual([alarm.raised_at, alarm.cleared_at].map((it) => String(it).slice(11, 19)), [
    "08:04:00",
    "08:06:00",
  ]);
  deepEqual([alarm.raised_value, alarm.peak_value, alarm.recovered_value], [-40, -60, -10]);
  await close();
});

/** Kilowatts of a minute after 8:00: 40 % less from 10:00 to 11:00, silent from 11:30 to 12:15. */
function halting(minute: number): number | null {
  if (minute >= 255) return 0;
  if (minute >= 210) return null;
  return minute >= 120 && minute < 180 ? 30 : 50;
}

Deno.test("a deviation over an hour is judged alike however often a sensor sends", async () => {
  for (const [spacing, raised_value] of [[1, -40 * 31 / 60], [5, -40 * 7 / 12], [15, -30]]) {
    const { fetch, call, at, id, settle, clock, close } = await openService();
    clock.advance(3_600_000);
    const send = async (lane: string, valueOf: (minute: number) => number | null) => {
      const minutes = Array.from({ length: 265 / spacing }, (_, i) => i * spacing);
      const rows = minutes.flatMap((minute) => {
        const ts = new Date(Date.UTC(2026, 5, 1, 8, minute)).toISOString();
        const value = valueOf(minute);
        return value === null ? [] : [JSON.stringify({ tag: "I1.kw", ts, value })];
      });
      const headers = { "content-type": "application/x-ndjson" };
      const path = `/ingest/v1/signals?project_id=${id}&lane=${lane}`;
      const sent = await fetch(path, { method: "POST", headers, body: rows.join("\n") });
      equal((await sent.json()).rejected_count, 0);
    };
    await send("signal", halting);
    await send("model", () => 50);
    await settle();
    const weak = {
      ...{ key: "weak", name: "Weak", kind: "deviation", from: "model", limit_pct: 20 },
      ...{ measure: "active_power", component: "inverter", span_minutes: 60 },
    };
    const range = "&from=2026-06-01T08:00:00Z&to=2026-06-01T12:30:00Z";
    const { data } = await call("POST", at("/test") + range, { rules: [weak] });
    const [rule] = data.rules as Json[];
    equal(rule.raised, 1, `every ${spacing} minutes`);
    const [alarm] = (rule.tags as Json[])[0].occurrences as Json[];
    // Half of the hour up to it is at 40 % less: 20 % is not more than 20 %.
    const cleared = new Date(Date.UTC(2026, 5, 1, 11, 30 - spacing)).toISOString().slice(11, 16);
    deepEqual([alarm.raised_at, alarm.cleared_at].map((it) => String(it).slice(11, 16)), [
      "10:30",
      cleared,
    ]);
    ok(Math.abs(Number(alarm.raised_value) - raised_value) < 1e-9);
    deepEqual([alarm.peak_value, alarm.recovered_value], [-40, -20]);
    await close();
  }
});
