// `backup` and `restore`: a verified copy of the whole database, and back.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { backUp } from "../../store/backup.ts";
import { Folder, sizeOf } from "../../store/folder.ts";
import { openDatabase } from "../../store/open.ts";
import { type Context, offline } from "../frame/context.ts";

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, context: Context): void {
  program.command("backup").argument("<file>", "the file to write; it must not exist")
    .description("copy the whole database into a file and check every row")
    .action(async (file: string) => {
      if (await sizeOf(file) > 0) throw new Fault("conflict", `${file} exists already`);
      const tables = await offline(context, ({ database }) => backUp(database, file));
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      context.effects.out(`${file} holds ${tables.length} tables, ${rows} rows, verified\n`);
    });
  program.command("restore").argument("<file>", "a file that `backup` made")
    .description("put a backup into an empty data directory")
    .action((file: string) => restore(file, context));
}

/** The copy takes its place only when it opens; the place must be empty. */
async function restore(file: string, { effects, resolve }: Context): Promise<void> {
  const { settings } = await resolve();
  if (await sizeOf(file) === 0) throw new Fault("not_found", `there is no backup at ${file}`);
  const folder = await Folder.open(settings.data_dir);
  try {
    if (await sizeOf(folder.database_path) > 0) {
      throw new Fault("conflict", `${settings.data_dir} holds a database: move it away first`);
    }
    await Deno.copyFile(file, `${folder.database_path}.new`);
    await Deno.chmod(`${folder.database_path}.new`, 0o600);
    await Deno.rename(`${folder.database_path}.new`, folder.database_path);
    const options = { effects, memory_mb: settings.memory_mb, threads: settings.threads };
    const { database } = await openDatabase(folder, { ...options, on_loss: "accept" });
    await database.close();
    effects.out(`${settings.data_dir} holds what ${file} held\n`);
  } finally {
    folder.close();
  }
}
