// GET /platform/v1/meta/tags: the tags of a project, those that no sensor maps yet among them.
import { assert } from "../../base/assert.ts";
import { limits } from "../../base/limits.ts";
import type { Param } from "../../model/data/param.ts";
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
      doc: "Every tag that a source has sent or a site file declares, ordered by name. With " +
        "mapped=false: only tags that are not mapped to a device yet.",
      scope: "read",
      project: "project_id",
      params,
      answer: { kind: "json", schema: { type: "array", items: tag_schema } },
      handle: ({ values }) => {
        const project = catalog.project(values.project_id);
        assert(project !== undefined, "the frame lets only known projects through");
        const tags = catalog.tags
          .filter((tag) => tag.project_no === project.project_no)
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
  {
    name: "project_id",
    in: "query",
    kind: "text",
    required: true,
    doc: "Project whose tags are listed.",
  },
  {
    name: "mapped",
    in: "query",
    kind: "flag",
    required: false,
    doc: "Only tags that are mapped to a device, or only those that are not.",
  },
  {
    name: "limit",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 1,
    maximum: limits.page_rows,
    default: limits.page_rows_default,
    doc: "Largest number of tags on the page.",
  },
  {
    name: "offset",
    in: "query",
    kind: "integer",
    required: false,
    minimum: 0,
    default: 0,
    doc: "Tags to skip.",
  },
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
      description: "Null until it is declared or the first value comes.",
    },
    unit: { type: ["string", "null"], description: "Unit that the source reports." },
    declared: { type: "boolean", description: "Whether a site file declares it." },
    mapped: { type: "boolean", description: "Whether a sensor uses it." },
  },
} as const;
