// What nodes of two versions tell each other has a form, whose number is raised with any change.
import { deepEqual } from "node:assert/strict";
import type { AnswerPlan } from "../../../src/engine/performance/reading.ts";
import { SlabSums } from "../../../src/engine/performance/slab_sums.ts";
import {
  statistics_columns,
  time_average_column,
} from "../../../src/model/statistics/statistic.ts";
import { part_form } from "../../../src/wire/bytes/part.ts";

/** All that a row can be asked for, of a measure that is weighted. */
const plan = {
  is_single: false,
  selection: { measure: { over_sensors: "capacity_mean" } },
  request: {
    ...{ forecast: { issued_before_us: Infinity }, matched: true, evidence: true },
    statistics: { columns: [...statistics_columns, time_average_column], until_us: 0 },
  },
} as unknown as AnswerPlan;

const sums = [
  ...["total", "total_rest", "count", "weighted", "weighted_rest", "weight", "weight_rest"],
];

Deno.test("whoever changes the numbers of cells raises the form of parts", () => {
  const names = [
    ...["value", "model", "forecast value", "matched value", "matched model"],
    ...["matched model_setpoint", "statistics average"],
  ].flatMap((part) => sums.map((name) => `${part} ${name}`));
  const others = [
    ...["forecast issued_us", "forecast lead_minutes", "matched covered counted"],
    ...["matched covered due", "statistics known_us", "statistics good_us", "statistics bad_us"],
    ...["statistics samples", "statistics usable", "statistics transitions", "statistics states"],
    ...["statistics alone minimum", "statistics alone maximum", "statistics alone range"],
    ...["statistics alone standard_deviation", "statistics alone first"],
    ...["fallback counted", "fallback due"],
  ];
  const numbers = Object.keys(SlabSums.of(plan, 1).numbers(1));
  const wanted = { form: 3, numbers: [...names, ...others].toSorted() };
  deepEqual({ form: part_form, numbers: numbers.toSorted() }, wanted);
});
