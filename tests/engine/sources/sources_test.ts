// Sources that are read: values, lost devices, changes of the site, and what is told of them.
import assert from "node:assert/strict";
import { connectTo, fakeDevices, inverterWords, sunspecRegisters } from "../../help/modbus.ts";
import { modbusSource, readingService } from "../../help/sources.ts";

const registersOf = (more: Partial<Parameters<typeof inverterWords>[0]> = {}) =>
  sunspecRegisters([
    [1, new Array(66).fill(0x4141)],
    [64_999, [1, 2, 3]],
    [103, inverterWords({ w: 812, w_sf: 1, wh: 123_456, ...more })],
  ]);

Deno.test("a source's points become samples, with scale factors and codes", async () => {
  const devices = fakeDevices({ 1: registersOf() });
  const service = await readingService(connectTo({ "plc:502": devices }), [modbusSource(1)]);
  await service.passUntil(() => service.latest("I1.wh") !== undefined, "a sample");
  assert.equal(service.latest("I1.w")?.value, 8120);
  assert.equal(service.latest("I1.wh")?.value, 123_456);
  assert.equal(service.latest("I1.st")?.value, 4);
  assert.equal(service.services.catalog.findTag(1, "signal", "I1.st")?.encoding, "integer");
  assert.equal(service.latest("I1.w")?.quality, 0);
  assert.equal(service.latest("field.connected")?.value, 1);
  await service.close();
});

Deno.test("a scale factor that changes counts from the sample on that it came with", async () => {
  const devices = fakeDevices({ 1: registersOf() });
  const service = await readingService(connectTo({ "plc:502": devices }), [modbusSource(1)]);
  await service.passUntil(() => service.latest("I1.w") !== undefined, "a sample");
  devices.answer = fakeDevices({ 1: registersOf({ w: 8125, w_sf: 0 }) }).answer;
  await service.passUntil(() => service.latest("I1.w")?.value !== 8120, "another sample");
  assert.equal(service.latest("I1.w")?.value, 8125);
  await service.close();
});

Deno.test("what is not implemented gives no sample", async () => {
  const registers = registersOf({ w: -0x8000, st: 0xffff });
  const devices = fakeDevices({ 1: registers });
  const service = await readingService(connectTo({ "plc:502": devices }), [modbusSource(1)]);
  await service.passUntil(() => service.latest("I1.wh") !== undefined, "a sample");
  await service.pass(1000, 5);
  assert.equal(service.latest("I1.w"), undefined);
  assert.equal(service.latest("I1.st"), undefined);
  await service.close();
});

Deno.test("a lost device's tags get one bad sample, and values when it is back", async () => {
  const devices = fakeDevices({ 1: registersOf() });
  const service = await readingService(connectTo({ "plc:502": devices }), [modbusSource(1)]);
  await service.passUntil(() => service.latest("I1.w") !== undefined, "a sample");
  const { answer } = devices;
  devices.answer = () => "silent";
  await service.passUntil(() => service.latest("I1.w")?.quality === 2, "a bad sample");
  const lost = service.latest("I1.w")!;
  assert.equal(lost.value, null);
  assert.equal(service.latest("I1.st")?.quality, 2);
  assert.equal(service.latest("field.connected")?.value, 0);
  const at_us = lost.ts_us;
  await service.pass(1000, 150);
  assert.equal(service.latest("I1.w")?.ts_us, at_us, "one bad sample, no more");
  assert.ok(Number(service.latest("field.timeouts")?.value) >= 2);
  assert.ok(Number(service.latest("field.last_value_age_s")?.value) >= 60);
  devices.answer = answer;
  await service.passUntil(() => service.latest("I1.w")?.value === 8120, "a value");
  assert.equal(service.latest("field.connected")?.value, 1);
  await service.close();
});

Deno.test("one dead unit of 50 holds no other for longer than its timeout", async () => {
  const units = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i + 1, registersOf()]));
  delete units[17];
  const devices = fakeDevices(units);
  const service = await readingService(connectTo({ "plc:502": devices }), [modbusSource(50)]);
  await service.passUntil(() => service.latest("I50.w") !== undefined, "the last unit's sample");
  await service.passUntil(() => service.latest("I17.w")?.quality === 2, "a bad sample");
  devices.asked.length = 0;
  let oldest_s = 0;
  for (let second = 0; second < 60; second++) {
    await service.pass(1000);
    const now_us = service.clock.now_us;
    oldest_s = Math.max(oldest_s, (now_us - service.latest("I50.w")!.ts_us) / 1e6);
  }
  // A second of its own, and the dead one's second.
  assert.ok(oldest_s <= 2, `${oldest_s} s`);
  const asked = devices.asked.filter(({ unit }) => unit === 17).length;
  assert.ok(asked >= 1 && asked <= 10, `asked ${asked} times in a minute`);
  const [{ state }] = await service.sources();
  assert.equal(state.devices.filter((it: { connected: boolean }) => it.connected).length, 49);
  await service.close();
});

Deno.test("a dead address holds no other one, of the same source or of others", async () => {
  const devices = fakeDevices({ 1: registersOf() });
  const source = modbusSource(2, {
    units: [
      { unit: 1, map: "m", device: "I1", host: "dead" },
      { unit: 1, map: "m", device: "I2" },
    ],
  });
  const service = await readingService(connectTo({ "plc:502": devices }), [source]);
  await service.passUntil(() => service.latest("I2.w") !== undefined, "a sample");
  await service.passUntil(() => service.latest("I1.w")?.quality === 2, "a bad sample");
  const [{ state }] = await service.sources();
  assert.match(state.devices[0].last_error, /refused/);
  assert.ok(state.errors.refused >= 2);
  assert.equal(state.devices[1].connected, true);
  await service.close();
});

Deno.test("a changed source alone begins again, and a removed one ends", async () => {
  const first = fakeDevices({ 1: registersOf() });
  const second = fakeDevices({ 1: registersOf() });
  const connect = connectTo({ "plc:502": first, "other:502": second });
  const opened: string[] = [];
  const counted: typeof connect = (place) => {
    opened.push(place.host);
    return connect(place);
  };
  const other = modbusSource(1, {
    key: "other",
    host: "other",
    units: [{ unit: 1, map: "m", device: "I2" }],
  });
  const service = await readingService(counted, [modbusSource(1), other]);
  await service.passUntil(() => service.latest("I2.w") !== undefined, "a sample");
  const report = await service.apply([modbusSource(1, { every_s: 2 }), other]);
  assert.deepEqual(
    report.changes.map(({ action, kind, key }: Record<string, string>) => [action, kind, key]),
    [["update", "source", "field"]],
  );
  await service.passUntil(() => opened.length === 3, "another connection");
  assert.deepEqual(opened.toSorted(), ["other", "plc", "plc"]);
  await service.apply([other]);
  await service.pass(1000, 3);
  first.asked.length = 0;
  await service.pass(1000, 5);
  assert.equal(first.asked.length, 0);
  assert.equal((await service.sources()).length, 1);
  await service.close();
});

Deno.test("the state tells unknown models and missing points, with what is near", async () => {
  const source = modbusSource(1, {
    maps: [{
      key: "m",
      points: [
        { tag: "{device}.w", sunspec: "103.W" },
        { tag: "{device}.a", sunspec: "103:2.W" },
        { tag: "{device}.b", sunspec: "113.W" },
      ],
    }],
  });
  const devices = fakeDevices({ 1: registersOf() });
  const service = await readingService(connectTo({ "plc:502": devices }), [source]);
  await service.passUntil(() => service.latest("I1.w") !== undefined, "a sample");
  const [{ state: { notes } }] = await service.sources();
  assert.match(notes.join("\n"), /model 64999 .* none of SunSpec's: skipped/);
  assert.match(notes.join("\n"), /no point 103:2\.W; meant 103\.W/);
  assert.match(notes.join("\n"), /no SunSpec model 113, only 1, 64999, 103/);
  await service.close();
});

Deno.test("a device that has nothing of what is wanted is lost, and says why", async () => {
  const source = modbusSource(1, {
    maps: [{ key: "m", points: [{ tag: "{device}.b", sunspec: "113.W" }] }],
  });
  const devices = fakeDevices({ 1: registersOf() });
  const service = await readingService(connectTo({ "plc:502": devices }), [source]);
  await service.passUntil(() => service.latest("field.connected")?.value === 0, "the loss");
  const [{ state }] = await service.sources();
  assert.match(state.devices[0].last_error, /no SunSpec model 113, only 1, 64999, 103/);
  await service.close();
});

Deno.test("a base at which there is nothing is told, with where SunSpec is", async () => {
  const devices = fakeDevices({ 1: registersOf() });
  const units = [{ unit: 1, map: "m", device: "I1", base: 40_001 }];
  const connect = connectTo({ "plc:502": devices });
  const service = await readingService(connect, [modbusSource(1, { units })]);
  await service.passUntil(() => service.latest("field.connected")?.value === 0, "a loss");
  const [{ state }] = await service.sources();
  assert.match(
    state.devices[0].last_error,
    /no SunSpec at register 40001, but at 40000: leave base out/,
  );
  await service.close();
});

Deno.test("a device that only takes connections and closes them is lost", async () => {
  const plain = { tag: "{device}.w", register: 7 };
  const source = modbusSource(1, { maps: [{ key: "m", points: [plain] }] });
  const devices = fakeDevices({ 1: { 7: 42 } });
  const service = await readingService(connectTo({ "plc:502": devices }), [source]);
  await service.passUntil(() => service.latest("I1.w")?.value === 42, "a sample");
  devices.mangle = () => [new Uint8Array(0)];
  await service.passUntil(() => service.latest("I1.w")?.quality === 2, "a bad sample");
  await service.pass(1000, 90);
  const [{ state }] = await service.sources();
  assert.equal(state.connected, false);
  assert.equal(service.latest("field.connected")?.value, 0);
  await service.close();
});
