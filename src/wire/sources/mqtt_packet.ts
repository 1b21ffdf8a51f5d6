// MQTT's packets from bytes, in whatever pieces they come; too long ones lose their payload.
import { Buffer } from "node:buffer";
import { generate, type Packet, parser } from "mqtt-packet";
import { concat, textOf } from "../../base/bytes.ts";
import { source_limits } from "../../model/sources/limits.ts";

/** A message as a packet; with an id, the broker waits for its acknowledgement. */
type MqttPublish = {
  readonly cmd: "publish";
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  readonly qos: 0 | 1 | 2;
  readonly messageId: number | undefined;
  /** Bytes of a payload that was too long to be taken. */
  readonly too_long?: number;
};

/** A packet. Messages are read here, as they are many, and the library makes too much of each. */
export type MqttPacket = Exclude<Packet, { readonly cmd: "publish" }> | MqttPublish;

/** A message that was delivered. */
export type MqttMessage = {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** No two messages arrive at the same microsecond. */
  readonly arrived_us: number;
  /** Whether the broker had kept it for those who come later. */
  readonly retain: boolean;
  /** Bytes of a payload that was too long to be taken. */
  readonly too_long?: number;
};

/** A message to send. */
export type MqttNote = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain?: boolean;
  readonly qos?: 0 | 1;
  /** How long a broker may keep it for a client that is away (MQTT 5 alone). */
  readonly expires_s?: number;
};

/** 4 for MQTT 3.1.1, as the protocol numbers it. */
export type ProtocolVersion = 4 | 5;

/** The bytes of a packet. */
export function packetBytes(packet: Packet, protocolVersion: ProtocolVersion): Uint8Array {
  return generate(packet, { protocolVersion });
}

/** Bytes as the packets' library takes them; nothing is copied. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** What a code of a refusal means, and what to change; both versions' codes of all packets. */
export function reasonText(code: number): string {
  return reasons[code] ?? `its reason is 0x${code.toString(16)}`;
}

/** Whether a code says that a name, a password or a right was not accepted. */
export function isDenial(code: number): boolean {
  return [2, 4, 5, 0x85, 0x86, 0x87, 0x8a, 0x8c].includes(code);
}

/** The code of a session that another client has taken over. */
export const taken_over = 0x8e;

/** The code of a message that the broker took and that nobody has asked for. */
export const unheard = 0x10;

const no_version = "it does not know this version of MQTT: set `version`";
const no_id = "it does not accept the client_id";
const no_password = "the user or the password is wrong";
const no_right = "this user has no right to it (not authorized), or the password is wrong";
const reasons: Readonly<Record<number, string>> = {
  1: no_version,
  2: no_id,
  3: "it is not available at the moment",
  4: no_password,
  5: no_right,
  0x80: "it does not say why; mostly this user has no right to it",
  0x81: "a packet was malformed",
  0x82: "a rule of the protocol was broken",
  0x83: "it has a rule of its own against it",
  0x84: no_version,
  0x85: no_id,
  0x86: no_password,
  0x87: no_right,
  0x88: "it is not available at the moment",
  0x89: "it is busy",
  0x8a: "it has banned this client",
  0x8b: "it is shutting down",
  0x8c: "it wants another way to sign in",
  0x8d: "it heard nothing from here for too long",
  [taken_over]: "another client has taken over the session",
  0x8f: "the topic is not valid there",
  0x93: "it sent more than it may",
  0x95: "a packet was too long",
  0x96: "messages came too fast",
  0x97: "a quota is exceeded",
  0x98: "somebody has ended it there",
  0x9a: "it keeps no retained messages: leave out status_topic",
  0x9b: "it does not know this QoS",
  0x9c: "another server is to be used",
  0x9d: "the server has moved",
  0x9e: "it knows no shared subscriptions",
  0x9f: "connections were made too often",
  0xa0: "the connection has lasted as long as it may",
  0xa2: "it knows no topics with + or #",
};

const puback = 0x40;

/** The bytes that acknowledge messages, in their order; both versions write them alike. */
export function acknowledgements(ids: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * ids.length);
  ids.forEach((id, i) => {
    bytes[4 * i] = puback;
    bytes[4 * i + 1] = 2;
    bytes[4 * i + 2] = id >> 8;
    bytes[4 * i + 3] = id & 0xff;
  });
  return bytes;
}

/** A part of a packet's head that has come, or how many bytes of it are needed to say more. */
type Head = { readonly size: number; readonly start: number } | { readonly needed: number };

const publish = 3;
/** PUBREL, SUBSCRIBE and UNSUBSCRIBE have a 2 in the low half of their first byte. */
const flagged: ReadonlySet<number> = new Set([6, 8, 10]);
/** Fixed head, topic and id of a message at most. */
const longest_head = 5 + 2 + 0xffff + 2;

/** Reads packets. Bytes that are none throw an `Error`. */
export class PacketReader {
  readonly #version: ProtocolVersion;
  readonly #parser: ReturnType<typeof parser>;
  #found: MqttPacket[] = [];
  /** What came of a packet that is not whole yet, and how much it takes to go on. */
  #parts: Uint8Array[] = [];
  #have = 0;
  #needed = 2;
  /** Bytes of a payload that are left out. */
  #skipped = 0;

  constructor(version: ProtocolVersion) {
    this.#version = version;
    this.#parser = parser({ protocolVersion: version });
    this.#parser.on("packet", (packet) => this.#found.push(packet as MqttPacket));
    this.#parser.on("error", (error) => {
      throw error;
    });
  }

  /** The packets that are whole with these bytes. */
  read(bytes: Uint8Array): readonly MqttPacket[] {
    this.#found = [];
    const skipped = Math.min(this.#skipped, bytes.length);
    this.#skipped -= skipped;
    if (skipped === bytes.length) return [];
    this.#parts.push(bytes.subarray(skipped));
    this.#have += bytes.length - skipped;
    if (this.#have < this.#needed) return [];
    const all = this.#parts.length === 1 ? this.#parts[0] : concat(this.#parts);
    const rest = all.subarray(this.#readAll(all));
    this.#parts = rest.length > 0 ? [rest] : [];
    this.#have = rest.length;
    return this.#found;
  }

  /** Reads the whole packets; gives where the first one begins that is not. */
  #readAll(bytes: Uint8Array): number {
    const most = source_limits.payload_bytes + longest_head;
    let [from, at] = [0, 0];
    for (;;) {
      const head = headOf(bytes, at);
      if ("needed" in head || (head.size <= most && at + head.size > bytes.length)) {
        this.#needed = "needed" in head ? head.needed : head.size;
        break;
      }
      if (head.size <= most) {
        const is_message = bytes[at] >> 4 === publish;
        if (is_message) {
          this.#parse(bytes.subarray(from, at));
          this.#found.push(this.#wholeMessage(bytes.subarray(at, at + head.size), head.start));
        }
        at += head.size;
        if (is_message) from = at;
        continue;
      }
      this.#parse(bytes.subarray(from, at));
      const cut = this.#cut(bytes.subarray(at), head);
      if (cut === undefined) return at;
      from = at = Math.min(bytes.length, at + head.size);
    }
    this.#parse(bytes.subarray(from, at));
    return at;
  }

  /** Gives a message that is too long without its payload, once its topic and id are there. */
  #cut(bytes: Uint8Array, { size, start }: { readonly size: number; readonly start: number }) {
    if (bytes[0] >> 4 !== publish) throw new Error(`a packet has ${size} bytes`);
    const end = start + 2 <= bytes.length ? idEnd(bytes, start) : longest_head;
    if (bytes.length < end) {
      this.#needed = end;
      return undefined;
    }
    this.#skipped = Math.max(0, size - bytes.length);
    this.#found.push(
      messageOf(bytes, start, { payload: new Uint8Array(), too_long: size - end }),
    );
    return this.#found.at(-1);
  }

  /** A whole message. */
  #wholeMessage(bytes: Uint8Array, start: number): MqttPublish {
    const end = idEnd(bytes, start);
    const from = this.#version === 5 ? behindProperties(bytes, end) : end;
    if (from > bytes.length) throw new Error("a message ends within its head");
    return messageOf(bytes, start, { payload: bytes.subarray(from) });
  }

  #parse(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parser.parse(bufferOf(bytes));
  }
}

/** A packet's whole size and where its fixed head ends. */
function headOf(bytes: Uint8Array, at: number): Head {
  if (at < bytes.length) requireHead(bytes[at]);
  let [length, scale] = [0, 1];
  for (let i = at + 1; i < at + 5; i++) {
    if (i >= bytes.length) return { needed: bytes.length - at + 1 };
    length += (bytes[i] & 0x7f) * scale;
    if (bytes[i] < 0x80) return { size: i + 1 - at + length, start: i + 1 - at };
    scale *= 128;
  }
  throw new Error("a packet's length has no end");
}

/** Only messages say something in the low half of their first byte. */
function requireHead(first: number): void {
  const [type, flags] = [first >> 4, first & 15];
  if (type === 0 || (type !== publish && flags !== (flagged.has(type) ? 2 : 0))) {
    throw new Error(`no packet begins with 0x${first.toString(16)}`);
  }
}

/** A message by the bytes of its head; `start` is behind its length. */
function messageOf(
  bytes: Uint8Array,
  start: number,
  { payload, too_long }: Pick<MqttPublish, "payload" | "too_long">,
): MqttPublish {
  const end = topicEnd(bytes, start);
  const qos = qosOf(bytes);
  return {
    cmd: "publish",
    topic: textOf(bytes.subarray(start + 2, end)),
    payload,
    retain: (bytes[0] & 1) === 1,
    qos,
    messageId: qos > 0 ? bytes[end] << 8 | bytes[end + 1] : undefined,
    too_long,
  };
}

function qosOf(bytes: Uint8Array): 0 | 1 | 2 {
  const qos = bytes[0] >> 1 & 3;
  if (qos === 3) throw new Error("a message has no such QoS");
  return qos as 0 | 1 | 2;
}

function topicEnd(bytes: Uint8Array, start: number): number {
  return start + 2 + (bytes[start] << 8 | bytes[start + 1]);
}

/** Where the topic of a message ends, and its id. */
function idEnd(bytes: Uint8Array, start: number): number {
  return topicEnd(bytes, start) + (qosOf(bytes) > 0 ? 2 : 0);
}

/** Where the properties end that a message of MQTT 5 has, from `at` on: nobody needs one. */
function behindProperties(bytes: Uint8Array, at: number): number {
  let [length, scale, i] = [0, 1, at];
  do {
    length += (bytes[i] & 0x7f) * scale;
    scale *= 128;
  } while (bytes[i++] >= 0x80 && i < at + 4);
  return i + length;
}
