// Flawed counters through HTTP: what a day comes to, what is told of it, and declared resets.
import { deepEqual, equal, match } from "node:assert/strict";
import { counter_limits } from "../../../src/model/counters/limits.ts";
import { reset_table } from "../../../src/store/counters/reset.ts";
import { appendRows } from "../../../src/store/table.ts";
import { type TestService, testService } from "../../help/service.ts";

type Json = Record<string, unknown>;
type Case = {
  readonly name: string;
  readonly values: readonly number[];
  readonly more?: Json;
  readonly kwh: number;
  readonly events: readonly string[];
};

/** Readings of inverters of 1 MW in kWh, one each spacing. */
const cases: readonly Case[] = [
  {
    name: "spike_up",
    values: [110, 112, 4294967295, 116, 118],
    kwh: 8,
    events: ["suspect 4294967295"],
  },
  { name: "glitch_down", values: [110, 112, 3, 116, 118], kwh: 8, events: ["suspect 3"] },
  {
    name: "replaced_higher",
    values: [110, 112, 70000, 70002, 70004],
    kwh: 6,
    events: ["new_track 70000"],
  },
  { name: "replaced_lower", values: [5000, 5002, 2, 4, 6], kwh: 6, events: ["new_track 2"] },
  { name: "to_zero_16", values: [59996, 60000, 0, 2, 4], kwh: 8, events: ["new_track 0"] },
  { name: "to_zero_32", values: [4.1e9 - 4, 4.1e9, 0, 2, 4], kwh: 8, events: ["new_track 0"] },
  {
    name: "zeros_and_return",
    values: [100, 110, 0, 0, 0, 120, 130],
    kwh: 30,
    events: ["suspect 0"],
  },
  { name: "six_digits", values: [999997, 999999, 5, 7, 9], kwh: 6, events: ["new_track 5"] },
  {
    name: "six_digits_declared",
    values: [999997, 999999, 5, 7, 9],
    more: { register_modulus: 1_000_000 },
    kwh: 12,
    events: ["wrap 5"],
  },
  {
    name: "bits_declared",
    values: [65530, 65534, 2, 4],
    more: { register_bits: 16 },
    kwh: 10,
    events: ["wrap 2"],
  },
  { name: "sound", values: [100, 101, 103, 103, 110], kwh: 10, events: [] },
];
const spacings = [1, 5, 15] as const;
const tagged = cases.flatMap((it) => spacings.map((spacing) => ({ ...it, spacing })))
  .map((it) => ({ ...it, tag: `${it.name}_${it.spacing}` }));

const first_ms = Date.parse("2026-06-01T10:00:00Z");

type Sample = { readonly tag: string; readonly ts: string; readonly value: number };

function samplesOf({ tag, values, spacing }: typeof tagged[number]): Sample[] {
  return values.map((value, i) => ({ tag, ts: at(i * spacing), value }));
}

function at(minute: number): string {
  return new Date(first_ms + minute * 60_000).toISOString();
}

async function open(now = "2026-06-01T15:00:00Z", more: Json = {}) {
  const service = await testService({ at: now });
  const counters = Object.groupBy(tagged, ({ tag }) => tag);
  const site = {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key: "p", name: "P", timezone: "UTC" },
    site: { key: "s", name: "S", latitude: 40, longitude: 0 },
    devices: Object.keys(counters).map((key) => ({ key, type: "inverter" })),
    sensors: tagged.map(({ tag, more }) => ({
      ...{ tag, device: tag, measure: "energy", accumulation: "counter" },
      ...{ scale: 1000, capacity: 1e6, ...more },
    })),
  };
  const call = async (method: string, path: string, body?: unknown): Promise<[number, Json]> => {
    const headers = { "content-type": "application/json" };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await service.fetch(path, init);
    return [response.status, await response.json()];
  };
  const apply = (more: Json) => call("PUT", "/admin/v1/sites/s", { ...site, ...more });
  equal((await apply(more))[0], 200);
  const [{ id }] = service.services.catalog.projects;
  const send = async (samples: readonly Sample[]) => {
    const response = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: samples.map((sample) => JSON.stringify(sample)).join("\n"),
    });
    equal(response.status, 200, await response.text());
  };
  const list = async (more = "") => {
    const [status, rows] = await call(
      "GET",
      `/platform/v1/counters/resets?project_id=${id}${more}`,
    );
    equal(status, 200);
    return rows as unknown as Json[];
  };
  return { ...service, id, call, apply, send, list };
}

/** What each tag counted on the day, in kWh. */
async function energies(
  { fetch, services, id }: Pick<TestService, "fetch" | "services"> & { readonly id: string },
): Promise<Map<string, number>> {
  const query = new URLSearchParams({
    ...{ project_ids: id, dt_start: "2026-06-01", dt_end: "2026-06-01", format: "json" },
    ...{ time_interval: "OneDay", component: "inverter", component_measure: "energy" },
    ...{ group_by: "hierarchy_id", use_solar_bounds: "false" },
  });
  const rows: Json[] = await (await fetch(`/platform/v1/performance-v2?${query}`)).json();
  const { catalog } = services;
  const tags = new Map(
    catalog.sensors.map((it) => [it.hierarchy_id, catalog.tag(it.tag_no)!.sensor_tag]),
  );
  return new Map(
    rows.map((
      row,
    ) => [tags.get(String(row.hierarchy_id))!, Math.round(Number(row.sensor_value)) / 1000]),
  );
}

async function assertCases(service: Awaited<ReturnType<typeof open>>): Promise<void> {
  const found = await energies(service);
  const events = Map.groupBy(await service.list(), ({ sensor_tag }) => String(sensor_tag));
  for (const { tag, kwh, events: told } of tagged) {
    equal(found.get(tag), kwh, tag);
    deepEqual((events.get(tag) ?? []).map(({ kind, value }) => `${kind} ${value}`), told, tag);
  }
}

Deno.test("flawed counters count what is possible, in one import", async () => {
  const service = await open();
  await service.send(tagged.flatMap(samplesOf));
  await service.settle();
  await assertCases(service);
  const text = await (await service.fetch("/metrics")).text();
  match(text, /wattkeeper_counter_events{of="wrap"} 6/);
  match(text, /wattkeeper_counter_events{of="new_track"} 15/);
  await service.close();
});

Deno.test("flawed counters count the same late and out of order", async () => {
  const service = await open();
  const all = tagged.flatMap(samplesOf);
  for (const part of [3, 1, 4, 0, 2]) {
    await service.send(all.filter((_, i) => i % 5 === part).reverse());
    await service.settle();
  }
  await assertCases(service);
  await service.close();
});

Deno.test("flawed counters count the same live", async () => {
  const service = await open("2026-06-01T09:59:30Z");
  const by_minute = Map.groupBy(tagged.flatMap(samplesOf), ({ ts }) => ts);
  let now = -0.5;
  const minutes = Array.from({ length: 7 }, (_, i) => spacings.map((it) => i * it)).flat();
  for (const minute of [...new Set(minutes), 120].sort((a, b) => a - b)) {
    service.clock.advance((minute + 0.5 - now) * 60_000);
    now = minute + 0.5;
    const due = by_minute.get(at(minute));
    if (due) await service.send(due);
    await service.settle();
  }
  await assertCases(service);
  await service.close();
});

Deno.test("an event has its readings, and lists have filters and pages", async () => {
  const service = await open();
  await service.send(tagged.flatMap(samplesOf));
  await service.settle();
  const sensor = service.services.catalog.sensors.find(({ tag_no }) =>
    service.services.catalog.tag(tag_no)!.sensor_tag === "spike_up_5"
  )!;
  deepEqual(await service.list(`&hierarchy_id=${sensor.hierarchy_id}`), [{
    kind: "suspect",
    hierarchy_id: sensor.hierarchy_id,
    sensor_tag: "spike_up_5",
    ts: "2026-06-01T10:10:00.000000Z",
    value: 4294967295,
    before_ts: "2026-06-01T10:05:00.000000Z",
    before_value: 112,
    readings: 1,
    counted: null,
    most: 125,
    reset_id: null,
    reset_at: null,
    last_value: null,
    first_value: null,
    author: null,
    applied: null,
    fit: null,
  }]);
  const all = await service.list();
  equal(all.length, 30);
  deepEqual(all.map(({ ts }) => ts), all.map(({ ts }) => ts).sort());
  const wraps = await service.list("&kind=wrap");
  deepEqual(wraps, all.filter(({ kind }) => kind === "wrap"));
  deepEqual(await service.list("&kind=wrap&limit=2&offset=1"), wraps.slice(1, 3));
  equal((await service.list("&kind=wrap&kind=suspect")).length, 15);
  const range = "&from=2026-06-01T10:10:00Z&to=2026-06-01T10:30:00Z";
  deepEqual(
    await service.list(range),
    all.filter(({ ts }) => String(ts) >= "2026-06-01T10:10" && String(ts) < "2026-06-01T10:30"),
  );
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  equal((await service.call("GET", `${path}&kind=none`))[0], 400);
  equal(
    (await service.call("GET", `${path}&from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z`))[0],
    400,
  );
  await service.close();
});

Deno.test("a declared reset settles its step, is listed, and can be taken back", async () => {
  const service = await open();
  await service.send(tagged.filter(({ name }) => name === "replaced_lower").flatMap(samplesOf));
  await service.settle();
  equal((await energies(service)).get("replaced_lower_5"), 6);
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const reset = { tag: "replaced_lower_5", at: at(8), last_value: 5003, first_value: 1 };
  const [status, made] = await service.call("POST", path, reset);
  equal(status, 201);
  const { reset_id, ...shown } = made;
  deepEqual(shown, {
    sensor_tag: "replaced_lower_5",
    at: "2026-06-01T10:08:00.000000Z",
    last_value: 5003,
    first_value: 1,
    author: "test",
    before_ts: "2026-06-01T10:05:00.000000Z",
    before_value: 5002,
    ts: "2026-06-01T10:10:00.000000Z",
    value: 2,
    fit: "fits",
  });
  await service.settle();
  // 5002 to 5003, then 1 to 2.
  equal((await energies(service)).get("replaced_lower_5"), 8);
  const rows = (await service.list()).filter((row) => row.sensor_tag === "replaced_lower_5");
  deepEqual(
    rows.map((
      { kind, before_value, value, counted, reset_id, reset_at, author, applied, fit },
    ) => [kind, before_value, value, counted, reset_id, reset_at, author, applied, fit]),
    [["reset", 5002, 2, 2, reset_id, "2026-06-01T10:08:00.000000Z", "test", true, "fits"]],
  );
  equal((await service.call("POST", path, reset))[0], 409);
  const one = `/platform/v1/counters/resets/${reset_id}?project_id=${service.id}`;
  deepEqual(await service.call("DELETE", one), [200, made]);
  equal((await service.call("DELETE", one))[0], 404);
  await service.settle();
  equal((await energies(service)).get("replaced_lower_5"), 6);
  deepEqual(
    (await service.list()).map(({ kind }) => kind),
    ["new_track", "new_track", "new_track"],
  );
  await service.close();
});

Deno.test("a wrong reset is refused with its flaws, and who may not declare one", async () => {
  const service = await open();
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const reset = { tag: "sound_1", at: at(1), last_value: 1, first_value: 0 };
  const flawOf = async (more: Json) => {
    const [status, { errors }] = await service.call("POST", path, { ...reset, ...more });
    equal(status, 400);
    return (errors as { path: string }[]).map(({ path }) => path);
  };
  deepEqual(await flawOf({ tag: "no such" }), ["tag"]);
  deepEqual(await flawOf({ at: "2026-06-01" }), ["at"]);
  deepEqual(await flawOf({ at: "2026-02-30T10:00:00Z" }), ["at"]);
  deepEqual(await flawOf({ last_value: "1" }), ["last_value"]);
  const { token } = await service.services.access.create({
    ...{ name: "reader", organization_id: null, project_ids: null, expires_at: null },
    scopes: ["read", "operate"],
  });
  const refused = await service.fetch(path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(reset),
  });
  equal(refused.status, 403);
  await refused.body?.cancel();
  await service.close();
});

Deno.test("a site file declares resets, shows them and takes them back", async () => {
  const service = await open();
  await service.send(tagged.filter(({ name }) => name === "replaced_higher").flatMap(samplesOf));
  await service.settle();
  const resets = [{
    tag: "replaced_higher_15",
    at: "2026-06-01T10:20:00.000000Z",
    last_value: 113,
    first_value: 69_999,
  }];
  const [status, { changes }] = await service.apply({ counter_resets: resets });
  equal(status, 200);
  deepEqual(changes, [{
    action: "create",
    kind: "counter_reset",
    key: "replaced_higher_15 2026-06-01T10:20:00.000000Z",
    fields: [],
    history: true,
  }]);
  await service.settle();
  equal((await energies(service)).get("replaced_higher_15"), 8);
  const [row] = await service.list("&kind=reset");
  deepEqual([row.counted, row.author, row.last_value], [2, null, 113]);
  const [, shown] = await service.call("GET", "/admin/v1/sites/s");
  deepEqual(shown.counter_resets, resets);
  deepEqual((await service.apply({ counter_resets: resets }))[1].changes, []);
  const one = `/platform/v1/counters/resets/${row.reset_id}?project_id=${service.id}`;
  equal((await service.call("DELETE", one))[0], 409);
  equal((await service.apply({ counter_resets: [] }))[0], 200);
  await service.settle();
  equal((await energies(service)).get("replaced_higher_15"), 6);
  deepEqual(await service.list("&kind=reset"), []);
  const wrong = [...resets, resets[0], { ...resets[0], tag: "replaced_higher" }];
  const [code, { errors }] = await service.apply({ counter_resets: wrong });
  equal(code, 400);
  deepEqual(
    (errors as { path: string }[]).map(({ path }) => path),
    ["counter_resets[1].at", "counter_resets[2].tag"],
  );
  await service.close();
});

/** A reset of replaced_lower (5000, 5002 | 2, 4, 6 kWh) at each spacing, some time after 5002. */
const misfits = [
  // Twice the rated power of 1 MW, or more: 1.5 MW are possible.
  { last_value: 5002 + 4000, first_value: 0, told: "fits", fit: "impossible", applied: false },
  { last_value: 5001, first_value: 1, told: "last_value_low", applied: true },
  { last_value: 5003, first_value: 3, told: "first_value_high", applied: true },
  { last_value: 5002, first_value: 2, told: "fits", applied: true },
] as const;

for (const spacing of spacings) {
  Deno.test(`a reset says how it fits the readings around it, each ${spacing} min`, async () => {
    const service = await open();
    const tag = `replaced_lower_${spacing}`;
    await service.send(tagged.filter((it) => it.tag === tag).flatMap(samplesOf));
    await service.settle();
    const path = `/platform/v1/counters/resets?project_id=${service.id}`;
    for (const { told, applied, ...reset } of misfits) {
      const fit = "fit" in reset ? reset.fit : told;
      const { last_value, first_value } = reset;
      const asked = { tag, at: at(1.5 * spacing), last_value, first_value };
      const [status, made] = await service.call("POST", path, asked);
      deepEqual([status, made.before_value, made.value, made.fit], [201, 5002, 2, told]);
      await service.settle();
      const [row] = await service.list("&kind=reset");
      deepEqual(
        [row.before_value, row.value, row.ts, row.applied, row.fit],
        [5002, 2, made.ts, applied, fit],
      );
      equal(
        (await energies(service)).get(tag),
        6 + Number(applied) * (last_value - 5000 - first_value),
      );
      const one = `/platform/v1/counters/resets/${made.reset_id}?project_id=${service.id}`;
      deepEqual(await service.call("DELETE", one), [200, made]);
    }
    for (const [minute, beside] of [[-1, [null, 5000]], [5 * spacing, [6, null]]] as const) {
      const asked = { tag, at: at(minute), last_value: 9, first_value: 0 };
      const [, made] = await service.call("POST", path, asked);
      deepEqual([made.before_value, made.value, made.fit], [...beside, "no_reading"]);
    }
    await service.settle();
    const rows = await service.list("&kind=reset");
    deepEqual(rows.map(({ applied, fit }) => [applied, fit]), [
      [false, "no_reading"],
      [false, "no_reading"],
    ]);
    await service.close();
  });
}

Deno.test("one counter and instant has one reset, of a request or of the site file", async () => {
  const service = await open();
  await service.send(tagged.filter(({ name }) => name === "replaced_lower").flatMap(samplesOf));
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const reset = { tag: "replaced_lower_5", at: at(8), last_value: 5003, first_value: 1 };
  const [, made] = await service.call("POST", path, reset);
  const other = { counter_resets: [{ ...reset, first_value: 0 }] };
  const [status, { errors }] = await service.apply(other);
  equal(status, 409);
  deepEqual((errors as Json[]).map(({ path }) => path), ["counter_resets[0]"]);
  const [code, { changes }] = await service.apply({ counter_resets: [reset] });
  equal(code, 200);
  deepEqual(changes, [{
    action: "update",
    kind: "counter_reset",
    key: "replaced_lower_5 2026-06-01T10:08:00.000000Z",
    fields: ["site_no", "author"],
    history: false,
  }]);
  await service.settle();
  const [row, ...more] = await service.list("&kind=reset");
  deepEqual([row.reset_id, row.author, row.applied, more], [made.reset_id, null, true, []]);
  equal((await energies(service)).get("replaced_lower_5"), 8);
  const [refused, { detail }] = await service.call("POST", path, { ...reset, at: at(8) });
  equal(refused, 409);
  match(String(detail), /a site file declares/);
  // Now it is the file's: it changes and goes with it.
  equal((await service.apply(other))[0], 200);
  equal((await service.apply({}))[0], 200);
  deepEqual(await service.list("&kind=reset"), []);
  await service.close();
});

Deno.test("a counter and a project have so many resets of requests, and no more", async () => {
  const service = await open();
  const { catalog, database } = service.services;
  const { project_no } = catalog.projects[0];
  const tag_nos = catalog.tags.map(({ tag_no }) => tag_no);
  const { resets_per_counter, resets_per_project } = counter_limits;
  const first_us = Date.parse(at(0)) * 1000;
  const fill = (tags: readonly number[]) =>
    database.write(({ connection }) =>
      appendRows(
        connection,
        reset_table,
        tags.flatMap((tag_no) =>
          Array.from({ length: resets_per_counter }, (_, i) => ({
            ...{ id: `r${tag_no}_${i}`, project_no, site_no: null, tag_no, author: "test" },
            ...{ at_us: first_us + i * 1_000_000, last_value: 1, first_value: 0 },
          }))
        ),
      )
    );
  const path = `/platform/v1/counters/resets?project_id=${service.id}`;
  const post = async (tag_no: number) => {
    const { sensor_tag: tag } = catalog.tag(tag_no)!;
    const asked = { tag, at: "2026-06-02T00:00:00Z", last_value: 1, first_value: 0 };
    const [status, { detail }] = await service.call("POST", path, asked);
    return `${status} ${detail ?? ""}`;
  };
  await fill(tag_nos.slice(0, 1));
  equal(await post(tag_nos[0]), "409 the counter has 1000 declared resets already");
  equal(await post(tag_nos[1]), "201 ");
  await fill(tag_nos.slice(1, resets_per_project / resets_per_counter));
  equal(await post(tag_nos[12]), "409 the project has 10000 declared resets already");
  await service.close();
});
