// Stations by IEC 60870-5-104: what they send is stored before it is acknowledged, with its times.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { StationClock } from "../../../src/engine/devices/station_clock.ts";
import { LineFault } from "../../../src/base/effects_line.ts";
import { keepRunning } from "../../../src/engine/devices/driver.ts";
import { iec104_driver } from "../../../src/engine/devices/iec104.ts";
import { type SourceRow, SourceState } from "../../../src/engine/devices/state.ts";
import { iec104 } from "../../../src/model/sources/kinds/iec104.ts";
import { causes, timeBytes } from "../../../src/wire/sources/iec104.ts";
import { fakeEffects } from "../../help/effects.ts";
import { FakeStation, hurried } from "../../help/iec104.ts";
import { sourceTools } from "../../help/sources.ts";
import { aTurn } from "../../help/until.ts";

/** Lets everything that can go on do so. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await aTurn();
}

const at = "2026-06-01T12:00:00Z";
const at_us = Date.parse(at) * 1000;

const points = [{ tag: "p", address: 10 }, { tag: "{station}.e", address: 11, scale: 0.5 }];

function opened(more: object = {}, { gathers = false } = {}) {
  const entry = iec104.form.parse({
    ...{ key: "sub", kind: "iec104", host: "h", stations: [{ station: 1, points }] },
    ...more,
  });
  const { effects, clock } = fakeEffects(at);
  const station = new FakeStation();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const rows: SourceRow[] = [];
  const disk = { waits: Promise.resolve(), commits: 0 };
  const own = { ...effects, connect: () => Promise.resolve(station.line) };
  const tools = sourceTools({
    ...{ state, effects: gathers ? own : hurried(own) },
    store: async (some: readonly SourceRow[]) => {
      await disk.waits;
      disk.commits++;
      rows.push(...some);
    },
  });
  const [link] = iec104_driver.open(entry, tools);
  const stop = new AbortController();
  const running = link.run(stop.signal, () => {});
  running.catch(() => {});
  return { station, state, rows, running, clock, disk, link, end: () => stop.abort() };
}

const scaled = (...elements: readonly number[]) => [11, 1, 3, 0, 1, 0, 10, 0, 0, ...elements];
const confirm = (type: number, cause: number = causes.confirmed) => [
  ...[type, 1, cause, 0, 1, 0, 0, 0, 0, 20],
];

Deno.test("a station is started and asked, and what it sends is acknowledged", async () => {
  const { station, rows, state, end, running } = opened({ set_clock: true, counters_s: 60 });
  await settled();
  deepEqual(station.said, ["start"]);
  station.link("started");
  await settled();
  deepEqual(station.said, ["start", "command 103 of 1"]);
  station.message(confirm(103));
  await settled();
  station.message(confirm(100));
  await settled();
  deepEqual(station.said.filter((it) => it.startsWith("command")), [
    ...["command 103 of 1", "command 100 of 1", "command 101 of 1"],
  ]);
  station.message([11, 2, 20, 0, 1, 0, 10, 0, 0, 5, 0, 0, 11, 0, 0, 6, 0, 0]);
  await settled();
  deepEqual(rows, [
    { tag: "p", ts_us: at_us, value: 5, status_code: undefined },
    { tag: "1.e", ts_us: at_us, value: 3, status_code: undefined },
  ]);
  equal(station.said.at(-1), "acknowledged 3");
  equal(state.connected, true);
  end();
  await running;
});

Deno.test("nothing is acknowledged before it is stored", async () => {
  const { station, rows, disk, end } = opened();
  station.link("started");
  station.message(confirm(100));
  await settled();
  const written = Promise.withResolvers<void>();
  disk.waits = written.promise;
  station.message(scaled(1, 0, 0));
  station.message(scaled(2, 0, 0));
  await settled();
  equal(station.said.findLast((it) => it.startsWith("ack")), "acknowledged 1");
  written.resolve();
  await settled();
  deepEqual(rows.map(({ value }) => value), [1, 2]);
  equal(station.said.at(-1), "acknowledged 3");
  end();
});

Deno.test("what is not stored at the end is not acknowledged, and is no mistake", async () => {
  const { station, rows, disk, running, end } = opened();
  station.link("started");
  await settled();
  const refused = Promise.withResolvers<void>();
  disk.waits = refused.promise;
  station.message(scaled(1, 0, 0));
  await settled();
  end();
  refused.reject(new DOMException("told to end", "AbortError"));
  await running;
  await settled();
  deepEqual([rows.length, station.said.some((it) => it.startsWith("ack"))], [0, false]);
});

for (
  const [kind, message, wanted] of [
    ["refused", "nothing listens at port 2405", /^nothing listens at port 2405; the usual port/],
    ["broken", "the connection broke", /broke before anything came; the usual port .* is 2404$/],
  ] as const
) {
  Deno.test(`where ${message}, and nothing came before, the usual port is told`, async () => {
    const { effects } = fakeEffects(at);
    const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
    const connect = () => Promise.reject(new LineFault(kind, message));
    const store = () => Promise.resolve();
    const tools = sourceTools({ state, effects: { ...effects, connect }, store });
    const stations = [{ station: 1, points }];
    const entry = iec104.form.parse({
      key: "sub",
      kind: "iec104",
      host: "h",
      port: 2405,
      stations,
    });
    const stop = new AbortController();
    const running = keepRunning(iec104_driver.open(entry, tools)[0], tools, stop.signal);
    await settled();
    match(state.last_error!.message, wanted);
    stop.abort();
    await running;
  });
}

Deno.test("messages share a commit, but no station waits for it", async () => {
  const { station, rows, disk, clock, end } = opened({}, { gathers: true });
  station.link("started");
  station.message(confirm(100));
  await settled();
  clock.advance(50);
  await settled();
  const before = disk.commits;
  for (let i = 1; i <= 7; i++) {
    station.message(scaled(i, 0, 0));
    await settled();
  }
  equal(disk.commits, before);
  clock.advance(50);
  await settled();
  deepEqual([disk.commits, rows.length], [before + 1, 7]);
  // It may send no more before these are acknowledged.
  for (let i = 1; i <= 8; i++) station.message(scaled(i, 0, 0));
  await settled();
  deepEqual([disk.commits, rows.length], [before + 2, 15]);
  equal(station.said.at(-1), "acknowledged 16");
  end();
});

Deno.test("qualities become statuses, and an invalid value is none", async () => {
  const { station, rows, end } = opened();
  station.link("started");
  for (const bits of [0x00, 0x01, 0x10, 0x20, 0x40, 0x80]) station.message(scaled(1, 0, bits));
  await settled();
  deepEqual(rows.map(({ value, status_code }) => [value, status_code?.toString(16)]), [
    ...[[1, undefined], [1, "40940000"], [1, "40900000"], [1, "40910000"], [1, "40900000"]],
    [undefined, "80000000"],
  ]);
  end();
});

Deno.test("a time is of the stations' zone, in the hour that comes twice too", async () => {
  const { station, rows, end } = opened({ timezone: "Europe/Madrid" });
  station.link("started");
  const wallOf = (text: string) => Date.parse(`${text}Z`) * 1000;
  const send = (text: string, is_summer: boolean) =>
    station.message([
      35,
      1,
      3,
      0,
      1,
      0,
      10,
      0,
      0,
      1,
      0,
      0,
      ...timeBytes({
        wall_us: wallOf(text),
        is_summer,
      }),
    ]);
  send("2026-01-15T12:00:00.250", false);
  send("2026-05-15T12:00:00", true);
  send("2025-10-26T02:30:00", true);
  send("2025-10-26T02:30:00", false);
  send("2026-03-29T02:30:00", false);
  await settled();
  deepEqual(rows.map(({ ts_us }) => new Date(ts_us / 1000).toISOString()), [
    "2026-01-15T11:00:00.250Z",
    "2026-05-15T10:00:00.000Z",
    "2025-10-26T00:30:00.000Z",
    "2025-10-26T01:30:00.000Z",
    new Date(at).toISOString(),
  ]);
  end();
});

Deno.test("a short time is of the newest hour that is not ahead", async () => {
  const { station, rows, end } = opened();
  station.link("started");
  const send = (minute: number) =>
    station.message([12, 1, 3, 0, 1, 0, 10, 0, 0, 1, 0, 0, 0, 0, minute]);
  for (const minute of [0, 4, 6, 59]) send(minute);
  await settled();
  deepEqual(rows.map(({ ts_us }) => new Date(ts_us / 1000).toISOString().slice(11, 16)), [
    ...["12:00", "12:04", "11:06", "11:59"],
  ]);
  end();
});

Deno.test("silence is tested, and a test without an answer ends the connection", async () => {
  const { station, running, clock } = opened();
  station.link("started");
  await settled();
  station.message(confirm(100));
  await settled();
  clock.advance(20_000);
  await settled();
  equal(station.said.at(-1), "test");
  station.link("tested");
  await settled();
  clock.advance(20_000);
  await settled();
  clock.advance(15_000);
  await rejects(running, /no answer to a test of the connection/);
});

Deno.test("tests of the station are answered", async () => {
  const { station, end } = opened();
  station.link("started");
  station.link("test");
  await settled();
  equal(station.said.includes("tested"), true);
  end();
});

Deno.test("what ends a connection is said in words", async () => {
  const silent = opened();
  await settled();
  silent.clock.advance(15_000);
  await rejects(silent.running, /no answer to the start of the transmission/);
  const foreign = opened();
  foreign.station.bytes(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n"));
  await rejects(foreign.running, /no IEC 60870-5-104: is it the right port\?/);
  const lost = opened();
  lost.station.link("started");
  lost.station.message(scaled(1, 0, 0), { skip: 1 });
  await rejects(lost.running, /message 1 came where 0 was due/);
  const gone = opened();
  gone.station.link("started");
  gone.station.bytes(undefined);
  await rejects(gone.running, /the station has closed the connection/);
  const wrong = opened();
  wrong.station.link("started");
  await settled();
  wrong.clock.advance(15_000);
  await rejects(wrong.running, /no answer to a command to station 1: is its number right\?/);
});

Deno.test("refusals, unknown stations, addresses and types are told, and end nothing", async () => {
  const { station, state, rows, end } = opened();
  station.link("started");
  await settled();
  station.message(confirm(100, causes.unknown_station | 0x40));
  station.message([11, 1, 3, 0, 9, 0, 10, 0, 0, 1, 0, 0]);
  station.message([11, 1, 3, 0, 1, 0, 77, 0, 0, 1, 0, 0]);
  station.message([40, 1, 3, 0, 1, 0, 10, 0, 0, 1, 0, 0]);
  station.message([11, 2, 3, 0, 1, 0, 10, 0, 0, 1, 0, 0]);
  station.message([11, 1, 0x83, 0, 1, 0, 10, 0, 0, 1, 0, 0]);
  station.message(scaled(7, 0, 0));
  await settled();
  match(state.last_error!.message, /a message can't be read/);
  equal(state.errors.protocol, 2);
  deepEqual(state.notes, [
    "station 9 sends too: it is not among the stations",
    "station 1 sends the address 77: no point has it",
    "messages of type 40 are not read",
  ]);
  deepEqual(rows.map(({ value }) => value), [7]);
  end();
});

Deno.test("a station that is not there is lost, with what to look at", async () => {
  const { station, state, end } = opened();
  station.link("started");
  await settled();
  station.message(confirm(100, causes.unknown_station | 0x40));
  await settled();
  equal(state.connected, false);
  match(state.devices[0].last_error!, /no station 1 behind .*: is its number right\?/);
  end();
});

Deno.test("a station that has begun anew is asked for its values again", async () => {
  const { station, end } = opened();
  station.link("started");
  await settled();
  station.message(confirm(100));
  await settled();
  station.message([70, 1, 4, 0, 1, 0, 0, 0, 0, 0]);
  await settled();
  equal(station.said.filter((it) => it === "command 100 of 1").length, 2);
  end();
});

Deno.test("when the connection is lost, each tag has one bad sample", async () => {
  const { station, link, rows, end } = opened();
  station.link("started");
  station.message(scaled(7, 0, 0));
  await settled();
  for (let i = 0; i < 3; i++) await link.failed({ kind: "refused", message: "gone" });
  deepEqual(rows.slice(1).map(({ tag, status_code }) => [tag, status_code?.toString(16)]), [
    ["p", "80310000"],
    ["1.e", "80310000"],
  ]);
  end();
});

Deno.test("numbers of messages go on from 0 after 32 767", async () => {
  const { station, rows, end } = opened();
  station.link("started");
  await settled();
  station.message(confirm(100));
  for (let i = 0; i < 32_770; i++) {
    station.message(scaled(i & 0xff, 0, 0));
    if (i % 4096 === 0) await settled();
  }
  while (rows.length < 32_770) await settled();
  equal(station.said.at(-1), "acknowledged 3");
  end();
});

Deno.test("a zone that is not the station's is told, and values that were kept are not", () => {
  const hour_us = 3_600_000_000;
  const now_us = Date.UTC(2026, 5, 1, 12) * 1000;
  const clock = new StationClock("Europe/Madrid");
  const told = (offsets_us: readonly number[]) =>
    offsets_us.map((it) => clock.flawOf(now_us + it, now_us)).filter((it) => it !== undefined);
  deepEqual(told([0, 1e6, -30e6, -hour_us, 0, -hour_us, -hour_us, -2 * hour_us]), []);
  deepEqual(told([1, 2, 3, 4, 5, 6].map((it) => -it * 400e6)), []);
  match(told(Array(6).fill(-2 * hour_us + 3e6))[0]!, /2 h in the past: .* Europe\/Madrid/);
});
