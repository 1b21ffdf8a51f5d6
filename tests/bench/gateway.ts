// `deno run -A tests/bench/gateway.ts [seconds=90]`: the memory of a gateway that reads every kind
// of source at once. Needs mosquitto, and PYTHON with the packages asyncua and c104; WATTKEEPER is
// a compiled program to run instead of the sources.
import { Buffer } from "node:buffer";
import { generate } from "mqtt-packet";
import { systemEffects } from "../../src/base/effects.ts";
import { startMosquitto } from "../help/mosquitto.ts";
import { freePort, startServer as startPlant } from "../help/opcua.ts";
import { startServer } from "../help/process.ts";
import type { SourceInput } from "../help/sources.ts";
import { plain } from "../help/site.ts";
import { payloadBytes } from "../help/sparkplug.ts";
import { startInverters } from "./source_plants.ts";

const [seconds = 90] = Deno.args.map(Number);
const counts = { inverters: 50, opcua: 500, mqtt: 100, iec104: 100 };
const step_s = 15;
const host = "127.0.0.1";
const station_script = `
import c104, random, sys, time
server = c104.Server(ip="${host}", port=int(sys.argv[1]))
station = server.add_station(common_address=1)
points = [
    station.add_point(io_address=i + 1, type=c104.Type.M_ME_NC_1, report_ms=1000)
    for i in range(${counts.iec104})
]
server.start()
while True:
    for point in points:
        point.value = random.random()
    time.sleep(1)
`;

const { sleep, out } = systemEffects();
const inverters = await startInverters(counts.inverters);
const [opcua, iec104] = [freePort(), freePort()];
const plant = await startPlant(opcua, ["--counters", `${counts.opcua}`, "--every", "1"]);
const broker = await startMosquitto(["allow_anonymous true"]);
const station = new Deno.Command(Deno.env.get("PYTHON") ?? "python3", {
  args: ["-c", station_script, `${iec104}`],
}).spawn();
const folder = await Deno.makeTempDir();
const gateway = await startServer(folder);
const headers = { authorization: `Bearer ${gateway.token}` };
try {
  const declared = await fetch(`${gateway.address}/admin/v1/sites/s`, {
    method: "PUT",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(siteFile()),
  });
  if (!declared.ok) throw new Error(await declared.text());
  const { projects: [{ project_id }] } = await get("/platform/v1/meta/projects");
  const listSources = () => get(`/platform/v1/sources?project_id=${project_id}`);
  // A Sparkplug node that is born before anybody listens is not known.
  const isConnected = ({ state }: { readonly state: { readonly connected: boolean | null } }) =>
    state.connected === true;
  while (!(await listSources()).every(isConnected)) await sleep(500);
  const peer = await openPeer();
  for (let second = 0; second < seconds; second++) {
    if (second % step_s === 0) await tell(second);
    await peer.publish();
    await sleep(1000);
  }
  await tell(seconds);
  for (const { key, state } of await listSources()) {
    out(`${key}: connected ${state.connected}, last value at ${state.last_value_at}\n`);
  }
} finally {
  await gateway.end("SIGTERM");
  station.kill();
  await inverters.end();
  await plant.kill();
  await broker.stop();
  await Deno.remove(folder, { recursive: true });
}
Deno.exit();

function siteFile() {
  const modbus = inverters.source as Extract<SourceInput, { kind: "modbus" }>;
  const many = (count: number, pointOf: (i: number) => object) =>
    Array.from({ length: count }, (_, i) => pointOf(i));
  const units = modbus.units.map((unit, i) => ({ ...unit, device: `M${i}` }));
  const endpoint = `opc.tcp://${host}:${opcua}/plant/`;
  const stations = [{
    ...{ station: 1, device: "S" },
    points: many(counts.iec104, (i) => ({ tag: `{device}.x${i}`, address: i + 1 })),
  }];
  const of_broker = { host, port: broker.port };
  const tags = { tag: "{device}.{metric}", node_tag: "{node}.{metric}" };
  return {
    ...plain,
    devices: [
      ...plain.devices ?? [],
      ...many(units.length, (i) => inverter(`M${i}`)),
      inverter("S"),
    ],
    sources: [
      { ...modbus, key: "modbus", units },
      {
        ...{ key: "opcua", kind: "opcua", security: "none", endpoint, publish_ms: 500 },
        points: many(counts.opcua, (i) => ({ tag: `c${i}`, node: `ns=2;i=${1001 + i}` })),
      },
      {
        ...{ key: "mqtt", kind: "mqtt", ...of_broker },
        topics: [{ topic: "plant/{device}/{point}", tag: "{device}.{point}" }],
      },
      { key: "sparkplug", kind: "sparkplug", ...of_broker, groups: ["g"], ...tags },
      { key: "iec104", kind: "iec104", host, port: iec104, stations },
    ],
  };
}

function inverter(key: string) {
  return { key, type: "inverter" };
}

/** Who sends to the broker: plain values, and those of a Sparkplug node, which is born first. */
async function openPeer() {
  const socket = await Deno.connect({ hostname: host, port: broker.port });
  const session = { clientId: "bench", protocolVersion: 4, protocolId: "MQTT" } as const;
  await socket.write(generate({ cmd: "connect", clean: true, keepalive: 0, ...session }));
  const send = async (topic: string, payload: Uint8Array) => {
    const message = { topic, payload: Buffer.from(payload), qos: 0, dup: false } as const;
    await socket.write(generate({ cmd: "publish", retain: false, ...message }));
  };
  let seq = 0;
  const say = (type: string, metrics: Parameters<typeof payloadBytes>[0]["metrics"]) => {
    const payload = payloadBytes({ ts_ms: Date.now(), seq: seq++ % 256, metrics });
    return send(`spBv1.0/g/${type}/node`, payload);
  };
  const power = () => ({ name: "P", type: 10, double: Math.random() });
  return {
    async publish() {
      if (seq === 0) await say("NBIRTH", [{ name: "bdSeq", type: 4, long: 0n }, power()]);
      else await say("NDATA", [power()]);
      for (let i = 0; i < counts.mqtt; i++) {
        await send(`plant/Q${i}/p`, new TextEncoder().encode(`${Math.random()}`));
      }
    },
  };
}

async function get(path: string) {
  return await (await fetch(`${gateway.address}${path}`, { headers })).json();
}

async function tell(second: number): Promise<void> {
  const status = await Deno.readTextFile(`/proc/${gateway.pid}/status`);
  const mb = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  out(`after ${second} s: ${mb.toFixed(0)} MB\n`);
}
