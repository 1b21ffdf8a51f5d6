// `source scan`: finds devices at an address, and prints the part of a site file that reads them.
import { type Command, InvalidArgumentError } from "commander";
import { LineFault } from "../../base/effects_line.ts";
import { Fault } from "../../base/fault.ts";
import { failureOf, SourceFault } from "../../engine/sources/driver.ts";
import { ModbusClient } from "../../engine/sources/modbus_client.ts";
import {
  type FoundUnit,
  identityOf,
  lookAtUnit,
  type Proposal,
  proposalOf,
} from "../../engine/sources/scan.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { type Transport, transports } from "../../model/sources/register.ts";
import type { Context } from "../frame/context.ts";
import { showProgress } from "../frame/progress.ts";

type ScanFlags = {
  readonly units: readonly number[];
  readonly transport: Transport;
  readonly timeout: number;
  readonly delay: number;
};

/** Where is looked. */
type Place = { readonly host: string; readonly port: number };

/** Adds `source`. */
export function addSourceCommand(program: Command, context: Context): void {
  const source = program.command("source").description("find devices that the service can read");
  source.command("scan")
    .argument("<host[:port]>", "address of the devices, or of the converter before them", placeIn)
    .description("look for SunSpec devices, and print a part of a site file that reads them")
    .option("--units <list>", "unit ids to try, such as 1-10,126", unitsIn, unitsIn("1-247"))
    .option("--transport <word>", "tcp or rtu: how messages are framed", wordIn, "tcp")
    .option("--timeout <ms>", "how long each unit may take", millisecondsIn, 500)
    .option("--delay <ms>", "how long to wait after connecting", millisecondsIn, 0)
    .addHelpText("after", scan_help)
    .action(async (place: Place, flags: ScanFlags) => {
      const found = await scan(context, place, flags);
      context.effects.out(proposalText(found, { ...place, ...flags }));
    });
}

const scan_help = `
Reads only. Many devices serve one master at a time: stop what else reads them. Put what is printed
into a site file, look through it, and apply that (wattkeeper site apply FILE --dry-run).

  wattkeeper source scan 10.0.0.12
  wattkeeper source scan 10.0.0.13:1502 --units 1-40 --transport rtu > part.toml`;

async function scan(
  { effects }: Context,
  place: Place,
  { units, transport, timeout, delay }: ScanFlags,
): Promise<readonly FoundUnit[]> {
  const { signal } = new AbortController();
  const most_registers = source_limits.request_registers;
  const where = { ...place, transport, timeout_ms: timeout, delay_ms: delay, most_registers };
  const open = () => ModbusClient.open(where, { effects, signal });
  const found: FoundUnit[] = [];
  const progress = await showProgress(effects, { label: "Scanning", total: units.length });
  let client: ModbusClient | undefined;
  try {
    for (const [i, unit] of units.entries()) {
      progress.update(i, `unit ${unit}, ${found.length} found`);
      // Some devices close a connection rather than answer for a unit that they are not.
      client ??= await open();
      const seen: FoundUnit | undefined = await lookAtUnit(client, unit).catch((error) => {
        if (!(error instanceof LineFault)) throw error;
        client?.close();
        client = undefined;
        return undefined;
      });
      if (seen !== undefined) found.push(seen);
    }
    progress.update(units.length, `${found.length} found`);
  } catch (error) {
    if (!(error instanceof LineFault || error instanceof SourceFault)) throw error;
    throw new Fault("unavailable", `${place.host}:${place.port}: ${advice(error, place)}`);
  } finally {
    progress.stop();
    client?.close();
  }
  return told(found, { effects, place, units });
}

function advice(error: LineFault | SourceFault, { port }: Place): string {
  const { message } = failureOf(error);
  if (!(error instanceof LineFault) || error.kind !== "refused") return message;
  return `${message}. Is Modbus TCP switched on in the device? ` +
    `${port === 502 ? "Some devices use port 1502 or 503" : "The usual port is 502"}`;
}

/** The devices among what answered, each once; says what else there was. */
function told(
  found: readonly FoundUnit[],
  { effects, place, units }: {
    readonly effects: Context["effects"];
    readonly place: Place;
    readonly units: readonly number[];
  },
): readonly FoundUnit[] {
  const where = `${place.host}:${place.port}`;
  if (found.length === 0) {
    throw new Fault(
      "not_found",
      `${where} takes connections, but no unit of ${units.length} answers: is another master ` +
        "connected? Try a longer --timeout, a --delay of 1000, and --transport rtu for a converter",
    );
  }
  const devices: FoundUnit[] = [];
  for (const it of found) {
    const { make, model, serial } = identityOf(it);
    if (it.sunspec === undefined) {
      effects.err(
        `unit ${it.unit} answers, but not with SunSpec: switch SunSpec on in it, or ` +
          "write a map of its registers (docs/sources.md)\n",
      );
      continue;
    }
    const twin = serial && devices.find((other) => identityOf(other).serial === serial);
    if (twin) {
      effects.err(`unit ${it.unit} is the same device as unit ${twin.unit}: left out\n`);
      continue;
    }
    devices.push(it);
    const ids = it.sunspec.models.map(({ id }) => id).join(", ");
    effects.err(`unit ${it.unit}: ${make} ${model} ${serial}, models ${ids}\n`);
    for (const note of it.sunspec.notes) effects.err(`unit ${it.unit}: ${note}\n`);
  }
  if (devices.length > 0) return devices;
  throw new Fault("not_found", `${where} answers, but no unit speaks SunSpec`);
}

/** The proposal as TOML, which people go through and change. */
function proposalText(
  found: readonly FoundUnit[],
  place: Place & Pick<ScanFlags, "transport" | "delay">,
): string {
  const { host, port, transport, delay: delay_ms } = place;
  const proposal = proposalOf(found, { host, port, transport, delay_ms });
  const lists: Proposal = proposal;
  const [source] = lists.sources;
  const { maps, units, ...head } = source;
  return [
    `# What answers at ${host}:${port}. Look at names, rated power, and the sign of meters' power.`,
    ...found.map((it) => {
      const { make, model, serial } = identityOf(it);
      return `# Unit ${it.unit}: ${JSON.stringify(`${make} ${model} ${serial}`)}`;
    }),
    ...lists.device_models.flatMap((it) => tableLines("device_models", it)),
    ...lists.devices.flatMap((it) => tableLines("devices", it)),
    ...lists.sensors.flatMap((it) => tableLines("sensors", it)),
    ...tableLines("sources", head),
    "every_s = 10",
    "slow_s = 60",
    ...maps.flatMap(({ key, points }) => [
      ...tableLines("sources.maps", { key }),
      "points = [",
      ...points.map((point) => `  ${inline(point)},`),
      "]",
    ]),
    ...units.flatMap((unit) => tableLines("sources.units", unit)),
  ].join("\n") + "\n";
}

function tableLines(name: string, fields: object): string[] {
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${inline(value)}`);
  return ["", `[[${name}]]`, ...lines];
}

/** A value on one line; a text of TOML may be one of JSON. */
function inline(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${key} = ${inline(field)}`);
  return `{ ${fields.join(", ")} }`;
}

function placeIn(text: string): Place {
  const [, host, port = "502"] = /^(\[[0-9A-Fa-f:.]+\]|[^:\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = Number(port);
  if (host !== undefined && number >= 1 && number <= 65_535) {
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: number };
  }
  throw new InvalidArgumentError("give an address such as 10.0.0.12 or plc.local:1502");
}

function unitsIn(text: string): readonly number[] {
  const units = text.split(",").flatMap((part) => {
    const [, from, to = from] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || last > 255 || first > last) {
      throw new InvalidArgumentError("give unit ids from 0 to 255, such as 1-10,126");
    }
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return [...new Set(units)];
}

function wordIn(text: string): Transport {
  const word = transports.find((it) => it === text);
  if (word !== undefined) return word;
  throw new InvalidArgumentError(`give ${transports.join(" or ")}`);
}

function millisecondsIn(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give milliseconds, at most 99999");
}
