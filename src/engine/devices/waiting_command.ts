// Commands that wait until the one who reads a connection has time to send them.
import type { Effects } from "../../base/effects.ts";
import { Bell } from "../../base/in_time.ts";
import { setpoint_limits } from "../../model/setpoints/limits.ts";
import type { CommandEnd } from "../../model/setpoints/setpoint.ts";
import type { SetpointCommand } from "./driver.ts";

/** A command, with who sends it, and who is told how it ended: the first word counts. */
export type WaitingCommand<Sender> = {
  readonly command: SetpointCommand & { readonly reader: Sender };
  readonly end: (ended: CommandEnd) => void;
};

/** Nothing was sent. */
export function unsent(reason: string): CommandEnd {
  return { outcome: "not_sent", reason, before: null, after: null };
}

/** The commands of one connection: none is kept for a later one, or for long. */
export class WaitingCommands<Sender> {
  readonly #effects: Pick<Effects, "sleep">;
  readonly #bell = new Bell();
  #waiting: WaitingCommand<Sender>[] = [];
  #is_open = false;

  constructor(effects: Pick<Effects, "sleep">) {
    this.#effects = effects;
  }

  /** Lets commands in. */
  open(): void {
    this.#is_open = true;
  }

  /** Lets no more in; those that wait are not sent. */
  close(): void {
    this.#is_open = false;
    for (const { end } of this.take()) end(unsent("the connection has ended"));
  }

  /** How a command ended. */
  send(command: WaitingCommand<Sender>["command"]): Promise<CommandEnd> {
    if (!this.#is_open) return Promise.resolve(unsent("the device is not connected"));
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

  /** Takes those that wait: they wait no longer. */
  take(): readonly WaitingCommand<Sender>[] {
    this.#bell.still();
    return this.#waiting.splice(0);
  }
}
