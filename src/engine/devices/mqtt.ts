// Reads sources of the kind `mqtt`: each message as it comes; what came is one batch, acknowledged
// once it is on disk.
import { utf8 } from "../../base/bytes.ts";
import { commandPayload, messageMaps, type MqttEntry } from "../../model/sources/kinds/mqtt.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { MessageReader } from "../../wire/sources/mqtt_message.ts";
import { RowColumns } from "../../wire/sources/row_columns.ts";
import { type MqttMessage, type MqttNote, unheard } from "../../wire/sources/mqtt_packet.ts";
import { BrokerLink, type BrokerUse } from "./broker_link.ts";
import { CommandStop, HeardValues } from "./command.ts";
import type { Driver, SourceTools } from "./driver.ts";
import { MessageRefusal } from "./mqtt_session.ts";

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
  readonly #setpoints: MqttEntry["setpoints"];
  readonly #heard: HeardValues;
  #rows = new RowColumns();

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
    this.#setpoints = entry.setpoints;
    this.#heard = new HeardValues(entry.setpoints.map(({ tag }) => tag));
  }

  /** What was not stored comes again, as it was not acknowledged. */
  hear(): (message: MqttMessage) => void {
    this.#heard.forget();
    this.#rows = new RowColumns();
    return (message) => this.#read(message);
  }

  wayTo(tag: string): ReturnType<NonNullable<BrokerUse["wayTo"]>> {
    const found = this.#setpoints.find((it) => it.tag === tag);
    if (found === undefined) return undefined;
    const { topic, payload, retain, setpoint: { confirm_ms } } = found;
    // A broker keeps it, too, for a device that is away and has a session there: not for later.
    const expires_s = retain ? undefined : Math.ceil(confirm_ms / 1000);
    let is_unheard = false;
    return (client, signal) =>
      this.#heard.way<MqttNote>(tag, {
        messageOf(value) {
          return { topic, payload: utf8(commandPayload(payload, value)), retain, expires_s };
        },
        async write(note) {
          const [code] = await client.publishAll([note], signal).catch((error) => {
            throw error instanceof MessageRefusal
              ? new CommandStop("refused", `${error.message} (topic ${topic})`)
              : error;
          });
          if (code === undefined) throw new CommandStop("not_sent", "the connection has ended");
          is_unheard = code === unheard;
        },
        note: () => is_unheard ? `no client of the broker has asked for ${topic}` : undefined,
      });
  }

  async take(): Promise<void> {
    const rows = this.#rows;
    this.#rows = new RowColumns();
    await this.#tools.store(rows);
  }

  #read(message: MqttMessage): void {
    const { topic, payload, retain, too_long, arrived_us } = message;
    const { state } = this.#tools;
    if (too_long !== undefined || payload.length > source_limits.payload_bytes) {
      return this.#refuse(topic, `has more than ${source_limits.payload_bytes} bytes`);
    }
    const read = this.#reader.read(message);
    if (read === undefined) {
      return this.#refuse(
        topic,
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
    // What has waited in a session is not told apart but by its own time.
    if (this.#setpoints.length > 0) {
      const old_us = arrived_us - 1000 * setpoint_limits.old_ms;
      this.#heard.hear(read.rows, ({ ts_us }) => retain || ts_us < old_us);
    }
    for (const row of read.rows) {
      if (read.is_timed && !retain) state.clock.heard(row.ts_us, arrived_us);
      this.#rows.add(row);
    }
    for (const flaw of read.flaws) this.#refuse(topic, flaw);
  }

  #refuse(topic: string, flaw: string): void {
    this.#tools.state.rejected({ tag: null, topic, reason: `the message ${flaw}` });
  }
}
