// A small plant written straight into the tables, and its roll-up, for tests below http.
import { Catalog } from "../../src/engine/catalog/catalog.ts";
import { Rollup, type RollupBounds } from "../../src/engine/rollup/rollup.ts";
import type { Device, Sensor, Tag } from "../../src/model/plant/plant.ts";
import { type Plain } from "../../src/store/connection.ts";
import { Database } from "../../src/store/database.ts";
import { type Clock, fakeEffects } from "./effects.ts";
import { queryRows, runQuery } from "./query.ts";

/** A tag with the sensors that read it; what is not said is as a site file's defaults. */
export type PlantTag = Partial<Tag> & {
  readonly tag_no: number;
  readonly sensors?: readonly Partial<Sensor>[];
};

/** A device of the site; what is not said it has not. */
export type PlantDevice = Partial<Device> & { readonly id: string };

/** A sample: tag, ISO 8601 time, value; or with its quality and code. */
export type PlantSample = {
  readonly tag: number;
  readonly at: string | number;
  readonly value?: number | bigint | string | null;
  readonly quality?: number | null;
  readonly code?: number | null;
};

export type PlantOptions = {
  readonly at?: string;
  readonly timezone?: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly path?: string;
  readonly threads?: number;
  readonly tags: readonly PlantTag[];
  readonly devices?: readonly PlantDevice[];
  /** Of its roll-up, where they are not as usual. */
  readonly bounds?: RollupBounds;
};

export type TestPlant = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly effects: ReturnType<typeof fakeEffects>["effects"];
  readonly clock: Clock;
  roll: Rollup;
  /** Stores samples in one write, as ingest does: the same (tag, time) again replaces. */
  readonly store: (samples: readonly PlantSample[]) => Promise<void>;
  /** Writes the hierarchy rows of tags and reads the catalog again. */
  readonly map: (tags: readonly PlantTag[]) => Promise<void>;
  readonly rows: (sql: string) => Promise<Record<string, Plain>[]>;
  /** A new roll-up on the same database, as after a restart. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Opens a plant of one project (number 1) and one site (number 1). */
export async function openPlant(options: PlantOptions): Promise<TestPlant> {
  const { effects, clock } = fakeEffects(options.at);
  const { path = ":memory:", threads = 1, bounds } = options;
  const database = await Database.open({ path, effects, threads, memory_mb: 512 });
  await database.write(async ({ connection }) => {
    await runQuery(
      connection,
      "INSERT INTO project VALUES (1, 'p1', 'o1', 'p1', 'P 1', NULL, $timezone)",
      { timezone: options.timezone ?? "UTC" },
    );
    await runQuery(
      connection,
      "INSERT INTO site VALUES (1, 's1', 1, 's1', 'S 1', $latitude, $longitude)",
      {
        latitude: options.latitude ?? 35.05,
        longitude: options.longitude ?? -106.54,
      },
    );
    const json = JSON.stringify((options.devices ?? []).map(deviceRow));
    await runQuery(connection, device_insert, { json });
  });
  const catalog = await Catalog.load(database);
  const plant: TestPlant = {
    database,
    catalog,
    effects,
    clock,
    roll: await Rollup.open({ database, catalog, effects, bounds }),
    store: (samples) => storeSamples(database, samples),
    map: async (tags) => {
      await writeTags(database, tags);
      await catalog.reload();
    },
    rows: (sql) => database.read((connection) => queryRows(connection, sql)),
    async restart() {
      await plant.roll.close();
      plant.roll = await Rollup.open({ database, catalog, effects, bounds });
    },
    async close() {
      await plant.roll.close();
      // Nothing is left of one in memory: no checkpoint is needed.
      await (path === ":memory:" ? database.abandon() : database.close());
    },
  };
  await plant.map(options.tags);
  return plant;
}

const device_insert = `INSERT INTO device
SELECT id, 1, id, id, type, parent_device_id, block_id, device_model, event_tag, pv, grid
FROM (SELECT unnest(from_json($json, '[{"id": "VARCHAR", "type": "VARCHAR",
  "parent_device_id": "VARCHAR", "block_id": "VARCHAR", "device_model": "VARCHAR",
  "event_tag": "VARCHAR", "pv": "VARCHAR", "grid": "VARCHAR"}]'), recursive := true))`;

function deviceRow({ id, ...device }: PlantDevice) {
  return {
    ...{ id, type: device.type ?? "inverter", parent_device_id: device.parent_device_id ?? null },
    ...{ block_id: device.block_id ?? null, device_model: device.device_model ?? null },
    ...{ event_tag: device.event_tag ?? null, pv: device.pv ?? null, grid: device.grid ?? null },
  };
}

/** Sensors replace those of their numbers, whatever tag they are of. */
async function writeTags(database: Database, tags: readonly PlantTag[]): Promise<void> {
  const rows = tags.map(({ tag_no, ...tag }) => ({
    tag_no,
    lane: tag.lane ?? "signal",
    sensor_tag: tag.sensor_tag ?? `tag ${tag_no}`,
    encoding: tag.encoding ?? "float",
    carry_s: tag.carry_s ?? 900,
  }));
  const sensors = tags.flatMap(({ tag_no, sensors = [] }) =>
    sensors.map((sensor) => ({ ...sensor_defaults, sensor_no: tag_no, ...sensor, tag_no }))
  );
  const given = { json: JSON.stringify(rows), sensors: JSON.stringify(sensors) };
  await database.write(async ({ connection }) => {
    await runQuery(connection, tag_delete, { json: given.json });
    await runQuery(connection, tag_insert, { json: given.json });
    if (sensors.length === 0) return;
    await runQuery(connection, sensor_delete, { json: given.sensors });
    await runQuery(connection, sensor_insert, { json: given.sensors });
  });
}

const tag_rows = `(SELECT unnest(from_json($json, '[{"tag_no": "INTEGER", "lane": "VARCHAR",
  "sensor_tag": "VARCHAR", "encoding": "VARCHAR", "carry_s": "INTEGER"}]'), recursive := true))`;
const tag_delete = `DELETE FROM tag USING ${tag_rows} AS t WHERE tag.tag_no = t.tag_no`;
const tag_insert = `INSERT INTO tag
SELECT tag_no, 1, lane, sensor_tag, NULL, encoding, NULL, carry_s, NULL, NULL, true, NULL
FROM ${tag_rows}`;

const sensor_rows = `(SELECT unnest(from_json($json, '[{"sensor_no": "INTEGER",
  "tag_no": "INTEGER", "device_id": "VARCHAR", "block_id": "VARCHAR", "sentinel_tag": "VARCHAR",
  "component": "VARCHAR", "measure": "VARCHAR", "scale": "DOUBLE", "offset": "DOUBLE",
  "capacity": "DOUBLE", "accumulation": "VARCHAR", "interval_s": "INTEGER",
  "interval_at": "VARCHAR", "register_bits": "INTEGER", "direct": "BOOLEAN",
  "register_modulus": "DOUBLE"}]'), recursive := true))`;
const sensor_delete = `DELETE FROM sensor USING ${sensor_rows} AS s
WHERE sensor.sensor_no = s.sensor_no`;
const sensor_insert = `INSERT INTO sensor
SELECT sensor_no, 'h' || sensor_no, 1, 1, tag_no, device_id, block_id, sentinel_tag, component,
  measure, scale, "offset", capacity, accumulation, interval_s, interval_at, register_bits, direct,
  register_modulus
FROM ${sensor_rows}`;

const sensor_defaults = {
  device_id: "d1",
  block_id: null,
  sentinel_tag: "default",
  component: "inverter",
  measure: "active_power",
  scale: 1,
  offset: 0,
  capacity: null,
  accumulation: "none",
  interval_s: null,
  interval_at: "start",
  register_bits: null,
  direct: true,
  register_modulus: null,
} as const;

async function storeSamples(database: Database, samples: readonly PlantSample[]): Promise<void> {
  const rows = samples.map(({ tag, at, value = null, quality = null, code = null }) => ({
    tag,
    ts: typeof at === "number" ? at : Date.parse(at) * 1000,
    value: typeof value === "number" ? value : null,
    value_int: typeof value === "bigint" ? String(value) : null,
    value_str: typeof value === "string" ? value : null,
    quality,
    code,
  }));
  const json = JSON.stringify(rows);
  await database.write(async ({ connection, stamp_us }) => {
    await runQuery(connection, sample_replace, { json });
    await runQuery(connection, sample_insert, { json, stamp_us });
  });
}

const unpacked = `SELECT unnest(from_json($json, '[{"tag": "INTEGER", "ts": "BIGINT",
  "value": "DOUBLE", "value_int": "BIGINT", "value_str": "VARCHAR", "quality": "UTINYINT",
  "code": "UINTEGER"}]'), recursive := true)`;
const sample_replace = `DELETE FROM sample USING (${unpacked}) AS s
WHERE sample.tag_no = s.tag AND sample.ts = s.ts`;
const sample_insert = `INSERT INTO sample
SELECT tag, ts, $stamp_us, value, value_int, value_str, quality, code FROM (${unpacked})`;
