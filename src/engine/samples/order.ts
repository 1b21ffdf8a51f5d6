// Puts the rows of days that are over in order, where other work leaves room.
import type { Effects } from "../../base/effects.ts";
import { quarter_minutes } from "../../model/rollup/whole.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { day_minutes, type MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  type AlikeRows,
  countByOwner,
  dropPart,
  findDay,
  listDays,
  noteOrdered,
  ordered_tables,
  orderPart,
  type OwnerRows,
  type Owners,
  type TableDay,
  takeLots,
} from "../../store/samples/order.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { storeWholes, takeWholes } from "../../store/rollup/whole.ts";
import { day_us } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";
import type { DiskSpace } from "../core/machine.ts";

type OrderParts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "sleep" | "monotonic_ms">;
  /** How many samples wait to be stored or rolled up. */
  readonly waiting: () => number;
  /** The disk of the database; undefined where that is not known. */
  readonly space?: () => Promise<DiskSpace | undefined>;
  /** Lets the roll-up stand still, until disposed of: a pass must not see what it looks at move. */
  readonly holdRoll?: () => Promise<Disposable>;
  /** Has tables grow by large parts, of which each question looks at few. */
  readonly enlarge?: () => Promise<void>;
  /** How many rows lie together by time, whole tags or sensors of a day. */
  readonly lot_rows?: number;
  /** How many rows are put in order in a transaction, whole tags or sensors of a day. */
  readonly order_rows?: number;
  /** How many whole quarter-hours are unfolded in a transaction. */
  readonly order_quarters?: number;
};

/** Lets other work go first, after a part that took so long. */
type Rest = (took_ms: number) => Promise<void>;

/** How a day of a table is put in order. */
type Ordering = TableDay & {
  readonly rest: Rest;
  readonly signal: AbortSignal | undefined;
};

/**
 * Samples, and what is rolled up from them, arrive by time and are read by tag or sensor: its day
 * lies all over the day until that is put in order. Then some that measure the same, a lot, lie
 * together, by time: few rows are read for one of them, equal times take no room, and values that
 * are alike take little. Each transaction takes some lots; much more time passes between two.
 */
export class DayOrder {
  readonly loop: Loop;
  readonly #parts: OrderParts;
  /** Days in which something was stored since they were put in order, if they ever were. */
  readonly #changed = new Set<number>();
  /** Those in which something was since it was last looked for days to be put in order. */
  readonly #recent = new Set<number>();
  #has_looked = false;

  constructor(parts: OrderParts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "putting days in order",
      effects: parts.effects,
      first_ms: sample_limits.order_look_ms,
      retry_ms: sample_limits.order_retry_ms,
      turn: async (signal) => {
        await this.settle((took_ms) => this.#rest(took_ms, signal), signal);
        return sample_limits.order_look_ms;
      },
    });
  }

  /** Says that samples of some minutes were stored and rolled up. */
  stored({ from_minute, to_minute }: MinuteSpan): void {
    const from_day = Math.floor(from_minute / day_minutes);
    for (let day = from_day; day * day_minutes < to_minute; day++) {
      this.#changed.add(day);
      this.#recent.add(day);
    }
  }

  /**
   * Puts every day in order that is over and is not, the last one first, as long as the disk has
   * room: of the newest samples' day nothing may have come lately. `rest` is called before each
   * table's day, and told how long each part took.
   */
  async settle(rest: Rest = () => Promise.resolve(), signal?: AbortSignal): Promise<void> {
    const { database, effects } = this.#parts;
    const newest_us = await database.read(newestSample);
    if (newest_us === undefined) return;
    const today = Math.floor(effects.now_us() / day_us);
    const newest_day = Math.floor(newest_us / day_us);
    await this.#look(today);
    const isOver = (day: number) => day < newest_day || !this.#recent.has(day);
    const days = [...this.#changed].filter((day) => day < today && isOver(day))
      .sort((a, b) => b - a);
    this.#recent.clear();
    for (const day of days) {
      if (!await this.#hasRoom()) return;
      this.#changed.delete(day);
      await this.#parts.enlarge?.();
      try {
        const [samples, ...rolled] = ordered_tables;
        await this.#order({ table: samples, day, rest, signal });
        await this.#unfold({ day, rest, signal });
        for (const table of rolled) await this.#order({ table, day, rest, signal });
      } catch (error) {
        this.#changed.add(day);
        throw error;
      }
      if (signal?.aborted) return;
    }
  }

  /** The first time, finds the days that there are. */
  async #look(end_day: number): Promise<void> {
    if (this.#has_looked) return;
    const { database } = this.#parts;
    for (const table of ordered_tables) {
      const days = await database.aside((connection) => listDays(connection, { table, end_day }));
      for (const day of days) this.#changed.add(day);
    }
    this.#has_looked = true;
  }

  /** Whether a day can be stored once more, and the log of that be written into the file. */
  async #hasRoom(): Promise<boolean> {
    const disk = await this.#parts.space?.();
    return disk === undefined || disk.free_bytes >= sample_limits.order_free_bytes;
  }

  async #order(ordering: Ordering): Promise<void> {
    const { table, day, rest, signal } = ordering;
    const { database, lot_rows = sample_limits.order_lot } = this.#parts;
    const { order_rows = sample_limits.order_rows } = this.#parts;
    const { rows, ordered } = await database.aside((it) => findDay(it, { table, day }));
    if (rows - ordered <= rows * sample_limits.order_share) return;
    await rest(0);
    const owners = await database.aside((it) => countByOwner(it, { table, day }));
    // Patient: who commits beside it waits half as long where processors are busy.
    const session = database.session({ is_patient: true });
    let stored = 0;
    try {
      for (const taken of partsOf(owners, sample_limits.order_taken)) {
        if (signal?.aborted) return;
        const parts = partsOf(within(owners, taken), order_rows);
        const lots = parts.flatMap((part) => lotsOf(within(owners, part), lot_rows));
        await takeLots(session, { table, day, ...taken, lots });
        for (const part of parts) {
          if (signal?.aborted) return;
          const is_same = await this.#store(session, ordering, part);
          if (is_same) stored += countOf(within(owners, part));
        }
      }
    } finally {
      await dropPart(session, table);
      session.close();
    }
    await database.write((write) => noteOrdered(write, { table, day, rows: stored }));
  }

  /** Stores some that were taken, in order; says whether none had changed meanwhile. */
  async #store(
    session: Connection,
    { table, day, rest }: Ordering,
    owners: Owners,
  ): Promise<boolean> {
    const { database, effects } = this.#parts;
    const from_ms = effects.monotonic_ms();
    const is_same = await database.writeOn(
      session,
      (write) => orderPart(write, table, { day, ...owners }),
    );
    await rest(effects.monotonic_ms() - from_ms);
    return is_same;
  }

  /**
   * Stores what whole quarter-hours come to, part by part: once their samples lie in order, that is
   * read faster than they are. It is computed before others have to wait. Those with gaps stay: of
   * a few samples many minutes would be stored, which take as long to read.
   */
  async #unfold({ day, rest, signal }: Omit<Ordering, "table">): Promise<void> {
    const { database, effects, lot_rows = sample_limits.order_lot } = this.#parts;
    const { order_quarters: most = sample_limits.order_quarters } = this.#parts;
    const size = { most, lots: Math.max(1, Math.round(most * quarter_minutes / lot_rows)) };
    const tables = ordered_tables.filter(({ name }) => name === "minute" || name === "reading");
    const look = () =>
      database.aside((it) => Promise.all(tables.map((table) => findDay(it, { table, day }))));
    let before: Awaited<ReturnType<typeof look>> | undefined;
    const session = database.session({ is_patient: true });
    try {
      while (!signal?.aborted) {
        const from_ms = effects.monotonic_ms();
        if (await takeWholes(session, { day, ...size }) === 0) break;
        before ??= await look();
        await this.#storeWholes(session);
        await rest(effects.monotonic_ms() - from_ms);
      }
    } finally {
      session.close();
    }
    if (before === undefined) return;
    const [had, have] = [before, await look()];
    await database.write(async (write) => {
      for (const [i, table] of tables.entries()) {
        const rows = had[i].ordered + have[i].rows - had[i].rows;
        await noteOrdered(write, { table, day, rows });
      }
    });
  }

  async #storeWholes(session: Connection): Promise<void> {
    const { database, holdRoll } = this.#parts;
    using _held = await holdRoll?.();
    await database.writeOn(session, ({ connection }) => storeWholes(connection));
  }

  /** Lets other work go first; and a backup, during which the log would grow by all that moves. */
  async #rest(took_ms: number, signal: AbortSignal): Promise<void> {
    const { database, effects, waiting } = this.#parts;
    await effects.sleep(took_ms * sample_limits.order_rest, signal);
    const goesLater = () => database.is_copied || waiting() > sample_limits.rows_per_transaction;
    while (goesLater() && !signal.aborted) {
      await effects.sleep(sample_limits.order_wait_ms, signal);
    }
  }
}

/** Whole tags or sensors, in order: at least so many rows together, but for the last of them. */
function partsOf(owners: readonly OwnerRows[], rows: number): readonly Owners[] {
  const parts: Owners[] = [];
  let from = 0;
  let held = 0;
  owners.forEach((owner, i) => {
    held += owner.rows;
    if (held < rows && i < owners.length - 1) return;
    parts.push({ from_no: owners[from].owner_no, to_no: owner.owner_no });
    from = i + 1;
    held = 0;
  });
  return parts;
}

/** The same in lots of those that measure the same, by their numbers. */
function lotsOf(owners: readonly AlikeRows[], rows: number): readonly Int32Array[] {
  return Map.groupBy(owners, ({ kind }) => kind).values().toArray()
    .flatMap((alike) => partsOf(alike, evenly(alike, rows)).map((lot) => within(alike, lot)))
    .map((lot) => Int32Array.from(lot, ({ owner_no }) => owner_no));
}

/** About so many rows, of which all lots have as many: a few that are left over take much room. */
function evenly(owners: readonly OwnerRows[], rows: number): number {
  const held = countOf(owners);
  return held / Math.max(1, Math.round(held / rows));
}

function countOf(owners: readonly OwnerRows[]): number {
  return owners.reduce((sum, { rows }) => sum + rows, 0);
}

function within<T extends OwnerRows>(
  owners: readonly T[],
  { from_no, to_no }: Owners,
): readonly T[] {
  return owners.filter(({ owner_no }) => owner_no >= from_no && owner_no <= to_no);
}
