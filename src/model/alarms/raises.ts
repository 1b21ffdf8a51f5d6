// The recent raises at one site, by samples' time: which repeat too fast, which are a flood.
import { alarm_limits } from "./limits.ts";
import type { Occurrence } from "./alarm.ts";

/** One time that an alarm came up. */
export type Raise = {
  readonly at_us: number;
  readonly occurrence_no: number;
  /** The same for the same rule on the same tag. */
  readonly key: string;
  /** Whether a flood counts it: it is new in the queue, not there again and not kept out of it. */
  readonly counts: boolean;
};

/** What makes alarms repeats of one another: their rule and their tag. */
export function repeatKey(
  { rule_no, rule_name, source_tag }: Pick<Occurrence, "rule_no" | "rule_name" | "source_tag">,
): string {
  return `${rule_no ?? rule_name}\n${source_tag}`;
}

/**
 * Raises of the last `alarm_limits.flood_window_us` before the newest, at most
 * `alarm_limits.recent_raises`: what is kept depends on the raises alone, in whatever order and
 * portions they came.
 */
export class RecentRaises {
  /** In order of time. */
  #raises: Raise[] = [];
  readonly #by_key = new Map<string, Raise[]>();

  /** Takes raises in, each once, and forgets those that are too old then. */
  add(raises: readonly Raise[]): void {
    for (const raise of raises) {
      if (!insert(this.#raises, raise)) continue;
      const same = this.#by_key.get(raise.key);
      if (same) insert(same, raise);
      else this.#by_key.set(raise.key, [raise]);
    }
    this.#forget();
  }

  /** Forgets what came up after an instant. */
  cut(last_us: number): void {
    const kept = this.#raises.filter(({ at_us }) => at_us <= last_us);
    if (kept.length === this.#raises.length) return;
    this.#raises = [];
    this.#by_key.clear();
    this.add(kept);
  }

  /** Counts some occurrences in no flood any more: they were kept out of the queue. */
  discount(occurrence_nos: ReadonlySet<number>): void {
    this.#raises = this.#raises.map((raise) =>
      occurrence_nos.has(raise.occurrence_no) ? { ...raise, counts: false } : raise
    );
  }

  /** Whether a raise is too old to be judged: what came shortly before it may be forgotten. */
  isPast(at_us: number): boolean {
    return at_us <= (this.#raises.at(-1)?.at_us ?? -Infinity) - alarm_limits.flood_window_us;
  }

  /** Whether a raise is here. */
  has(raise: Raise): boolean {
    const same = this.#by_key.get(raise.key) ?? [];
    const at = countBefore(same, (it) => order(it, raise) < 0);
    return at < same.length && order(same[at], raise) === 0;
  }

  /**
   * How many of a key came up in the chattering window that ends at an instant; up to
   * what makes a repeat.
   */
  repeats(key: string, at_us: number): number {
    const from_us = at_us - alarm_limits.chattering_window_us;
    const most = alarm_limits.chattering_raises;
    return countBack(this.#by_key.get(key) ?? [], { from_us, at_us, most, counts: () => true });
  }

  /**
   * How many that count, but for some occurrences, came up in the flood window that ends at an
   * instant; up to what makes a flood.
   */
  news(at_us: number, without: ReadonlySet<number>): number {
    const from_us = at_us - alarm_limits.flood_window_us;
    const most = alarm_limits.flood_alarms;
    const counts = (raise: Raise) => raise.counts && !without.has(raise.occurrence_no);
    return countBack(this.#raises, { from_us, at_us, most, counts });
  }

  /** All that are here, in order of time. */
  get all(): readonly Raise[] {
    return this.#raises;
  }

  /** The occurrences that came up at an instant or later, once or more. */
  since(from_us: number): readonly number[] {
    const raises = this.#raises.filter(({ at_us }) => at_us >= from_us);
    return [...new Set(raises.map(({ occurrence_no }) => occurrence_no))];
  }

  #forget(): void {
    const over = this.#raises.length - alarm_limits.recent_raises;
    let count = Math.max(0, over);
    while (count < this.#raises.length && this.isPast(this.#raises[count].at_us)) count++;
    for (const { key } of this.#raises.splice(0, count)) {
      const same = this.#by_key.get(key)!;
      same.shift();
      if (same.length === 0) this.#by_key.delete(key);
    }
  }
}

/** Puts a raise where it belongs in order of time; false: it is there. */
function insert(list: Raise[], raise: Raise): boolean {
  const at = countBefore(list, (it) => order(it, raise) < 0);
  if (at < list.length && order(list[at], raise) === 0) return false;
  list.splice(at, 0, raise);
  return true;
}

/** How many raises at the start of a list in order are `before`, by halving. */
function countBefore(list: readonly Raise[], before: (raise: Raise) => boolean): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (before(list[middle])) from = middle + 1;
    else to = middle;
  }
  return from;
}

function order(a: Raise, b: Raise): number {
  return a.at_us - b.at_us || a.occurrence_no - b.occurrence_no;
}

type Counting = {
  readonly from_us: number;
  readonly at_us: number;
  readonly most: number;
  readonly counts: (raise: Raise) => boolean;
};

/** How many raises of a list in order lie in `(from_us, at_us]`, as far as `most`. */
function countBack(list: readonly Raise[], { from_us, at_us, most, counts }: Counting): number {
  let count = 0;
  const last = countBefore(list, (raise) => raise.at_us <= at_us) - 1;
  for (let i = last; i >= 0 && list[i].at_us > from_us && count < most; i--) {
    if (counts(list[i])) count++;
  }
  return count;
}
