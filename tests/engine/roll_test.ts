// The roll-up: minutes, readings, quarter-hours and days from samples, whatever their order.
import { deepEqual } from "node:assert/strict";
import { openPlant } from "../help/plant.ts";

Deno.test("roll: a minute is the mean of its usable floats", async () => {
  const plant = await openPlant({ tags: [{ tag_no: 1, sensors: [{ scale: 1000 }] }] });
  await plant.store([
    { tag: 1, at: "2026-06-01T10:00:00Z", value: 1, quality: 0, code: 0 },
    { tag: 1, at: "2026-06-01T10:00:30Z", value: 3, quality: 0, code: 0 },
    { tag: 1, at: "2026-06-01T10:00:45Z", value: 100, quality: 2, code: 0x80000000 },
  ]);
  await plant.roll.settle();
  deepEqual(await plant.rows("SELECT value FROM minute"), [{ value: 2 }]);
  await plant.close();
});
