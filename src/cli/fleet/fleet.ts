// `fleet`: runs a node, shows who holds what, moves shards, and empties a node.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import { fleet_limits } from "../../model/fleet/limits.ts";
import {
  canOpen,
  type FleetNode,
  home_shard,
  type Shard,
  type ShardOf,
} from "../../model/fleet/shard.ts";
import type { FleetCatalog, Seen } from "../../store/fleet/fleet_catalog.ts";
import { type Context, type OpenedInside, outList } from "../frame/context.ts";
import { exit_codes, type ExitCode } from "../frame/exit.ts";
import { firstToken, requireGround, serve } from "../service/serve.ts";

/** Adds `fleet`. */
export function addFleetCommand(program: Command, context: Context): void {
  const { effects } = context;
  const fleet = program.command("fleet")
    .description("run many plants on several machines, and show which one holds what")
    .addHelpText("after", help);
  fleet.command("serve").description("run a node of the fleet")
    .addHelpText("after", serve_help)
    .action(async () => {
      const { settings } = await context.resolve();
      await requireGround(settings);
      const { openNode } = await context.loadFleet();
      context.exit(await serve(await openNode(settings, effects), { settings, effects }));
    });
  fleet.command("shard <no> <fleet>", { hidden: true })
    .description("run one shard; its node starts this")
    .action((no: string, fleet: string) => runShard({ no: Number(no), fleet }, context));
  fleet.command("stand-in <no>", { hidden: true })
    .description("answer what lies in the lake of one shard; a node starts this")
    .action((no: string) => runStandIn(Number(no), context));
  fleet.command("status").description("show the nodes, and which shards each holds")
    .option("--json", "print all as JSON")
    .action((flags: { readonly json?: true }) =>
      withCatalog(context, (catalog) => showStatus(context, catalog, flags))
    );
  fleet.command("move").argument("<shard>", "its number").argument("<node>", "its name, or any")
    .description("let a node hold a shard from now on; any: wherever there is room")
    .action((no: string, node: string) =>
      withCatalog(context, (catalog) => moveShard(context, catalog, { no, node }))
    );
  fleet.command("drain").argument("<node>", "its name")
    .description("let a node give all its shards to others, and take none until it starts again")
    .option("--end", "let it take shards again")
    .action((name: string, { end: is_end = false }: { readonly end?: boolean }) =>
      withCatalog(context, (catalog) => drainNode(context, catalog, { name, is_end }))
    );
}

const help = `
A fleet's nodes share a catalogue, the setting fleet_catalog. For example:
  wattkeeper fleet serve --fleet-node node-a --fleet-address http://10.0.0.7:8480
  wattkeeper fleet status
  wattkeeper fleet drain node-a`;

const serve_help = `
Settings of a node, each an option, a variable WATTKEEPER_… or a line of the settings file:
  fleet_catalog   the PostgreSQL that the nodes share
  fleet_secret    signs what nodes ask each other, and seals secrets: the same for all
  fleet_node      the name of this node
  fleet_address   where the other nodes reach it
  fleet_fence     how a shard's directory is taken from the node that had it before
  data_dir        where the directories of its shards are
\`wattkeeper config show\` tells all others; docs/fleet.md, how to start three nodes.`;

/** What a shard says of an end that throws nothing. */
const why_ended: Partial<Record<ExitCode, string>> = {
  [exit_codes.restart]: "the database has invalidated itself, as it does where the disk is full",
  [exit_codes.bug]: "an error in the program, which the log tells",
};

async function runShard(shard: ShardOf, context: Context): Promise<void> {
  const { effects } = context;
  const { settings } = await context.resolve();
  const { openShard } = await context.loadFleet();
  const { service, inside } = await openShard(shard, settings, effects);
  const first = firstToken(service, { settings, effects });
  const onReady = (address: string) => {
    if (shard.no === home_shard) first.show();
    void inside.ready(Number(new URL(address).port));
  };
  await serveInside(context, { service, inside, settings, onReady });
}

async function runStandIn(no: number, context: Context): Promise<void> {
  const { settings } = await context.resolve();
  const { openStandIn } = await context.loadFleet();
  const { service, inside } = await openStandIn(no, settings, context.effects);
  const onReady = (address: string) => void inside.ready(Number(new URL(address).port));
  await serveInside(context, { service, inside, settings, onReady });
}

/** Serves until it is told to stop, or its node is gone, which alone says how long it may. */
async function serveInside(
  { effects, exit }: Context,
  { service, inside, ...options }:
    & OpenedInside
    & Pick<Parameters<typeof serve>[1], "settings" | "onReady">,
): Promise<void> {
  const served = serve(service, { ...options, effects, signal: inside.stop, interrupt: "ignored" });
  const ended = await Promise.race([served, inside.gone.then(() => exit_codes.failed)]);
  const why = why_ended[ended];
  if (why) await inside.fail(why);
  exit(ended);
}

async function withCatalog<T>(
  context: Context,
  work: (catalog: FleetCatalog) => Promise<T>,
): Promise<T> {
  const { settings } = await context.resolve();
  const { openCatalog } = await context.loadFleet();
  const catalog = openCatalog(settings, context.effects);
  try {
    if (await catalog.isMade()) return await work(catalog);
    const how = "`wattkeeper fleet serve` makes it with its first node";
    throw new Fault("not_found", `there is no fleet in this catalogue: ${how}`);
  } finally {
    await catalog.close();
  }
}

/** The code says whether every shard with data is held and runs: a supervisor may ask for it. */
async function showStatus(
  { effects, exit }: Context,
  catalog: FleetCatalog,
  { json }: { readonly json?: true },
): Promise<void> {
  const { nodes, shards, news } = await catalog.look();
  if (shards.some((it) => it.is_used && (!it.is_held || it.why !== null))) exit(exit_codes.failed);
  if (!json) {
    return outList(effects, { lines: statusLines(nodes, shards), none: "no node ever joined" });
  }
  const projects = new Map(news.map(({ no, told }) => [no, told.projects]));
  const known = shards.map(({ mark: _, ...shard }) => ({
    ...shard,
    projects: (projects.get(shard.no) ?? []).map(({ id, key }) => ({ id, key })),
  }));
  effects.out(`${JSON.stringify({ nodes, shards: known }, undefined, 2)}\n`);
}

async function moveShard(
  context: Context,
  catalog: FleetCatalog,
  { no, node }: { readonly no: string; readonly node: string },
): Promise<void> {
  const { out } = context.effects;
  const { nodes, shards } = await catalog.look();
  const shard = shardNamed(shards, no);
  if (node === "any") {
    await catalog.want(shard.no, null);
    return out(`shard ${no} may be wherever there is room\n`);
  }
  const target = requireLive(nodes, node).find(({ name }) => name === node)!;
  requireOpener([target], shard);
  await requireShared(context, shard);
  await catalog.want(shard.no, node);
  await until(context, catalog, {
    isDone: (now) => now.shards[shard.no].is_held && now.shards[shard.no].node === node,
    late: `shard ${no} is not at ${node} yet: see \`wattkeeper fleet status\``,
  });
  out(`shard ${no} is at ${node}\n`);
}

async function drainNode(
  context: Context,
  catalog: FleetCatalog,
  { name, is_end }: { readonly name: string; readonly is_end: boolean },
): Promise<void> {
  const { out } = context.effects;
  const { nodes, shards } = await catalog.look();
  const others = requireLive(nodes, name).filter((it) => it.name !== name);
  if (is_end) {
    await catalog.drain(name, false);
    return out(`${name} takes shards again\n`);
  }
  const takers = others.filter((it) => !it.is_draining);
  if (takers.length === 0) {
    throw new Fault("conflict", `no other node runs that could take the shards of ${name}`);
  }
  const held = shards.filter((it) => it.node === name);
  for (const shard of held) requireOpener(takers, shard);
  const bound = held.find((it) => it.is_used);
  if (bound) await requireShared(context, bound);
  await catalog.drain(name, true);
  await until(context, catalog, {
    isDone: (now) => now.shards.every((it) => it.node !== name && (it.is_held || !it.is_used)),
    late: `${name} still holds shards: see \`wattkeeper fleet status\``,
  });
  out(`${name} holds no shard\n`);
}

function statusLines(nodes: readonly FleetNode[], shards: readonly Seen[]): readonly string[] {
  const nodeLines = nodes.map((node) => {
    const { name, address, version, data_version, is_live, is_draining } = node;
    const held = shards.filter((it) => it.node === name && it.is_held);
    const state = is_live ? is_draining ? "draining" : "alive" : "away";
    const used = held.filter(({ is_used }) => is_used).map(({ no }) => no);
    const what = `${held.length} shards, those with data: ${used.join(", ") || "none"}`;
    const versions = `version ${version}, data ${data_version}`;
    return `${name}  ${state}  ${address}  ${versions}  ${what}\n`;
  });
  const live = nodes.filter(({ is_live }) => is_live);
  const lost = shards.filter(({ is_held, is_used }) => is_used && !is_held);
  const broken = shards.filter(({ is_used, why }) => is_used && why !== null);
  return [
    ...nodeLines,
    ...(live.length === 0 ? ["no node is alive: `wattkeeper fleet serve` starts one\n"] : []),
    ...broken.map((shard) => {
      const { no, why, tried } = shard;
      const whom = tried.length > 0 ? `; tried at ${tried.join(", ")}` : "";
      return `shard ${no} does not run: ${why}${whom}${meanwhile(shard)}\n`;
    }),
    ...lost.map((shard) => {
      const last = shard.node ?? shard.home;
      const is_beyond = live.length > 0 && !live.some((it) => canOpen(it, shard));
      const whom = is_beyond ? `; ${newer(shard)}` : "";
      const held = last ? `; ${last} held it last` : "";
      return `shard ${shard.no} is at no node${held}${whom}${meanwhile(shard)}\n`;
    }),
  ];
}

/** What is said of old days, which other nodes answer. */
function meanwhile({ is_outlined }: Seen): string {
  return is_outlined ? "; days that the lake names are answered" : "";
}

function newer({ data_version }: Shard): string {
  return `its data are of version ${data_version}, which needs a node of the newer program`;
}

/** Throws a `Fault` (conflict) where none of these nodes can open a shard. */
function requireOpener(nodes: readonly FleetNode[], shard: Shard): void {
  if (nodes.some((it) => canOpen(it, shard))) return;
  const known = nodes.map(({ name, data_version }) => `${name} opens ${data_version}`).join(", ");
  throw new Fault("conflict", `shard ${shard.no} stays: ${newer(shard)}; ${known}`);
}

function shardNamed(shards: readonly Shard[], text: string): Shard {
  const found = shards.find(({ no }) => `${no}` === text);
  if (found) return found;
  const last = shards.length - 1;
  throw new Fault("invalid", `there is no shard ${text}: give a number from 0 to ${last}`);
}

/** The nodes that are alive, of which one has this name. */
function requireLive(nodes: readonly FleetNode[], name: string): readonly FleetNode[] {
  const live = nodes.filter(({ is_live }) => is_live);
  if (live.some((it) => it.name === name)) return live;
  const names = live.map((it) => it.name);
  const hint = meant(name, names) || `; alive are ${names.join(", ") || "none"}`;
  throw new Fault("not_found", `no node ${name} is alive${hint}`);
}

async function requireShared(context: Context, { no, is_used }: Shard): Promise<void> {
  const { settings } = await context.resolve();
  if (!is_used || settings.fleet_fence !== "none") return;
  const why = "nothing fences its volume (fleet_fence is none), so only its own node can open it";
  throw new Fault("conflict", `shard ${no} stays where it is: ${why}`);
}

type Look = Awaited<ReturnType<FleetCatalog["look"]>>;

async function until(
  { effects }: Context,
  catalog: FleetCatalog,
  { isDone, late }: { readonly isDone: (now: Look) => boolean; readonly late: string },
): Promise<void> {
  const end_ms = effects.monotonic_ms() + fleet_limits.command_ms;
  while (!isDone(await catalog.look())) {
    if (effects.monotonic_ms() > end_ms) throw new Fault("timeout", late);
    await effects.sleep(fleet_limits.look_ms);
  }
}
