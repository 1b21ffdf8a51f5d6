// Availability of capacity and time: its sums, its shares, and the time in each state.
import { deepEqual, equal } from "node:assert/strict";
import {
  availabilitiesOf,
  availableShare,
  knownShare,
  sumOfAvailabilities,
  timeInStates,
} from "../../../src/web/losses/availability.ts";

Deno.test("availability and its known share come from the same sums", () => {
  const columns: Record<string, readonly number[]> = {
    capacity_hours: [80, 100, 0],
    unavailable_capacity_hours: [8, 0, 0],
    daylight_capacity_hours: [100, 100, 100],
  };
  const rows = availabilitiesOf({
    numbers: (name) => columns[name],
    texts: () => ["a", "b", null],
  }, "hierarchy_id");
  deepEqual(rows.map(availableShare), [0.9, 1, NaN]);
  deepEqual(rows.map(knownShare), [0.8, 1, 0]);
  const sum = sumOfAvailabilities(rows);
  equal(availableShare(sum), 1 - 8 / 180);
  equal(knownShare(sum), 0.6);
});

Deno.test("full capability is what is left of the daylight", () => {
  const hour = 3_600_000;
  const spans = {
    hierarchy_id: ["a", "b", "a"],
    from: [0, 0, 5 * hour],
    to: [2 * hour, hour, 6 * hour],
    state: ["forced_outage", "unknown", "forced_outage"],
  };
  // 3 h of 1 MW and 1 h of 2 MW, of 10 h of both.
  const times = timeInStates(spans, {
    capacities_w: new Map([["a", 1e6], ["b", 2e6]]),
    daylight_kwh: 30_000,
  });
  deepEqual(times, [["full_capability", 25_000], ["forced_outage", 3000], ["unknown", 2000]]);
});
