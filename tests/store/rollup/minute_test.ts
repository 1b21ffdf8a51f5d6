// Two ways to the minutes of samples: whichever is taken, they are the same.
import { deepEqual, ok } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { openPlant } from "../../help/plant.ts";
import { queryRows } from "../../help/query.ts";
import type { Connection } from "../../../src/store/connection.ts";
import { openRollSession } from "../../../src/store/rollup/progress.ts";
import { minute_makes } from "../../../src/store/rollup/worktables.ts";

const tags = 4;
/** A midnight of UTC, as a minute since 1970. */
const start = 19_700 * 1440;
const quarters = 3;
const span = { from_us: start * 60_000_000, to_us: (start + quarters * 15 - 2) * 60_000_000 };

/** What a sample has after its tag and time, as SQL. */
type Cells = Readonly<
  Record<"value" | "value_int" | "value_str" | "quality" | "status_code", string>
>;
const cells: fc.Arbitrary<Cells> = fc.record({
  value: fc.oneof(
    fc.constantFrom("NULL", "'-0.0'", "'0.0'", "'nan'", "'inf'", "'-inf'", "'5e-324'"),
    fc.constantFrom("'1.7976931348623157e308'", "'-1.7976931348623157e308'", "'1e-310'"),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `'${value}'`),
  ),
  value_int: fc.constantFrom("NULL", "NULL", "0", "-7", "9007199254740993"),
  value_str: fc.constantFrom("NULL", "NULL", "NULL", "''", "'on'", "'off'"),
  quality: fc.constantFrom("NULL", "0", "0", "1", "2", "3"),
  status_code: fc.constantFrom("NULL", "0", "0", "5", "4294967295"),
});

/** Samples of a tag from a minute on, one each some seconds. */
const run = fc.record({
  tag_no: fc.integer({ min: 1, max: tags }),
  minute: fc.integer({ min: 0, max: quarters * 15 - 1 }),
  every_s: fc.constantFrom(1, 9, 25, 60, 60, 60, 90),
  samples: fc.array(cells, { minLength: 1, maxLength: 20 }),
});

/** Of quarter-hours in scope, which minutes are known; 15: none is in scope. */
const scope = fc.array(fc.constantFrom(0, 0, 0, 4, 15), {
  minLength: tags * quarters,
  maxLength: tags * quarters,
});

Deno.test("roll: minutes are the same, whether all samples are grouped or some alone", async () => {
  const plant = await openPlant({ tags: [] });
  const session = await openRollSession(plant.database);
  const seen = { single: 0, several: 0, kept: 0 };
  const property = fc.asyncProperty(
    fc.array(run, { minLength: 1, maxLength: 12 }),
    scope,
    async (runs, known) => {
      const rows = new Map(
        runs.flatMap(({ tag_no, minute, every_s, samples }) =>
          samples.map((of, i) => {
            const second = (start + minute) * 60 + i * every_s;
            return [`${tag_no}/${second}`, { tag_no, second, ...of }] as const;
          })
        ),
      );
      await putSamples(session, [...rows.values()]);
      await putScope(session, known);
      const sparse = await made(session, "sparse");
      deepEqual(await made(session, "dense"), sparse);
      for (const { how } of sparse) seen[how]++;
    },
  );
  await fc.assert(property, { numRuns: 60 });
  for (const [how, n] of Object.entries(seen)) ok(n > 50, how);
  session.close();
  await plant.close();
});

type Sample = Cells & { readonly tag_no: number; readonly second: number };

async function putSamples(session: Connection, samples: readonly Sample[]): Promise<void> {
  const rows = samples.map((it) =>
    `(${it.tag_no}, ${it.second}::BIGINT * 1000000, 1, ${it.value}::DOUBLE, ${it.value_int}, ` +
    `${it.value_str}, ${it.quality}, ${it.status_code})`
  );
  await session.script(`DELETE FROM sample; INSERT INTO sample VALUES ${rows.join()}`);
}

/** Each kept minute has values that no sample has. */
async function putScope(session: Connection, known: readonly number[]): Promise<void> {
  const first = start / 15;
  const rows = known.map((from, i) => {
    const quarter = first + Math.floor(i / tags);
    return `(${1 + i % tags}, ${quarter}, ${i % 3 ? quarter : "NULL"}, ${i % 2 === 0}, ` +
      `${quarter * 15 + from}, false, ${from})`;
  });
  await session.script(`
    CREATE OR REPLACE TEMP TABLE roll_scope AS
    SELECT tag_no::INTEGER AS tag_no, quarter::INTEGER AS quarter, day::INTEGER AS day, fresh,
      from_minute::INTEGER AS from_minute, running
    FROM (VALUES ${rows.join()}) AS s(tag_no, quarter, day, fresh, from_minute, running, since)
    WHERE since < 15;
    DELETE FROM roll_kept;
    INSERT INTO roll_kept
    SELECT tag_no, from_minute - 1, false, 77.5, 77, 78, 78, NULL, NULL, 2, 0, 0, 0, NULL, true
    FROM roll_scope`);
}

async function made(session: Connection, density: keyof typeof minute_makes) {
  await session.run(minute_makes[density], span);
  return await queryRows<{ how: "single" | "several" | "kept" }>(
    session,
    `SELECT * REPLACE (value_int::VARCHAR AS value_int), CASE
        WHEN mean IS NOT DISTINCT FROM 77.5 THEN 'kept'
        WHEN good_count + uncertain_count + bad_count > 1 THEN 'several'
        ELSE 'single'
      END AS how
    FROM roll_minute
    ORDER BY tag_no, minute`,
  );
}
