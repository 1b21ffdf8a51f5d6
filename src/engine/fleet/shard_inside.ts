// The process of a shard from within: how long it may answer, what it adopts, when it ends.
import type { Effects } from "../../base/effects.ts";
import type { Pipe } from "../../base/effects_self.ts";
import { Bell, inTime } from "../../base/in_time.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { OutlineWord } from "../../model/fleet/outline.ts";
import type { Notice } from "../../model/fleet/shard.ts";
import { type FromShard, type ToShard, whyOf } from "./message.ts";

type Parts = { readonly pipe: Pipe; readonly effects: Pick<Effects, "monotonic_ms" | "sleep"> };

/** Stores what others told. */
type Take = (told: Notice) => Promise<void>;

/**
 * What a shard knows of its lease. Its clock and that of its node have nothing in common, so it
 * counts from when it asked, and whatever comes late is worth less.
 */
export class ShardInside {
  /** Aborts when it is to stop. */
  readonly stop: AbortSignal;
  /** Resolves when its node is gone: nobody tells it any more how long it may answer. */
  readonly gone: Promise<void>;
  /** Of a stand-in: the outline by which it reads, as it was kept. */
  readonly outline: Promise<string>;
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  /** What others told last, and whether it is still to be taken over. */
  #told: Notice | undefined;
  /** The tokens that ended, of what was taken over last. */
  #ended: Notice["ended"];
  readonly #news = new Bell();
  readonly #outlined = Promise.withResolvers<string>();
  /** Who waits to hear what became of an outline, by the number of the question. */
  readonly #asking = new Map<number, (kept: number | undefined) => void>();
  #asked = 0;
  #until_ms = -Infinity;
  #said = "";

  constructor(parts: Parts) {
    this.#parts = parts;
    this.stop = this.#stop.signal;
    this.outline = this.#outlined.promise;
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

  /** Says why it ends, for its node to tell who asks why it does not run. */
  fail(error: unknown): Promise<void> {
    return this.#say({ failed: whyOf(error) });
  }

  /** Takes over what others told last, once that is new; what can't be stored now stays new. */
  async adopt(take: Take): Promise<void> {
    const { effects } = this.#parts;
    await this.#news.wait({ wait_ms: Infinity, effects, signal: this.stop });
    if (this.stop.aborted || this.#told === undefined) return;
    this.#news.still();
    const { ended } = this.#told;
    try {
      await take(this.#told);
      this.#ended = ended;
    } catch (error) {
      this.#news.ring();
      throw error;
    }
  }

  /** Does that until it is to stop: a token that ended must not live on here. */
  async keepAdopting(take: Take, failed: (error: unknown) => void): Promise<void> {
    while (!this.stop.aborted) {
      try {
        await this.adopt(take);
      } catch (error) {
        failed(error);
        await this.#parts.effects.sleep(fleet_limits.ask_ms, this.stop);
      }
    }
  }

  /** Lets the catalogue do what is said of the outline; undefined where nobody says that it has. */
  async keep(keep: OutlineWord): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const ask_no = ++this.#asked;
    this.#asking.set(ask_no, resolve);
    // A node that stands still may not even take the question.
    void this.#say({ keep, ask_no });
    const wait_ms = fleet_limits.keep_ms;
    const is_said = await inTime(promise, { wait_ms, effects: this.#parts.effects });
    this.#asking.delete(ask_no);
    return is_said ? await promise : undefined;
  }

  /** Asks and tells until its node is gone; what ended is told again, so that it is known here. */
  async run(tell: () => Promise<Notice> | Notice): Promise<void> {
    const { effects } = this.#parts;
    const over = new AbortController();
    void this.gone.then(() => over.abort());
    while (!over.signal.aborted) {
      await this.#say({ ask_ms: effects.monotonic_ms() });
      // Looked at first: what is told of tokens is no older.
      const ended = this.#ended;
      const told = { ...await tell(), ...(ended && { ended }) };
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
      else if ("kept" in said) this.#asking.get(said.ask_no)?.(said.kept ?? undefined);
      else if ("outline" in said) this.#outlined.resolve(said.outline);
      else {
        this.#told = said.adopt;
        this.#news.ring();
      }
    }
  }

  /** A node that is gone hears nothing. */
  async #say(json: FromShard): Promise<void> {
    await this.#parts.pipe.send({ json }).catch(() => {});
  }
}
