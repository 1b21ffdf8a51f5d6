// The views that SQL can ask: each is a read of the interface, with its columns as they are there.
import { instant_column, type Interval } from "../../model/time/bucket.ts";
import { cause_columns } from "../../model/availability/loss.ts";
import { known_columns } from "../../model/availability/row.ts";
import { event_columns } from "../../model/alarms/shape.ts";
import type { Column } from "../../model/data/column.ts";
import type { ViewColumn, ViewShape } from "../../model/query/view.ts";
import { included_columns } from "../../model/performance/performance.ts";
import { madeSchema, type Route } from "../frame/route.ts";
import type { TableRow } from "../frame/row_table.ts";

/** How a view is read. */
export type View = ViewShape & {
  readonly doc: string;
  readonly route: Route;
  /** Parameters of every read. */
  readonly fixed: Readonly<Record<string, readonly string[]>>;
  /** Parameters that take the texts of columns. */
  readonly by: Readonly<Record<string, string>>;
  /** Parameters that take times: `days` of a local and an instant column, or `instants`. */
  readonly within?: "days" | "instants";
  /** Read once for each component and measure of the project. */
  readonly by_measure?: true;
  /** The rows in an answer that is a JSON document. */
  readonly rows?: (body: never) => readonly TableRow[];
  /** The columns as the interface has them. */
  readonly answered: readonly Column[];
};

/** What is said of a view; the rest derives from its route. */
type Said = {
  readonly name: string;
  readonly route: string;
  readonly doc: string;
  readonly fixed?: Readonly<Record<string, readonly string[]>>;
  /** Optional columns that `fixed` asks for. */
  readonly also?: readonly Column[];
  /** A column of bucket starts on the clock of the site, beside which `ts_utc` is the instant. */
  readonly local?: string;
  readonly local_kind?: "local" | "day";
  readonly by?: Readonly<Record<string, string>>;
  readonly within?: View["within"];
  readonly by_measure?: true;
  /** Of a JSON document: the columns of its rows, by the document's schema or as they are. */
  readonly columns?: (schema: Schema) => readonly Column[];
  readonly rows?: View["rows"];
};

const measured = { component: "component", component_measure: "component_measure" } as const;

/** Performance by buckets of one size. */
function performance(name: string, time_interval: Interval, what: string): Said {
  return {
    name: `performance_${name}`,
    route: "performance_v2",
    doc: `Measured and expected values by ${what} and sensor, with matched figures.`,
    fixed: { time_interval: [time_interval], include: ["matched", "ts_utc"] },
    also: [...included_columns.matched, instant_column],
    local: "ts",
    within: "days",
    by: { ...measured, hierarchy_id: "hierarchy_ids", svc_block_id: "block_ids" },
    by_measure: true,
  };
}

const by_day = { local: "bucket_start", local_kind: "day" } as const;
const by_inverter = { hierarchy_id: "hierarchy_ids", svc_block_id: "block_ids" } as const;

type Books = { readonly devices: readonly (TableRow & { readonly sensors: TableRow[] })[] };

const said_views: readonly Said[] = [
  {
    name: "signals",
    route: "signals",
    doc: "Samples (resolution raw) and minutes (1m) of tags, as sent (lane raw_signal) and " +
      "scaled (performance).",
    within: "instants",
    by: {
      ...{ sensor_tag: "tag", lane: "lane", resolution: "resolution", tag_class: "tag_class" },
      device_id: "device_id",
    },
  },
  performance("minute", "OneMinute", "minute"),
  performance("quarter", "FifteenMinutes", "quarter-hour"),
  performance("hour", "OneHour", "hour"),
  performance("day", "OneDay", "day"),
  performance("month", "OneMonth", "month"),
  {
    name: "availability_day",
    route: "availability",
    doc: "Availability by day and inverter.",
    fixed: { time_interval: ["OneDay"], include: ["known", "ts_utc"] },
    also: [...known_columns, instant_column],
    ...by_day,
    within: "days",
    by: by_inverter,
  },
  {
    name: "losses_day",
    route: "losses",
    doc: "Expected energy, and where it went, by day and inverter.",
    fixed: { time_interval: ["OneDay"], include: ["causes", "ts_utc"] },
    also: [...cause_columns, instant_column],
    ...by_day,
    within: "days",
    by: by_inverter,
  },
  { name: "alarms", route: "alarms", doc: "Alarms, each with its newest events." },
  {
    name: "alarm_events",
    route: "alarm_events",
    doc: "The events of alarms.",
    columns: () => event_columns,
    rows: (body: readonly TableRow[]) => body,
  },
  { name: "rules", route: "rules", doc: "The rules that raise alarms." },
  { name: "issues", route: "issues", doc: "Issues that are not deleted." },
  { name: "work_orders", route: "work_orders", doc: "Work orders that are not deleted." },
  {
    name: "projects",
    route: "projects",
    doc: "Projects, with their sites.",
    columns: (schema) => columnsOf(schema.properties!.projects.items!),
    rows: (body: { readonly projects: readonly TableRow[] }) => body.projects,
  },
  {
    name: "devices",
    route: "meta_devices",
    doc: "Devices with their place and rating.",
    columns: (schema) =>
      columnsOf(schema.properties!.devices.items!)
        .filter(({ name }) => name !== "sensors" && name !== "mount"),
    rows: ({ devices }: Books) => devices,
  },
  {
    name: "sensors",
    route: "meta_devices",
    doc: "Sensors: which tag is which measure of which device.",
    columns: (schema) => [
      { name: "device_id", kind: "text", nullable: true, doc: "Device; null under the site." },
      ...columnsOf(schema.properties!.sensors.items!),
    ],
    rows: ({ devices, sensors }: Books & { readonly sensors: readonly TableRow[] }) => [
      ...devices.flatMap(({ device_id, sensors }) => sensors.map((it) => ({ device_id, ...it }))),
      ...sensors.map((it) => ({ device_id: null, ...it })),
    ],
  },
  {
    name: "tags",
    route: "meta_tags",
    doc: "Tags that a source has sent or a site file declares.",
    columns: (schema) => columnsOf(schema.items!),
    rows: (body: readonly TableRow[]) => body,
  },
];

/** The views over some routes; a route that is switched off has none. */
export function viewsOf(routes: readonly Route[]): readonly View[] {
  return said_views.flatMap((said) => {
    const route = routes.find(({ name }) => name === said.route);
    return route === undefined ? [] : [viewOf(said, route)];
  });
}

/** The project of a row, in every view. */
const project_column: Column = {
  name: "project_id",
  kind: "text",
  nullable: false,
  doc: "Project.",
};

function viewOf(
  { also = [], fixed = {}, by = {}, local, local_kind = "local", columns, ...said }: Said,
  route: Route,
): View {
  const { answer } = route;
  const own = answer.kind === "stream" || answer.kind === "rows"
    ? [...answer.columns.filter(({ optional }) => !optional), ...also]
    : columns!(answer.kind === "json" ? madeSchema(answer.schema) as Schema : {});
  const isKnown = own.some(({ name }) => name === project_column.name);
  const instants = own.filter(({ name, kind }) => name === "ts" && kind === "instant");
  const times = said.within === "days" ? [local!, instant_column.name] : instants;
  return {
    ...said,
    ...{ route, fixed, by },
    answered: own,
    columns: [...(isKnown ? [] : [project_column]), ...own].map((column): ViewColumn => ({
      name: column.name,
      kind: column.json ? "json" : column.name === local ? local_kind : column.kind,
      doc: column.doc,
      unit: column.unit,
    })),
    times: said.within === undefined
      ? []
      : times.map((time) => typeof time === "string" ? time : time.name),
    words: [...Object.keys(by), project_column.name],
  };
}

/** JSON Schema as far as rows need it. */
type Schema = {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
};

/** The columns of objects of a schema; what is nested is a text of JSON. */
function columnsOf({ properties = {} }: Schema): readonly Column[] {
  return Object.entries(properties).map(([name, schema]) => {
    const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []);
    const is = (type: string) => types.includes(type);
    const doc = schema.description ?? "";
    const common = { name, nullable: true, doc };
    if (is("array") || is("object")) return { ...common, kind: "text", json: schema };
    if (is("number")) return { ...common, kind: "float64" };
    if (is("integer")) return { ...common, kind: "int64" };
    if (is("boolean")) return { ...common, kind: "bool" };
    return { ...common, kind: "text" };
  });
}
