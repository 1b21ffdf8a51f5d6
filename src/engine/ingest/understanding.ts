// What an import understood of a file, as plain data: what a dry run shows, in words or as JSON.
import { isValid } from "../../model/data/chunk.ts";
import type { SampleBatch } from "../../model/samples/sample.ts";
import type { ImportFile } from "../../wire/import/import_file.ts";
import type { TableSettings } from "../../wire/import/settings.ts";
import { time_forms } from "../../wire/import/time.ts";
import type { ImportCheck, Reasons } from "./check.ts";
import { import_limits } from "./limits.ts";

/** What is known of a tag in its project: its measures; null where the tag is new. */
export type KnownTag = { readonly measures: readonly string[] } | null;

/** Says what is known of a tag; undefined where that is not told. */
export type TagNews = (tag: string) => KnownTag | undefined;

/** A column, or where rows say what their values are of, a tag. */
export type UnderstoodColumn = {
  /** As the file has it; of a tag of rows, without the prefix that is put before. */
  readonly name: string;
  readonly tag: string;
  /** Null for tags of rows. */
  readonly kind: "number" | "text" | null;
  readonly unit: string | null;
  readonly known: KnownTag | undefined;
};

/** Everything that a dry run shows. Instants are microseconds since 1970 UTC. */
export type Understanding = ReturnType<typeof partsOf> & {
  readonly first_rows: Awaited<ReturnType<typeof firstRows>>;
};

/** What was understood of a file that was looked through; `said` is how it was to be read. */
export async function understandingOf(
  file: ImportFile,
  check: ImportCheck,
  { said, news }: { readonly said: TableSettings; readonly news: TagNews },
): Promise<Understanding> {
  return { ...partsOf(file, check, { said, news }), first_rows: await firstRows(file) };
}

function partsOf(
  file: ImportFile,
  check: ImportCheck,
  { said, news }: { readonly said: TableSettings; readonly news: TagNews },
) {
  const { format, layout } = file;
  const { rows, rejected_count, repeats } = check;
  const { spans, same, differing, first } = repeats;
  return {
    ...{ format, rows, rejected_count, tags: spans.length },
    span: spans.length === 0 ? null : {
      from_us: spans.reduce((least, it) => Math.min(least, it.from_us), Infinity),
      to_us: spans.reduce((most, it) => Math.max(most, it.to_us), -Infinity),
    },
    ...tableParts(file),
    columns: columnsOf(file, { tags: spans.map(({ tag }) => tag), said, news }),
    left_out: layout?.left_out ?? [],
    reasons: reasonsOf(check.reasons),
    repeats: { same, differing, first },
    doubtful: doubtsOf(repeats),
    excess: check.excess,
    proposed: proposedSettings(file, check, said),
  };
}

/** How the cells and the times of a table are written. */
function tableParts({ layout, moved }: ImportFile) {
  if (layout === null) return { cells: null, time: null, keys: [] };
  const { delimiter, numbers, names, time_at, form, zone, step_us, key_at } = layout;
  return {
    cells: { delimiter, decimal: numbers.decimal },
    time: {
      columns: time_at.map((at) => names[at] || `column ${at + 1}`),
      form,
      example: time_forms[form].example,
      zone,
      step_us,
      moved: moved.size > 0,
    },
    keys: key_at.map((at) => names[at]),
  };
}

/** How the times of a table are written. */
export type UnderstoodTime = NonNullable<ReturnType<typeof tableParts>["time"]>;

/** The same of a file alone. */
export function timeOf(file: ImportFile): UnderstoodTime | null {
  return tableParts(file).time;
}

function columnsOf(
  { layout }: ImportFile,
  { tags, said, news }: {
    readonly tags: readonly string[];
    readonly said: TableSettings;
    readonly news: TagNews;
  },
): readonly UnderstoodColumn[] {
  if (layout === null || layout.key_at.length > 0) {
    const nameOf = namesOf(said);
    return tags.map((tag) => (
      { name: nameOf(tag), tag, kind: null, unit: null, known: news(tag) }
    ));
  }
  return layout.columns.map(({ name, tag, kind, unit }) => (
    { name, tag, kind, unit, known: news(tag) }
  ));
}

/** What the file calls a tag of its rows: as was said of it, or without the prefix. */
function namesOf({ prefix = "", tags = {} }: TableSettings): (tag: string) => string {
  const said = new Map(Object.entries(tags).map(([name, tag]) => [tag, name]));
  return (tag) => said.get(tag) ?? (tag.startsWith(prefix) ? tag.slice(prefix.length) : tag);
}

/** The first rows, each with its first cells. */
async function firstRows(file: ImportFile) {
  for await (const { decoded, line_base } of file.pieces()) {
    const batches = decoded.batches.filter((it) => it.lane !== "forecast") as SampleBatch[];
    const [batch] = batches;
    if (!batch) continue;
    const rows: { line: number; ts_us: number; cells: ShownCell[]; more: number }[] = [];
    for (let at = 0; at < batch.rows; at++) {
      const [line, ts_us] = [batch.line[at] + line_base, Number(batch.ts[at])];
      let row = rows.find((it) => it.line === line && it.ts_us === ts_us);
      if (!row) {
        if (rows.length === import_limits.shown_rows) break;
        rows.push(row = { line, ts_us, cells: [], more: 0 });
      }
      if (row.cells.length === import_limits.shown_cells) row.more++;
      else row.cells.push({ tag: batch.tags[batch.tag[at]], value: valueOf(batch, at) });
    }
    return rows;
  }
  return [];
}

type ShownCell = { readonly tag: string; readonly value: string | number };

function valueOf(batch: SampleBatch, row: number): string | number {
  const text = batch.value_str.get(row);
  if (text !== undefined) return text;
  return isValid(batch.int_valid, row) ? Number(batch.value_int[row]) : batch.value[row];
}

/** Why rows were rejected, as a list. */
export function reasonsOf(reasons: Reasons) {
  return [...reasons].map(([reason, { count, first }]) => ({
    ...{ reason, count },
    first: first.map(({ line, tag }) => ({ line, tag })),
  }));
}

/** The numbers that may mean no value, as a list. */
export function doubtsOf({ doubtful }: Pick<ImportCheck["repeats"], "doubtful">) {
  return [...doubtful].map(([value, { count, tag }]) => ({ value, count, tag }));
}

/** The settings that read a file as it was understood. */
function proposedSettings(
  { layout, format }: ImportFile,
  { repeats }: Pick<ImportCheck, "repeats">,
  said: TableSettings,
): TableSettings {
  if (layout === null) return said;
  const { names, key_at, columns, form, time_at, zone, numbers, toa5 } = layout;
  const nameOf = namesOf(said);
  const own = key_at.length === 0
    ? columns.map(({ name, tag }) => [name, tag] as const)
    : repeats.spans.map(({ tag }) => [nameOf(tag), tag] as const);
  return {
    ...said,
    time_column: time_at.map((at) => names[at] || String(at + 1)),
    time_format: form,
    timezone: zone === null || zone.by === "project" ? undefined : zone.name,
    key_column: key_at.map((at) => names[at] || String(at + 1)),
    delimiter: layout.delimiter,
    decimal: numbers.decimal,
    label: said.label ?? (toa5 || format === "toa5" ? undefined : "start"),
    tags: { ...said.tags, ...Object.fromEntries(own) },
  };
}
