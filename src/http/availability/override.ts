// Overrides under /platform/v1/availability/overrides: an operator's word on inverters' states.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { addOverride, removeOverride } from "../../engine/availability/override.ts";
import { type Override, override_schema } from "../../model/availability/override.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import type { Project } from "../../model/plant/plant.ts";
import { state_names } from "../../model/availability/timeline.ts";
import { readOverrides } from "../../store/availability/override.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { invalid } from "../frame/input.ts";
import { readData } from "../frame/json_body.ts";
import { pageParams, project_param, projectOf } from "../frame/param.ts";
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
      doc: "Says what state some inverters were in, over all other evidence; the days that it " +
        "touches are worked out anew within seconds. 409 where another override already speaks " +
        "of one of the inverters in a part of that time. The author is the token's name.",
      scope: "operate",
      params: [own_project],
      body: {
        media_types: ["application/json"],
        limit_bytes: limits.override_body_bytes,
        doc: "Which inverters, the state, from when to when, and why.",
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
      doc: "The overrides of a project that speak of a part of a range, by their start.",
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
      doc: "The other evidence speaks again: the days that it touched are worked out anew within " +
        "seconds. Answers the override that was removed.",
      scope: "operate",
      params: [
        { name: "id", in: "path", kind: "text", required: true, doc: "The override's id." },
        own_project,
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

const own_project = { ...project_param, doc: "Project of the inverters." } as const;

const list_params = [
  own_project,
  {
    name: "from",
    in: "query",
    kind: "instant",
    required: false,
    doc: "Start of the range, inclusive; without it the range has none.",
  },
  {
    name: "to",
    in: "query",
    kind: "instant",
    required: false,
    doc: "End of the range, exclusive; without it the range has none.",
  },
  ...pageParams("Overrides"),
] as const satisfies readonly Param[];

const shown_schema = z.strictObject({
  override_id: z.string(),
  project_id: z.string(),
  hierarchy_ids: z.array(z.string()).describe("Of the rows of availability."),
  state: z.enum(state_names),
  from: z.string().describe("ISO 8601, UTC, inclusive."),
  to: z.string().describe("ISO 8601, UTC, exclusive."),
  reason: z.string(),
  author: z.string().describe("Name of the token that made it."),
  created_at: z.string().describe("ISO 8601, UTC."),
});

async function postOverride(
  services: Services,
  { request, values, grant }: RouteContext<readonly [typeof own_project]>,
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
