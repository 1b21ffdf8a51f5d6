// Which sensors a statement reads: the same in each form, whatever the list.
import { deepEqual, equal } from "node:assert/strict";
import { ofSensors, wantedOf } from "../../../src/store/performance/sensor.ts";
import { Instance } from "../../../src/store/instance.ts";
import fc from "fast-check";

const numbers_list = ofSensors({
  sql: "SELECT sensor_no FROM (SELECT unnest(range(1, 200))::INTEGER AS sensor_no) " +
    "WHERE {wanted} ORDER BY sensor_no",
  parameters: { sensors: "int32[]" },
  row: { sensor_no: "int32" },
});

Deno.test("those that lie a step apart are found by a rule", () => {
  const formOf = (...sensors: number[]) => wantedOf(Int32Array.from(sensors)).form;
  equal(formOf(7), "single");
  equal(formOf(3, 2, 4), "spanned");
  equal(formOf(1, 7, 4), "spaced");
  equal(formOf(1, 2, 4), "listed");
  equal(formOf(), "listed");
});

Deno.test("each form finds the sensors of the list, and those alone", async () => {
  const instance = await Instance.open({ path: ":memory:", threads: 1, memory_mb: 128 });
  const connection = instance.connect();
  const apart = fc.record({
    from: fc.integer({ min: 1, max: 60 }),
    step: fc.integer({ min: 1, max: 9 }),
    count: fc.integer({ min: 1, max: 14 }),
  }).map(({ from, step, count }) => Array.from({ length: count }, (_, i) => from + i * step));
  const any = fc.uniqueArray(fc.integer({ min: 1, max: 199 }));
  try {
    await fc.assert(fc.asyncProperty(fc.oneof(apart, any), async (list) => {
      const { form, sensors } = wantedOf(Int32Array.from(list));
      const found = await connection.rows(numbers_list[form], { sensors });
      deepEqual(found.map(({ sensor_no }) => sensor_no), list.toSorted((a, b) => a - b));
    }));
  } finally {
    connection.close();
    instance.close();
  }
});
