// Payloads of Sparkplug B as an edge node writes them, and an edge node that a test moves.
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import type { FakeBroker } from "./broker.ts";

/** A metric as a node sends it; its value's field is that of the protobuf message. */
export type MetricInput = {
  readonly name?: string;
  readonly alias?: number;
  readonly ts_ms?: number;
  readonly type?: number;
  readonly is_historical?: boolean;
  readonly is_null?: boolean;
  readonly quality?: number;
  readonly int?: number;
  readonly long?: bigint;
  readonly float?: number;
  readonly double?: number;
  readonly flag?: boolean;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  readonly data_set?: Uint8Array;
  readonly template?: {
    readonly metrics: readonly MetricInput[];
    readonly is_definition?: boolean;
  };
};

const sized = 2;
const [fixed64, fixed32] = [1, 5];

/** The bytes of a metric. */
export function metricBytes(metric: MetricInput): Uint8Array {
  const writer = new BinaryWriter();
  const key = (field: number, type = 0) => writer.uint32(field << 3 | type);
  const { name, alias, ts_ms, type, is_historical, is_null, quality, template } = metric;
  if (name !== undefined) key(1, sized).string(name);
  if (alias !== undefined) key(2).uint64(alias);
  if (ts_ms !== undefined) key(3).uint64(ts_ms);
  if (type !== undefined) key(4).uint32(type);
  if (is_historical) key(5).bool(true);
  if (is_null) key(7).bool(true);
  if (quality !== undefined) {
    const value = new BinaryWriter().uint32(1 << 3).uint32(3).uint32(3 << 3).uint32(quality);
    const set = new BinaryWriter().uint32(1 << 3 | sized).string("Quality")
      .uint32(2 << 3 | sized).bytes(value.finish());
    key(9, sized).bytes(set.finish());
  }
  if (metric.int !== undefined) key(10).uint32(metric.int);
  if (metric.long !== undefined) key(11).uint64(metric.long);
  if (metric.float !== undefined) key(12, fixed32).float(metric.float);
  if (metric.double !== undefined) key(13, fixed64).double(metric.double);
  if (metric.flag !== undefined) key(14).bool(metric.flag);
  if (metric.text !== undefined) key(15, sized).string(metric.text);
  if (metric.bytes !== undefined) key(16, sized).bytes(metric.bytes);
  if (metric.data_set !== undefined) key(17, sized).bytes(metric.data_set);
  if (template !== undefined) {
    const inner = new BinaryWriter();
    for (const it of template.metrics) inner.uint32(2 << 3 | sized).bytes(metricBytes(it));
    if (template.is_definition) inner.uint32(5 << 3).bool(true);
    key(18, sized).bytes(inner.finish());
  }
  return writer.finish();
}

/** The bytes of a payload. */
export function payloadBytes(
  { ts_ms, seq, metrics }: {
    readonly ts_ms?: number;
    readonly seq?: number;
    readonly metrics: readonly MetricInput[];
  },
): Uint8Array {
  const writer = new BinaryWriter();
  if (ts_ms !== undefined) writer.uint32(1 << 3).uint64(ts_ms);
  for (const metric of metrics) writer.uint32(2 << 3 | sized).bytes(metricBytes(metric));
  if (seq !== undefined) writer.uint32(3 << 3).uint64(seq);
  return writer.finish();
}

/** An edge node behind a broker, with one device. */
export class FakeNode {
  readonly #broker: FakeBroker;
  readonly #now_ms: () => number;
  readonly name: string;
  seq = 0;
  session = 0;

  constructor(broker: FakeBroker, name: string, now_ms: () => number) {
    this.#broker = broker;
    this.name = name;
    this.#now_ms = now_ms;
  }

  /** Sends a message with the next number, or with another one. */
  send(
    type: string,
    metrics: readonly MetricInput[],
    { device = "", seq = this.seq++ } = {},
  ): void {
    const topic = ["spBv1.0", "g", type, this.name, ...(device ? [device] : [])].join("/");
    const payload = payloadBytes({ ts_ms: this.#now_ms(), seq: seq % 256, metrics });
    this.#broker.publish(topic, payload, { qos: 0 });
  }

  /** A session begins: the node's birth, and its device's. */
  born(): void {
    this.seq = 0;
    this.send("NBIRTH", [
      { name: "bdSeq", type: 4, long: BigInt(this.session) },
      { name: "Node Control/Rebirth", type: 11, flag: false },
      { name: "uptime", alias: 1, type: 8, long: 5n },
    ]);
    this.send("DBIRTH", [
      { name: "P", alias: 2, type: 10, double: 100.5 },
      { name: "T", alias: 3, type: 1, int: 0xff },
    ], { device: "inv" });
  }

  /** What the broker says for it once its connection is gone. */
  dead(session = this.session): void {
    const metrics = [{ name: "bdSeq", type: 4, long: BigInt(session) }];
    const payload = payloadBytes({ metrics });
    this.#broker.publish(`spBv1.0/g/NDEATH/${this.name}`, payload);
  }

  /** How often it was asked for its births. */
  get asked(): number {
    const topic = `spBv1.0/g/NCMD/${this.name}`;
    return this.#broker.published.filter((it) => it.topic === topic).length;
  }
}

/** The names of the fields of the metric in a command. */
export function commandOf(payload: Uint8Array): { name: string; flag: boolean } {
  const found = { name: "", flag: false };
  const outer = new BinaryReader(payload);
  while (outer.pos < outer.len) {
    const [field, type] = outer.tag();
    if (field !== 2) {
      outer.skip(type, field);
      continue;
    }
    const inner = new BinaryReader(outer.bytes());
    while (inner.pos < inner.len) {
      const [field, type] = inner.tag();
      if (field === 1) found.name = inner.string();
      else if (field === 14) found.flag = inner.bool();
      else inner.skip(type, field);
    }
  }
  return found;
}
