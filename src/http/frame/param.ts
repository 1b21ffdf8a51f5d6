// Parameters that many endpoints take: the project, and the place and size of a page.
import { answer_limits } from "../../model/data/limits.ts";
import type { Param } from "../../model/data/param.ts";
import { extra_aggregates } from "../../model/statistics/statistic.ts";

/** The columns of a streamed answer; every route that streams rows takes it. */
export const columns_param = {
  name: "columns",
  in: "query",
  kind: "text",
  required: false,
  repeated: true,
  doc: "Only these columns of the answer, in this order: names separated by commas, or the " +
    "parameter repeated. All of them by default.",
} as const satisfies Param;

/** What `include=ts_utc` is, in the words of the parameter. */
export const instant_doc = "ts_utc: also the start of the bucket as an instant, which differs " +
  "for both passes of an hour that is repeated.";

/** The project that a request is about. */
export const project_param = {
  name: "project_id",
  in: "query",
  kind: "text",
  required: true,
  names: "project",
  doc: "Project, by id or key.",
} as const satisfies Param;

/** What rows have beside their usual columns; `values` and `doc` say what there is. */
export const include_param = {
  name: "include",
  in: "query",
  kind: "text",
  required: false,
  repeated: true,
} as const;

/** Another way of aggregation over a bucket's time. */
export const aggregate_param = {
  name: "aggregate",
  in: "query",
  kind: "text",
  required: false,
  values: extra_aggregates,
  doc: "time_weighted: also time_average, the mean over time of the value between samples.",
} as const satisfies Param;

/** How many rows a page has at most and by default, and what is said of the rows to skip. */
type Page = { readonly most?: number; readonly usual?: number; readonly skip?: string };

/** The parameters `limit` and `offset` of a list; `rows` names what it lists. */
export function pageParams(
  rows: string,
  {
    most = answer_limits.page_rows,
    usual = answer_limits.page_rows_default,
    skip = `${rows} to skip.`,
  }: Page = {},
) {
  return [
    {
      name: "limit",
      in: "query",
      kind: "integer",
      required: false,
      minimum: 1,
      maximum: most,
      default: usual,
      doc: `${rows} of the page at most.`,
    },
    {
      name: "offset",
      in: "query",
      kind: "integer",
      required: false,
      minimum: 0,
      default: 0,
      doc: skip,
    },
  ] as const satisfies readonly Param[];
}
