// The rows of performance answers: setpoints through every level, order, chunks, empty answers.
import assert from "node:assert/strict";
import { giveWay } from "../../../src/base/effects.ts";
import { answer_limits } from "../../../src/model/data/limits.ts";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { performanceAnswer, performanceFrom } from "../../../src/engine/performance/performance.ts";
import { type PerformanceRequest, selectSensors } from "../../../src/engine/performance/group.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import type { Words } from "../../../src/model/data/chunk.ts";
import { dimensions, performance_columns } from "../../../src/model/performance/performance.ts";
import { intervals } from "../../../src/model/time/bucket.ts";
import type { Project, Sensor, Site } from "../../../src/model/plant/plant.ts";
import { Database } from "../../../src/store/database.ts";
import { fakeEffects } from "../../help/effects.ts";
import { lightAt, putPlant, putReadings, rowsOf, testSensor } from "../../help/reading.ts";
import setpoint from "../../vectors/setpoint.json" with { type: "json" };
import { runQuery } from "../../help/query.ts";

const key = { id: "p1", key: "p1", name: "P 1" };
const project: Project = {
  ...{ ...key, project_no: 1, organization_id: "org", portfolio: null, timezone: "Etc/GMT+7" },
};
const site: Site = { ...key, site_no: 1, project_no: 1, latitude: 35, longitude: -105 };
const first_day = dayNumber("2026-05-01");

function powerSensors(count: number): readonly Sensor[] {
  const place = { project_no: 1, site_no: 1, component: "inverter", measure: "active_power" };
  return Array.from(
    { length: count },
    (_, i) => testSensor({ ...place, sensor_no: i + 1 } as Parameters<typeof testSensor>[0]),
  );
}

async function open(sensors: readonly Sensor[]) {
  const { effects } = fakeEffects();
  const database = await Database.open({ path: ":memory:", memory_mb: 512, threads: 1, effects });
  await putPlant(database, { projects: [project], sites: [site], sensors });
  return { database, catalog: await Catalog.load(database) };
}

function requestOf(more: Partial<PerformanceRequest> = {}): PerformanceRequest {
  return {
    projects: [project],
    range: { from_day: first_day, to_day: first_day + 1 },
    interval: "OneHour",
    sentinel_tag: "default",
    component: "inverter",
    measure: "active_power",
    hierarchy_ids: [],
    block_ids: [],
    group_by: dimensions,
    use_solar_bounds: true,
    columns: performance_columns,
    ...more,
  };
}

Deno.test("an hour under a setpoint comes out the same at every level", async () => {
  const world = await open(powerSensors(2));
  const hour = setpoint.setpoint_hour;
  const start = first_day * 1440 + 7 * 60 + 12 * 60;
  const readings = [1, 2].flatMap((sensor_no) =>
    Array.from({ length: 60 }, (_, i) => {
      const at = Math.floor(i / 15);
      const [value, model] = [hour.sensor[at], hour.model[at]];
      const model_setpoint = Math.min(model, hour.setpoint[at] ?? Infinity);
      const reading = { sensor_no, minute: start + i, value, model, model_setpoint };
      const value_setpoint = value + model - model_setpoint;
      return { ...reading, value_setpoint, ...lightAt(site, project.timezone, start + i) };
    })
  );
  await putReadings(world.database, readings);
  const coarse = intervals.slice(intervals.indexOf("OneHour"));
  for (const interval of ["Full", ...coarse] as const) {
    for (const [group_by, times] of [[dimensions, 1], [["project_id"], 2]] as const) {
      const rows = await rowsOf(await performanceAnswer(world, requestOf({ interval, group_by })));
      const row = rows.find(({ sensor_value }) => sensor_value !== null)!;
      for (const name of ["sensor_value", "model_value"] as const) {
        assert.equal(row[name], times * hour[name]);
        assert.equal(row[`${name}_setpoint`], times * hour[`${name}_setpoint`]);
      }
      for (const name of ["performance_index", "performance_index_setpoint"] as const) {
        assert.ok(Math.abs(Number(row[name]) - hour[name]) < 1e-6);
      }
    }
  }
  await world.database.close();
});

Deno.test("many rows come in bounded chunks of one dictionary, in order, each once", async () => {
  const sensors = powerSensors(60);
  const world = await open(sensors);
  const days = 13;
  assert.ok(days * 1440 * sensors.length > answer_limits.cells_per_slab, "more than one slab");
  await world.database.write(({ connection }) =>
    runQuery(
      connection,
      `INSERT INTO reading BY NAME
       SELECT day, s AS sensor_no, day * 1440 + 420 + m AS minute, true AS light, s AS value,
         s AS value_setpoint
       FROM range($from::INTEGER, $to::INTEGER) AS a(day), range(1, 61) AS b(s),
         range(1440) AS c(m)`,
      { from: first_day, to: first_day + days },
    )
  );
  await putReadings(world.database, []);
  const range = { from_day: first_day, to_day: first_day + days };
  const ask = requestOf({ range, interval: "OneMinute", use_solar_bounds: false });
  const { chunks } = await performanceAnswer(world, ask);
  let rows = 0;
  let words: Words | undefined;
  for await (const chunk of chunks) {
    assert.ok(chunk.rows > 0 && chunk.rows <= answer_limits.batch_rows);
    const [ts, hierarchy, value] = [0, 3, 9].map((column) => chunk.vectors[column]);
    assert.ok(ts.kind === "text" && hierarchy.kind === "text" && value.kind === "float64");
    words ??= ts.words;
    assert.equal(ts.words, words);
    for (let i = 0; i < chunk.rows; i++, rows++) {
      const at = [Math.floor(rows / 60), rows % 60, rows % 60 + 1];
      const found: readonly number[] = [ts.codes![i], hierarchy.codes![i], value.values[i]];
      if (found.some((it, c) => it !== at[c])) assert.deepEqual(found, at);
    }
  }
  assert.equal(rows, days * 1440 * 60);
  await world.database.close();
});

Deno.test("rows with gaps are those of their cells, of sensors side by side or apart", async () => {
  const world = await open(powerSensors(4));
  const isThere = (no: number, minute: number) => minute < 700 || (minute * 7 + no * 3) % 11 > 1;
  const minutes = Array.from({ length: 1440 }, (_, minute) => minute);
  const readings = minutes.flatMap((minute) =>
    [1, 2, 3, 4].filter((no) => isThere(no, minute)).map((sensor_no) => {
      const value = sensor_no * 10_000 + minute;
      const start = first_day * 1440 + 420 + minute;
      const reading = { sensor_no, minute: start, value, model: 2 * value };
      return { ...reading, ...lightAt(site, project.timezone, start) };
    })
  );
  await putReadings(world.database, readings);
  for (const numbers of [[1, 2], [2, 4], [3], [1, 2, 3, 4]]) {
    const hierarchy_ids = world.catalog.sensors
      .filter(({ sensor_no }) => numbers.includes(sensor_no))
      .map(({ hierarchy_id }) => hierarchy_id);
    const ask = { interval: "OneMinute", use_solar_bounds: false, hierarchy_ids } as const;
    const rows = await rowsOf(await performanceAnswer(world, requestOf(ask)));
    const wanted = minutes.flatMap((minute) =>
      numbers.filter((no) => isThere(no, minute)).map((no) => no * 10_000 + minute)
    );
    assert.deepEqual(rows.map(({ sensor_value }) => sensor_value), wanted);
    assert.ok(rows.every(({ performance_index }) => performance_index === 0.5));
    const tags = new Set(rows.map(({ hierarchy_id }) => hierarchy_id));
    assert.deepEqual([...tags].sort(), hierarchy_ids.toSorted());
  }
  await world.database.close();
});

Deno.test("an answer can be left before its end", async () => {
  const world = await open(powerSensors(3));
  const range = { from_day: first_day, to_day: first_day + 366 };
  const { chunks } = await performanceAnswer(world, requestOf({ range, interval: "OneMinute" }));
  for await (const chunk of chunks) {
    assert.ok(chunk.rows > 0);
    break;
  }
  await world.database.close();
});

Deno.test("without sensors there is no row, on the grid or not", async () => {
  const world = await open(powerSensors(1));
  for (const use_solar_bounds of [true, false]) {
    for (const interval of intervals) {
      const ask = requestOf({ interval, use_solar_bounds, measure: "soc" });
      assert.deepEqual(await rowsOf(await performanceAnswer(world, ask)), []);
    }
  }
  await world.database.close();
});

Deno.test("numbers that are not finite become null, never Infinity", async () => {
  const world = await open(powerSensors(2));
  const minute = first_day * 1440 + 19 * 60;
  const place = { minute, ...lightAt(site, project.timezone, minute) };
  await putReadings(world.database, [
    { ...place, sensor_no: 1, value: 1.7e308, model: 1e-300, value_setpoint: 1, model_setpoint: 0 },
    { ...place, sensor_no: 2, value: 1.7e308, model: 1e-300, value_setpoint: 1, model_setpoint: 0 },
  ]);
  const ask = requestOf({ interval: "OneMinute", group_by: ["project_id"] });
  const rows = await rowsOf(await performanceAnswer(world, ask));
  const row = rows.find(({ sensor_value_setpoint }) => sensor_value_setpoint !== null)!;
  assert.deepEqual(
    [row.sensor_value, row.sensor_value_setpoint, row.performance_index],
    [null, 2, null],
  );
  assert.equal(row.performance_index_setpoint, null);
  await world.database.close();
});

Deno.test("the first cells are on their way before words of the answer are made", async () => {
  const { database, catalog } = await open(powerSensors(2));
  const request = requestOf({ interval: "OneMinute", use_solar_bounds: false });
  const order: string[] = [];
  const answer = await performanceFrom(request, {
    ...{ catalog, selection: selectSensors(catalog, request), requireRead: () => {} },
    findDays: (range) => Promise.resolve(range),
    slabsOf({ axis }) {
      const labelsOf = axis.labelsOf.bind(axis);
      Object.assign(axis, {
        labelsOf(positions: Parameters<typeof labelsOf>[0]) {
          order.push("words");
          return labelsOf(positions);
        },
      });
      return async (positions) => {
        // What comes before a statement pauses many times, but waits for nothing.
        for (let pause = 0; pause < 100; pause++) await null;
        order.push("cells");
        const value = new Float64Array(2 * (positions.to - positions.from)).fill(1);
        const plain = { value, model: value, value_setpoint: value, model_setpoint: value };
        return { positions, values: plain };
      };
    },
  });
  // A turn that others wait for already would be over sooner.
  await giveWay();
  assert.equal((await rowsOf(answer)).length, 2 * 1440);
  assert.deepEqual(order, ["cells", "words"]);
  await database.close();
});
