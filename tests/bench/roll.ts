// Roll-up of a plant's bulk: samples a second, by kind of measure.
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { DayOrder } from "../../src/engine/samples/order.ts";
import { Rollup } from "../../src/engine/rollup/rollup.ts";
import { sample_limits } from "../../src/model/samples/limits.ts";
import { systemEffects } from "../../src/base/effects.ts";
import type { Connection } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { readFileUse } from "../../src/store/retention/disk.ts";
import { runQuery } from "../help/query.ts";
import type { Figure } from "./figure.ts";

/** What a run measured. */
export type RollFigures = {
  readonly samples: number;
  readonly seconds: number;
  /** Of the database file, with samples and all that is rolled up. */
  readonly bytes: number;
};

/** Rolls up days of inverters that are stored: of each one sample every `step` minutes. */
export async function benchRoll(
  { path, days, sensors, counters = 0, with_model = 0, step = 1 }: {
    readonly path: string;
    readonly days: number;
    readonly sensors: number;
    /** How many of the sensors are energy registers. */
    readonly counters?: number;
    /** How many of the sensors have expected values of their own. */
    readonly with_model?: number;
    /** A divisor of 1440. */
    readonly step?: number;
  },
): Promise<RollFigures> {
  const effects = systemEffects();
  const database = await Database.open({ path, effects, memory_mb: 4096 });
  await database.write(({ connection }) =>
    writePlant(connection, { sensors, counters, with_model })
  );
  const tags = sensors + with_model;
  const samples = days * 1440 / step * tags;
  // As ingest stores them: `sample_limits.rows_per_transaction` at a time.
  const each = step * Math.ceil(sample_limits.rows_per_transaction / tags);
  for (let minute = 0; minute < days * 1440; minute += each) {
    const span = { from: minute, to: Math.min(minute + each, days * 1440), step };
    await database.write(({ connection, stamp_us }) =>
      runQuery(connection, some_samples, { ...span, stamp_us, tags })
    );
  }
  const catalog = await Catalog.load(database);
  const roll = await Rollup.open({ database, catalog, effects });
  const from_ms = effects.monotonic_ms();
  await roll.settle();
  const seconds = (effects.monotonic_ms() - from_ms) / 1000;
  await roll.close();
  await database.checkpoint();
  const { used_bytes: bytes } = await database.aside(readFileUse);
  await database.close();
  return { samples, seconds, bytes };
}

/** The room that a value takes with all that is rolled up from it, of `days` days of 1000 tags. */
export async function* measureDisk(days: number): AsyncGenerator<Figure> {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  await Deno.remove(path);
  const { samples } = await benchRoll({ path, days, sensors: 1000 });
  const value = await orderedBytes(path) / samples;
  await Deno.remove(path);
  const what = `the database, ${samples / 1e6} M values rolled up, in order`;
  yield { workload: "W15", what, value, unit: "bytes/value", target: "≤ 9", met: value <= 9 };
}

/** The bytes that a database has once its days are in order, with all that they come to. */
async function orderedBytes(path: string): Promise<number> {
  const effects = systemEffects();
  const database = await Database.open({ path, effects, memory_mb: 4096 });
  await new DayOrder({ database, effects, waiting: () => 0 }).settle();
  await database.checkpoint();
  const { used_bytes } = await database.aside(readFileUse);
  await database.close();
  return used_bytes;
}

async function writePlant(
  connection: Connection,
  { sensors, counters, with_model }: {
    readonly sensors: number;
    readonly counters: number;
    readonly with_model: number;
  },
): Promise<void> {
  await connection.script(
    "INSERT INTO project VALUES (1, 'p', 'o', 'p', 'P', NULL, 'America/Denver')",
  );
  await connection.script("INSERT INTO site VALUES (1, 's', 1, 's', 'S', 35.05, -106.54)");
  await runQuery(
    connection,
    "INSERT INTO tag SELECT i, 1, if(i < $sensors, 'signal', 'model'), " +
      "'t' || (i % $sensors)::INTEGER, NULL, 'float', NULL, 900, NULL, NULL, true, NULL " +
      "FROM range($tags) AS r(i)",
    { sensors, tags: sensors + with_model },
  );
  await runQuery(
    connection,
    "INSERT INTO sensor SELECT i, 'h' || i, 1, 1, i, 'd' || i, NULL, 'default', 'inverter', " +
      "if(i < $counters, 'energy', 'active_power'), 1, 0, 1e6, " +
      "if(i < $counters, 'counter', 'none'), NULL, 'start', NULL, true, NULL " +
      "FROM range($sensors) AS r(i)",
    { sensors, counters },
  );
}

const some_samples = `INSERT INTO sample
SELECT t.tag_no, (19700 * 1440 + m.minute)::BIGINT * 60000000, $stamp_us,
  round(500 * sin(m.minute / 97) + hash(t.tag_no * 7919 + m.minute) / 1e18, 1), NULL, NULL, 0, 0
FROM range($from::BIGINT, $to::BIGINT, $step::BIGINT) AS m(minute), range($tags) AS t(tag_no)
ORDER BY m.minute, t.tag_no`;

if (import.meta.main) {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  const [days = 7, sensors = 500, counters = 0, with_model = 0, step = 1] = Deno.args.map(Number);
  await Deno.remove(path);
  const { samples, seconds, bytes } = await benchRoll({
    ...{ path, days, sensors, counters, with_model, step },
  });
  const rate = Math.round(samples / seconds);
  systemEffects().out(
    `${samples} samples in ${seconds.toFixed(1)} s: ${rate} rows/s, ` +
      `${(bytes / samples).toFixed(1)} bytes a sample\n`,
  );
  await Deno.remove(path);
}
