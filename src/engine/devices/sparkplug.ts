// Reads sources of the kind `sparkplug`: a host that hears edge nodes, and asks for births.
import { textOf, utf8 } from "../../base/bytes.ts";
import {
  setpointTag,
  type SparkplugEntry,
  type SparkplugSetpoint,
} from "../../model/sources/kinds/sparkplug.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import { source_limits } from "../../model/sources/limits.ts";
import {
  commandTopic,
  metricWords,
  parseSparkplugTopic,
  sparkplug_namespace,
  type SparkplugTopic,
  stateTopic,
} from "../../model/sources/sparkplug.ts";
import { fillTag } from "../../model/sources/topic.ts";
import { tagFlaw } from "../../wire/samples/tag_index.ts";
import type { MqttMessage, MqttNote } from "../../wire/sources/mqtt_packet.ts";
import { decodeSparkplug, encodeSparkplug, settingMetric } from "../../wire/sources/sparkplug.ts";
import { BrokerLink, type BrokerUse } from "./broker_link.ts";
import { HeardValues, type Unsendable } from "./command.ts";
import type { Driver, SourceTools } from "./driver.ts";
import type { MqttClient } from "./mqtt_client.ts";
import { SparkplugHost } from "./sparkplug_host.ts";
import type { Device, SourceRow } from "./state.ts";

export const sparkplug_driver: Driver<SparkplugEntry> = {
  open: (entry, tools) => [new BrokerLink(entry, new HostUse(entry, tools), tools)],
};

/** A host between the broker and the database. */
class HostUse implements BrokerUse {
  readonly filters: readonly string[];
  readonly qos = 1;
  // A host begins anew each time: what a broker has kept of nodes would come out of its order.
  readonly session_s = 0;
  readonly status: NonNullable<BrokerUse["status"]>;
  readonly #entry: SparkplugEntry;
  readonly #tools: SourceTools;
  readonly #host: SparkplugHost;
  readonly #devices = new Map<string, Device>();
  readonly #tags = new Set<string>();
  /** What others are told while it is connected. */
  #online = "";
  readonly #heard: HeardValues;
  #rows: SourceRow[] = [];
  #asked: MqttNote[] = [];

  constructor(entry: SparkplugEntry, tools: SourceTools) {
    this.#entry = entry;
    this.#tools = tools;
    this.#heard = new HeardValues(entry.setpoints.map((it) => setpointTag(entry, it)));
    const groups = entry.groups.length > 0 ? entry.groups : ["+"];
    const topic = stateTopic(entry.host_id);
    this.filters = [...groups.map((it) => `${sparkplug_namespace}/${it}/#`), topic];
    const payload = (online: boolean, at_us: number) => {
      const text = JSON.stringify({ online, timestamp: Math.floor(at_us / 1000) });
      if (online) this.#online = text;
      return text;
    };
    this.status = { topic, payload };
    this.#host = new SparkplugHost({
      tagOf: (of, metric) => this.#tagOf(of, metric),
      emit: (row, is_past) => {
        this.#rows.push(row);
        const old_us = tools.effects.now_us() - 1000 * setpoint_limits.old_ms;
        if (!is_past) this.#heard.hear([row], ({ ts_us }) => ts_us < old_us);
      },
      refuse: (of, flaw) => this.#refuse(topicOf(of), flaw),
      ask: (command) => this.#asked.push(command),
      turned: (of, gone) => this.#turn(`${of.group}/${of.node}`, gone),
      effects: tools.effects,
    });
  }

  async begin(client: MqttClient): Promise<void> {
    this.#host.forget(this.#tools.effects.now_us());
    this.#host.askAll();
    await this.#settle(client);
  }

  wayTo(tag: string): ReturnType<NonNullable<BrokerUse["wayTo"]>> {
    const found = this.#entry.setpoints.find((it) => setpointTag(this.#entry, it) === tag);
    if (found === undefined) return undefined;
    return (client) =>
      this.#heard.way(tag, {
        messageOf: (value) => this.#commandOf(found, value),
        // The standard's own: QoS 0, which nobody confirms, and never kept.
        write: (note) => client.publish(note),
      });
  }

  #commandOf({ metric: name, ...of }: SparkplugSetpoint, value: number): MqttNote | Unsendable {
    const born = this.#host.typeOf(of, name);
    if (typeof born === "string") return { flaw: born };
    const ts_ms = Math.floor(this.#tools.effects.now_us() / 1000);
    const metric = settingMetric(name, { ...born, value, ts_ms });
    if (typeof metric === "string") return { flaw: `the metric ${name} ${metric}` };
    return { topic: commandTopic(of), payload: encodeSparkplug({ ts_ms, metrics: [metric] }) };
  }

  async take(messages: readonly MqttMessage[], client: MqttClient): Promise<void> {
    for (const message of messages) this.#take(message);
    if (messages.some((it) => this.#deniesUs(it))) {
      const payload = utf8(this.#online);
      await client.publish({ topic: this.status.topic, payload, retain: true, qos: 1 });
    }
    await this.#settle(client);
  }

  async lost(): Promise<void> {
    this.#host.forget(this.#tools.effects.now_us());
    await this.#tools.emit(this.#rows.splice(0));
  }

  #take({ topic, payload, retain, too_long, arrived_us }: MqttMessage): void {
    const of = parseSparkplugTopic(topic);
    // What was kept is no word of a node that is there now.
    if (of === undefined || retain) return;
    if (too_long !== undefined || payload.length > source_limits.payload_bytes) {
      return this.#refuse(topic, `has more than ${source_limits.payload_bytes} bytes`);
    }
    try {
      const read = decodeSparkplug(payload);
      if (read.ts_ms !== undefined) this.#tools.state.clock.heard(read.ts_ms * 1000, arrived_us);
      this.#host.take({ ...of, payload: read, arrived_us });
      const device = this.#devices.get(`${of.group}/${of.node}`);
      if (device?.connected) device.answered();
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      this.#refuse(topic, `is no payload of Sparkplug B: ${said}`);
    }
  }

  /** Whether others are told that this host is away: a will of an earlier connection came late. */
  #deniesUs({ topic, payload }: MqttMessage): boolean {
    return topic === this.status.topic && /"online"\s*:\s*false/.test(textOf(payload));
  }

  /** Stores what was read, and asks the nodes whose births are missing. */
  async #settle(client: MqttClient): Promise<void> {
    await this.#tools.store(this.#rows.splice(0));
    const asked = this.#asked.splice(0);
    if (!this.#entry.rebirth) return;
    for (const command of asked) await client.publish(command);
  }

  #tagOf(of: SparkplugTopic, metric: string): string | undefined {
    const template = of.device === undefined ? this.#entry.node_tag : this.#entry.tag;
    const tag = fillTag(template, metricWords(of, metric));
    if (this.#tags.has(tag)) return tag;
    const flaw = tagFlaw(tag);
    if (flaw === undefined && this.#tags.size < source_limits.brought_tags) {
      this.#tags.add(tag);
      return tag;
    }
    const many = `brings more than ${source_limits.brought_tags} tags`;
    this.#refuse(topicOf(of), flaw === undefined ? many : `gives a tag that ${flaw}`);
  }

  #refuse(topic: string, flaw: string): void {
    this.#tools.state.rejected({ tag: null, topic, reason: `the message ${flaw}` });
  }

  #turn(name: string, gone: string | undefined): void {
    const device = this.#devices.get(name) ?? this.#tools.state.device(name, []);
    this.#devices.set(name, device);
    if (gone === undefined) device.answered();
    else device.gone(gone);
  }
}

function topicOf({ type, group, node, device }: SparkplugTopic): string {
  const words = [sparkplug_namespace, group, type, node, ...(device === undefined ? [] : [device])];
  return words.join("/");
}
