// How plants stand: the matched index with what setpoints allow, worst first.
import { deepEqual, equal } from "node:assert/strict";
import type { Rows } from "../../../src/web/frame/api.ts";
import { allowedOf } from "../../../src/web/frame/performance.ts";
import { standingsOf } from "../../../src/web/portfolio/standing.ts";

Deno.test("what setpoints allow is what the index was measured against", () => {
  const allowed = allowedOf(
    Float64Array.of(90, 0, 0, NaN, 50),
    Float64Array.of(100, 80, 70, NaN, 100),
    Float64Array.of(0.9, 0, NaN, NaN, 1),
  );
  // As expected; an outage; a limit to nothing; not known; a limit to the half.
  deepEqual([...allowed], [100, 80, 0, NaN, 50]);
});

Deno.test("a curtailed plant stands before no plant that lost by itself", () => {
  const project = (id: string) => ({ id, key: id, name: id, timezone: "UTC" });
  const energy = rows({
    project_id: ["curbed", "broken", "curbed", "broken"],
    sensor_value_matched: [50, 80, 90, 80],
    model_value_matched: [100, 100, 100, 100],
    performance_index_setpoint_matched: [1, 0.8, 0.9, 0.8],
    coverage: [1, 1, 0.5, 1],
  });
  const none = rows({
    ...{ project_id: [], sensor_value_matched: [], model_value_matched: [], coverage: [] },
    ...{ performance_index_setpoint_matched: [], capacity_hours: [] },
    unavailable_capacity_hours: [],
  });
  const [first, second] = standingsOf(
    [project("curbed"), project("broken")],
    [{ energy, power: none, availability: none }],
  );
  equal(first.project.id, "broken");
  equal(first.index, 0.8);
  // 140 of the 50 + 100 that were allowed.
  deepEqual([second.measured, second.expected, second.coverage], [140, 150, 0.75]);
  deepEqual(second.trend, [1, 0.9]);
});

function rows(columns: Readonly<Record<string, readonly (string | number)[]>>): Rows {
  return {
    length: Object.values(columns)[0].length,
    numbers: (name) => Float64Array.from(columns[name], Number),
    texts: (name) => columns[name].map(String),
  };
}
