// Matched figures: measured beside expected over the same minutes, whatever is missing.
import assert from "node:assert/strict";
import { type Keep, perfectDay, type Tag } from "./matched_help.ts";

const intervals = ["OneMinute", "FiveMinutes", "TenMinutes", "FifteenMinutes", "OneHour", "OneDay"];
const measures = ["active_power", "energy"] as const;
const tag_of = { active_power: "power", energy: "counter" } as const;

function near(found: unknown, wanted: number, within: number, what: string): void {
  assert.ok(Math.abs(Number(found) - wanted) <= within, `${what}: ${found}, not ${wanted}`);
}

/** Keeps all samples but those of a tag in some hours of UTC. */
function without(lost: Tag, from_hour: number, to_hour: number): Keep {
  return (tag, minute) => tag !== lost || minute < from_hour * 60 || minute > to_hour * 60;
}

const spacings = [1, 5, 15];

for (const spacing of spacings) {
  Deno.test(`matched: a whole day is covered whole, at ${spacing} minutes`, async () => {
    const day = await perfectDay(spacing);
    for (const measure of measures) {
      const [row] = await day.rows("OneDay", measure);
      near(row.coverage, 1, 0, `${measure}: coverage`);
      assert.deepEqual(row.sensor_value_matched, row.sensor_value);
      near(row.performance_index_matched, 1, 0.005, measure);
      for (const hour of await day.rows("OneHour", measure)) {
        near(hour.coverage, 1, 0, `${measure}: ${hour.ts}`);
      }
    }
    await day.close();
  });

  for (const [i, lost] of (["poa", "power", "counter"] as const).entries()) {
    for (const [j, from] of [6, 10, 14].entries()) {
      // Each two of what is lost, its hours and the spacing meet once.
      if ((i + j) % 3 !== spacings.indexOf(spacing)) continue;
      Deno.test(`matched: ${lost} is silent from ${from}:00, at ${spacing} minutes`, async () => {
        const day = await perfectDay(spacing, without(lost, from, from + 4));
        for (const measure of measures) {
          const concerned = lost === "poa" || lost === tag_of[measure];
          const [row] = await day.rows("OneDay", measure);
          near(row.performance_index_matched, 1, 0.005, measure);
          // From the last value before to the first one after: up to two spacings more.
          const lost_minutes = concerned ? 240 + spacing : 0;
          near(row.coverage, 1 - lost_minutes / 890, concerned ? (spacing + 2) / 890 : 0, measure);
          // Energy is spread evenly between readings: shorter buckets differ, and dawn.
          for (const interval of measure === "energy" ? ["OneHour"] : intervals) {
            for (const bucket of await day.rows(interval, measure)) {
              if (bucket.performance_index_matched === null) continue;
              if (measure === "energy" && Number(bucket.model_value_matched) < 5000) continue;
              near(bucket.performance_index_matched, 1, 0.005, `${measure} ${bucket.ts}`);
            }
          }
        }
        await day.close();
      });
    }
  }
}
