// What every command gets: the effects, the settings in force, and a way into the data directory.
import type { Effects } from "../../base/effects.ts";
import { Catalog } from "../../engine/catalog/catalog.ts";
import type { OpenService } from "../../engine/service/service.ts";
import type { Origins, Settings } from "../../model/setting.ts";
import { namingDamage } from "../../store/damage.ts";
import type { Database } from "../../store/database.ts";
import { Folder } from "../../store/folder.ts";
import { openDatabase } from "../../store/open.ts";
import type { ExitCode } from "./exit.ts";

/** Handed to each `addXxxCommand(program, context)`. */
export type Context = {
  readonly effects: Effects;
  readonly version: string;
  readonly openService: OpenService;
  /** Sets the code that the process ends with, where it is not 0. */
  readonly exit: (code: ExitCode) => void;
  /** The settings by this command line's flags, and where each came from. */
  readonly resolve: () => Promise<{ readonly settings: Settings; readonly origins: Origins }>;
};

/** What a command works with while no service runs. */
export type Offline = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly settings: Settings;
};

/** Runs `work` on the data directory's database, which no service may hold, and closes it. */
export async function offline<T>(
  { effects, resolve }: Context,
  work: (parts: Offline) => Promise<T>,
): Promise<T> {
  const { settings } = await resolve();
  const { memory_mb, threads } = settings;
  const folder = await Folder.open(settings.data_dir);
  try {
    return await namingDamage(folder, async () => {
      const { database, guard } = await openDatabase(folder, {
        ...{ effects, memory_mb, threads, on_loss: "refuse" },
      });
      try {
        const result = await work({ database, catalog: await Catalog.load(database), settings });
        await guard.keep();
        return result;
      } finally {
        await database.close();
      }
    });
  } finally {
    folder.close();
  }
}
