// The part of an ingest answer that lists the rows that were rejected.
import { limits } from "../../base/limits.ts";

/** The schema of an answer's rejected rows, each with its line, its `id` field and the reason. */
export function rejectedSchema<Id extends string>(id: Id) {
  return {
    rejected_count: { type: "integer" },
    rejected: {
      type: "array",
      maxItems: limits.rejected_shown,
      description: "The first rejected rows.",
      items: {
        type: "object",
        required: ["line", id, "reason"],
        properties: {
          line: { type: "integer", description: "Line in the body, or number of the row, from 1." },
          [id]: { type: ["string", "null"] },
          reason: { type: "string" },
        },
      },
    },
  } as const;
}
