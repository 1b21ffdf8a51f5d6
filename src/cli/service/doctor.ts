// `doctor`: looks at everything that the service needs from its machine, and says what to do.
import type { Command } from "commander";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { service_limits } from "../../engine/service/limits.ts";
import { database_limits } from "../../store/limits.ts";
import { freeBytes, memoryMb, openFiles } from "../../engine/core/machine.ts";
import type { Settings } from "../../model/setting.ts";
import { type Context, offline } from "../frame/context.ts";
import { exit_codes } from "../frame/exit.ts";

/** What one look found; it throws a `Fault` where something is wrong. */
type Look = (context: Context, settings: Settings) => Promise<string> | string;

const looks: Readonly<Record<string, Look>> = {
  version: ({ version }) =>
    `wattkeeper ${version}, Deno ${Deno.version.deno}, ${Deno.build.target}`,
  database: (context) => offline(context, ({ catalog }) => Promise.resolve(contentsOf(catalog))),
  disk: async (_, { data_dir }) => {
    const free = await freeBytes(data_dir);
    const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
    const good = free > service_limits.doctor_free_disk_bytes;
    return need(text, { good, remedy: "free some space: a full disk stops writes" });
  },
  memory: async (_, { memory_mb }) => {
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
  clock: ({ effects }) => {
    const now = new Date(effects.now_us() / 1000).toISOString();
    const remedy = "set the clock: rows would get a wrong time stamp";
    return need(now, { good: now > "2026", remedy });
  },
  stamps: (context) =>
    offline(context, ({ database: { ahead_us } }) => {
      const good = ahead_us <= database_limits.stamp_ahead_us;
      const text = good
        ? "time stamps are not ahead of the clock"
        : `time stamps are ${Math.round(ahead_us / 1e6)} s ahead of the clock`;
      const remedy = "set the clock if it is slow; if it was ahead, time stamps continue from " +
        "there until the clock has caught up";
      return Promise.resolve(need(text, { good, remedy }));
    }),
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
  program.command("doctor").description("check the data directory and the machine")
    .action(async () => {
      const { settings } = await context.resolve();
      for (const [name, look] of Object.entries(looks)) {
        const good = await report(name, () => look(context, settings), context.effects);
        if (!good) context.exit(exit_codes.failed);
      }
    });
}

async function report(
  name: string,
  look: () => Promise<string> | string,
  effects: Pick<Effects, "out">,
): Promise<boolean> {
  try {
    effects.out(`good  ${name.padEnd(10)}  ${await look()}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    effects.out(`bad   ${name.padEnd(10)}  ${error.message}\n`);
    return false;
  }
}

function contentsOf(catalog: { projects: readonly unknown[]; tags: readonly unknown[] }): string {
  return `opens, ${catalog.projects.length} projects, ${catalog.tags.length} tags`;
}

/** What was found, or a `Fault` that adds what to do about it. */
function need(found: string, { good, remedy }: { good: boolean; remedy: string }): string {
  if (!good) throw new Fault("invalid", `${found}: ${remedy}`);
  return found;
}
