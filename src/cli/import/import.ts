// `import`: samples from files, in any format that ingest takes and as wide historian files.
import { type Command, InvalidArgumentError, Option } from "commander";
import { hex, utf8 } from "../../base/bytes.ts";
import { nearest } from "../../base/did_you_mean.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import {
  databaseTarget,
  importFile,
  type ImportReport,
  type ImportTarget,
} from "../../engine/ingest/import.ts";
import { Ingest } from "../../engine/ingest/ingest.ts";
import { openRuleEngine } from "../../engine/rules/open.ts";
import { Rollup } from "../../engine/rollup/rollup.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { IngestAnswer } from "../../model/samples/sample.ts";
import { replaceFile } from "../../store/folder.ts";
import type { Source } from "../../wire/historian/historian.ts";
import { time_forms, type TimeForm } from "../../wire/historian/time.ts";
import {
  import_formats,
  type ImportFile,
  type ImportFormat,
  type ImportMark,
  openImport,
} from "../../wire/import_file.ts";
import { ndjsonOf } from "../../wire/samples/json.ts";
import { type Context, offline, serviceOf } from "../frame/context.ts";
import { exit_codes } from "../frame/exit.ts";
import { showProgress } from "../frame/progress.ts";
import { askService, type Remote, type RemoteFlags, withRemote } from "../frame/remote.ts";

type Flags = RemoteFlags & {
  readonly project: string;
  readonly format: ImportFormat | "auto";
  readonly lane: "signal" | "model" | "forecast";
  readonly timeColumn?: string;
  readonly timeFormat?: TimeForm;
  readonly timezone?: string;
  readonly delimiter?: string;
  readonly skipRows?: number;
  readonly prefix?: string;
  readonly noValue: readonly string[];
  readonly label?: "start" | "end";
  readonly fresh?: true;
};

/** Adds `import`. */
export function addImportCommand(program: Command, context: Context): void {
  const lanes = ["signal", "model", "forecast"];
  withRemote(program.command("import"), "ingest").description("import samples from files")
    .argument(
      "<file...>",
      "NDJSON, JSON, CSV, Arrow stream, wide historian CSV, TOA5; or .gz of one",
    )
    .requiredOption("--project <key>", "project by its key or id")
    .addOption(
      new Option("--format <name>", "format of the files").default("auto")
        .choices(["auto", ...import_formats]),
    )
    .addOption(new Option("--lane <name>", "kind of the values").default("signal").choices(lanes))
    .option("--time-column <name>", "wide: the column of times, or two of them: Date+Time")
    .addOption(
      new Option("--time-format <name>", `wide: ${timeHelp()}`).choices(Object.keys(time_forms)),
    )
    .option("--timezone <zone>", "wide: zone of the times, or -07:00 (default: the project's)")
    .option("--delimiter <character>", "wide: the character between cells")
    .option("--skip-rows <count>", "wide: lines before the header row", wholeNumber)
    .option("--prefix <text>", "wide: text before each column's name, to make its tag")
    .option("--no-value <text>", "wide: a text that means no value; can be repeated", collect, [])
    .addOption(
      new Option(
        "--label <end>",
        "wide: whether a row's time is the start or the end of its interval; end is moved to " +
          "the start (default: end for TOA5, start for others)",
      )
        .choices(["start", "end"]),
    )
    .option("--fresh", "start again with files whose import was stopped")
    .addHelpText("after", help)
    .action(async (files: readonly string[], flags: Flags) => {
      const remote = await serviceOf(context, flags);
      const rejected = remote === undefined
        ? await importHere(context, { files, flags })
        : await importRemotely(context, { files, flags, remote });
      if (rejected > 0) context.exit(exit_codes.failed);
    });
}

const help = `
Rows that were imported before are duplicates and change nothing. After a stop the import continues
where it was. Wide files: empty cells, NaN, null, N/A, "No Data" and similar texts are no values, in
TOA5 files also -999. The RECORD column of TOA5 is left out. A time in TOA5 is the end of its
interval, as loggers write it: values are stored at the interval's start, but for columns of
instantaneous samples (Smp). Exit code 1 if a row was rejected.`;

type Work = { readonly files: readonly string[]; readonly flags: Flags };

/** What files go to, how times without a zone are read, and where marks are kept. */
type Place = {
  readonly target: ImportTarget;
  readonly timezone: string | undefined;
  readonly keeper: (path: string) => Promise<MarkKeeper>;
};

async function importHere(context: Context, { files, flags }: Work): Promise<number> {
  const { effects } = context;
  return await offline(context, async ({ database, catalog, settings }) => {
    const project = projectOf(catalog, flags.project);
    const parts = { database, catalog, effects };
    const ingest = await Ingest.open({ ...parts, ...await openRuleEngine(parts) });
    const way = { ...flags, project: project.id, fresh: undefined };
    const rejected = await importAll(context, { files, flags }, {
      target: databaseTarget({ database, catalog, ingest }, project),
      timezone: project.timezone,
      keeper: (path) => markKeeper(settings.data_dir, { path, way }),
    });
    effects.err("Rolling up\n");
    const roll = await Rollup.open({ database, catalog, effects });
    try {
      await roll.settle();
    } finally {
      await roll.close();
    }
    return rejected;
  });
}

async function importRemotely(
  context: Context,
  { files, flags, remote }: Work & { readonly remote: Remote },
): Promise<number> {
  const project = await remoteProject(context.effects, { remote, wanted: flags.project });
  const target = serviceTarget(context.effects, { remote, project_id: project.id });
  const keeper = () => Promise.resolve(no_mark);
  const { timezone } = project;
  return await importAll(context, { files, flags }, { target, timezone, keeper });
}

async function importAll(context: Context, { files, flags }: Work, place: Place): Promise<number> {
  let rejected = 0;
  for (const path of files) rejected += await importOne(context, { path, flags }, place);
  return rejected;
}

async function importOne(
  { effects }: Context,
  { path, flags }: { readonly path: string; readonly flags: Flags },
  { target, timezone, keeper }: Place,
): Promise<number> {
  const size = await sizeOrFault(path);
  const file = await openImport(sourceOf(path), optionsOf(flags, timezone));
  // How much a packed file holds is not known before its end.
  const total = file.packed ? Infinity : size;
  const marks = await keeper(path);
  const from = flags.fresh ? undefined : await marks.read();
  if (from) effects.err(`${path}: continues at line ${from.line}\n`);
  const progress = await showProgress(effects, { label: path, total: 100 });
  const begin_ms = effects.monotonic_ms();
  const report = await importFile(file, target, {
    from,
    async onStored(mark, { accepted, duplicates }) {
      await marks.keep(mark);
      const seconds = (effects.monotonic_ms() - begin_ms) / 1000;
      const rate = Math.round((accepted + duplicates) / Math.max(seconds, 0.001));
      progress.update(100 * Math.min(1, mark.offset / total), `${rate} rows/s`);
    },
  }).finally(progress.stop);
  await marks.forget();
  effects.out(summaryOf(report, { path, ...file }));
  return report.rejected_count;
}

async function sizeOrFault(path: string): Promise<number> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (isFile) return size;
  } catch (error) {
    throw new Fault("invalid", `${path} can't be read: ${(error as Error).message}`);
  }
  throw new Fault("invalid", `${path} is no file`);
}

function sourceOf(path: string): Source {
  return async function* (offset) {
    const file = await Deno.open(path);
    await file.seek(offset, Deno.SeekMode.Start);
    yield* file.readable;
  };
}

function optionsOf(flags: Flags, timezone: string | undefined) {
  const zone = flags.timezone ?? timezone;
  return {
    format: flags.format === "auto" ? undefined : flags.format,
    lane: flags.lane,
    wide: {
      time_column: flags.timeColumn,
      time_form: flags.timeFormat,
      timezone: zone ?? "",
      delimiter: flags.delimiter === "\\t" ? "\t" : flags.delimiter,
      skip_rows: flags.skipRows,
      prefix: flags.prefix,
      no_values: flags.noValue,
      label: flags.label,
    },
  };
}

type RemoteProject = Pick<Project, "id" | "key" | "timezone">;

/** The project of a service, by its key or id, that a token may send to. */
async function remoteProject(
  effects: Pick<Effects, "request" | "sleep">,
  { remote, wanted }: { readonly remote: Remote; readonly wanted: string },
): Promise<RemoteProject> {
  type Answer = {
    readonly projects: readonly (Omit<RemoteProject, "id"> & { readonly project_id: string })[];
  };
  const { projects } = await askService<Answer>(effects, remote, { path: "/ingest/v1/projects" });
  return projectOf({ projects: projects.map((it) => ({ ...it, id: it.project_id })) }, wanted);
}

/** The project that is wanted by its key or id. */
function projectOf<P extends Pick<Project, "id" | "key">>(
  { projects }: { readonly projects: readonly P[] },
  wanted: string,
): P {
  const found = projects.filter(({ id, key }) => id === wanted || key === wanted);
  if (found.length === 1) return found[0];
  if (found.length > 1) throw new Fault("invalid", `several projects have the key ${wanted}`);
  const keys = projects.map(({ key }) => key);
  const meant = nearest(wanted, keys);
  const known = keys.length === 0 ? "there is none: apply a site file first" : keys.join(", ");
  throw new Fault("not_found", `no project ${wanted}: ${meant ? `meant ${meant}?` : known}`);
}

function summaryOf(
  { accepted, duplicates, rejected_count, reasons }: ImportReport,
  { path, format, times }: { readonly path: string } & Pick<ImportFile, "format" | "times">,
): string {
  const lines = [
    `${path} (${format}): ${accepted} accepted, ${duplicates} duplicates, ` +
    `${rejected_count} rejected`,
    ...(times === null ? [] : [`  ${times}`]),
  ];
  let named = 0;
  for (const [reason, { count, first }] of reasons) {
    named += count;
    const where = first.map(({ line, tag }) => `line ${line}${tag === null ? "" : ` ${tag}`}`);
    lines.push(`  ${count} × ${reason}: ${where.join(", ")}${count > first.length ? ", …" : ""}`);
  }
  if (rejected_count > named) lines.push(`  and ${rejected_count - named} more`);
  return `${lines.join("\n")}\n`;
}

function timeHelp(): string {
  const forms = Object.entries(time_forms).map(([name, { example }]) => `${name} (${example})`);
  return `how times are written: ${forms.join(", ")}`;
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a whole number");
}

/** A running service; its refusal is a `Fault` with its own words. */
function serviceTarget(
  effects: Pick<Effects, "request" | "sleep">,
  { remote, project_id }: { readonly remote: Remote; readonly project_id: string },
): ImportTarget {
  return {
    async add({ batches, rejected, rejected_count }) {
      const answers = [];
      for (const batch of batches) {
        const { accepted, duplicates, ...refused } = await askService<IngestAnswer>(
          effects,
          remote,
          {
            path: "/ingest/v1/signals",
            search: { project_id, lane: batch.lane },
            rows: ndjsonOf(batch),
          },
        );
        const lines = refused.rejected.map((it) => ({ ...it, line: batch.line[it.line - 1] }));
        answers.push({ ...refused, accepted, duplicates, rejected: lines });
      }
      const none: IngestAnswer = { accepted: 0, duplicates: 0, rejected_count, rejected };
      return answers.reduce(sum, none);
    },
    // What its site file says of intervals and units is the service's own.
    check: () => {},
    noteUnits: () => Promise.resolve(),
  };
}

function sum(a: IngestAnswer, b: IngestAnswer): IngestAnswer {
  return {
    accepted: a.accepted + b.accepted,
    duplicates: a.duplicates + b.duplicates,
    rejected_count: a.rejected_count + b.rejected_count,
    rejected: [...a.rejected, ...b.rejected],
  };
}

/** Where a file's mark is kept, for one file as it is now and one way of reading it. */
type MarkKeeper = {
  readonly read: () => Promise<ImportMark | undefined>;
  readonly keep: (mark: ImportMark) => Promise<void>;
  /** All is imported: there is nothing to go on with. */
  readonly forget: () => Promise<void>;
};

/** Beside the data in `folder`; `way` is how the file is read, as plain data. */
export async function markKeeper(
  folder: string,
  { path, way }: { readonly path: string; readonly way: unknown },
): Promise<MarkKeeper> {
  const { size, mtime } = await Deno.stat(path);
  const real = await Deno.realPath(path);
  const identity = JSON.stringify([real, size, mtime?.getTime() ?? null, way]);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(identity)));
  const place = `${folder}/import-${hex(digest).slice(0, 24)}.json`;
  return {
    async read() {
      try {
        return JSON.parse(await Deno.readTextFile(place)) as ImportMark;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw error;
      }
    },
    keep: (mark) => replaceFile(place, JSON.stringify(mark)),
    forget: () => Deno.remove(place).catch(() => {}),
  };
}

/** Keeps nothing: for a service elsewhere, where sending again is safe. */
const no_mark: MarkKeeper = {
  read: () => Promise.resolve(undefined),
  keep: () => Promise.resolve(),
  forget: () => Promise.resolve(),
};
