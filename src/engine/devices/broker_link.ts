// Keeps a source connected to its broker: who it is there, what it missed, who takes its place.
import { utf8 } from "../../base/bytes.ts";
import type { LineTls } from "../../base/effects_line.ts";
import { type BrokerEntry, brokerPort, clientId } from "../../model/sources/broker.ts";
import { source_limits } from "../../model/sources/limits.ts";
import type { MqttMessage, MqttNote } from "../../wire/sources/mqtt_packet.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import { carryOut, type PointWay, WaitingCommands } from "./command.ts";
import { type Link, type SetpointCommand, SourceFault, type SourceTools } from "./driver.ts";
import { MqttClient } from "./mqtt_client.ts";
import { type SessionEars, TakenOver } from "./mqtt_session.ts";
import type { Device, SourceFailure } from "./state.ts";

/** What a kind of source does with a broker. */
export type BrokerUse = {
  readonly filters: readonly string[];
  readonly qos: 0 | 1;
  /** How long the broker keeps what comes while nobody is connected; 0: not at all. */
  readonly session_s: number;
  /** A topic that is told, retained, whether the source is there; its payload at a moment. */
  readonly status?: { readonly topic: string; payload(is_there: boolean, at_us: number): string };
  /** Gives what reads the messages of a new connection as they come: `take` gets none then. */
  hear?(): (message: MqttMessage) => void;
  /** Is told of each new connection, before `take` is. */
  begin?(client: MqttClient): Promise<void>;
  /** Takes messages; resolves when all may be acknowledged: their samples are on disk. */
  take(messages: readonly MqttMessage[], client: MqttClient): Promise<void>;
  /** Is told once that the broker is lost. */
  lost?(): Promise<void>;
  /** The way of values to a setpoint; undefined for a tag that is none. */
  wayTo?(tag: string): WayOver | undefined;
};

/** A way to a setpoint, over a connection to the broker. */
type WayOver = (client: MqttClient, signal: AbortSignal) => PointWay<number | null, MqttNote>;

/** Keeps a source connected to its broker. */
export class BrokerLink implements Link {
  readonly name: string;
  readonly usual_port = "the usual port of MQTT is 1883, and 8883 with TLS";
  readonly period_ms: number;
  readonly #entry: BrokerEntry;
  readonly #use: BrokerUse;
  readonly #tools: SourceTools;
  readonly #device: Device;
  readonly #commands: WaitingCommands<WayOver>;
  /** When the broker was last heard, by the wall's clock; undefined: never. */
  #heard_us: number | undefined;
  #is_known = false;
  /** Connections in a row that others ended soon. */
  #brief = 0;
  #is_rivalled = false;

  constructor(entry: BrokerEntry, use: BrokerUse, tools: SourceTools) {
    this.name = `${entry.host}:${brokerPort(entry)}`;
    const { keep_alive_s, timeout_ms } = entry;
    this.period_ms = Math.max(1000 * keep_alive_s + timeout_ms, source_limits.taken_over_ms);
    this.#entry = entry;
    this.#use = use;
    this.#tools = tools;
    this.#device = tools.state.device(this.name, []);
    this.#commands = new WaitingCommands(tools.effects);
  }

  send(command: SetpointCommand): Promise<CommandEnd> | undefined {
    const sender = this.#use.wayTo?.(command.tag);
    return sender && this.#commands.send({ ...command, sender });
  }

  async run(signal: AbortSignal, step: (came: boolean) => void): Promise<void> {
    const { effects } = this.#tools;
    await this.#recall();
    if (this.#is_rivalled) await effects.sleep(source_limits.taken_over_ms, signal);
    const { status, filters, qos, session_s } = this.#use;
    const began_us = effects.now_us();
    const note = (is_there: boolean) =>
      status && noteOf(status.topic, status.payload(is_there, began_us));
    let subscribed_ms: number | undefined;
    let client: MqttClient | undefined;
    const ears = {
      heard: () => {
        if (subscribed_ms === undefined) return;
        this.#heard_us = effects.now_us();
        step(true);
      },
      subscribed: (session: Parameters<SessionEars["subscribed"]>[0]) => {
        subscribed_ms = effects.monotonic_ms();
        this.#subscribed(session);
      },
      message: this.#use.hear?.(),
    };
    const will = note(false);
    const wish = { entry: this.#entry, ...await this.#secrets(), filters, qos, session_s, will };
    try {
      const opened = await MqttClient.open(wish, { ears, effects }, signal);
      client = opened;
      const birth = note(true);
      if (birth) await client.publish(birth);
      await this.#use.begin?.(client);
      await this.#commands.beside({
        signal,
        reading: () => this.#read(opened, { signal, step }),
        carry: (command, over, signal) =>
          carryOut(over(opened, signal), command, { effects, signal }),
      });
    } catch (error) {
      throw this.#judged(error, subscribed_ms);
    } finally {
      await client?.close(note(false));
    }
  }

  /** Takes messages until the connection ends, or `signal` aborts. */
  async #read(
    client: MqttClient,
    { signal, step }: { readonly signal: AbortSignal; readonly step: (came: boolean) => void },
  ): Promise<void> {
    while (!signal.aborted) {
      const taken = await client.take(signal);
      if (taken.count === 0) continue;
      await this.#use.take(taken.messages, client);
      await client.acknowledge(taken);
      this.#device.answered();
      step(true);
    }
  }

  async failed(failure: SourceFailure): Promise<void> {
    const { state, effects } = this.#tools;
    if (state.silent_since_us === null) state.silent_since_us = this.#heard_us ?? effects.now_us();
    const was_connected = this.#device.connected;
    this.#device.failed(failure);
    if (was_connected && this.#device.connected === false) await this.#use.lost?.();
  }

  /** Finds out when the broker was last heard, before the start too. */
  async #recall(): Promise<void> {
    if (this.#is_known) return;
    const newest = await this.#tools.newest(this.#gap_tag);
    if (newest) this.#heard_us = newest.ts_us - 1e6 * Number(newest.value ?? 0);
    this.#tools.state.silent_since_us = this.#heard_us;
    this.#is_known = true;
  }

  get #gap_tag(): string {
    return `${this.#entry.key}.gap_s`;
  }

  async #secrets(): Promise<{ readonly password?: string; readonly tls?: LineTls }> {
    const { tls, password_file, ca_file, cert_file, key_file } = this.#entry;
    const read = async (name: string | undefined) => name && await this.#tools.secret(name);
    const password = (await read(password_file))?.replace(/\r?\n$/, "");
    const found = {
      ca: await read(ca_file),
      cert: await read(cert_file),
      key: await read(key_file),
    };
    return { password, ...(tls && { tls: found }) };
  }

  /** The broker sends what was asked for from now on; what came before may be lost. */
  #subscribed({ refused, is_kept }: Parameters<SessionEars["subscribed"]>[0]): void {
    const { state, effects, emit } = this.#tools;
    for (const message of refused) {
      state.count({ kind: "denied", message });
      state.note(message);
    }
    const now_us = effects.now_us();
    if (this.#heard_us !== undefined && now_us > this.#heard_us) {
      const from_us = this.#heard_us;
      state.lost({ from_us, to_us: now_us, reason: this.#reasonOf(is_kept) });
      void emit([{ tag: this.#gap_tag, ts_us: now_us, value: (now_us - from_us) / 1e6 }]);
    }
    // From here on the next start knows that it was connected.
    void emit([{ tag: this.#gap_tag, ts_us: now_us + 1, value: 0 }]);
    this.#heard_us = now_us;
    state.silent_since_us = null;
    this.#device.answered();
  }

  #reasonOf(is_kept: boolean): string {
    const { qos, session_s } = this.#use;
    if (qos === 0 || session_s === 0) return "the broker keeps nothing for whoever is away";
    if (!is_kept) return "the broker had no session any more: what came meanwhile is lost";
    return "the broker kept the session: what its queue did not hold is lost";
  }

  /** What ended a connection; where another client has this one's name, the next one waits. */
  #judged(error: unknown, subscribed_ms: number | undefined): unknown {
    const { effects } = this.#tools;
    if (subscribed_ms === undefined) {
      this.#brief = 0;
      return error;
    }
    const is_brief = effects.monotonic_ms() - subscribed_ms < source_limits.brief_ms;
    const is_closed = error instanceof SourceFault && error.kind === "refused";
    this.#brief = is_brief && is_closed ? this.#brief + 1 : 0;
    const is_taken = error instanceof TakenOver;
    this.#is_rivalled = is_taken || this.#brief >= source_limits.brief_times;
    if (!this.#is_rivalled) return error;
    const message = this.#rivalText(is_taken ? "" : "mostly ");
    return new SourceFault({ kind: "denied", message });
  }

  #rivalText(mostly: string): string {
    return `${mostly}another client signs in with the same client_id, ` +
      `${
        JSON.stringify(clientId(this.#entry))
      }, and each ends the other's connection: give one of ` +
      "them another client_id";
  }
}

function noteOf(topic: string, text: string): MqttNote {
  return { topic, payload: utf8(text), retain: true, qos: 1 };
}
