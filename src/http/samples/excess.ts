// Powers that were beyond what the rating of their devices allows, and the ratings.
import * as z from "zod";
import { ratingsOf } from "../../engine/ingest/import.ts";
import { type Excess, listExcess } from "../../engine/signals/excess.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import type { Param } from "../../model/data/param.ts";
import { excess_columns, type ExcessRow, unitHint } from "../../model/samples/excess.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const list_params = [
  { ...project_param, doc: "Project of the sensors." },
  ...pageParams("Sensors"),
] as const satisfies readonly Param[];

/** Measured powers that no device of their rating can have. */
export function excessRoute({ catalog, database, effects }: Services): Route {
  return route({
    name: "sensor_excess",
    method: "GET",
    path: "/platform/v1/sensors/excess",
    summary: "Powers beyond their rating",
    doc:
      "The measured active powers of a project with a minute beyond twice their rated power in " +
      "recent days, with how much and when, in the order in which they were added. What was " +
      "measured stays as it came, in every answer. /docs/sensors#excess says what to do.",
    scope: "read",
    project: "project_id",
    params: list_params,
    answer: {
      kind: "json",
      schema: { type: "array", items: rowSchema(excess_columns, "ExcessSensor") },
    },
    handle: async ({ values: { project_id, limit, offset } }) => {
      const project = projectOf({ catalog }, project_id);
      const asked = { project, now_us: effects.now_us() };
      const found = await database.read((it) => listExcess(it, catalog, asked));
      const page = found.slice(offset, offset + limit);
      return Response.json(page.map((it) => rowOf({ catalog }, it)));
    },
  });
}

const ratings_schema = z.strictObject({
  ratings: z.array(z.strictObject({
    tag: z.string(),
    rated_w: z.number().describe("Rated power, W."),
    scale: z.number().describe("W = value × scale + offset."),
    offset: z.number(),
  })),
});

/** What a sender holds powers against before it sends them. */
export function ratingsRoute({ catalog }: Services): Route {
  return route({
    name: "ingest_ratings",
    method: "GET",
    path: "/ingest/v1/ratings",
    summary: "Powers whose rating is known",
    doc: "The tags of a project that are active powers of a known rated power: what a sender can " +
      "hold its values against before it sends them. Nothing is refused for being beyond.",
    scope: "ingest",
    project: "project_id",
    params: [{ ...project_param, doc: "Project of the tags." }],
    answer: { kind: "json", schema: () => z.toJSONSchema(ratings_schema) },
    handle: ({ values: { project_id } }) => {
      const rated = ratingsOf(catalog, projectOf({ catalog }, project_id));
      const ratings = Array.from(rated, ([tag, rating]) => ({ tag, ...rating }));
      return Response.json({ ratings } satisfies z.input<typeof ratings_schema>);
    },
  });
}

function rowOf(
  { catalog }: Pick<Services, "catalog">,
  { sensor, rated_w, found }: Excess,
): ExcessRow {
  const { hierarchy_id, tag_no, device_id, component, scale } = sensor;
  return {
    ...{ hierarchy_id, sensor_tag: catalog.tag(tag_no)!.sensor_tag, device_id },
    device_name: device_id === null ? null : catalog.device(device_id)!.name,
    ...{ component, rated_w, greatest_w: found.greatest },
    greatest_at: quarterText(found.greatest_quarter),
    quarter_hours: found.quarters,
    first_at: quarterText(found.first_quarter),
    last_at: quarterText(found.last_quarter),
    ...unitHint(found.greatest, { rated_w, scale }),
  };
}

const quarter_us = 900_000_000;

function quarterText(quarter: number): string {
  return instantText(quarter * quarter_us);
}
