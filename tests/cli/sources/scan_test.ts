// `source scan`: what it finds and proposes, and what it says where it finds nothing.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { unreachable } from "../../../src/base/assert.ts";
import { runCli } from "../../../src/cli/cli.ts";
import { checkSiteFile } from "../../../src/model/site/check.ts";
import { fakeEffects } from "../../help/effects.ts";
import {
  checksum,
  connectTo,
  type FakeDevices,
  fakeDevices,
  inverterWords,
  sunspecRegisters,
} from "../../help/modbus.ts";
import { until } from "../../help/until.ts";
import { plain } from "../../help/site.ts";

/** Runs a command, its clock going on by itself; what it printed. */
async function run(places: Readonly<Record<string, FakeDevices>>, ...args: string[]) {
  const { effects, printed, clock } = fakeEffects();
  const openService = () => unreachable(undefined as never);
  const connect = connectTo(places);
  const context = { effects: { ...effects, connect }, version: "0", openService };
  let code: number | undefined;
  runCli(["source", "scan", ...args], context).then((it) => code = it);
  let turns = 0;
  await until(() => {
    if (++turns % 20 === 0) clock.advance(100);
    return code !== undefined;
  });
  return { code, ...printed };
}

const text = (word: string, registers: number) =>
  Array.from({ length: registers }, (_, i) => {
    const at = (j: number) => word.charCodeAt(2 * i + j) || 0;
    return at(0) << 8 | at(1);
  });

const common = (make: string, model: string, serial: string) => [
  ...[...text(make, 16), ...text(model, 16), ...text("", 8), ...text("1.2", 8)],
  ...[...text(serial, 16), 1, 0x8000],
];

const rated = (watts: number) => [4, watts / 100, 2, ...new Array(23).fill(0xffff)];

const strings = [
  ...[-2, -1, 0, 0].map((it) => it & 0xffff),
  ...[0, 0, 2, 0],
  ...[1, 2].flatMap((number) => [
    ...[number, ...text(`S${number}`, 8), 510, 6001, 3060],
    ...[0, 100, 0, 0, 0x8000, 4, 0, 0],
  ]),
];

const inverter = (serial: string) =>
  sunspecRegisters([
    [1, common("ACME", 'X "1"', serial)],
    [103, inverterWords({ w: 8125, wh: 1000 })],
    [120, rated(10_000)],
    [160, strings],
    [64_999, [1, 2]],
  ]);

const meter = () => {
  const words = new Array(105).fill(0xffff);
  [words[16], words[20], words[36], words[37], words[52]] = [500, 0xffff, 0, 7, 0];
  [words[20], words[44], words[45]] = [0, 0, 0];
  return sunspecRegisters([[1, common("ACME", "M", "M1")], [203, words]]);
};

Deno.test("a scan proposes devices, tags, sensors and states that a site takes", async () => {
  const devices = fakeDevices({
    1: inverter("A1"),
    2: inverter("A2"),
    3: inverter("A1"),
    4: meter(),
    5: { 0: 7, 1: 8 },
  });
  const { code, out, err } = await run({ "plc:1502": devices }, "plc:1502", "--units", "1-6");
  assert.equal(code, 0, err);
  assert.match(err, /unit 1: ACME X "1" A1, models 1, 103, 120, 160, 64999/);
  assert.match(err, /unit 1: model 64999 .* none of SunSpec's/);
  assert.match(err, /unit 3 is the same device as unit 1/);
  assert.match(err, /unit 5 answers, but not with SunSpec/);
  const { blocks: _blocks, devices: _devices, tags: _tags, sensors: _sensors, ...rest } = plain;
  const file = checkSiteFile({ ...rest, ...parse(out) });
  assert.deepEqual(
    file.devices.map(({ key, type, event_tag }) => [key, type, event_tag]),
    [
      ["INV-1", "inverter", "INV-1.events"],
      ["INV-2", "inverter", "INV-2.events"],
      ["MTR-4", "meter", undefined],
    ],
  );
  assert.deepEqual(file.device_models, [
    { key: 'ACME X "1"', status: "sunspec", events: "sunspec" },
  ]);
  const sensorOf = (tag: string) => file.sensors.find((it) => it.tag === tag)!;
  assert.equal(sensorOf("INV-1.p_w").capacity, 10_000);
  assert.equal(sensorOf("INV-1.e_wh").accumulation, "counter");
  assert.equal(sensorOf("INV-2.mppt2_dcv").component, "mppt");
  assert.equal(sensorOf("MTR-4.export_wh").measure, "active_energy_delivered");
  assert.equal(sensorOf("MTR-4.import_wh"), undefined);
  const [source] = file.sources;
  assert.ok(source.kind === "modbus");
  assert.equal(source.port, 1502);
  assert.equal(source.maps.length, 2);
  assert.deepEqual(source.units.map(({ unit, device }) => [unit, device]), [
    [1, "INV-1"],
    [2, "INV-2"],
    [4, "MTR-4"],
  ]);
});

Deno.test("a scan that finds nothing says what to try", async () => {
  const refused = await run({}, "plc", "--units", "1");
  assert.equal(refused.code, 1);
  assert.match(refused.err, /refused.*port 1502/);
  const silent = await run({ "plc:502": fakeDevices({}) }, "plc", "--units", "1-3");
  assert.match(silent.err, /no unit of 3 answers.*--transport rtu/);
  const other = await run({ "plc:502": fakeDevices({ 1: { 0: 1, 1: 2 } }) }, "plc", "--units", "1");
  assert.match(other.err, /no unit speaks SunSpec/);
  const devices = fakeDevices({ 1: inverter("A1") });
  devices.mangle = (reply) => {
    const body = [...reply.subarray(6)];
    return [new Uint8Array([...body, ...checksum(body)])];
  };
  const framed = await run({ "plc:502": devices }, "plc", "--units", "1");
  assert.match(framed.err, /not framed for TCP: try transport = "rtu"/);
  const gone = fakeDevices({});
  gone.answer = () => 11;
  const gateway = await run({ "plc:502": gone }, "plc", "--units", "1-2");
  assert.match(gateway.err, /no unit of 2 answers/);
});

Deno.test("a scan's arguments are checked", async () => {
  assert.match((await run({}, "http://plc")).err, /give an address such as 10\.0\.0\.12/);
  assert.match((await run({}, "plc:99999")).err, /give an address/);
  assert.match((await run({}, "plc", "--units", "5-2")).err, /give unit ids from 0 to 255/);
  assert.match((await run({}, "plc", "--transport", "udp")).err, /give tcp or rtu/);
});
