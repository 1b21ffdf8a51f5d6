// Commands on a stopped service's database: backup, restore, query, verify, model run.
import type { Command } from "commander";
import { textOf } from "../../base/bytes.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import { wordAt } from "../../model/data/chunk.ts";
import { backUp } from "../../store/backup.ts";
import type { Connection } from "../../store/connection.ts";
import { isDamage } from "../../store/damage.ts";
import { Folder, keepBackupTime, sizeOf } from "../../store/folder.ts";
import { openDatabase } from "../../store/open.ts";
import { jsonAnswer, textAnswer } from "../../store/query.ts";
import { encode } from "../../wire/format.ts";
import { type Context, type Offline, offline } from "../frame/context.ts";
import { nearest } from "../../base/did_you_mean.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { type ModelRun, runModels } from "../../engine/rollup/model_run.ts";
import { previewRetention } from "../../engine/retention/retention.ts";
import { Rollup } from "../../engine/rollup/rollup.ts";
import { verify } from "../../engine/rollup/pass.ts";
import { dayNumber, dayText, isDay } from "../../model/time/calendar.ts";
import { exit_codes } from "../frame/exit.ts";
import { showProgress } from "../frame/progress.ts";

/** Adds `backup` and `restore`. */
export function addBackupCommands(program: Command, context: Context): void {
  program.command("backup").argument("<file>", "the file to write; it must not exist")
    .description("copy the whole database into a file and check every row")
    .action(async (file: string) => {
      if (await sizeOf(file) > 0) throw new Fault("conflict", `${file} exists already`);
      const { data_dir } = (await context.resolve()).settings;
      const made_ms = context.effects.now_us() / 1000;
      const tables = await offline(context, ({ database }) => backUp(database, file));
      await keepBackupTime(data_dir, made_ms);
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
          if (isDamage(error)) throw error;
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

/** Adds `retention`. */
export function addRetentionCommand(program: Command, context: Context): void {
  program.command("retention")
    .description("show what is no longer to be kept and how much room it takes; removes nothing")
    .action(() =>
      offline(context, async (parts) => {
        const { effects } = context;
        const due = await previewRetention({ ...parts, effects });
        for (const { kept, tags, from_day, to_day, tables } of due) {
          effects.out(`${kept} of ${tags} tags, ${dayText(from_day)} to ${dayText(to_day - 1)}\n`);
          for (const { table, rows, bytes } of tables) {
            effects.out(`  ${rows} rows of ${table}, about ${mib(bytes)}\n`);
          }
        }
        const bytes = due.flatMap(({ tables }) => tables).reduce((sum, it) => sum + it.bytes, 0);
        effects.out(`about ${mib(bytes)} to free\n`);
      })
    );
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

/** Adds `verify`. */
export function addVerifyCommand(program: Command, context: Context): void {
  program.command("verify").description(
    "compute everything again from the samples and report " +
      "any difference",
  )
    .action(() => offline(context, (parts) => verifyAll(context, parts)));
}

async function verifyAll(
  { effects, exit }: Context,
  { database, catalog }: Offline,
): Promise<void> {
  const roll = await Rollup.open({ database, catalog, effects });
  let checked = 0;
  let wrong = 0;
  const progress = showProgress(effects, { label: "Verifying", total: 100 });
  try {
    for await (const found of verify({ database, catalog, roll })) {
      checked += found.checked;
      wrong += Object.values(found.differences).reduce((sum, count) => sum + count);
      for (const example of found.examples) effects.out(`${example}\n`);
      progress.update(100 * found.place / found.days, found.day);
    }
  } finally {
    progress.stop();
    await roll.close();
  }
  effects.out(`${checked} minutes and readings recomputed, ${wrong} rows differ\n`);
  if (wrong > 0) exit(exit_codes.failed);
}

type Flags = { readonly from: string; readonly to: string; readonly site?: string };

/** Adds `model` with its subcommand `run`. */
export function addModelCommand(program: Command, context: Context): void {
  const model = program.command("model").description("compute expected power");
  model.command("run").description("compute expected values again for past days")
    .requiredOption("--from <date>", "first day in the site's time zone, YYYY-MM-DD")
    .requiredOption("--to <date>", "last day, included")
    .option("--site <key>", "only this site, by its key or id")
    .addHelpText("after", model_help)
    .action((flags: Flags) => offline(context, (parts) => runModel(context, { flags, parts })));
}

const model_help = `
When a site file changes parameters, the service computes the whole history again without this
command. The command does it on request, with the setpoints and all sums. The service must not run.
After a stop (Ctrl-C) the finished part is kept; the same command, or the service, does the rest.`;

async function runModel(
  { effects }: Context,
  { flags, parts }: { readonly flags: Flags; readonly parts: Offline },
): Promise<void> {
  const { database, catalog } = parts;
  const run = runOf(flags, catalog);
  const roll = await Rollup.open({ database, catalog, effects });
  const begin_ms = effects.monotonic_ms();
  const progress = showProgress(effects, { label: "Modelling", total: 100 });
  const rateOf = (rows: number) =>
    Math.round(rows / Math.max((effects.monotonic_ms() - begin_ms) / 1000, 0.001));
  try {
    const done = await runModels({
      ...{ database, catalog, roll },
      onState: ({ share, worked }) => progress.update(100 * share, `${rateOf(worked)} rows/s`),
    }, run);
    progress.stop();
    effects.out(
      `${dayText(run.from_day)} to ${dayText(run.to_day)}: ${done.changed} readings changed, ` +
        `${done.worked} rows computed, ${rateOf(done.worked)} rows/s` +
        `${done.resumed ? "; continued a run that was stopped" : ""}\n`,
    );
  } finally {
    progress.stop();
    await roll.close();
  }
}

function runOf({ from, to, site }: Flags, catalog: Catalog): ModelRun {
  const flaws: Flaw[] = [];
  for (const [path, text] of [["--from", from], ["--to", to]] as const) {
    if (!isDay(text)) flaws.push({ path, message: `give a date as YYYY-MM-DD, not ${text}` });
  }
  if (flaws.length === 0 && dayNumber(from) > dayNumber(to)) {
    flaws.push({ path: "--to", message: `give a day that is not before ${from}` });
  }
  if (flaws.length > 0) throw new Fault("invalid", "these days can't be computed", { flaws });
  const site_no = site === undefined ? null : siteOf(site, catalog);
  return { from_day: dayNumber(from), to_day: dayNumber(to), site_no };
}

function siteOf(wanted: string, { sites }: Catalog): number {
  const found = sites.filter(({ id, key }) => id === wanted || key === wanted);
  if (found.length === 1) return found[0].site_no;
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new Fault("invalid", `several sites have the key ${wanted}: give an id (${ids})`);
  }
  const keys = sites.map(({ key }) => key);
  const meant = nearest(wanted, keys);
  const known = keys.length === 0 ? "there is none: apply a site file first" : keys.join(", ");
  throw new Fault("not_found", `no site ${wanted}: ${meant ? `meant ${meant}?` : known}`);
}
