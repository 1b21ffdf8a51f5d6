// GET /platform/v1/meta/measures: the measure dictionary.
import { z } from "zod";
import { measure_entries, model_kinds } from "../../model/plant/measure_entry.ts";
import { type Route, route } from "../frame/route.ts";

/** The measure dictionary. */
export function measureRoutes(): readonly Route[] {
  return [
    route({
      name: "meta_measures",
      method: "GET",
      path: "/platform/v1/meta/measures",
      summary: "Measure dictionary",
      doc: "Every measure: its unit, its aggregation over time and over sensors, and where its " +
        "expected value comes from. As a page: /docs/measures.",
      scope: "read",
      project: null,
      params: [],
      answer: { kind: "json", schema: z.toJSONSchema(z.array(entry_schema)) },
      handle: () => Response.json(measure_entries),
    }),
  ];
}

const entry_schema = z.strictObject({
  name: z.string(),
  unit: z.string().describe("1 for a number without a unit."),
  over_time: z.enum(["mean", "time_weighted_mean", "increment", "last", "max", "min"])
    .describe("How the minutes of a bucket become one value."),
  over_sensors: z.enum(["sum", "mean", "capacity_mean", "power_mean", "max", "min", "same"])
    .describe("How the sensors of a group become one value."),
  note: z.string().nullable(),
  model: z.enum(model_kinds).describe(
    "Where its expected value comes from if the site does not send it.",
  ),
  integral_of: z.string().nullable()
    .describe("The measure whose expected value is integrated, if model is integral."),
});
