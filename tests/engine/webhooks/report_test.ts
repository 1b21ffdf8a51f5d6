// Monthly reports: each month of a project is told of once, whatever befalls the process or clock.
import { deepEqual, equal, rejects } from "node:assert/strict";
import type { RollupState } from "../../../src/engine/rollup/backlog.ts";
import { reportLoop, tellReports } from "../../../src/engine/webhooks/report.ts";
import { webhook_limits } from "../../../src/model/webhooks/limits.ts";
import { openWebhooks, wanted } from "../../help/webhook.ts";

const address = {
  ...{ public_url: "https://plant.example", tls_cert: "none" },
  ...{ host: "127.0.0.1", port: 8480 },
};
const rolled: RollupState = {
  ...{ backlog: 0, waiting: 0, rolled_to_us: 0, over_minute: 0, stale_days: 0 },
  ...{ may_be_stale: false, marks: 0 },
};
const dayOf = (day: string) => Date.parse(day) / 86_400_000;

/** Two projects of one organization in Denver, and one of another in UTC. */
async function opened({ path = ":memory:", settings = address, at = "2026-11-01T13:00:00Z" } = {}) {
  const world = await openWebhooks({ path });
  const { database, catalog, outbox, effects, clock } = world;
  const write = (sql: string) => database.write(({ connection }) => connection.script(sql));
  await write("UPDATE project SET timezone = 'America/Denver' WHERE organization_id = 'org-a'");
  await catalog.reload();
  const roll = { state: rolled };
  const parts = { database, catalog, outbox, effects, roll, settings };
  const standing = async (at: string) => {
    clock.now_us = Date.parse(at) * 1000;
    await tellReports(parts);
  };
  clock.now_us = Date.parse(at) * 1000;
  return {
    ...{ ...world, parts, roll, write, standing },
    /** Minutes of a day that a project's sensor has values of. */
    measure: (project_no: number, day: string, minutes = 60) =>
      write(`
        DELETE FROM sensor WHERE sensor_no = ${project_no};
        INSERT INTO sensor VALUES (${project_no}, 'h${project_no}', ${project_no}, 1, 1, NULL, NULL,
          'default', 'met', 'poa_front', 1, 0, NULL, 'none', NULL, 'end', NULL, false, NULL);
        INSERT INTO daily (day, sensor_no, light, n)
        VALUES (${dayOf(day)}, ${project_no}, true, ${minutes})`),
    /** The project and the month of each event, in their order. */
    async told() {
      const stored = await world.rows("SELECT body FROM outbox ORDER BY event_no");
      return stored.map(({ body }) => {
        const { type, project_id, data } = JSON.parse(body as string);
        equal(type, "report.ready");
        equal(data.project_id, project_id);
        return `${data.project.key} ${data.month}`;
      });
    },
  };
}

Deno.test("the turn of the month is told once, at six of the local clock", async () => {
  const { subscriptions, measure, standing, told, rows, database } = await opened();
  await subscriptions.create(wanted({ event_types: ["report.*"] }));
  await measure(1, "2026-10-31");
  await standing("2026-11-01T12:59:00Z");
  deepEqual(await told(), []);
  await standing("2026-11-01T13:00:00Z");
  await standing("2026-11-01T13:15:00Z");
  await standing("2026-11-30T23:00:00Z");
  deepEqual(await told(), ["one 2026-10"]);
  const [{ body }] = await rows("SELECT body FROM outbox");
  const { occurred_at, organization_id, data } = JSON.parse(body as string);
  deepEqual([occurred_at, organization_id], ["2026-11-01T13:00:00.000000Z", "org-a"]);
  deepEqual(data, {
    project_id: "project-1",
    project: { key: "one" },
    name: "One",
    sites: ["Here"],
    month: "2026-10",
    timezone: "America/Denver",
    from: "2026-10-01T00:00:00-06:00",
    to: "2026-11-01T00:00:00-06:00",
    coverage: null,
    link: "https://plant.example/report?project=project-1&month=2026-10",
  });
  await measure(1, "2026-11-01");
  await standing("2026-12-01T13:00:00Z");
  deepEqual(await told(), ["one 2026-10", "one 2026-11"]);
  deepEqual((await rows("FROM delivery")).length, 2);
  await database.close();
});

Deno.test("a project is told of in its own zone, and to its own organization alone", async () => {
  const { subscriptions, measure, standing, told, rows, database } = await opened();
  const { subscription: two } = await subscriptions.create(wanted({ projects: ["two"] }));
  const { subscription: b } = await subscriptions.create(wanted({ organization: "b" }));
  for (const project_no of [1, 2, 3]) await measure(project_no, "2026-10-31");
  await standing("2026-11-01T06:00:00Z");
  deepEqual(await told(), ["three 2026-10"]);
  await standing("2026-11-01T13:00:00Z");
  deepEqual(await told(), ["three 2026-10", "one 2026-10", "two 2026-10"]);
  const sent = await rows("SELECT event_no, subscription_no FROM delivery ORDER BY ALL");
  deepEqual(sent.map((row) => Object.values(row)), [
    [1, b.subscription_no],
    [3, two.subscription_no],
  ]);
  await database.close();
});

Deno.test("after an outage of months the last one is told, and it alone", async () => {
  const { subscriptions, measure, standing, told, database } = await opened();
  await subscriptions.create(wanted());
  for (const month of ["05", "06", "07", "08", "09", "10"]) await measure(1, `2026-${month}-10`);
  await standing("2026-06-01T12:00:00Z");
  await standing("2026-11-20T00:00:00Z");
  deepEqual(await told(), ["one 2026-05", "one 2026-10"]);
  await database.close();
});

Deno.test("a month without measured values is not told, nor those before the data", async () => {
  const { subscriptions, measure, standing, told, database } = await opened();
  await subscriptions.create(wanted());
  await standing("2026-11-02T00:00:00Z");
  await measure(1, "2026-10-20", 0);
  await measure(1, "2026-11-05");
  await standing("2026-11-06T00:00:00Z");
  deepEqual(await told(), []);
  // Data of the month come late: so does its report.
  await measure(1, "2026-10-20");
  await standing("2026-11-07T00:00:00Z");
  deepEqual(await told(), ["one 2026-10"]);
  await database.close();
});

Deno.test("who subscribes later is told of the months that follow", async () => {
  const { subscriptions, measure, standing, told, database } = await opened();
  await measure(1, "2026-10-31");
  await standing("2026-11-01T13:00:00Z");
  await subscriptions.create(wanted());
  await standing("2026-11-02T13:00:00Z");
  deepEqual(await told(), []);
  await measure(1, "2026-11-30");
  await standing("2026-12-01T13:00:00Z");
  deepEqual(await told(), ["one 2026-11"]);
  await database.close();
});

Deno.test("a clock that jumps tells nothing twice and nothing of the past", async () => {
  const { subscriptions, measure, standing, told, database } = await opened();
  await subscriptions.create(wanted());
  for (const day of ["2019-12-10", "2026-10-10", "2026-11-10"]) await measure(1, day);
  await standing("2026-11-10T00:00:00Z");
  await standing("2027-05-10T00:00:00Z");
  await standing("2020-01-10T00:00:00Z");
  await standing("1970-01-01T00:00:00Z");
  await standing("2026-11-10T00:00:00Z");
  await standing("2026-12-02T00:00:00Z");
  await standing("2026-11-12T00:00:00Z");
  await standing("2026-12-02T00:00:00Z");
  deepEqual(await told(), ["one 2026-10", "one 2026-11"]);
  await database.close();
});

Deno.test("a process that ends in the middle tells after its restart, and once", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/w.duckdb`;
  const first = await opened({ path });
  await first.subscriptions.create(wanted());
  await first.measure(1, "2026-10-31");
  await first.measure(2, "2026-10-31");
  // It ends within the write of the first project, and after the commit of the second.
  const add = first.outbox.add.bind(first.outbox);
  let writes = 0;
  Object.assign(first.outbox, {
    add: async (...given: Parameters<typeof add>) => {
      const queued = await add(...given);
      if (++writes === 1) throw new Error("killed");
      return queued;
    },
  });
  await rejects(tellReports(first.parts), /killed/);
  deepEqual(await first.told(), ["two 2026-10"]);
  await first.database.abandon();
  const second = await opened({ path });
  await tellReports(second.parts);
  deepEqual(await second.told(), ["two 2026-10", "one 2026-10"]);
  await second.database.abandon();
  const third = await opened({ path });
  await tellReports(third.parts);
  equal((await third.told()).length, 2);
  await third.database.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("it waits until what was stored is rolled up and states are computed", async () => {
  const { subscriptions, measure, standing, told, write, roll, database } = await opened();
  await subscriptions.create(wanted());
  await measure(1, "2026-10-31");
  const at = "2026-11-03T00:00:00Z";
  roll.state = { ...rolled, may_be_stale: true };
  await standing(at);
  roll.state = { ...rolled, backlog: 10, rolled_to_us: database.now_us - 3_600_000_000 };
  await standing(at);
  roll.state = rolled;
  await write(`INSERT INTO inverter_stale VALUES (1, ${dayOf("2026-10-31")})`);
  await standing(at);
  deepEqual(await told(), []);
  // Today is always computed again, and samples always come.
  await write(`UPDATE inverter_stale SET day = ${dayOf("2026-11-02")}`);
  roll.state = { ...rolled, backlog: 10, rolled_to_us: database.now_us };
  await standing(at);
  deepEqual(await told(), ["one 2026-10"]);
  await database.close();
});

Deno.test("the link is at host and port, and null where nobody can know it", async () => {
  const links = [];
  for (const port of [9000, 0]) {
    const settings = { public_url: "none", host: "0.0.0.0", port, tls_cert: "none" };
    const { subscriptions, measure, parts, rows, database } = await opened({ settings });
    await subscriptions.create(wanted());
    await measure(1, "2026-10-31");
    await tellReports(parts);
    const [{ body }] = await rows("SELECT body FROM outbox");
    links.push(JSON.parse(body as string).data.link);
    await database.close();
  }
  const known = "http://localhost:9000/report?project=project-1&month=2026-10";
  deepEqual(links, [known, null]);
});

Deno.test("in the background it looks a while after the start, not at once", async () => {
  const { subscriptions, measure, parts, outbox, told, clock, database } = await opened();
  await subscriptions.create(wanted());
  await measure(1, "2026-10-31");
  const stop = new AbortController();
  const stored = new Promise<void>((resolve) => outbox.listen(() => resolve()));
  const running = reportLoop(parts).run(stop.signal);
  clock.advance(webhook_limits.report_look_ms - 1);
  deepEqual(await told(), []);
  clock.advance(1);
  await stored;
  deepEqual(await told(), ["one 2026-10"]);
  stop.abort();
  await running;
  await database.close();
});
