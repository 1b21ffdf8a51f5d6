// States of a plant of 500 inverters computed day by day: processor time a site-day.
import process from "node:process";
import { Availability } from "../../src/engine/availability/availability.ts";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Rollup } from "../../src/engine/rollup/rollup.ts";
import { Database } from "../../src/store/database.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { fakeEffects } from "../help/effects.ts";
import { runQuery } from "../help/query.ts";

const start_day = 20_600;
const inverters = 500;

/** Milliseconds of the processor's time for each site-day. */
export type StateFigures = {
  readonly history_ms: number;
  /** The same days again, of which nothing has changed. */
  readonly again_ms: number;
};

/** Works `days` days out, all of them marked, from power, registers, status and event words. */
export async function benchStates(
  { path, days }: { readonly path: string; readonly days: number },
): Promise<StateFigures> {
  const { effects } = fakeEffects(new Date((start_day + days + 30) * 86_400_000).toISOString());
  const database = await Database.open({ path, effects, memory_mb: 2048, threads: 1 });
  await database.write(async ({ connection }) => {
    for (const statement of plant) await connection.script(statement);
    for (const statement of facts) await runQuery(connection, statement, { days });
    await runQuery(connection, marks, { days });
  });
  await database.checkpoint();
  const catalog = await Catalog.load(database);
  const roll = await Rollup.open({ database, catalog, effects });
  const availability = await Availability.open({ database, catalog, roll, effects });
  const history_ms = await cpuMs(() => availability.settle()) / days;
  await database.write(({ connection }) => runQuery(connection, marks, { days }));
  const again_ms = await cpuMs(() => availability.settle()) / days;
  await availability.close();
  await roll.close();
  await database.close();
  return { history_ms, again_ms };
}

async function cpuMs(work: () => Promise<void>): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** Sensors 1 to 500 powers, to 1000 registers, to 1500 status; tags 2001 to 2500 event words. */
const plant = [
  "INSERT INTO project VALUES (1, 'p', 'o', 'p', 'P', NULL, 'America/Phoenix')",
  "INSERT INTO site VALUES (1, 's', 1, 's', 'S', 33.4, -112.1)",
  `INSERT INTO device_model VALUES ('m', 1, 'sun', NULL, '"sunspec"', '"sunspec"', NULL)`,
  `INSERT INTO device SELECT 'd' || n, 1, 'd' || n, 'D' || n, 'inverter', NULL, NULL, 'sun',
    'word' || n, NULL, NULL FROM range(1, ${inverters + 1}) AS r(n)`,
  `INSERT INTO tag SELECT n, 1, 'signal', if(n > 2000, 'word' || (n - 2000), 't' || n), NULL,
    'float', NULL, 900, NULL, NULL, true FROM range(1, 2501) AS r(n)`,
  `INSERT INTO sensor SELECT n, 'h' || n, 1, 1, n, 'd' || ((n - 1) % 500 + 1), NULL, 'default',
    'inverter', ['active_power', 'energy', 'operating_status'][(n - 1) // 500 + 1], 1, 0, 100000,
    if((n - 1) // 500 = 1, 'counter', 'none'), NULL, 'start', NULL, true, NULL
    FROM range(1, 1501) AS r(n)`,
  `INSERT INTO sensor SELECT n, 'h' || n, 1, 1, n, NULL, NULL, 'default', 'met', 'poa_front', 1,
    0, NULL, 'none', NULL, 'start', NULL, true, NULL FROM range(1501, 1506) AS r(n)`,
];

/** Light from six to six; every day some inverters rest for an hour and others say why. */
const facts = [
  `INSERT INTO quarter
  SELECT ${start_day} + d, n, (${start_day} + d) * 96 + 28 + q, q BETWEEN 24 AND 71, 15,
    CASE WHEN n % 97 = d % 97 AND q BETWEEN 30 AND 33 THEN 0 WHEN n > 1500 THEN 10500
      WHEN q NOT BETWEEN 24 AND 71 THEN 0 WHEN n > 500 THEN 12500 ELSE 750000 END,
    0, 0, 0, 0, 0, 15, if(q BETWEEN 24 AND 71, 800000, 0), if(q BETWEEN 24 AND 71, 790000, 0), 0
  FROM range($days::INTEGER) AS a(d), range(1, 1506) AS s(n), range(96) AS b(q)
  WHERE n <= 1000 OR n > 1500
  ORDER BY d, n, q`,
  `INSERT INTO minute
  SELECT ${start_day} + d, n, (${start_day} + d) * 1440 + 420 + m, 0,
    CASE WHEN n > 2000 THEN if(n % 89 = d % 89 AND m BETWEEN 700 AND 760, 4, 0) ELSE 4 END, NULL,
    NULL, 4, CASE WHEN n > 2000 THEN if(n % 89 = d % 89 AND m BETWEEN 700 AND 760, 4, 0) ELSE 4 END,
    0, 0, m % 5 <> 0, 1, 0, 0
  FROM range($days::INTEGER) AS a(d), range(1001, 2501) AS s(n), range(1440) AS b(m)
  WHERE n <= 1500 OR n > 2000
  ORDER BY d, n, m`,
];

const marks =
  `INSERT INTO inverter_stale SELECT 1, ${start_day} + d FROM range($days::INTEGER) AS a(d)`;

if (import.meta.main) {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  const [days = 26] = Deno.args.map(Number);
  await Deno.remove(path);
  const { history_ms, again_ms } = await benchStates({ path, days });
  systemEffects().out(
    `${days} site-days of ${inverters} inverters: ${history_ms.toFixed(0)} ms each, ` +
      `${again_ms.toFixed(0)} ms when nothing changed\n`,
  );
  await Deno.remove(path);
}
