// A small MQTT broker in memory: sessions, retained messages, takeovers, refusals, and its own end.
import { Buffer } from "node:buffer";
import { generate, type IConnectPacket, type Packet, parser } from "mqtt-packet";
import { type Connect, type Line, LineFault } from "../../src/base/effects_line.ts";

type Message = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  /** How long it may be kept for those who are away. */
  readonly expires_s?: number;
};

/** What the broker keeps of a client. */
type Session = {
  readonly filters: Map<string, number>;
  /** Messages that were not acknowledged, by their number, in order. */
  readonly waiting: Map<number, Message>;
  next_id: number;
};

type Client = {
  readonly id: string;
  readonly version: 4 | 5;
  readonly session: Session;
  readonly connect: IConnectPacket;
  readonly send: (packet: Packet) => void;
  /** Ends it; without a goodbye the others hear its will. */
  readonly end: (options?: { readonly quietly?: boolean }) => void;
};

/** Text as a payload. */
export const payloadOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A broker that a test holds in its hand. */
export class FakeBroker {
  readonly clients = new Map<string, Client>();
  readonly sessions = new Map<string, Session>();
  readonly retained = new Map<string, Message>();
  /** Everything that clients published. */
  readonly published: (Message & { readonly text: string })[] = [];
  /** Every CONNECT that came. */
  readonly connects: IConnectPacket[] = [];
  acknowledged = 0;
  is_up = true;
  /** Answers nothing at all to a CONNECT, but closes. */
  is_mute = false;
  /** The code of CONNACK for a client, and of SUBACK for a topic; 0: welcome. */
  admits: (packet: IConnectPacket) => number = () => 0;
  grants: (topic: string) => number = () => 1;
  /** The code that confirms a message of a client; undefined: it is not confirmed. */
  confirms: (topic: string) => number | undefined = () => 0;

  readonly connect: Connect = ({ signal }) => {
    if (!this.is_up) return Promise.reject(new LineFault("refused", "nothing listens there"));
    return Promise.resolve(this.#line(signal));
  };

  /** Sends a message to all who asked for it. */
  publish(topic: string, payload: string | Uint8Array, { retain = false, qos = 1 } = {}): void {
    const bytes = typeof payload === "string" ? payloadOf(payload) : payload;
    if (retain) this.retained.set(topic, { topic, payload: bytes, retain: true });
    const message = { topic, payload: bytes, retain: false };
    for (const [id, session] of this.sessions) {
      const granted = [...session.filters].filter(([filter]) => fits(filter, topic));
      if (granted.length > 0) this.#give(id, message, Math.min(qos, granted[0][1]));
    }
  }

  /** Ends every connection; what it knows of sessions stays unless it is to be forgotten. */
  crash({ forget = false } = {}): void {
    for (const client of [...this.clients.values()]) client.end({ quietly: true });
    if (forget) this.sessions.clear();
  }

  #give(id: string, message: Message, qos: number): void {
    const session = this.sessions.get(id)!;
    const client = this.clients.get(id);
    const packet = { cmd: "publish" as const, ...message, payload: Buffer.from(message.payload) };
    if (qos === 0) return client?.send({ ...packet, qos: 0, dup: false });
    const messageId = session.next_id = session.next_id % 0xffff + 1;
    session.waiting.set(messageId, message);
    client?.send({ ...packet, qos: 1, dup: false, messageId });
  }

  #line(signal: AbortSignal): Line {
    const out: Uint8Array[] = [];
    let came = Promise.withResolvers<void>();
    let is_open = true;
    const end = () => {
      is_open = false;
      came.resolve();
    };
    signal.addEventListener("abort", end, { once: true });
    const reader = parser();
    const session = new Conversation(this, {
      put: (bytes) => {
        out.push(bytes);
        came.resolve();
      },
      end,
    });
    reader.on("packet", (packet) => session.hear(packet));
    return {
      send: (bytes) => {
        if (!is_open) return Promise.reject(new LineFault("broken", "the connection is closed"));
        reader.parse(Buffer.from(bytes));
        return Promise.resolve();
      },
      receive: async () => {
        while (out.length === 0) {
          if (signal.aborted) throw new LineFault("broken", "the connection is closed");
          if (!is_open) return undefined;
          await came.promise;
          came = Promise.withResolvers();
        }
        return new Uint8Array(Buffer.concat(out.splice(0)));
      },
      close: () => {
        if (is_open) session.leave();
        end();
      },
    };
  }

  /** Takes what a client publishes. */
  take(message: Message): void {
    const text = new TextDecoder().decode(message.payload);
    this.published.push({ ...message, text });
    this.publish(message.topic, message.payload, { retain: message.retain });
  }

  /** What a new subscriber hears first. */
  greet(client: Client, filter: string): void {
    for (const [topic, message] of this.retained) {
      if (fits(filter, topic)) this.#give(client.id, message, 1);
    }
  }
}

/** What is said on one connection. */
class Conversation {
  readonly #broker: FakeBroker;
  readonly #out: { put(bytes: Uint8Array): void; end(): void };
  #client: Client | undefined;

  constructor(broker: FakeBroker, out: { put(bytes: Uint8Array): void; end(): void }) {
    this.#broker = broker;
    this.#out = out;
  }

  hear(packet: Packet): void {
    if (packet.cmd === "connect") return this.#admit(packet);
    const client = this.#client!;
    if (packet.cmd === "subscribe") return this.#subscribe(client, packet);
    if (packet.cmd === "pingreq") return client.send({ cmd: "pingresp" });
    if (packet.cmd === "disconnect") return client.end({ quietly: true });
    if (packet.cmd === "puback") {
      this.#broker.acknowledged++;
      client.session.waiting.delete(packet.messageId!);
    }
    if (packet.cmd !== "publish") return;
    const reasonCode = this.#broker.confirms(packet.topic);
    if (packet.qos > 0 && reasonCode !== undefined) {
      client.send({ cmd: "puback", messageId: packet.messageId, reasonCode });
    }
    const { topic, retain, properties } = packet;
    const payload = new Uint8Array(packet.payload as Buffer);
    this.#broker.take({ topic, retain, payload, expires_s: properties?.messageExpiryInterval });
  }

  /** The connection broke. */
  leave(): void {
    this.#client?.end();
  }

  #admit(packet: IConnectPacket): void {
    const broker = this.#broker;
    broker.connects.push(packet);
    if (broker.is_mute) return this.#out.end();
    const version = packet.protocolVersion as 4 | 5;
    const code = broker.admits(packet);
    const answer = { cmd: "connack" as const, returnCode: code, reasonCode: code };
    const say = (packet: Packet) => this.#out.put(generate(packet, { protocolVersion: version }));
    if (code !== 0) {
      say({ ...answer, sessionPresent: false });
      return this.#out.end();
    }
    const { clientId: id } = packet;
    broker.clients.get(id)?.end();
    const known = packet.clean ? undefined : broker.sessions.get(id);
    const session = known ?? { filters: new Map(), waiting: new Map(), next_id: 0 };
    broker.sessions.set(id, session);
    const client: Client = { id, version, session, connect: packet, send: say, end: () => {} };
    this.#client = Object.assign(client, { end: this.#endOf(client) });
    broker.clients.set(id, client);
    say({ ...answer, sessionPresent: known !== undefined });
    for (const [messageId, message] of session.waiting) {
      say({
        ...{ cmd: "publish", qos: 1, dup: true, messageId },
        ...{ ...message, payload: Buffer.from(message.payload) },
      });
    }
  }

  #endOf(client: Client): Client["end"] {
    return ({ quietly = false } = {}) => {
      const { clients, sessions } = this.#broker;
      if (clients.get(client.id) !== client) return;
      clients.delete(client.id);
      this.#out.end();
      const { clean, will } = client.connect;
      if (clean) sessions.delete(client.id);
      if (quietly || will === undefined) return;
      const payload = new Uint8Array(will.payload as Buffer);
      this.#broker.take({ topic: will.topic, payload, retain: will.retain ?? false });
    };
  }

  #subscribe(client: Client, packet: Extract<Packet, { cmd: "subscribe" }>): void {
    const granted = packet.subscriptions.map(({ topic, qos }) => {
      const code = this.#broker.grants(topic);
      return code >= 0x80 ? code : Math.min(code, qos);
    });
    client.send({ cmd: "suback", messageId: packet.messageId, granted });
    packet.subscriptions.forEach(({ topic, rh = 0 }, i) => {
      const is_new = !client.session.filters.has(topic);
      if (granted[i] >= 0x80) return;
      client.session.filters.set(topic, granted[i]);
      if (rh === 0 || is_new) this.#broker.greet(client, topic);
    });
  }
}

/** Whether a filter asks for a topic, level by level. */
export function fits(filter: string, topic: string): boolean {
  const [wanted, levels] = [filter.split("/"), topic.split("/")];
  for (const [i, word] of wanted.entries()) {
    if (word === "#") return true;
    if (i >= levels.length || (word !== "+" && word !== levels[i])) return false;
  }
  return wanted.length === levels.length;
}
