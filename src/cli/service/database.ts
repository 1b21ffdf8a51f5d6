// `backup`, `restore` and `query`: the database of a stopped service, copied, put back, asked.
import type { Command } from "commander";
import { textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { wordAt } from "../../model/data/chunk.ts";
import { backUp } from "../../store/backup.ts";
import type { Connection } from "../../store/connection.ts";
import { Folder, sizeOf } from "../../store/folder.ts";
import { openDatabase } from "../../store/open.ts";
import { jsonAnswer, textAnswer } from "../../store/query.ts";
import { encode } from "../../wire/format.ts";
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

/** Adds `query`. */
export function addQueryCommand(program: Command, context: Context): void {
  program.command("query").argument("<sql>", "one SELECT statement")
    .description("read the database with SQL, while no service runs")
    .option("--json", "one JSON object per line instead of CSV")
    .action((sql: string, { json }: { json?: true }) =>
      offline(context, async ({ database }) => {
        const lines = json ? jsonLines : csvLines;
        try {
          await database.read(async (connection) => {
            for await (const text of lines(connection, sql)) context.effects.out(text);
          });
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          throw new Fault("invalid", reason.split("\n")[0]);
        }
      })
    );
}

async function* csvLines(connection: Connection, sql: string): AsyncGenerator<string> {
  const answer = await textAnswer(connection, sql);
  for await (const bytes of encode(answer, "csv")) yield textOf(bytes);
}

async function* jsonLines(connection: Connection, sql: string): AsyncGenerator<string> {
  for await (const { rows, vectors: [line] } of jsonAnswer(connection, sql).chunks) {
    if (line.kind !== "text") continue;
    for (let i = 0; i < rows; i++) yield `${wordAt(line.words, i)}\n`;
  }
}
