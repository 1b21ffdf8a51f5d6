// Numbers at the ends of a double's range, and -0: what comes back, and what is refused with why.
import { deepEqual, equal, match } from "node:assert/strict";
import { openSite, series } from "../../help/raw.ts";

const largest = Number.MAX_VALUE;
const power = { tag: "p", device: "A", measure: "active_power", scale: 1000 } as const;
const site = { devices: [{ key: "A", type: "inverter" as const }], sensors: [power] };

/** NDJSON of values within one minute. */
function minuteOf(tag: string, values: readonly number[]): string {
  return values.map((value, i) =>
    JSON.stringify({ tag, ts: new Date(Date.UTC(2026, 5, 1, 6) + i * 1000).toISOString(), value })
  ).join("\n");
}

const means: readonly (readonly [name: string, values: readonly number[], mean: number])[] = [
  ["two of the largest double", [largest, largest], largest],
  ["seven of the largest double", Array.from({ length: 7 }, () => largest), largest],
  ["three of the least double", Array.from({ length: 3 }, () => -largest), -largest],
  ["the largest, half of it, and none", [largest, largest / 2, 0], largest / 2],
  ["the largest and the least", [largest, -largest], 0],
  ["values of every day", [1, 2, 6], 3],
];

for (const [name, values, mean] of means) {
  Deno.test(`a minute's mean is right and finite: ${name}`, async () => {
    const open = await openSite({});
    const answer = await open.send(minuteOf("x", values));
    deepEqual([answer.accepted, answer.rejected], [values.length, []]);
    await open.settle();
    const [row] = await open.signals({ resolution: "1m", tag: "x", limit: "1" });
    const error = Math.abs(Number(row.value) / 2 ** 60 - mean / 2 ** 60);
    equal(typeof row.value, "number");
    equal(error <= 1e-15 * Math.abs(mean) / 2 ** 60, true, `${row.value}`);
    await open.close();
  });
}

Deno.test("a value of which no sums can be kept is rejected on a tag of a measure", async () => {
  const open = await openSite(site);
  const answer = await open.send(series("p", 1, [1e287, -1e287, 1.1e287, -largest]));
  equal(answer.accepted, 2);
  deepEqual(answer.rejected.map(({ line }) => line), [3, 4]);
  match(answer.rejected[0].reason, /^value is beyond ±1e\+290 in the unit of the tag's measure/);
  const run = { issued_at: "2026-06-01T05:00:00Z", ts: "2026-06-01T06:00:00Z", tag: "p" };
  const forecast = await open.send(
    [1e300, 1].map((value, i) => JSON.stringify({ ...run, ts: `2026-06-01T06:0${i}:00Z`, value }))
      .join("\n"),
    { lane: "forecast" },
  );
  deepEqual(forecast.rejected.map(({ line }) => line), [1]);
  await open.close();
});

for (const step of [1, 5, 15]) {
  Deno.test(`the mean of the largest values each ${step} min is finite`, async () => {
    const open = await openSite(site);
    await open.send(series("p", step, Array.from({ length: 60 / step }, () => 1e287)));
    await open.settle();
    for (const interval of ["OneMinute", "FifteenMinutes", "OneHour", "OneDay", "Full"]) {
      const [row] = await open.performance("inverter", "active_power", interval);
      const share = Number(row.sensor_value) / 1e290;
      equal(Math.abs(share - 1) < 1e-14, true, `${interval} ${row.sensor_value}`);
    }
    await open.close();
  });
}

Deno.test("-0 is stored as 0: the database keeps equal numbers side by side as one", async () => {
  const open = await openSite(site);
  await open.send('{"tag":"p","ts":"2026-06-01T06:00:00Z","value":-0}');
  const [raw, scaled] = await open.signals({ resolution: "raw" });
  deepEqual([raw.value, scaled.raw_value, scaled.value], [0, 0, 0]);
  await open.close();
});
