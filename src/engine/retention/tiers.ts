// Moves days that are old enough into Parquet files, and takes them back when samples come late.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { Lock } from "../../base/lock.ts";
import { tierDays } from "../../model/retention/keep.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Settings } from "../../model/setting.ts";
import { dayText } from "../../model/time/calendar.ts";
import type { Database } from "../../store/database.ts";
import {
  copyDay,
  forgetTiers,
  listNearDays,
  listTiers,
  noteCopying,
  publishDay,
  recallDay,
} from "../../store/retention/tier.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { day_us } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";

/** The steps of a move, in their order. */
export type TierStep = "noted" | "copied" | "moved" | "recalled";

type TierParts = {
  readonly database: Database;
  /** Rolls everything stored up, and stands still until disposed of. */
  readonly roll: { holdSettled(): Promise<Disposable> };
  readonly settings: Pick<Settings, "tier_after" | "tier_dir" | "data_dir">;
  readonly effects: Pick<Effects, "now_us" | "sleep" | "monotonic_ms">;
  /** Told of each step, before the next one: a test ends it there. */
  readonly onStep?: (step: TierStep) => void;
};

/** Keeps the samples of old days in files. */
export class Tiers {
  readonly loop: Loop;
  readonly #parts: TierParts;
  readonly #folder: string;
  readonly #lock = new Lock();
  /** Until when a day that was taken back stays here, on the clock that never jumps. */
  readonly #stays = new Map<number, number>();

  private constructor(parts: TierParts) {
    this.#parts = parts;
    const { tier_dir, data_dir } = parts.settings;
    this.#folder = tier_dir === "none" ? `${data_dir}/tiers` : tier_dir;
    this.loop = new Loop({
      name: "moving old days into files",
      effects: parts.effects,
      first_ms: limits.loop_retry_ms,
      retry_ms: retention_limits.retry_ms,
      turn: async (signal) => {
        await this.settle(signal);
        return retention_limits.look_ms;
      },
    });
  }

  /** Forgets copies that were cut short, and removes files that no day lies in. */
  static async open(parts: TierParts): Promise<Tiers> {
    const tiers = new Tiers(parts);
    const known = await parts.database.read(listTiers);
    const cut = known.filter(({ state }) => state === "copying").map(({ day }) => day);
    if (cut.length > 0) await parts.database.write((write) => forgetTiers(write, cut));
    const used = new Set(known.filter(({ state }) => state === "moved").map(({ file }) => file));
    await tiers.#sweep(used);
    return tiers;
  }

  /** Moves every day that is due. */
  async settle(signal?: AbortSignal): Promise<void> {
    const { database, settings, effects } = this.#parts;
    const after = tierDays(settings.tier_after);
    const newest_us = after === Infinity ? undefined : await database.read(newestSample);
    if (newest_us === undefined) return;
    const today = Math.floor(Math.min(newest_us, effects.now_us()) / day_us);
    const end_us = (today - after) * day_us;
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const day of await database.read((connection) => listNearDays(connection, end_us))) {
      if (signal?.aborted) return;
      if ((this.#stays.get(day) ?? 0) > effects.monotonic_ms()) continue;
      await this.#lock.run(() => this.#move(day));
    }
  }

  /** Takes back the days of some instants that lie in files; resolves when they are here. */
  async recall(instants_us: Iterable<number>): Promise<void> {
    const { database, effects, onStep } = this.#parts;
    const days = new Set<number>();
    for (const us of instants_us) if (us < database.far.end_us) days.add(Math.floor(us / day_us));
    if (days.size === 0) return;
    await this.#lock.run(async () => {
      for (const day of days) {
        this.#stays.set(day, effects.monotonic_ms() + retention_limits.look_ms);
      }
      const known = await database.read(listTiers);
      for (const tier of known.filter(({ day, state }) => state === "moved" && days.has(day))) {
        await database.write(async (write) => {
          await recallDay(write, tier);
          onStep?.("recalled");
        });
      }
    });
  }

  async #move(day: number): Promise<void> {
    const { database, roll, onStep } = this.#parts;
    const file = `${this.#folder}/samples-${dayText(day)}-${await this.#number(day)}.parquet`;
    using _held = await roll.holdSettled();
    const session = await database.session();
    try {
      await database.write((write) => noteCopying(write, { day, file }));
      onStep?.("noted");
      await copyDay(session, { day, file });
      onStep?.("copied");
      const onMoved = database.far.note.bind(database.far);
      const is_moved = await database.write(async (write) => {
        const is_same = await publishDay(write, { day, file, onMoved });
        if (!is_same) await forgetTiers(write, [day]);
        onStep?.("moved");
        return is_same;
      });
      if (!is_moved) throw new Fault("conflict", `${dayText(day)} changed while it was copied`);
    } finally {
      session.close();
    }
  }

  /** A number that no file of the day has: one that was given up may still be read. */
  async #number(day: number): Promise<number> {
    const begin = `samples-${dayText(day)}-`;
    const files = await Array.fromAsync(Deno.readDir(this.#folder));
    return 1 +
      files.map(({ name }) => name.startsWith(begin) ? parseInt(name.slice(begin.length)) : 0)
        .reduce((most, number) => Math.max(most, number), 0);
  }

  /** Removes what no day lies in. */
  async #sweep(used: ReadonlySet<string>): Promise<void> {
    try {
      for await (const { name } of Deno.readDir(this.#folder)) {
        const file = `${this.#folder}/${name}`;
        if (/^samples-.*\.parquet(\.new)?$/.test(name) && !used.has(file)) await Deno.remove(file);
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}
