// Expected power of a plant of 500 inverters: by the minute, for history, and for late weather.
import process from "node:process";
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Rollup } from "../../src/engine/rollup/rollup.ts";
import type { Connection } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows, runQuery } from "../help/query.ts";

const start_day = 20_600;
const day_ms = 86_400_000;
const stations = 5;

/** What a run measured: milliseconds of the processor's time. */
export type ModelFigures = {
  /** Readings with an expected value, and how long it took to work them and all else out. */
  readonly history: { readonly readings: number; readonly ms: number };
  /** The same for irradiance that comes when everything else was rolled up. */
  readonly late: {
    readonly readings: number;
    readonly ms: number;
    readonly longest_write_ms: number;
  };
  /** One minute of everything, in the middle of a day: the median and the longest of a run. */
  readonly minute: { readonly median_ms: number; readonly longest_ms: number };
};

/** Rolls up `days` days whose irradiance comes late, as many in order, then minute by minute. */
export async function benchModel(
  { path, days, inverters, threads }: {
    readonly path: string;
    readonly days: number;
    readonly inverters: number;
    readonly threads: number;
  },
): Promise<ModelFigures> {
  const { effects, clock } = fakeEffects(new Date(start_day * day_ms).toISOString());
  const database = await Database.open({ path, effects, memory_mb: 2048, threads });
  const writes = watchWrites(database);
  await database.write(({ connection }) => writePlant(connection, inverters));
  const roll = await Rollup.open({ database, catalog: await Catalog.load(database), effects });
  const bench = { database, roll };
  clock.advance(2 * days * day_ms + 17 * 3_600_000);

  await store(bench, { from: 0, to: days * 1440, irradiance: false });
  await timed(() => roll.settle());
  await storeLight(bench, { from: 0, to: days * 1440 });
  const late_writes = writes.length;
  const late_ms = await timed(() => roll.settle());
  const late = await countModels(database);
  const longest_write_ms = Math.max(...writes.slice(late_writes));

  await store(bench, { from: days * 1440, to: 2 * days * 1440, irradiance: true });
  const history_ms = await timed(() => roll.settle());
  const history = await countModels(database) - late;

  const noon = 2 * days * 1440 + 17 * 60;
  await store(bench, { from: noon - 60, to: noon, irradiance: true });
  await roll.settle();
  const minutes: number[] = [];
  for (let minute = noon; minute < noon + 40; minute++) {
    await store(bench, { from: minute, to: minute + 1, irradiance: true });
    clock.advance(60_000);
    minutes.push(await timed(() => roll.settle()));
  }
  minutes.sort((a, b) => a - b);
  await roll.close();
  await database.close();
  return {
    history: { readings: history, ms: history_ms },
    late: { readings: late, ms: late_ms, longest_write_ms },
    minute: { median_ms: minutes[20], longest_ms: minutes[39] },
  };
}

type Bench = { readonly database: Database; readonly roll: Rollup };
type Span = { readonly from: number; readonly to: number };

/** Stores the samples of the minutes [from, to), counted from the first day. */
async function store(
  { database }: Bench,
  { from, to, irradiance }: Span & { readonly irradiance: boolean },
): Promise<void> {
  for (let at = from; at < to; at += 200) {
    const span = { from: at, to: Math.min(at + 200, to), day: start_day };
    await database.write(({ connection, stamp_us }) =>
      runQuery(connection, samples, { ...span, stamp_us, least: irradiance ? 0 : 10 })
    );
  }
}

/** Stores the irradiance alone. */
async function storeLight({ database }: Bench, span: Span): Promise<void> {
  await database.write(({ connection, stamp_us }) =>
    runQuery(connection, `${samples} AND tag_no < 10`, {
      ...span,
      day: start_day,
      stamp_us,
      least: 0,
    })
  );
}

async function countModels(database: Database): Promise<number> {
  const [{ n }] = await database.read((connection) =>
    queryRows<{ n: number }>(connection, "SELECT count(model)::BIGINT AS n FROM reading")
  );
  return n;
}

/** The processor's time for it, whatever else the machine does. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** How long each write held the writer. */
function watchWrites(database: Database): number[] {
  const times: number[] = [];
  const writeOn = database.writeOn.bind(database);
  database.writeOn = (connection, work) =>
    writeOn(connection, async (write) => {
      const from = performance.now();
      try {
        return await work(write);
      } finally {
        times.push(performance.now() - from);
      }
    });
  return times;
}

const pv = JSON.stringify({ rated_dc_w: 120_000, rated_ac_w: 100_000, tilt: 25, azimuth: 180 });

/** Tags: irradiance from 0, other weather from 10, the meter's from 30, inverters' from 100. */
async function writePlant(connection: Connection, inverters: number): Promise<void> {
  await connection.script(
    "INSERT INTO project VALUES (1, 'p', 'o', 'p', 'P', NULL, 'America/Denver')",
  );
  await connection.script("INSERT INTO site VALUES (1, 's', 1, 's', 'S', 35.05, -106.54)");
  await runQuery(
    connection,
    "INSERT INTO block SELECT 'b' || i, 1, 'b' || i, 'B' FROM range($stations) AS r(i)",
    { stations },
  );
  await runQuery(
    connection,
    "INSERT INTO device SELECT 'i' || i, 1, 'i' || i, 'I', 'inverter', NULL, " +
      "'b' || (i % $stations)::INTEGER, NULL, NULL, $pv, NULL FROM range($inverters) AS r(i)",
    { inverters, stations, pv },
  );
  const sensors: [string, number, Record<string, number | string>][] = [
    [weather_sensors, 0, { stations, first: 0, measure: "poa_front" }],
    [weather_sensors, 10, { stations, first: 10, measure: "ambient_temp" }],
    [weather_sensors, 20, { stations, first: 20, measure: "windspeed" }],
    [meter_sensors, 30, {}],
    [inverter_sensors, 100, { inverters, stations }],
  ];
  for (const [sql, , parameters] of sensors) await runQuery(connection, sql, parameters);
  await connection.script(
    "INSERT INTO tag SELECT tag_no, 1, 'signal', 't' || tag_no, NULL, 'float', NULL, 900, NULL, " +
      "NULL, true, NULL FROM sensor",
  );
}

const weather_sensors =
  `INSERT INTO sensor SELECT $first + i, 'h' || ($first + i)::INTEGER, 1, 1, $first + i, NULL,
  'b' || i, 'default', 'met', $measure, 1, 0, NULL, 'none', NULL, 'start', NULL, true, NULL
FROM range($stations) AS r(i)`;

const meter_sensors = `INSERT INTO sensor
SELECT 30 + i, 'h' || (30 + i), 1, 1, 30 + i, NULL, NULL, 'default', 'meter', measure, 1, 0, 4e7,
  'none', NULL, 'start', NULL, true, NULL
FROM (VALUES (0, 'active_power'), (1, 'active_power_setpoint')) AS v(i, measure)`;

const inverter_sensors = `INSERT INTO sensor
SELECT 100 + 3 * i + k, 'h' || (100 + 3 * i + k), 1, 1, 100 + 3 * i + k, 'i' || i,
  'b' || (i % $stations)::INTEGER, 'default', 'inverter', measure, 1, 0, 1e5,
  if(k = 1, 'counter', 'none'), NULL, 'start', NULL, true, NULL
FROM range($inverters) AS r(i),
  (VALUES (0, 'active_power'), (1, 'energy'), (2, 'operating_status')) AS v(k, measure)`;

/** Every tag, every minute: a clear day's light, powers after it, a register, a setpoint. */
const samples = `INSERT INTO sample
SELECT tag_no, ($day * 1440 + minute)::BIGINT * 60000000, $stamp_us,
  CASE
    WHEN tag_no < 10 THEN 1000 * sun + hash(tag_no, minute) % 20
    WHEN tag_no < 20 THEN 25 + sun
    WHEN tag_no < 30 THEN 3 + sun
    WHEN tag_no = 30 THEN 4e7 * sun
    WHEN tag_no = 31 THEN 3e7
    WHEN tag_no % 3 = 1 THEN 9e4 * sun + hash(tag_no, minute) % 1000
    WHEN tag_no % 3 = 2 THEN minute * 600.0 + tag_no
    ELSE 4
  END, NULL, NULL, 0, 0
FROM (
  SELECT t.tag_no, m.minute,
    greatest(sin(((m.minute + 1440 - 13 * 60) % 1440) / 660 * pi()), 0)
      * ((m.minute + 1440 - 13 * 60) % 1440 < 660)::INTEGER AS sun
  FROM range($from::BIGINT, $to::BIGINT) AS m(minute), tag AS t
)
WHERE tag_no >= $least`;

if (import.meta.main) {
  const path = await Deno.makeTempFile({ suffix: ".duckdb" });
  await Deno.remove(path);
  const [days = 3, inverters = 500, threads = 2] = Deno.args.map(Number);
  const { history, late, minute } = await benchModel({ path, days, inverters, threads });
  const rate = ({ readings, ms }: { readings: number; ms: number }) =>
    `${Math.round(ms)} ms, ${Math.round(readings / ms * 1000)} modelled readings/s`;
  const { out } = systemEffects();
  out(`history ${rate(history)}\n`);
  out(`late irradiance ${rate(late)}, longest write ${Math.round(late.longest_write_ms)} ms\n`);
  out(`one minute ${Math.round(minute.median_ms)} ms, longest ${Math.round(minute.longest_ms)}\n`);
  await Deno.remove(path);
}
