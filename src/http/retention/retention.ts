// GET /admin/v1/retention: what is due to go, how much room that frees, and how the disk fills.
import * as z from "zod";
import { previewRetention, readGrowth } from "../../engine/retention/retention.ts";
import { kept_names } from "../../model/retention/keep.ts";
import { dayText } from "../../model/time/calendar.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The route of retention. */
export function retentionRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "retention",
      method: "GET",
      path: "/admin/v1/retention",
      summary: "What is no longer to be kept",
      doc: "A dry run of retention: what it would remove now, and about how much room of the " +
        "database file that frees, by the settings keep_samples, keep_forecasts, keep_minutes " +
        "and keep_quarters and the retention entries of site files. Also how the database grows, " +
        "and on which day the disk is full if it goes on like this.",
      scope: "admin",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(answer_schema) },
      handle: async () => {
        const due = [...await previewRetention(services)];
        const { bytes_per_day, full_day } = await readGrowth(services);
        const answer: z.input<typeof answer_schema> = {
          due,
          growth: { bytes_per_day, full_on: full_day === null ? null : dayText(full_day) },
        };
        return Response.json(answer);
      },
    }),
  ];
}

const day = z.string().describe("YYYY-MM-DD (UTC).");

const answer_schema = z.strictObject({
  due: z.array(z.strictObject({
    kept: z.enum(kept_names),
    tags: z.int().describe("How many tags lose something."),
    from: day,
    to: day.describe("End, exclusive."),
    rows: z.int(),
    bytes: z.int().describe("About how much room they take in the database file."),
  })),
  growth: z.strictObject({
    bytes_per_day: z.number().nullable().describe("Null as long as it is not known."),
    full_on: z.string().nullable().describe("YYYY-MM-DD; null: not for decades, or not known."),
  }),
});
