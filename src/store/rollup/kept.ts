// Minutes of running quarter-hours that a session of the roll-up keeps: what comes later than they
// are is added to them, so that a minute's pass does not read all samples of a quarter-hour again.
import type { Connection } from "../connection.ts";
import { runAll, statement } from "../statement.ts";
import { workTable } from "../table.ts";

/** All minutes of a tag's quarter-hour before `until` are kept, those without samples by none. */
const known_table = workTable("roll_known", {
  tag_no: "int32",
  quarter: "int32",
  until: "int32",
});

/** The kept minutes, as `roll_minute` has them. */
const kept_none = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_kept AS
    SELECT tag_no, minute, carried, value AS mean, minimum, maximum, value AS last, value_int,
      value_str, good_count, uncertain_count, bad_count, quality, status_code, true AS holds
    FROM minute
    LIMIT 0`,
});

/** The sessions that keep any. */
const keeping = new WeakSet<Connection>();

/** Keeps nothing yet. */
export async function keepNone(connection: Connection): Promise<void> {
  await runAll(connection, [known_table.make, kept_none]);
  keeping.delete(connection);
}

/** No further than what came before this pass, and no longer than a value can reach. */
const known_cut = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_known AS
    SELECT k.tag_no, k.quarter,
      least(max(k.until), min(k.quarter * 15 + t.since), $over_minute::INTEGER) AS until
    FROM roll_known AS k
    JOIN roll_tag AS g USING (tag_no)
    LEFT JOIN roll_touch AS t ON t.tag_no = k.tag_no AND t.quarter = k.quarter
    WHERE k.quarter >= $over_minute::INTEGER // 15 - g.reach
    GROUP BY k.tag_no, k.quarter`,
  parameters: { over_minute: "int32" },
});

const kept_cut = statement({
  sql: `
    CREATE OR REPLACE TEMP TABLE roll_kept AS
    SELECT m.*
    FROM roll_kept AS m
    JOIN roll_known AS k
      ON k.tag_no = m.tag_no AND k.quarter = m.minute // 15 AND m.minute < k.until`,
});

const known_count = statement({
  sql: "SELECT count(*)::INTEGER AS known FROM roll_known",
  row: { known: "int32" },
});

/**
 * Lets go of what a pass over touched quarter-hours (`roll_touch`) can't build on. Most sessions
 * keep nothing, and need no statement to let go of it.
 */
export async function cutKept(connection: Connection, over_minute: number): Promise<void> {
  if (!keeping.has(connection)) return;
  await connection.run(known_cut, { over_minute });
  await connection.run(kept_cut);
  const [{ known }] = await connection.rows(known_count);
  if (known === 0) keeping.delete(connection);
}

const kept_insert = statement({
  sql: `
    INSERT INTO roll_kept
    SELECT m.* EXCLUDE (day, fresh)
    FROM roll_minute AS m
    JOIN roll_scope AS q
      ON q.tag_no = m.tag_no AND q.quarter = m.minute // 15 AND m.minute >= q.from_minute
    WHERE q.running`,
});

const known_insert = statement({
  sql: `
    INSERT INTO roll_known
    SELECT tag_no, quarter, least(quarter * 15 + 15, $over_minute::INTEGER)
    FROM roll_scope
    WHERE running AND from_minute < $over_minute::INTEGER`,
  parameters: { over_minute: "int32" },
});

/** Keeps what was read of running quarter-hours; none of `roll_minute` is carried on yet. */
export async function keepMinutes(connection: Connection, over_minute: number): Promise<void> {
  keeping.add(connection);
  await connection.run(kept_insert);
  await connection.run(known_insert, { over_minute });
}
