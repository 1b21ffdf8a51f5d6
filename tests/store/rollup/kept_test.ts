// What a session keeps of running quarter-hours, and that nothing is done where it keeps none.
import { deepEqual, rejects } from "node:assert/strict";
import { openPlant } from "../../help/plant.ts";
import { queryRows } from "../../help/query.ts";
import { cutKept, keepMinutes } from "../../../src/store/rollup/kept.ts";
import { openRollSession } from "../../../src/store/rollup/progress.ts";

const quarter = 19_700 * 96;
const minute = quarter * 15;

Deno.test("kept: a session that keeps nothing runs nothing to let go of it", async () => {
  const plant = await openPlant({ tags: [] });
  const session = await openRollSession(plant.database);
  await session.script(`
    CREATE TEMP TABLE roll_minute AS SELECT 0 AS day, true AS fresh, * FROM roll_kept;
    INSERT INTO roll_minute
    SELECT 19700, true, 1, ${minute}, false, 1, 1, 1, 1, NULL, NULL, 2, 0, 0, 0, NULL, true;
    CREATE TEMP TABLE roll_scope AS
    SELECT 1 AS tag_no, ${quarter} AS quarter, ${minute} AS from_minute, true AS running;
    CREATE TEMP TABLE roll_tag AS SELECT 1 AS tag_no, 1 AS reach;
    CREATE TEMP TABLE roll_touch AS SELECT 1 AS tag_no, ${quarter} AS quarter, 1 AS since LIMIT 0`);
  const kept = async () => await queryRows(session, "SELECT minute, good_count FROM roll_kept");
  const rename = (name: string, to: string) =>
    session.script(`ALTER TABLE ${name} RENAME TO ${to}`);

  await rename("roll_known", "away");
  await cutKept(session, minute + 1);
  await rename("away", "roll_known");
  await keepMinutes(session, minute + 1);
  await cutKept(session, minute + 2);
  deepEqual(await kept(), [{ minute, good_count: 2 }]);
  await rename("roll_known", "away");
  await rejects(cutKept(session, minute + 2), /roll_known/);
  await rename("away", "roll_known");

  // What no value can reach from goes, and is all that was kept.
  await cutKept(session, minute + 60);
  deepEqual(await kept(), []);
  await rename("roll_known", "away");
  await cutKept(session, minute + 61);
  session.close();
  await plant.close();
});
