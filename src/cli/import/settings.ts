// The settings of `import` as flags, and in a mapping file.
import { type Command, InvalidArgumentError, Option } from "commander";
import { parse, stringify, TomlError } from "smol-toml";
import { Fault, refusal } from "../../base/fault.ts";
import { formFlaws, keysIn } from "../../model/data/form_flaw.ts";
import { tomlFlaw } from "../../model/site/text.ts";
import { import_settings, map_schema, type TableSettings } from "../../wire/import/settings.ts";
import { fileRefusal } from "../frame/data_file.ts";
import { cli_limits } from "./limits.ts";

/** Adds a flag for each setting. */
export function addTableFlags(command: Command): void {
  for (const [name, { value, doc, kind, choices }] of Object.entries(import_settings)) {
    const text = kind === "list" ? `${doc}; can be repeated` : doc;
    const option = new Option(`--${name.replaceAll("_", "-")} ${value}`, text);
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
  const said = Object.keys(import_settings).map((name) => [name, flags[camelCase(name)]] as const)
    .filter(([, value]) => value !== undefined);
  return { ...map, ...Object.fromEntries(said) };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

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
  let said: unknown;
  try {
    said = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new Fault("invalid", `${path}: line ${error.line}: ${tomlFlaw(error, text)}`);
  }
  const parsed = map_schema.safeParse(said, { reportInput: true });
  if (parsed.success) return parsed.data as TableSettings;
  const flaws = parsed.error.issues.flatMap((it) => formFlaws(it, keysIn(map_schema)));
  throw refusal(`${path} can't be followed`, flaws);
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
