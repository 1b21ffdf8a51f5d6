// What screens name a plant by: its devices with their sensors, and the people who can act on it.
import * as z from "zod";
import { utf8 } from "../../base/bytes.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { invertersOf } from "../../engine/catalog/inverter.ts";
import { pvOf } from "../../model/expected/pv.ts";
import type { Param } from "../../model/data/param.ts";
import { measures } from "../../model/plant/measure.ts";
import type { Device, Project, Sensor } from "../../model/plant/plant.ts";
import { streamTagged } from "../frame/answer.ts";
import { projectOf } from "../frame/auth.ts";
import { include_param, project_param } from "../frame/param.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

/** The devices of a project, and the users whom its work can be given to. */
export function deviceRoutes(services: Services): readonly Route[] {
  const { catalog, users } = services;
  const books = new Books(catalog);
  return [
    route({
      name: "meta_devices",
      method: "GET",
      path: "/platform/v1/meta/devices",
      summary: "Devices with their sensors",
      doc:
        "Every device of a project's sites with its place, its rating and its sensors, ordered " +
        "by site and key; then the sensors that stand under a site without a device, and the " +
        "blocks. hierarchy_id of a device is that of the sensor that stands for it: its active " +
        "power, else its energy, else its status. The answer has an ETag; a request with " +
        "If-None-Match gets 304 while nothing has changed.",
      scope: "read",
      project: "project_id",
      params: [project_param, include_mount],
      headers: [{
        name: "If-None-Match",
        required: false,
        doc: "The ETag that you have: 304 if the devices are still the same.",
        example: '"…"',
      }],
      answer: {
        kind: "json",
        streamed: true,
        tagged: true,
        schema: () => z.toJSONSchema(book_schema),
      },
      handle: async (context) => {
        const { project_id, include = [] } = context.values;
        const with_mount = include.includes("mount");
        const book = await books.of(projectOf(services, project_id), { with_mount });
        return await streamTagged(context, book);
      },
    }),
    route({
      name: "meta_people",
      method: "GET",
      path: "/platform/v1/meta/people",
      summary: "People who can act",
      doc: "The users of the project's organization who can act, by name: whom an alarm, an " +
        "issue or a work order can be given to. Names are personal data.",
      scope: "operate",
      project: "project_id",
      params: [project_param],
      answer: { kind: "json", schema: () => z.toJSONSchema(people_schema) },
      handle: ({ values }) => {
        const { organization_id } = projectOf(services, values.project_id);
        const people = users.ofOrganization(organization_id).map((user) => (
          { id: user.id, name: `${user.first_name} ${user.last_name}` }
        ));
        return Response.json({ people: people.toSorted((a, b) => a.name < b.name ? -1 : 1) });
      },
    }),
  ];
}

const sensor_schema = z.strictObject({
  hierarchy_id: z.string(),
  site_id: z.string(),
  sensor_tag: z.string(),
  component: z.string(),
  component_measure: z.string(),
  unit: z.string().describe("Unit of the measure; 1 for a number without a unit."),
  source_unit: z.string().nullable().describe("Unit that the source reports."),
  tag_class: z.string().nullable(),
  value_encoding: z.string().nullable()
    .describe("float, integer or string; null until it is declared or the first value comes."),
  sentinel_tag: z.string(),
});

const include_mount = {
  ...include_param,
  values: ["mount"],
  doc: "mount: also `mount` of each device, how its modules stand.",
} as const satisfies Param;

const mount_schema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("fixed"),
    tilt: z.number().describe("0 lies flat, 90 stands upright; degrees."),
    azimuth: z.number().describe("Clockwise from north, degrees."),
  }),
  z.strictObject({
    kind: z.literal("tracker"),
    axis_tilt: z.number(),
    axis_azimuth: z.number(),
    max_angle: z.number().describe("The farthest rotation to both sides, degrees."),
    backtrack: z.boolean(),
    ground_cover: z.number().describe("Module width over row distance, 0 to 1."),
  }),
]);

const device_schema = z.strictObject({
  device_id: z.string(),
  key: z.string(),
  name: z.string(),
  type: z.string(),
  site_id: z.string(),
  parent_id: z.string().nullable().describe("The device above it."),
  block_id: z.string().nullable(),
  rated_w: z.number().nullable().describe("Rated power, W."),
  rated_dc_w: z.number().nullable().describe("Power of its modules at standard conditions, W."),
  capacity_wh: z.number().nullable().describe("Energy capacity of storage, Wh."),
  hierarchy_id: z.string().nullable().describe("Of the sensor that stands for it."),
  mount: mount_schema.nullable().optional()
    .describe("How its modules stand, with include=mount; null where that is not declared."),
  sensors: z.array(sensor_schema),
});

const book_schema = z.strictObject({
  devices: z.array(device_schema),
  sensors: z.array(sensor_schema).describe("Those that stand under a site without a device."),
  blocks: z.array(z.strictObject({
    block_id: z.string(),
    site_id: z.string(),
    key: z.string(),
    name: z.string(),
  })),
});

const people_schema = z.strictObject({
  people: z.array(z.strictObject({
    id: z.string(),
    name: z.string().describe("First and last name."),
  })),
});

type Shown = z.input<typeof device_schema>;

/** A book as it goes out, and the digest that tells it from any other. */
type Printed = { readonly text: Uint8Array; readonly digest: string };

/** What a book has beyond the usual. */
type BookMore = { readonly with_mount: boolean };

/** Each project's devices as text, made once for each version of the catalog. */
class Books {
  readonly #catalog: Catalog;
  readonly #books = new Map<string, Promise<Printed>>();
  #version = -1;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  of(project: Project, more: BookMore): Promise<Printed> {
    if (this.#version !== this.#catalog.version) this.#books.clear();
    this.#version = this.#catalog.version;
    const key = `${project.project_no} ${more.with_mount}`;
    const book = this.#books.get(key) ?? printed(bookOf(this.#catalog, project, more));
    this.#books.set(key, book);
    return book;
  }
}

async function printed(book: z.input<typeof book_schema>): Promise<Printed> {
  const text = utf8(JSON.stringify(book));
  const hash = await crypto.subtle.digest("SHA-256", text);
  return {
    text,
    digest: new Uint8Array(hash, 0, 16).toBase64({ alphabet: "base64url", omitPadding: true }),
  };
}

function bookOf(
  catalog: Catalog,
  { project_no }: Project,
  { with_mount }: BookMore,
): z.input<typeof book_schema> {
  const sites = new Map(
    catalog.sites.filter((it) => it.project_no === project_no).map((it) => [it.site_no, it.id]),
  );
  const sensors = catalog.sensors.filter((sensor) => sensor.project_no === project_no);
  const of_device = Map.groupBy(sensors, ({ device_id }) => device_id);
  const rated = new Map(
    invertersOf(catalog).map(({ device, capacity_w }) => [device.id, capacity_w]),
  );
  const show = (sensor: Sensor) => shownSensor(catalog, sensor);
  const showDevice = (device: Device): Shown => {
    const own = of_device.get(device.id) ?? [];
    const first = (measures: readonly string[]) =>
      own.find(({ measure, capacity }) => measures.includes(measure) && capacity !== null);
    const pv = pvOf(device, catalog.device_models);
    return {
      device_id: device.id,
      key: device.key,
      name: device.name,
      type: device.type,
      site_id: sites.get(device.site_no)!,
      parent_id: device.parent_device_id,
      block_id: device.block_id,
      rated_w: rated.get(device.id) ?? first(power_measures)?.capacity ?? pv?.rated_ac_w ?? null,
      rated_dc_w: pv?.rated_dc_w ?? null,
      capacity_wh: first(storage_measures)?.capacity ?? null,
      hierarchy_id: standIn(own)?.hierarchy_id ?? null,
      ...with_mount && { mount: pv?.mount ?? null },
      sensors: own.map(show),
    };
  };
  return {
    devices: catalog.devices.filter(({ site_no }) => sites.has(site_no)).map(showDevice),
    sensors: (of_device.get(null) ?? []).map(show),
    blocks: catalog.blocks.filter(({ site_no }) => sites.has(site_no))
      .map(({ id, site_no, key, name }) => (
        { block_id: id, site_id: sites.get(site_no)!, key, name }
      )),
  };
}

/** Measures whose sensors rate a device by its power. */
const power_measures = ["active_power", "energy", "dc_power"];

/** Those whose sensors rate storage by its energy. */
const storage_measures = [
  "soc",
  "full_pack_energy",
  "full_battery_energy",
  "remaining_battery_energy",
];

/** The sensor that stands for a device. */
function standIn(sensors: readonly Sensor[]): Sensor | undefined {
  return ["active_power", "energy", "operating_status"]
    .map((measure) => sensors.find((it) => it.measure === measure))
    .find((it) => it !== undefined);
}

function shownSensor(catalog: Catalog, sensor: Sensor): z.input<typeof sensor_schema> {
  const tag = catalog.tag(sensor.tag_no)!;
  return {
    hierarchy_id: sensor.hierarchy_id,
    site_id: catalog.site(sensor.site_no)!.id,
    sensor_tag: tag.sensor_tag,
    component: sensor.component,
    component_measure: sensor.measure,
    unit: measures.get(sensor.measure)!.unit,
    source_unit: tag.unit,
    tag_class: tag.tag_class,
    value_encoding: tag.encoding,
    sentinel_tag: sensor.sentinel_tag,
  };
}
