// The process of a shard from within: how long it may answer, what it adopts, when it ends.
import type { Effects } from "../../base/effects.ts";
import type { Pipe } from "../../base/effects_self.ts";
import { inTime } from "../../base/in_time.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { Notice } from "../../model/fleet/shard.ts";
import type { FromShard, ToShard } from "./message.ts";

type Parts = { readonly pipe: Pipe; readonly effects: Pick<Effects, "monotonic_ms" | "sleep"> };

/**
 * What a shard knows of its lease. Its clock and that of its node have nothing in common, so it
 * counts from when it asked, and whatever comes late is worth less.
 */
export class ShardInside {
  /** Aborts when it is to stop. */
  readonly stop: AbortSignal;
  /** Resolves when its node is gone: nobody tells it any more how long it may answer. */
  readonly gone: Promise<void>;
  /** The first of what others told. */
  readonly first_told: Promise<Notice>;
  /** Hears what others told, again and again. */
  onTold: (told: Notice) => void = () => {};
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  readonly #told = Promise.withResolvers<Notice>();
  #until_ms = -Infinity;
  #said = "";

  constructor(parts: Parts) {
    this.#parts = parts;
    this.stop = this.#stop.signal;
    this.first_told = this.#told.promise;
    this.gone = this.#hear().catch(() => {});
  }

  /** Whether the shard is its node's beyond doubt. */
  get is_certain(): boolean {
    return this.#parts.effects.monotonic_ms() < this.#until_ms;
  }

  /** Says at which port it answers. */
  ready(port: number): Promise<void> {
    return this.#say({ port });
  }

  /** Asks and tells until its node is gone. */
  async run(tell: () => Promise<Notice> | Notice): Promise<void> {
    const { effects } = this.#parts;
    const over = new AbortController();
    void this.gone.then(() => over.abort());
    while (!over.signal.aborted) {
      await this.#say({ ask_ms: effects.monotonic_ms() });
      const told = await tell();
      const text = JSON.stringify(told);
      if (text !== this.#said) await this.#say({ told });
      this.#said = text;
      const pause = effects.sleep(fleet_limits.ask_ms, over.signal);
      await inTime(pause, { wait_ms: Infinity, effects, signal: over.signal });
    }
  }

  async #hear(): Promise<void> {
    for (;;) {
      const message = await this.#parts.pipe.receive();
      if (message === undefined || !("json" in message)) return;
      const said = message.json as ToShard;
      if ("asked_ms" in said) this.#until_ms = said.asked_ms + said.left_ms;
      else if ("stop" in said) this.#stop.abort();
      else {
        this.#told.resolve(said.adopt);
        this.onTold(said.adopt);
      }
    }
  }

  /** A node that is gone hears nothing. */
  async #say(json: FromShard): Promise<void> {
    await this.#parts.pipe.send({ json }).catch(() => {});
  }
}
