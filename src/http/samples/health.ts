// The sensors that can't be relied on now, and the page about them.
import { beginnings, findUnwell, type Unwell } from "../../engine/signals/health.ts";
import type { Param, ParamValues } from "../../model/data/param.ts";
import { rowSchema } from "../../model/data/column_schema.ts";
import {
  health_columns,
  health_docs,
  health_states,
  type HealthRow,
} from "../../model/samples/health.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { projectOf } from "../frame/auth.ts";
import { pageParams, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";
import { documentPage } from "../page/document.ts";
import { table, wordRows } from "../page/html.ts";
import { excessRoute } from "./excess.ts";
import guide from "./sensors.md" with { type: "text" };

/** The lists of sensors that are silent, stuck, dead or ahead of time, or beyond their rating. */
export function healthRoutes(services: Services): readonly Route[] {
  return [
    excessRoute(services),
    route({
      name: "sensor_health",
      method: "GET",
      path: "/platform/v1/sensors/health",
      summary: "Sensors that are silent, stuck, dead or ahead of time",
      doc: "The sensors of a project that can't be relied on now, with since when and their " +
        "newest samples, in the order in which they were added. A sensor that is well is not " +
        "listed. /docs/sensors explains the states.",
      scope: "read",
      project: "project_id",
      params: list_params,
      answer: {
        kind: "json",
        schema: { type: "array", items: rowSchema(health_columns, "UnwellSensor") },
      },
      handle: async ({ values }) => Response.json(await list(services, values)),
    }),
  ];
}

/** The states of sensors. */
export function sensorPage(): Promise<string> {
  return documentPage(guide, { states: table(["state", ""], wordRows(health_docs)) });
}

const list_params = [
  { ...project_param, doc: "Project of the sensors." },
  {
    name: "state",
    in: "query",
    kind: "text",
    required: false,
    repeated: true,
    values: health_states,
    doc: "Only these states; all by default.",
  },
  ...pageParams("Sensors"),
] as const satisfies readonly Param[];

async function list(
  { catalog, database, heads, ingest, effects }: Services,
  { project_id, state, limit, offset }: ParamValues<typeof list_params>,
): Promise<readonly HealthRow[]> {
  const { project_no } = projectOf({ catalog }, project_id);
  const sensors = catalog.sensors.filter((it) => it.project_no === project_no);
  const now_us = effects.now_us();
  await ingest.latest.load();
  return await database.read(async (connection) => {
    const unwell = await findUnwell(connection, { catalog, heads }, { sensors, now_us });
    const page = unwell.filter((it) => state.length === 0 || state.includes(it.state))
      .slice(offset, offset + limit);
    const since = await beginnings(connection, { unwell: page, now_us });
    return page.map((it) => rowOf({ catalog }, it, since.get(it.sensor.sensor_no)));
  });
}

function rowOf(
  { catalog }: Pick<Services, "catalog">,
  { state, sensor, head }: Unwell,
  since_us: number | undefined,
): HealthRow {
  const { hierarchy_id, tag_no, device_id, component, measure, scale, offset } = sensor;
  const value = (head?.value ?? NaN) * scale + offset;
  return {
    ...{ state, hierarchy_id, sensor_tag: catalog.tag(tag_no)!.sensor_tag, device_id },
    device_name: device_id === null ? null : catalog.device(device_id)!.name,
    ...{ component, component_measure: measure },
    since: since_us === undefined ? null : instantText(since_us),
    last_ts: head ? instantText(head.ts) : null,
    last_value: Number.isFinite(value) ? value : null,
  };
}
