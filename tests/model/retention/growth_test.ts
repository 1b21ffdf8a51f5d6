// How the database grows, and when the disk is full.
import { deepEqual, equal } from "node:assert/strict";
import { growthOf, growthText } from "../../../src/model/retention/growth.ts";

const mib = 1024 ** 2;
const uses = [{ day: 20_500, used_bytes: 100 * mib }, { day: 20_510, used_bytes: 220 * mib }];

Deno.test("growth is that of the days that are known, and ends when what is free is used", () => {
  const growth = growthOf({ uses, free_bytes: 1200 * mib });
  deepEqual(growth, { bytes_per_day: 12 * mib, full_day: 20_610 });
  equal(growthText(growth), "grows by 12.0 MiB a day, full on 2026-06-06");
});

Deno.test("growth of a day is not known, and one that stands still fills nothing", () => {
  const unknown = growthOf({ uses: uses.slice(1), free_bytes: 0 });
  equal(growthText(unknown), "growth is known after a day");
  const still = growthOf({ uses: [uses[0], { ...uses[0], day: 20_501 }], free_bytes: 1 });
  equal(growthText(still), "grows by 0.0 MiB a day, not full for decades");
});
