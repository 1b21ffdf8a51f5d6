// Processes of a node that answer, of shards whose own do not, what lies in the lake.
import type { Effects } from "../../base/effects.ts";
import { inTime } from "../../base/in_time.ts";
import { Lock } from "../../base/lock.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { Notice } from "../../model/fleet/shard.ts";
import type { Settings } from "../../model/setting.ts";
import type { Outlines } from "../../store/fleet/outlines.ts";
import type { Log } from "../core/log.ts";
import { processorMs } from "../core/machine.ts";
import { ShardProcess, standInEnvironment } from "./shard_process.ts";

type Parts = {
  readonly settings: Settings;
  readonly effects: Pick<Effects, "monotonic_ms" | "sleep" | "startSelf">;
  readonly log: Log;
  readonly catalog: { readonly outlines: Pick<Outlines, "find" | "read"> };
  readonly address: string;
};

/** What is told a stand-in, and how many share the node's memory. */
type Known = { readonly told: Notice; readonly share: number };

/** One question to a stand-in. */
export type StandInTurn = {
  /** Where it answers. */
  readonly port: number;
  /** Whether the outline that it reads by was true until now: what it has answered may leave. */
  readonly isTrue: () => Promise<boolean>;
  /** To be called once the answer has gone out. */
  readonly end: () => void;
};

type StandIn = {
  readonly process: ShardProcess;
  readonly outline_no: number;
  running: number;
  used_ms: number;
};

/**
 * Stands in for shards. Nothing here asks for a lease: an answer is true where the outline counts
 * before the lake is asked and still counts, under the same number, after that. Who holds the shard
 * withdraws the outline, or the day, before it acknowledges what changes them.
 */
export class StandIns {
  readonly #parts: Parts;
  readonly #all = new Map<number, StandIn>();
  /** Until when none is started for a shard for which one did not start. */
  readonly #rests = new Map<number, number>();
  readonly #starting = new Lock();
  /** How many answers left, by shard. */
  readonly answered = new Map<number, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether one runs for a shard. */
  has(no: number): boolean {
    return this.#all.has(no);
  }

  /** Begins a question to the stand-in of a shard; undefined where there can't be one now. */
  async begin(no: number, known: Known): Promise<StandInTurn | undefined> {
    const { effects, catalog, log } = this.#parts;
    const outline_no = await catalog.outlines.find(no).catch(() => undefined);
    if (outline_no === undefined) return undefined;
    const it = await this.#starting.run(async () => {
      const it = await this.#ensure(no, { outline_no, known });
      // Before the next one may look for room.
      if (it) it.running++;
      return it;
    });
    if (it === undefined) return undefined;
    let is_over = false;
    const end = () => {
      // A client that goes away while the last bytes come ends it twice.
      if (!is_over) it.running--;
      is_over = true;
      it.used_ms = effects.monotonic_ms();
    };
    const { process } = it;
    const is_up = await inTime(process.port, { wait_ms: fleet_limits.wait_ms, effects });
    const port = is_up ? await process.port : undefined;
    if (port === undefined) {
      end();
      const why = process.last_words ?? "the lines before this in the log may say why";
      log.warning("nothing stands in for shard {no}, it does not start: {why}", { no, why });
      this.#rests.set(no, effects.monotonic_ms() + fleet_limits.stand_in_rest_ms);
      await this.#end(no, it);
      return undefined;
    }
    const isTrue = async () => await catalog.outlines.find(no) === outline_no;
    return { port, isTrue, end };
  }

  /** Counts an answer that leaves. */
  count(no: number): void {
    this.answered.set(no, (this.answered.get(no) ?? 0) + 1);
  }

  /** Tells each what others told, and ends those that nobody asks; to be called now and then. */
  look(toldTo: (no: number) => Notice | undefined): void {
    const now_ms = this.#parts.effects.monotonic_ms();
    for (const [no, it] of this.#all) {
      const told = toldTo(no);
      if (told) it.process.adopt(told);
      const is_idle = now_ms - it.used_ms >= fleet_limits.stand_in_idle_ms;
      if (it.running === 0 && is_idle) void this.#end(no, it);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#all, ([no, it]) => this.#end(no, it)));
  }

  /** The one that reads by that outline, which is started where there is room. */
  async #ensure(
    no: number,
    { outline_no, known }: { readonly outline_no: number; readonly known: Known },
  ): Promise<StandIn | undefined> {
    const { effects, catalog, log } = this.#parts;
    const before = this.#all.get(no);
    if (before?.outline_no === outline_no) return before;
    if (before) await this.#end(no, before);
    if (effects.monotonic_ms() < (this.#rests.get(no) ?? -Infinity)) return undefined;
    if (!await this.#hasRoom()) return undefined;
    const kept = await catalog.outlines.read(no).catch(() => undefined);
    if (kept?.outline_no !== outline_no) return undefined;
    const it = this.#start(no, { outline_no, known });
    it.process.adopt(known.told);
    it.process.outline(kept.outline);
    log.info("shard {no} does not answer: another process answers what lies in the lake", { no });
    return it;
  }

  #start(
    no: number,
    { outline_no, known }: { readonly outline_no: number; readonly known: Known },
  ): StandIn {
    const { settings, effects, address, log } = this.#parts;
    const env = standInEnvironment(settings, { no, share: known.share, address });
    const self = effects.startSelf({ args: ["fleet", "stand-in", String(no)], env });
    const process = new ShardProcess(self, {
      leftMs: () => 0,
      onTold: () => {},
      onKeep: () => Promise.resolve(undefined),
      workedMs: () => processorMs(self.pid),
      onHang: (why) => log.error("what stands in for shard {no} is killed: {why}", { no, why }),
    }, effects);
    const it = { process, outline_no, running: 0, used_ms: effects.monotonic_ms() };
    this.#all.set(no, it);
    void process.ended.then(() => this.#forget(no, it));
    return it;
  }

  /** Whether one more may run: the one that nobody has asked for longest makes room. */
  async #hasRoom(): Promise<boolean> {
    if (this.#all.size < fleet_limits.stand_ins) return true;
    const [oldest] = [...this.#all].filter(([, { running }]) => running === 0)
      .toSorted(([, a], [, b]) => a.used_ms - b.used_ms);
    if (oldest) await this.#end(...oldest);
    return oldest !== undefined;
  }

  async #end(no: number, it: StandIn): Promise<void> {
    this.#forget(no, it);
    await it.process.kill();
  }

  #forget(no: number, it: StandIn): void {
    if (this.#all.get(no) === it) this.#all.delete(no);
  }
}
