// `import`: samples from files, in any format that ingest takes and as tables of many kinds.
import { type Command, Option } from "commander";
import { counted } from "../../base/count.ts";
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { checkImport, type ImportCheck, refuseRepeats } from "../../engine/ingest/check.ts";
import { fileSource, importFile, type ImportReport } from "../../engine/ingest/import.ts";
import { doubtsOf, reasonsOf, timeOf, understandingOf } from "../../engine/ingest/understanding.ts";
import { replaceFile } from "../../store/folder.ts";
import {
  import_formats,
  type ImportFile,
  type ImportFormat,
  type ImportMark,
  openImport,
} from "../../wire/import/import_file.ts";
import { tableOptions, type TableSettings } from "../../wire/import/settings.ts";
import { type Context, serviceOf } from "../frame/context.ts";
import { fileRefusal } from "../frame/data_file.ts";
import { exit_codes } from "../frame/exit.ts";
import { type Progress, showProgress } from "../frame/progress.ts";
import { type Remote, type RemoteFlags, withRemote } from "../frame/remote.ts";
import {
  atHome,
  type Destination,
  type Found,
  placeThere,
  plainReport,
  reportOf,
} from "./place.ts";
import { addTableFlags, mapText, mergeSettings, readMap } from "./settings.ts";
import {
  doubtLines,
  emptyLines,
  excessLines,
  leftOutLines,
  reasonLines,
  repeatLines,
  timesText,
  understandingText,
} from "./understanding.ts";

/** The flags that are no settings of tables. */
type ImportFlags = RemoteFlags & {
  readonly project?: string;
  readonly format: ImportFormat | "auto";
  readonly lane: "signal" | "model" | "forecast";
  readonly map?: string;
  readonly dryRun?: true;
  readonly fresh?: true;
};

/** Adds `import`. */
export function addImportCommand(program: Command, context: Context): void {
  const lanes = ["signal", "model", "forecast"];
  const command = withRemote(program.command("import"), "ingest")
    .description("import samples from files")
    .argument(
      "<file...>",
      "a table (CSV and the like, TOA5, XLSX), or rows of samples (NDJSON, JSON, CSV, Arrow " +
        "stream); or .gz of one",
    )
    .option("--project <key>", "project by its key or id; a dry run goes without it, too")
    .option("--dry-run", "show how the files are understood, and import nothing")
    .option("--map <file>", "settings and tags from a mapping file; a dry run proposes a new one")
    .addOption(
      new Option("--format <name>", "format of the files").default("auto")
        .choices(["auto", ...import_formats]),
    )
    .addOption(new Option("--lane <name>", "kind of the values").default("signal").choices(lanes))
    .option("--fresh", "start again with files whose import was stopped")
    .addHelpText("after", help);
  addTableFlags(command);
  command.action(async (files: readonly string[], flags: ImportFlags) => {
    const remote = await serviceOf(context, flags);
    const whole = await importFiles(context, { files, flags, remote });
    if (!whole) context.exit(exit_codes.failed);
  });
}

const help = `
A file is read to its end before any of it is stored. How a table is written is found by what is in
it; what can't be told is asked for by the name of a flag. Rows that were imported before are
duplicates and change nothing. After a stop the import continues where it was. Empty cells, NaN,
null, N/A, "No Data" and similar texts are no values, in TOA5 also -999. A time in TOA5 is the end
of its interval, as loggers write it: values are stored at the interval's start, but for columns of
instantaneous samples (Smp). Exit code 1 if a row was rejected, or if a value of the file replaced
another one of the same tag and time without --repeats last.`;

type Work = {
  readonly files: readonly string[];
  readonly flags: ImportFlags;
  readonly remote: Remote | undefined;
};

type FileWork = {
  readonly path: string;
  readonly flags: ImportFlags;
  readonly said: TableSettings;
};

/** Imports files, or shows what they are. Whether every value of them is stored now. */
async function importFiles(context: Context, work: Work): Promise<boolean> {
  const { files, flags, remote } = work;
  const said = mergeSettings(flags, await mapOf(flags));
  for (const path of files) await sizeOrFault(path);
  const each = async (use: (path: string) => Promise<boolean>) => {
    let whole = true;
    for (const path of files) whole = await use(path) && whole;
    return whole;
  };
  if (flags.project === undefined) {
    if (!flags.dryRun) {
      throw new Fault("invalid", "say with --project which project the files are of");
    }
    const nobody = { timezone: undefined, news: () => undefined, target: undefined };
    const way = { ...nobody, rated: undefined };
    return await each((path) => dryRun(context.effects, { path, flags, said }, way));
  }
  const use = (place: Destination) => (path: string) =>
    flags.dryRun
      ? dryRun(context.effects, { path, flags, said }, place)
      : importOne(context.effects, { path, flags, said }, place);
  const { project } = flags;
  return remote === undefined
    ? await atHome(context, project, (place) => each(use(place)))
    : await each(
      use(await placeThere(context, { project, remote, is_dry: flags.dryRun ?? false })),
    );
}

/** What the mapping file says; a dry run may name one that is not there yet. */
async function mapOf({ map, dryRun }: ImportFlags): Promise<TableSettings> {
  if (map === undefined) return {};
  const said = await readMap(map);
  if (said || dryRun) return said ?? {};
  throw new Fault(
    "not_found",
    `there is no mapping file ${map}: a dry run makes one, \`import --dry-run --map ${map} FILE\``,
  );
}

async function dryRun(
  effects: Effects,
  work: FileWork,
  { timezone, news, target, rated }: Pick<Destination, "timezone" | "news"> & {
    readonly target: Destination["target"] | undefined;
    readonly rated: Destination["rated"] | undefined;
  },
): Promise<boolean> {
  const { path, flags: { map }, said } = work;
  const { file, check } = await lookThrough(effects, work, {
    home_timezone: timezone,
    foresee: target?.foresee,
    rated,
  });
  const understood = await understandingOf(file, check, { said, news });
  effects.out(understandingText(path, understood));
  if (map !== undefined && await readMap(map) === undefined) {
    await replaceFile(map, mapText(path, understood.proposed));
    effects.out(`  map       proposed in ${map}: edit it, and import with --map ${map}\n`);
  }
  if (said.repeats !== "last") refuseRepeats(file, check);
  return isWhole(said, { differing: check.repeats.differing, rejected: check.rejected_count });
}

/** Opens a file and reads it to its end. */
async function lookThrough(
  effects: Effects,
  { path, flags, said }: FileWork,
  { home_timezone, foresee, rated }: {
    readonly home_timezone: string | undefined;
    readonly foresee?: Destination["target"]["foresee"];
    readonly rated: Destination["rated"] | undefined;
  },
): Promise<{ readonly file: ImportFile; readonly check: ImportCheck; readonly size: number }> {
  const size = await sizeOrFault(path);
  const file = await openFile(path, { flags, said, home_timezone });
  const progress = await progressOf(effects, { path, what: "checking", file, size });
  const onLooked = (mark: ImportMark) => progress.update(mark.offset, "");
  const check = await checkImport(file, onLooked, { foresee, rated }).finally(progress.stop);
  return { file, check, size };
}

async function importOne(
  effects: Effects,
  work: FileWork,
  { target, timezone, rated, keeper }: Destination,
): Promise<boolean> {
  const { path, flags, said } = work;
  const marks = await keeper(path, [said, flags.format, flags.lane]);
  const kept = flags.fresh ? undefined : await marks.read();
  const { file, found, size } = kept
    ? {
      file: await openFile(path, { flags, said, home_timezone: timezone }),
      found: kept.whole?.found,
      size: await sizeOrFault(path),
    }
    : await findOut(effects, work, { home_timezone: timezone, rated });
  const differing = found?.repeats.differing ?? kept?.differing ?? 0;
  const before = kept?.whole && reportOf(kept.whole.report);
  const untold = before ? 0 : kept?.rejected ?? 0;
  if (kept) effects.err(`${path}: continues at line ${kept.line}\n`);
  const progress = await progressOf(effects, { path, what: "importing", file, size });
  const begin_ms = effects.monotonic_ms();
  const report = await importFile(file, target, {
    ...{ from: kept, before, check: found, in_order: differing > 0 },
    async onStored(mark, report) {
      await marks.keep({
        ...{ ...mark, differing, rejected: untold + report.rejected_count },
        whole: found && { found, report: plainReport(report) },
      });
      const rows = rowsOf(report) - (before ? rowsOf(before) : 0);
      const seconds = (effects.monotonic_ms() - begin_ms) / 1000;
      progress.update(mark.offset, `${Math.round(rows / Math.max(seconds, 0.001))} rows/s`);
    },
  }).finally(progress.stop);
  await marks.forget();
  effects.out(summaryOf(report, { path, file, found }));
  if (kept && !before) {
    effects.out(`  counted from line ${kept.line} on; ${untold} rejected before\n`);
  }
  return isWhole(said, { differing, rejected: untold + report.rejected_count });
}

/** Looks a file through, and refuses it where too many of its values replace others. */
async function findOut(
  effects: Effects,
  work: FileWork,
  way: { readonly home_timezone: string | undefined; readonly rated: Destination["rated"] },
) {
  const { file, check, size } = await lookThrough(effects, work, way);
  if (work.said.repeats !== "last") refuseRepeats(file, check);
  const { rows, rejected_count, repeats } = check;
  const { differing, first } = repeats;
  const counts = { rows, rejected_count, repeats: { differing, first } };
  return { file, size, found: { ...counts, doubtful: doubtsOf(repeats), excess: check.excess } };
}

function rowsOf({ accepted, duplicates }: ImportReport): number {
  return accepted + duplicates;
}

/** Whether every value of a file is stored, or what is not was left out on purpose. */
function isWhole(
  { repeats }: TableSettings,
  { differing, rejected }: { readonly differing: number; readonly rejected: number },
): boolean {
  return rejected === 0 && (differing === 0 || repeats === "last");
}

function openFile(
  path: string,
  { flags, said, home_timezone }: Omit<FileWork, "path"> & {
    readonly home_timezone: string | undefined;
  },
): Promise<ImportFile> {
  return openImport(fileSource(path), {
    format: flags.format === "auto" ? undefined : flags.format,
    lane: flags.lane,
    sheet: said.sheet,
    written_at: said.written_at,
    table: { ...tableOptions(said), home_timezone },
  });
}

/** Shows how far the reading of a file is. */
async function progressOf(
  effects: Effects,
  { path, what, file, size }: {
    readonly path: string;
    readonly what: string;
    readonly file: ImportFile;
    readonly size: number;
  },
): Promise<Progress> {
  // How much a packed file holds is not known before its end.
  const total = file.packed ? Infinity : Math.max(1, size);
  const { update, stop } = await showProgress(effects, { label: `${what} ${path}`, total: 100 });
  return {
    update: (offset, note) => update(100 * Math.min(1, offset / total), note),
    stop,
  };
}

async function sizeOrFault(path: string): Promise<number> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (isFile) return size;
  } catch (error) {
    throw await fileRefusal(path, error);
  }
  throw await fileRefusal(path, new Deno.errors.IsADirectory());
}

function summaryOf(
  { accepted, corrected, duplicates, rejected_count, reasons }: ImportReport,
  { path, file, found }: {
    readonly path: string;
    readonly file: ImportFile;
    readonly found: Found | undefined;
  },
): string {
  const { format, layout, moved } = file;
  const lines = [
    `${path} (${format}): ${accepted} accepted, ${duplicates} duplicates, ` +
    `${rejected_count} rejected`,
    ...corrected ? [`  ${counted(corrected, "stored value")} corrected`] : [],
  ];
  if (layout !== null) {
    const { toa5, columns, step_us } = layout;
    const kept = moved.size < columns.length ? ", but for instantaneous samples (Smp)" : "";
    lines.push(`  times are ${timesText(timeOf(file)!)}`);
    if (moved.size > 0) {
      lines.push(`  times end intervals of ${step_us / 1e6} s: stored at their starts${kept}`);
    } else if (toa5) lines.push("  times are stored as they stand in the file");
    lines.push(...leftOutLines(layout.left_out));
  }
  if (found) lines.push(...emptyLines(found.rows + found.rejected_count));
  lines.push(...reasonLines(reasonsOf(reasons), rejected_count));
  if (found) {
    lines.push(...repeatLines(found.repeats), ...doubtLines(found.doubtful));
    lines.push(...excessLines(found.excess ?? []));
  }
  return `${lines.join("\n")}\n`;
}
