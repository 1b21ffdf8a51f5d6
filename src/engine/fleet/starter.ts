// How a node lets the shards that it holds run: a process of each, started again where it ends.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { failedOnceMore, isForgotten, isSteady, isStuck } from "../../model/fleet/restart.ts";
import type { Notice } from "../../model/fleet/shard.ts";
import type { Settings } from "../../model/setting.ts";
import type { FleetCatalog, Seen } from "../../store/fleet/fleet_catalog.ts";
import { hasDatabase } from "../../store/folder.ts";
import type { Log } from "../core/log.ts";
import { processorMs } from "../core/machine.ts";
import type { Holding } from "./holding.ts";
import { whyOf } from "./message.ts";
import { fence, shardEnvironment, shardPath, ShardProcess } from "./shard_process.ts";

type Parts = {
  readonly settings: Settings;
  readonly effects: Effects;
  readonly log: Log;
  readonly data_version: number;
  readonly catalog: Pick<FleetCatalog, "opening" | "keepTrouble" | "outlines">;
  readonly address: string;
  /** The id of the fleet. */
  readonly fleet: string;
  /** How it is seen whether a directory has a database; a test has its own. */
  readonly hasDatabase?: typeof hasDatabase;
};

type Ears = {
  /** What a shard tells all. */
  readonly onTold: (holding: Holding, told: Notice) => void;
  /** A process answers, or does not any more. */
  readonly onChange: () => void;
};

/** What is known of a shard that is to run, and how many share the node's memory. */
type Known = { readonly row: Seen; readonly told: Notice; readonly share: number };

/** Starts the processes of a node's shards. */
export class Starter {
  readonly #parts: Parts;
  readonly #ears: Ears;
  readonly #opening = new Set<Holding>();
  /** Looks into directories that have not ended, by path. */
  readonly #looks = new Map<string, Promise<boolean>>();

  constructor(parts: Parts, ears: Ears) {
    this.#parts = parts;
    this.#ears = ears;
  }

  /** Whether a process of it is being started. */
  isOpening(holding: Holding): boolean {
    return this.#opening.has(holding);
  }

  /** Lets a shard run, and tells it what it has to know; to be called now and then. */
  serve(holding: Holding, known: Known): void {
    const now_ms = this.#parts.effects.monotonic_ms();
    holding.tried = known.row.tried;
    if (this.#opening.has(holding)) return holding.process?.adopt(known.told);
    if (holding.process !== undefined) {
      holding.process.adopt(known.told);
      return this.#endTrouble(holding, known.row);
    }
    if (now_ms < (holding.failing?.again_ms ?? -Infinity)) return;
    holding.begun_ms = now_ms;
    this.#opening.add(holding);
    void this.#open(holding, known)
      .catch((error) => this.#failed(holding, whyOf(error)))
      .finally(() => {
        this.#opening.delete(holding);
        this.#ears.onChange();
      });
  }

  async #open(holding: Holding, { row, told, share }: Known): Promise<void> {
    const { settings, effects, catalog, log, address, data_version, fleet } = this.#parts;
    const { no } = holding;
    await this.#takeDirectory(holding, row);
    // All of this may have taken longer than the lease holds, or the node leaves.
    if (!holding.is_kept) return;
    holding.is_fenced = true;
    const home = settings.fleet_node;
    const is_held = await catalog.opening(holding, { ...row, home });
    if (!is_held || !holding.is_kept) return;
    const env = shardEnvironment(settings, { no, share, address });
    const self = effects.startSelf({ args: ["fleet", "shard", String(no), fleet], env });
    const process = new ShardProcess(self, {
      leftMs: () => holding.left_ms,
      onTold: (said) => this.#ears.onTold(holding, said),
      workedMs: () => processorMs(self.pid),
      onHang(why) {
        holding.has_hung = true;
        log.error("the process of shard {no} is killed: {why}", { no, why });
      },
      onKeep: (word) => catalog.outlines.keep(holding, word),
    }, effects);
    holding.process = process;
    process.adopt(told);
    const port = await process.port;
    if (port === undefined) return await this.#ended(holding, process);
    void this.#ended(holding, process);
    // Before anything is acknowledged: a shard with data is never begun anew, nor by an older node.
    const opened = { home, is_made: true, data_version };
    const is_news = !row.is_made || row.data_version !== data_version;
    if (is_news && !await catalog.opening(holding, opened)) {
      throw new Fault("unavailable", "its lease ended before it answered");
    }
    if (holding.process !== process) return;
    holding.has_hung = false;
    holding.port = port;
    holding.up_ms = effects.monotonic_ms();
    log.info("shard {no} answers, epoch {epoch}", { no, epoch: holding.epoch });
  }

  /** Lets nobody else have its directory open, which has to be the one with its data. */
  async #takeDirectory(holding: Holding, row: Seen): Promise<void> {
    const { settings, effects, fleet } = this.#parts;
    const { no } = holding;
    const path = shardPath(settings, no);
    const former = row.is_open && row.home !== settings.fleet_node ? row.home : null;
    if (!holding.is_kept) return;
    await fence(settings.fleet_fence, { no, fleet, path, former }, effects);
    if (row.is_made && !await this.#hasDatabase(holding, path)) {
      const help = "mount its volume there, or move the shard to the node that has it";
      throw new Fault("not_found", `shard ${no} has data, which are not in ${path}: ${help}`);
    }
  }

  /**
   * Whether a directory has a database. Throws a `Fault` (unavailable) where its volume hangs: a
   * look that has not ended keeps a thread, so there is one at a time.
   */
  async #hasDatabase(holding: Holding, path: string): Promise<boolean> {
    const { hasDatabase: look = hasDatabase } = this.#parts;
    const before = this.#looks.get(path);
    if (before) await this.#answered(holding, path, before);
    const looking = look(path).finally(() => this.#looks.delete(path));
    this.#looks.set(path, looking);
    return await this.#answered(holding, path, looking);
  }

  /** Time in which this process itself stood still counts as one look. */
  async #answered(holding: Holding, path: string, looking: Promise<boolean>): Promise<boolean> {
    const { silent_looks, silent_look_ms: wait_ms } = fleet_limits;
    const { effects } = this.#parts;
    for (let looks = 0; looks < silent_looks; looks++) {
      if (await inTime(looking, { wait_ms, effects })) return await looking;
      // The system may write late what a process that has ended left: the next node fences first.
      holding.is_fenced = false;
    }
    const seconds = silent_looks * wait_ms / 1000;
    throw new Fault("unavailable", `${path} did not answer for ${seconds} s: its volume may hang`);
  }

  /** A process has ended, which nobody told it, or was killed and does not end. */
  async #ended(holding: Holding, process: ShardProcess): Promise<void> {
    await process.quiet;
    const code = await inKillTime(process.ended, this.#parts) ? await process.ended : undefined;
    if (holding.is_lost || holding.is_leaving || holding.process !== process) return;
    const why = process.last_words ?? (code === undefined ? "it does not end" : endOf(code));
    await this.#failed(holding, code === undefined ? `${why}; its volume may hang` : why);
  }

  /** Says why a shard does not run, and when it is tried again, here or at another node. */
  async #failed(holding: Holding, why: string): Promise<void> {
    const { effects, log, settings } = this.#parts;
    const { no, process, begun_ms, up_ms, tried } = holding;
    [holding.port, holding.up_ms] = [undefined, undefined];
    // Not before it is over: who gives the shard back meanwhile waits for its process.
    const forget = () => {
      if (holding.process === process) holding.process = undefined;
    };
    const is_ended = process === undefined || await inKillTime(process.kill(), this.#parts);
    if (is_ended) forget();
    else void process.ended.then(forget);
    if (holding.is_lost || holding.is_leaving) return;
    const now_ms = effects.monotonic_ms();
    const failing = failedOnceMore(holding.failing, { now_ms, begun_ms, up_ms });
    holding.failing = failing;
    const pause_s = (failing.again_ms - now_ms) / 1000;
    const text = "shard {no} does not run: {why}. It is started again in {pause_s} s";
    log.error(text, { no, why, pause_s });
    // What this node can't open at all, another may; what ends is tried here for a while.
    const is_over = !is_ended || !holding.is_fenced || isStuck(failing, now_ms);
    const all = is_over ? [...new Set([...tried, settings.fleet_node])] : tried;
    if (failing.count > 0 || !is_ended) await this.#keepTrouble(holding, { why, tried: all });
    this.#ears.onChange();
  }

  /** Takes back what was said of a shard that runs again: at once, and of who tried it, late. */
  #endTrouble(holding: Holding, { why, tried }: Seen): void {
    const { up_ms } = holding;
    const now_ms = this.#parts.effects.monotonic_ms();
    const left = isForgotten(up_ms, now_ms) ? [] : tried;
    const is_over = why !== null && isSteady(up_ms, now_ms) || left.length < tried.length;
    if (is_over) void this.#keepTrouble(holding, { why: null, tried: left });
  }

  async #keepTrouble(holding: Holding, trouble: Pick<Seen, "why" | "tried">): Promise<void> {
    const { catalog, log } = this.#parts;
    const { no } = holding;
    await catalog.keepTrouble(holding, trouble).catch((error) =>
      log.warning("why shard {no} does not run is not known to all: {error}", { no, error })
    );
  }
}

/** Whether what was killed has ended soon: who waits for a volume that hangs does not. */
export function inKillTime(
  ended: Promise<unknown>,
  { effects }: { readonly effects: Pick<Effects, "sleep"> },
): Promise<boolean> {
  return inTime(ended, { wait_ms: fleet_limits.fence_ms, effects });
}

/** The code of what was killed. */
const killed = 128 + 9;

function endOf(code: number): string {
  if (code === killed) return "its process was killed, by hand or as memory ran out";
  return `its process ended with ${code}; the lines before this in the log may say why`;
}
