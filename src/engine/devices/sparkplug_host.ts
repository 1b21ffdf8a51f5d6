// What a Sparkplug host knows of edge nodes: births, aliases, order, deaths; and when to ask again.
import type { Effects } from "../../base/effects.ts";
import { source_limits } from "../../model/sources/limits.ts";
import {
  commandTopic,
  death_metric,
  isControl,
  sampleValue,
  type SparkplugMetric,
  type SparkplugPayload,
  type SparkplugTopic,
  stale_status,
  statusOfQuality,
} from "../../model/sources/sparkplug.ts";
import type { MqttNote } from "../../wire/sources/mqtt_packet.ts";
import { rebirthRequest } from "../../wire/sources/sparkplug.ts";
import type { SourceRow } from "./state.ts";

/** A message of an edge node. */
export type SparkplugMessage = SparkplugTopic & {
  readonly payload: SparkplugPayload;
  readonly arrived_us: number;
};

/** What a host makes of messages. */
export type HostEars = {
  /** The tag of a metric; undefined where it has none. */
  readonly tagOf: (of: SparkplugTopic, metric: string) => string | undefined;
  readonly emit: (row: SourceRow, is_past?: boolean) => void;
  /** Something that was not taken, the end of a sentence about the message. */
  readonly refuse: (of: SparkplugTopic, flaw: string) => void;
  /** A command that asks a node to send its births again. */
  readonly ask: (command: MqttNote) => void;
  /** A node came, or went for a reason. */
  readonly turned: (of: NodeName, gone?: string) => void;
  readonly effects: Pick<Effects, "now_us" | "monotonic_ms">;
};

type NodeName = Pick<SparkplugTopic, "group" | "node">;

/** What a birth says of a metric. */
type Born = { readonly name: string; readonly type: number | undefined };

/** The metrics of a node itself or of one of its devices, since its birth. */
class Scope {
  readonly aliases = new Map<string, Born>();
  readonly names = new Map<string, Born>();
  /** Tags that have a value, and none any more once it is dead. */
  readonly tags = new Set<string>();
  is_born = false;

  born(metrics: readonly SparkplugMetric[]): void {
    this.aliases.clear();
    this.names.clear();
    this.is_born = true;
    for (const { name, alias, type } of metrics) {
      if (name === undefined) continue;
      this.names.set(name, { name, type });
      if (alias !== undefined) this.aliases.set(alias, { name, type });
    }
  }
}

/** An edge node. */
class EdgeNode {
  readonly own = new Scope();
  readonly devices = new Map<string, Scope>();
  /** The number of its session, which its death repeats. */
  session: string | undefined;
  died: { readonly session: string | undefined; readonly at_ms: number } | undefined;
  next_seq: number | undefined;
  /** Messages are missing: what an alias stands for is no longer known. */
  is_torn = false;
  asked_ms = -Infinity;
  wait_ms: number = source_limits.rebirth_ms;

  get scopes(): readonly Scope[] {
    return [this.own, ...this.devices.values()];
  }

  scope(device: string | undefined): Scope {
    if (device === undefined) return this.own;
    const known = this.devices.get(device);
    if (known) return known;
    const made = new Scope();
    this.devices.set(device, made);
    return made;
  }
}

/** Takes the messages of all edge nodes, in the order in which they came. */
export class SparkplugHost {
  readonly #ears: HostEars;
  readonly #nodes = new Map<string, EdgeNode>();
  /** When rebirths were asked for in the last second. */
  #asked_ms: number[] = [];

  constructor(ears: HostEars) {
    this.#ears = ears;
  }

  take(message: SparkplugMessage): void {
    const { group, node } = message;
    const key = `${group}/${node}`;
    const known = this.#nodes.get(key) ?? new EdgeNode();
    if (!this.#nodes.has(key)) {
      if (this.#nodes.size >= source_limits.nodes) {
        return this.#ears.refuse(message, `comes from more than ${source_limits.nodes} nodes`);
      }
      this.#nodes.set(key, known);
    }
    if (message.type === "NBIRTH") this.#birth(known, message);
    else if (message.type === "NDEATH") this.#death(known, message);
    else this.#follow(known, message);
  }

  /** The broker was lost, or is there again: what was known of nodes is old. */
  forget(now_us: number): void {
    for (const [key, node] of this.#nodes) {
      const [group, name] = key.split("/");
      if (node.own.is_born) this.#silence(node, { group, node: name }, now_us);
    }
  }

  /** Asks the nodes that were there before for their births. */
  askAll(): void {
    for (const [key, node] of this.#nodes) {
      const [group, name] = key.split("/");
      this.#ask(node, { group, node: name });
    }
  }

  /** The type of a metric by its birth; or why it has none. */
  typeOf({ group, node, device }: Omit<SparkplugTopic, "type">, metric: string) {
    const known = this.#nodes.get(`${group}/${node}`);
    if (!known?.own.is_born) return `the node ${group}/${node} is not there: it has sent no birth`;
    const scope = device === undefined ? known.own : known.devices.get(device);
    if (!scope?.is_born) return `the device ${device} of ${group}/${node} has sent no birth`;
    const born = scope.names.get(metric);
    return born === undefined ? `no birth has told of the metric ${metric}` : { type: born.type };
  }

  #birth(node: EdgeNode, message: SparkplugMessage): void {
    const { payload } = message;
    const session = sessionOf(payload);
    const { died } = node;
    // A death overtakes a birth that was on its way: only a birth that was asked for proves life.
    const is_late = died !== undefined && died.session === session && session !== undefined &&
      this.#ears.effects.monotonic_ms() - died.at_ms < source_limits.late_birth_ms;
    if (is_late) return this.#ask(node, message);
    const was_born = node.own.is_born;
    for (const scope of node.devices.values()) scope.is_born = false;
    node.own.born(payload.metrics);
    node.session = session;
    node.died = undefined;
    node.is_torn = false;
    node.next_seq = nextSeq(payload.seq ?? 0);
    node.wait_ms = source_limits.rebirth_ms;
    if (!was_born) this.#ears.turned(message);
    this.#store(node.own, message);
  }

  #death(node: EdgeNode, message: SparkplugMessage): void {
    const session = sessionOf(message.payload);
    // The death of an earlier session comes late, when the node is there again.
    if (!node.own.is_born || session !== node.session) return;
    node.died = { session, at_ms: this.#ears.effects.monotonic_ms() };
    this.#silence(node, message, message.arrived_us);
  }

  /** Data, or the birth or death of a device: they follow the node's birth in one row. */
  #follow(node: EdgeNode, message: SparkplugMessage): void {
    const { type, device, payload } = message;
    if (!node.own.is_born) {
      this.#ears.refuse(message, "came before the birth of its node, which was asked for");
      return this.#ask(node, message);
    }
    if (payload.seq !== undefined && payload.seq !== node.next_seq) {
      node.is_torn = true;
      this.#ears.refuse(message, "follows a gap: its node was asked for its births");
      this.#ask(node, message);
    }
    if (payload.seq !== undefined) node.next_seq = nextSeq(payload.seq);
    const scope = node.scope(device);
    if (type === "DDEATH") return this.#end(scope, message.arrived_us);
    if (type === "DBIRTH") scope.born(payload.metrics);
    else if (!scope.is_born) {
      this.#ears.refuse(message, "came before the birth of its device, which was asked for");
      return this.#ask(node, message);
    }
    if (!this.#store(scope, message, type !== "DBIRTH" && node.is_torn)) this.#ask(node, message);
  }

  /** Sends the samples of a message; says whether all its metrics are known. */
  #store(scope: Scope, message: SparkplugMessage, is_torn = false): boolean {
    const { payload, arrived_us } = message;
    let is_known = true;
    for (const metric of payload.metrics) {
      const { name, alias } = metric;
      const born = name === undefined
        ? is_torn ? undefined : scope.aliases.get(alias ?? "")
        : scope.names.get(name) ?? { name, type: metric.type };
      if (born === undefined) {
        is_known = false;
        const flaw = is_torn
          ? "has an alias, and follows a gap"
          : "has an alias that no birth gave";
        this.#ears.refuse(message, flaw);
        continue;
      }
      if (name !== undefined && !scope.names.has(name)) is_known = false;
      if (isControl(born.name)) continue;
      const ts_ms = metric.ts_ms ?? payload.ts_ms;
      const ts_us = ts_ms === undefined ? arrived_us : Math.round(ts_ms * 1000);
      this.#metric(scope, { ...metric, ...born }, { message, ts_us });
    }
    return is_known;
  }

  #metric(
    scope: Scope,
    metric: SparkplugMetric & Born,
    of: { readonly message: SparkplugMessage; readonly ts_us: number },
  ): void {
    const { name, type, raw, is_null, quality } = metric;
    const { message, ts_us } = of;
    if (raw?.kind === "template" && !is_null) {
      for (const member of raw.metrics) {
        if (member.name === undefined) continue;
        this.#metric(scope, { ...member, name: `${name}/${member.name}`, type: member.type }, of);
      }
      return;
    }
    const found = is_null || raw === undefined || raw.kind === "template"
      ? { value: undefined }
      : sampleValue(raw, metric.type ?? type);
    if (typeof found === "string") return this.#ears.refuse(message, `has ${name}, which ${found}`);
    const tag = this.#ears.tagOf(message, name);
    if (tag === undefined) return;
    const { value } = found;
    const status_code = value === undefined ? no_value : statusOfQuality(quality);
    scope.tags.add(tag);
    this.#ears.emit({
      ...{ tag, ts_us },
      ...(value !== undefined && { value }),
      ...(status_code !== undefined && { status_code }),
    }, metric.is_historical === true);
  }

  #silence(node: EdgeNode, of: NodeName, at_us: number): void {
    for (const scope of node.scopes) this.#end(scope, at_us);
    this.#ears.turned(of, "the edge node has gone");
  }

  /** One bad sample a tag. */
  #end(scope: Scope, ts_us: number): void {
    scope.is_born = false;
    for (const tag of scope.tags) this.#ears.emit({ tag, ts_us, status_code: stale_status });
    scope.tags.clear();
  }

  /** Asks a node for its births, ever more seldom while it does not answer. */
  #ask(node: EdgeNode, of: NodeName): void {
    const now_ms = this.#ears.effects.monotonic_ms();
    if (now_ms - node.asked_ms < node.wait_ms && now_ms >= node.asked_ms) return;
    this.#asked_ms = this.#asked_ms.filter((at_ms) => now_ms - at_ms < 1_000);
    if (this.#asked_ms.length >= source_limits.rebirths_per_s) return;
    if (node.asked_ms > -Infinity) {
      node.wait_ms = Math.min(source_limits.rebirth_most_ms, 2 * node.wait_ms);
    }
    this.#asked_ms.push(now_ms);
    node.asked_ms = now_ms;
    const payload = rebirthRequest(Math.floor(this.#ears.effects.now_us() / 1000));
    this.#ears.ask({ topic: commandTopic({ group: of.group, node: of.node }), payload });
  }
}

/** OPC UA's Bad: no value. */
const no_value = 0x8000_0000;

function nextSeq(seq: number): number {
  return (seq + 1) % 256;
}

/** The number of a session, as a birth and its death say it. */
function sessionOf({ metrics }: SparkplugPayload): string | undefined {
  const raw = metrics.find(({ name }) => name === death_metric)?.raw;
  return raw?.kind === "integer" ? `${raw.value}` : undefined;
}
