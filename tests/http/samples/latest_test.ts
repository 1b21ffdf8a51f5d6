// Tests GET /platform/v1/signals/latest and /signals/stream: newest values, alarms and work.
import { deepEqual, equal, ok } from "node:assert/strict";
import { eventOf } from "../../help/alarm.ts";
import { work_limits } from "../../../src/model/work/limits.ts";
import { openAlarms } from "../alarms/alarm_help.ts";
import { Dice } from "../../../src/base/random.ts";
import { LatestValues } from "../../../src/engine/samples/latest.ts";
import { LatestReader } from "../../../src/engine/signals/latest.ts";
import type { Project } from "../../../src/model/plant/plant.ts";
import { sample_limits } from "../../../src/model/samples/limits.ts";
import { sendJson } from "../../../src/http/frame/answer.ts";
import { request_limits } from "../../../src/http/frame/limits.ts";
import { fakeEffects } from "../../help/effects.ts";

type Row = {
  readonly sensor_tag: string;
  readonly hierarchy_id: string | null;
  readonly ts: string;
  readonly value: number | string | null;
  readonly quality: string | null;
  readonly age_s: number;
};

type Frame = { readonly id: string; readonly event: string; readonly data: string };

/** The projects of alarms, where one site's inverter has a sensor of power in kW. */
async function opened() {
  const service = await openAlarms();
  const { fetch, project, clock } = service;
  const putSensors = async (...sensors: readonly object[]) => {
    const put = await fetch("/admin/v1/sites/east", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        version: 1,
        organization: { key: "org-p", name: "O" },
        project: { key: "p", name: "P", timezone: "UTC" },
        site: { key: "east", name: "S", latitude: 40, longitude: -3 },
        devices: [
          { key: "east-plant", name: "Plant", type: "system" },
          { key: "east-inv", name: "Inverter 1", type: "inverter", parent: "east-plant" },
        ],
        sensors: sensors.map((sensor) => ({ device: "east-inv", ...sensor })),
      }),
    });
    equal(put.status, 200, await put.text());
  };
  await putSensors({ tag: "p", measure: "active_power", scale: 1000 });
  const send = async (...rows: object[]) => {
    const answer = await fetch(`/ingest/v1/signals?project_id=${project.id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: rows.map((row) => JSON.stringify(row)).join("\n"),
    });
    equal(answer.status, 200);
    deepEqual((await answer.json()).rejected, []);
  };
  const latest = async (more = ""): Promise<readonly Row[]> => {
    const answer = await fetch(`/platform/v1/signals/latest?project_id=${project.id}${more}`);
    equal(answer.status, 200);
    return (await answer.json()).values;
  };
  const readers: ReadableStreamDefaultReader<string>[] = [];
  const open = async (more = "", headers: HeadersInit = {}) => {
    const path = `/platform/v1/signals/stream?project_id=${project.id}${more}`;
    const answer = await fetch(path, { headers });
    equal(answer.headers.get("content-type"), "text/event-stream");
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    readers.push(reader);
    return framesOf(reader);
  };
  return {
    ...{ ...service, putSensors, send, latest, open, clock },
    turn: () => service.services.database.read((connection) => connection.script("SELECT 1")),
    async close() {
      for (const reader of readers) await reader.cancel();
      await service.close();
    },
  };
}

/** The next frame at each call; undefined at the end. */
function framesOf(reader: ReadableStreamDefaultReader<string>) {
  let text = "";
  return async (): Promise<Frame | undefined> => {
    while (!text.includes("\n\n")) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += value;
    }
    const end = text.indexOf("\n\n");
    const lines = text.slice(0, end).split("\n").map((line) => line.split(/: (.*)/s));
    text = text.slice(end + 2);
    return Object.fromEntries(lines.map(([name, said]) => [name || "event", said])) as Frame;
  };
}

const at = (clock: string) => `2026-06-01T${clock}Z`;

Deno.test("a header names the tags of a request for newest values that do not exist", async () => {
  const { fetch, project, close } = await opened();
  const namesOf = async (query: string) => {
    const answer = await fetch(`/platform/v1/signals/latest?project_id=${project.id}${query}`);
    equal(answer.status, 200, await answer.text());
    return answer.headers.get("x-svc-unknown-tags");
  };
  equal(await namesOf(""), null);
  equal(await namesOf("&sensor_tag=p"), null);
  equal(await namesOf("&sensor_tag=p&sensor_tag=P&sensor_tag=%C3%9C"), "P,%C3%9C");
  await close();
});

Deno.test("the newest sample of each tag is told, and a late one never replaces it", async () => {
  const { send, latest, services: { catalog }, close } = await opened();
  deepEqual(await latest(), []);
  await send(
    { tag: "p", ts: at("12:00:00"), value: 5 },
    { tag: "p", ts: at("12:00:20"), value: 7.5 },
    { tag: "word", ts: at("12:00:10"), value: "on" },
    { tag: "gone", ts: at("12:00:10"), quality: "bad" },
  );
  await send({ tag: "p", ts: at("11:59:00"), value: 1 });
  const [gone, power, word] = await latest();
  deepEqual([gone.sensor_tag, gone.value, gone.quality], ["gone", null, "bad"]);
  const [{ hierarchy_id }] = catalog.sensors;
  deepEqual(power, {
    ...power,
    sensor_tag: "p",
    hierarchy_id,
    component_measure: "active_power",
    unit: "W",
    ts: "2026-06-01T12:00:20.000000Z",
    value: 7500,
    quality: null,
    age_s: 10,
  });
  deepEqual([word.value, word.hierarchy_id, word.age_s], ["on", null, 20]);
  await send({ tag: "p", ts: at("12:00:20"), value: 8 });
  equal((await latest("&sensor_tag=p"))[0].value, 8000, "the same sample, corrected");
  for (const filter of [`hierarchy_id=${hierarchy_id}`, "component_measure=active_power"]) {
    deepEqual((await latest(`&${filter}`)).map(({ sensor_tag }) => sensor_tag), ["p"]);
  }
  deepEqual(await latest("&component_measure=ghi"), []);
  await close();
});

Deno.test("rows are JSON as others print it, whatever their tags and values", async () => {
  const { send, fetch, project, close } = await opened();
  const ts = at("12:00:00");
  const values = [-0, 1e-7, 1e21, 5e-324, 0.1 + 0.2, 2 ** 53, 'say "no"\n', "grüße\u0001", "-0"];
  await send(
    ...values.map((value, i) => ({ tag: `"${i}"`, ts, value, quality: "uncertain" })),
    { tag: "none", ts, quality: "bad" },
  );
  const answer = await fetch(`/platform/v1/signals/latest?project_id=${project.id}`);
  const text = await answer.text();
  const told = JSON.parse(text);
  equal(text, JSON.stringify(told));
  const plain = JSON.parse(JSON.stringify(values));
  deepEqual(told.values.map((row: Row) => row.value), [...plain, null]);
  await close();
});

Deno.test("a row that is kept is told as one printed anew, after whatever changes", async () => {
  const { send, putSensors, fetch, services, project, clock, settle, close } = await opened();
  const kept = new LatestReader({ ...services, latest: services.ingest.latest });
  const power = { tag: "p", measure: "active_power" };
  let others: readonly object[] = [];
  const dice = new Dice(5);
  const seen = new Set<string | undefined>();
  for (let step = 0; step < 80; step++) {
    const pick = (count: number, channel: number) => dice.pick(count, { channel, step });
    const tag = ["p", "q", "word"][pick(3, 1)];
    const ts = new Date(clock.now_us / 1000 - 60_000 * pick(3, 2)).toISOString();
    const value = [1.5 * pick(9, 3), `w${pick(9, 4)}`][tag === "word" ? 1 : 0];
    const changes = [
      () => send({ tag, ts, value }),
      () => send({ tag, ts, quality: "bad" }),
      () => send({ tag, ts, value, quality: "uncertain" }, { tag: `new${step}`, ts, value }),
      () => clock.advance(1 + 1_000 * pick(90, 5)),
      () => clock.step(1_000 * (pick(90, 5) - 45)),
      () => putSensors({ ...power, scale: 10 ** pick(4, 6), offset: pick(4, 7) }, ...others),
      () => {
        others = [{ tag: "q", measure: "dc_power", scale: 2 }, { tag: "q", measure: "dc_voltage" }];
        return putSensors(power, ...others);
      },
      () => services.ingest.latest.followClock(),
      () => settle(),
    ];
    await changes[pick(changes.length, 0)]();
    const fresh = new LatestReader({ ...services, latest: services.ingest.latest });
    for (const measures of [[], [], ["dc_power"]]) {
      const filter = { project, sensor_tags: [], hierarchy_ids: [], measures };
      const wanted = await fresh.print(filter);
      equal(await kept.print(filter), wanted, `step ${step}`);
      if (measures.length > 0) continue;
      const answer = await fetch(`/platform/v1/signals/latest?project_id=${project.id}`);
      equal(await answer.text(), `{"values":${wanted ?? "[]"}}`);
      seen.add(wanted);
    }
  }
  ok(seen.size > 25);
  await close();
});

Deno.test("a document that is told again differs in the ages of now alone", async () => {
  const { send, fetch, services, project, clock, close } = await opened();
  const filter = { project, sensor_tags: [], hierarchy_ids: [], measures: [] };
  for (const tag of ["p", "ü"]) {
    await send({ tag: "a", ts: at("12:00:00"), value: 1 }, { tag, ts: at("11:59:00"), value: 2 });
    const told = new Set<string>();
    // Ages of one length, then of others.
    for (const ms of [0, 1, 1, 8, 90, 900, 1_000, 100_000, 1, 3_600_000]) {
      clock.advance(ms);
      const fresh = new LatestReader({ ...services, latest: services.ingest.latest });
      const answer = await fetch(`/platform/v1/signals/latest?project_id=${project.id}`);
      const text = await answer.text();
      equal(text, `{"values":${await fresh.print(filter)}}`, `${tag} after ${ms} ms`);
      told.add(text);
    }
    ok(told.size > 5);
  }
  await close();
});

Deno.test("rows for which there is no room are told like all others", async () => {
  const { effects, clock } = fakeEffects();
  const tags = Array.from({ length: 100 }, (_, tag_no) => ({
    ...{ tag_no, project_no: 1, lane: "signal", unit: null },
    sensor_tag: String(tag_no).repeat(sample_limits.latest_kept_length / 99),
  }));
  const values = tags.map((_, i) => ({ ts_us: clock.now_us - i, received_us: 7, value: i }));
  let change = 1;
  const parts = {
    effects,
    catalog: { version: 1, tags, sensorsOfTag: () => [] },
    latest: { load() {}, of: (no: number) => ({ ...values[no], quality: null, change }) },
  } as unknown as ConstructorParameters<typeof LatestReader>[0];
  const kept = new LatestReader(parts);
  const filter = {
    ...{ project: { project_no: 1 } as Project, sensor_tags: [], hierarchy_ids: [], measures: [] },
  };
  for (let turn = 0; turn < 3; turn++) {
    const wanted = await new LatestReader(parts).print(filter);
    for (let ask = 0; ask < 3; ask++) ok(await kept.print(filter) === wanted);
    for (const value of values) value.value++;
    change++;
  }
});

Deno.test("a document that goes out at once is that of pieces, and that compressed", async () => {
  const sent = async (text: string, headers: HeadersInit = {}) => {
    const held: Promise<string>[] = [];
    const { effects } = fakeEffects();
    const context = {
      ...{ request: new Request("http://localhost", { headers }), effects },
      signal: new AbortController().signal,
      hold: (ending: Promise<string>) => held.push(ending),
    } as unknown as Parameters<typeof sendJson>[0];
    const answer = await sendJson(context, text);
    const told = [...answer.headers].filter(([name]) => name !== "content-encoding");
    const body = answer.headers.has("content-encoding")
      ? answer.body!.pipeThrough(new DecompressionStream("gzip"))
      : answer.body;
    return { told, text: await new Response(body).text(), in_pieces: held.length > 0 };
  };
  for (const length of [10, request_limits.whole_length + 1]) {
    const text = JSON.stringify("ü".repeat(length - 2));
    const plain = await sent(text);
    deepEqual([plain.text === text, plain.in_pieces], [true, length > 10]);
    const packed = await sent(text, { "accept-encoding": "gzip" });
    deepEqual([packed.text === text, packed.told], [true, plain.told]);
  }
});

Deno.test("after a start the newest values are those of the table, a day back", async () => {
  const { send, latest, services, close } = await opened();
  const { catalog, ingest } = services;
  await send(
    { tag: "old", ts: "2026-05-31T11:00:00Z", value: 1 },
    { tag: "p", ts: at("12:00:20"), value: 7 },
    { tag: "n", ts: at("12:00:00"), value: 3 },
    { tag: "n", ts: at("11:00:00"), value: "4", quality: "bad" },
    { tag: "word", ts: at("12:00:10"), value: "on", quality: "uncertain" },
  );
  await latest();
  const started = new LatestValues(services);
  await started.load();
  for (const { tag_no, sensor_tag } of catalog.tags) {
    const { change: _, ...wanted } = ingest.latest.of(tag_no)!;
    const { change: _known, ...found } = started.of(tag_no) ?? { change: 0 };
    deepEqual(found, sensor_tag === "old" ? {} : wanted, sensor_tag);
  }
  equal(started.changed_us, ingest.latest.changed_us);
  await close();
});

Deno.test("a stream begins with all values, then tells changes once a second", async () => {
  const { send, open, turn, clock, close } = await opened();
  await send({ tag: "a", ts: at("12:00:00"), value: 1 }, {
    tag: "b",
    ts: at("12:00:00"),
    value: 2,
  });
  const next = await open();
  ok((await next())?.id);
  const valuesOf = (frame: Frame | undefined) => {
    equal(frame?.event, "values");
    const rows: readonly Row[] = JSON.parse(frame!.data);
    return rows.map(({ sensor_tag, value }) => [sensor_tag, value]);
  };
  deepEqual(valuesOf(await next()), [["a", 1], ["b", 2]]);
  const second = next();
  for (const value of [3, 4, 5]) {
    await send({ tag: "a", ts: at(`12:00:0${value}`), value });
    await turn();
  }
  clock.advance(1000);
  deepEqual(valuesOf(await second), [["a", 5]], "the newest of three");
  await close();
});

Deno.test("a client resumes with the values that it missed, and no alarm twice", async () => {
  const { send, open, raise, change, close } = await opened();
  await send({ tag: "a", ts: at("12:00:00"), value: 1 }, {
    tag: "b",
    ts: at("12:00:00"),
    value: 2,
  });
  const first = await open("&include=alarms");
  await first();
  const { id } = (await first())!;
  const raised = await raise({ occurrence_id: "x" });
  const alarm = (await first())!;
  deepEqual([alarm.event, JSON.parse(alarm.data).type], ["alarm", "raised"]);
  await change(raised, {}, [eventOf("noted")]);
  await send({ tag: "b", ts: at("12:00:01"), value: 3 });
  for (
    const [cursor, types] of [[id, ["raised", "noted"]], [alarm.id, ["noted"]]] as const
  ) {
    const again = await open("&include=alarms", { "last-event-id": cursor });
    equal((await again())?.id, cursor);
    for (const type of types) equal(JSON.parse((await again())!.data).type, type);
    const rows: readonly Row[] = JSON.parse((await again())!.data);
    deepEqual(rows.map(({ sensor_tag, value }) => [sensor_tag, value]), [["b", 3]]);
  }
  await close();
});

Deno.test("work is told as webhooks have it, and what is gone is told by reset", async () => {
  const { fetch, open, project, services, close } = await opened();
  const make = async (name: string) => {
    const answer = await fetch(`/platform/v1/issues?project_id=${project.id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    equal(answer.status, 201, await answer.text());
  };
  const next = await open("&include=work");
  const { id } = (await next())!;
  await make("First");
  const frame = (await next())!;
  equal(frame.event, "work");
  const { type, data } = JSON.parse(frame.data);
  deepEqual([type, data.name], ["issue.created", "First"]);
  const again = await open("&include=work&last_event_id=" + id);
  await again();
  equal((await again())?.data, frame.data);
  const tail = services.work_tail;
  ok(tail.after(project.project_no, tail.now_us)?.length === 0);
  const [, ...rest] = id.split(".");
  const old = ["-1", "1", ...rest.slice(1)].join(".");
  const late = await open("&include=work&last_event_id=" + old);
  await late();
  deepEqual((({ event, data }) => [event, data])((await late())!), ["reset", '{"of":"work"}']);
  ok(work_limits.tail_events > 2);
  await close();
});

Deno.test("what is no id is refused by name, and a stop ends streams", async () => {
  const { fetch, open, project, refuse, turn, close } = await opened();
  for (const id of ["x", "1.2.x", "1.2", "-2.1.MCAwIA"]) {
    const bad = await fetch(
      `/platform/v1/signals/stream?project_id=${project.id}&last_event_id=${id}`,
    );
    equal(bad.status, 400, id);
    equal((await bad.json()).errors[0].path, "last_event_id");
  }
  const next = await open("&include=alarms&include=work");
  await next();
  const end = next();
  await turn();
  refuse();
  equal(await end, undefined);
  await close();
});
