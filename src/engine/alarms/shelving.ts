// Takes shelved occurrences off the shelf when their time is up, whatever happened meanwhile.
import type { Effects } from "../../base/effects.ts";
import { alarm_limits } from "../../model/alarms/limits.ts";
import { rollup_limits } from "../../model/rollup/limits.ts";
import { together } from "../../base/together.ts";
import type { Occurrence } from "../../model/alarms/alarm.ts";
import { wake } from "../../model/alarms/life.ts";
import { readShelves } from "../../store/alarms/alarm.ts";
import type { Database } from "../../store/database.ts";
import { Loop } from "../core/loop.ts";
import type { Alarms } from "./alarm.ts";

type Parts = {
  readonly database: Database;
  readonly alarms: Alarms;
  readonly effects: Pick<Effects, "now_us" | "sleep">;
};

/**
 * The ends of shelves in memory, as the stored occurrences say; nothing else is kept, so a restart
 * takes up those that ended meanwhile. The clock may jump: an occurrence leaves the shelf once,
 * when the clock says that its time is up.
 */
export class Shelves {
  /** Takes off the shelf in the background, asleep until the next one is due. */
  readonly loop: Loop;
  readonly #parts: Parts;
  readonly #ends = new Map<number, number>();

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "taking alarms off the shelf",
      effects: parts.effects,
      retry_ms: rollup_limits.retry_ms,
      turn: async () => {
        await this.settle();
        return this.#sleepMs();
      },
    });
  }

  /** Reads the shelves, and follows every change of them from now on. */
  static async open(parts: Parts): Promise<Shelves> {
    const shelves = new Shelves(parts);
    for (const { occurrence_no, shelved_until } of await parts.database.read(readShelves)) {
      shelves.#ends.set(occurrence_no, shelved_until);
    }
    parts.alarms.listen(({ raised, changed }) => {
      for (const occurrence of raised) shelves.#note(occurrence);
      for (const occurrence of changed) shelves.#note(occurrence);
    });
    return shelves;
  }

  /** Takes off the shelf what is due now; what fails there keeps no other on it. */
  async settle(): Promise<void> {
    const now_us = this.#parts.effects.now_us();
    const due = [...this.#ends].filter(([, until_us]) => until_us <= now_us).map(([no]) => no);
    for (let at = 0; at < due.length; at += alarm_limits.shelves_per_write) {
      const nos = due.slice(at, at + alarm_limits.shelves_per_write);
      const [failed] = await together(nos, (some) => this.#wake(some, now_us));
      if (failed) throw failed.error;
    }
  }

  #wake(nos: readonly number[], now_us: number): Promise<void> {
    return this.#parts.alarms.write(async (changes) => {
      await changes.load({ nos });
      for (const occurrence_no of nos) {
        const occurrence = changes.get(occurrence_no)!;
        const step = wake(occurrence, now_us);
        if (step) changes.change(step.occurrence, step.events);
        else this.#note(occurrence);
      }
    });
  }

  #note({ occurrence_no, shelved_until }: Occurrence): void {
    if (shelved_until === null) this.#ends.delete(occurrence_no);
    else if (this.#ends.get(occurrence_no) !== shelved_until) {
      this.#ends.set(occurrence_no, shelved_until);
      this.loop.wake();
    }
  }

  /** Until the next is due; looks in between, as the clock may jump. */
  #sleepMs(): number {
    const due_us = this.#ends.values().reduce((least, end) => Math.min(least, end), Infinity);
    if (due_us === Infinity) return Infinity;
    const due_ms = Math.ceil((due_us - this.#parts.effects.now_us()) / 1000);
    return Math.min(due_ms, alarm_limits.shelf_look_ms);
  }
}
