// `deno run -A tests/bench/mqtt.ts [messages] [window]`: messages acknowledged after the commit,
// where a broker sends as fast as it is acknowledged, no more than `window` ahead.
import { Buffer } from "node:buffer";
import { generate, parser } from "mqtt-packet";
import { systemEffects } from "../../src/base/effects.ts";
import { declareProject } from "../help/client.ts";
import { type Server, startServer } from "../help/process.ts";

const [messages = 300_000, window = 20_000] = Deno.args.map(Number);
const tags = 500;
let last_id = 0;

type Value = { readonly tag: string; readonly ts: string; readonly value: number };

/** A connection of the server's, as the broker has it. */
type Peer = {
  readonly socket: Deno.TcpConn;
  acknowledged: number;
  /** Resolves once something came. */
  readonly heard: () => Promise<void>;
};

const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const { port } = listener.addr as Deno.NetAddr;
const server = await startServer(await Deno.makeTempDir());
const client = await declareProject(server);
await declareSource(server, client);
const peer = await welcome(await listener.accept());

const next = sequence();
const began = performance.now();
const busy = await cpuSeconds(server.pid);
for (let sent = 0; sent < messages;) {
  const some = Math.min(1_000, window, messages - sent);
  while (sent + some - peer.acknowledged > window) await peer.heard();
  await peer.socket.write(Buffer.concat(Array.from({ length: some }, () => messageOf(next()))));
  sent += some;
}
while (peer.acknowledged < messages) await peer.heard();
const wall_s = (performance.now() - began) / 1000;
const used_s = await cpuSeconds(server.pid) - busy;
print(
  `${messages} messages, one value each, QoS 1, ${window} in flight: ${
    Math.round(messages / wall_s)
  } acknowledged/s ` +
    `after the commit (target 20000); ${(used_s / messages * 1e6).toFixed(1)} µs processor each`,
);
await server.end("SIGTERM");
Deno.exit(0);

/** Values of now, each of another tag than the one before, no two of a tag at the same time. */
function sequence(): () => Value {
  let n = 0;
  let at_ms = Date.now();
  return () => {
    n++;
    if (n % tags === 0) at_ms = Math.max(at_ms + 1, Date.now());
    const ts = new Date(at_ms).toISOString();
    return { tag: `INV-${n % tags}.p`, ts, value: n % 997 / 7 };
  };
}

function messageOf({ tag, ts, value }: Value): Uint8Array {
  last_id = last_id % 0xffff + 1;
  return generate({
    cmd: "publish",
    topic: `plant/${tag.replace(".", "/")}`,
    payload: JSON.stringify({ value, ts }),
    ...{ qos: 1, dup: false, retain: false, messageId: last_id },
  }, { protocolVersion: 5 });
}

/** Lets the server sign in and subscribe, and counts what it acknowledges. */
async function welcome(socket: Deno.TcpConn): Promise<Peer> {
  let came = Promise.withResolvers<void>();
  const peer: Peer = { socket, acknowledged: 0, heard: () => came.promise };
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
      came.resolve();
      came = Promise.withResolvers();
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
