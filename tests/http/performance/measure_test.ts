// The measure dictionary and the pages that explain words.
import { deepEqual, equal, ok } from "node:assert/strict";
import { evidences, states } from "../../../src/model/availability/availability.ts";
import { measure_names } from "../../../src/model/plant/measure.ts";
import { testService } from "../../help/service.ts";

Deno.test("the dictionary lists all 102 measures with unit, aggregation and model", async () => {
  const service = await testService();
  const entries = await (await service.fetch("/platform/v1/meta/measures")).json();
  equal(entries.length, 102);
  deepEqual(entries.map((entry: { name: string }) => entry.name), measure_names);
  const find = (name: string) => entries.find((entry: { name: string }) => entry.name === name);
  deepEqual(find("energy"), {
    name: "energy",
    unit: "Wh",
    over_time: "increment",
    over_sensors: "sum",
    note: "a counter, amounts per interval, or integrated power",
    model: "integral",
    integral_of: "active_power",
  });
  equal(find("active_power").model, "computed");
  deepEqual([find("ghi").model, find("ghi_insolation").integral_of], ["sent", "ghi"]);
  equal(find("soc").note, "weighted by energy capacity");
  const stranger = await service.fetch("/platform/v1/meta/measures", {
    headers: { authorization: "Bearer x" },
  });
  equal(stranger.status, 401);
  await stranger.body?.cancel();
  await service.close();
});

Deno.test("the pages tell every measure, state and evidence, and lead to one another", async () => {
  const service = await testService();
  const read = async (path: string) => {
    const response = await service.fetch(path);
    equal(response.status, 200, path);
    return (await response.text()).replaceAll("<wbr>", "");
  };
  const measures = await read("/docs/measures");
  for (const name of measure_names) ok(measures.includes(`<code>${name}</code>`), name);
  const availability = await read("/docs/availability");
  for (const name of [...Object.keys(states), ...evidences, "other_loss"]) {
    ok(availability.includes(`<code>${name}</code>`), name);
  }
  const reference = await read("/docs");
  for (const path of ["/docs/measures", "/docs/availability"]) {
    ok(reference.includes(`href="${path}"`), path);
  }
  ok(measures.includes('href="/docs#meta_measures"'));
  await service.close();
});
