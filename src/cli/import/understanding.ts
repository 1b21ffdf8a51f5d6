// What an import understood of a file, in words: for a dry run, and beside what was imported.
import type { ImportCheck, Reasons } from "../../engine/ingest/check.ts";
import type { SampleBatch } from "../../model/samples/sample.ts";
import type { ImportFile } from "../../wire/import/import_file.ts";
import type { Layout } from "../../wire/import/layout.ts";
import { time_forms } from "../../wire/import/time.ts";
import { cli_limits } from "./limits.ts";
import type { TableSettings } from "./settings.ts";

/** Says what is known of a tag in the project, such as its measure. */
export type TagNews = (tag: string) => string;

/** What a dry run shows beside the file. */
type Shown = { readonly path: string; readonly news: TagNews };

/** Everything of a dry run. */
export async function understandingOf(
  file: ImportFile,
  check: ImportCheck,
  { path, news }: Shown,
): Promise<string> {
  const { layout, format } = file;
  const { spans } = check.repeats;
  const from_us = Math.min(...spans.map((it) => it.from_us));
  const to_us = Math.max(...spans.map((it) => it.to_us));
  const lines = [
    `${path} (${format}): ${check.rows} values of ${spans.length} tags, ` +
    `${check.rejected_count} rejected. Nothing was stored`,
    ...layout === null ? [] : layoutLines(layout),
    ...spans.length === 0 ? [] : [`  range     ${isoText(from_us)} to ${isoText(to_us)}`],
    ...columnLines(file, spans.map(({ tag }) => tag), news),
    ...layout === null ? [] : leftOutLines(layout),
    ...await rowLines(file),
    ...reasonLines(check.reasons, check.rejected_count),
    ...repeatLines(check),
    ...doubtLines(check),
  ];
  return `${lines.join("\n")}\n`;
}

function layoutLines(layout: Layout): readonly string[] {
  const { delimiter, numbers, step_us, key_at, names } = layout;
  const cells = delimiter === "\t" ? "tab" : JSON.stringify(delimiter);
  const steps = step_us > 0 ? `, mostly every ${step_us / 1e6} s` : "";
  return [
    `  cells     ${cells} between them, decimals behind ${JSON.stringify(numbers.decimal)}`,
    `  time      ${timesText(layout)}${steps}`,
    ...key_at.length === 0 ? [] : [`  keys      ${key_at.map((at) => names[at]).join(" + ")}`],
  ];
}

/** Which columns are the time, its form, and its zone. */
export function timesText({ names, time_at, form, zone }: Layout): string {
  const by = { flag: "as said", file: "as the file says", project: "the project's zone" };
  const where = zone ? `${zone.name}, ${by[zone.by]}` : "with an offset or in UTC";
  const columns = time_at.map((at) => names[at] || `column ${at + 1}`).join(" + ");
  return `${columns} as ${form} (${time_forms[form].example}), ${where}`;
}

function columnLines(
  { layout }: ImportFile,
  tags: readonly string[],
  news: TagNews,
): readonly string[] {
  const rows = layout === null || layout.key_at.length > 0
    ? tags.map((tag) => [tag, news(tag)].filter((it) => it !== "").join("  "))
    : layout.columns.map(({ name, tag, kind, unit }) => {
      const to = tag === name ? "" : ` → ${tag}`;
      const about = [kind, unit ?? "", news(tag)].filter((it) => it !== "").join(", ");
      return `${name}${to}  ${about}`;
    });
  const more = rows.length - cli_limits.shown_columns;
  return [
    ...rows.slice(0, cli_limits.shown_columns).map((row) => `  column    ${row}`),
    ...more > 0 ? [`  and ${more} more`] : [],
  ];
}

/** The columns that are not taken. */
export function leftOutLines({ left_out }: Layout): readonly string[] {
  return left_out.map(({ name, why }) => `  left out  ${name}: ${why}`);
}

/** The first rows as they are understood. */
async function rowLines(file: ImportFile): Promise<readonly string[]> {
  for await (const { decoded, line_base } of file.pieces()) {
    const batches = decoded.batches.filter((it) => it.lane !== "forecast") as SampleBatch[];
    const [batch] = batches;
    if (!batch) continue;
    const lines = new Map<string, string[]>();
    for (let row = 0; row < batch.rows && lines.size <= cli_limits.shown_rows; row++) {
      const key = `line ${batch.line[row] + line_base}  ${isoText(Number(batch.ts[row]))}`;
      const cells = lines.get(key) ?? [];
      cells.push(`${batch.tags[batch.tag[row]]} = ${cellText(batch, row)}`);
      lines.set(key, cells);
    }
    return [...lines].slice(0, cli_limits.shown_rows).map(([key, cells]) => {
      const more = cells.length - cli_limits.shown_cells;
      const shown = cells.slice(0, cli_limits.shown_cells).join(", ");
      return `  ${key}  ${shown}${more > 0 ? `, and ${more} more` : ""}`;
    });
  }
  return [];
}

function cellText(batch: SampleBatch, row: number): string {
  const text = batch.value_str.get(row);
  if (text !== undefined) return JSON.stringify(text);
  return Number.isNaN(batch.value[row]) ? String(batch.value_int[row]) : String(batch.value[row]);
}

function isoText(us: number): string {
  return new Date(us / 1000).toISOString().replace(".000Z", "Z");
}

/** Why rows were rejected, with the lines of the first. */
export function reasonLines(reasons: Reasons, rejected_count: number): readonly string[] {
  const lines: string[] = [];
  let named = 0;
  for (const [reason, { count, first }] of reasons) {
    named += count;
    const where = first.map(({ line, tag }) => `line ${line}${tag === null ? "" : ` ${tag}`}`);
    lines.push(`  ${count} × ${reason}: ${where.join(", ")}${count > first.length ? ", …" : ""}`);
  }
  return rejected_count > named ? [...lines, `  and ${rejected_count - named} more`] : lines;
}

/** The numbers among the values that may mean none. */
export function doubtLines({ repeats: { doubtful } }: Pick<ImportCheck, "repeats">) {
  return [...doubtful].map(([value, { count, tag }]) =>
    `  ${count} × the value ${value}, such as of ${tag}: where it means no value, say --no-value ` +
    `${value}`
  );
}

/** The values that stand under the tag and time of another one of the file. */
export function repeatLines({ repeats: { differing, first } }: Pick<ImportCheck, "repeats">) {
  if (differing === 0) return [];
  const where = first.map(({ line, tag }) => `line ${line} ${tag}`).join(", ");
  return [
    `  ${differing} × another value for a tag and time that came before, the last one is taken: ` +
    `${where}${differing > first.length ? ", …" : ""}`,
  ];
}

/** What a mapping file would say of a file that is understood. */
export function proposedMap(
  { layout, format }: ImportFile,
  check: Pick<ImportCheck, "repeats">,
  said: TableSettings,
): TableSettings {
  if (layout === null) return said;
  const { names, key_at, columns, form, time_at, zone, numbers, toa5 } = layout;
  const prefix = said.prefix ?? "";
  const own = key_at.length === 0
    ? columns.map(({ name, tag }) => [name, tag] as const)
    : check.repeats.spans.map(({ tag }) =>
      [tag.startsWith(prefix) ? tag.slice(prefix.length) : tag, tag] as const
    );
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
