// GET /platform/v1/meta/tags: the tags of a project, those that no sensor maps yet among them.
import type { Param } from "../../model/data/param.ts";
import { pageParams, project_param, projectOf } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The tag list. */
export function tagRoutes({ catalog }: Services): readonly Route[] {
  return [
    route({
      name: "meta_tags",
      method: "GET",
      path: "/platform/v1/meta/tags",
      summary: "List a project's tags",
      doc: "Every tag that a source has sent or a site file declares, in order of its name; with " +
        "mapped=false those that no device is mapped to yet.",
      scope: "read",
      project: "project_id",
      params,
      answer: { kind: "json", schema: { type: "array", items: tag_schema } },
      handle: ({ values }) => {
        const { project_no } = projectOf({ catalog }, values.project_id);
        const tags = catalog.tags
          .filter((tag) => tag.project_no === project_no)
          .map((tag) => ({ tag, mapped: catalog.sensorsOfTag(tag.tag_no).length > 0 }))
          .filter(({ mapped }) => values.mapped === undefined || mapped === values.mapped)
          .sort((a, b) => compare(a.tag.sensor_tag, b.tag.sensor_tag))
          .slice(values.offset, values.offset + values.limit);
        return Response.json(tags.map(({ tag, mapped }) => ({
          sensor_tag: tag.sensor_tag,
          lane: tag.lane,
          tag_class: tag.tag_class,
          value_encoding: tag.encoding,
          unit: tag.unit,
          declared: tag.declared,
          mapped,
        })));
      },
    }),
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const params = [
  { ...project_param, doc: "Project whose tags are listed." },
  {
    name: "mapped",
    in: "query",
    kind: "flag",
    required: false,
    doc: "Only tags that are mapped to a device, or only those that are not.",
  },
  ...pageParams("Tags"),
] as const satisfies readonly Param[];

const tag_schema = {
  type: "object",
  required: ["sensor_tag", "lane", "tag_class", "value_encoding", "unit", "declared", "mapped"],
  properties: {
    sensor_tag: { type: "string" },
    lane: { enum: ["signal", "model"] },
    tag_class: { type: ["string", "null"] },
    value_encoding: {
      enum: ["float", "integer", "string", null],
      description: "Null until declared or until the first value.",
    },
    unit: { type: ["string", "null"], description: "Unit that the source reports." },
    declared: { type: "boolean", description: "Whether a site file declares it." },
    mapped: { type: "boolean", description: "Whether a sensor reads it." },
  },
} as const;
