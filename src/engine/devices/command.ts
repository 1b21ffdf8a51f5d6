// Commands to setpoints: they wait for their turn, are sent once, and are read back.
import type { Effects } from "../../base/effects.ts";
import { Bell } from "../../base/in_time.ts";
import { changeFlaw, type CommandEnd } from "../../model/setpoints/setpoint.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import { qualityOf } from "../../model/samples/sample.ts";
import type { SetpointCommand } from "./driver.ts";
import type { SourceRow } from "./state.ts";

/** How a value goes to a point, and how it is seen that the device has it. */
export type PointWay<Held, Message> = {
  /** What the device has now. Throws where that can't be known. */
  readonly read: () => Promise<Held>;
  readonly valueOf: (held: Held) => number | null;
  /** What is sent for a value, beside what the device has; or why nothing can be. */
  readonly messageOf: (value: number, held: Held) => Message | Unsendable;
  /** Sends it once. Throws a `CommandStop`, or what kept the answer away. */
  readonly write: (message: Message) => Promise<void>;
  /** Whether the device has what was sent. */
  readonly has: (held: Held, message: Message) => boolean;
  /** Whether nothing more can be asked after an error. */
  readonly isEnd?: (error: unknown) => boolean;
  /** What else is known of a value that the device has not got yet. */
  readonly note?: () => string | undefined;
};

/** Why no message holds a value. */
export type Unsendable = { readonly flaw: string };

/** The device has refused a command, or it was left before it was sent. */
export class CommandStop extends Error {
  readonly outcome: "refused" | "not_sent";

  constructor(outcome: CommandStop["outcome"], message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** Nothing was sent. */
export function unsent(reason: string, before: number | null = null): CommandEnd {
  return { outcome: "not_sent", reason, before, after: null };
}

/** It may have been sent. */
export function nobodyKnows(reason: string, before: number | null = null): CommandEnd {
  return { outcome: "unknown", reason, before, after: null };
}

const not_owned = "the device may be another node's by now: send it again, with another key";

const has_ended = "the connection has ended";

const cut_off = "the connection ended before the time to confirm it was over";

type CarryParts = {
  readonly effects: Pick<Effects, "monotonic_ms" | "sleep" | "owns">;
  readonly signal: AbortSignal;
};

/**
 * Sends a value once, and reads until the device has it or its time is over. Nothing is thrown
 * here: what broke the connection shows again when it is next used.
 */
export async function carryOut<Held, Message extends object>(
  way: PointWay<Held, Message>,
  command: SetpointCommand,
  parts: CarryParts,
): Promise<CommandEnd> {
  const { value, limits } = command;
  let before: number | null = null;
  let message: Message | Unsendable;
  try {
    const held = await way.read();
    before = way.valueOf(held);
    const flaw = changeFlaw({ value, before }, limits);
    message = flaw === undefined ? way.messageOf(value, held) : { flaw };
  } catch (error) {
    return unsent(`the device could not be read before: ${messageOf(error)}`, before);
  }
  if ("flaw" in message) return unsent(message.flaw, before);
  // Reading it may have taken a while.
  if (parts.signal.aborted) return unsent(has_ended, before);
  if (!parts.effects.owns()) return unsent(not_owned, before);
  let unanswered: string | undefined;
  try {
    await way.write(message);
  } catch (error) {
    if (error instanceof CommandStop) return stopped(error, before);
    unanswered = messageOf(error);
    if (way.isEnd?.(error)) return nobodyKnows(unanswered, before);
  }
  return await confirm(way, { command, message, before, unanswered }, parts);
}

/** Reads until the device has what was written, or the time is over. */
async function confirm<Held, Message extends object>(
  way: PointWay<Held, Message>,
  sent: {
    readonly command: SetpointCommand;
    readonly message: Message;
    readonly before: number | null;
    readonly unanswered: string | undefined;
  },
  { effects, signal }: CarryParts,
): Promise<CommandEnd> {
  const { command: { value, limits }, message, before } = sent;
  const { unit, tolerance = 0, confirm_ms } = limits;
  const until_ms = effects.monotonic_ms() + confirm_ms;
  let after: number | null = null;
  let unread: string | undefined;
  for (;;) {
    try {
      const held = await way.read();
      after = way.valueOf(held);
      unread = undefined;
      const is_near = after !== null && Math.abs(after - value) <= tolerance;
      if (is_near || way.has(held, message)) {
        return { outcome: "confirmed", reason: null, before, after };
      }
    } catch (error) {
      if (error instanceof CommandStop) return stopped(error, before);
      [after, unread] = [null, messageOf(error)];
      if (way.isEnd?.(error)) break;
    }
    if (signal.aborted || effects.monotonic_ms() >= until_ms) break;
    await effects.sleep(setpoint_limits.look_again_ms, signal);
  }
  const is_cut = signal.aborted && effects.monotonic_ms() < until_ms;
  const unanswered = sent.unanswered ?? (is_cut ? cut_off : undefined);
  const has = after === null ? "has no value" : `has ${after}${unit === "1" ? "" : ` ${unit}`}`;
  const note = way.note?.();
  const more = note === undefined ? "" : `; ${note}`;
  if (unread !== undefined) {
    const outcome = unanswered === undefined ? "unconfirmed" : "unknown";
    const reason = `${unanswered ?? "it was taken"}; it could not be read back: ${unread}${more}`;
    return { outcome, reason, before, after };
  }
  if (unanswered !== undefined) {
    return { outcome: "unknown", reason: `${unanswered}; it ${has}`, before, after };
  }
  const reason = `the device took it, and ${has} after that${more}`;
  return { outcome: after === null ? "unconfirmed" : "refused", reason, before, after };
}

function stopped({ outcome, message }: CommandStop, before: number | null): CommandEnd {
  const after = outcome === "refused" ? before : null;
  return { outcome, reason: message, before, after };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A command, with who sends it, and who is told how it ended: the first word counts. */
export type WaitingCommand<Sender> = {
  readonly command: SetpointCommand & { readonly sender: Sender };
  readonly end: (ended: CommandEnd) => void;
};

/** Sends one, and says how it ended. */
type Carry<Sender> = (
  command: SetpointCommand,
  sender: Sender,
  signal: AbortSignal,
) => Promise<CommandEnd>;

/** The commands of one connection: none is kept for a later one, or for long. */
export class WaitingCommands<Sender> {
  readonly #effects: Pick<Effects, "sleep">;
  readonly #bell = new Bell();
  #waiting: WaitingCommand<Sender>[] = [];
  /** What let commands in: the connection of now. */
  #opened: symbol | undefined;

  constructor(effects: Pick<Effects, "sleep">) {
    this.#effects = effects;
  }

  /** Lets commands in until it is closed by what this gives; one that ends late closes no other. */
  open(): () => void {
    this.#close();
    const opened = this.#opened = Symbol();
    return () => {
      if (this.#opened === opened) this.#close();
    };
  }

  /** Lets no more in; those that wait are not sent. */
  #close(): void {
    this.#opened = undefined;
    for (const { end } of this.#waiting.splice(0)) end(unsent(has_ended));
  }

  /** How a command ended. */
  send(command: WaitingCommand<Sender>["command"]): Promise<CommandEnd> {
    if (this.#opened === undefined) return Promise.resolve(unsent("the device is not connected"));
    const { promise, resolve } = Promise.withResolvers<CommandEnd>();
    const waiting = { command, end: resolve };
    this.#waiting.push(waiting);
    this.#bell.ring();
    const given_up = new AbortController();
    void this.#effects.sleep(setpoint_limits.wait_ms, given_up.signal).then(() => {
      const place = this.#waiting.indexOf(waiting);
      if (place < 0) return;
      this.#waiting.splice(place, 1);
      resolve(unsent("the connection was busy with other devices for too long"));
    });
    return promise.finally(() => given_up.abort());
  }

  /** Waits for a time, or until a command comes. */
  async wait(wait_ms: number, signal: AbortSignal): Promise<void> {
    await this.#bell.wait({ wait_ms, signal, effects: this.#effects });
  }

  /** The next one that waits: it waits no longer, and those behind it may give up meanwhile. */
  next(): WaitingCommand<Sender> | undefined {
    const next = this.#waiting.shift();
    if (next === undefined) this.#bell.still();
    return next;
  }

  /**
   * Carries them out, one after the other, beside what reads the connection, until that ends or
   * `signal` aborts.
   */
  async beside<T>(
    { signal, reading, carry }: {
      readonly signal: AbortSignal;
      readonly reading: () => Promise<T>;
      readonly carry: Carry<Sender>;
    },
  ): Promise<T> {
    const over = new AbortController();
    const close = this.open();
    const end = () => {
      over.abort();
      close();
    };
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    void this.#serve(carry, over.signal);
    try {
      return await reading();
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  }

  async #serve(carry: Carry<Sender>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.wait(Infinity, signal);
      for (;;) {
        // By now the bell may be that of the next connection.
        if (signal.aborted) return;
        const next = this.next();
        if (next === undefined) break;
        const { command, end } = next;
        end(
          await carry(command, command.sender, signal)
            .catch((error) => nobodyKnows(messageOf(error))),
        );
      }
    }
  }
}

/** Whether a value is the wanted one, but for what a number of 32 bits leaves over. */
export function isAlike(held: number | null, wanted: number): boolean {
  return held !== null && Math.abs(held - wanted) <= 2 ** -23 * Math.max(1, Math.abs(wanted));
}

/** What was heard of setpoints that tell their values by themselves, in one connection. */
export class HeardValues {
  readonly #tags: ReadonlySet<string>;
  readonly #values = new Map<string, { readonly value: number | null; readonly at: number }>();
  #count = 0;

  constructor(tags: Iterable<string>) {
    this.#tags = new Set(tags);
  }

  /**
   * Values came. One that is not good says nothing of what the device has, and one that was kept
   * for later nothing of what it has since.
   */
  hear(rows: Iterable<SourceRow>, isKept: (row: SourceRow) => boolean = () => false): void {
    if (this.#tags.size === 0) return;
    for (const row of rows) {
      const { tag, value, status_code = 0 } = row;
      if (!this.#tags.has(tag)) continue;
      const is_kept = isKept(row);
      if (is_kept && (this.newest(tag)?.at ?? 0) > 0) continue;
      const is_text = typeof value === "string" || value === undefined;
      const number = is_text || qualityOf(status_code) > 0 ? NaN : Number(value);
      const known = Number.isFinite(number) ? number : null;
      this.#values.set(tag, { value: known, at: is_kept ? 0 : ++this.#count });
    }
  }

  /** How many came that were not kept; and the newest of a tag, which was the so manieth. */
  get count(): number {
    return this.#count;
  }

  newest(tag: string): { readonly value: number | null; readonly at: number } | undefined {
    return this.#values.get(tag);
  }

  /** What was heard before is of no use any more. */
  forget(): void {
    this.#values.clear();
  }

  /** The way to a point whose messages are made and sent by `own`; once sent, new values count. */
  way<Message extends object>(
    tag: string,
    own: Pick<PointWay<number | null, Message>, "messageOf" | "write" | "note">,
  ): PointWay<number | null, Message> {
    let sent_at: number | undefined;
    let wanted = NaN;
    return {
      ...own,
      read: () => {
        const heard = this.#values.get(tag);
        if (sent_at !== undefined && (heard?.at ?? 0) <= sent_at) {
          return Promise.reject(new Error(`no message has told ${tag} since`));
        }
        return Promise.resolve(heard?.value ?? null);
      },
      valueOf: (held) => held,
      messageOf: (value, held) => {
        wanted = value;
        return own.messageOf(value, held);
      },
      write: (message) => {
        sent_at = this.#count;
        return own.write(message);
      },
      has: (held) => isAlike(held, wanted),
    };
  }
}
