// Reads sources of the kind `mqtt`: what came is one batch, acknowledged once it is on disk.
import { messageMaps, type MqttEntry } from "../../model/sources/kinds/mqtt.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { MessageReader } from "../../wire/sources/mqtt_message.ts";
import type { MqttMessage } from "../../wire/sources/mqtt_packet.ts";
import { BrokerLink, type BrokerUse } from "./broker_link.ts";
import type { Driver, SourceTools } from "./driver.ts";
import type { SourceRow } from "./state.ts";

export const mqtt_driver: Driver<MqttEntry> = {
  open: (entry, tools) => [new BrokerLink(entry, new TopicUse(entry, tools), tools)],
};

/** Reads messages by the templates of their topics. */
class TopicUse implements BrokerUse {
  readonly filters: readonly string[];
  readonly qos: 0 | 1;
  readonly session_s: number;
  readonly status?: BrokerUse["status"];
  readonly #retained: MqttEntry["retained"];
  readonly #reader: MessageReader;
  readonly #tools: SourceTools;

  constructor(entry: MqttEntry, tools: SourceTools) {
    const maps = messageMaps(entry);
    this.filters = [...new Set(maps.map(({ topic }) => topic.filter))];
    this.qos = entry.qos;
    this.session_s = entry.qos === 0 ? 0 : entry.session_s;
    const { status_topic: topic } = entry;
    const payload = (is_there: boolean) => is_there ? "online" : "offline";
    this.status = topic === undefined ? undefined : { topic, payload };
    this.#retained = entry.retained;
    this.#reader = new MessageReader(maps);
    this.#tools = tools;
  }

  async take(messages: readonly MqttMessage[]): Promise<void> {
    const rows: SourceRow[] = [];
    for (const message of messages) this.#read(message, rows);
    await this.#tools.store(rows);
  }

  #read(message: MqttMessage, rows: SourceRow[]): void {
    const { topic, payload, retain, too_long } = message;
    const { state } = this.#tools;
    const refuse = (flaw: string) =>
      state.rejected({ tag: null, topic, reason: `the message ${flaw}` });
    if (too_long !== undefined || payload.length > source_limits.payload_bytes) {
      return refuse(`has more than ${source_limits.payload_bytes} bytes`);
    }
    const read = this.#reader.read(message);
    if (read === undefined) {
      return refuse(
        "has a topic that is not asked for: the broker goes on with what the source asked for " +
          "before; another client_id begins anew",
      );
    }
    if (retain && (this.#retained === "none" || (this.#retained === "timed" && !read.is_timed))) {
      return state.note(
        "retained messages without a time of their own are left out: they may be old; " +
          'retained = "all" takes them',
      );
    }
    for (const row of read.rows) rows.push(row);
    for (const flaw of read.flaws) refuse(flaw);
  }
}
