// Stores what whole quarter-hours come to after all, before others look at it or its samples go.
import { rollup_limits } from "../../model/rollup/limits.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { settleWholes } from "../../store/performance/whole.ts";
import { boundWholes, lateWholes, unfold, wholesOfDay } from "../../store/rollup/whole.ts";

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
