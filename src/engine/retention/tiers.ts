// Moves days that are old enough into Parquet files, and takes them back when samples come late.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { Lock } from "../../base/lock.ts";
import { limits } from "../../base/limits.ts";
import { tierDays } from "../../model/retention/keep.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { dayText } from "../../model/time/calendar.ts";
import type { Database } from "../../store/database.ts";
import type { FarLook } from "../../store/far.ts";
import type { LossPolicy } from "../../store/loss_check.ts";
import {
  forgetTier,
  listNearDays,
  listTiers,
  noteCopying,
  publishDay,
  recallDays,
  type TierDay,
} from "../../store/retention/tier.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { day_us } from "../catalog/catalog.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import type { Rollup } from "../rollup/rollup.ts";
import { unfoldAhead, unfoldDay } from "../rollup/whole.ts";

type TierParts = {
  readonly database: Database;
  /** Rolls everything stored up, and stands still until disposed of. */
  readonly roll: Pick<Rollup, "hold" | "holdSettled">;
  readonly settings: Pick<Settings, "tier_after">;
  readonly effects: Pick<Effects, "now_us" | "sleep" | "monotonic_ms">;
  readonly log: Log;
  /** Whether days whose file is lost are given up; by default they stay, and reading them fails. */
  readonly on_loss?: LossPolicy;
};

/** Keeps the samples of old days in files. The database knows each file; no other is touched. */
export class Tiers {
  readonly loop: Loop;
  readonly #parts: TierParts;
  /** Until when a day that was taken back stays here, on the clock that never jumps. */
  readonly #stays = new Map<number, number>();
  readonly #recalls = new Lock();
  /** What the log was told of broken files. */
  #told = "";

  private constructor(parts: TierParts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "moving old days into files",
      effects: parts.effects,
      first_ms: limits.loop_retry_ms,
      retry_ms: retention_limits.retry_ms,
      turn: async (signal) => {
        await this.#look();
        await this.settle(signal);
        if (tierDays(parts.settings.tier_after) < Infinity) await parts.database.far.tend();
        return retention_limits.look_ms;
      },
    });
  }

  /** Removes what a crash left behind, and, if so told, gives up days whose files are lost. */
  static async open(parts: TierParts): Promise<Tiers> {
    const tiers = new Tiers(parts);
    await tiers.#sweep(["copying", "returned"]).catch((error) => {
      // What a lake does not let go of now goes later: a shard opens before its lease is certain.
      if (!(error instanceof Fault) || error.code !== "unavailable") throw error;
    });
    if (parts.on_loss === "accept") await tiers.#giveUp();
    return tiers;
  }

  /** Moves every day that is due, and tells who reads the lake alone which days count there. */
  async settle(signal?: AbortSignal): Promise<void> {
    // What a move that failed has left, too: there is one at a time.
    await this.#sweep(["copying", "returned"]);
    // First of all: after a backup was restored, the lake may tell of days that are here.
    await this.#seal();
    for (const day of await this.#due()) {
      if (signal?.aborted) return;
      await this.#move(day);
    }
    await this.#seal();
  }

  async #seal(): Promise<void> {
    await this.#parts.database.far.seal(() => this.#listWhole());
  }

  /** The days that lie in one copy alone, and nothing of them here. */
  async #listWhole(): Promise<readonly TierDay[]> {
    const moved = await this.#list("moved");
    const end_us = moved.reduce((end, { day }) => Math.max(end, day + 1), 0) * day_us;
    const near = await this.#parts.database.aside((it) => listNearDays(it, end_us));
    const copies = Map.groupBy(moved, ({ day }) => day);
    return moved.filter(({ day }) => copies.get(day)!.length === 1 && !near.includes(day));
  }

  /** The days that are old enough and still here. */
  async #due(): Promise<readonly number[]> {
    const { database, settings, effects } = this.#parts;
    const after = tierDays(settings.tier_after);
    const newest_us = after === Infinity ? undefined : await database.read(newestSample);
    if (newest_us === undefined) return [];
    const today = Math.floor(Math.min(newest_us, effects.now_us()) / day_us);
    const end_us = (today - after) * day_us;
    return await database.read((connection) => listNearDays(connection, end_us));
  }

  /**
   * Takes back those of some days that lie in files; resolves when they are here. They stay for a
   * while, and so do those that are here. One call reads at a time: where the place hangs, others
   * hear why once it has failed.
   */
  async recall(days: ReadonlySet<number>): Promise<void> {
    const { database, effects } = this.#parts;
    const until_ms = effects.monotonic_ms() + retention_limits.look_ms;
    for (const day of days) this.#stays.set(day, until_ms);
    const moved = (await this.#list("moved")).filter(({ day }) => days.has(day));
    if (moved.length === 0) return;
    await this.#recalls.run(() => recallDays(database, days));
  }

  /** Removes the files of days that were taken back, as soon as nobody reads them. */
  sweep(): Promise<void> {
    return this.#sweep(["returned"]);
  }

  async #move(day: number): Promise<void> {
    const { database, roll, effects } = this.#parts;
    const isToStay = () => (this.#stays.get(day) ?? -Infinity) > effects.monotonic_ms();
    if (isToStay()) return;
    this.#stays.delete(day);
    const { far } = database;
    const { place } = far;
    await place.ready();
    const session = database.session();
    const file = await database.write((write) => noteCopying(write, { day, place }));
    try {
      const copied = await place.put(session, { day, file });
      if (copied === undefined) return;
      // Before anyone can see it there.
      far.note(copied);
      if (!isToStay()) await unfoldAhead({ database, session, roll }, { day });
      // What was stored and not rolled up yet is looked for here. Nobody waits for the place, which
      // may hang: a day that has changed since it was copied stays.
      using _held = await roll.holdSettled();
      if (!isToStay()) await unfoldDay({ database, session }, { day });
      await database.write(async (write) => {
        if (!isToStay()) await publishDay(write, copied);
      });
    } finally {
      session.close();
      await this.#removeUnpublished(file);
    }
  }

  /** A disk that was full has room again at once. The next sweep forgets the file. */
  async #removeUnpublished(file: string): Promise<void> {
    try {
      if ((await this.#list("moved")).some((it) => it.file === file)) return;
      await this.#parts.database.far.placeOf(file).remove(file);
    } catch {
      // The database or the place does not answer.
    }
  }

  async #list(...states: readonly TierDay["state"][]): Promise<readonly TierDay[]> {
    const known = await this.#parts.database.aside(listTiers);
    return known.filter(({ state }) => states.includes(state));
  }

  /** Removes files of no use, and then the rows that name them. */
  async #sweep(states: readonly TierDay["state"][]): Promise<void> {
    const { database } = this.#parts;
    const useless = await this.#list(...states);
    if (useless.length === 0) return;
    await Promise.all([database.copied(), database.far.unread()]);
    for (const { file } of useless) {
      await database.far.placeOf(file).remove(file);
      await database.write((write) => forgetTier(write, file));
    }
  }

  async #broken(look: FarLook): Promise<readonly SeenTier[]> {
    const seen = await lookAtTiers(this.#parts.database, look);
    return seen.filter(({ flaw }) => flaw !== undefined);
  }

  /** Says which files are not as they were made, once, and once more when all of them are. */
  async #look(): Promise<void> {
    const { database, log } = this.#parts;
    const broken = await this.#broken({ by: "size" });
    const names = flawsOf(broken).join(", ");
    if (names === this.#told) return;
    this.#told = names;
    if (names === "") log.info("all files of old days are there again");
    else {
      log.error("samples of {days} days can't be read: {names} in {folder}: put them back", {
        ...{ days: broken.length, names, folder: database.far.folder },
      });
    }
  }

  /** Forgets the files that can't be read; they stay where they are. */
  async #giveUp(): Promise<void> {
    const { database, log } = this.#parts;
    for (const { day, file, flaw } of await this.#broken({ by: "digest" })) {
      const forget = () => database.write((write) => forgetTier(write, file));
      await database.far.withdraw(file, forget);
      log.warning("the samples of {day} are given up: {file} is {flaw}", {
        ...{ day: dayText(day), file, flaw },
      });
    }
  }
}

/** A day that lies in a file, and what is wrong with that; undefined for nothing. */
type SeenTier = TierDay & { readonly flaw: string | undefined };

/** The files in which days lie, judged by their sizes or all their bytes. */
async function lookAtTiers(database: Database, look: FarLook): Promise<readonly SeenTier[]> {
  const moved = (await database.aside(listTiers)).filter(({ state }) => state === "moved");
  const flaws = await database.far.flawsOf(moved, look);
  return moved.map((tier) => ({ ...tier, flaw: flaws.get(tier.file) }));
}

/** How many days lie in whole files, what is wrong with the others by name, all files' bytes. */
export type TierState = {
  readonly whole: number;
  readonly flaws: readonly string[];
  readonly bytes: number;
};

/** What is seen of the files in which days lie, by their sizes. */
export async function readTiers(database: Database): Promise<TierState> {
  const seen = await lookAtTiers(database, { by: "size" });
  const flaws = flawsOf(seen);
  const bytes = seen.reduce((sum, tier) => sum + tier.bytes, 0);
  return { whole: seen.length - flaws.length, flaws, bytes };
}

function flawsOf(seen: readonly SeenTier[]): readonly string[] {
  return seen.filter(({ flaw }) => flaw !== undefined).map(({ file, flaw }) =>
    `${file} is ${flaw}`
  );
}
