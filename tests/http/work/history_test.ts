// History follows what is declared: over HTTP, from raw samples to performance and back.
import assert from "node:assert/strict";
import { testService } from "../../help/service.ts";
import { queryRows } from "../../help/query.ts";

const plain = {
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 40, longitude: -3 },
  devices: [{ key: "I", type: "inverter" }],
};
const power = { tag: "i.p", device: "I", measure: "active_power", scale: 1000 };

/** A service that holds an hour of samples (11:30 to 12:30 UTC, each 1.5) of a tag not mapped. */
async function opened() {
  const service = await testService({ at: "2026-06-01T18:00:00Z" });
  const apply = async (more: object, query = "") => {
    const response = await service.fetch(`/admin/v1/sites/s${query}`, {
      method: "PUT",
      body: JSON.stringify({ ...plain, ...more }),
      headers: { "content-type": "application/json" },
    });
    assert.equal(response.status, 200, await response.text());
    await service.services.roll.settle();
  };
  await apply({});
  const [{ id }] = service.services.catalog.projects;
  const rows = Array.from({ length: 60 }, (_, minute) => {
    const ts = new Date(Date.UTC(2026, 5, 1, 11, 30 + minute)).toISOString();
    return JSON.stringify({ tag: "i.p", ts, value: 1.5 });
  });
  const ingested = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
    method: "POST",
    body: rows.join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.equal((await ingested.json()).accepted, 60);
  await service.services.roll.settle();
  const read = async (time_interval: string, solar = false) => {
    const query = `project_ids=${id}&component=inverter&component_measure=active_power` +
      `&dt_start=2026-05-31&dt_end=2026-06-03&time_interval=${time_interval}&format=json` +
      `&use_solar_bounds=${solar}`;
    const response = await service.fetch(`/platform/v1/performance-v2?${query}`);
    const rows = await response.json() as { ts: string; sensor_value: number | null }[];
    assert.equal(response.status, 200, JSON.stringify(rows));
    return rows.filter((row) => row.sensor_value !== null)
      .map(({ ts, sensor_value }) => `${ts} ${sensor_value}`);
  };
  return { ...service, id, apply, read };
}

Deno.test("mapping a tag later makes its history appear, a new scale changes it", async () => {
  const { apply, read, close } = await opened();
  assert.deepEqual(await read("OneHour"), []);
  await apply({ sensors: [power] });
  assert.deepEqual(await read("OneHour"), ["2026-06-01 11:00:00 1500", "2026-06-01 12:00:00 1500"]);
  await apply({ sensors: [{ ...power, scale: 2000, offset: 1 }] });
  assert.deepEqual(await read("OneHour"), ["2026-06-01 11:00:00 3001", "2026-06-01 12:00:00 3001"]);
  await close();
});

Deno.test("a wrong mapping is corrected when asked for, and the samples stay", async () => {
  const { apply, read, services, close } = await opened();
  await apply({ sensors: [power] });
  const [before] = services.catalog.sensors;
  const corrected = { ...power, measure: "dc_power" };
  await assert.rejects(apply({ sensors: [corrected] }), /409/);
  await apply({ sensors: [corrected] }, "?remap=true");
  assert.deepEqual(await read("OneDay"), []);
  const [after] = services.catalog.sensors;
  assert.notEqual(after.hierarchy_id, before.hierarchy_id);
  const kept = await services.database.read((connection) =>
    queryRows(connection, "SELECT DISTINCT sensor_no FROM reading ORDER BY sensor_no")
  );
  assert.deepEqual(kept, [{ sensor_no: after.sensor_no }]);
  await apply({ sensors: [power] }, "?remap=true");
  assert.deepEqual(await read("OneDay"), ["2026-06-01 00:00:00 1500"]);
  await close();
});

Deno.test("another time zone moves history to its local days, each minute once", async () => {
  const { apply, read, services, close } = await opened();
  await apply({ sensors: [power] });
  assert.deepEqual(await read("OneDay"), ["2026-06-01 00:00:00 1500"]);
  const counted = () =>
    services.database.read((connection) =>
      queryRows(
        connection,
        "SELECT (SELECT count(*) FROM minute)::INTEGER AS minutes, " +
          "(SELECT count(*) FROM reading)::INTEGER AS readings, " +
          "(SELECT count(*) FROM quarter)::INTEGER AS quarters, " +
          "(SELECT count(*) FROM daily)::INTEGER AS days",
      )
    );
  const before = await counted();
  const project = { ...plain.project, timezone: "Pacific/Auckland" };
  await apply({ project, sensors: [power] });
  assert.deepEqual(await read("OneHour"), ["2026-06-01 23:00:00 1500", "2026-06-02 00:00:00 1500"]);
  assert.deepEqual(await read("OneDay"), ["2026-06-01 00:00:00 1500", "2026-06-02 00:00:00 1500"]);
  await apply({ sensors: [power] });
  assert.deepEqual(await read("OneDay"), ["2026-06-01 00:00:00 1500"]);
  assert.deepEqual(await counted(), before);
  await close();
});

Deno.test("another place brings another daylight", async () => {
  const { apply, read, close } = await opened();
  await apply({ sensors: [power] });
  assert.deepEqual(await read("OneDay", true), ["2026-06-01 00:00:00 1500"]);
  await apply({ site: { ...plain.site, latitude: -85 }, sensors: [power] });
  assert.deepEqual(await read("OneDay", true), []);
  assert.deepEqual(await read("OneDay"), ["2026-06-01 00:00:00 1500"]);
  await apply({ sensors: [power] });
  assert.deepEqual(await read("OneDay", true), ["2026-06-01 00:00:00 1500"]);
  await close();
});

Deno.test("a site applied while samples come in: every tag once, and none is lost", async () => {
  const { apply, fetch, id, services, close } = await opened();
  const { catalog, database } = services;
  const send = (round: number) => {
    const tags = Array.from({ length: 20 }, (_, i) => `t${round * 10 + i}`);
    const rows = tags.map((tag) => ({ tag, ts: "2026-06-01T12:00:00Z", value: round }));
    return fetch(`/ingest/v1/signals?project_id=${id}`, {
      method: "POST",
      body: JSON.stringify(rows),
      headers: { "content-type": "application/json" },
    });
  };
  const declare = (rounds: number) =>
    apply({
      sensors: Array.from({ length: rounds * 20 }, (_, i) => ({ ...power, tag: `t${i}` })),
    });
  const rounds = Array.from({ length: 8 }, (_, round) => round);
  const sent = Promise.all(rounds.map(send));
  for (const round of rounds) await declare(round + 1);
  for (const response of await sent) assert.equal((await response.json()).accepted, 20);
  const known = catalog.tags.map(({ tag_no, sensor_tag }) => `${tag_no} ${sensor_tag}`).sort();
  const stored = await database.read((connection) =>
    queryRows<{ tag_no: number; sensor_tag: string }>(
      connection,
      "SELECT tag_no, sensor_tag FROM tag ORDER BY tag_no",
    )
  );
  assert.deepEqual(known, stored.map((tag) => `${tag.tag_no} ${tag.sensor_tag}`).sort());
  assert.equal(new Set(stored.map((tag) => tag.tag_no)).size, stored.length);
  assert.equal(new Set(stored.map((tag) => tag.sensor_tag)).size, stored.length);
  await close();
});
