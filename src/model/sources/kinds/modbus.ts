// The kind `modbus`: devices that are read by Modbus TCP or RTU over TCP, SunSpec or by registers.
import * as z from "zod";
import type { Flaw } from "../../../base/fault.ts";
import { meantOrKnown } from "../../../base/did_you_mean.ts";
import { name_form, tag_form } from "../../data/text_form.ts";
import { setpoint_form, setpointFlaws } from "../../setpoints/setpoint.ts";
import {
  every_form,
  host_form,
  port_form,
  type SourceDefinition,
  sourceForm,
  type UsedName,
} from "../kind.ts";
import { source_limits } from "../limits.ts";
import {
  isBits,
  modbus_tables,
  register_counts,
  register_types,
  transports,
  word_orders,
} from "../register.ts";
import { pathFlaw } from "../sunspec.ts";

const address = z.int().min(0).max(465_535);

const point = z.strictObject({
  tag: tag_form.describe(
    "Name of its tag; {device} in it stands for the key of the unit's device, {unit} for the " +
      "unit's number.",
  ),
  sunspec: z.string().max(100).regex(/^\d+(:\d+)?(\.[A-Za-z0-9_]+(:\d+)?)+$/, {
    error: "give a model and a point, such as 103.W, or 160.module:2.DCA in a group",
  }).optional().describe(
    "A point of SunSpec: model.point, 160.module:2.DCA for the second copy of a group, 103:2.W " +
      "for the second model of an id. Its scale factor is applied.",
  ),
  register: address.optional().describe(
    "Or: the number of its first register or bit, as the device's document counts them.",
  ),
  table: z.enum(modbus_tables).default("holding")
    .describe("Where the register stands: functions 3, 4, 1 and 2."),
  type: z.enum(register_types).default("uint16").describe("What the registers hold."),
  registers: z.int().min(1).max(source_limits.text_registers).optional()
    .describe("Registers of a string."),
  words: z.enum(word_orders).default("big")
    .describe("Whether the high word of a value comes first (big) or last (little)."),
  mask: z.int().min(1).max(0xffff_ffff).optional()
    .describe("Bits of a whole number that are taken, moved down to the lowest."),
  nan: z.array(z.number()).max(8).default([])
    .describe("Raw values that mean that there is no value."),
  scale: z.number().default(1).describe("The sample's value is raw * scale + offset."),
  offset: z.number().default(0).describe("See scale."),
  poll: z.enum(["fast", "slow"]).default("fast")
    .describe("Read every every_s (fast) or every slow_s (slow)."),
  setpoint: setpoint_form.optional(),
});

const map = z.strictObject({
  key: name_form.describe("The map's key, unique in its source."),
  first_register: z.union([z.literal(0), z.literal(1), z.literal(30_001), z.literal(40_001)], {
    error: "give 0, 1, 30001 or 40001, whichever the document begins to count with",
  }).default(0).describe(
    "The number that the device's document gives the first register: 0, 1, 30001 or 40001.",
  ),
  points: z.array(point).min(1).max(source_limits.map_points),
});

const unit = z.strictObject({
  unit: z.int().min(0).max(255).describe("Its unit id (slave address)."),
  map: name_form.describe("Key of its map."),
  device: name_form.optional().describe("Key of the site's device that it is."),
  host: host_form.optional().describe("Its own address; by default the source's."),
  port: port_form.optional().describe("Its own port; by default the source's."),
  base: address.optional().describe(
    "Where SunSpec begins; by default 40000, 50000 and 0 are tried.",
  ),
});

const form = sourceForm("modbus", {
  host: host_form.optional().describe("Address of its units; each can have its own."),
  port: port_form.default(502).describe("Port."),
  transport: z.enum(transports).default("tcp").describe(
    "tcp, or rtu for a converter that passes on what stands on the serial line.",
  ),
  every_s: every_form.default(10).describe("Seconds between two readings of fast points."),
  slow_s: every_form.default(60).describe("Seconds between two readings of slow points."),
  timeout_ms: z.int().min(50).max(source_limits.timeout_most_ms).default(3_000)
    .describe("How long an answer is waited for."),
  delay_ms: z.int().min(0).max(source_limits.delay_most_ms).default(0)
    .describe("How long to wait after connecting; some devices need a second."),
  most_registers: z.int().min(1).max(source_limits.request_registers)
    .default(source_limits.request_registers).describe("Registers that one request reads at most."),
  maps: z.array(map).min(1).max(source_limits.maps),
  units: z.array(unit).min(1).max(source_limits.units),
});

/** A source of this kind, with every default. */
export type ModbusEntry = z.output<typeof form>;
export type ModbusUnit = ModbusEntry["units"][number];
export type ModbusMap = ModbusEntry["maps"][number];
export type ModbusPoint = ModbusMap["points"][number];

/** Registers or bits of a point. */
export function widthOf({ table, type, registers = 1 }: ModbusPoint): number {
  if (isBits(table)) return 1;
  return type === "string" ? registers : register_counts[type];
}

/** The name of a point's tag at a unit. */
export function tagName({ tag }: ModbusPoint, { device, unit }: ModbusUnit): string {
  return tag.replaceAll("{device}", device ?? `${unit}`).replaceAll("{unit}", `${unit}`);
}

/** Where a unit is reached. */
export function addressOf({ host, port }: ModbusEntry, unit: ModbusUnit) {
  return { host: unit.host ?? host!, port: unit.port ?? port };
}

export const modbus: SourceDefinition<typeof form> = {
  form,
  documentation: {
    reads: "Devices by Modbus TCP, or by RTU over TCP: SunSpec points, or registers.",
    example: {
      key: "inverters",
      kind: "modbus",
      host: "10.0.0.12",
      every_s: 5,
      maps: [{
        key: "three-phase",
        points: [
          { tag: "{device}.p_ac_w", sunspec: "103.W" },
          { tag: "{device}.e_wh", sunspec: "103.WH", poll: "slow" },
        ],
      }],
      units: [{ unit: 1, map: "three-phase", device: "INV-1" }],
    },
  },
  flawsOf: (entry) => [
    ...entry.maps.flatMap((it, i) => mapFlaws(it, { path: `maps[${i}]`, maps: entry.maps })),
    ...unitFlaws(entry),
  ],
  devicesOf: ({ units }) =>
    units.flatMap(({ device }, i) =>
      device === undefined ? [] : [{ name: device, path: `units[${i}].device` }]
    ),
  tagsOf({ maps, units }): readonly UsedName[] {
    const by_key = new Map(maps.map((it) => [it.key, it]));
    return units.flatMap((unit, i) =>
      (by_key.get(unit.map)?.points ?? []).map((point) => (
        { name: tagName(point, unit), path: `units[${i}]` }
      ))
    );
  },
  setpointsOf(entry) {
    const by_key = new Map(entry.maps.map((it) => [it.key, it]));
    return entry.units.flatMap((unit, i) =>
      (by_key.get(unit.map)?.points ?? []).flatMap((point) => {
        const { host, port } = addressOf(entry, unit);
        const device = unit.device ?? `${host}:${port} unit ${unit.unit}`;
        if (point.setpoint === undefined) return [];
        return [{
          ...{ tag: tagName(point, unit), device, limits: point.setpoint },
          path: `units[${i}]`,
        }];
      })
    );
  },
};

/** What stands in the way of writing to a point; the paths are its fields. */
function writeFlaws({ setpoint, sunspec, table, type, mask }: ModbusPoint): Flaw[] {
  if (setpoint === undefined) return [];
  const flaws = setpointFlaws(setpoint, "setpoint");
  const add = (message: string) => flaws.push({ path: "setpoint", message });
  if (mask !== undefined) add("can't be beside mask: a part of a register is not written");
  if (sunspec !== undefined) return flaws;
  if (table !== "holding" && table !== "coil") add(`can't be: the table ${table} is only read`);
  if (type === "string") add("can't be of a text");
  return flaws;
}

function mapFlaws(
  { key, first_register, points }: ModbusMap,
  { path, maps }: { readonly path: string; readonly maps: readonly ModbusMap[] },
): Flaw[] {
  const twin = maps.find((it) => it.key === key)!;
  const flaws: Flaw[] = twin.points === points ? [] : [{
    path: `${path}.key`,
    message: `${JSON.stringify(key)} is the key of another map`,
  }];
  points.forEach((point, i) => {
    const flaw = pointFlaw(point, first_register);
    for (const it of [...(flaw ? [flaw] : []), ...writeFlaws(point)]) {
      flaws.push({ ...it, path: `${path}.points[${i}].${it.path}` });
    }
  });
  return flaws;
}

function pointFlaw(point: ModbusPoint, first_register: number): Flaw | undefined {
  const { sunspec, register, table, type, mask, scale } = point;
  if (scale === 0) return { path: "scale", message: "give a number other than 0" };
  if ((sunspec === undefined) === (register === undefined)) {
    return { path: "sunspec", message: "give either sunspec or register" };
  }
  if (register === undefined) {
    const message = pathFlaw(sunspec!);
    return message === undefined ? undefined : { path: "sunspec", message };
  }
  if (register < first_register) {
    const message = `is before the map's first_register ${first_register}: is that right?`;
    return { path: "register", message };
  }
  if (register - first_register + widthOf(point) > 0x10000) {
    const message = "is behind the last register, 65535" +
      (register > 40_000 ? "; a document that counts from 40001 has first_register = 40001" : "");
    return { path: "register", message };
  }
  if (type === "string" && point.registers === undefined && !isBits(table)) {
    return { path: "registers", message: "is missing: how many registers the text has" };
  }
  if (mask !== undefined && (isBits(table) || !/^u?int(16|32)$/.test(type))) {
    return { path: "mask", message: "is only for whole numbers of 16 or 32 bits" };
  }
}

function unitFlaws(entry: ModbusEntry): Flaw[] {
  const { host, maps, units } = entry;
  const keys = maps.map(({ key }) => key);
  const seen = new Map<string, number>();
  return units.flatMap((unit, i): Flaw[] => {
    const path = `units[${i}]`;
    if (!keys.includes(unit.map)) {
      const message = `there is no map ${JSON.stringify(unit.map)}${meantOrKnown(unit.map, keys)}`;
      return [{ path: `${path}.map`, message }];
    }
    if (unit.host === undefined && host === undefined) {
      return [{ path: `${path}.host`, message: "is missing, and the source has none either" }];
    }
    const place = addressOf(entry, unit);
    const same = `${place.host}:${place.port} ${unit.unit} ${unit.map}`;
    const is_broadcast = entry.transport === "rtu" && unit.unit === 0;
    const map = maps.find(({ key }) => key === unit.map)!;
    if (is_broadcast && map.points.some(({ setpoint }) => setpoint !== undefined)) {
      const message = "is the address of all units of a serial line: setpoints can't be sent to it";
      return [{ path: `${path}.unit`, message }];
    }
    const twin = seen.get(same);
    seen.set(same, i);
    if (twin === undefined) return [];
    return [{ path, message: `is the same unit as units[${twin}], read by the same map` }];
  });
}
