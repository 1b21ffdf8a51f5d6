// Overrides under /platform/v1/availability/overrides: an operator's word on inverters' states.
import { z } from "zod";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { addOverride, removeOverride } from "../../engine/availability/override.ts";
import { type Override, override_schema } from "../../model/availability/override.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { state_names } from "../../model/availability/timeline.ts";
import { readOverrides } from "../../store/availability/override.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { invalid } from "../performance/bucket_param.ts";
import { readData } from "../frame/json_body.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/platform/v1/availability/overrides";

/** Making, listing and removing overrides. */
export function overrideRoutes(services: Services): readonly Route[] {
  const common = { project: "project_id", noun: "availability" } as const;
  return [
    route({
      ...common,
      name: "override_post",
      method: "POST",
      path,
      summary: "Override a state",
      doc: "Sets the state of some inverters for a time span. An override has priority over all " +
        "other evidence. The days that it affects are computed again within seconds. 409 if " +
        "another override of one of the inverters overlaps this time. The author is the name of " +
        "the token.",
      scope: "operate",
      params: [project_param],
      body: {
        media_types: ["application/json"],
        limit_bytes: limits.override_body_bytes,
        doc: "The inverters, the state, the time span and the reason.",
        schema: z.toJSONSchema(override_schema),
      },
      answer: { kind: "json", status: 201, schema: z.toJSONSchema(shown_schema) },
      handle: (context) => postOverride(services, context),
    }),
    route({
      ...common,
      name: "overrides",
      method: "GET",
      path,
      summary: "Overrides",
      doc: "The overrides of a project that overlap a time range, ordered by their start.",
      scope: "read",
      params: list_params,
      answer: { kind: "json", schema: z.toJSONSchema(z.array(shown_schema)) },
      handle: ({ values }) => listOverrides(services, values),
    }),
    route({
      ...common,
      name: "override_delete",
      method: "DELETE",
      path: `${path}/{id}`,
      summary: "Remove an override",
      doc: "The other evidence counts again. The days that the override affected are computed " +
        "again within seconds. The answer is the removed override.",
      scope: "operate",
      params: [
        { name: "id", in: "path", kind: "text", required: true, doc: "The override's id." },
        project_param,
      ],
      answer: { kind: "json", schema: z.toJSONSchema(shown_schema) },
      handle: async ({ values }) => {
        const project = projectOf(services, values.project_id);
        return Response.json(shown(
          await removeOverride(services, { project, id: values.id }),
          project,
        ));
      },
    }),
  ];
}

const project_param = {
  name: "project_id",
  in: "query",
  kind: "text",
  required: true,
  doc: "Project of the inverters.",
} as const satisfies Param;

const list_params = [
  project_param,
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Start of the range, inclusive. By default the range has no start.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    doc: "End of the range, exclusive. By default the range has no end.",
  },
  {
    name: "limit",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 1,
    maximum: limits.page_rows,
    default: limits.page_rows_default,
    doc: "Largest number of overrides on the page.",
  },
  {
    name: "offset",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 0,
    default: 0,
    doc: "Overrides to skip.",
  },
] as const satisfies readonly Param[];

const shown_schema = z.strictObject({
  override_id: z.string(),
  project_id: z.string(),
  hierarchy_ids: z.array(z.string()).describe("hierarchy_id, as in the rows of availability."),
  state: z.enum(state_names),
  from: z.string().describe("ISO 8601, UTC, inclusive."),
  to: z.string().describe("ISO 8601, UTC, exclusive."),
  reason: z.string(),
  author: z.string().describe("Name of the token that made the override."),
  created_at: z.string().describe("ISO 8601, UTC."),
});

async function postOverride(
  services: Services,
  { request, values, grant }: RouteContext<readonly [typeof project_param]>,
): Promise<Response> {
  const project = projectOf(services, values.project_id);
  const data = await readData(request);
  const override = await addOverride(services, data, { project, author: grant!.name });
  return Response.json(shown(override, project), { status: 201 });
}

async function listOverrides(
  services: Services,
  values: ParamValues<typeof list_params>,
): Promise<Response> {
  const project = projectOf(services, values.project_id);
  const { from: from_us = 0, to: to_us = Number.MAX_SAFE_INTEGER, limit, offset } = values;
  if (to_us <= from_us) throw invalid("to", "must be later than from");
  const { project_no } = project;
  const query = { project_no, from_us, to_us, id: null, limit, offset };
  const overrides = await services.database.read((it) => readOverrides(it, query));
  return Response.json(overrides.map((override) => shown(override, project)));
}

function projectOf({ catalog }: Services, project_id: string): Project {
  const project = catalog.project(project_id);
  if (project === undefined) throw new Fault("forbidden", "the project is gone");
  return project;
}

function shown(override: Override, { id: project_id }: Project): z.input<typeof shown_schema> {
  const { id, hierarchy_ids, state, from_us, to_us, reason, author, created_at } = override;
  return {
    override_id: id,
    project_id,
    hierarchy_ids: [...hierarchy_ids],
    state,
    from: instantText(from_us),
    to: instantText(to_us),
    reason,
    author,
    created_at: instantText(created_at),
  };
}
