// The days that a stand-in reads: those that the lake names, as it says with each question.
import { Fault } from "../../base/fault.ts";
import { Shared } from "../../base/lock.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import { dayText } from "../../model/time/calendar.ts";
import type { Database } from "../../store/database.ts";
import type { Lake } from "../../store/retention/lake.ts";
import { putSealed, type SealedDay } from "../../store/retention/tier.ts";
import { day_us } from "../catalog/catalog.ts";

/** Sample times, [from_us, to_us). */
export type Span = { readonly from_us: number; readonly to_us: number };

type Parts = { readonly database: Database; readonly lake: Pick<Lake, "sealed"> };

/** Knows which days count; the database of the stand-in says the same of each of them. */
export class SealedDays {
  readonly #parts: Parts;
  readonly #looks = new Shared<ReadonlyMap<number, SealedDay>>();
  #seen: ReadonlyMap<number, SealedDay> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Does what reads the samples of a span alone, all of them before `work` is done. Whoever has the
   * shard takes the name of a copy away before it changes what that tells, and before it removes
   * its rows: what is named before and after was true and whole all the time between. Throws a
   * `Fault` (unavailable) where not all of the days are named, or others are named meanwhile.
   */
  async read<T>(span: Span, work: () => Promise<T>, undo: (done: T) => unknown): Promise<T> {
    const seen = await this.#look();
    requireNamed(seen, span);
    const done = await work();
    if (await this.#look().catch(() => undefined) === seen) return done;
    await undo(done);
    throw away("the days that the lake names have changed meanwhile");
  }

  #look(): Promise<ReadonlyMap<number, SealedDay>> {
    return this.#looks.ask(() => this.#lookAlone());
  }

  async #lookAlone(): Promise<ReadonlyMap<number, SealedDay>> {
    const { database, lake } = this.#parts;
    const days = await lake.sealed();
    const is_same = days.length === this.#seen.size &&
      days.every(({ day, file }) => this.#seen.get(day)?.file === file);
    if (is_same) return this.#seen;
    // What reads now finds out that this has changed, whatever it is given.
    this.#seen = new Map();
    await database.write((write) => putSealed(write, days));
    days.forEach((day) => database.far.note(day));
    return this.#seen = new Map(days.map((day) => [day.day, day]));
  }
}

function requireNamed(seen: ReadonlyMap<number, SealedDay>, { from_us, to_us }: Span): void {
  const end_day = Math.ceil(to_us / day_us);
  for (let day = Math.floor(from_us / day_us); day < end_day; day++) {
    if (!seen.has(day)) throw away(`the lake does not tell of ${dayText(day)} by itself`);
  }
}

/** What is said of all that is not answered in the place of a shard. */
export function away(why: string): Fault {
  const what = "the node of this project is away, and only what lies in the lake is answered";
  return new Fault("unavailable", `${what}: ${why}; try again shortly`, {
    retry_after_s: fleet_limits.retry_after_s,
  });
}
