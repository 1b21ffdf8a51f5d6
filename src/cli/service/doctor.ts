// `doctor`: checks the service, or the data directory without one, and the machine.
import { counted } from "../../base/count.ts";
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault, refusalOfSystem } from "../../base/fault.ts";
import { diskSpace, freeBytes, memoryMb, openFiles } from "../../engine/core/machine.ts";
import { readGrowth } from "../../engine/retention/retention.ts";
import { readTiers, type TierState } from "../../engine/retention/tiers.ts";
import { service_limits } from "../../engine/service/limits.ts";
import { type Growth, growthText } from "../../model/retention/growth.ts";
import { backupFolder, keyPath, type Settings } from "../../model/setting.ts";
import { periodOf } from "../../model/setting_form.ts";
import { hasOlderForm } from "../../store/backup/compact.ts";
import { backupTime, hasDatabase, looseModes, tiersPath } from "../../store/folder.ts";
import {
  extensionFlaw,
  extensionPath,
  extensionsPath,
  libraryHere,
} from "../../store/retention/extension.ts";
import { extensionsOf } from "../../store/retention/lake_place.ts";
import { library, unpackLibrary } from "../../store/duckdb/library.ts";
import { database_limits } from "../../store/limits.ts";
import { type Context, type Offline, offline, serviceOf } from "../frame/context.ts";
import { exit_codes } from "../frame/exit.ts";
import { askService, type RemoteFlags, withRemote } from "../frame/remote.ts";

/** What `doctor` looks at, and at a service if one runs. */
type Patient = {
  readonly context: Context;
  readonly settings: Settings;
  readonly service: ServiceState | undefined;
  /** Opens the database, which no service may hold, the first time that it is called. */
  readonly inside: () => Promise<Inside>;
};

/** What is in the database. */
type Inside = {
  readonly contents: string;
  readonly ahead_us: number;
  readonly tiers: TierState;
  readonly growth: Growth;
};

/** What a service says of itself: values of its gauges by label. */
type ServiceState = {
  readonly not_ready: string | null;
  /** The first of those files of old days that can't be read, and why. */
  readonly broken_files: readonly string[];
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

/** What one look found, if it could look; it throws a `Fault` where something is wrong. */
type Found = Promise<string | undefined> | string;
type Look = (patient: Patient) => Found;

const node_text = "each shard of this node has its own: `wattkeeper fleet status` tells of them, " +
  "doctor with its directory as --data-dir of what is in it";

/** What is looked at here or at the service. */
const service_looks: Readonly<Record<string, Look>> = {
  database: async ({ service, inside, settings: { fleet_node, data_dir } }) => {
    if (service === undefined) {
      const is_of_node = fleet_node !== "none" && !await hasDatabase(data_dir);
      return is_of_node ? node_text : (await inside()).contents;
    }
    const { not_ready } = service;
    return need(not_ready ?? "a service runs and answers", {
      good: not_ready === null,
      remedy: "look into its log",
    });
  },
  stamps: async ({ service, inside }) => {
    const ahead_us = service === undefined
      ? (await ifOpen(inside))?.ahead_us
      : 1e6 * (service.metrics.stamps_ahead_seconds?.[""] ?? 0);
    if (ahead_us === undefined) return;
    const good = ahead_us <= database_limits.stamp_ahead_us;
    const text = good
      ? "time stamps are not ahead of the clock"
      : `time stamps are ${Math.round(ahead_us / 1e6)} s ahead of the clock`;
    const remedy = "set the clock if it is slow; if it was ahead, time stamps continue from " +
      "there until the clock has caught up";
    return need(text, { good, remedy });
  },
  backup: async ({ context, settings, service }) => {
    const made_ms = service === undefined
      ? await backupTime(settings.data_dir)
      : service.metrics.backup_time_seconds?.[""] * 1000;
    const text = made_ms ? `made ${new Date(made_ms).toISOString()}` : "none was made yet";
    const age_ms = context.effects.now_us() / 1000 - (made_ms || 0);
    const has_failed = service?.metrics.backup_failed?.[""] === 1;
    // The first one of a new service is still to come.
    const is_late = Boolean(made_ms) && age_ms > 2 * periodOf(settings.backup_every);
    const remedy = "the last one failed or is overdue: look into the log of the service";
    return need(text, { good: !has_failed && !is_late, remedy });
  },
  tiers: async ({ service, inside, settings }) => {
    const seen = service === undefined ? (await ifOpen(inside))?.tiers : undefined;
    const { whole, broken } = service?.metrics.tier_days ??
      { whole: seen?.whole, broken: seen?.flaws.length };
    if (broken === undefined) return;
    const names = listed(seen?.flaws ?? service!.broken_files, broken);
    const days = counted(whole ?? 0, "day");
    if (settings.tier !== "files") {
      const text = `${days} in a lake, ${broken} more that it does not give`;
      const remedy = `${names}; let its catalogue and its store answer, or restore what they lost`;
      return need(text, { good: broken === 0, remedy });
    }
    const text = `${days} in files, ${broken} more in missing or damaged ones`;
    const remedy = `${names} in ${tiersPath(settings)}; put them back, best from a backup`;
    return need(text, { good: broken === 0, remedy });
  },
  loops: ({ service }) => {
    if (service === undefined) return "no service runs here";
    const failing = Object.entries(service.metrics.loop_failures ?? {})
      .filter(([, failures]) => failures > 0).map(([name]) => name);
    const text = failing.join(", ") || "all loops work";
    return need(text, { good: failing.length === 0, remedy: "it fails: look into the log" });
  },
};

function growthFrom({ metrics }: ServiceState): Growth {
  const full_s = metrics.disk_full_time_seconds?.[""];
  return {
    bytes_per_day: metrics.database_growth_bytes?.[""] ?? null,
    full_day: full_s === undefined ? null : Math.round(full_s / 86_400),
  };
}

/** What is looked at first: each later look that opens the data directory mends it. */
const first_looks: Readonly<Record<string, Look>> = {
  modes: async ({ settings }) => {
    const files = [keyPath(settings), backupFolder(settings)];
    const [loose] = await looseModes(settings.data_dir, files);
    if (!loose) return "nobody but the owner reaches the data";
    throw new Fault("invalid", `others may reach ${loose.path}: chmod go= ${loose.path}`);
  },
};

/** What is looked at on this machine. */
const machine_looks: Readonly<Record<string, Look>> = {
  disk: async ({ settings: { data_dir } }) => {
    const free = await freeBytes(data_dir);
    const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    const good = free > service_limits.doctor_free_disk_bytes;
    return need(text, { good, remedy: "free some space: a full disk stops writes" });
  },
  library: async ({ settings }) => {
    await unpackLibrary(settings);
    return library.folder || "DuckDB's, of its package";
  },
  extensions: async ({ settings }) => {
    const lake = settings.tier === "files" ? [] : extensionsOf(settings);
    if (lake.length === 0) return "none is needed";
    const { platform, version } = await libraryHere(settings);
    const flaws: string[] = [];
    for (const name of lake) {
      const path = extensionPath(extensionsPath(settings), name);
      const flaw = await extensionFlaw(path, { name, platform });
      if (flaw !== undefined) flaws.push(`${name} ${flaw}`);
    }
    const text = flaws.join(", ") || `${lake.join(", ")} for ${version} on ${platform}`;
    return need(text, { good: flaws.length === 0, remedy: "wattkeeper extension install" });
  },
  growth: async ({ context, service, inside }) => {
    const growth = service === undefined ? (await ifOpen(inside))?.growth : growthFrom(service);
    if (growth === undefined) return;
    const { full_day } = growth;
    const today = context.effects.now_us() / 86_400e6;
    const good = full_day === null || full_day > today + service_limits.doctor_full_days;
    const remedy = "free some space, or keep data for a shorter time (keep_samples)";
    return need(growthText(growth), { good, remedy });
  },
  memory: async ({ settings: { memory_mb } }) => {
    const there = await memoryMb();
    const text = `${there} MiB here, ${memory_mb} MiB for the database`;
    const good = memory_mb * 3 <= there;
    return need(text, { good, remedy: "lower memory_mb to a third of it less 400" });
  },
  "open files": async () => {
    const files = await openFiles();
    if (files === null) return "not known on this system";
    const good = files.allowed >= service_limits.open_files;
    return need(`${files.allowed} allowed`, { good, remedy: "raise it with `ulimit -n 65536`" });
  },
  clock: ({ context: { effects } }) => {
    const now = new Date(effects.now_us() / 1000).toISOString();
    const remedy = "set the clock: rows would get a wrong time stamp";
    return need(now, { good: now > "2026", remedy });
  },
  "time zones": () => {
    const winter = Temporal.Instant.from("2026-01-01T00:00Z").toZonedDateTimeISO("America/Denver");
    const summer = Temporal.Instant.from("2026-07-01T00:00Z").toZonedDateTimeISO("America/Denver");
    const good = winter.offset === "-07:00" && summer.offset === "-06:00";
    const text = `Denver ${winter.offset} and ${summer.offset}`;
    return need(text, { good, remedy: "install the program again" });
  },
};

/** Adds `doctor`. */
export function addDoctorCommand(program: Command, context: Context): void {
  withRemote(program.command("doctor"))
    .description("check the service, or the data directory without one, and the machine")
    .action(async (flags: RemoteFlags) => {
      const { settings } = await context.resolve();
      const { effects, version } = context;
      effects.out(
        `good  ${"version".padEnd(10)}  wattkeeper ${version}, Deno ${Deno.version.deno}, ` +
          `${Deno.build.target}\n`,
      );
      const remote = await serviceOf(context, flags);
      const service = remote &&
        await askService<ServiceState>(effects, remote, { path: "/admin/v1/status" });
      // What this machine has is nothing to a service elsewhere.
      const looks = flags.url === undefined
        ? { ...first_looks, ...service_looks, ...machine_looks }
        : service_looks;
      let opened: Promise<Inside> | undefined;
      const inside = () => opened ??= offline(context, lookInside);
      for (const [name, look] of Object.entries(looks)) {
        const good = await report(
          name,
          () => look({ context, settings, service, inside }),
          effects,
        );
        if (!good) context.exit(exit_codes.failed);
      }
    });
}

async function lookInside({ catalog, database, settings: { data_dir } }: Offline): Promise<Inside> {
  const { projects, tags } = catalog;
  const { vault, ahead_us } = database;
  const form = await database.aside(hasOlderForm)
    ? ", in an older form: `wattkeeper compact` makes it smaller"
    : "";
  return {
    contents: `opens, ${counted(projects.length, "project")}, ${counted(tags.length, "tag")}, ` +
      `secrets by key ${vault.key_id}${form}`,
    ahead_us,
    tiers: await readTiers(database),
    growth: await readGrowth({ database, space: () => diskSpace(data_dir) }),
  };
}

/** Undefined where it does not open: the look at the database has told why. */
function ifOpen(inside: Patient["inside"]): Promise<Inside | undefined> {
  return inside().catch(() => undefined);
}

/** The first of `count` texts. */
function listed(texts: readonly string[], count: number): string {
  return texts.slice(0, shown).join(", ") + (count > shown ? ` and ${count - shown} more` : "");
}

const shown = 3;

async function report(
  name: string,
  look: () => Found,
  effects: Pick<Effects, "out">,
): Promise<boolean> {
  try {
    const found = await look();
    const verdict = found === undefined ? "skip" : "good";
    effects.out(`${verdict}  ${name.padEnd(10)}  ${found ?? "not looked at: see database"}\n`);
    return true;
  } catch (error) {
    const reason = error instanceof Fault ? error.message : refusalOfSystem(error);
    if (reason === undefined) throw error;
    effects.out(`bad   ${name.padEnd(10)}  ${reason}\n`);
    return false;
  }
}

/** What was found, or a `Fault` that adds what to do about it. */
function need(found: string, { good, remedy }: { good: boolean; remedy: string }): string {
  if (!good) throw new Fault("invalid", `${found}: ${remedy}`);
  return found;
}
