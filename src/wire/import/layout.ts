// How a table to import is laid out: its names, the kinds of its columns, what makes a tag.
import { textOf } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { tagFlaw } from "../samples/tag_index.ts";
import { detectNumbers, isNumberLike, type NumberStyle } from "./number.ts";
import type { TableOptions } from "./options.ts";
import { isUnit, kindOf, processing, unit_form, unitInName, withoutSuffixes } from "./value.ts";
import { mark_suffix, surfrad_names, surfrad_no_value } from "./surfrad.ts";
import { columnAt, firstLine, type Head, requireColumns, type Row, tableOf } from "./table.ts";
import { findTimeColumns, isYearName, readTimeColumns, timeOfRow } from "./time_columns.ts";
import { isClock, time_forms, type TimeForm } from "./time.ts";
import { checkMarks, isZoneName, type SaidZone, zoneAbove, zoneInHeader } from "./zone_mark.ts";
import { importRefusal } from "./refusal.ts";

const no_values = "the file has no column of values beside its time and what --key-column names";

/** One column of values. */
export type TableColumn = {
  /** Its place in a row, from 0. */
  readonly at: number;
  /** Its name as the file has it, made whole where it is not the only one. */
  readonly name: string;
  /** What it adds to a tag; the whole of it where there are no keys. */
  readonly tag: string;
  readonly unit: string | null;
  readonly kind: "number" | "text";
  /** Behind each number: a unit, a sign of percent. */
  readonly suffix: string;
  /** How far its times lie after the start of what its values are of. */
  readonly shift_us: number;
  /** Place of the marks of its values' quality; -1 where there are none. */
  readonly mark_at: number;
};

/** How a table is laid out. */
export type Layout = {
  readonly toa5: boolean;
  /** Annotated CSV of InfluxDB. */
  readonly influx: boolean;
  /** Numbers that mean no value in files of its kind. */
  readonly no_values: readonly number[];
  readonly delimiter: string;
  readonly numbers: NumberStyle;
  /** Cells of the header. */
  readonly width: number;
  readonly names: readonly string[];
  /** Places of the time's columns, whose cells are read as one text. */
  readonly time_at: readonly number[];
  readonly form: TimeForm;
  /** The zone of times without an offset, and who says so; null where every time has one. */
  readonly zone: SaidZone | null;
  /** Place of a column that says whether summer time is kept; -1 where there is none. */
  readonly summer_at: number;
  /** Place of a column that says the unit of a row's values; -1 where there is none. */
  readonly unit_at: number;
  /** Places of the columns that say what a row's values are of. */
  readonly key_at: readonly number[];
  readonly columns: readonly TableColumn[];
  /** Columns that are not taken, and why. */
  readonly left_out: readonly { readonly name: string; readonly why: string }[];
  /** Number of the first line with values. */
  readonly first_line: number;
  /** The most frequent step between rows. */
  readonly step_us: number;
  /** Whether the newest rows are the first ones. */
  readonly falling: boolean;
};

const summer_name = /^(is_?)?(dst|summer.?time|sommerzeit|daylight.*|ora legale|heure d.?été)$/i;
const key_name = new RegExp(
  "^(_measurement|_field|entity_?id|statistic_?id|(device|inverter|logger|meter|string|sensor|" +
    "(sensor_)?tag|channel|point|signal|parameter|metric|variable|field|component|asset|system|" +
    "equipment|object|manageobject|ger[aä]t|wechselrichter|messstelle|kanal|onduleur|inversor|" +
    "dispositivo)([ _-]?(name|id|sn|no|number|nr|serial|serial ?number|key|label|esn))?|sn|" +
    "esn|serial|serial ?(no|number)|seriennummer|dispositif|apparecchio|enhed|laite)$",
  "i",
);
const unit_name = /^(units?|einheit|unit_of_measurement|unité|unidad|unità)$/i;
const value_name =
  /^(_?value|wert|valeur|valor|valore|waarde|värde|state|reading|messwert|val|mean)$/i;
/** What Campbell's loggers write for a value that is none, beside NAN. */
const logger_no_value = -999;
/** Columns of annotated CSV of InfluxDB that hold no values. */
const influx_own = ["", "result", "table", "_start", "_stop"];
const looked_rows = 1000;
const above_bytes = 64 * 1024;

/** The layout of a file. Throws a `Fault` (invalid) that says what can't be told from it. */
export function layoutOf(head: Head, options: TableOptions): Layout {
  const first = firstLine(head);
  const toa5 = /^"?TOA5"?,/.test(first);
  const influx = /^#(datatype|group|default),/.test(first);
  const surfrad = first === surfrad_names;
  const table = tableOf(
    head,
    { ...options, ...toa5 ? { skip_rows: 1, delimiter: "," } : {} },
    (rows) => findTimeColumns(rows, options) !== undefined,
  );
  const time = readTimeColumns(table, options);
  const header = headerOf(table.rows.slice(0, time.first), time);
  const values = table.rows.filter(({ line }) => line > header.last_line);
  const read = time_forms[time.form].read;
  const times = values.map((row) => read(timeOfRow(row, time.at)));
  const walls = times.map((it) => it?.wall_us ?? NaN).filter((it) => !isNaN(it));
  const step_us = usualStep(walls);
  const draft = {
    ...{ toa5, influx, surfrad, values: values.slice(0, looked_rows), header, options, step_us },
    ...{ time_at: time.at, others: time.others, wall_us: walls[0] ?? 0 },
    above: linesAbove(head, header.line),
  };
  const { timezone, home_timezone } = options;
  const offsets = times.every((it) =>
    it === undefined || it.offset_minutes !== null && !(it.lettered && timezone !== undefined)
  );
  if (timezone === undefined && home_timezone !== undefined && times.some((it) => it?.lettered)) {
    const texts = values.map((row) => timeOfRow(row, time.at));
    checkMarks(texts, { home_timezone, wall_us: draft.wall_us });
  }
  const { delimiter, width } = table;
  return {
    ...{ toa5, influx, delimiter, width, names: header.names },
    no_values: toa5 ? [logger_no_value] : surfrad ? [surfrad_no_value] : [],
    ...{ time_at: time.at, form: time.form, step_us, first_line: header.last_line + 1 },
    zone: offsets ? null : zoneOf(draft),
    summer_at: header.names.findIndex((name) => summer_name.test(name)),
    unit_at: header.names.findIndex((name) => unit_name.test(name)),
    falling: walls.length > 1 && walls[0] > walls[walls.length - 1],
    ...columnsOf(draft),
  };
}

type Header = {
  readonly names: readonly string[];
  readonly units: readonly string[];
  /** How a logger makes the values. */
  readonly processing: readonly string[];
  /** Of the names, and of the last row that belongs to them. */
  readonly line: number;
  readonly last_line: number;
};

type Draft = {
  readonly toa5: boolean;
  readonly influx: boolean;
  readonly surfrad: boolean;
  readonly values: readonly Row[];
  readonly header: Header;
  readonly time_at: readonly number[];
  readonly others: readonly number[];
  readonly options: TableOptions;
  readonly step_us: number;
  /** The first time on the wall clock. */
  readonly wall_us: number;
  /** The lines above the names. */
  readonly above: readonly string[];
};

/** The first lines of a head, up to one. */
function linesAbove({ bytes }: Head, line: number): readonly string[] {
  return line === 1 ? [] : textOf(bytes.subarray(0, above_bytes)).split("\n").slice(0, line - 1);
}

/** The row of names among those above the first time, with rows of units and the like below it. */
function headerOf(
  rows: readonly Row[],
  { at: time_at, form }: { readonly at: readonly number[]; readonly form: TimeForm },
): Header {
  const has_year = form === "parts" && rows.some(({ cells }) => isYearName(cells[time_at[0]]));
  const scores = rows.map(({ cells }) => {
    if (has_year && !isYearName(cells[time_at[0]])) return 0;
    const own = cells.filter((it, at) => it !== "" && !time_at.includes(at));
    const names = own.filter((it) => !isNumberLike(it) && !isUnit(it));
    return new Set(names.length > 0 ? names : own.filter((it) => !isNumberLike(it))).size *
      (names.length > 0 ? 1000 : 1);
  });
  const at = scores.lastIndexOf(Math.max(...scores));
  if (at < 0 || scores[at] === 0) {
    const sentence = "the file has no header row: no line above the values names every column";
    throw importRefusal(sentence, { name: "no_header", values: {} });
  }
  let last = at;
  while (last + 1 < rows.length && isUnitRow(rows[last + 1], time_at)) last++;
  const below = rows.slice(at + 1, last + 1);
  const kinds = below.find(({ cells }) => cells.some((it) => processing.test(it)));
  const said = below.find((row) => row !== kinds && row.cells.some((it) => unit_form.test(it)));
  return {
    names: wholeNames(rows, { at, time_at }),
    units: (said?.cells ?? []).map((it) => it.replace(/^[[(](.*)[\])]$/, "$1")),
    processing: kinds?.cells ?? [],
    line: rows[at].line,
    last_line: rows[last].line,
  };
}

/** Whether a row below the names holds no values: units, ways of processing, a form of time. */
function isUnitRow({ cells }: Row, time_at: readonly number[]): boolean {
  const own = cells.filter((it, at) => it !== "" && !time_at.includes(at));
  if (own.some(isNumberLike)) return false;
  return own.every((it) => isUnit(it)) || time_at.every((at) => !/\d/.test(cells[at] ?? ""));
}

/** Without a name a column gets one above; twins get what rows above say of their columns. */
function wholeNames(
  rows: readonly Row[],
  { at, time_at }: { readonly at: number; readonly time_at: readonly number[] },
): readonly string[] {
  const above = rows.slice(0, at).map(({ cells }) => cells).toReversed();
  const nameAbove = (i: number) =>
    above.map((cells) => cells[i]).find((it) => it !== "" && !isNumberLike(it)) ?? "";
  let names = rows[at].cells.map((it, i) =>
    (it === "" && !time_at.includes(i) ? nameAbove(i) : it).replaceAll(/\s+/g, " ")
  );
  for (const cells of above) {
    if (!hasTwins(names)) break;
    const longer = names.map((it, i) => it === "" || cells[i] === "" ? it : `${cells[i]}.${it}`);
    if (new Set(longer).size > new Set(names).size) names = longer;
  }
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return name === "" || count === 1 ? name : `${name} (${count})`;
  });
}

function hasTwins(names: readonly string[]): boolean {
  const own = names.filter((it) => it !== "");
  return new Set(own).size < own.length;
}

/** The zone of the times: a person's word, else the file's, else the project's. */
function zoneOf(draft: Draft): Layout["zone"] {
  const { header, time_at, values, options, wall_us } = draft;
  const { timezone, home_timezone } = options;
  if (timezone !== undefined) return { name: timezone, by: "flag" };
  const said = time_at.map((at) => `${header.names[at]} ${header.units[at] ?? ""}`).join(" ");
  const found = zoneInHeader(said, { home_timezone, wall_us }) ?? zoneAbove(draft.above);
  if (found) return found;
  refuseZoneColumn(draft);
  if (home_timezone !== undefined) return { name: home_timezone, by: "project" };
  const shown = JSON.stringify(values[0] ? timeOfRow(values[0], time_at) : "");
  throw new Fault(
    "invalid",
    `the zone of times such as ${shown} is not known: say --timezone America/Denver, or ` +
      "--timezone -07:00 where the clock has no summer time",
  );
}

/** Throws where a column says the zone of each row. */
function refuseZoneColumn({ header: { names }, values, time_at }: Draft): void {
  const at = names.findIndex((it, i) => isZoneName(it) && !time_at.includes(i));
  if (at < 0) return;
  const time = time_at.map((it) => names[it] || String(it + 1)).join("+");
  throw new Fault(
    "invalid",
    `the column ${names[at]} says the zone of each row, such as ${values[0]?.cells[at]}: make it ` +
      `a part of the time with --time-column ${time}+${names[at]}, or say one zone with --timezone`,
  );
}

function columnsOf(draft: Draft): Pick<Layout, "numbers" | "key_at" | "columns" | "left_out"> {
  const { header: { names }, time_at, others, values, options } = draft;
  const left_out: { name: string; why: string }[] = others.map((at) => (
    { name: names[at], why: "times that are not the rows' own" }
  ));
  const open = names.flatMap((name, at) => {
    if (time_at.includes(at) || others.includes(at) || summer_name.test(name)) return [];
    if (name === "" && values.every(({ cells }) => cells[at] === "")) return [];
    if (isMark(draft, name)) return [];
    const why = whyLeftOut(draft, at);
    if (why === undefined) return [at];
    left_out.push({ name: nameAt(names, at), why });
    return [];
  });
  const texts = open.map((at) => values.map(({ cells }) => cells[at]).filter((it) => it !== ""));
  const numbers = detectNumbers(texts.map(withoutSuffixes), options);
  const kinds = texts.map((cells) => kindOf(cells, numbers, options));
  const key_at = keysOf(draft, open.filter((_, i) => kinds[i].kind === "text"));
  const own = open.flatMap((at, i) => key_at.includes(at) ? [] : [{ at, ...kinds[i] }]);
  const columns = own.flatMap((it) =>
    columnOf(draft, it, { alone: own.length === 1, key_at }) ?? []
  );
  if (key_at.length === 0) requireColumns(names.map((_, at) => nameAt(names, at)), options.tags);
  const twice = columns.find(({ tag }, i) => columns.findIndex((it) => it.tag === tag) !== i);
  if (twice) throw new Fault("invalid", `two columns are to be the tag ${twice.tag}`);
  const skipped = own.filter(({ at }) => !columns.some((it) => it.at === at));
  for (const { at } of skipped) left_out.push({ name: nameAt(names, at), why: "said so" });
  if (columns.length === 0) throw importRefusal(no_values, { name: "no_values", values: {} });
  const clocks = columns.filter(({ name }) => isClock(name));
  if (clocks.length > 1) {
    throw new Fault(
      "invalid",
      `the names of columns are times of day, such as ${clocks[0].name}: make a row of each ` +
        "time, or leave them out with `false` for their names in a mapping file (--map)",
    );
  }
  return { numbers, key_at, columns, left_out };
}

/** Why a column holds no values of its own; undefined where it does. */
function whyLeftOut({ header: { names }, values, toa5, influx }: Draft, at: number) {
  const name = names[at];
  if (unit_name.test(name)) return "units of the values";
  if (isZoneName(name)) return "zones of the times";
  if (toa5 && name === "RECORD" || influx && influx_own.includes(name)) {
    return "numbers of the records";
  }
  if (!/^(Unnamed: \d+)?$/.test(name) || values.length < 3) return undefined;
  // What tables of pandas have before their columns.
  const first = Number(values[0].cells[at]);
  const counts = values.every(({ cells }, i) => cells[at] === String(first + i));
  return counts ? "numbers of the rows" : undefined;
}

/** Whether a column holds marks of the quality of another one's values. */
function isMark({ surfrad }: Pick<Draft, "surfrad">, name: string): boolean {
  return surfrad && name.endsWith(mark_suffix);
}

/** A column's name, or its number where it has none. */
function nameAt(names: readonly string[], at: number): string {
  return names[at] || `column ${at + 1}`;
}

function columnOf(
  { header, toa5, surfrad, options, step_us }: Draft,
  { at, kind, suffix }: Pick<TableColumn, "at" | "kind" | "suffix">,
  { alone, key_at }: { readonly alone: boolean; readonly key_at: readonly number[] },
): TableColumn | undefined {
  const name = nameAt(header.names, at);
  const keyed = key_at.length > 0;
  const said = keyed ? undefined : options.tags?.get(name);
  if (said === false) return undefined;
  const own = keyed && alone && value_name.test(name) ? "" : name;
  const tag = said ?? (keyed ? own : `${options.prefix ?? ""}${own}`);
  const flaw = keyed ? undefined : tagFlaw(tag);
  if (flaw) throw new Fault("invalid", `column ${at + 1}: tag ${JSON.stringify(tag)} ${flaw}`);
  const below = unit_form.test(header.units[at] ?? "") || toa5 ? header.units[at] : undefined;
  const unit = below || unitInName(name) || suffix.trim() || null;
  const label = options.label ?? (toa5 ? "toa5" : "start");
  const shifts = label === "end" || label === "toa5" && header.processing[at] !== instantaneous;
  const mark_at = header.names.indexOf(`${name}${mark_suffix}`);
  return {
    ...{ at, name, tag, unit, kind, suffix, shift_us: shifts ? step_us : 0 },
    mark_at: surfrad ? mark_at : -1,
  };
}

/** What TOA5 says of a column that holds values of the very instant. */
const instantaneous = "Smp";

/**
 * The columns that say what a row's values are of: those that are said, or are named so, and others
 * of text as far as they are needed for a time to stand once.
 */
function keysOf(draft: Draft, texts: readonly number[]): readonly number[] {
  const { header: { names }, options, values, time_at, influx, toa5 } = draft;
  if (options.key_columns) return options.key_columns.map((it) => columnAt(names, it));
  if (toa5) return [];
  if (influx) {
    const rest = texts.filter((at) => !/^_(value|field|measurement)$/.test(names[at]));
    const first = [names.indexOf("_measurement"), ...rest, names.indexOf("_field")];
    return first.filter((at) => at >= 0);
  }
  const ids = names.flatMap((name, at) => !time_at.includes(at) && key_name.test(name) ? [at] : []);
  const named = ids.filter((at) => texts.includes(at) || isNeeded(values, [...time_at, at]));
  const keys = [...named];
  const candidates = texts.filter((at) => !keys.includes(at));
  let distinct = countOf(values, [...time_at, ...keys]);
  if (distinct === countOf(values, [...time_at, ...keys, ...candidates])) return keys;
  for (const at of candidates) {
    const more = countOf(values, [...time_at, ...keys, at]);
    const names = countOf(values, [at]);
    // A text that changes a little is a state, one that is always another a remark; one that parts
    // the rows of a time is a name.
    if (more < distinct * 1.3 || names > Math.max(10, values.length / 4)) continue;
    keys.push(at);
    distinct = more;
  }
  return keys.toSorted((a, b) => a - b);
}

function isNeeded(values: readonly Row[], places: readonly number[]): boolean {
  return countOf(values, places.slice(0, -1)) < 0.9 * countOf(values, places);
}

/** How many rows differ in some of their cells. */
function countOf(values: readonly Row[], places: readonly number[]): number {
  return new Set(values.map(({ cells }) => places.map((at) => cells[at]).join("\n"))).size;
}

function usualStep(times: readonly number[]): number {
  const counts = new Map<number, number>();
  for (let i = 1; i < times.length; i++) {
    const step = Math.abs(times[i] - times[i - 1]);
    if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}
