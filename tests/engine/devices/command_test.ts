// Commands to setpoints: whose turn it is, how a connection's end leaves them, what confirms them.
import { deepEqual, equal } from "node:assert/strict";
import { carryOut, HeardValues, WaitingCommands } from "../../../src/engine/devices/command.ts";
import { modbus_driver } from "../../../src/engine/devices/modbus.ts";
import { mqtt_driver } from "../../../src/engine/devices/mqtt.ts";
import { SourceState } from "../../../src/engine/devices/state.ts";
import type { CommandEnd } from "../../../src/model/setpoints/setpoint.ts";
import { modbus } from "../../../src/model/sources/kinds/modbus.ts";
import { mqtt } from "../../../src/model/sources/kinds/mqtt.ts";
import { FakeBroker } from "../../help/broker.ts";
import { fakeEffects } from "../../help/effects.ts";
import { connectTo, fakeDevices } from "../../help/modbus.ts";
import { modbusSource, sourceTools } from "../../help/sources.ts";
import { turns } from "../../help/until.ts";

const limits = { unit: "%", min: 0, max: 100, every_s: 1, confirm_ms: 1_000 };
const command = (value: number) => ({ tag: "t", value, limits });
const done: CommandEnd = { outcome: "confirmed", reason: null, before: null, after: null };

Deno.test("a command that outlives its connection leaves the next one its ears", async () => {
  const { effects } = fakeEffects();
  const queue = new WaitingCommands<string>(effects);
  const carried: number[] = [];
  const held = Promise.withResolvers<CommandEnd>();
  /** A connection, until it is ended. */
  const connection = (carry: () => Promise<CommandEnd>) => {
    const ended = Promise.withResolvers<void>();
    const running = queue.beside({
      signal: new AbortController().signal,
      reading: () => ended.promise,
      carry({ value }) {
        carried.push(value);
        return carry();
      },
    });
    return async () => {
      ended.resolve();
      await running;
    };
  };
  const endFirst = connection(() => held.promise);
  const first = queue.send({ ...command(1), sender: "d" });
  await turns(5);
  await endFirst();
  const endNext = connection(() => Promise.resolve(done));
  await turns(5);
  held.resolve(done);
  equal(await first, done);
  await turns(5);
  const second = queue.send({ ...command(2), sender: "d" });
  await turns(5);
  deepEqual(carried, [1, 2]);
  equal(await second, done);
  await endNext();
});

Deno.test("a connection that ends long after it was told to leaves the next one open", async () => {
  const { effects } = fakeEffects();
  const queue = new WaitingCommands<string>(effects);
  const connection = () => {
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    const running = queue.beside({
      signal: stop.signal,
      reading: () => ended.promise,
      carry: () => Promise.resolve(done),
    });
    return { stop, ended, running };
  };
  const former = connection();
  former.stop.abort();
  const next = connection();
  former.ended.resolve();
  await former.running;
  equal(await queue.send({ ...command(1), sender: "d" }), done);
  next.ended.resolve();
  await next.running;
  equal((await queue.send({ ...command(2), sender: "d" })).outcome, "not_sent");
});

Deno.test("a device that is left before its time to confirm is over refuses nothing", async () => {
  const { effects, clock } = fakeEffects();
  const stop = new AbortController();
  const way = {
    read: () => Promise.resolve(100),
    valueOf: (held: number) => held,
    messageOf: (value: number) => ({ value }),
    write: () => Promise.resolve(),
    has: () => false,
  };
  const carrying = carryOut(way, command(60), { effects, signal: stop.signal });
  await turns(5);
  clock.advance(300);
  await turns(5);
  stop.abort();
  deepEqual(await carrying, {
    outcome: "unknown",
    reason: "the connection ended before the time to confirm it was over; it has 100 %",
    ...{ before: 100, after: 100 },
  });
});

Deno.test("a value is not sent to a device that is left while it is read", async () => {
  const { effects } = fakeEffects();
  const stop = new AbortController();
  const written: number[] = [];
  const way = {
    read() {
      stop.abort();
      return Promise.resolve(100);
    },
    valueOf: (held: number) => held,
    messageOf: (value: number) => ({ value }),
    write: ({ value }: { value: number }) => Promise.resolve(void written.push(value)),
    has: () => false,
  };
  const ended = await carryOut(way, command(60), { effects, signal: stop.signal });
  deepEqual([ended.outcome, ended.reason, written], ["not_sent", "the connection has ended", []]);
});

/** Two units with SunSpec behind one address, and a connection that is being read. */
function reading() {
  const { effects, clock } = fakeEffects();
  const entry = modbus.form.parse(modbusSource(
    2,
    {
      maps: [{
        key: "m",
        points: [
          { tag: "{device}.w", sunspec: "103.W" },
          { tag: "{device}.limit", register: 10, setpoint: limits },
        ],
      }],
    } as Parameters<typeof modbusSource>[1],
  ));
  const devices = fakeDevices({ 1: { 10: 100 }, 2: { 10: 100 } });
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const connect = connectTo({ "plc:502": devices });
  const store = () => Promise.resolve();
  const tools = sourceTools({ state, effects: { ...effects, connect }, store });
  const [link] = modbus_driver.open(entry, tools);
  const stop = new AbortController();
  const running = link.run(stop.signal, () => {}).catch(() => {});
  const ends = new Map<string, CommandEnd>();
  return {
    devices,
    ends,
    send(device: string, value: number) {
      const tag = `${device}.limit`;
      link.send!({ tag, value, limits })!.then((it) => ends.set(device, it));
    },
    /** Lets time pass until so many commands have ended. */
    async pass(count: number) {
      for (let i = 0; i < 400 && ends.size < count; i++) {
        await turns(2);
        clock.advance(100);
      }
    },
    async close() {
      stop.abort();
      await running;
    },
  };
}

Deno.test("a connection that breaks at one command ends those behind it", async () => {
  const { devices, ends, send, pass, close } = reading();
  // The first look at unit 1 goes unanswered; at the next one, for the command, the line is cut.
  let is_cut = false;
  devices.mangle = () => is_cut ? [new Uint8Array(0)] : [];
  await turns(5);
  is_cut = true;
  send("I1", 50);
  send("I2", 60);
  await pass(2);
  deepEqual([...ends.values()].map(({ outcome }) => outcome), ["not_sent", "not_sent"]);
  equal(ends.get("I2")!.reason, "the connection has ended");
  await close();
});

Deno.test("a command that comes while its source is being stopped is not sent", async () => {
  const { effects, clock } = fakeEffects();
  const broker = new FakeBroker();
  const entry = mqtt.form.parse({
    ...{ key: "b", kind: "mqtt", host: "b", topics: [{ topic: "plant/t", tag: "t" }] },
    setpoints: [{ tag: "t", topic: "cmd/t", device: "I1", setpoint: limits }],
  });
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const store = () => Promise.resolve();
  const { connect } = broker;
  const tools = sourceTools({ state, effects: { ...effects, connect }, store });
  const newest = () => Promise.resolve(undefined);
  const [link] = mqtt_driver.open(entry, { ...tools, newest });
  const stop = new AbortController();
  const running = link.run(stop.signal, () => {});
  await turns(10);
  stop.abort();
  let ended: CommandEnd | undefined;
  link.send!(command(60))!.then((it) => ended = it);
  for (let i = 0; i < 100 && ended === undefined; i++) {
    await turns(2);
    clock.advance(100);
  }
  deepEqual([ended?.outcome, ended?.reason], ["not_sent", "the device is not connected"]);
  deepEqual(broker.published, []);
  await running;
});

Deno.test("what is not good, or was kept for later, confirms nothing", async () => {
  const ts_us = 0;
  const outcomeOf = async (row: { readonly status_code?: number }, is_kept = false) => {
    const { effects, clock } = fakeEffects();
    const heard = new HeardValues(["t"]);
    heard.hear([{ tag: "t", ts_us, value: 100 }]);
    const way = heard.way<{ readonly value: number }>("t", {
      messageOf: (value) => ({ value }),
      write({ value }) {
        heard.hear([{ tag: "t", ts_us, value, ...row }], () => is_kept);
        return Promise.resolve();
      },
    });
    let ended: CommandEnd | undefined;
    const { signal } = new AbortController();
    carryOut(way, command(60), { effects, signal }).then((it) => ended = it);
    for (let i = 0; i < 100 && ended === undefined; i++) {
      await turns(2);
      clock.advance(100);
    }
    return [ended!.outcome, ended!.before, ended!.after];
  };
  deepEqual(await outcomeOf({}), ["confirmed", 100, 60]);
  deepEqual(await outcomeOf({ status_code: 0x4000_0000 }), ["unconfirmed", 100, null]);
  deepEqual(await outcomeOf({ status_code: 0x8000_0000 }), ["unconfirmed", 100, null]);
  deepEqual(await outcomeOf({}, true), ["unconfirmed", 100, null]);
});
