// Downloads whose clients don't read: they hold no reader of the database, and others are served.
import { equal, match, ok } from "node:assert/strict";
import { request_limits } from "../../../src/http/frame/limits.ts";
import type { Project, Site } from "../../../src/model/plant/plant.ts";
import { putInverters } from "../../help/inverter_day.ts";
import { testService } from "../../help/service.ts";

const project: Project = {
  ...{ project_no: 1, id: "p1", organization_id: "org", key: "p1", name: "P1" },
  ...{ portfolio: null, timezone: "UTC" },
};
const site: Site = {
  ...{ site_no: 1, project_no: 1, id: "s", key: "s", name: "S", latitude: 40, longitude: -105 },
};
const inverters = [{ no: 1, project_no: 1, site_no: 1, capacity: 1_000_000, block_id: "b1" }];

/** Enough rows that an answer has several pieces. */
const rows = 10_000;

const days = "dt_start=2024-03-10&dt_end=2024-03-10";
const downloads = {
  issues: `/platform/v1/issues?project_id=p1&limit=${rows}`,
  work_orders: `/platform/v1/work-orders?project_id=p1&limit=${rows}`,
  timeline: `/platform/v1/availability/timeline?project_id=p1&limit=${rows}&format=ndjson&${days}`,
};

const fill = `
  INSERT INTO issue BY NAME
    SELECT range AS issue_no, range::VARCHAR AS id, 1 AS project_no, range AS updated_at,
      range AS snapshot_no, '{"id":"' || range || '"}' AS snapshot FROM range(${rows});
  INSERT INTO work_order BY NAME
    SELECT range AS work_order_no, range::VARCHAR AS id, 1 AS project_no, range AS updated_at,
      range AS snapshot_no, '{"id":"' || range || '"}' AS snapshot FROM range(${rows});
  INSERT INTO inverter_state
    SELECT epoch(DATE '2024-03-10')::INTEGER // 86400, 1,
      epoch_us(TIMESTAMP '2024-03-10') + range * 1000, epoch_us(TIMESTAMP '2024-03-10') +
      (range + 1) * 1000, 'producing', 'power', NULL, 0
    FROM range(${rows})`;

/** A service with all that, and tokens that read it. */
async function openService() {
  const service = await testService({ at: "2024-06-01T12:00:00Z" });
  const { database, catalog, access } = service.services;
  await putInverters(database, { projects: [project], sites: [site], inverters });
  await database.write(({ connection }) => connection.script(fill));
  await catalog.reload();
  const everything = { organization_id: null, project_ids: null, expires_at: null };
  const tokens: string[] = [];
  for (let i = 0; i < 5; i++) {
    tokens.push((await access.create({ name: "t", scopes: ["read"], ...everything })).token);
  }
  const get = async (path: string, token: string) => {
    // Its rows are shorter than those that are described.
    const headers = { authorization: `Bearer ${token}` };
    const url = new URL(path, "http://localhost");
    const answer = await service.answer(new Request(url, { headers }));
    equal(answer.status, 200, path);
    return answer;
  };
  return { ...service, tokens, get };
}

for (const [name, path] of Object.entries(downloads)) {
  for (const count of [4, 60]) {
    Deno.test(`others are served beside ${count} downloads of ${name} in wait`, async () => {
      const { get, tokens, clock, fetch, settle, close } = await openService();
      const open: Response[] = [];
      for (let i = 0; i < count; i++) open.push(await get(path, tokens[i % 4]));
      for (const beside of ["/platform/v1/issues/7?project_id=p1", ...Object.values(downloads)]) {
        const text = await (await get(beside, tokens[4])).text();
        ok(text.length > 0);
      }
      const [first, ...others] = open;
      // A client that comes back to it late reads it whole.
      const lines = (await first.text()).match(/^\{.*\}/gm)!;
      equal(lines.length, rows);
      for (const answer of others) await answer.body!.cancel();
      clock.advance(request_limits.ops_age_ms);
      match(await (await fetch("/metrics")).text(), /in_flight\{of="stream"\} 0\n/);
      await settle();
      await close();
    });
  }
}
