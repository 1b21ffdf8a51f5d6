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
  { database, session }: Place,
  { touched, plant, over_minute }: {
    readonly touched: Touched;
    readonly plant: RollPlant;
    readonly over_minute: number;
  },
): Promise<MinuteSpan | undefined> {
  const today = (over_minute - over_minute % day_minutes) / 15;
  const { rows, from_quarter } = touched;
  const to_quarter = Math.min(touched.to_quarter, today - 1);
  const span = to_quarter + 1 - from_quarter;
  // Few of a long time are looked at slice by slice: of each the stored rows are read whole.
  if (span < 1 || span > rows || plant.kind.has_seals) return;
  const quarters = { from_quarter, to_quarter };
  const needed = await makeNewWholes(session, quarters);
  if (needed.rows === 0) return;
  const { days } = localDays(needed, plant.places);
  const found = await findNewWholes(session, { ...quarters, days });
  if (found.wholes.rows === 0) return;
  const minutes = { from_minute: from_quarter * 15, to_minute: (to_quarter + 1) * 15 };
  // Before any of them can be read.
  session.wholes.note(minutes);
  const stamp_us = await database.writeBeside(
    session,
    (write) => storeNewWholes(write, { ...quarters, ...found }),
  );
  await takeNewWholes(session, stamp_us);
  return minutes;
}

/** Unfolds those of a day (UTC, since 1970), of some tags or of all; the roll-up stands still. */
export function unfoldDay(
  place: Place,
  { day, tags = null }: { readonly day: number; readonly tags?: readonly number[] | null },
): Promise<void> {
  return unfoldAll(place, (connection) => wholesOfDay(connection, { day, tags, most }));
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
