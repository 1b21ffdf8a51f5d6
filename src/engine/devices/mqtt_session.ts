// A session at a broker: how it is to be, refusals in words, and confirmations that are waited for.
import type { LineTls } from "../../base/effects_line.ts";
import type { BrokerEntry } from "../../model/sources/broker.ts";
import { source_limits } from "../../model/sources/limits.ts";
import {
  isDenial,
  type MqttMessage,
  type MqttNote,
  reasonText,
  taken_over,
} from "../../wire/sources/mqtt_packet.ts";
import { SourceFault } from "./driver.ts";
import type { SourceFailure } from "./state.ts";

/** How a session is to be. */
export type SessionWish = {
  readonly entry: BrokerEntry;
  readonly password?: string;
  readonly tls?: LineTls;
  /** How long the broker keeps what comes while nobody is connected; 0: begin anew each time. */
  readonly session_s: number;
  /** What the broker tells others when the connection breaks. */
  readonly will?: MqttNote;
  readonly filters: readonly string[];
  readonly qos: 0 | 1;
};

/** What a session tells of itself. */
export type SessionEars = {
  /** Something came from the broker, or it is known to be well. */
  readonly heard: () => void;
  /** The broker has taken the subscriptions, but for those that it refuses, with reasons. */
  readonly subscribed: (
    session: { readonly refused: readonly string[]; readonly is_kept: boolean },
  ) => void;
  /** Reads each message as it comes; without it they wait for who takes them. */
  readonly message?: (message: MqttMessage) => void;
};

/** What came together. */
export type Taken = {
  readonly count: number;
  /** None where they were read as they came. */
  readonly messages: readonly MqttMessage[];
  /** Those of messages that the broker wants to be acknowledged. */
  readonly ids: readonly number[];
};

/** Another client has signed in with the same name. */
export class TakenOver extends SourceFault {
  constructor() {
    super({ kind: "denied", message: reasonText(taken_over) });
  }
}

/** Why a broker does not do what it was asked for. */
export function refusalFor(what: string, code: number): SourceFault {
  return new SourceFault(refusalOf(what, code));
}

function refusalOf(what: string, code: number): SourceFailure {
  const kind = isDenial(code) ? "denied" : "protocol";
  return { kind, message: `${what}: ${reasonText(code)}` };
}

/** A broker does not take a message. */
export class MessageRefusal extends SourceFault {
  constructor(code: number) {
    super(refusalOf("the broker refuses a message", code));
  }
}

/** Why a broker answers with an alert of TLS. */
export function refusesPlain(): SourceFault {
  return new SourceFault({ kind: "denied", message: "the broker expects TLS: write tls = true" });
}

/** Why a broker has closed the connection. */
export function closedBy(
  { tls, version }: Pick<BrokerEntry, "tls" | "version">,
  { has_heard }: { readonly has_heard: boolean },
): SourceFault {
  if (has_heard) {
    return new SourceFault({ kind: "refused", message: "the broker has closed the connection" });
  }
  const message = "the broker closed the connection without an answer" +
    (tls ? "" : ": does it expect TLS (tls = true, mostly port 8883)?") +
    (version === "5" ? ' Does it know MQTT 3.1.1 only (version = "3.1.1")?' : "");
  return new SourceFault({ kind: "protocol", message });
}

/** What a broker takes at once unless it says otherwise: mosquitto's own bound. */
const usual_window = 20;

type Waiter<T> = PromiseWithResolvers<T>;

/** Answers to pings and to messages of QoS 1; a broker answers pings in their order. */
export class Confirmations {
  #pings: Waiter<void>[] = [];
  readonly #messages = new Map<number, Waiter<number>>();
  #window = usual_window;
  #ended: Error | undefined;

  /** The broker takes so many messages before it has confirmed any. */
  allow(window: number | undefined): void {
    this.#window = Math.min(window ?? usual_window, usual_window);
  }

  /** Notes a ping that is sent; resolves when it is answered. */
  ping(): Promise<void> {
    const waiter = this.#wait<void>();
    this.#pings.push(waiter);
    return waiter.promise;
  }

  pinged(): void {
    this.#pings.shift()?.resolve();
  }

  /** Notes a message that is sent; resolves with the code that confirms it. */
  message(id: number): Promise<number> {
    const waiter = this.#wait<number>();
    this.#messages.set(id, waiter);
    return waiter.promise;
  }

  /** Resolves once another message may be sent. */
  async room(): Promise<void> {
    while (this.#messages.size >= this.#window) {
      await Promise.race(Array.from(this.#messages.values(), ({ promise }) => promise));
    }
  }

  confirmed(id: number, code = 0): void {
    const waiter = this.#messages.get(id);
    this.#messages.delete(id);
    if (code < 0x80) waiter?.resolve(code);
    else waiter?.reject(new MessageRefusal(code));
  }

  /** Nothing is confirmed any more. */
  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of [...this.#pings, ...this.#messages.values()]) reject(error);
    this.#pings = [];
    this.#messages.clear();
  }

  #wait<T>(): Waiter<T> {
    const waiter = Promise.withResolvers<T>();
    // Nobody may be waiting.
    waiter.promise.catch(() => {});
    if (this.#ended) waiter.reject(this.#ended);
    return waiter;
  }
}

/** How many messages a broker sends before they are acknowledged, as far as it has shown. */
export class SendWindow {
  #size = Infinity;
  #stalled = { at: 0, times: 0 };
  /** Whether nothing came any more before the last ones were taken. */
  #was_silent = false;

  /**
   * Whether messages that came so long after the last ones were acknowledged had waited for that.
   * Where more were coming already, as of devices that send in turn, these are no sign of it.
   */
  isHurried(waited_ms: number): boolean {
    const is_hurried = this.#was_silent && waited_ms <= source_limits.stall_ms;
    if (!is_hurried) this.#stalled = { at: 0, times: 0 };
    return is_hurried;
  }

  /** Those that wait are taken, so long after the last of them came. */
  taken(silent_ms: number): void {
    this.#was_silent = silent_ms >= source_limits.silent_ms;
  }

  /** Whether nothing more comes until so many, which wait, are acknowledged. */
  isFull(waiting: number): boolean {
    return waiting >= this.#size;
  }

  /** So many wait and no more came, though these came as soon as the broker was answered. */
  stalled(waiting: number): void {
    const { at, times } = this.#stalled;
    this.#stalled = { at: waiting, times: waiting === at ? times + 1 : 1 };
    if (this.#stalled.times >= source_limits.stalls_alike) this.#size = waiting;
  }

  /** So many wait: it is no smaller than that. */
  held(waiting: number): void {
    if (waiting > this.#size) this.#size = Infinity;
  }
}

/** When messages arrived, no two at once. */
export class Stamps {
  #last_us = 0;

  /** Now, or a little later where a message has arrived now already. */
  next(now_us: number): number {
    const next_us = this.#last_us + 1;
    // A clock that was set back is followed.
    this.#last_us = now_us < next_us && next_us - now_us < 1_000_000 ? next_us : now_us;
    return this.#last_us;
  }
}
