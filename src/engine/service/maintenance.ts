// Keeps the database in order beside the work: its guard, checkpoints and space; gives memory back.
import type { Effects } from "../../base/effects.ts";
import { service_limits } from "./limits.ts";
import { database_limits } from "../../store/limits.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import { type Folder, sizeOf } from "../../store/folder.ts";
import { keepFacts } from "../../store/meta.ts";
import type { Guard } from "../../store/loss_check.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import { freeBytes } from "../core/machine.ts";
import type { OwnProcess } from "../core/process.ts";

type Parts = {
  readonly database: Database;
  readonly folder: Folder;
  readonly guard: Guard;
  readonly effects: Effects;
  readonly settings: Pick<Settings, "checkpoint_mb">;
  readonly log: Log;
};

/** Looks after the database; does nothing while nothing is written. */
export class Maintenance {
  /** Looks every few seconds, and once the log is long: who writes waits for all that it holds. */
  readonly loop: Loop;
  readonly #parts: Parts;
  readonly #long_bytes: number;
  /** Whether the last checkpoint that was due could not be made: it is tried every few seconds. */
  #is_held = false;
  /** When the last change was seen; undefined once everything is checkpointed. */
  #changed_ms: number | undefined;
  #disk_full = false;
  #is_ahead = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#changed_ms = parts.effects.monotonic_ms();
    this.loop = new Loop({
      name: "maintaining the database",
      effects: parts.effects,
      first_ms: service_limits.keep_ms,
      retry_ms: service_limits.keep_ms,
      turn: () => this.look().then(() => service_limits.keep_ms),
    });
    this.#long_bytes = parts.settings.checkpoint_mb * 1024 * 1024;
    parts.guard.onLog = (bytes) => {
      if (bytes >= this.#long_bytes && !this.#is_held) this.loop.wake();
    };
  }

  /** One round: keep the stamp, and checkpoint when the log is long or all is quiet. */
  async look(): Promise<void> {
    const { guard, effects } = this.#parts;
    this.#tellIfAhead();
    if (await guard.keep()) this.#changed_ms = effects.monotonic_ms();
    if (this.#parts.database.write_refusal !== undefined) await this.#tryToWrite();
    if (this.#changed_ms === undefined) return;
    const quiet = effects.monotonic_ms() - this.#changed_ms >= service_limits.checkpoint_idle_ms;
    if (await this.#checkpointIf(quiet)) this.#changed_ms = undefined;
  }

  /** Brings everything into the file now, where the disk has room for that and nothing holds it. */
  async settle(): Promise<void> {
    await this.#checkpointIf(true);
  }

  /** Once, and once more when it is over. */
  #tellIfAhead(): void {
    const { database, log } = this.#parts;
    const { ahead_us } = database;
    const is_ahead = ahead_us > database_limits.stamp_ahead_us;
    if (is_ahead === this.#is_ahead) return;
    this.#is_ahead = is_ahead;
    if (is_ahead) {
      log.warning("time stamps are {ahead_s} s ahead of the clock, which was set back", {
        ahead_s: Math.round(ahead_us / 1_000_000),
      });
    } else log.info("time stamps follow the clock again");
  }

  /** Who is told that the disk refuses writes may send nothing: a little one finds out. */
  async #tryToWrite(): Promise<void> {
    const { database, folder } = this.#parts;
    if (await freeBytes(folder.path) < service_limits.free_disk_bytes) return;
    await database.write(({ connection, stamp_us }) => keepFacts(connection, { stamp: stamp_us }));
  }

  /** Says whether everything is in the file now, as far as that can be. */
  async #checkpointIf(quiet: boolean): Promise<boolean> {
    const { database, folder, log } = this.#parts;
    const log_bytes = await sizeOf(folder.log_path);
    const is_due = quiet || log_bytes >= this.#long_bytes;
    if (log_bytes === 0 || !is_due) return quiet;
    const full = await freeBytes(folder.path) < 2 * log_bytes + service_limits.free_disk_bytes;
    if (full !== this.#disk_full) {
      log.warning(
        full ? "the disk is full: no checkpoint is possible" : "the disk has space again",
      );
      this.#disk_full = full;
    }
    // One that is held back by a backup or a long query is made up for at the next look.
    const is_made = !full && await database.checkpoint(quiet ? "all" : "few");
    this.#is_held = !is_made;
    return (full || is_made) && quiet;
  }
}

type RestParts = {
  readonly database: Pick<Database, "committed_us" | "dropCache">;
  readonly maintenance: Pick<Maintenance, "settle">;
  readonly effects: Pick<Effects, "sleep" | "monotonic_ms">;
  readonly process: OwnProcess;
  /** Gives what is kept of answers back. */
  readonly forget: () => void;
};

/**
 * Looks every few seconds. A moment is quiet when the process has hardly worked since the last
 * look, and still when nothing was stored either: what the database keeps in memory until a
 * checkpoint can go then. Nothing is given back until memory has grown since it was: what is cached
 * is of use. Under a load that never ends, caches stay, and the rest is given back every few
 * minutes.
 */
export function restLoop(
  { database, maintenance, effects, process, forget }: RestParts,
): Loop {
  let seen_ms = process.cpu_ms();
  let seen_us = database.committed_us;
  // What was left after each kind of rest.
  const left_mb = { still: 0, quiet: 0, busy: 0 };
  let rested_ms = effects.monotonic_ms();
  const turn = async () => {
    const worked_ms = process.cpu_ms() - seen_ms;
    const is_still = database.committed_us === seen_us;
    seen_us = database.committed_us;
    const kind = worked_ms > service_limits.quiet_cpu_ms ? "busy" : is_still ? "still" : "quiet";
    const is_due = kind !== "busy" ||
      effects.monotonic_ms() - rested_ms >= service_limits.busy_rest_ms;
    if (is_due && process.memory_mb() > left_mb[kind] + service_limits.kept_mb) {
      if (kind !== "busy") forget();
      process.collectGarbage({ and_shrinks: kind !== "busy" });
      // One that fails is tried again by the upkeep, which then says why.
      if (kind === "still") await maintenance.settle().catch(() => {});
      if (kind !== "busy") await database.dropCache();
      process.trim();
      left_mb[kind] = process.memory_mb();
      rested_ms = effects.monotonic_ms();
    }
    seen_ms = process.cpu_ms();
    return service_limits.rest_look_ms;
  };
  return new Loop({
    name: "giving memory back",
    effects,
    first_ms: service_limits.rest_look_ms,
    retry_ms: service_limits.rest_look_ms,
    turn,
  });
}
