// `source scan`: finds devices at an address, and prints the part of a site file that reads them.
import { type Command, InvalidArgumentError, Option } from "commander";
import { LineFault } from "../../base/effects_line.ts";
import { Fault } from "../../base/fault.ts";
import { failureOf, SourceFault } from "../../engine/devices/driver.ts";
import { ModbusClient } from "../../engine/devices/modbus_client.ts";
import type { ServerProposal } from "../../engine/opcua/opcua_scan.ts";
import {
  type FoundUnit,
  identityOf,
  lookAtUnit,
  type Proposal,
  proposalOf,
} from "../../engine/devices/scan.ts";
import { source_limits } from "../../model/sources/limits.ts";
import { opcua, security_modes, type SecurityMode } from "../../model/sources/kinds/opcua.ts";
import { type Transport, transports } from "../../model/sources/register.ts";
import { certificatesPath } from "../../store/folder.ts";
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
    .argument("<address>", "HOST[:PORT] of devices or a converter, or opc.tcp://HOST", placeIn)
    .description(
      "look for SunSpec devices, or at an OPC UA server; print a part of a site file",
    )
    .addOption(
      new Option("--units <list>", "unit ids to try, such as 1-10,126").argParser(unitsIn)
        .default(unitsIn("1-247"), "1-247"),
    )
    .option("--transport <word>", "tcp or rtu: how messages are framed", wordIn, "tcp")
    .option("--timeout <ms>", "how long each unit may take", millisecondsIn, 500)
    .option("--delay <ms>", "how long to wait after connecting", millisecondsIn, 0)
    .addHelpText("after", scan_help)
    .option("--security <word>", "opc.tcp: none, sign or sign_and_encrypt", securityIn, "none")
    .option("--user <name>", "opc.tcp: who signs in")
    .option("--password-file <path>", "opc.tcp: file with the password")
    .action(async (place: Place | string, flags: ScanFlags & ServerFlags) => {
      if (typeof place === "string") {
        return context.effects.out(await scanServer(context, place, flags));
      }
      const found = await scan(context, place, flags);
      context.effects.out(proposalText(found, { ...place, ...flags }));
    });
}

const scan_help = `
Reads only. Many devices serve one master at a time: stop what else reads them. Put what is printed
into a site file, look through it, and apply that (wattkeeper site apply FILE --dry-run).

  wattkeeper source scan 10.0.0.12
  wattkeeper source scan 10.0.0.13:1502 --units 1-40 --transport rtu > part.toml
  wattkeeper source scan opc.tcp://10.0.0.20:4840 --security sign_and_encrypt > part.toml`;

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

/** How a server is looked at. */
type ServerFlags = {
  readonly security: SecurityMode;
  readonly user?: string;
  readonly passwordFile?: string;
};

const server_timeout_ms = 10_000;

/** Looks at a server; gives what it proposes as TOML. Throws a `Fault`. */
async function scanServer(
  { effects, resolve }: Context,
  endpoint: string,
  { security, user, passwordFile: password_file }: ServerFlags,
): Promise<string> {
  // The library is large: it is loaded for this alone.
  const { findVariables, openSession, serverProposal } = await import(
    "../../engine/opcua/opcua_scan.ts"
  );
  const { signal } = new AbortController();
  // Without security the library wants a folder all the same.
  const brief = security === "none" ? await Deno.makeTempDir() : undefined;
  const certificates = brief ?? certificatesPath((await resolve()).settings);
  const policy = "Basic256Sha256" as const;
  const entry = { endpoint, security, policy, user, password_file, timeout_ms: server_timeout_ms };
  const secret = (path: string) => Deno.readTextFile(path);
  const progress = await showProgress(effects, { label: "Scanning", total: 1 });
  try {
    const session = await openSession(entry, { effects, certificates, secret, signal });
    try {
      const { variables, is_cut } = await findVariables(session, {
        progress: (done, known) => progress.update(done / known, `${done} nodes of ${known} known`),
      });
      for (const { node, flaw } of variables) if (flaw) effects.err(`${node} ${flaw}: left out\n`);
      if (is_cut) effects.err("there is more than was looked at\n");
      if (variables.length === 0) {
        const what = "the server shows no variables: may this user see them? Try --user";
        throw new Fault("not_found", what);
      }
      const sign_in = user === undefined ? {} : { user, password_file: "scada.password" };
      return serverText({ endpoint, security, ...sign_in }, serverProposal(variables));
    } finally {
      session.close();
    }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    throw new Fault("unavailable", `${endpoint}: ${failureOf(error).message}`);
  } finally {
    progress.stop();
    if (brief !== undefined) await Deno.remove(brief, { recursive: true });
  }
}

function serverText(head: object, { devices, sensors, points }: ServerProposal): string {
  return [
    "# What the server shows. Look at the types of devices and at measures, and leave out what you",
    "# do not need.",
    ...devices.flatMap((it) => tableLines("devices", it)),
    ...sensors.flatMap((it) => tableLines("sensors", it)),
    ...tableLines("sources", { key: "scada", kind: "opcua", ...head }),
    "points = [",
    ...points.map((point) => `  ${inline(point)},`),
    "]",
  ].join("\n") + "\n";
}

/** A table of a TOML file that stands in a list. */
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

function placeIn(text: string): Place | string {
  if (opcua.form.shape.endpoint.safeParse(text).success) return text;
  const [, host, port = "502"] = /^(\[[0-9A-Fa-f:.]+\]|[^:\s/]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const number = Number(port);
  if (host !== undefined && number >= 1 && number <= 65_535) {
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: number };
  }
  throw new InvalidArgumentError(
    "give an address such as 10.0.0.12, plc.local:1502 or opc.tcp://10.0.0.20:4840",
  );
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

function securityIn(text: string): SecurityMode {
  const word = security_modes.find((it) => it === text);
  if (word !== undefined) return word;
  throw new InvalidArgumentError(`give ${security_modes.join(", ")}`);
}

function millisecondsIn(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give milliseconds, at most 99999");
}
