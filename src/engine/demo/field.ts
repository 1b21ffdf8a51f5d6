// The demo's field: inverters by SunSpec and others as Modbus units behind one address, the weather
// stations by MQTT, the battery and the park controller by OPC UA.
import { concat, utf8 } from "../../base/bytes.ts";
import type { SiteInput } from "../../model/site/file.ts";
import { framed, FrameReader, functions } from "../../wire/sources/modbus.ts";
import { bufferOf, packetBytes, PacketReader } from "../../wire/sources/mqtt_packet.ts";
import { DemoPlant } from "./plant.ts";
import { demo_points, type Point } from "./point.ts";
import type { DemoStory } from "./story.ts";

/** A device of the field. */
type Unit = {
  readonly unit: number;
  readonly device: string;
  /** The first device that has points of the same names: they have one map. */
  readonly alike: string;
  readonly points: readonly Point[];
};

type SourceInput = NonNullable<SiteInput["sources"]>[number];

/** What a device speaks; Modbus unless it is said here. */
const languages = [[/^MET-/, "mqtt"], [/^(BESS|PCS|RACK|PPC)/, "opcua"]] as const;

function speaks(language: "modbus" | "mqtt" | "opcua"): readonly Point[] {
  return demo_points.filter(({ device }) =>
    (languages.find(([pattern]) => pattern.test(device))?.[1] ?? "modbus") === language
  );
}

const [mqtt_points, opcua_points] = [speaks("mqtt"), speaks("opcua")];
const units = unitsOf(Map.groupBy(speaks("modbus"), ({ device }) => device));

function unitsOf(by_device: ReadonlyMap<string, readonly Point[]>): readonly Unit[] {
  const first = new Map<string, string>();
  return Array.from(by_device, ([device, points], i) => {
    const names = points.map(nameOf).join();
    if (!first.has(names)) first.set(names, device);
    return { unit: i + 1, device, alike: first.get(names)!, points };
  });
}

const minute_s = 60;
/** Where SunSpec begins, and where the registers of other devices do. */
const sunspec_base = 40_000;
/** Registers of a point: a number takes half of them, a word all. */
const text_width = 8;

/** Where the field's devices listen on this machine. */
export type FieldPorts = { readonly modbus: number; readonly mqtt: number; readonly opcua: number };

/** What a site file says of the field. */
export function fieldSources({ modbus, mqtt, opcua }: FieldPorts): readonly SourceInput[] {
  const host = "127.0.0.1";
  return [{
    key: "field",
    kind: "modbus",
    ...{ host, port: modbus, every_s: 1, slow_s: 5, timeout_ms: 1000 },
    maps: units.filter(({ device, alike }) => device === alike).map((it) => ({
      key: it.alike,
      points: it.points.map((point, i) => ({
        tag: point.tag.replace(it.device, "{device}"),
        ...(isInverter(it) ? sunspecPoint(point) : registerPoint(point, i)),
      })),
    })),
    units: units.map(({ unit, alike, device }) => ({ unit, map: alike, device })),
  }, {
    key: "weather",
    kind: "mqtt",
    ...{ host, port: mqtt, version: "3.1.1" },
    topics: [{ topic: "weather/{device}", tag: "{device}.{key}", value: "values.*", time: "time" }],
  }, {
    key: "control",
    kind: "opcua",
    ...{ endpoint: `opc.tcp://${host}:${opcua}`, security: "none", history_days: 0 },
    points: opcua_points.map(({ tag, device }) => ({ tag, node: `ns=1;s=${tag}`, device })),
  }];
}

/** Where the points of an inverter lie in model 103, and by which factor its unit differs. */
const sunspec_points = {
  P_AC: { sunspec: "103.W", scale: 0.001 },
  P_DC: { sunspec: "103.DCW", scale: 0.001 },
  E_TOTAL: { sunspec: "103.WH" },
  STATUS: { sunspec: "103.StVnd" },
  T_INT: { sunspec: "103.TmpCab" },
  FAULT_WORD: { sunspec: "103.EvtVnd1" },
} as const;

function isInverter({ points: [{ inverter }] }: Unit): boolean {
  return inverter !== undefined;
}

function sunspecPoint(point: Point) {
  return sunspec_points[nameOf(point) as keyof typeof sunspec_points];
}

function registerPoint({ words }: Point, i: number) {
  const register = i * text_width;
  return words ? { register, type: "string" as const, registers: text_width } : {
    register,
    type: "float64" as const,
  };
}

/** The devices, and what their registers hold at a moment. */
export class Field {
  readonly #plant: DemoPlant;
  readonly #broker = new Broker();
  #registers: ReadonlyMap<number, Registers> = new Map();

  /** Lives through the story's past, up to an instant. */
  constructor(story: DemoStory, at_us: number) {
    this.#plant = new DemoPlant(story);
    while (this.#plant.at_s + minute_s <= at_us / 1e6) this.#plant.advance(minute_s);
    this.goOn(at_us);
  }

  /** Lives on up to an instant, second by second. */
  goOn(at_us: number): void {
    while (this.#plant.at_s + 1 <= at_us / 1e6) this.#plant.advance(1);
    this.#registers = new Map(units.map((it) => [it.unit, registersOf(it, this.#plant)]));
    const time = new Date(at_us / 1000).toISOString();
    for (const [device, points] of Map.groupBy(mqtt_points, ({ device }) => device)) {
      const values = Object.fromEntries(points.map((it) => [nameOf(it), it.read(this.#plant)]));
      this.#broker.publish(`weather/${device}`, JSON.stringify({ time, values }));
    }
  }

  /** Hears one connection of MQTT: bytes in, by `send` bytes out. Throws where these are none. */
  hear(send: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
    return this.#broker.hear(send);
  }

  /** The variables of the OPC UA server. */
  variables(): ReadonlyMap<string, number | string> {
    return new Map(opcua_points.map(({ tag, words, read }) => {
      const value = read(this.#plant);
      return [tag, words ? words[value] : value] as const;
    }));
  }

  /** Answers the requests of one connection: bytes for bytes. Throws where these are no Modbus. */
  answerer(): (bytes: Uint8Array) => Uint8Array {
    const frames = new FrameReader("tcp");
    return (bytes) => {
      frames.push(bytes);
      const answers: Uint8Array[] = [];
      for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
        const { unit, pdu, transaction = 0 } = frame;
        const message = concat([new Uint8Array([unit]), this.#answer(unit, pdu)]);
        answers.push(framed(message, { transport: "tcp", transaction }));
      }
      return concat(answers);
    };
  }

  #answer(unit: number, pdu: Uint8Array): Uint8Array {
    const [code] = pdu;
    const refuse = (exception: number) => new Uint8Array([code | 0x80, exception]);
    if (code !== functions.holding || pdu.length !== 5) return refuse(1);
    const view = new DataView(pdu.buffer, pdu.byteOffset);
    const registers = this.#registers.get(unit);
    if (registers === undefined) return refuse(11);
    const from = 2 * (view.getUint16(1) - registers.base);
    const to = from + 2 * view.getUint16(3);
    if (from < 0 || to > registers.bytes.length) return refuse(2);
    return concat([new Uint8Array([code, to - from]), registers.bytes.subarray(from, to)]);
  }
}

type Registers = { readonly base: number; readonly bytes: Uint8Array };

function registersOf(it: Unit, plant: DemoPlant): Registers {
  if (!isInverter(it)) return { base: 0, bytes: plainBytes(it.points, plant) };
  const by_name = Object.fromEntries(it.points.map((it) => [nameOf(it), it.read(plant)]));
  return { base: sunspec_base, bytes: sunspecBytes(it.device, by_name) };
}

function nameOf({ tag }: Point): string {
  return tag.replace(/^.*\./, "");
}

function plainBytes(points: readonly Point[], plant: DemoPlant): Uint8Array {
  const bytes = new Uint8Array(2 * text_width * points.length);
  const view = new DataView(bytes.buffer);
  for (const [i, { words, read }] of points.entries()) {
    const at = 2 * text_width * i;
    if (words) bytes.set(utf8(words[read(plant)]).subarray(0, 2 * text_width), at);
    else view.setFloat64(at, read(plant));
  }
  return bytes;
}

/** Lengths of the models 1 (who it is) and 103 (a three-phase inverter), in registers. */
const [common_length, inverter_length] = [66, 50];

/** An inverter's chain of models, with its values `by_name`. */
function sunspecBytes(device: string, by_name: Readonly<Record<string, number>>): Uint8Array {
  const words = 2 + 2 + common_length + 2 + inverter_length + 2;
  const view = new DataView(new ArrayBuffer(2 * words));
  const put = (register: number, value: number) => view.setUint16(2 * register, value & 0xffff);
  new Uint8Array(view.buffer).set(utf8("SunS"));
  put(2, 1);
  put(3, common_length);
  const texts = [[0, "Sunrise"], [16, "SUNRISE-1000"], [48, device]] as const;
  for (const [at, text] of texts) new Uint8Array(view.buffer).set(utf8(text), 2 * (4 + at));
  const model = 4 + common_length;
  put(model, 103);
  put(model + 1, inverter_length);
  const at = model + 2;
  // What it has not says so: 0x8000 of signed numbers and factors, 0xFFFF of others.
  for (let i = 0; i < inverter_length; i++) put(at + i, signed_registers.has(i) ? 0x8000 : 0xffff);
  const { P_AC, P_DC, E_TOTAL, STATUS, T_INT, FAULT_WORD } = by_name;
  const scaled = (register: number, factor: number, value: number, exponent: number) => {
    put(at + register, Math.round(value / 10 ** exponent));
    put(at + factor, exponent);
  };
  scaled(12, 13, 1000 * P_AC, 2);
  scaled(29, 30, 1000 * P_DC, 2);
  scaled(31, 35, T_INT, -1);
  view.setUint32(2 * (at + 22), E_TOTAL);
  put(at + 24, 0);
  put(at + 37, STATUS);
  view.setUint32(2 * (at + 42), FAULT_WORD);
  put(words - 2, 0xffff);
  put(words - 1, 0);
  return new Uint8Array(view.buffer);
}

/** Registers of model 103 that are signed. */
const signed_registers: ReadonlySet<number> = new Set([
  ...[4, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 24, 26, 28, 29, 30, 31, 32, 33, 34, 35],
]);

/** MQTT 3.1.1. */
const version = 4;
const no_version = 1;
/** Messages that wait for a client; beyond them the oldest are dropped, as brokers do. */
const most_waiting = 10_000;

type Waiting = { readonly topic: string; readonly text: string };

/** What is kept of a client, connected or not. */
type Session = {
  readonly waiting: Map<number, Waiting>;
  next_id: number;
  send: (bytes: Uint8Array) => void;
};

/** An MQTT broker for the devices of this program: all that they say is for everybody. */
class Broker {
  readonly #sessions = new Map<string, Session>();

  /** Sends a message to every client. */
  publish(topic: string, text: string): void {
    for (const session of this.#sessions.values()) {
      const { waiting } = session;
      const id = session.next_id = session.next_id % 0xffff + 1;
      waiting.set(id, { topic, text });
      const [oldest] = waiting.keys();
      if (waiting.size > most_waiting) waiting.delete(oldest);
      deliver(session, id, { is_again: false });
    }
  }

  /** Hears one connection: bytes in, packets out by `send`. Throws where these are no MQTT. */
  hear(send: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
    const reader = new PacketReader(version);
    const say = (packet: Parameters<typeof packetBytes>[0]) => send(packetBytes(packet, version));
    let session: Session | undefined;
    return (bytes) => {
      for (const packet of reader.read(bytes)) {
        switch (packet.cmd) {
          case "connect": {
            const is_right = packet.protocolVersion === version;
            const known = packet.clean ? undefined : this.#sessions.get(packet.clientId);
            session = Object.assign(known ?? { waiting: new Map(), next_id: 0 }, { send });
            const sessionPresent = is_right && known !== undefined;
            say({ cmd: "connack", returnCode: is_right ? 0 : no_version, sessionPresent });
            if (!is_right) break;
            this.#sessions.set(packet.clientId, session);
            for (const id of session.waiting.keys()) deliver(session, id, { is_again: true });
            break;
          }
          case "subscribe": {
            const granted = packet.subscriptions.map(() => 1);
            say({ cmd: "suback", messageId: packet.messageId, granted });
            break;
          }
          case "puback":
            session?.waiting.delete(packet.messageId!);
            break;
          case "pingreq":
            say({ cmd: "pingresp" });
        }
      }
    };
  }
}

function deliver(
  { waiting, send }: Session,
  messageId: number,
  { is_again }: { readonly is_again: boolean },
): void {
  const { topic, text } = waiting.get(messageId)!;
  const payload = bufferOf(utf8(text));
  const packet = { qos: 1, dup: is_again, retain: false, messageId, topic, payload } as const;
  send(packetBytes({ cmd: "publish", ...packet }, version));
}
