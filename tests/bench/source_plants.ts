// Plants that a bench reads, a kind of source each: 1 000 values a second, each second's anew. They
// are processes of their own, so that what they take is nobody's cost.
import { Buffer } from "node:buffer";
import { generate, parser } from "mqtt-packet";
import { systemEffects } from "../../src/base/effects.ts";
import { fakeDevices, inverterWords, listenFor, sunspecRegisters } from "../help/modbus.ts";
import { freePort, startServer } from "../help/opcua.ts";
import type { SourceInput } from "../help/sources.ts";

/** Values that each plant has, a second. */
export const plant_values = 1_000;

const host = "127.0.0.1";

/** What reads a plant, the tags that it brings, and how the plant is ended. */
export type Plant = {
  readonly source: SourceInput;
  readonly tags: readonly string[];
  readonly end: () => Promise<void>;
};

/** How each is begun. */
export const plants = {
  modbus: startInverters,
  opcua: startVariables,
  mqtt: startBroker,
  iec104: startStation,
} as const;

/** Points of model 103 that an inverter has. */
const inverter_points = [
  ...["A", "AphA", "AphB", "AphC", "PPVphAB", "PPVphBC", "PPVphCA", "PhVphA", "PhVphB", "PhVphC"],
  ...["W", "Hz", "VA", "VAr", "PF", "WH", "DCA", "DCV", "DCW", "St"],
];

/** Registers of an inverter that has all of the points. */
export function inverterRegisters(): Record<number, number> {
  const words = inverterWords({ w: 8125, wh: 123_456 }).map((it) => it === 0xffff ? 1 : it);
  return sunspecRegisters([[1, new Array(66).fill(0x4141)], [103, words]]);
}

/** Inverters by SunSpec, each at an address of its own. */
export async function startInverters(
  count = plant_values / inverter_points.length,
): Promise<Plant> {
  const { said: ports, end } = await startPlant<readonly number[]>(["modbus", `${count}`]);
  const points = inverter_points.map((name) => ({
    tag: `I{unit}.${name}`,
    sunspec: `103.${name}`,
  }));
  return {
    source: {
      ...{ key: "bench", kind: "modbus", host, every_s: 1 },
      maps: [{ key: "m", points }],
      units: ports.map((port, i) => ({ unit: i + 1, port, map: "m" })),
    },
    tags: ports.flatMap((_, i) => inverter_points.map((name) => `I${i + 1}.${name}`)),
    end,
  };
}

/** A server of the package asyncua whose variables count. */
async function startVariables(): Promise<Plant> {
  const port = freePort();
  const server = await startServer(port, ["--counters", `${plant_values}`, "--every", "1"]);
  const endpoint = `opc.tcp://${host}:${port}/plant/`;
  const points = numbered((i) => ({ tag: `c${i}`, node: `ns=2;i=${1001 + i}` }));
  return {
    source: { ...{ key: "bench", kind: "opcua", security: "none", endpoint }, points },
    tags: points.map(({ tag }) => tag),
    end: server.kill,
  };
}

/** A broker that has a message of each tag a second, a hundred at once. */
async function startBroker(): Promise<Plant> {
  const { said: port, end } = await startPlant<number>(["mqtt"]);
  const topic = { topic: "plant/{device}", tag: "{device}", value: "value", time: "ts" };
  return {
    source: { ...{ key: "bench", kind: "mqtt", host, port }, topics: [topic] },
    tags: numbered((i) => `q${i}`),
    end,
  };
}

/** A station of the package c104 that sends each point every second. */
async function startStation(): Promise<Plant> {
  const port = freePort();
  const script = new URL("station.py", import.meta.url).pathname;
  const child = new Deno.Command(Deno.env.get("PYTHON") ?? "python3", {
    args: [script, `${port}`, `${plant_values}`],
    stdout: "piped",
  }).spawn();
  await firstLine(child);
  const points = numbered((i) => ({ tag: `s${i}`, address: i + 1 }));
  return {
    source: { ...{ key: "bench", kind: "iec104", host, port }, stations: [{ station: 1, points }] },
    tags: points.map(({ tag }) => tag),
    end: () => endOf(child),
  };
}

function numbered<T>(make: (i: number) => T): T[] {
  return Array.from({ length: plant_values }, (_, i) => make(i));
}

/** Runs this file; gives what it said first. */
async function startPlant<T>(args: readonly string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(import.meta.url).pathname, ...args],
    stdout: "piped",
  }).spawn();
  return { said: JSON.parse(await firstLine(child)) as T, end: () => endOf(child) };
}

async function firstLine({ stdout }: Deno.ChildProcess): Promise<string> {
  const lines = stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { value, done } = await lines.read();
    if (done) throw new Error("the plant has ended; are the packages there that it needs?");
    said += value;
  }
  return said;
}

async function endOf(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

/** Inverters whose power is another one each second; tells their ports. */
function serveInverters(count: number): void {
  const units = Array.from({ length: count }, (_, i) => ({ [i + 1]: inverterRegisters() }));
  const ports = units.map((unit) => listenFor(fakeDevices(unit)).port);
  tell(ports);
  // Behind the words of SunSpec, model 1, and the id and length of model 103.
  const first = 40_002 + 2 + 66 + 2;
  setInterval(() => {
    for (const registers of units.flatMap((it) => Object.values(it))) {
      for (const at of [0, 1, 2, 3, 12, 16, 18, 23, 27, 30]) {
        registers[first + at] = 1_000 + Math.floor(9_000 * Math.random());
      }
    }
  }, 1_000);
}

/** Lets whoever comes sign in and subscribe, and sends on. */
async function serveMessages(): Promise<void> {
  const listener = Deno.listen({ hostname: host, port: 0 });
  tell((listener.addr as Deno.NetAddr).port);
  for await (const socket of listener) serveClient(socket).catch(() => {});
}

async function serveClient(socket: Deno.TcpConn): Promise<void> {
  const protocol = { protocolVersion: 5 } as const;
  const reader = parser();
  const say = (packet: Parameters<typeof generate>[0]) =>
    void socket.write(generate(packet, protocol)).catch(() => {});
  let sending: ReturnType<typeof setInterval> | undefined;
  let n = 0;
  const begin_ms = performance.now();
  const send = () => {
    const ts = new Date().toISOString();
    const due = Math.floor((performance.now() - begin_ms) / 1000 * plant_values) - n;
    const messages = Array.from({ length: due }, () => {
      n++;
      return generate({
        ...{ cmd: "publish", qos: 1, dup: false, retain: false, messageId: n % 0xffff + 1 },
        topic: `plant/q${n % plant_values}`,
        payload: JSON.stringify({ value: n % 997 / 7, ts }),
      }, protocol);
    });
    socket.write(Buffer.concat(messages)).catch(() => {});
  };
  reader.on("packet", (packet) => {
    if (packet.cmd === "connect") say({ cmd: "connack", reasonCode: 0, sessionPresent: false });
    if (packet.cmd === "pingreq") say({ cmd: "pingresp" });
    if (packet.cmd !== "subscribe") return;
    say({ cmd: "suback", messageId: packet.messageId, granted: [1] });
    sending ??= setInterval(send, 100);
  });
  try {
    for await (const bytes of socket.readable) reader.parse(Buffer.from(bytes));
  } finally {
    clearInterval(sending);
  }
}

function tell(said: unknown): void {
  systemEffects().out(`${JSON.stringify(said)}\n`);
}

if (import.meta.main) {
  const [kind, count] = Deno.args;
  if (kind === "modbus") serveInverters(Number(count));
  else await serveMessages();
}
