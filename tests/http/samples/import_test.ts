// Imports over HTTP: a file's life, who may touch it, what is refused, cancelled and removed.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { import_limits } from "../../../src/engine/ingest/limits.ts";
import { Imports } from "../../../src/engine/ingest/imports.ts";
import { until } from "../../help/until.ts";
import { german, type Shown, stored, tokenOf, withDoor } from "./import_help.ts";

Deno.test("a file is sent, looked through, imported, and its bytes go then", () =>
  withDoor(async (door) => {
    const sent = await door.send(german);
    deepEqual([sent.state, sent.check, sent.report], ["sent", null, null]);
    deepEqual(await door.files(), [sent.import_id]);
    const { mode } = await Deno.stat(`${door.dir}/imports/${sent.import_id}`);
    equal(mode! & 0o777, 0o600);
    const { state, check } = await door.work(sent.import_id, "check");
    equal(state, "checked");
    deepEqual([check.format, check.rows, check.tags, check.rejected_count], ["wide", 4, 2, 0]);
    deepEqual(check.span, {
      from: "2026-05-01T16:00:00.000000Z",
      to: "2026-05-01T16:05:00.000000Z",
    });
    deepEqual(check.time.columns, ["Datum", "Uhrzeit"]);
    deepEqual(
      [check.time.format, check.time.timezone, check.time.timezone_by, check.time.step_s],
      ["dmy", "America/Denver", "project", 300],
    );
    deepEqual(check.columns[0], {
      ...{ name: "WR1 P (kW)", tag: "WR1 P (kW)", kind: "number", unit: "kW" },
      ...{ is_new: true, measures: [] },
    });
    deepEqual(check.first_rows[0], {
      ...{ line: 2, ts: "2026-05-01T16:00:00.000000Z", more: 0 },
      cells: [{ tag: "WR1 P (kW)", value: 1234.5 }, { tag: "Status", value: "Ein" }],
    });
    equal((await stored(door)).n, 0);
    const done = await door.work(sent.import_id, "import", check.proposed);
    deepEqual([done.state, done.report], ["imported", {
      ...{ accepted: 4, corrected: 0, duplicates: 0, rejected_count: 0, reasons: [], whole: true },
    }]);
    deepEqual(await door.files(), []);
    deepEqual([(await stored(door)).n, (await stored(door)).total], [2, 1236.75]);
    const again = await door.call("POST", `/${sent.import_id}/import`);
    deepEqual([again.status, (await again.json()).detail], [
      409,
      "the file was imported, and is not kept: send it again",
    ]);
    const second = await door.work((await door.send(german)).import_id, "import");
    deepEqual([second.report?.accepted, second.report?.duplicates], [0, 4]);
    const other = german.replace("2,25", "3").replace("Aus", "Wartung") +
      "01.05.2026;10:10;4;Ein\n";
    const third = await door.work((await door.send(other)).import_id, "import");
    const { accepted, corrected, duplicates } = third.report!;
    deepEqual([accepted, corrected, duplicates], [4, 2, 2]);
    equal((await (await door.call("GET", "")).json()).imports.length, 3);
    equal((await door.call("DELETE", `/${sent.import_id}`)).status, 200);
    equal((await door.call("GET", `/${sent.import_id}`)).status, 404);
  }));

Deno.test("a refusal names the settings that answer it, as fields", () =>
  withDoor(async (door) => {
    const { import_id } = await door.send("Date,P\n01/02/2026 10:00,1\n03/04/2026 10:00,2\n");
    const refused = await door.work(import_id, "check");
    deepEqual([refused.state, refused.asked], ["refused", ["time_format"]]);
    deepEqual(refused.refusal!.name, "day_order");
    match(refused.refusal!.values.example, /01\/02\/2026 10:00/);
    match(refused.detail!, /`time_format` mdy or `time_format` dmy/);
    ok(!refused.detail!.includes("--"));
    const said = await door.work(import_id, "check", { time_format: "dmy", tags: { P: "inv.p" } });
    equal(said.refusal, null);
    deepEqual([said.state, said.check.columns[0].tag], ["checked", "inv.p"]);
    deepEqual(said.check.span.from, "2026-02-01T17:00:00.000000Z");
    const gone = await door.work(import_id, "import", { time_format: "dmy", tags: { P: false } });
    deepEqual([gone.state, gone.detail], [
      "refused",
      "the file has no column of values beside its time and what `key_column` names",
    ]);
  }));

Deno.test("values that replace others are refused, and shown; repeats = last takes them", () =>
  withDoor(async (door) => {
    const { import_id } = await door.send("time,p\n2026-05-01T10:00Z,1\n2026-05-01T10:00Z,2\n");
    const refused = await door.work(import_id, "import");
    equal(refused.state, "refused");
    ok(refused.asked.includes("repeats"));
    equal(refused.check.repeats.differing, 1);
    equal((await stored(door)).n, 0);
    const { report } = await door.work(import_id, "import", { repeats: "last" });
    deepEqual([report?.accepted, report?.whole], [2, true]);
    equal((await stored(door)).total, 2);
  }));

Deno.test("a reason of a rejected row names settings as fields, too", () =>
  withDoor(async (door) => {
    const clock = "time,p\n2026-03-08 01:30:00,1\n2026-03-08 02:30:00,2\n2026-03-08 03:30:00,3\n";
    const { import_id } = await door.send(clock);
    const { check, report } = await door.work(import_id, "import");
    const [{ reason, count }] = check.reasons;
    match(reason, /skips this time: .* say its `timezone` as an offset/);
    deepEqual([count, report?.rejected_count, report?.accepted, report?.whole], [1, 1, 2, false]);
  }));

Deno.test("wrong settings are named, with what was meant", () =>
  withDoor(async (door) => {
    const { import_id } = await door.send(german);
    for (
      const [settings, wanted] of [
        [{ timezon: "UTC" }, /timezon.*timezone/s],
        [{ decimal: ";" }, /decimal/],
        [{ format: "xls" }, /format/],
        [{ tags: { a: true } }, /tags/],
        [{ skip_rows: -1 }, /skip_rows/],
      ] as const
    ) {
      const answer = await door.call("POST", `/${import_id}/check`, {
        body: JSON.stringify(settings),
        headers: { "content-type": "application/json" },
      });
      equal(answer.status, 400);
      match(await answer.text(), wanted);
    }
    const zone = await door.work(import_id, "check", { timezone: "Mars/Base" });
    deepEqual([zone.state, zone.asked], ["refused", ["timezone"]]);
  }));

Deno.test("what is no table is refused kindly, an empty body and a form at once", () =>
  withDoor(async (door) => {
    for (
      const [content, wanted] of [
        ["%PDF-1.7 x", /PDF: export the data as CSV/],
        ["<!doctype html><html>", /page of the web/],
        ["hello", /rows have one column only|no header/],
      ] as const
    ) {
      const { import_id } = await door.send(content);
      const { state, detail } = await door.work(import_id, "check");
      equal(state, "refused");
      match(detail!, wanted);
    }
    const empty = await door.call("POST", "", { body: "" });
    deepEqual([empty.status, (await door.files()).length], [400, 3]);
    const form = new FormData();
    form.append("file", new File([german], "a.csv"));
    equal((await door.call("POST", "", { body: form })).status, 415);
    const long = await door.call("POST", `?name=${"x".repeat(256)}`, { body: german });
    equal(long.status, 400);
  }));

Deno.test("another tenant, or a token without the scope, sees and touches nothing", () =>
  withDoor(async (door) => {
    const { import_id } = await door.send(german);
    const other = await tokenOf(door, "o2");
    const reader = await tokenOf(door, "o1", ["read"]);
    const routes = [
      ["POST", "", german],
      ["GET", "", undefined],
      ["GET", `/${import_id}`, undefined],
      ["POST", `/${import_id}/check`, "{}"],
      ["POST", `/${import_id}/import`, "{}"],
      ["POST", `/${import_id}/cancel`, undefined],
      ["DELETE", `/${import_id}`, undefined],
    ] as const;
    for (const [method, path, body] of routes) {
      const headers = { "content-type": "application/json" };
      for (const token of [other, reader]) {
        equal((await door.call(method, path, { token, body, headers })).status, 403);
      }
      if (path === "") continue;
      const own = await door.call(method, path, { token: other, project: "p2", body, headers });
      equal(own.status, 404, `${method} ${path}`);
    }
    const listed = await door.call("GET", "", { token: other, project: "p2" });
    deepEqual((await listed.json()).imports, []);
    equal((await (await door.call("GET", `/${import_id}`)).json()).state, "sent");
  }));

Deno.test("a token has so many files waiting, and a file has a bound", () =>
  withDoor(async (door) => {
    const token = await tokenOf(door, "o1");
    for (let i = 0; i < import_limits.files_per_token; i++) await door.send(german, { token });
    const more = await door.call("POST", "", { token, body: german });
    equal(more.status, 429);
    match((await more.json()).detail, /4 files of 4 GiB in all.*delete one of them first/);
    equal((await door.files()).length, import_limits.files_per_token);
    const [first] = (await (await door.call("GET", "", { token })).json()).imports;
    await door.call("DELETE", `/${first.import_id}`, { token });
    await door.send(german, { token });
    const large = await door.call("POST", "", {
      body: german,
      headers: { "content-length": String(import_limits.file_bytes + 1) },
    });
    equal(large.status, 413);
  }));

Deno.test("a body that breaks off leaves no file", () =>
  withDoor(async (door) => {
    const body = new ReadableStream({
      start(to) {
        to.enqueue(new TextEncoder().encode(german));
        to.error(new Error("gone"));
      },
    });
    equal((await door.call("POST", "", { body })).status, 400);
    deepEqual(await door.files(), []);
    deepEqual((await (await door.call("GET", "")).json()).imports, []);
  }));

/** Rows of a number, one a second. */
function manyRows(rows: number): string {
  const at = Date.UTC(2026, 4, 1);
  const lines = Array.from(
    { length: rows },
    (_, i) => `${new Date(at + i * 1000).toISOString()},${i % 1000},${i % 7}`,
  );
  return `time,a,b\n${lines.join("\n")}\n`;
}

Deno.test("a cancelled import says what is stored; the next one finds duplicates", () =>
  withDoor(async (door) => {
    const rows = 300_000;
    const { import_id } = await door.send(manyRows(rows));
    const { ingest, imports } = door.services;
    const stored_once = new Promise<void>((resolve) => {
      const before = ingest.onStored;
      ingest.onStored = (stored) => {
        before?.(stored);
        resolve();
      };
    });
    await door.call("POST", `/${import_id}/import`);
    const busy = await door.call("POST", `/${import_id}/check`);
    equal(busy.status, 409);
    await stored_once;
    equal(imports.get("p1", import_id).state, "importing");
    const cancelled: Shown = await (await door.call("POST", `/${import_id}/cancel`)).json();
    equal(cancelled.state, "cancelled");
    const { n } = await stored(door);
    ok(n > 0 && n < 2 * rows, `${n}`);
    equal(cancelled.report?.accepted, n);
    const { report } = await door.work(import_id, "import");
    deepEqual([report?.accepted, report?.duplicates], [2 * rows - n, n]);
  }));

Deno.test("one file of a project is read at a time, the next one waits", () =>
  withDoor(async (door) => {
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) ids.push((await door.send(german)).import_id);
    const south = (await door.send(manyRows(10), { project: "p2" })).import_id;
    for (const id of ids) await door.call("POST", `/${id}/check`);
    await door.call("POST", `/${south}/check`, { project: "p2" });
    const states = () =>
      [...ids.map((id) => ["p1", id]), ["p2", south]]
        .map(([project, id]) => door.services.imports.get(project, id).state);
    deepEqual(states(), ["checking", "waiting", "checking"]);
    const waiting: Shown = await (await door.call("POST", `/${ids[1]}/cancel`)).json();
    equal(waiting.state, "cancelled");
    await door.services.imports.settle();
    deepEqual(states(), ["checked", "cancelled", "checked"]);
  }));

Deno.test("a stop ends a job with a clear state, and keeps the file", () =>
  withDoor(async (door) => {
    const { import_id } = await door.send(manyRows(50_000));
    await door.call("POST", `/${import_id}/import`);
    await door.services.imports.close();
    const { state, detail } = door.services.imports.get("p1", import_id);
    equal(state, "cancelled");
    match(detail!, /the service was stopped/);
    deepEqual((await door.files()).toSorted(), [import_id]);
    equal((await door.call("POST", `/${import_id}/import`)).status, 503);
  }));

/** Sends a file's part behind what has arrived; `body` may break off. */
async function more(door: Parameters<Parameters<typeof withDoor>[0]>[0], id: string, {
  offset,
  body,
}: { readonly offset: number; readonly body: BodyInit }) {
  const answer = await door.call("PATCH", `/${id}?offset=${offset}`, { body });
  return { status: answer.status, ...await answer.json() };
}

Deno.test("a file in parts goes on where the line was cut, and has every row once", () =>
  withDoor(async (door) => {
    const bytes = new TextEncoder().encode(manyRows(1000));
    const made = await door.call("POST", `?name=a.csv&size=${bytes.length}`, { body: "" });
    equal(made.status, 201);
    const { import_id: id, state, arrived_bytes } = await made.json();
    deepEqual([state, arrived_bytes], ["sending", 0]);
    const early = await door.call("POST", `/${id}/import`);
    equal(early.status, 409);
    match((await early.json()).detail, /0 of \d+ bytes have arrived.*offset=0/);
    const cut = ReadableStream.from((async function* () {
      yield await Promise.resolve(bytes.subarray(0, 5000));
      throw new Error("the line is cut");
    })());
    const broken = await more(door, id, { offset: 0, body: cut });
    equal(broken.status, 400, JSON.stringify(broken));
    const where = async () => (await (await door.call("GET", `/${id}`)).json()).arrived_bytes;
    equal(await where(), 5000);
    const wrong = await more(door, id, { offset: 0, body: bytes });
    equal(wrong.status, 409);
    match(wrong.detail, /5000 of \d+ bytes have arrived: go on with offset=5000/);
    const long = await more(door, id, { offset: 5000, body: bytes });
    match(long.detail, /the file is to have \d+ bytes/);
    const rest = await more(door, id, { offset: 5000, body: bytes.slice(await where()) });
    deepEqual([rest.status, rest.state, rest.arrived_bytes], [200, "sent", bytes.length]);
    equal((await more(door, id, { offset: bytes.length, body: "x" })).status, 409);
    const { report } = await door.work(id, "import");
    deepEqual([report?.accepted, report?.duplicates, report?.rejected_count], [2000, 0, 0]);
    deepEqual(await door.files(), []);
  }));

Deno.test("a request that hangs gives way to one that goes on with its file", () =>
  withDoor(async (door) => {
    const bytes = new TextEncoder().encode(german);
    const made = await door.call("POST", `?size=${bytes.length}`, { body: "" });
    const { import_id: id } = await made.json();
    let wake = () => {};
    const hanging = ReadableStream.from((async function* () {
      yield bytes.slice(0, 10);
      await new Promise<void>((settle) => wake = settle);
      yield bytes.slice(10);
    })());
    const first = more(door, id, { offset: 0, body: hanging });
    const where = async () => (await (await door.call("GET", `/${id}`)).json()).arrived_bytes;
    const file = `${door.dir}/imports/${id}`;
    while ((await Deno.stat(file)).size < 10) await Promise.resolve();
    const second = await more(door, id, { offset: 10, body: bytes.slice(10) });
    deepEqual([second.status, second.state], [200, "sent"]);
    wake();
    match((await first).detail, /another request goes on/);
    equal(await where(), bytes.length);
    equal(await Deno.readTextFile(file), german);
  }));

Deno.test("what a process before took is there at the start, what is broken removed", () =>
  withDoor(async (door) => {
    const whole = await door.send(german);
    const part = await (await door.call("POST", "?name=b.csv&size=100", { body: "time,P" })).json();
    await Deno.writeTextFile(`${door.dir}/imports/stray`, "x");
    await Deno.writeTextFile(`${door.dir}/imports/broken.json`, "{");
    const { services, dir } = door;
    const files = {
      path: `${dir}/imports`,
      space: () => Promise.resolve(undefined),
      keep_free_percent: 0,
    };
    const next = await Imports.open(services, files);
    const kept = [whole, part].map(({ import_id }) => import_id);
    deepEqual((await door.files()).toSorted(), kept.toSorted());
    const shown = next.list("p1").map((it) => [it.name, it.state, it.arrived_bytes, it.bytes]);
    deepEqual(shown.toSorted(), [["a.csv", "sent", german.length, german.length], [
      "b.csv",
      "sending",
      6,
      100,
    ]]);
  }));

Deno.test("no file is taken where the disk has to stay free", () =>
  withDoor(async ({ services, dir }) => {
    const files = (free_bytes: number) => ({
      path: `${dir}/full`,
      space: () => Promise.resolve({ total_bytes: 100e9, free_bytes }),
      keep_free_percent: 10,
    });
    const sending = {
      project_id: "p1",
      token_id: "t",
      user_id: null,
      name: "a",
      bytes: 3e9,
      is_part: false,
    };
    const body = () => ReadableStream.from([new TextEncoder().encode(german)]);
    const full = await Imports.open(services, files(12e9));
    const error = await full.receive(sending, body()).then(() => undefined, (it) => it);
    deepEqual([error?.code, error?.message], [
      "unavailable",
      "the disk of the service has no room for this file",
    ]);
    const free = await Imports.open(services, files(14e9));
    equal((await free.receive(sending, body())).bytes, german.length);
    await free.close();
  }));

Deno.test("a file that nobody goes on with is removed after a day", () =>
  withDoor(async (door) => {
    await door.send(german);
    const stop = new AbortController();
    const running = door.services.imports.loop.run(stop.signal);
    equal((await door.files()).length, 1);
    door.clock.advance(import_limits.keep_ms - 1);
    equal((await door.files()).length, 1);
    door.clock.advance(1);
    await until(async () => (await door.files()).length === 0);
    deepEqual(await door.files(), []);
    deepEqual(door.services.imports.list("p1"), []);
    stop.abort();
    await running;
  }));
