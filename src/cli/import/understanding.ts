// What an import understood of a file, in words: for a dry run, and beside what was imported.
import { counted } from "../../base/count.ts";
import type { reasonsOf, UnderstoodTime } from "../../engine/ingest/understanding.ts";
import type { Understanding, UnderstoodColumn } from "../../engine/ingest/understanding.ts";
import type { UnitHint } from "../../model/samples/excess.ts";
import { cli_limits } from "./limits.ts";

/** Everything of a dry run. */
export function understandingText(path: string, it: Understanding): string {
  const lines = [
    `${path} (${it.format}): ${counted(it.rows, "value")} of ${counted(it.tags, "tag")}, ` +
    `${it.rejected_count} rejected. Nothing was stored`,
    ...emptyLines(it.rows + it.rejected_count),
    ...layoutLines(it),
    ...it.span === null
      ? []
      : [`  range     ${isoText(it.span.from_us)} to ${isoText(it.span.to_us)}`],
    ...columnLines(it.columns),
    ...leftOutLines(it.left_out),
    ...it.first_rows.map(rowLine),
    ...reasonLines(it.reasons, it.rejected_count),
    ...repeatLines(it.repeats),
    ...doubtLines(it.doubtful),
    ...excessLines(it.excess),
  ];
  return `${lines.join("\n")}\n`;
}

function layoutLines({ cells, time, keys }: Understanding): readonly string[] {
  if (cells === null || time === null) return [];
  const between = cells.delimiter === "\t" ? "tab" : JSON.stringify(cells.delimiter);
  const steps = time.step_us > 0 ? `, mostly every ${time.step_us / 1e6} s` : "";
  return [
    `  cells     ${between} between them, decimals behind ${JSON.stringify(cells.decimal)}`,
    `  time      ${timesText(time)}${steps}`,
    ...keys.length === 0 ? [] : [`  keys      ${keys.join(" + ")}`],
  ];
}

/** Which columns are the time, its form, and its zone. */
export function timesText({ columns, form, example, zone }: UnderstoodTime): string {
  const by = { flag: "as said", file: "as the file says", project: "the project's zone" };
  const where = zone ? `${zone.name}, ${by[zone.by]}` : "with an offset or in UTC";
  return `${columns.join(" + ")} as ${form} (${example}), ${where}`;
}

function columnLines(columns: readonly UnderstoodColumn[]): readonly string[] {
  const more = columns.length - cli_limits.shown_columns;
  const shown = columns.slice(0, cli_limits.shown_columns).map((column) => {
    const { name, tag, kind, unit } = column;
    const named = kind === null || tag === name ? tag : `${name} → ${tag}`;
    const about = [kind ?? "", unit ?? "", newsText(column)].filter((it) => it !== "");
    return `  column    ${[named, about.join(", ")].filter((it) => it !== "").join("  ")}`;
  });
  const none_known = columns.length > 0 && columns.every(({ known }) => known === null);
  return [
    ...shown,
    ...more > 0 ? [`  and ${more} more`] : [],
    ...none_known
      ? [`  no column is a tag of the project: each becomes a new one, or --map FILE`]
      : [],
  ];
}

function newsText({ known }: UnderstoodColumn): string {
  if (known === undefined) return "";
  return known === null ? "a new tag" : known.measures.join(", ") || "a known tag";
}

/** The columns that are not taken. */
export function leftOutLines(left_out: Understanding["left_out"]): readonly string[] {
  return left_out.map(({ name, why }) => `  left out  ${name}: ${why}`);
}

/** A row as it is understood. */
function rowLine({ line, ts_us, cells, more }: Understanding["first_rows"][number]): string {
  const shown = cells.map(({ tag, value }) =>
    `${tag} = ${typeof value === "string" ? JSON.stringify(value) : value}`
  );
  const rest = more > 0 ? `, and ${more} more` : "";
  return `  line ${line}  ${isoText(ts_us)}  ${shown.join(", ")}${rest}`;
}

function isoText(us: number): string {
  return new Date(us / 1000).toISOString().replace(".000Z", "Z");
}

/** Says so where no cell of a table has a value: there is nothing to store. */
export function emptyLines(rows: number): readonly string[] {
  return rows > 0 ? [] : ["  no cell below the names has a value: there was nothing to store"];
}

/** Why rows were rejected, with the lines of the first. */
export function reasonLines(
  reasons: ReturnType<typeof reasonsOf>,
  rejected_count: number,
): readonly string[] {
  const named = reasons.reduce((sum, { count }) => sum + count, 0);
  const lines = reasons.map(({ reason, count, first }) => {
    const where = first.map(({ line, tag }) => `line ${line}${tag === null ? "" : ` ${tag}`}`);
    return `  ${count} × ${reason}: ${where.join(", ")}${count > first.length ? ", …" : ""}`;
  });
  return rejected_count > named ? [...lines, `  and ${rejected_count - named} more`] : lines;
}

/** The numbers among the values that may mean none. */
export function doubtLines(doubtful: Understanding["doubtful"]): readonly string[] {
  return doubtful.map(({ value, count, tag }) =>
    `  ${count} × the value ${value}, such as of ${tag}: where it means no value, say --no-value ` +
    `${value}`
  );
}

/** The powers that no device of their rating can have. */
export function excessLines(excess: Understanding["excess"]): readonly string[] {
  const more = excess.length - cli_limits.shown_columns;
  const shown = excess.slice(0, cli_limits.shown_columns).map((it) =>
    `  ${it.count} × ${it.tag} is over twice its rated power of ${it.rated_w} W, up to ` +
    `${it.greatest_w} W${hintText(it)}. It is taken as it is`
  );
  return [...shown, ...more > 0 ? [`  and ${more} more beyond their rated power`] : []];
}

function hintText({ divisor, read_as, fits_as }: UnitHint): string {
  if (divisor === null) return "";
  const units = read_as === null ? "is a unit wrong" : `${fits_as} in place of ${read_as}`;
  return `: ${units}? Divided by ${divisor} it fits`;
}

/** The values that stand under the tag and time of another one of the file. */
export function repeatLines(
  { differing, first }: Pick<Understanding["repeats"], "differing" | "first">,
): readonly string[] {
  if (differing === 0) return [];
  const where = first.map(({ line, tag }) => `line ${line} ${tag}`).join(", ");
  return [
    `  ${differing} × another value for a tag and time that came before, the last one is taken: ` +
    `${where}${differing > first.length ? ", …" : ""}`,
  ];
}
