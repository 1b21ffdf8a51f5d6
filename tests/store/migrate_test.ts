// Migrations: a database of the version before is brought up with what its history needs again.
import { deepEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { Database } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { readChanges, readWaitingChanges } from "../../src/store/work/change.ts";
import { readWorkCursors } from "../../src/store/work/cursor.ts";
import plant from "../../src/store/migrations/001_plant.sql" with { type: "text" };
import expected from "../../src/store/migrations/002_expected.sql" with { type: "text" };
import alarm from "../../src/store/migrations/003_alarm.sql" with { type: "text" };
import work from "../../src/store/migrations/004_work.sql" with { type: "text" };
import grid from "../../src/store/migrations/010_grid.sql" with { type: "text" };
import twice from "../../src/store/migrations/023_twice.sql" with { type: "text" };
import work_change from "../../src/store/migrations/030_work_change.sql" with { type: "text" };
import work_log from "../../src/store/migrations/033_work_log.sql" with { type: "text" };
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";

const { effects } = fakeEffects();

/**
 * A plant with one inverter whose expected power is sent, one of a site without either, and a
 * counter with a sample and readings.
 */
const history = `
  INSERT INTO meta VALUES ('version', '1');
  INSERT INTO tag (tag_no, project_no, lane, sensor_tag)
  VALUES (1, 1, 'signal', 'p'), (2, 1, 'model', 'p'), (3, 2, 'signal', 'p');
  INSERT INTO device (id, site_no, type) VALUES ('i', 1, 'inverter'), ('m', 2, 'met');
  INSERT INTO sensor (sensor_no, project_no, site_no, tag_no) VALUES (1, 1, 1, 1), (2, 2, 2, 3);
  INSERT INTO quarter (day, sensor_no, quarter, light)
  VALUES (9, 1, 960, true), (9, 1, 961, true), (10, 1, 1056, false), (9, 2, 960, true);
  INSERT INTO daily (day, sensor_no, light)
  VALUES (9, 1, true), (9, 1, false), (10, 1, true), (9, 2, true);
  INSERT INTO tag (tag_no, project_no, lane, sensor_tag) VALUES (4, 2, 'signal', 'e');
  INSERT INTO sensor (sensor_no, project_no, site_no, tag_no, accumulation)
  VALUES (3, 2, 2, 4, 'counter');
  INSERT INTO sample (tag_no, ts, value) VALUES (4, 20 * 86400000000, 5);
  INSERT INTO quarter (day, sensor_no, quarter, light) VALUES (21, 3, 21 * 96 + 40, true)`;

Deno.test("a file of version 1 has what new rules touch worked out anew", async () => {
  const database = await Database.open({ path: ":memory:", effects });
  const session = await database.session();
  const [{ newest }] = await queryRows<{ newest: number }>(
    session,
    "SELECT value::INTEGER AS newest FROM meta WHERE name = 'version'",
  );
  const tables = await queryRows<{ name: string }>(
    session,
    "SELECT table_name AS name FROM duckdb_tables()",
  );
  for (const { name } of tables) await session.script(`DROP TABLE ${name}`);
  await session.script(plant);
  await session.script(history);
  deepEqual(await migrate(session), newest);
  deepEqual(await queryRows(session, "SELECT tag_no, day FROM stale ORDER BY ALL"), [
    { tag_no: 1, day: 10 },
    { tag_no: 1, day: 11 },
    { tag_no: 4, day: 20 },
    { tag_no: 4, day: 21 },
  ]);
  deepEqual(await queryRows(session, "SELECT site_no, day FROM inverter_stale ORDER BY ALL"), [
    { site_no: 1, day: 9 },
    { site_no: 1, day: 10 },
  ]);
  session.close();
  await database.close();
});

Deno.test("a file from before has plants with storage or setpoints worked out anew", async () => {
  const database = await Database.open({ path: ":memory:", effects });
  const session = await database.session();
  await session.script(`
    INSERT INTO sensor (sensor_no, project_no, site_no, tag_no, component, measure)
    VALUES (1, 1, 1, 1, 'meter', 'active_power'), (2, 1, 1, 2, 'bess_pcs', 'active_power'),
      (3, 1, 2, 3, 'meter', 'energy'), (4, 1, 2, 4, 'system', 'active_power_setpoint'),
      (5, 1, 3, 5, 'meter', 'active_power');
    INSERT INTO quarter (day, sensor_no, quarter, light)
    SELECT 9, sensor_no, 960, true FROM sensor`);
  await session.script(grid);
  deepEqual(await queryRows(session, "SELECT tag_no, day FROM stale ORDER BY ALL"), [
    { tag_no: 1, day: 10 },
    { tag_no: 3, day: 10 },
  ]);
  session.close();
  await database.close();
});

Deno.test("minutes and readings that were stored twice are once, and worked out anew", async () => {
  const database = await Database.open({ path: ":memory:", effects });
  const session = await database.session();
  await session.script(`
    INSERT INTO sensor (sensor_no, project_no, site_no, tag_no) VALUES (5, 1, 1, 1), (6, 1, 1, 2);
    INSERT INTO minute (day, tag_no, minute, received_at, value)
    SELECT 9, tag_no, minute, 1, 1 FROM range(14000, 14401) AS m(minute), range(1, 4) AS t(tag_no);
    INSERT INTO minute (day, tag_no, minute, received_at, value)
    VALUES (9, 1, 14399, 3, 3), (9, 1, 14399, 2, 2), (9, 3, 14064, 2, 2);
    INSERT INTO reading (day, sensor_no, minute, light, value)
    SELECT 9, sensor_no, minute, true, 1
    FROM range(14000, 14401) AS m(minute), range(5, 7) AS s(sensor_no);
    INSERT INTO reading (day, sensor_no, minute, light, value) VALUES (9, 6, 14100, true, 2)`);
  await session.script(twice);
  const [tables] = await queryRows(
    session,
    `SELECT (SELECT count(*)::INTEGER FROM minute) AS minutes,
      (SELECT count(*)::INTEGER FROM reading) AS readings`,
  );
  deepEqual(tables, { minutes: 3 * 401, readings: 2 * 401 });
  deepEqual(
    await queryRows(
      session,
      `SELECT tag_no, minute, value FROM minute WHERE value > 1
      UNION ALL SELECT sensor_no, minute, value FROM reading WHERE value > 1 ORDER BY ALL`,
    ),
    [
      { tag_no: 1, minute: 14399, value: 3 },
      { tag_no: 3, minute: 14064, value: 2 },
      { tag_no: 6, minute: 14100, value: 2 },
    ],
  );
  deepEqual(await queryRows(session, "SELECT tag_no, day FROM stale ORDER BY ALL"), [
    { tag_no: 1, day: 9 },
    { tag_no: 2, day: 9 },
    { tag_no: 3, day: 9 },
  ]);
  session.close();
  await database.close();
});

Deno.test("the log of shared work from before says its places and what makes it", async () => {
  const database = await Database.open({ path: ":memory:", effects });
  const session = await database.session();
  const tables = [
    "work_change",
    "upstream_work",
    "upstream_work_aside",
    "work_place",
    "work_reader",
  ];
  for (const name of tables) await session.script(`DROP TABLE ${name}`);
  await session.script(work_change);
  const common = { kind: "issue", owner_id: "i", at_us: 7, person: null, made: null, fields: [] };
  const bodies = [
    { ...common, id: "i", order_us: 0, made: { name: "Fan" }, told: [{ id: "h1" }] },
    { ...common, id: "c1", order_us: 1_780_000_000_000_001, fields: [{ field: "name" }], told: [] },
    { ...common, id: "c2", order_us: 1_780_000_000_000_002, at_us: 9, told: [{ id: "h2" }] },
  ];
  for (const [i, body] of bodies.entries()) {
    const told_at = i === 0 ? "5" : "NULL";
    const row = `${i + 11}, '${body.id}', 1, 'issue', 'i', '${JSON.stringify(body)}', ${told_at}`;
    await session.script(`INSERT INTO work_change VALUES (${row}, NULL, NULL)`);
  }
  await session.script("INSERT INTO upstream_work VALUES (1, 40, 'c9', NULL)");
  await session.transaction(() => session.script(work_log));
  const kept = await readChanges(session, { project_no: 1, owner_ids: ["i"], all: true });
  deepEqual(
    kept.map((it) => [it.change_no, it.order_us, it.since_no, it.stored_at, it.told_at]),
    [
      [11, 0, 11, 7, 5],
      [12, 1_780_000_000_000_001, null, 7, null],
      [13, 1_780_000_000_000_002, null, 9, null],
    ],
  );
  const saying = await readChanges(session, { project_no: 1, owner_ids: ["i"] });
  deepEqual(saying.map(({ change_no }) => change_no), [11, 12]);
  const waiting = await readWaitingChanges(session, { project_no: 1, due_us: 0, limit: 9 });
  deepEqual(waiting.map(({ id, body }) => [id, JSON.parse(body)]), [["c1", bodies[1]], [
    "c2",
    bodies[2],
  ]]);
  deepEqual((await readWorkCursors(session)).get(1), {
    ...{ project_no: 1, heard_no: 40, heard_id: "c9", sent_id: null, sites: null },
  });
  session.close();
  await database.close();
});

Deno.test("the first migrations are frozen: files of every version were made by them", () => {
  const digests = [plant, expected, alarm, work].map((sql) =>
    createHash("sha256").update(sql).digest("hex")
  );
  deepEqual(digests, [
    "7e36b86f8c76d03629efc53790f45f1c2af577b2e8595e4190f4c61fb11f829d",
    "8ec5346f8937fc7afa7429d8ca31b92a90cf0e9c378283a595e7deadeb91cd18",
    "85cf11f85006232b43023acd3f16f91638bd602bb57d4913e1e068c434738255",
    "1ade2ff4ddeb10c864461905052c7816085bdf4ea3a914ae226b6b170fa763b7",
  ]);
});
