// Commands to stations by IEC 60870-5-104: selected, carried out, confirmed, ended, read back.
import { deepEqual, equal, match } from "node:assert/strict";
import { iec104_driver } from "../../../src/engine/devices/iec104.ts";
import { SourceState } from "../../../src/engine/devices/state.ts";
import type { CommandEnd } from "../../../src/model/setpoints/setpoint.ts";
import { type CommandKind, iec104 } from "../../../src/model/sources/kinds/iec104.ts";
import { causes, timeBytes } from "../../../src/wire/sources/iec104.ts";
import { isCommandType, readyCommand } from "../../../src/wire/sources/iec104_command.ts";
import { fakeEffects } from "../../help/effects.ts";
import { FakeStation, hurried } from "../../help/iec104.ts";
import { sourceTools } from "../../help/sources.ts";

/** Lets everything that can go on do so. */
async function settled(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

const at = "2026-06-01T12:00:00Z";
const limits = { unit: "%", min: 0, max: 100, confirm_ms: 2_000 };
const negative = 0x40;
const [read, scaled] = [102, 49];

/** A message to a station: its type, its address and what follows. */
type Told = { readonly type: number; readonly address: number; readonly element: number[] };

/** A station whose point 10 has 100 %, set by commands to 70. */
function entryOf(command: object) {
  return iec104.form.parse({
    ...{ key: "sub", kind: "iec104", host: "h", timeout_ms: 5_000 },
    stations: [{
      station: 1,
      points: [{
        ...{ tag: "limit", address: 10, scale: 0.1, setpoint: limits },
        command: { address: 70, type: "scaled", ...command },
      }],
    }],
  });
}

/** A started connection to it. */
async function opened(command: object = {}) {
  const entry = entryOf(command);
  const { effects, clock } = fakeEffects(at);
  const station = new FakeStation();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const connect = () => Promise.resolve(station.line);
  const store = () => Promise.resolve();
  const tools = sourceTools({ state, effects: hurried({ ...effects, connect }), store });
  const [link] = iec104_driver.open(entry, tools);
  const stop = new AbortController();
  const running = link.run(stop.signal, () => {});
  running.catch(() => {});
  await settled();
  station.link("started");
  await settled();
  station.message([100, 1, causes.confirmed, 0, 1, 0, 0, 0, 0, 20]);
  await settled();
  /** What came of one command: messages that switch, set or ask for a point. */
  const told = (): Told[] =>
    station.got.flatMap((apdu) => {
      if (apdu.kind !== "message") return [];
      const [type, , , , , , low, middle, high, ...element] = apdu.asdu;
      const address = low + (middle << 8) + (high << 16);
      return isCommandType(type) || type === read ? [{ type, address, element }] : [];
    });
  return {
    ...{ station, state, told },
    /** Repeats the newest message to an address, or another one's `element`. */
    answer: (type: number, cause: number, address: number, element?: readonly number[]) => {
      const newest = told().findLast((it) => it.type === type && it.address === address);
      const repeated = element ?? newest?.element ?? [0];
      station.message([type, 1, cause, 0, 1, 0, address, 0, 0, ...repeated]);
    },
    /** The measured point tells a raw value. */
    measure: (raw: number, cause: number = causes.requested) =>
      station.message([11, 1, cause, 0, 1, 0, 10, 0, 0, raw & 0xff, raw >> 8, 0]),
    /** Sends a value; what the station does is `act`, for each message that comes, in its order. */
    async send(value: number, act: (told: Told) => void): Promise<CommandEnd> {
      let ended: CommandEnd | undefined;
      const setpoint = iec104.setpointsOf!(entry)[0].limits;
      link.send!({ tag: "limit", value, limits: setpoint })!.then((it) => ended = it);
      let heard = told().length;
      for (let i = 0; i < 300 && ended === undefined; i++) {
        await settled();
        for (const one of told().slice(heard)) act(one);
        heard = told().length;
        await settled();
        if (ended === undefined && told().length === heard) clock.advance(100);
      }
      return ended!;
    },
    async close() {
      stop.abort();
      await running.catch(() => {});
    },
  };
}

const shown = ({ outcome, before, after, reason }: CommandEnd) => [outcome, before, after, reason];

Deno.test("a value is sent once, confirmed, and read back from the measured point", async () => {
  const { send, told, answer, measure, close } = await opened();
  let raw = 1000;
  const ended = await send(60.5, ({ type, address }) => {
    if (type === read) return measure(raw);
    answer(type, causes.confirmed, address);
    raw = 605;
    answer(type, causes.ended, address);
  });
  deepEqual(shown(ended), ["confirmed", 100, 60.5, null]);
  deepEqual(told().filter(({ type }) => type !== read), [
    { type: scaled, address: 70, element: [605 & 0xff, 605 >> 8, 0] },
  ]);
  await close();
});

Deno.test("a station that wants it is told to select first; times are its clock's", async () => {
  const { send, told, answer, measure, close } = await opened({ select: true, timed: true });
  let raw = 1000;
  const ended = await send(60, ({ type, address }) => {
    if (type === read) return measure(raw);
    answer(type, causes.confirmed, address);
    if (told().filter((it) => it.type === type).length === 2) raw = 600;
  });
  deepEqual(shown(ended), ["confirmed", 100, 60, null]);
  const time = timeBytes({ wall_us: Date.parse(at) * 1000, is_summer: false });
  const sent = told().filter(({ type }) => type !== read);
  deepEqual(sent.map(({ type, element: [, , qualifier] }) => [type, qualifier]), [
    ...[[62, 0x80], [62, 0]],
  ]);
  deepEqual(sent[0].element.slice(5), time.slice(2));
  await close();
});

Deno.test("refusals and silence are told, and nothing is sent twice", async () => {
  const { send, told, answer, measure, close } = await opened();
  const withCause = (cause: number) =>
    send(60, ({ type, address }) => type === read ? measure(1000) : answer(type, cause, address));
  const refused = await withCause(causes.confirmed | negative);
  deepEqual(shown(refused).slice(0, 3), ["refused", 100, 100]);
  match(refused.reason!, /station 1 refuses the command: is it in local operation, .*`select`/);
  match(
    (await withCause(causes.unknown_object | negative)).reason!,
    /no command at the address 70/,
  );
  match(
    (await withCause(causes.unknown_type | negative)).reason!,
    /commands of type 49: is `type`/,
  );
  const silent = await send(60, ({ type }) => type === read && measure(1000));
  deepEqual(shown(silent), [
    ...["unknown", 100, 100, "the station did not answer within 5 s; it has 100 %"],
  ]);
  equal(told().filter(({ type }) => type === scaled).length, 4);
  await close();
});

Deno.test("a selection that fails carries nothing out", async () => {
  const { send, told, answer, measure, close } = await opened({ select: true });
  const refused = await send(
    60,
    ({ type, address }) =>
      type === read ? measure(1000) : answer(type, causes.confirmed | negative, address),
  );
  match(refused.reason!, /refuses the selection/);
  const silent = await send(60, ({ type }) => type === read && measure(1000));
  deepEqual(shown(silent), [
    "not_sent",
    100,
    null,
    "the station did not answer the selection within 5 s: nothing was done",
  ]);
  deepEqual(told().filter(({ type }) => type === scaled).map(({ element }) => element[2]), [
    ...[0x80, 0x80],
  ]);
  await close();
});

Deno.test("the end of a command and the measured point decide", async () => {
  const { send, answer, measure, close } = await opened();
  const failed = await send(60, ({ type, address }) => {
    if (type === read) return measure(1000);
    answer(type, causes.confirmed, address);
    answer(type, causes.ended | negative, address);
  });
  deepEqual(shown(failed), [
    ...["refused", 100, 100, "the station has ended the command without carrying it out"],
  ]);
  const other = await send(
    60,
    ({ type, address }) => type === read ? measure(800) : answer(type, causes.confirmed, address),
  );
  deepEqual(shown(other), [
    "refused",
    80,
    80,
    "the device took it, and has 80 % after that; the station has not told that it has carried " +
    "it out",
  ]);
  await close();
});

Deno.test("the late end of a command is no answer to the next one", async () => {
  const { send, told, answer, measure, close } = await opened({ select: true });
  let raw = 1000;
  const first = await send(60, ({ type, address }) => {
    if (type === read) return measure(raw);
    answer(type, causes.confirmed, address);
    if (told().filter((it) => it.type === type).length === 2) raw = 600;
  });
  deepEqual(shown(first), ["confirmed", 100, 60, null]);
  // It comes while the next one looks what the station has, and in place of an answer.
  const next = await send(70, ({ type, address }) => {
    answer(scaled, causes.ended | negative, 70);
    if (type === read) return measure(raw);
    answer(type, causes.ended, address);
  });
  deepEqual(shown(next), [
    ...["not_sent", 60, null],
    "the station did not answer the selection within 5 s: nothing was done",
  ]);
  equal(told().filter(({ type }) => type === scaled).length, 3);
  await close();
});

Deno.test("a late answer to a former command neither confirms nor refuses the next", async () => {
  const { send, told, answer, measure, close } = await opened();
  const former = await send(60, ({ type }) => type === read && measure(1000));
  equal(former.outcome, "unknown");
  const late = told().findLast(({ type }) => type === scaled)!.element;
  for (const cause of [causes.confirmed, causes.confirmed | negative]) {
    const next = await send(70, ({ type, address }) => {
      if (type === read) return measure(1000);
      answer(type, cause, address, late);
      answer(type, causes.ended | negative, address, late);
    });
    deepEqual(shown(next), [
      ...["unknown", 100, 100, "the station did not answer within 5 s; it has 100 %"],
    ]);
  }
  let raw = 1000;
  const heard = await send(70, ({ type, address }) => {
    if (type === read) return measure(raw);
    answer(type, causes.confirmed | negative, address, late);
    answer(type, causes.confirmed, address);
    raw = 700;
  });
  deepEqual(shown(heard), ["confirmed", 100, 70, null]);
  await close();
});

Deno.test("a value of a minute ago that a station has kept confirms nothing", async () => {
  const { station, send, answer, measure, close } = await opened();
  const at_us = Date.parse(at) * 1000;
  const tell = (raw: number, ago_s: number) => {
    const time = timeBytes({ wall_us: at_us - ago_s * 1e6, is_summer: false });
    const value = [10, 0, 0, raw & 0xff, raw >> 8, 0, ...time];
    station.message([35, 1, causes.spontaneous, 0, 1, 0, ...value]);
  };
  measure(1000, causes.spontaneous);
  await settled();
  const act = (ago_s: number) => ({ type, address }: Told) => {
    if (type === read) return answer(type, causes.unknown_type | negative, address);
    answer(type, causes.confirmed, address);
    tell(600, ago_s);
  };
  deepEqual(shown(await send(60, act(600))).slice(0, 3), ["unconfirmed", 100, null]);
  deepEqual(shown(await send(60, act(0))), ["confirmed", 100, 60, null]);
  await close();
});

Deno.test("a station that reads no single point is asked for all, or tells nothing", async () => {
  const { station, send, told, answer, measure, close } = await opened();
  measure(1000, causes.spontaneous);
  await settled();
  const moved = await send(60, ({ type, address }) => {
    if (type === read) return answer(type, causes.unknown_type | negative, address);
    answer(type, causes.confirmed, address);
    measure(600, causes.spontaneous);
  });
  deepEqual(shown(moved), ["confirmed", 100, 60, null]);
  const quiet = await send(70, ({ type, address }) => answer(type, causes.confirmed, address));
  deepEqual(shown(quiet).slice(0, 3), ["unconfirmed", 60, null]);
  match(quiet.reason!, /^it was taken; it could not be read back: .*has not told limit since/);
  equal(told().filter(({ type }) => type === read).length, 1);
  equal(station.said.filter((it) => it === "command 100 of 1").length, 2);
  await close();
});

Deno.test("a connection that ends leaves no more than is known", async () => {
  const { station, send, measure, close } = await opened();
  const ended = await send(60, ({ type }) => {
    if (type === read) return measure(1000);
    station.bytes(undefined);
  });
  equal(ended.outcome, "unknown");
  const late = await send(60, () => {});
  deepEqual(shown(late), ["not_sent", null, null, "the device is not connected"]);
  await close();
});

Deno.test("each kind of command holds its values, and no others", () => {
  const bytes = (kind: CommandKind, raw: number, qualifier = 0, is_timed = false) => {
    const ready = readyCommand({ kind, station: 1, address: 70_000, qualifier }, { raw, is_timed });
    return ready && [ready.type, ...ready.bytes("execute", undefined).slice(9)];
  };
  deepEqual(bytes("single", 1, 2), [45, 9]);
  deepEqual(bytes("double", 2), [46, 2]);
  deepEqual([bytes("single", 2), bytes("double", 0), bytes("double", 3)], Array(3).fill(undefined));
  deepEqual(bytes("normalized", -0.5, 3), [48, 0x00, 0xc0, 3]);
  deepEqual([bytes("normalized", 1), bytes("scaled", 32_768)], [undefined, undefined]);
  deepEqual(bytes("scaled", -2), [49, 0xfe, 0xff, 0]);
  deepEqual(bytes("short", 1.5, 0, true), [63, 0, 0, 0xc0, 0x3f, 0]);
  deepEqual(bytes("bits", 0xdead_beef), [51, 0xef, 0xbe, 0xad, 0xde]);
  const isRepeated = (kind: CommandKind, raw: number, ...element: number[]) =>
    readyCommand({ kind, station: 1, address: 1, qualifier: 1 }, { raw, is_timed: false })!
      .isRepeatedIn(Uint8Array.from(element));
  deepEqual(
    [isRepeated("single", 1, 0x81), isRepeated("single", 1, 0x84), isRepeated("double", 2, 2)],
    [true, false, true],
  );
  deepEqual(
    [isRepeated("scaled", -2, 0xfe, 0xff, 0x80), isRepeated("scaled", -2, 0xfe, 0xfe, 0)],
    [true, false],
  );
  deepEqual([isRepeated("short", 1.5, 0, 0, 0xc0, 0x3f, 9), isRepeated("bits", 7, 8, 0, 0, 0)], [
    ...[true, false],
  ]);
  const place = { kind: "single", station: 258, address: 70_000, qualifier: 0 } as const;
  const ready = readyCommand(place, { raw: 1, is_timed: false })!;
  deepEqual([...ready.bytes("select", undefined)], [
    ...[45, 1, causes.activation, 0, 2, 1, 0x70, 0x11, 1, 0x81],
  ]);
});

Deno.test("a setpoint says where its values go", () => {
  const flaws = (point: object) =>
    iec104.flawsOf(iec104.form.parse({
      ...{ key: "sub", kind: "iec104", host: "h" },
      stations: [{ station: 1, points: [{ tag: "t", address: 1, ...point }] }],
    })).map(({ path, message }) => `${path}: ${message}`);
  const at = "stations[0].points[0]";
  deepEqual(flaws({ setpoint: limits }), [
    `${at}.command: is missing: the address and the type of what is sent to the setpoint`,
  ]);
  const command = { address: 70, type: "bits" };
  deepEqual(flaws({ command }), [`${at}.setpoint: is missing: without it nothing is sent`]);
  deepEqual(flaws({ setpoint: limits, command: { ...command, select: true, qualifier: 1 } }), [
    `${at}.command.select: can't be: bits have no selection`,
    `${at}.command.qualifier: can't be: bits have none`,
  ]);
  deepEqual(flaws({ setpoint: limits, command: { ...command, type: "single", qualifier: 32 } }), [
    `${at}.command.qualifier: is at most 31 for a switch`,
  ]);
});
