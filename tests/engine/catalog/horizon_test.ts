// What is no longer kept is refused with the day from which on there is all of it.
import { deepEqual, equal } from "node:assert/strict";
import { Fault } from "../../../src/base/fault.ts";
import { requireKept } from "../../../src/engine/catalog/horizon.ts";

const day_us = 86_400_000_000;
const horizons = [
  { tag_no: 1, samples: 20, forecasts: 0, minutes: 25, quarters: 0 },
  { tag_no: 2, samples: 22, forecasts: 0, minutes: 0, quarters: 0 },
];
const catalog = {
  horizon: (tag_no: number) => horizons.find((it) => it.tag_no === tag_no),
  tag: (tag_no: number) => ({ sensor_tag: `t${tag_no}` }),
} as unknown as Parameters<typeof requireKept>[0];

function refusal(from_us: number, kinds: readonly ("samples" | "minutes")[]): unknown {
  const reads = kinds.flatMap((kept) => [1, 2, 3].map((tag_no) => ({ tag_no, kept })));
  try {
    requireKept(catalog, { from_us, reads });
  } catch (error) {
    return error;
  }
}

Deno.test("who asks from the day that a refusal names is not refused again", () => {
  const fault = refusal(0, ["samples", "minutes"]) as Fault;
  equal(fault.available_from_us, 25 * day_us);
  equal(fault.message.split(" (UTC)")[0], 'minutes of "t1" before 1970-01-26');
  equal(refusal(fault.available_from_us!, ["samples", "minutes"]), undefined);
  equal((refusal(25 * day_us - 1, ["minutes"]) as Fault).available_from_us, 25 * day_us);
});

Deno.test("what is not read is not asked for", () => {
  equal((refusal(0, ["samples"]) as Fault).available_from_us, 22 * day_us);
  deepEqual(refusal(0, []), undefined);
});
