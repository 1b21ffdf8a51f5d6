// A session at an MQTT broker over one connection: signs in, subscribes, receives, acknowledges.
import type { Effects } from "../../base/effects.ts";
import { type Line, LineFault } from "../../base/effects_line.ts";
import { utf8 } from "../../base/bytes.ts";
import { aborted, inTime } from "../../base/in_time.ts";
import { brokerPort, clientId } from "../../model/sources/broker.ts";
import { source_limits } from "../../model/sources/limits.ts";
import {
  acknowledgements,
  bufferOf,
  type MqttMessage,
  type MqttNote,
  type MqttPacket,
  packetBytes,
  PacketReader,
  type ProtocolVersion,
  reasonText,
  taken_over,
} from "../../wire/sources/mqtt_packet.ts";
import { SourceFault } from "./driver.ts";
import {
  closedBy,
  Confirmations,
  refusalFor,
  refusesPlain,
  SendWindow,
  type SessionEars,
  type SessionWish,
  Stamps,
  type Taken,
  TakenOver,
} from "./mqtt_session.ts";

type Tools = Pick<Effects, "connect" | "sleep" | "monotonic_ms" | "now_us">;

/** One connection to a broker. Whatever is called once it has ended throws why. */
export class MqttClient {
  readonly #wish: SessionWish;
  readonly #ears: SessionEars;
  readonly #hear: NonNullable<SessionEars["message"]>;
  readonly #effects: Tools;
  readonly #line: Line;
  readonly #close: AbortController;
  readonly #version: ProtocolVersion;
  readonly #reader: PacketReader;
  readonly #signed_in = Promise.withResolvers<void>();
  /** Whether the broker had kept a session of this client. */
  #is_kept = false;
  #keep_alive_s: number;
  /** What came and was not taken yet: messages that wait, ids, how many, and their bytes. */
  #messages: MqttMessage[] = [];
  #ids: number[] = [];
  #waiting = 0;
  #waiting_bytes = 0;
  #came = Promise.withResolvers<void>();
  #room: PromiseWithResolvers<void> | undefined;
  readonly #confirmations = new Confirmations();
  readonly #window = new SendWindow();
  #sending = Promise.resolve();
  #sent_ms: number;
  #heard_ms: number;
  #has_heard = false;
  #ended: Error | undefined;
  #last_id = 1;
  readonly #stamps = new Stamps();

  private constructor(
    line: Line,
    { wish, ears, effects, close }: {
      readonly wish: SessionWish;
      readonly ears: SessionEars;
      readonly effects: Tools;
      readonly close: AbortController;
    },
  ) {
    this.#line = line;
    this.#wish = wish;
    this.#ears = ears;
    this.#hear = ears.message ?? ((message) => this.#messages.push(message));
    this.#effects = effects;
    this.#close = close;
    this.#version = wish.entry.version === "5" ? 5 : 4;
    this.#reader = new PacketReader(this.#version);
    this.#keep_alive_s = wish.entry.keep_alive_s;
    this.#sent_ms = this.#heard_ms = effects.monotonic_ms();
  }

  /** Connects, signs in and asks for messages; those that the broker had kept may come at once. */
  static async open(
    wish: SessionWish,
    { ears, effects }: { readonly ears: SessionEars; readonly effects: Tools },
    signal: AbortSignal,
  ): Promise<MqttClient> {
    const { host, timeout_ms } = wish.entry;
    const close = new AbortController();
    const stop = () => close.abort();
    signal.addEventListener("abort", stop);
    try {
      const place = { host, port: brokerPort(wish.entry), timeout_ms, signal: close.signal };
      const line = await effects.connect({ ...place, ...(wish.tls && { tls: wish.tls }) });
      const client = new MqttClient(line, { wish, ears, effects, close });
      client.#receive().catch((error) => client.#end(error));
      await client.#signIn();
      client.#beat().catch((error) => client.#end(error));
      await client.#subscribe();
      return client;
    } catch (error) {
      close.abort();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /**
   * The messages that came since, at least one: those of a moment together, as a commit costs more
   * than they do. Where the broker waits for acknowledgements before it sends more, nothing is
   * waited for. Ends with the connection, or when told to; then it may give none.
   */
  async take(signal: AbortSignal): Promise<Taken> {
    const effects = this.#effects;
    const asked_ms = this.#waiting > 0 ? -Infinity : effects.monotonic_ms();
    await this.#more(Infinity, signal);
    const began_ms = effects.monotonic_ms();
    const is_hurried = this.#window.isHurried(began_ms - asked_ms);
    while (!this.#ended && !signal.aborted && !this.#isEnough()) {
      const left_ms = began_ms + source_limits.gather_messages_ms - effects.monotonic_ms();
      if (left_ms <= 0) break;
      const wait_ms = is_hurried ? Math.min(left_ms, source_limits.stall_ms) : left_ms;
      const came = await this.#more(wait_ms, signal);
      if (came || !is_hurried) continue;
      this.#window.stalled(this.#waiting);
      break;
    }
    if (!is_hurried) this.#window.taken(effects.monotonic_ms() - this.#heard_ms);
    const taken = { count: this.#waiting, messages: this.#messages, ids: this.#ids };
    [this.#messages, this.#ids] = [[], []];
    this.#waiting = this.#waiting_bytes = 0;
    this.#room?.resolve();
    return taken;
  }

  /** Waits for a message, so long at most; says whether one came. Throws why none will come. */
  async #more(wait_ms: number, signal: AbortSignal): Promise<boolean> {
    const had = wait_ms < Infinity ? this.#waiting : 0;
    while (this.#waiting <= had) {
      if (this.#ended && this.#waiting === 0) throw this.#ended;
      if (this.#ended || signal.aborted) return false;
      this.#came = Promise.withResolvers();
      const patience = { wait_ms, effects: this.#effects, signal };
      if (!await inTime(this.#came.promise, patience)) return false;
    }
    return true;
  }

  /** Tells the broker that it need not keep these messages any longer. */
  async acknowledge({ count, ids }: Pick<Taken, "count" | "ids">): Promise<void> {
    this.#window.held(count + this.#waiting);
    if (ids.length > 0) await this.#send(acknowledgements(ids));
  }

  async publish(
    { topic, payload, retain = false, qos = 0, expires_s }: MqttNote,
    messageId = this.#nextId(),
  ): Promise<void> {
    const text = { topic, payload: bufferOf(payload), retain, qos, dup: false };
    const more = expires_s && { properties: { messageExpiryInterval: expires_s } };
    await this.#sendPacket({ cmd: "publish", ...text, ...more, ...(qos > 0 && { messageId }) });
  }

  /** Publishes with QoS 1; resolves once the broker has confirmed each, with the codes. */
  async publishAll(notes: readonly MqttNote[], signal: AbortSignal): Promise<readonly number[]> {
    const confirmed: Promise<number>[] = [];
    for (const note of notes) {
      if (signal.aborted) return [];
      await this.#confirmations.room();
      const id = this.#nextId();
      const code = this.#confirmations.message(id);
      confirmed.push(this.publish({ ...note, qos: 1 }, id).then(() => code));
    }
    return await this.#inTime(Promise.all(confirmed));
  }

  /** Resolves once the broker has read all that was sent. */
  prove = () => this.#inTime(this.#ping());

  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const patience = { wait_ms: this.#wish.entry.timeout_ms, effects: this.#effects };
    if (await inTime(answer, patience)) return await answer;
    throw new SourceFault({ kind: "timeouts", message: "the broker did not confirm in time" });
  }

  /**
   * Takes leave, with a last message where there is one. The broker closes the connection: where
   * this side does, it may not read what was sent last.
   */
  async close(last?: MqttNote): Promise<void> {
    const leave = async () => {
      if (last) await this.publish(last);
      await this.#sendPacket({ cmd: "disconnect", ...(this.#version === 5 && { reasonCode: 0 }) });
      await aborted(this.#close.signal);
    };
    const patience = { wait_ms: source_limits.farewell_ms, effects: this.#effects };
    if (!this.#ended) await inTime(leave().catch(() => {}), patience);
    this.#end(new LineFault("broken", "the connection is closed"));
  }

  async #signIn(): Promise<void> {
    const { entry, password, will, session_s } = this.#wish;
    await this.#sendPacket({
      cmd: "connect",
      protocolId: "MQTT",
      protocolVersion: this.#version,
      clientId: clientId(entry),
      clean: session_s === 0,
      keepalive: entry.keep_alive_s,
      ...(entry.user !== undefined && { username: entry.user }),
      ...(password && { password: bufferOf(utf8(password)) }),
      ...(will && { will: { retain: true, ...will, payload: bufferOf(will.payload), qos: 1 } }),
      ...(this.#version === 5 && {
        properties: {
          sessionExpiryInterval: session_s,
          receiveMaximum: source_limits.waiting_messages,
        },
      }),
    });
    const { timeout_ms: wait_ms } = entry;
    if (await inTime(this.#signed_in.promise, { wait_ms, effects: this.#effects })) return;
    const message = `the broker did not answer within ${wait_ms / 1000} s` +
      (entry.tls ? "" : ": does it expect TLS (tls = true)?");
    throw new SourceFault({ kind: "timeouts", message });
  }

  async #subscribe(): Promise<void> {
    const { filters, qos } = this.#wish;
    if (filters.length === 0) return this.#ears.subscribed({ refused: [], is_kept: false });
    // Each connection subscribes anew; MQTT 5 then sends retained messages for a new session only.
    const options = this.#version === 5 ? { qos, rh: 1 } : { qos };
    await this.#sendPacket({
      cmd: "subscribe",
      messageId: 1,
      subscriptions: filters.map((topic) => ({ topic, ...options })),
    });
  }

  /** Receives until the connection ends; stops while too much waits for its commit. */
  async #receive(): Promise<void> {
    for (;;) {
      const bytes = await this.#line.receive();
      if (bytes === undefined) throw this.#closed();
      if (!this.#has_heard) this.#refuseTls(bytes);
      this.#has_heard = true;
      this.#heard_ms = this.#effects.monotonic_ms();
      for (const packet of this.#read(bytes)) this.#handle(packet);
      this.#ears.heard();
      if (!this.#isFull()) continue;
      this.#room = Promise.withResolvers();
      await this.#room.promise;
      this.#room = undefined;
      this.#heard_ms = this.#effects.monotonic_ms();
    }
  }

  #isEnough(): boolean {
    return this.#waiting >= source_limits.gather_messages || this.#room !== undefined ||
      this.#window.isFull(this.#waiting);
  }

  #isFull(): boolean {
    const { waiting_messages, waiting_bytes } = source_limits;
    return this.#waiting >= waiting_messages || this.#waiting_bytes >= waiting_bytes;
  }

  #read(bytes: Uint8Array): readonly MqttPacket[] {
    try {
      return this.#reader.read(bytes);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      const message = `what came is no MQTT (${said}): is it the broker's port?`;
      throw new SourceFault({ kind: "protocol", message });
    }
  }

  #handle(packet: MqttPacket): void {
    switch (packet.cmd) {
      case "publish":
        return this.#deliver(packet);
      case "connack":
        return this.#welcome(packet);
      case "puback":
        return this.#confirmations.confirmed(packet.messageId!, packet.reasonCode);
      case "pingresp":
        return this.#confirmations.pinged();
      case "suback":
        return this.#settle(packet.granted as readonly number[]);
      case "disconnect":
        if (packet.reasonCode === taken_over) throw new TakenOver();
        throw refusalFor("the broker ends the session", packet.reasonCode ?? 0);
    }
  }

  #deliver(packet: Extract<MqttPacket, { cmd: "publish" }>): void {
    const { topic, payload, retain, qos, messageId, too_long } = packet;
    if (qos === 2) {
      const message = `the broker sends ${topic} with QoS 2, which nobody asked for`;
      throw new SourceFault({ kind: "protocol", message });
    }
    const arrived_us = this.#stamps.next(this.#effects.now_us());
    this.#hear({ topic, payload, retain, arrived_us, too_long });
    if (messageId !== undefined) this.#ids.push(messageId);
    this.#waiting++;
    this.#waiting_bytes += payload.length + topic.length;
    this.#came.resolve();
  }

  #welcome(packet: Extract<MqttPacket, { cmd: "connack" }>): void {
    const code = (this.#version === 5 ? packet.reasonCode : packet.returnCode) ?? 0;
    if (code !== 0) throw refusalFor("the broker does not let the source in", code);
    this.#is_kept = packet.sessionPresent;
    this.#confirmations.allow(packet.properties?.receiveMaximum);
    this.#keep_alive_s = packet.properties?.serverKeepAlive ?? this.#keep_alive_s;
    this.#signed_in.resolve();
  }

  #settle(granted: readonly number[]): void {
    const refused = granted.flatMap((code, i) =>
      code < 0x80 ? [] : [`${this.#wish.filters[i]}: ${reasonText(code)}`]
    ).map((it) => `the broker refuses the subscription to ${it}`);
    if (refused.length === granted.length) {
      throw new SourceFault({ kind: "denied", message: refused[0] });
    }
    this.#ears.subscribed({ refused, is_kept: this.#is_kept });
  }

  /** Asks whether the broker is there when it was silent, and says that this side is. */
  async #beat(): Promise<void> {
    const patience_ms = this.#keep_alive_s * 1000;
    if (patience_ms === 0) return;
    while (this.#ended === undefined) {
      await this.#effects.sleep(patience_ms / 2, this.#close.signal);
      const now_ms = this.#effects.monotonic_ms();
      if (this.#room) this.#ears.heard();
      else if (now_ms - this.#heard_ms >= 1.5 * patience_ms) {
        const message = `the broker was silent for ${Math.round(1.5 * this.#keep_alive_s)} s`;
        throw new SourceFault({ kind: "timeouts", message });
      }
      if (now_ms - Math.min(this.#sent_ms, this.#heard_ms) >= patience_ms / 2) {
        this.#ping().catch((error) => this.#end(error));
      }
    }
  }

  async #ping(): Promise<void> {
    const answered = this.#confirmations.ping();
    await this.#sendPacket({ cmd: "pingreq" });
    await answered;
  }

  #nextId(): number {
    this.#last_id = this.#last_id % 0xffff + 1;
    return this.#last_id;
  }

  async #sendPacket(packet: Parameters<typeof packetBytes>[0]): Promise<void> {
    await this.#send(packetBytes(packet, this.#version));
  }

  /** Sends in turn. */
  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#ended) throw this.#ended;
    this.#sent_ms = this.#effects.monotonic_ms();
    const sent = this.#sending.then(() => this.#line.send(bytes));
    this.#sending = sent.catch(() => {});
    // Why the broker closed is known to the one who receives.
    await sent.catch((error) => {
      throw this.#ended ?? error;
    });
  }

  #end(error: unknown): void {
    if (this.#ended !== undefined) return;
    const broke = error instanceof LineFault && error.kind === "broken" && !this.#has_heard;
    this.#ended = broke ? this.#closed() : error as Error;
    this.#confirmations.end(this.#ended);
    this.#signed_in.promise.catch(() => {});
    this.#signed_in.reject(this.#ended);
    this.#came.resolve();
    this.#room?.resolve();
    this.#close.abort();
    this.#line.close();
  }

  #closed(): SourceFault {
    return closedBy(this.#wish.entry, { has_heard: this.#has_heard });
  }

  #refuseTls([first]: Uint8Array): void {
    if (first === 0x15 && !this.#wish.entry.tls) throw refusesPlain();
  }
}
