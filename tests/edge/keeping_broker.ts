// `deno run -A tests/edge/keeping_broker.ts PORT FILE`: a broker that keeps what it confirms. Each
// message is a line of FILE before its confirmation, or the answer to a ping after it, goes out.
import { Buffer } from "node:buffer";
import { generate, type Packet, parser } from "mqtt-packet";

/** A message as a line has it. */
export type KeptMessage = { readonly topic: string; readonly payload: string };

if (import.meta.main) {
  const [port, path] = Deno.args;
  const file = Deno.openSync(path, { append: true, create: true });
  for await (const socket of Deno.listen({ hostname: "127.0.0.1", port: Number(port) })) {
    serve(socket, file).catch(() => {});
  }
}

async function serve(socket: Deno.TcpConn, file: Deno.FsFile): Promise<void> {
  let version = 5;
  let out: Uint8Array[] = [];
  const say = (packet: Packet) => out.push(generate(packet, { protocolVersion: version }));
  const reader = parser();
  reader.on("packet", (packet) => {
    if (packet.cmd === "connect") {
      version = packet.protocolVersion!;
      say({ cmd: "connack", reasonCode: 0, returnCode: 0, sessionPresent: false });
    }
    if (packet.cmd === "subscribe") {
      const granted = packet.subscriptions.map(({ qos }) => qos);
      say({ cmd: "suback", messageId: packet.messageId, granted });
    }
    if (packet.cmd === "pingreq") say({ cmd: "pingresp" });
    if (packet.cmd !== "publish") return;
    const payload = (packet.payload as Buffer).toString("base64");
    const kept: KeptMessage = { topic: packet.topic, payload };
    file.writeSync(new TextEncoder().encode(`${JSON.stringify(kept)}\n`));
    if (packet.qos > 0) say({ cmd: "puback", messageId: packet.messageId });
  });
  const room = new Uint8Array(65_536);
  for (let count; (count = await socket.read(room)) !== null;) {
    reader.parse(Buffer.from(room.slice(0, count)));
    const answers = Buffer.concat(out);
    out = [];
    for (let at = 0; at < answers.length;) at += await socket.write(answers.subarray(at));
  }
}
