// The kind `iec104`: stations that send what happens by IEC 60870-5-104.
import * as z from "zod";
import type { Flaw } from "../../../base/fault.ts";
import { name_form, tag_form } from "../../data/text_form.ts";
import { setpoint_form, setpointFlaws } from "../../setpoints/setpoint.ts";
import { isTimezone, zoneFlaw } from "../../time/zone.ts";
import { every_form, host_form, port_form, type SourceDefinition, sourceForm } from "../kind.ts";
import { source_limits } from "../limits.ts";

export const command_kinds = [
  "single",
  "double",
  "normalized",
  "scaled",
  "short",
  "bits",
] as const;
export type CommandKind = typeof command_kinds[number];

const address_form = z.int().min(1).max(0xff_ffff);

const command = z.strictObject({
  address: address_form.describe("The information object address that commands go to."),
  type: z.enum(command_kinds).describe(
    "What it holds: single (0 or 1, C_SC), double (1 off, 2 on, C_DC), normalized (-1 to 1, " +
      "C_SE_NA), scaled (whole, C_SE_NB), short (a number, C_SE_NC), bits (32 bits, C_BO).",
  ),
  select: z.boolean().default(false)
    .describe("Whether the station is told to select it before it carries it out."),
  timed: z.boolean().default(false)
    .describe("Whether it carries the time of the station's clock (types 58 to 64)."),
  qualifier: z.int().min(0).max(127).default(0).describe(
    "Its qualifier (QU or QL): of single and double 1 is a short pulse, 2 a long one, 3 lasting.",
  ),
  scale: z.number().optional()
    .describe("The value is raw * scale + offset of what is sent; by default the point's."),
  offset: z.number().optional().describe("See scale."),
});

const point = z.strictObject({
  tag: tag_form.describe(
    "Name of its tag; {device} in it stands for the key of the station's device, {station} for " +
      "its number.",
  ),
  address: address_form
    .describe("Its information object address, as one number: 3.2.1 is 1 + 2 * 256 + 3 * 65536."),
  scale: z.number().default(1).describe("The sample's value is raw * scale + offset."),
  offset: z.number().default(0).describe("See scale."),
  setpoint: setpoint_form.optional(),
  command: command.optional().describe(
    "Of a setpoint: where its values go. The point itself is what the device has then.",
  ),
});

const station = z.strictObject({
  station: z.int().min(1).max(0xfffe).describe("Its common address."),
  device: name_form.optional().describe("Key of the site's device that it is."),
  points: z.array(point).min(1).max(source_limits.map_points),
});

const form = sourceForm("iec104", {
  host: host_form.describe("Address of the stations' connection."),
  port: port_form.default(2404).describe("Port."),
  timezone: z.string().min(1).max(100).default("UTC").describe(
    "Zone of the stations' clocks; of the hour that comes twice, their mark of summer time tells " +
      "which.",
  ),
  interrogate_s: every_form.default(3_600).describe(
    "Seconds between two interrogations: all values are asked for, whether they changed or not. " +
      "The first is after each connection.",
  ),
  counters_s: every_form.optional()
    .describe("Seconds between two questions for the counters; by default they are not asked for."),
  set_clock: z.boolean().default(false)
    .describe("Whether the stations' clocks are set after each connection and interrogation."),
  timeout_ms: z.int().min(50).max(source_limits.timeout_most_ms).default(15_000)
    .describe("How long an answer is waited for (t1)."),
  idle_s: z.number().min(0.1).max(3_600).default(20)
    .describe("Seconds of silence after which the connection is tested (t3)."),
  stations: z.array(station).min(1).max(source_limits.units),
});

/** A source of this kind, with every default. */
export type Iec104Entry = z.output<typeof form>;
export type Iec104Station = Iec104Entry["stations"][number];
export type Iec104Point = Iec104Station["points"][number];
export type Iec104Command = NonNullable<Iec104Point["command"]>;

/** The name of a point's tag at a station. */
export function stationTag({ tag }: Iec104Point, { device, station }: Iec104Station): string {
  return tag.replaceAll("{device}", device ?? `${station}`).replaceAll("{station}", `${station}`);
}

export const iec104: SourceDefinition<typeof form> = {
  form,
  documentation: {
    reads: "Stations by IEC 60870-5-104: what they send by themselves, and interrogations.",
    example: {
      key: "substation",
      kind: "iec104",
      host: "10.0.0.30",
      timezone: "Europe/Madrid",
      stations: [{
        station: 1,
        device: "SUB-1",
        points: [
          { tag: "{device}.p_mw", address: 4001 },
          { tag: "{device}.breaker", address: 101 },
        ],
      }],
    },
  },
  flawsOf: ({ timezone, stations }) => [
    ...(isTimezone(timezone) ? [] : [{ path: "timezone", message: zoneFlaw(timezone) }]),
    ...repeats("stations", stations.map(({ station }) => station)),
    ...stations.flatMap(({ points }, i) => [
      ...repeats(`stations[${i}].points`, points.map(({ address }) => address)),
      ...points.flatMap((point, j) => pointFlaws(point, `stations[${i}].points[${j}]`)),
    ]),
  ],
  devicesOf: ({ stations }) =>
    stations.flatMap(({ device }, i) =>
      device === undefined ? [] : [{ name: device, path: `stations[${i}].device` }]
    ),
  tagsOf: ({ stations }) =>
    stations.flatMap((station, i) =>
      station.points.map((point, j) => (
        { name: stationTag(point, station), path: `stations[${i}].points[${j}].tag` }
      ))
    ),
  setpointsOf: ({ stations }) =>
    stations.flatMap((station, i) =>
      station.points.flatMap((point, j) =>
        point.setpoint === undefined ? [] : [{
          ...{ tag: stationTag(point, station), limits: point.setpoint },
          ...{ device: commandDevice(station), path: `stations[${i}].points[${j}]` },
        }]
      )
    ),
};

/** Where a station's setpoint is written to. */
export function commandDevice({ device, station }: Iec104Station): string {
  return device ?? `station ${station}`;
}

function pointFlaws({ scale, setpoint, command }: Iec104Point, path: string): Flaw[] {
  const flaws = setpointFlaws(setpoint, `${path}.setpoint`);
  const add = (name: string, message: string) => flaws.push({ path: `${path}.${name}`, message });
  if (scale === 0) add("scale", "give a number other than 0");
  if (setpoint !== undefined && command === undefined) {
    add("command", "is missing: the address and the type of what is sent to the setpoint");
  }
  if (command === undefined) return flaws;
  if (setpoint === undefined) add("setpoint", "is missing: without it nothing is sent");
  if (command.scale === 0) add("command.scale", "give a number other than 0");
  const is_switch = command.type === "single" || command.type === "double";
  if (is_switch && command.qualifier > 31) add("command.qualifier", "is at most 31 for a switch");
  if (command.type !== "bits") return flaws;
  if (command.select) add("command.select", "can't be: bits have no selection");
  if (command.qualifier > 0) add("command.qualifier", "can't be: bits have none");
  return flaws;
}

/** A flaw for each number that stands in its list before. */
function repeats(path: string, numbers: readonly number[]): Flaw[] {
  return numbers.flatMap((it, i) => {
    const first = numbers.indexOf(it);
    return first === i ? [] : [{ path: `${path}[${i}]`, message: `${it} is ${path}[${first}]` }];
  });
}
