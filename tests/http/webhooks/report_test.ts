// The report of a month as a running service tells of it: as its page shows it, as it is described.
import { deepEqual, equal, ok } from "node:assert/strict";
import { tellReports } from "../../../src/engine/webhooks/report.ts";
import { webhook_data, webhookDataName } from "../../../src/model/webhooks/shape.ts";
import { queryRows } from "../../help/query.ts";
import { sunnyService } from "../../help/sunny.ts";

Deno.test("a month of a plant is told with the coverage that its report shows", async () => {
  const { services, fetch, project_id, close } = await sunnyService({
    ...{ inverters: { A: {}, B: {} }, spacing: 15, expects: true },
  });
  const target = "https://x.example/";
  const asked = { name: "hook", organization: "o", target, event_types: ["report.ready"] };
  const body = JSON.stringify(asked);
  const headers = { "content-type": "application/json" };
  const made = await fetch("/admin/v1/subscriptions", { method: "POST", headers, body });
  equal(made.status, 201, await made.text());
  ok(services.loops.some(({ name }) => name === "telling of monthly reports"));
  await tellReports(services);
  await tellReports(services);
  const stored = await services.database.read((it) => queryRows(it, "SELECT body FROM outbox"));
  const [{ type, data }, ...more] = stored.map(({ body }) => JSON.parse(body as string));
  deepEqual([type, more.length], ["report.ready", 0]);
  const { month, from, to, link, coverage } = data;
  deepEqual([month, from, to], [
    "2026-05",
    "2026-05-01T00:00:00+02:00",
    "2026-06-01T00:00:00+02:00",
  ]);
  equal(link, `http://127.0.0.1:8480/report?project=${project_id}&month=2026-05`);
  const { columns } = webhook_data[webhookDataName("report.ready")];
  deepEqual(Object.keys(data), columns.map(({ name }) => name));
  const shown = await fetch(
    `/platform/v1/performance-v2?project_ids=${project_id}&dt_start=2026-05-01&dt_end=2026-05-31` +
      "&time_interval=Full&component=inverter&component_measure=energy&group_by=project_id" +
      "&include=matched&format=json&columns=coverage",
  );
  deepEqual(await shown.json(), [{ coverage }]);
  // One day of the 31, whose light is the longest of them.
  ok(coverage > 1 / 31 && coverage < 1.06 / 31, `${coverage}`);
  const listed = await fetch("/admin/v1/deliveries?type=report.ready");
  equal((await listed.json()).deliveries.length, 1);
  await close();
});
