// Words of Sparkplug B: its topics, types of metrics, messages as they are read, values as samples.
import type { TagWords } from "./topic.ts";

/** The namespace of all topics. */
export const sparkplug_namespace = "spBv1.0";

/** What edge nodes send; commands are for others, and never read. */
const message_types = ["NBIRTH", "DBIRTH", "NDATA", "DDATA", "NDEATH", "DDEATH"] as const;
export type SparkplugType = typeof message_types[number];

/** Whom a message is of. */
export type SparkplugTopic = {
  readonly type: SparkplugType;
  readonly group: string;
  readonly node: string;
  /** Absent for the node itself. */
  readonly device?: string;
};

/** A value as the message has it. */
export type RawValue =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "template"; readonly metrics: readonly SparkplugMetric[] }
  | { readonly kind: "other"; readonly what: string };

/** A metric of a message. */
export type SparkplugMetric = {
  readonly name?: string;
  readonly alias?: string;
  readonly ts_ms?: number;
  readonly type?: number;
  readonly is_null: boolean;
  /** It is of the past, and was kept. */
  readonly is_historical?: boolean;
  /** Its property `Quality`. */
  readonly quality?: number;
  readonly raw?: RawValue;
};

/** A message's payload. */
export type SparkplugPayload = {
  readonly ts_ms?: number;
  readonly seq?: number;
  readonly metrics: readonly SparkplugMetric[];
};

/** Reads a topic; undefined for one that no edge node sends. */
export function parseSparkplugTopic(topic: string): SparkplugTopic | undefined {
  const [namespace, group, word, node, device, ...more] = topic.split("/");
  const type = message_types.find((it) => it === word);
  if (namespace !== sparkplug_namespace || type === undefined || more.length > 0) return undefined;
  if (!group || !node || (type[0] === "D") !== (device !== undefined)) return undefined;
  return { type, group, node, ...(device !== undefined && { device }) };
}

/** The topic on which a host says that it is there. */
export const stateTopic = (host_id: string) => `${sparkplug_namespace}/STATE/${host_id}`;

/** The topic on which a node hears commands, to itself or to one of its devices. */
export const commandTopic = ({ group, node, device }: Omit<SparkplugTopic, "type">) =>
  device === undefined
    ? `${sparkplug_namespace}/${group}/NCMD/${node}`
    : `${sparkplug_namespace}/${group}/DCMD/${node}/${device}`;

/** The metric that asks a node for its births. */
export const rebirth_metric = "Node Control/Rebirth";
/** The metric that ties a death to its birth. */
export const death_metric = "bdSeq";

/** The number of a type of metric. */
export const boolean_type = 11;

const signed_bits: Readonly<Record<number, number>> = { 1: 8, 2: 16, 3: 32, 4: 64 };
const unsigned_bits: Readonly<Record<number, number>> = { 5: 8, 6: 16, 7: 32, 8: 64, 13: 64 };
const largest = 2n ** 63n - 1n;

/** A metric's value as a sample's, or why it can't be one: the end of a sentence. */
export function sampleValue(
  raw: Exclude<RawValue, { kind: "template" }>,
  type: number | undefined,
): { readonly value: number | bigint | string | undefined } | string {
  switch (raw.kind) {
    case "number":
      return { value: Number.isFinite(raw.value) ? raw.value : undefined };
    case "boolean":
      return { value: raw.value ? 1n : 0n };
    case "text":
      return { value: raw.value };
    case "other":
      return `is ${raw.what}, which is no value of a tag`;
    case "integer":
      return integerValue(raw.value, type ?? 8);
  }
}

/** Whole numbers come unsigned: their type says which are negative. */
function integerValue(value: bigint, type: number): { readonly value: bigint } | string {
  if (type === boolean_type) return { value: value === 0n ? 0n : 1n };
  const signed = signed_bits[type];
  if (signed !== undefined) return { value: BigInt.asIntN(signed, value) };
  const whole = BigInt.asUintN(unsigned_bits[type] ?? 64, value);
  return whole <= largest ? { value: whole } : `is ${whole}, more than an Int64 holds`;
}

/** The OPC UA status code of a metric's `Quality`; undefined where it says nothing. */
export function statusOfQuality(quality: number | undefined): number | undefined {
  if (quality === undefined) return undefined;
  if (quality === 192) return 0;
  return quality === 500 ? stale_status : 0x8000_0000;
}

/** OPC UA's BadNoCommunication: what a dead node's tags have. */
export const stale_status = 0x8031_0000;

/** The words that a tag's template may use. */
export function metricWords(
  { group, node, device = "" }: Pick<SparkplugTopic, "group" | "node" | "device">,
  metric: string,
): TagWords {
  return new Map(Object.entries({ group, node, device, metric }));
}

/** Whether a metric controls a node or a device, and measures nothing. */
export function isControl(name: string): boolean {
  return name === death_metric || /^(Node|Device) Control\//.test(name);
}
