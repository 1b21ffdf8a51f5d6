// Looks at what an OPC UA server has, and proposes the part of a site file that reads it.
import type { ComponentName, MeasureName } from "../../model/plant/measure.ts";
import type { SiteInput } from "../../model/site/file.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { serverSample } from "../../wire/sources/opcua.ts";
import type { FoundNode, OpcuaSession } from "./opcua_session.ts";

export { openSession } from "./opcua_client.ts";

/** A variable that a server has, and the names on the way to it, its own last. */
export type FoundVariable = {
  /** With the URI of its namespace. */
  readonly node: string;
  readonly names: readonly string[];
  /** The text of its engineering unit. */
  readonly unit?: string;
  /** Why its value can't be kept. */
  readonly flaw?: string;
};

/** A variable below the server's objects, and the names on the way to it. */
type NamedNode = FoundNode & { readonly names: readonly string[]; unit_node?: string };

type Looking = {
  /** How many nodes are looked at. */
  readonly most: number;
  /** Is told how many were looked at, of how many that are known of. */
  readonly progress?: (done: number, known: number) => void;
};

const objects_node = "ns=0;i=85";
const is_of_server = /^ns=0;/;

/** Finds the variables below the server's objects, of a bounded number and depth. */
export async function findNodes(
  session: OpcuaSession,
  { most, progress = () => {} }: Looking,
): Promise<{ readonly nodes: readonly NamedNode[]; readonly is_cut: boolean }> {
  const found = new Map<string, NamedNode>();
  const known = new Map<string, readonly string[]>([[objects_node, []]]);
  let [is_cut, done] = [false, 0];
  // What is added while it goes on has its turn, too.
  for (const [node, names] of known) {
    progress(done++, known.size);
    for (const it of await session.browse(node)) {
      const owner = found.get(node);
      if (owner && it.name === "EngineeringUnits") owner.unit_node = it.node;
      if (it.is_property || is_of_server.test(it.node) || known.has(it.node)) continue;
      if (known.size >= most || names.length >= source_limits.scan_depth) {
        is_cut = true;
        continue;
      }
      known.set(it.node, [...names, it.name]);
      if (it.is_variable) found.set(it.node, { ...it, names: [...names, it.name] });
    }
  }
  progress(done, known.size);
  return { nodes: [...found.values()], is_cut };
}

/** Looks at all variables that a server shows, with their units and values. */
export async function findVariables(
  session: OpcuaSession,
  looking: Pick<Looking, "progress">,
): Promise<{ readonly variables: readonly FoundVariable[]; readonly is_cut: boolean }> {
  const wanted = { ...looking, most: source_limits.scan_nodes };
  const { nodes, is_cut } = await findNodes(session, wanted);
  const units = await unitsOf(session, nodes.flatMap(({ unit_node }) => unit_node ?? []));
  const flaws = await flawsOf(session, nodes.map(({ node }) => node));
  const variables = nodes.map(({ node, names, unit_node }) => ({
    ...{ node: withUri(node, session.namespaces), names },
    ...(units.has(unit_node!) ? { unit: units.get(unit_node!)! } : {}),
    ...(flaws.has(node) ? { flaw: flaws.get(node)! } : {}),
  }));
  return { variables, is_cut };
}

async function readAll(session: OpcuaSession, nodes: readonly string[]) {
  const values = [];
  for (let at = 0; at < nodes.length; at += source_limits.request_nodes) {
    const some = nodes.slice(at, at + source_limits.request_nodes);
    values.push(...await session.read(some, "value"));
  }
  return values;
}

/** The texts of engineering units, by their nodes. */
async function unitsOf(session: OpcuaSession, nodes: readonly string[]) {
  const values = await readAll(session, nodes);
  return new Map(values.flatMap(({ value }, i): [string, string][] => {
    const unit = value?.value as { readonly displayName?: { readonly text?: string } } | null;
    const text = unit?.displayName?.text;
    return text ? [[nodes[i], text]] : [];
  }));
}

/** Why values can't be kept, by their nodes. */
async function flawsOf(session: OpcuaSession, nodes: readonly string[]) {
  const values = await readAll(session, nodes);
  return new Map(values.flatMap((value, i): [string, string][] => {
    const { flaw } = serverSample(value, { scale: 1, offset: 0, now_us: 0 });
    return flaw === undefined ? [] : [[nodes[i], flaw]];
  }));
}

/** A node id by the URI of its namespace, which stays when its number changes. */
function withUri(node: string, namespaces: readonly string[]): string {
  const [, number, rest] = /^ns=(\d+);(.*)$/.exec(node)!;
  const uri = namespaces[Number(number)];
  return uri === undefined || uri.includes(";") ? node : `nsu=${uri};${rest}`;
}

/** Units by their texts: the unit of measures that they are of, and how much of it. */
const units: Readonly<Record<string, readonly [string, number]>> = {
  ...{ W: ["W", 1], kW: ["W", 1e3], MW: ["W", 1e6] },
  ...{ Wh: ["Wh", 1], kWh: ["Wh", 1e3], MWh: ["Wh", 1e6], GWh: ["Wh", 1e9] },
  ...{ VA: ["VA", 1], kVA: ["VA", 1e3], MVA: ["VA", 1e6] },
  ...{ var: ["var", 1], VAr: ["var", 1], kvar: ["var", 1e3], kVAr: ["var", 1e3] },
  ...{ V: ["V", 1], kV: ["V", 1e3], A: ["A", 1], kA: ["A", 1e3], Hz: ["Hz", 1] },
  ...{ "°C": ["degC", 1], degC: ["degC", 1], "W/m²": ["W/m2", 1], "W/m2": ["W/m2", 1] },
  ...{ "m/s": ["m/s", 1] },
};

/** What a variable measures, by its unit and name; the first that fits. */
const meanings: readonly (readonly [string, RegExp, MeasureName])[] = [
  ["W", /dc/i, "dc_power"],
  ["W", /^(?!.*(set|limit|max|nom|rated))/i, "active_power"],
  ["Wh", /import|consum|received/i, "active_energy_received"],
  ["Wh", /^(?!.*(day|month|year))/i, "energy"],
  ["VA", /^/, "apparent_power"],
  ["var", /^(?!.*set)/i, "reactive_power"],
  ["V", /dc|mppt|string/i, "dc_voltage"],
  ["V", /^/, "ac_voltage"],
  ["A", /dc|mppt|string/i, "dc_current"],
  ["A", /^/, "ac_current"],
  ["Hz", /^/, "frequency"],
  ["degC", /module|panel|back|cell/i, "module_temp_back"],
  ["degC", /amb|air|outs/i, "temp"],
  ["degC", /^/, "internal_temp"],
  ["W/m2", /poa|tilt|plane|poi/i, "poa_front"],
  ["W/m2", /dni|direct/i, "dni"],
  ["W/m2", /dhi|diffuse/i, "dhi"],
  ["W/m2", /^/, "ghi"],
  ["m/s", /^/, "windspeed"],
];

/** What a device is, by its name. */
const types: readonly (readonly [RegExp, ComponentName])[] = [
  [/inv|wr[-_ ]?\d/i, "inverter"],
  [/met(?!er)|weather|wetter|pyran/i, "met"],
  [/meter|mtr|grid|zähler/i, "meter"],
  [/batt|bess/i, "bess"],
];

/** The tables of a site file that are proposed; the points are of one source. */
export type ServerProposal = Required<Pick<SiteInput, "devices" | "sensors">> & {
  readonly points: readonly { readonly tag: string; readonly node: string; device?: string }[];
};

/** Proposes devices, sensors by unit and name, and a point for each variable that can be kept. */
export function serverProposal(variables: readonly FoundVariable[]): ServerProposal {
  const devices = new Map<string, ComponentName>();
  const sensors: ServerProposal["sensors"][number][] = [];
  const points: ServerProposal["points"][number][] = [];
  const tags = new Set<string>();
  for (const { node, names, unit, flaw } of variables) {
    if (flaw !== undefined) continue;
    const { owner, name } = placeOf(names);
    const type = types.find(([pattern]) => pattern.test(owner))?.[1];
    const tag = tags.has(`${owner}.${name}`) ? names.join(".") : `${owner}.${name}`;
    if (tags.has(tag)) continue;
    tags.add(tag);
    if (type === undefined) {
      points.push({ tag, node });
      continue;
    }
    devices.set(owner, type);
    points.push({ tag: tag.replace(owner, "{device}"), node, device: owner });
    const [base, scale] = units[unit ?? ""] ?? [];
    const measure = meanings.find(([of, pattern]) => of === base && pattern.test(name))?.[2];
    const is_taken = sensors.some((it) => it.device === owner && it.measure === measure);
    if (measure === undefined || is_taken) continue;
    sensors.push({
      ...{ tag, device: owner, measure },
      ...(scale === 1 ? {} : { scale }),
      ...(base === "Wh" ? { accumulation: "counter" as const } : {}),
    });
  }
  return { devices: Array.from(devices, ([key, type]) => ({ key, type })), sensors, points };
}

/** Whose value it is: what stands above it, or the part before a dot of its name. */
function placeOf(names: readonly string[]): { readonly owner: string; readonly name: string } {
  const name = names.at(-1)!;
  const [, head, rest] = /^([^./]+)[./](.+)$/.exec(name) ?? [];
  if (head !== undefined) return { owner: head, name: rest };
  return { owner: names.at(-2) ?? "server", name };
}
