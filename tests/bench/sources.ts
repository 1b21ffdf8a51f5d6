// `deno run -A tests/bench/sources.ts [inverters=50] [seconds=20]`: devices read each second.
import { sourceTools } from "../help/sources.ts";
import { cpuUsage } from "node:process";
import { systemEffects } from "../../src/base/effects.ts";
import { keepRunning } from "../../src/engine/devices/driver.ts";
import { modbus_driver } from "../../src/engine/devices/modbus.ts";
import { UnitReader } from "../../src/engine/devices/modbus_unit.ts";
import { SourceState } from "../../src/engine/devices/state.ts";
import { modbus } from "../../src/model/sources/kinds/modbus.ts";
import { fakeDevices, inverterWords, listenFor, sunspecRegisters } from "../help/modbus.ts";
import { startServer } from "../help/process.ts";
import { plain } from "../help/site.ts";

/** Points of model 103 that an inverter has. */
const names = [
  ...["A", "AphA", "AphB", "AphC", "PPVphAB", "PPVphBC", "PPVphCA", "PhVphA", "PhVphB", "PhVphC"],
  ...["W", "Hz", "VA", "VAr", "PF", "WH", "DCA", "DCV", "DCW", "St"],
];

function inverterRegisters(): Readonly<Record<number, number>> {
  const words = inverterWords({ w: 8125, wh: 123_456 });
  // All of it is there.
  const full = words.map((word) => word === 0xffff ? 1 : word);
  return sunspecRegisters([[1, new Array(66).fill(0x4141)], [103, full]]);
}

/** Inverters, each at a port of its own, in this process; prints the ports. */
function serveDevices(count: number): void {
  const registers = inverterRegisters();
  const ports = Array.from({ length: count }, () => listenFor(fakeDevices({ 1: registers })).port);
  systemEffects().out(JSON.stringify(ports) + "\n");
}

async function startDevices(count: number) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(import.meta.url).pathname, "devices", `${count}`],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) said += (await reader.read()).value ?? "";
  return {
    ports: JSON.parse(said) as number[],
    async end() {
      child.kill();
      await reader.cancel();
      await child.status;
    },
  };
}

const sourceOf = (ports: readonly number[], every_s = 1) => ({
  key: "field",
  kind: "modbus",
  host: "127.0.0.1",
  every_s,
  maps: [{
    key: "m",
    points: names.map((name) => ({ tag: `{device}.${name}`, sunspec: `103.${name}` })),
  }],
  units: ports.map((port, i) => ({ unit: 1, port, map: "m", device: `I${i + 1}` })),
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const print = (text: string) => systemEffects().out(text + "\n");

/** What becomes of answers that are there already: processor time of a warm program. */
async function decodeAlone(): Promise<void> {
  let now_us = 0;
  const effects = { ...systemEffects(), now_us: () => now_us };
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const entry = modbus.form.parse(sourceOf([502]));
  const device = state.device("I1", []);
  const parts = { unit: entry.units[0], map: entry.maps[0], device, state, effects };
  const reader = new UnitReader({ entry, ...parts });
  const registers = inverterRegisters();
  const client = {
    read({ address, count }: { readonly address: number; readonly count: number }) {
      const bytes = new Uint8Array(2 * count);
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < count; i++) view.setUint16(2 * i, registers[address + i] ?? 0);
      return Promise.resolve(bytes);
    },
  };
  const share = async (polls: number) => {
    let values = 0;
    const before = cpuUsage();
    for (let i = 0; i < polls; i++) {
      now_us += 1_000_000;
      values += (await reader.read(client)).length;
    }
    const { user, system } = cpuUsage(before);
    return (user + system) / values / 10;
  };
  await share(1000);
  print(`decoding alone: ${(await share(5000)).toFixed(2)} % of a core for each 1000 values/s`);
}

/** The driver alone: processor time, and how long after the second the last inverter is read. */
async function driverAlone(ports: readonly number[], seconds: number): Promise<void> {
  const effects = systemEffects();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  let values = 0;
  const late = new Map<number, number>();
  const emit = (rows: readonly unknown[]) => {
    values += rows.length;
    const now_ms = Date.now();
    const second = Math.floor(now_ms / 1000);
    late.set(second, now_ms - second * 1000);
    return Promise.resolve();
  };
  const tools = sourceTools({ effects, state, store: emit });
  const begin = (every_s: number) => {
    const stop = new AbortController();
    const entry = modbus.form.parse(sourceOf(ports, every_s));
    const links = modbus_driver.open(entry, tools);
    const running = links.map((link) => keepRunning(link, tools, stop.signal));
    return async () => {
      stop.abort();
      await Promise.all(running);
    };
  };
  // A gateway runs for months: what the runtime takes to get warm is no cost of a reading.
  const endWarm = begin(0.1);
  await pause(10_000);
  await endWarm();
  const end = begin(1);
  await pause(3000);
  values = 0;
  late.clear();
  const before = cpuUsage();
  await pause(seconds * 1000);
  const { user, system } = cpuUsage(before);
  const cycles = [...late.values()].sort((a, b) => a - b);
  await end();
  const share = (user + system) / 1e4 / seconds;
  const rate = values / seconds;
  print(
    `driver alone: ${rate.toFixed(0)} values/s, ${share.toFixed(2)} % of a core, ` +
      `${(share * 1000 / rate).toFixed(2)} % for each 1000 values/s; last inverter read after ` +
      `${cycles[cycles.length >> 1]} ms, at worst ${cycles.at(-1)} ms`,
  );
}

/** A whole service: what it takes more than one that reads nothing. */
async function wholeService(ports: readonly number[], seconds: number): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-sources-" });
  const server = await startServer(folder);
  const cpu_s = async () => {
    const fields = (await Deno.readTextFile(`/proc/${server.pid}/stat`)).split(") ")[1].split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  const used = async () => {
    const before_s = await cpu_s();
    await pause(seconds * 1000);
    return 100 * (await cpu_s() - before_s) / seconds;
  };
  try {
    await pause(3000);
    const idle = await used();
    const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
    const devices = ports.map((_, i) => ({ key: `I${i + 1}`, type: "inverter" }));
    const file = { ...rest, devices, sources: [sourceOf(ports)] };
    const headers = {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/json",
    };
    const answer = await fetch(`${server.address}/admin/v1/sites/s`, {
      ...{ method: "PUT", headers, body: JSON.stringify(file) },
    });
    if (!answer.ok) throw new Error(await answer.text());
    await pause(5000);
    const busy = await used();
    const sources = await fetch(`${server.address}/platform/v1/sources?project_id=p`, { headers });
    const [{ state }] = await sources.json();
    print(
      `whole service: ${busy.toFixed(1)} % of a core, ${idle.toFixed(1)} % without sources; ` +
        `connected ${state.connected}, errors ${JSON.stringify(state.errors)}`,
    );
  } finally {
    await server.end("SIGTERM");
    await Deno.remove(folder, { recursive: true });
  }
}

const [first = "50", second = "20"] = Deno.args;
if (first === "devices") serveDevices(Number(second));
else {
  const devices = await startDevices(Number(first));
  await decodeAlone();
  await driverAlone(devices.ports, Number(second));
  await wholeService(devices.ports, Number(second));
  await devices.end();
}
