// Whole quarter-hours: new ones are stored as such; what they come to after all, before others look
// at it or its samples go.
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import { day_minutes, type MinuteSpan } from "../../model/time/zone.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import {
  findNewWholes,
  makeNewWholes,
  type Quarters,
  storeNewWholes,
  takeNewWholes,
} from "../../store/rollup/new_whole.ts";
import type { RollPlant } from "../../store/rollup/plant.ts";
import type { Touched } from "../../store/rollup/progress.ts";
import { settleWholes } from "../../store/performance/whole.ts";
import { boundWholes, lateWholes, unfold, wholesOfDay } from "../../store/rollup/whole.ts";
import { localDays } from "./local_day.ts";

type Place = { readonly database: Database; readonly session: Connection };

const most = rollup_limits.unfolded_quarters;

/**
 * Unfolds those that a pass is to set against what it computes: touched ones (`roll_touch`) with
 * samples that came late, and, where the plant is not as it was, those of tags that are looked at
 * in other ways now. Then finds out where any are left.
 */
export async function unfoldTouched(
  place: Place,
  { is_new_plant }: { readonly is_new_plant: boolean },
): Promise<void> {
  if (is_new_plant) await unfoldAll(place, (connection) => boundWholes(connection, most));
  await unfoldAll(place, (connection) => lateWholes(connection, most));
  await settleWholes(place.session);
}

/**
 * Stores new whole quarter-hours of days that are over, and takes them from the touched ones, which
 * a pass looks at. Gives the minutes that they lie in.
 */
export async function storeNew(
  place: Place,
  { touched, plant, over_minute, new_wholes, most_new_wholes }: {
    readonly touched: Touched;
    readonly plant: RollPlant;
    readonly over_minute: number;
    /** Of fewer touched ones the pass finds them itself. */
    readonly new_wholes: number;
    /** About how many are looked at at a time. */
    readonly most_new_wholes: number;
  },
): Promise<MinuteSpan | undefined> {
  const today = (over_minute - over_minute % day_minutes) / 15;
  const { rows, from_quarter } = touched;
  const end_quarter = Math.min(touched.to_quarter + 1, today);
  const span = end_quarter - from_quarter;
  // Few of a long time are looked at slice by slice: of each the stored rows are read whole.
  if (rows < new_wholes || span < 1 || span > rows || plant.kind.has_seals) return;
  const step = Math.ceil(span / Math.ceil(rows / most_new_wholes));
  let since_us: number | undefined;
  for (let from = from_quarter; from < end_quarter; from += step) {
    const to_quarter = Math.min(from + step, end_quarter) - 1;
    const stamp_us = await storeNewOf(place, plant, { from_quarter: from, to_quarter });
    since_us ??= stamp_us;
  }
  if (since_us === undefined) return;
  await takeNewWholes(place.session, since_us);
  return { from_minute: from_quarter * 15, to_minute: end_quarter * 15 };
}

/** Stores those of some quarter-hours; gives their stamp. */
async function storeNewOf(
  { database, session }: Place,
  { places }: RollPlant,
  quarters: Quarters,
): Promise<number | undefined> {
  const { from_quarter, to_quarter } = quarters;
  const needed = await makeNewWholes(session, quarters);
  if (needed.rows === 0) return;
  const { days } = localDays(needed, places);
  const found = await findNewWholes(session, { ...quarters, days });
  if (found.wholes.rows === 0) return;
  // Before any of them can be read.
  session.wholes.note({ from_minute: from_quarter * 15, to_minute: (to_quarter + 1) * 15 });
  return await database.writeBeside(
    session,
    (write) => storeNewWholes(write, { ...quarters, ...found }),
  );
}

/** Unfolds those of a day (UTC, since 1970), of some tags or of all; the roll-up stands still. */
export function unfoldDay(
  place: Place,
  { day, tags = null }: { readonly day: number; readonly tags?: readonly number[] | null },
): Promise<void> {
  return unfoldAll(place, (connection) => wholesOfDay(connection, { day, tags, most }));
}

/**
 * Unfolds the same part by part, and lets the roll-up go on in between: few are left then for
 * `unfoldDay`.
 */
export async function unfoldAhead(
  { database, session, roll }: Place & { readonly roll: { hold(): Promise<Disposable> } },
  { day, tags = null }: { readonly day: number; readonly tags?: readonly number[] | null },
): Promise<void> {
  let left: number = most;
  while (left === most) {
    using _held = await roll.hold();
    const found = await wholesOfDay(session, { day, tags, most });
    await database.writeOn(session, ({ connection }) => unfold(connection, found));
    left = found.rows;
  }
}

/** Unfolds what is found until there is no more, each time in a transaction of its own. */
async function unfoldAll(
  { database, session }: Place,
  find: (connection: Connection) => Promise<Chunk>,
): Promise<void> {
  for (let found = await find(session); found.rows > 0; found = await find(session)) {
    const quarters = found;
    await database.writeOn(session, ({ connection }) => unfold(connection, quarters));
  }
}
