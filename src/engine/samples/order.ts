// Puts the samples of days that are over in order, where other work leaves room.
import type { Effects } from "../../base/effects.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import type { Database } from "../../store/database.ts";
import {
  countByTag,
  type DayPart,
  dropPart,
  findDay,
  listChangedDays,
  noteOrdered,
  orderPart,
  type SeenDays,
  type Tags,
  takePart,
} from "../../store/samples/order.ts";
import { newestSample } from "../../store/samples/sample.ts";
import { day_us } from "../catalog/catalog.ts";
import { Loop } from "../core/loop.ts";

type OrderParts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "now_us" | "sleep" | "monotonic_ms">;
  /** How many samples wait to be stored or rolled up. */
  readonly waiting: () => number;
  /** How many samples lie together by time, whole tags of a day. */
  readonly lot_rows?: number;
};

/**
 * Samples arrive by time, and are read by tag: a tag's day lies all over its day until that is put
 * in order. Then the tags of a lot lie together, by time: few samples are read for one of them, and
 * equal times take no room. Each transaction takes some lots; much more time passes between two.
 */
export class SampleOrder {
  readonly loop: Loop;
  readonly #parts: OrderParts;
  #seen: SeenDays = { seen_us: -1, seen_end_us: 0 };

  constructor(parts: OrderParts) {
    this.#parts = parts;
    this.loop = new Loop({
      name: "putting samples in order",
      effects: parts.effects,
      first_ms: sample_limits.order_look_ms,
      retry_ms: sample_limits.order_retry_ms,
      turn: async (signal) => {
        await this.settle((took_ms) => this.#rest(took_ms, signal), signal);
        return sample_limits.order_look_ms;
      },
    });
  }

  /** Puts every day in order that is over and is not; `rest` is told how long each part took. */
  async settle(
    rest: (took_ms: number) => Promise<void> = () => Promise.resolve(),
    signal?: AbortSignal,
  ): Promise<void> {
    const { database, effects } = this.#parts;
    const newest_us = await database.read(newestSample);
    if (newest_us === undefined) return;
    const end_us = Math.floor(Math.min(newest_us, effects.now_us()) / day_us) * day_us;
    const seen = { seen_us: database.committed_us, seen_end_us: end_us };
    const look = { ...this.#seen, end_us };
    for (const day of await database.aside((connection) => listChangedDays(connection, look))) {
      await this.#order(day, rest, signal);
      if (signal?.aborted) return;
    }
    this.#seen = seen;
  }

  async #order(
    day: number,
    rest: (took_ms: number) => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { database, effects, lot_rows = sample_limits.order_lot } = this.#parts;
    const { rows, ordered } = await database.aside((connection) => findDay(connection, day));
    if (rows - ordered <= rows * sample_limits.order_share) return;
    const tags = await database.aside((connection) => countByTag(connection, day));
    const session = database.session();
    let is_whole = true;
    const store = async (part: DayPart) => {
      const from_ms = effects.monotonic_ms();
      const lots = partsOf(within(tags, part), lot_rows);
      const is_same = await database.writeOn(session, (write) => orderPart(write, part, lots));
      is_whole &&= is_same;
      await rest(effects.monotonic_ms() - from_ms);
    };
    try {
      for (const taken of partsOf(tags, sample_limits.order_taken)) {
        if (signal?.aborted) return;
        await takePart(session, { day, ...taken });
        for (const part of partsOf(within(tags, taken), sample_limits.order_rows)) {
          if (signal?.aborted) return;
          await store({ day, ...part });
        }
      }
    } finally {
      await dropPart(session);
      session.close();
    }
    if (is_whole) await database.write((write) => noteOrdered(write, { day, rows }));
  }

  /** Lets other work go first. */
  async #rest(took_ms: number, signal: AbortSignal): Promise<void> {
    const { effects, waiting } = this.#parts;
    await effects.sleep(took_ms * sample_limits.order_rest, signal);
    while (waiting() > sample_limits.rows_per_transaction && !signal.aborted) {
      await effects.sleep(sample_limits.order_wait_ms, signal);
    }
  }
}

type TagRows = { readonly tag_no: number; readonly rows: number };

/** Whole tags, in order, with at least so many rows together, but for the last of them. */
function partsOf(tags: readonly TagRows[], rows: number): readonly Tags[] {
  const parts: Tags[] = [];
  let from = 0;
  let held = 0;
  tags.forEach((tag, i) => {
    held += tag.rows;
    if (held < rows && i < tags.length - 1) return;
    parts.push({ from_tag: tags[from].tag_no, to_tag: tag.tag_no });
    from = i + 1;
    held = 0;
  });
  return parts;
}

function within(tags: readonly TagRows[], { from_tag, to_tag }: Tags): readonly TagRows[] {
  return tags.filter(({ tag_no }) => tag_no >= from_tag && tag_no <= to_tag);
}
