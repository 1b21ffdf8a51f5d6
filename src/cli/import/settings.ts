// How a table is to be read: each setting once, as a flag of `import` and a line of a mapping file.
import { type Command, InvalidArgumentError, Option } from "commander";
import { parse, stringify, TomlError } from "smol-toml";
import * as z from "zod";
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import type { TableOptions } from "../../wire/import/options.ts";
import { time_forms, type TimeForm } from "../../wire/import/time.ts";
import { fileRefusal } from "../frame/data_file.ts";
import { cli_limits } from "./limits.ts";

type Setting = {
  /** The value's name in the help. */
  readonly value: string;
  readonly doc: string;
  readonly kind: "text" | "list" | "count";
  readonly choices?: readonly string[];
};

const form_examples = Object.entries(time_forms).map(([name, { example }]) =>
  `${name} (${example})`
)
  .join(", ");

/** The settings by their names in a mapping file; a flag has the same name with hyphens. */
const settings: Readonly<Record<string, Setting>> = {
  sheet: { value: "<name>", kind: "text", doc: "XLSX: the sheet, where several have rows" },
  time_column: {
    value: "<name>",
    kind: "list",
    doc: "table: the column of times by name or number; several: Date+Time, or repeat the flag",
  },
  time_format: {
    value: "<name>",
    kind: "text",
    choices: Object.keys(time_forms),
    doc: `table: how times are written: ${form_examples}`,
  },
  timezone: {
    value: "<zone>",
    kind: "text",
    doc: "table: zone of the times, or -07:00 (default: what the file says, else the project's)",
  },
  key_column: {
    value: "<name>",
    kind: "list",
    doc: "table: a column that says what a row's values are of, such as a device; can be repeated",
  },
  delimiter: { value: "<character>", kind: "text", doc: "table: the character between cells" },
  decimal: {
    value: "<sign>",
    kind: "text",
    choices: [".", ","],
    doc: "table: the sign before decimals",
  },
  skip_rows: { value: "<count>", kind: "count", doc: "table: lines before the header row" },
  prefix: { value: "<text>", kind: "text", doc: "table: text before each name, to make its tag" },
  no_value: {
    value: "<text>",
    kind: "list",
    doc: "table: a text that means no value; can be repeated",
  },
  label: {
    value: "<end>",
    kind: "text",
    choices: ["start", "end"],
    doc: "table: whether a row's time is the start or the end of its interval; end is moved to " +
      "the start (default: end for TOA5, start for others)",
  },
  repeats: {
    value: "<way>",
    kind: "text",
    choices: ["refuse", "last"],
    doc: "where values repeat a tag and a time with another value: refuse a file in which over 1 " +
      "% do, or take the last of each (default: refuse)",
  },
};

/** What a person said, by the names of the settings; lists are never empty ones but `[]`. */
export type TableSettings = {
  readonly sheet?: string;
  readonly time_column?: readonly string[];
  readonly time_format?: TimeForm;
  readonly timezone?: string;
  readonly key_column?: readonly string[];
  readonly delimiter?: string;
  readonly decimal?: "." | ",";
  readonly skip_rows?: number;
  readonly prefix?: string;
  readonly no_value?: readonly string[];
  readonly label?: "start" | "end";
  readonly repeats?: "refuse" | "last";
  readonly tags?: Readonly<Record<string, string | false>>;
};

/** Adds a flag for each setting. */
export function addTableFlags(command: Command): void {
  for (const [name, { value, doc, kind, choices }] of Object.entries(settings)) {
    const option = new Option(`--${name.replaceAll("_", "-")} ${value}`, doc);
    // `--no-value` takes a text; it does not deny a flag `--value`.
    option.negate = false;
    if (choices) option.choices(choices);
    else if (kind === "list") option.argParser(collect);
    else if (kind === "count") option.argParser(wholeNumber);
    command.addOption(option);
  }
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("give a whole number");
}

/** What flags say, over what a mapping file says. */
export function mergeSettings(
  flags: Readonly<Record<string, unknown>>,
  map: TableSettings,
): TableSettings {
  const said = Object.keys(settings).map((name) => [name, flags[camelCase(name)]] as const)
    .filter(([, value]) => value !== undefined);
  return { ...map, ...Object.fromEntries(said) };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

/** The same as options of the reader. */
export function tableOptions(said: TableSettings): TableOptions {
  const { delimiter, tags } = said;
  return {
    time_columns: said.time_column,
    time_form: said.time_format,
    timezone: said.timezone,
    delimiter: delimiter === "\\t" ? "\t" : delimiter,
    decimal: said.decimal,
    skip_rows: said.skip_rows,
    key_columns: said.key_column?.flatMap((it) => it === "" ? [] : [it]),
    prefix: said.prefix,
    no_values: said.no_value,
    label: said.label,
    tags: tags && new Map(Object.entries(tags)),
  };
}

const kinds = {
  text: z.string(),
  list: z.union([z.string().transform((it) => [it]), z.array(z.string())]),
  count: z.int().min(0).max(999_999),
} as const;

const map_schema = z.strictObject({
  ...Object.fromEntries(
    Object.entries(settings).map(([name, { kind, choices }]) =>
      [name, (choices ? z.enum(choices) : kinds[kind]).optional()] as const
    ),
  ),
  tags: z.record(z.string(), z.union([z.string(), z.literal(false)])).optional(),
});

/** Reads a mapping file; undefined where there is none. A `Fault` names what is wrong in it. */
export async function readMap(path: string): Promise<TableSettings | undefined> {
  let text: string;
  try {
    const { size } = await Deno.stat(path);
    if (size > cli_limits.map_bytes) {
      throw new Fault("too_large", `${path} has more than ${cli_limits.map_bytes} bytes`);
    }
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Fault) throw error;
    throw await fileRefusal(path, error);
  }
  return checkMap(text, path);
}

function checkMap(text: string, path: string): TableSettings {
  try {
    const { success, data, error } = map_schema.safeParse(parse(text));
    if (success) return data as TableSettings;
    const [issue] = error.issues;
    const names = [...Object.keys(settings), "tags"];
    const [unknown] = issue.code === "unrecognized_keys" ? issue.keys : [];
    const flaw = unknown === undefined
      ? `${issue.path.join(".")}: ${issue.message}`
      : `there is no setting ${unknown}${
        meant(unknown, names) || `: known are ${names.join(", ")}`
      }`;
    throw new Fault("invalid", `${path}: ${flaw}`);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new Fault("invalid", `${path}: line ${error.line}: ${error.message.split("\n")[0]}`);
  }
}

/** A mapping file's text. */
export function mapText(path: string, { tags = {}, ...own }: TableSettings): string {
  const settings = Object.fromEntries(Object.entries(own).filter(([, it]) => it !== undefined));
  return `# How \`wattkeeper import --map\` reads files such as ${path}. A flag goes before a line.
${stringify(settings)}
# Names in the file, and the tags that they become; false leaves one out.
[tags]
${stringify(tags)}
`;
}
