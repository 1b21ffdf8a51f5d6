// What a plant has: measures, tags, projects under /platform/v1/meta, and the page of measures.
import * as z from "zod";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { type Grant, reaches } from "../../model/access/token.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import {
  measure_entries,
  type MeasureEntry,
  model_docs,
  model_kinds,
} from "../../model/plant/measure.ts";
import { projectOf } from "../frame/auth.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { html } from "@hono/hono/html";
import { documentPage } from "../page/document.ts";
import { code, type Html, row, table, wordRows } from "../page/html.ts";
import guide from "./measures.md" with { type: "text" };

/** The measures that there are, and the tags of a project. */
export function metaRoutes({ catalog }: Services): readonly Route[] {
  return [
    route({
      name: "meta_measures",
      is_tagged: true,
      method: "GET",
      path: "/platform/v1/meta/measures",
      summary: "Measure dictionary",
      doc: "Every measure: its unit, its aggregation over time and over sensors, and where its " +
        "expected value comes from. As a page: /docs/measures.",
      scope: "read",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(z.array(measure_schema)) },
      handle: () => Response.json(measure_entries),
    }),
    route({
      name: "meta_tags",
      is_tagged: true,
      method: "GET",
      path: "/platform/v1/meta/tags",
      summary: "List a project's tags",
      doc: "Every tag that a source has sent or a site file declares, ordered by name. With " +
        "mapped=false: only tags that are not mapped to a device yet.",
      scope: "read",
      project: "project_id",
      params: tag_params,
      answer: { kind: "json", schema: { type: "array", items: tag_schema } },
      handle: ({ values }) => Response.json(listTags(catalog, values)),
    }),
  ];
}

/** The projects that a token reaches. */
export function projectRoutes({ catalog }: Services): readonly Route[] {
  return [
    route({
      name: "projects",
      is_tagged: true,
      method: "GET",
      path: "/platform/v1/meta/projects",
      summary: "Projects",
      doc: "The projects that the token can access, with their sites. Other requests need these " +
        "ids.",
      scope: "read",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(projects_schema) },
      handle: ({ grant }) => Response.json(listProjects(catalog, grant!)),
    }),
    route({
      name: "ingest_projects",
      is_tagged: true,
      method: "GET",
      path: "/ingest/v1/projects",
      summary: "Projects to send to",
      doc: "The projects that the token can send to: what turns a project's key into its id, and " +
        "its time zone for times without one.",
      scope: "ingest",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(targets_schema) },
      handle: ({ grant }) => Response.json(listTargets(catalog, grant!)),
    }),
  ];
}

/** Every measure: its unit, its aggregation, its model. */
export function measurePage(): Promise<string> {
  const heads = ["measure", "unit", "over time", "over sensors", "model", ""];
  return documentPage(guide, {
    measure_count: measure_entries.length,
    measures: table(heads, measure_entries.map(measureRow)),
    models: table(["model", ""], wordRows(model_docs)),
  });
}

const tag_params = [
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

const measure_schema = z.strictObject({
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
}).meta({ title: "MeasureInfo" });

const tag_schema = {
  title: "Tag",
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

const projects_schema = z.strictObject({
  projects: z.array(z.strictObject({
    project_id: z.string(),
    organization_id: z.string(),
    key: z.string(),
    name: z.string(),
    portfolio: z.string().nullable(),
    timezone: z.string().describe("IANA time zone of the project."),
    sites: z.array(z.strictObject({
      site_id: z.string(),
      key: z.string(),
      name: z.string(),
      latitude: z.number().describe("Degrees north."),
      longitude: z.number().describe("Degrees east."),
    })),
  })),
});

function listTags(catalog: Catalog, values: ParamValues<typeof tag_params>) {
  const { project_no } = projectOf({ catalog }, values.project_id);
  const tags = catalog.tags
    .filter((tag) => tag.project_no === project_no)
    .map((tag) => ({ tag, mapped: catalog.sensorsOfTag(tag.tag_no).length > 0 }))
    .filter(({ mapped }) => values.mapped === undefined || mapped === values.mapped)
    .sort((a, b) => compare(a.tag.sensor_tag, b.tag.sensor_tag))
    .slice(values.offset, values.offset + values.limit);
  return tags.map(({ tag, mapped }) => ({
    sensor_tag: tag.sensor_tag,
    lane: tag.lane,
    tag_class: tag.tag_class,
    value_encoding: tag.encoding,
    unit: tag.unit,
    declared: tag.declared,
    mapped,
  }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const targets_schema = z.strictObject({
  projects: z.array(z.strictObject({
    project_id: z.string(),
    key: z.string(),
    timezone: z.string().describe("IANA time zone of the project."),
  })),
});

function listTargets({ projects }: Catalog, grant: Grant): z.input<typeof targets_schema> {
  return {
    projects: projects.filter((project) => reaches(grant, project))
      .map(({ id, key, timezone }) => ({ project_id: id, key, timezone })),
  };
}

function listProjects(catalog: Catalog, grant: Grant): z.input<typeof projects_schema> {
  const reached = catalog.projects.filter((project) => reaches(grant, project));
  const sites = Map.groupBy(catalog.sites, (site) => site.project_no);
  return {
    projects: reached.map((project) => ({
      project_id: project.id,
      organization_id: project.organization_id,
      key: project.key,
      name: project.name,
      portfolio: project.portfolio,
      timezone: project.timezone,
      sites: (sites.get(project.project_no) ?? []).map((site) => ({
        site_id: site.id,
        key: site.key,
        name: site.name,
        latitude: site.latitude,
        longitude: site.longitude,
      })),
    })),
  };
}

function measureRow(entry: MeasureEntry): Html {
  const { name, unit, over_time, over_sensors, note } = entry;
  const cells = [code(name), unit, spaced(over_time), spaced(over_sensors), modelOf(entry)];
  return row([...cells, note ?? ""]);
}

function modelOf({ model, integral_of }: MeasureEntry): Html | string {
  if (integral_of !== null) return html`integral of ${code(integral_of)}`;
  return model === "sent" ? "sent only" : model;
}

function spaced(word: string): string {
  return word.replaceAll("_", " ");
}
