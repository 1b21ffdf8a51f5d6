// `deno run -A tests/bench/sources.ts [inverters=50] [seconds=20]`: devices read each second.
import { sourceTools } from "../help/sources.ts";
import { cpuUsage } from "node:process";
import { systemEffects } from "../../src/base/effects.ts";
import { keepRunning } from "../../src/engine/devices/driver.ts";
import { modbus_driver } from "../../src/engine/devices/modbus.ts";
import { UnitReader } from "../../src/engine/devices/modbus_unit.ts";
import { SourceState } from "../../src/engine/devices/state.ts";
import { modbus } from "../../src/model/sources/kinds/modbus.ts";
import { inverterRegisters, type Plant, startInverters } from "./source_plants.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const print = (text: string) => systemEffects().out(text + "\n");

/** What becomes of answers that are there already: processor time of a warm program. */
async function decodeAlone(): Promise<void> {
  let now_us = 0;
  const effects = { ...systemEffects(), now_us: () => now_us };
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  const entry = modbus.form.parse(plant.source);
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
async function driverAlone(source: Plant["source"], seconds: number): Promise<void> {
  const effects = systemEffects();
  const state = new SourceState({ now_us: effects.now_us, changed: () => {} });
  let values = 0;
  const late = new Map<number, number>();
  const emit = (rows: { readonly length: number }) => {
    values += rows.length;
    const now_ms = Date.now();
    const second = Math.floor(now_ms / 1000);
    late.set(second, now_ms - second * 1000);
    return Promise.resolve();
  };
  const tools = sourceTools({ effects, state, store: emit });
  const begin = (every_s: number) => {
    const stop = new AbortController();
    const entry = modbus.form.parse({ ...source, every_s });
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

const [count = 50, seconds = 20] = Deno.args.map(Number);
const plant = await startInverters(count);
await decodeAlone();
await driverAlone(plant.source, seconds);
await plant.end();
