// `deno run -A tests/bench/mqtt.ts [messages] [seconds]`: messages acknowledged after the commit.
//
// A broker of its own sends as fast as it is acknowledged, then 1 000 values a second: what the
// server's processor does for them, beside what it does for the same values over HTTP.
import { Buffer } from "node:buffer";
import { generate, parser } from "mqtt-packet";
import { systemEffects } from "../../src/base/effects.ts";
import { declareProject } from "../help/client.ts";
import { type Server, startServer } from "../help/process.ts";

const [messages = 300_000, seconds = 20] = Deno.args.map(Number);
const tags = 500;
const window = 20_000;

/** A connection of the server's, as the broker has it. */
type Peer = { readonly socket: Deno.TcpConn; acknowledged: number };

const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const { port } = listener.addr as Deno.NetAddr;
const server = await startServer(await Deno.makeTempDir());
const client = await declareProject(server);
await declareSource(server, client);
const peer = await welcome(await listener.accept());

const first = sequence();
const began = performance.now();
const busy = await cpuSeconds(server.pid);
for (let sent = 0; sent < messages;) {
  const some = Math.min(1_000, messages - sent);
  while (sent + some - peer.acknowledged > window) await pause(1);
  await peer.socket.write(Buffer.concat(Array.from({ length: some }, () => first())));
  sent += some;
}
while (peer.acknowledged < messages) await pause(1);
const wall_s = (performance.now() - began) / 1000;
const used_s = await cpuSeconds(server.pid) - busy;
print(
  `${messages} messages, one value each, QoS 1: ${Math.round(messages / wall_s)} acknowledged/s ` +
    `after the commit (target 20000); ${(used_s / messages * 1e6).toFixed(1)} µs processor each`,
);

await pause(15_000);
const idle = await share(async () => await pause(seconds * 1000));
const load = await share(async () => {
  const from = performance.now();
  for (let sent = 0; sent < 1_000 * seconds; sent += 100) {
    await peer.socket.write(Buffer.concat(Array.from({ length: 100 }, () => first())));
    await pause(Math.max(0, from + (sent + 100) - performance.now()));
  }
});
print(
  `1 000 values/s: ${(load - idle).toFixed(2)} % of a core (target 1.5), idle ${idle.toFixed(2)} %`,
);
await server.end("SIGTERM");
Deno.exit(0);

/** Percent of a core that the server takes while something is done. */
async function share(work: () => Promise<void>): Promise<number> {
  const [used_s, from] = [await cpuSeconds(server.pid), performance.now()];
  await work();
  const spent_s = await cpuSeconds(server.pid) - used_s;
  return 100_000 * spent_s / (performance.now() - from);
}

/** Messages of now, each of another tag than the one before, no two of a tag at the same time. */
function sequence(): () => Uint8Array {
  let n = 0;
  let at_ms = Date.now();
  return () => {
    n++;
    if (n % tags === 0) at_ms = Math.max(at_ms + 1, Date.now());
    const ts = new Date(at_ms).toISOString();
    return generate({
      cmd: "publish",
      topic: `plant/INV-${n % tags}/p`,
      payload: JSON.stringify({ value: n % 997 / 7, ts }),
      ...{ qos: 1, dup: false, retain: false, messageId: n % 0xffff + 1 },
    }, { protocolVersion: 5 });
  };
}

/** Lets the server sign in and subscribe, and counts what it acknowledges. */
async function welcome(socket: Deno.TcpConn): Promise<Peer> {
  const peer: Peer = { socket, acknowledged: 0 };
  const subscribed = Promise.withResolvers<void>();
  const reader = parser();
  const say = (packet: Parameters<typeof generate>[0]) =>
    void socket.write(generate(packet, { protocolVersion: 5 }));
  reader.on("packet", (packet) => {
    if (packet.cmd === "connect") say({ cmd: "connack", reasonCode: 0, sessionPresent: false });
    if (packet.cmd === "pingreq") say({ cmd: "pingresp" });
    if (packet.cmd === "puback") peer.acknowledged++;
    if (packet.cmd !== "subscribe") return;
    say({ cmd: "suback", messageId: packet.messageId, granted: [1] });
    subscribed.resolve();
  });
  const receive = async () => {
    const room = new Uint8Array(65_536);
    for (let count; (count = await socket.read(room)) !== null;) {
      reader.parse(Buffer.from(room.slice(0, count)));
    }
  };
  receive().catch(() => {});
  await subscribed.promise;
  return peer;
}

async function declareSource(
  { address }: Server,
  { token, project_id }: Awaited<ReturnType<typeof declareProject>>,
): Promise<void> {
  const answer = await fetch(`${address}/platform/v1/sources/bench?project_id=${project_id}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ kind: "mqtt", host: "127.0.0.1", port },
      topics: [{
        topic: "plant/{device}/{point}",
        tag: "{device}.{point}",
        ...{ value: "value", time: "ts" },
      }],
    }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

/** Seconds of processor time that a process has used. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await Deno.readTextFile(`/proc/${pid}/stat`)).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function print(line: string): void {
  systemEffects().out(`${line}\n`);
}

function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}
