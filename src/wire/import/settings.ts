// How a table is to be read: each setting once, for flags, mapping files and requests.
import * as z from "zod";
import type { TableOptions } from "./options.ts";
import { time_forms, type TimeForm } from "./time.ts";

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

/**
 * The settings by their names in a mapping file and in a request; a flag has the same name with
 * hyphens. The value of a list is an array, or a flag that is repeated.
 */
export const import_settings: Readonly<Record<string, Setting>> = {
  sheet: { value: "<name>", kind: "text", doc: "XLSX: the sheet, where several have rows" },
  time_column: {
    value: "<name>",
    kind: "list",
    doc: "table: the column of times by name or number; several: Date+Time",
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
    doc: "table: a column that says what a row's values are of, such as a device",
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
    doc: "table: a text that means no value",
  },
  label: {
    value: "<end>",
    kind: "text",
    choices: ["start", "end"],
    doc: "table: whether a row's time is the start or the end of its interval; end is moved to " +
      "the start (default: end for TOA5, start for others)",
  },
  written_at: {
    value: "<time>",
    kind: "text",
    doc: "log of a KOSTAL inverter: when it was written, such as 2026-04-28T12:00:00Z, where its " +
      "times count from the inverter's start",
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
  readonly written_at?: string;
  readonly repeats?: "refuse" | "last";
  readonly tags?: Readonly<Record<string, string | false>>;
};

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
  list: z.union([z.string().transform((it) => [it]), z.array(z.string())], {
    error: "give a text in quotation marks, or a list of such",
  }),
  count: z.int().min(0).max(999_999),
} as const;

/** What a mapping file may say. */
export const map_schema = z.strictObject({
  ...Object.fromEntries(
    Object.entries(import_settings).map(([name, { kind, choices, doc }]) =>
      [name, (choices ? z.enum(choices) : kinds[kind]).optional().describe(doc)] as const
    ),
  ),
  tags: z.record(
    z.string(),
    z.union([z.string(), z.literal(false)], {
      error: "give the column's tag in quotation marks, or false to leave the column out",
    }),
  ).optional(),
});

/** What a mapping file is called where settings are said, as in `(--map)`. */
const map_words = "a mapping file (--map)";

/** The settings that a refusal asks for, by their names: it names them as flags. */
export function askedSettings(text: string): readonly string[] {
  const asked = [...text.matchAll(flag_form)].map(([flag]) => settingOf(flag));
  return [...new Set(asked.filter((it) => it !== undefined))];
}

/** The same refusal for who sends settings as fields: `timezone` in place of `--timezone`. */
export function inFields(text: string): string {
  return text.replaceAll(map_words, "`tags`").replaceAll(flag_form, (flag) => {
    const name = settingOf(flag);
    return name === undefined ? flag : `\`${name}\``;
  });
}

const flag_form = /(?<![\w-])--[a-z][a-z-]*/g;

function settingOf(flag: string): string | undefined {
  const name = flag.slice(2).replaceAll("-", "_");
  if (name === "map") return "tags";
  return Object.hasOwn(import_settings, name) ? name : undefined;
}
