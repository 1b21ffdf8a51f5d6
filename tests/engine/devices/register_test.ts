// Plain registers: types, words, masks, values that are none, refusals, and how few requests.
import assert from "node:assert/strict";
import { modbus_driver } from "../../../src/engine/devices/modbus.ts";
import { SourceState } from "../../../src/engine/devices/state.ts";
import { modbus } from "../../../src/model/sources/kinds/modbus.ts";
import { blocksOf } from "../../../src/wire/sources/modbus.ts";
import { fakeEffects } from "../../help/effects.ts";
import { connectTo, fakeDevices } from "../../help/modbus.ts";
import { modbusSource, readingService, sourceTools } from "../../help/sources.ts";
import { turns } from "../../help/until.ts";

const source = (points: object[], map: object = {}) => {
  const maps = [{ key: "m", ...map, points }] as Parameters<typeof modbusSource>[1];
  return modbusSource(1, { maps } as Parameters<typeof modbusSource>[1]);
};

Deno.test("registers become samples by type, order of words, scale, mask and nan", async () => {
  const words = [0x0001, 0x0002, 0xffff, 0x0fa0, 0x1234, 0x7fff, 0x4142, 0x4300];
  const registers = Object.fromEntries(words.map((word, i) => [70 + i, word]));
  const devices = fakeDevices({ 1: registers });
  const map = { first_register: 40_001 };
  const service = await readingService(connectTo({ "plc:502": devices }), [
    source([
      { tag: "big", register: 40_071, type: "uint32" },
      { tag: "little", register: 40_071, type: "uint32", words: "little", scale: 0.1 },
      { tag: "minus", register: 40_073, type: "int16", offset: 5 },
      { tag: "gain", register: 40_074, type: "int16", scale: 0.01 },
      { tag: "masked", register: 40_075, mask: 0x0f00 },
      { tag: "none", register: 40_076, nan: [32_767] },
      { tag: "text", register: 40_077, type: "string", registers: 2 },
    ], map),
  ]);
  await service.passUntil(() => service.latest("text") !== undefined, "a sample");
  const values = ["big", "little", "minus", "gain", "masked", "none", "text"]
    .map((tag) => service.latest(tag)?.value);
  assert.deepEqual(values, [65_538, 13_107.3, 4, 40, 2, undefined, "ABC"]);
  assert.deepEqual(devices.asked[0], { unit: 1, code: 3, address: 70, count: 8 });
  await service.close();
});

Deno.test("input registers and bits are read by their own functions", async () => {
  const devices = fakeDevices({ 1: { 5: 1, 6: 0, 9: 77 } });
  const service = await readingService(connectTo({ "plc:502": devices }), [
    source([
      { tag: "on", register: 5, table: "coil" },
      { tag: "off", register: 6, table: "coil" },
      { tag: "in", register: 9, table: "input" },
    ]),
  ]);
  await service.passUntil(() => service.latest("in") !== undefined, "a sample");
  assert.deepEqual(["on", "off", "in"].map((tag) => service.latest(tag)?.value), [1, 0, 77]);
  const asked = devices.asked.slice(0, 2).map(({ code, count }) => [code, count]);
  assert.deepEqual(asked, [[1, 2], [4, 1]]);
  await service.close();
});

Deno.test("a device that refuses gaps is read without; a register that lacks is told", async () => {
  const devices = fakeDevices({ 1: { 10: 1, 14: 2, 15: 3 } });
  const points = [10, 14, 15, 16].map((register) => ({ tag: `r${register}`, register }));
  const service = await readingService(connectTo({ "plc:502": devices }), [source(points)]);
  await service.passUntil(() => service.latest("r15") !== undefined, "a sample");
  assert.deepEqual(["r10", "r14", "r15"].map((tag) => service.latest(tag)?.value), [1, 2, 3]);
  assert.equal(service.latest("r16"), undefined);
  const [{ state }] = await service.sources();
  assert.match(
    state.notes[0],
    /r16 is not read: .* no such register .*: is that right\?/,
  );
  const { protocol } = state.errors;
  await service.pass(1000, 10);
  const [later] = await service.sources();
  assert.equal(later.state.errors.protocol, protocol, "it is not asked for any more");
  assert.equal(later.state.connected, true);
  await service.close();
});

Deno.test("a device that refuses all is lost, until it gives something", async () => {
  const devices = fakeDevices({ 1: { 10: 7 } });
  const { answer } = devices;
  devices.answer = () => 4;
  const points = [{ tag: "r10", register: 10 }];
  const service = await readingService(connectTo({ "plc:502": devices }), [source(points)]);
  await service.pass(1000, 60);
  const [{ state: { connected, last_error } }] = await service.sources();
  assert.equal(connected, false);
  assert.match(last_error!, /the device has failed, or none has this unit id/);
  devices.answer = answer;
  await service.passUntil(() => service.latest("r10")?.value === 7, "a sample");
  await service.close();
});

Deno.test("words that come in the other order are told, with what they would give", async () => {
  const registers: Record<number, number> = { 10: 0, 11: 0, 12: 0, 13: 0 };
  const devices = fakeDevices({ 1: registers });
  const service = await readingService(connectTo({ "plc:502": devices }), [
    source([
      { tag: "{device}.p", register: 10, type: "uint32" },
      { tag: "{device}.e", register: 12, type: "uint32", words: "little" },
    ]),
  ]);
  await service.passUntil(() => service.latest("I1.p") !== undefined, "a sample");
  for (let i = 1; i <= 12; i++) {
    // The low word comes first.
    [registers[10], registers[12]] = [1000 + i, 1000 + i];
    await service.pass(1000);
  }
  const [{ state: { notes } }] = await service.sources();
  assert.equal(notes.length, 1, notes.join());
  assert.match(
    notes[0],
    /^I1: I1\.p changes as .* would be 10\d\d then: write words = "little"\?/,
  );
  await service.close();
});

Deno.test("a line that hangs is made anew, and so is one that is cut", async () => {
  const devices = fakeDevices({ 1: { 10: 1 } });
  const connect = connectTo({ "plc:502": devices });
  let opened = 0;
  let hangs = false;
  const service = await readingService(
    async (place) => {
      opened++;
      const line = await connect(place);
      return { ...line, send: (bytes) => hangs ? new Promise(() => {}) : line.send(bytes) };
    },
    [source([{ tag: "r", register: 10 }])],
  );
  await service.passUntil(() => service.latest("r") !== undefined, "a sample");
  devices.mangle = (reply) => [reply.subarray(0, 5), new Uint8Array(0)];
  await service.passUntil(() => opened === 2, "another connection");
  devices.mangle = undefined;
  await service.passUntil(() => service.latest("field.connected")?.value === 1, "a connection");
  await service.pass(1000, 5);
  hangs = true;
  const before = opened;
  await service.passUntil(() => opened > before, "another connection");
  hangs = false;
  const [{ state }] = await service.sources();
  assert.match(state.last_error, /nothing came for 30 s/);
  await service.passUntil(
    () => (service.clock.now_us - service.latest("r")!.ts_us) < 2e6,
    "a new sample",
  );
  await service.close();
});

Deno.test("a clock that is set by an hour and back costs no reading and doubles none", async () => {
  const { effects, clock } = fakeEffects("2026-06-01T12:00:00Z");
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const times: string[] = [];
  const tools = sourceTools({
    effects: { ...effects, connect: connectTo({ "plc:502": fakeDevices({ 1: { 10: 1 } }) }) },
    state,
    store(rows) {
      times.push(
        ...Array.from(rows, ({ ts_us }) => new Date(ts_us / 1000).toISOString().slice(11, 19)),
      );
      return Promise.resolve();
    },
  });
  const [link] = modbus_driver.open(modbus.form.parse(source([{ tag: "r", register: 10 }])), tools);
  const stop = new AbortController();
  const running = link.run(stop.signal, () => {});
  const pass = async () => {
    for (let i = 0; i < 20; i++) {
      await turns(5);
      clock.advance(100);
    }
    await turns(5);
  };
  await pass();
  clock.step(3_600_000);
  await pass();
  clock.step(-3_600_000);
  await pass();
  assert.deepEqual(times, [
    ...["12:00:00", "12:00:01", "12:00:02"],
    ...["13:00:03", "13:00:04", "12:00:05", "12:00:06"],
  ]);
  stop.abort();
  await running;
});

Deno.test("requests are few and short enough, and hold what belongs together", () => {
  const runs = [0, 1, 10, 40, 41, 300, 420].map((address) => (
    { table: "holding", address, count: 2 } as const
  ));
  const shape = { joining: "gaps", most: 125 } as const;
  assert.deepEqual(blocksOf(runs, shape).map(({ address, count }) => [address, count]), [
    [0, 12],
    [40, 3],
    [300, 2],
    [420, 2],
  ]);
  const long = Array.from({ length: 100 }, (_, i) => (
    { table: "input", address: 3 * i, count: 2 } as const
  ));
  const blocks = blocksOf(long, shape);
  assert.ok(blocks.every(({ count }) => count <= 125));
  assert.equal(blocks.length, 3);
  for (const run of long) {
    assert.ok(
      blocks.some(({ address, count }) =>
        address <= run.address && run.address + run.count <= address + count
      ),
    );
  }
});
