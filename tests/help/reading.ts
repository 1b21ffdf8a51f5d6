// Readings put straight into the tables and rolled up by plain SQL, for tests of what reads them.
import { type Chunk, isValid, wordAt } from "../../src/model/data/chunk.ts";
import type { Answer } from "../../src/model/data/chunk.ts";
import type { Project, Sensor, Site } from "../../src/model/plant/plant.ts";
import { daylightOf } from "../../src/model/time/daylight.ts";
import { dayAt } from "../../src/model/time/zone.ts";
import type { Database } from "../../src/store/database.ts";
import { runQuery } from "./query.ts";

/** The stored readings, with the setpoint values that they leave out as the plain ones. */
export const whole_readings = `(
  SELECT * REPLACE (
      coalesce(value_setpoint, value) AS value_setpoint,
      coalesce(model_setpoint, model) AS model_setpoint
    )
  FROM reading
)`;

/** One sensor's minute; a value that is left out is null. */
export type TestReading = {
  readonly sensor_no: number;
  readonly minute: number;
  readonly value?: number;
  readonly model?: number;
  readonly value_setpoint?: number;
  readonly model_setpoint?: number;
};

/** A reading with its local day and whether it is daylight. */
export type PlacedReading = TestReading & { readonly day: number; readonly light: boolean };

/** A sensor with what a test does not care about filled in. */
export function testSensor(
  sensor: Pick<Sensor, "sensor_no" | "site_no" | "project_no" | "component" | "measure">,
  more: Partial<Sensor> = {},
): Sensor {
  const no = sensor.sensor_no;
  return {
    hierarchy_id: `hierarchy-${String(no).padStart(3, "0")}`,
    tag_no: no,
    device_id: `device-${no}`,
    block_id: null,
    sentinel_tag: "default",
    scale: 1,
    offset: 0,
    capacity: null,
    accumulation: "none",
    interval_s: null,
    interval_at: "start",
    register_bits: null,
    register_modulus: null,
    direct: true,
    ...sensor,
    ...more,
  };
}

/** Stores a hierarchy; each sensor's tag is `tag-<tag_no>`. */
export function putPlant(
  database: Database,
  { projects, sites, sensors }: {
    readonly projects: readonly Project[];
    readonly sites: readonly Site[];
    readonly sensors: readonly Sensor[];
  },
): Promise<void> {
  return database.write(async ({ connection }) => {
    const insert = async (table: string, row: Record<string, string | number | boolean | null>) => {
      const names = Object.keys(row);
      await runQuery(
        connection,
        `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(", ")}) ` +
          `VALUES (${names.map((name) => `$${name}`).join(", ")})`,
        row,
      );
    };
    for (const project of projects) await insert("project", project);
    for (const site of sites) await insert("site", site);
    for (const sensor of sensors) {
      await insert("sensor", sensor);
      await insert("tag", {
        tag_no: sensor.tag_no,
        project_no: sensor.project_no,
        lane: "signal",
        sensor_tag: `tag-${sensor.tag_no}`,
        carry_s: 900,
        declared: true,
      });
    }
  });
}

/** Whether a minute is daylight at a site, and its local day. */
export function lightAt(site: Site, timezone: string, minute: number) {
  const day = dayAt(timezone, minute);
  const place = { ...site, timezone };
  const light = daylightOf(place, day)
    .some((span) => minute >= span.from_minute && minute < span.to_minute);
  return { day, light };
}

/** Appends readings and rolls them up into quarter-hours and days. */
export function putReadings(
  database: Database,
  readings: readonly PlacedReading[],
): Promise<void> {
  const ints = (pick: (it: PlacedReading) => number) => ({
    kind: "int32" as const,
    values: Int32Array.from(readings, pick),
  });
  const numbers = (name: "value" | "model" | "value_setpoint" | "model_setpoint") => {
    const valid = new Uint8Array((readings.length + 7) >> 3);
    readings.forEach((it, i) => it[name] !== undefined && (valid[i >> 3] |= 1 << (i & 7)));
    return {
      kind: "float64" as const,
      values: Float64Array.from(readings, (it) => it[name] ?? 0),
      valid,
    };
  };
  return database.write(async ({ connection }) => {
    await connection.script(
      `CREATE OR REPLACE TEMP TABLE test_reading AS
      SELECT day, sensor_no, minute, light, value, model, value_setpoint, model_setpoint
      FROM reading
      WHERE false`,
    );
    await connection.append("test_reading", {
      rows: readings.length,
      vectors: [
        ints((it) => it.day),
        ints((it) => it.sensor_no),
        ints((it) => it.minute),
        { kind: "bool", values: Uint8Array.from(readings, (it) => it.light ? 1 : 0) },
        numbers("value"),
        numbers("model"),
        numbers("value_setpoint"),
        numbers("model_setpoint"),
      ],
    });
    await connection.script("INSERT INTO reading BY NAME FROM test_reading");
    await connection.script("DELETE FROM quarter");
    await connection.script("DELETE FROM daily");
    await connection.script(
      `INSERT INTO quarter BY NAME SELECT ${rolled("minute // 15 AS quarter,")}`,
    );
    await connection.script(`INSERT INTO daily BY NAME SELECT ${rolled("")}`);
  });
}

function rolled(unit: string): string {
  return `day, sensor_no, ${unit} light, count(value)::INTEGER AS n, sum(value) AS value,
    min(value) AS minimum, max(value) AS maximum, arg_max(value, minute) AS last,
    max(minute) FILTER (WHERE value IS NOT NULL) AS last_minute,
    sum(value_setpoint) AS value_setpoint, count(model)::INTEGER AS model_n, sum(model) AS model,
    sum(model_setpoint) AS model_setpoint
    FROM reading GROUP BY ALL`;
}

/** One row of an answer by column name. */
export type TestRow = Readonly<Record<string, string | number | null>>;

/** All rows of an answer. */
export async function rowsOf(answer: Answer): Promise<TestRow[]> {
  const rows: TestRow[] = [];
  for await (const chunk of answer.chunks) {
    for (let i = 0; i < chunk.rows; i++) {
      rows.push(Object.fromEntries(
        answer.columns.map((column, c) => [column.name, cellOf(chunk, c, i)]),
      ));
    }
  }
  return rows;
}

function cellOf({ vectors }: Chunk, column: number, row: number): string | number | null {
  const vector = vectors[column];
  if (!isValid(vector.valid, row)) return null;
  if (vector.kind === "text") return wordAt(vector.words, vector.codes ? vector.codes[row] : row);
  return Number(vector.values[row]);
}
