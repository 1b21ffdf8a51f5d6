// What every command gets: the effects, the settings in force, and a way into the data directory
// or to the service that holds it.
import { lakeOf } from "../../store/retention/lake.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { upgradeBy } from "../../engine/backup/upgrade.ts";
import { Catalog } from "../../engine/catalog/catalog.ts";
import type { ShardInside } from "../../engine/fleet/shard_inside.ts";
import type { OpenService, Served, Service } from "../../engine/service/service.ts";
import type { ShardOf } from "../../model/fleet/shard.ts";
import { keyPath, type Origins, type Settings } from "../../model/setting.ts";
import { namingDamage } from "../../store/damage.ts";
import type { Database } from "../../store/database.ts";
import type { FleetCatalog } from "../../store/fleet/fleet_catalog.ts";
import { findDoor, Folder, hasDatabase, hasShards, tiersPath } from "../../store/folder.ts";
import { openDatabase } from "../../store/open.ts";
import type { ExitCode } from "./exit.ts";
import { askService, type Question, type Remote, type RemoteFlags, remoteOf } from "./remote.ts";

/** Handed to each `addXxxCommand(program, context)`. */
export type Context = {
  readonly effects: Effects;
  readonly version: string;
  readonly openService: OpenService;
  /** Loads what only a fleet needs. */
  readonly loadFleet: () => Promise<FleetDoors>;
  /** Sets the code that the process ends with, where it is not 0. */
  readonly exit: (code: ExitCode) => void;
  /** The settings by this command line's flags, and where each came from. */
  readonly resolve: () => Promise<{ readonly settings: Settings; readonly origins: Origins }>;
};

/** Opens the catalogue of a fleet, a node, the process of a shard; see `src/fleet.ts`. */
export type FleetDoors = {
  readonly openCatalog: (settings: Settings, effects: Effects) => FleetCatalog;
  readonly openNode: (settings: Settings, effects: Effects) => Promise<Served>;
  readonly openShard: OpenInside<ShardOf>;
  /** What stands in for a shard. */
  readonly openStandIn: OpenInside<number>;
};

/** Opens a process that a node started for a shard. */
type OpenInside<Named> = (
  shard: Named,
  settings: Settings,
  effects: Effects,
) => Promise<OpenedInside>;
export type OpenedInside = { readonly service: Service; readonly inside: ShardInside };

/** What a command works with while no service runs. */
export type Offline = {
  readonly folder: Folder;
  readonly database: Database;
  readonly catalog: Catalog;
  readonly settings: Settings;
};

/** The service that flags name, or that holds the data directory; undefined where none runs. */
export async function serviceOf(
  { resolve }: Context,
  flags: RemoteFlags = {},
): Promise<Remote | undefined> {
  if (flags.url !== undefined) return await remoteOf(flags.url, flags);
  return await findDoor((await resolve()).settings.data_dir);
}

/** Asks the service that flags name or that runs here. Throws a `Fault` where there is none. */
export async function askRunning<Answer>(
  context: Context,
  flags: RemoteFlags,
  question: Question,
): Promise<Answer> {
  const remote = await serviceOf(context, flags);
  if (remote !== undefined) return await askService(context.effects, remote, question);
  requireNoNode((await context.resolve()).settings, "ask a node with --url");
  const advice = "start it with `wattkeeper serve`, or name one with --url";
  throw new Fault("conflict", `no service runs on this data directory: ${advice}`);
}

/** Asks a service; the answer is plain data. */
export type Ask = <Answer>(question: Question) => Promise<Answer>;

/** The same work on the data directory, and with a running service. */
export type Ways<Answer> = {
  /** Whether it makes the database where there is none. */
  readonly makes?: boolean;
  readonly here: (parts: Offline) => Promise<Answer> | Answer;
  readonly there: (ask: Ask) => Promise<Answer>;
};

/** Asks the service that flags name or that runs here; works on the data directory without one. */
export async function hereOrThere<Answer>(
  context: Context,
  flags: RemoteFlags,
  { makes = false, here, there }: Ways<Answer>,
): Promise<Answer> {
  const remote = await serviceOf(context, flags);
  if (remote === undefined) {
    return await onDirectory(context, { work: async (parts) => await here(parts), makes });
  }
  return await there((question) => askService(context.effects, remote, question));
}

/**
 * Runs `work` on the data directory's database, which no service may hold, closes it, and hands its
 * directory to `after`. Throws a `Fault` (not_found) where there is none.
 */
export function offline<T>(
  context: Context,
  work: (parts: Offline) => Promise<T>,
  after?: (folder: Folder, result: T) => Promise<void>,
): Promise<T> {
  return onDirectory(context, { work, after, makes: false });
}

type DirectoryWork<T> = {
  readonly work: (parts: Offline) => Promise<T>;
  readonly after?: (folder: Folder, result: T) => Promise<void>;
  readonly makes: boolean;
};

async function onDirectory<T>(
  { effects, version, resolve }: Context,
  { work, after, makes }: DirectoryWork<T>,
): Promise<T> {
  const { settings } = await resolve();
  const { data_dir, memory_mb, threads, library_dir } = settings;
  const requireData = async () => {
    const is_there = await hasDatabase(data_dir);
    // One that was made beside those of a node's shards is of no fleet.
    if (is_there && !await hasShards(data_dir)) return;
    requireNoNode(settings, "ask a node with --url, or name a shard's directory with --data-dir");
    if (!is_there && !makes) throw new Fault("not_found", noData(data_dir));
  };
  // Nothing is made where nothing was; a directory that is held says by whom.
  if (!await Folder.hasLock(data_dir)) await requireData();
  const folder = await Folder.open(data_dir);
  try {
    await requireData();
    const result = await namingDamage(folder, async () => {
      const tell = (text: string) => effects.err(`${text}\n`);
      const { database, guard } = await openDatabase(folder, {
        ...{ effects, memory_mb, threads, library_dir, on_loss: "refuse" },
        ...{ key_path: keyPath(settings), far_path: tiersPath(settings) },
        lake: lakeOf(settings, { effects, tell }),
        onMigrate: upgradeBy({ settings, effects, version, tell }),
      });
      try {
        const catalog = await Catalog.load(database);
        const result = await work({ folder, database, catalog, settings });
        await guard.keep();
        return result;
      } finally {
        await database.close();
      }
    });
    await after?.(folder, result);
    return result;
  } finally {
    folder.close();
  }
}

/** Throws a `Fault` (conflict) on a node of a fleet: what was asked is not for its directory. */
export function requireNoNode({ fleet_node }: Settings, help: string): void {
  if (fleet_node === "none") return;
  const other = "for a service of its own take fleet_node out of the settings";
  throw new Fault("conflict", `this is the node ${fleet_node} of a fleet: ${help}; ${other}`);
}

function noData(data_dir: string): string {
  return `there are no data in ${data_dir}, and no service runs there. Give the directory of one ` +
    "with --data-dir, or a service elsewhere with --url; `site apply` or `serve` makes a new one";
}

/** Prints a list, a text that ends its line for each; says where there is `none`. */
export function outList(
  { out, err }: Pick<Effects, "out" | "err">,
  { lines, none }: { readonly lines: readonly string[]; readonly none: string },
): void {
  if (lines.length === 0) err(`${none}\n`);
  for (const line of lines) out(line);
}
