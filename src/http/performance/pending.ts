// Days whose figures are being computed again: a list of them, and a header of answers with any.
import * as z from "zod";
import { compareText } from "../../base/bytes.ts";
import { askAll } from "../../engine/core/gather.ts";
import { range_form } from "../../engine/performance/part.ts";
import { pendingOf, type ProjectPending } from "../../engine/rollup/pending.ts";
import { dayText } from "../../model/time/calendar.ts";
import { askedPart, type Gather, gatherOf, partResponse } from "../frame/part.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { bucket_params, projectsOf, rangeBetween, zonesOf } from "./bucket_param.ts";

/** Tells how many days of an answer's projects wait. */
export const pending_header = "x-svc-pending-days";

/** What is asked of a shard. */
const pending_question = z.strictObject({ range: range_form });

const day = z.string().meta({ format: "date" });
const row_schema = z.strictObject({
  project_id: z.string(),
  first_day: day.describe("First day that waits, in the time zone of the site."),
  last_day: day.describe("Last day that waits."),
  days: z.int().describe("How many days wait, from the first to the last."),
  tag_days: z.int().describe(
    "How many days of tags (in UTC) are marked; what is marked twice counts twice.",
  ),
}).meta({ title: "PendingDays" });

type Row = z.output<typeof row_schema>;

/** The list of days that wait. */
export function pendingRoute(services: Services): Route {
  return route({
    name: "performance_pending",
    method: "GET",
    path: "/platform/v1/performance/pending",
    summary: "Days that are being computed again",
    doc: "Days whose figures (performance, availability, losses) may still be those of before: " +
      "after a change of the site file, a declared reset or an upgrade they are computed again " +
      "in the background, the newest day first. One row per project that has any; an empty list " +
      "where nothing waits. The answers themselves have the header " +
      `\`${pending_header}\` then: how many of the days that were asked for wait, each project's ` +
      "added up.",
    scope: "read",
    project: "project_ids",
    params: [bucket_params.project_ids, bucket_params.dt_start, bucket_params.dt_end],
    answer: { kind: "json", schema: () => z.toJSONSchema(z.array(row_schema)) },
    handle: async ({ request, values, signal }) => {
      const question = askedPart(services, request, pending_question);
      const projects = projectsOf(services.catalog, values.project_ids);
      const range = question?.range ?? rangeBetween({ ...values, timezones: zonesOf(projects) });
      const gather = gatherOf(services, request);
      const rows = gather
        ? (await askAll<readonly Row[]>(gather, { range }, signal)).flat()
        : (await pendingOf(services, { projects, range, signal })).map(rowOf);
      if (question) return partResponse({ facts: rows });
      return Response.json(rows.toSorted((a, b) => compareText(a.project_id, b.project_id)));
    },
  });
}

function rowOf({ project, first_day, last_day, ...counts }: ProjectPending): Row {
  const days = { first_day: dayText(first_day), last_day: dayText(last_day) };
  return { project_id: project.id, ...days, ...counts };
}

/** What an answer's figures are of. */
type Figures = Parameters<typeof pendingOf>[1] & {
  /** Where they lie in several shards. */
  readonly gather?: Gather | undefined;
};

/**
 * The header of an answer of figures, where any of its days wait. Ask before they are read: what is
 * done meanwhile is told for nothing, and nothing left out. Shards told theirs with their groups.
 */
export async function pendingHeader(
  services: Services,
  { gather, ...asked }: Figures,
): Promise<Readonly<Record<string, string>>> {
  const days = gather
    ? gather.sumOf(pending_header)
    : (await pendingOf(services, asked)).reduce((sum, { days }) => sum + days, 0);
  return days === 0 ? {} : { [pending_header]: `${days}` };
}
