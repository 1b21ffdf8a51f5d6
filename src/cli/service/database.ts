// Commands on the database: query, retention, verify, model run, compact.
import { counted } from "../../base/count.ts";
import { type Command, Option } from "commander";
import { textOf } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault, type Flaw } from "../../base/fault.ts";
import { queryPieces } from "../../engine/service/query.ts";
import { type Context, hereOrThere, type Offline, offline, serviceOf } from "../frame/context.ts";
import { askResponse, type RemoteFlags, remoteOf, withRemote } from "../frame/remote.ts";
import { nearest } from "../../base/did_you_mean.ts";
import { requireRoom } from "../../engine/backup/backup.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { type ModelRun, runModels } from "../../engine/rollup/model_run.ts";
import { type DueReport, previewRetention } from "../../engine/retention/retention.ts";
import { Rollup } from "../../engine/rollup/rollup.ts";
import { verify } from "../../engine/rollup/pass.ts";
import { kept_words } from "../../model/retention/keep.ts";
import { dayNumber, dayText, isDay } from "../../model/time/calendar.ts";
import { copyAnew, removeCopy, replaceByCopy } from "../../store/backup/compact.ts";
import { sizeOf } from "../../store/folder.ts";
import { readFileUse } from "../../store/retention/disk.ts";
import { exit_codes } from "../frame/exit.ts";
import { showProgress } from "../frame/progress.ts";
import { listStrays } from "../../store/rollup/verify.ts";
import { type VerifyFlags, verifyUpstream } from "../upstream/upstream.ts";
import { dayHint } from "../../wire/bytes/instant.ts";
import { format_names } from "../../wire/format.ts";

type QueryFlags = RemoteFlags & {
  readonly json?: boolean;
  readonly format?: string;
  readonly project?: string[];
  readonly timezone?: string;
};

/** Adds `query`. */
export function addQueryCommand(program: Command, context: Context): void {
  const { effects } = context;
  withRemote(program.command("query").argument("<sql>", "one SELECT"), "query")
    .description("read the database with SQL, or with --url the views of a service")
    .option("--json", "one JSON object per line instead of CSV")
    .addOption(
      new Option("--format <name>", "with --url: form of the answer").choices(format_names),
    )
    .option(
      "--project <key>",
      "with --url: only this project, by key or id; can be repeated",
      (key: string, before: readonly string[] = []) => [...before, key],
    )
    .option("--timezone <name>", "with --url: zone of days and of times without an offset")
    .addHelpText("after", query_help)
    .action(async (sql: string, { json = false, format, ...flags }: QueryFlags) => {
      refuseNoSql(sql);
      if (flags.url !== undefined) return await askViews(effects, { sql, json, format, ...flags });
      refuseViewFlags({ format, ...flags });
      const query = { sql, json };
      const remote = await serviceOf(context, flags);
      if (remote !== undefined) {
        const question = { path: "/admin/v1/query", body: query };
        return effects.out(await (await askResponse(effects, remote, question)).text());
      }
      await offline(context, ({ database }) =>
        database.read(async (connection) => {
          for await (const piece of queryPieces(connection, query)) effects.out(textOf(piece));
        }));
    });
}

/** Throws a `Fault` for what is no statement, but nothing or the name of a file. */
function refuseNoSql(sql: string): void {
  if (sql.trim() === "") {
    throw new Fault("invalid", 'give a statement of SQL, such as "select * from projects"');
  }
  if (!/^\S+\.sql$/i.test(sql)) return;
  throw new Fault("invalid", `give a statement, not a file: wattkeeper query "$(cat ${sql})"`);
}

/** Asks the views of a service, and prints the answer as it comes. */
async function askViews(
  effects: Pick<Effects, "request" | "sleep" | "write">,
  { sql, json, format = json ? "ndjson" : "csv", ...flags }: QueryFlags & { readonly sql: string },
): Promise<void> {
  const remote = await remoteOf(flags.url!, flags);
  const { project: projects, timezone } = flags;
  const body = { sql, format, ...(projects && { projects }), ...(timezone && { timezone }) };
  const response = await askResponse(effects, remote, { path: "/platform/v1/query", body });
  for await (const piece of response.body ?? []) effects.write(piece);
}

/** Throws a `Fault` for a flag that is of use only with --url. */
function refuseViewFlags({ format, project, timezone }: QueryFlags): void {
  const given = Object.entries({ format, project, timezone })
    .filter(([, value]) => value !== undefined).map(([name]) => `--${name}`);
  if (given.length === 0) return;
  throw new Fault("invalid", `${given.join(", ")} goes with --url: it asks a service's views`);
}

const query_help = `
The tables of this machine's database, of which the next version may have others:
  wattkeeper query "show tables"
  wattkeeper query "describe project"
  wattkeeper query "select table_name, column_name from duckdb_columns()"
The views of a service, as its page /docs/query lists them, by a token with the scope query:
  wattkeeper query --url http://plant:8480 --token-file token "show tables"
  wattkeeper query --url http://plant:8480 --token-file token --format parquet \\
    "select * from performance_day where ts >= '2026-06-01'" > days.parquet`;

/** Adds `retention`. */
export function addRetentionCommand(program: Command, context: Context): void {
  const { effects } = context;
  withRemote(program.command("retention"))
    .description("show what is no longer to be kept and how much room it takes; removes nothing")
    .action(async (flags: RemoteFlags) => {
      const due = await hereOrThere(context, flags, {
        here: (parts) => previewRetention({ ...parts, effects }),
        there: async (ask) => {
          type Answer = { readonly due: readonly DueReport[] };
          return (await ask<Answer>({ path: "/admin/v1/retention" })).due;
        },
      });
      for (const { kept, tags, from, to, rows, bytes } of due) {
        const what = `${kept_words[kept]} of ${
          counted(tags, "tag")
        } from ${from} until before ${to}`;
        effects.out(`${what}: ${counted(rows, "row")}, about ${mib(bytes)}\n`);
      }
      effects.out(`about ${mib(due.reduce((sum, { bytes }) => sum + bytes, 0))} to free\n`);
    });
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

/** Adds `verify`. */
export function addVerifyCommand(program: Command, context: Context): void {
  withRemote(program.command("verify"), "operate")
    .description("compute everything again from the samples and report any difference")
    .option("--upstream", "compare a running gateway's rows with its centre's instead")
    .option("--from <date>", "with --upstream: the first day (UTC), YYYY-MM-DD")
    .option("--to <date>", "with --upstream: the last day, included")
    .option("--project <key>", "with --upstream: only this project")
    .addHelpText("after", verify_help)
    .action(({ upstream = false, ...flags }: VerifyFlags & { readonly upstream?: boolean }) => {
      refuseDays(flags);
      if (upstream) return verifyUpstream(context, flags);
      const given = Object.keys(flags)
        .map((name) => `--${name.replace(/[A-Z]/g, (it) => `-${it.toLowerCase()}`)}`);
      if (given.length > 0) throw new Fault("invalid", `${given.join(", ")} goes with --upstream`);
      return offline(context, (parts) => verifyAll(context, parts));
    });
}

const verify_help = `
By itself it opens the data directory, as \`compact\` does: stop the service before.

With --upstream the service runs, and is asked: it compares the number and a digest of the rows of
each tag and hour with the centre's, the newest day first, and sends again what differs. The exit
code is 1 where anything differed; run it again once \`wattkeeper upstream status\` says that
nothing waits.

  wattkeeper verify --upstream
  wattkeeper verify --upstream --project plant-1 --from 2026-05-01 --to 2026-05-31`;

function refuseDays({ from, to }: VerifyFlags): void {
  const flaws = dayFlaws({ "--from": from, "--to": to });
  if (flaws.length > 0) throw new Fault("invalid", "these days can't be compared", { flaws });
}

/** What is wrong with flags that name days. */
function dayFlaws(flags: Readonly<Record<string, string | undefined>>): Flaw[] {
  return Object.entries(flags).flatMap(([path, text]) =>
    text === undefined || isDay(text)
      ? []
      : [{ path, message: `give a day as YYYY-MM-DD, not ${text}${dayHint(text)}` }]
  );
}

async function verifyAll(
  { effects, exit }: Context,
  { database, catalog }: Offline,
): Promise<void> {
  const roll = await Rollup.open({ database, catalog, effects });
  let checked = 0;
  let wrong = 0;
  const progress = await showProgress(effects, { label: "Verifying", total: 100 });
  try {
    for await (const found of verify({ database, catalog, roll })) {
      checked += found.checked;
      wrong += Object.values(found.differences).reduce((sum, count) => sum + count);
      for (const example of found.examples) effects.out(`${example}\n`);
      progress.update(100 * found.place / found.days, found.day);
    }
    for (const { name, rows } of await database.read(listStrays)) {
      wrong += rows;
      effects.out(`${name}: ${rows} of its rows are of tags or sensors that no longer exist\n`);
    }
  } finally {
    progress.stop();
    await roll.close();
  }
  effects.out(
    `${checked} minutes and readings recomputed, ${
      wrong === 1 ? "1 row differs" : `${wrong} rows differ`
    }\n`,
  );
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
  const progress = await showProgress(effects, { label: "Modelling", total: 100 });
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
        `${counted(done.worked, "row")} computed, ${rateOf(done.worked)} rows/s` +
        `${done.resumed ? "; continued a run that was stopped" : ""}\n`,
    );
  } finally {
    progress.stop();
    await roll.close();
  }
}

function runOf({ from, to, site }: Flags, catalog: Catalog): ModelRun {
  const flaws = dayFlaws({ "--from": from, "--to": to });
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

/** Adds `compact`. */
export function addCompactCommand(program: Command, context: Context): void {
  program.command("compact")
    .description("write the database's file anew, so that it takes less room; no service may run")
    .addHelpText("after", compact_help)
    .action(() => compact(context));
}

const compact_help = `
The file of an older version takes about a quarter more room than one that this version makes, and
what was removed leaves free room in a file. All tables are copied and compared before the new file
takes the place of the old one. It takes one to three seconds a million samples, and the disk
must have room for both files. Interrupted, it leaves the database as it was.`;

async function compact(context: Context): Promise<void> {
  const { effects } = context;
  const { memory_mb, threads, library_dir, data_dir } = (await context.resolve()).settings;
  const progress = await showProgress(effects, { label: "Comparing", total: 100 });
  const half = (from: number) => (share: number) => progress.update(from + 50 * share, "");
  try {
    await offline(context, async ({ database, folder }) => {
      // What the log holds belongs to the size before, too.
      await database.checkpoint();
      const { used_bytes } = await database.aside(readFileUse);
      await requireRoom(data_dir, used_bytes, { remedy: "free some space" });
      const before_bytes = await sizeOf(folder.database_path);
      return { before_bytes, copied: await copyAnew(database, folder, { onState: half(0) }) };
    }, async (folder, { before_bytes, copied }) => {
      const options = { effects, memory_mb, threads, library_dir, onState: half(50) };
      try {
        await replaceByCopy(folder, copied, options);
      } finally {
        await removeCopy(folder);
      }
      progress.stop();
      const after = mib(await sizeOf(folder.database_path));
      const what = `${folder.database_path} has ${after}, before ${mib(before_bytes)}`;
      effects.out(`${what}; every table compared\n`);
    });
  } finally {
    progress.stop();
  }
}
