// Who may not ask costs the shards nothing: the home refuses before any other is asked.
import { deepEqual, equal, ok } from "node:assert/strict";
import { type TestFleet, testFleet } from "../../help/fleet.ts";
import { putPlant, testSensor } from "../../help/reading.ts";

const at = "2026-06-01T12:00:00Z";

/** A project in each shard, with a meter. */
async function openFleet(): Promise<TestFleet> {
  const fleet = await testFleet({ at, count: 2 });
  for (const [i, { services }] of fleet.shards.entries()) {
    const [no, word] = [i + 1, `p${i + 1}`];
    await putPlant(services.database, {
      projects: [{
        ...{ project_no: no, id: word, key: word, name: word, timezone: "UTC" },
        ...{ organization_id: "org", portfolio: null },
      }],
      sites: [{
        ...{ site_no: no, project_no: no, id: `s${no}`, key: `s${no}`, name: "S" },
        ...{ latitude: 40, longitude: 0 },
      }],
      sensors: [testSensor({
        ...{ sensor_no: no, project_no: no, site_no: no, component: "meter", measure: "energy" },
      })],
    });
    await services.catalog.reload();
  }
  await fleet.tell();
  return fleet;
}

const range = "project_ids=p1&project_ids=p2&dt_start=2026-05-31&dt_end=2026-05-31";

/** What is of several shards. */
const asked: readonly (readonly [what: string, body?: string])[] = [
  ["GET /platform/v1/links"],
  ["GET /platform/v1/gateways"],
  ["GET /admin/v1/retention"],
  ["GET /admin/v1/status"],
  ["GET /admin/v1/deliveries"],
  ["POST /admin/v1/deliveries/replay", "{}"],
  ["GET /admin/v1/backups"],
  ["POST /admin/v1/backups"],
  ["POST /admin/v1/backups/stream?shard=2"],
  ["POST /admin/v1/query?shard=1", "{}"],
  ["POST /ingest/v1/gateways", "{}"],
  [
    `GET /platform/v1/performance-v2?${range}&time_interval=OneDay&component=meter` +
    "&component_measure=energy",
  ],
  [`GET /platform/v1/availability?${range}`],
  [`GET /platform/v1/losses?${range}`],
];

Deno.test("who may not ask is refused before another shard than the home is asked", async () => {
  const fleet = await openFleet();
  const { token } = await fleet.home.services.access.create({
    ...{ name: "none", organization_id: "org", project_ids: [], scopes: ["sync"] },
    expires_at: null,
  });
  await fleet.tell();
  for (const [what, body] of asked) {
    const [method, path] = what.split(" ");
    const ask = async (bearer?: string) => {
      fleet.asked.length = 0;
      const answer = await fleet.fetch(path, {
        method,
        ...(body && { body }),
        headers: {
          "content-type": "application/json",
          ...(bearer && { authorization: `Bearer ${bearer}` }),
        },
      });
      await answer.body?.cancel();
      return { status: answer.status, asked: fleet.asked.map((it) => it.split(" ")[0]) };
    };
    for (const [bearer, status] of [["wk_none", 401], [token, 403]] as const) {
      const said = await ask(bearer);
      equal(said.status, status, what);
      deepEqual([...new Set(said.asked)], ["0"], what);
      ok(said.asked.length <= 3, `${what}: ${said.asked}`);
    }
    const said = await ask();
    equal(said.asked[0], "0", what);
    ok(said.status < 500 || said.status === 501, `${what}: ${said.status}`);
  }
  await fleet.close();
});
