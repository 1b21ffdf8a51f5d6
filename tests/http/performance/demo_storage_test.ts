// The demo's system, meter and inverters agree while its battery charges and when it empties.
import assert from "node:assert/strict";
import { Demo } from "../../../src/engine/demo/demo.ts";
import type { TestRow } from "../../help/reading.ts";
import { testService } from "../../help/service.ts";

const from_us = Date.parse("2026-06-01T07:00:00Z") * 1000;

Deno.test("the demo's system and meter are to read its inverters and its battery", async () => {
  const service = await testService({ at: "2026-06-02T04:00:00Z" });
  const demo = await Demo.open(service.services, { seed: 1, from_us });
  await demo.fill(() => {});
  await service.settle();
  const rows = async (component: string): Promise<readonly TestRow[]> => {
    const query = new URLSearchParams({
      ...{ project_ids: demo.project.id, dt_start: "2026-06-01", dt_end: "2026-06-01" },
      ...{ time_interval: "OneHour", component, component_measure: "active_power" },
      ...{ group_by: "project_id", format: "json", include: "matched" },
    });
    const response = await service.fetch(`/platform/v1/performance-v2?${query}`);
    assert.equal(response.status, 200);
    return await response.json();
  };
  const [system, meter, inverters, battery] = await Promise.all(
    ["system", "meter", "inverter", "bess_pcs"].map(rows),
  );
  let charging = 0;
  let compared = 0;
  for (const [i, { ts, model_value }] of inverters.entries()) {
    const [generated, stored] = [Number(model_value), Number(battery[i].sensor_value)];
    // In the first and last hour of light some minutes are dark for all of it.
    if (i < 1 || i > inverters.length - 2) continue;
    // The transformer loses 1.2 %.
    const expected = 0.988 * (generated + stored);
    close(meter[i].model_value, expected, `meter ${ts}`);
    close(system[i].model_value, expected, `system ${ts}`);
    if (generated < 1e7) continue;
    charging += Number(stored < -2e6);
    // Matched figures leave the storage out on both sides.
    const all = [inverters[i], meter[i], system[i]];
    if (all.some(({ coverage }) => coverage !== 1)) continue;
    const [index, ...above] = all.map((row) => Number(row.performance_index_matched));
    for (const own of above) assert.ok(Math.abs(own - index) < 0.002, `${ts}: ${own}, ${index}`);
    compared++;
  }
  assert.ok(compared >= 5, `${compared} hours compared`);
  assert.ok(charging >= 3, `${charging} hours of charging`);
  await service.close();
});

function close(found: unknown, expected: number, note: string): void {
  const off = Math.abs(Number(found) - expected);
  assert.ok(off <= 1e-6 * Math.max(1e6, Math.abs(expected)), `${note}: ${found}, not ${expected}`);
}
