// Reads the configuration from its sources; `config show`, `config check` and `init`.
import type { Command } from "commander";
import { parse, TomlError } from "smol-toml";
import example_site from "../../../data/example.site.toml" with { type: "text" };
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { databaseMemoryMb, memoryMb } from "../../engine/core/machine.ts";
import {
  flagOf,
  type Origins,
  resolveSettings,
  type Setting,
  setting_names,
  type Settings,
  settings_table,
  variableOf,
} from "../../model/setting.ts";
import { tomlFlaw } from "../../model/site/text.ts";
import { replaceFile, sizeOf } from "../../store/folder.ts";
import type { Context } from "./context.ts";
import { fileRefusal } from "./data_file.ts";

const usual_path = "wattkeeper.toml";

/** Adds `--config` and a flag for every setting. */
export function addSettingFlags(program: Command): void {
  program.option("--config <file>", `settings as TOML (default: ${usual_path}, if there is one)`);
  for (const name of setting_names) {
    const setting: Setting = settings_table[name];
    const form = setting.bounds ? "number" : setting.values?.join("|") ?? "text";
    const value = setting.default === undefined ? "" : ` (default: ${setting.default})`;
    program.option(`${flagOf(name)} <${form}>`, setting.doc + value);
  }
}

/** The settings by flag > environment > file > default. */
export async function readSettings(
  program: Command,
  effects: Pick<Effects, "env">,
): Promise<{ settings: Settings; origins: Origins }> {
  const { config, ...given } = program.opts<Record<string, string>>();
  const flags = Object.fromEntries(
    setting_names.map((name) => [name, given[camelCase(name)]]).filter(([, value]) =>
      value !== undefined
    ),
  );
  const memory_mb = databaseMemoryMb(await memoryMb());
  return resolveSettings({
    flags,
    environment: ours(effects.env()),
    file: await readFile(config),
    file_path: config ?? usual_path,
    machine: { memory_mb, threads: navigator.hardwareConcurrency },
  });
}

/** Adds `config show` and `config check`. */
export function addConfigCommand(program: Command, { effects, resolve }: Context): void {
  const config = program.command("config").description("show or check the configuration");
  config.command("show").description("print all settings in effect, as TOML")
    .option("--origin", "show where each value comes from")
    .action(async ({ origin }: { origin?: true }) => {
      const { settings, origins } = await resolve();
      for (const name of setting_names) {
        const { is_secret }: Setting = settings_table[name];
        const is_hidden = is_secret && settings[name] !== "none";
        const line = `${name} = ${is_hidden ? "…" : JSON.stringify(settings[name])}`;
        effects.out(origin ? `${line.padEnd(40)} # ${origins[name]}\n` : `${line}\n`);
      }
    });
  config.command("check").description("check the configuration for errors")
    .action(async () => {
      await resolve();
      effects.out("the configuration is right\n");
    });
}

/** Adds `init`. */
export function addInitCommand(program: Command, { effects }: Context): void {
  program.command("init").argument("[directory]", "directory for the files", ".")
    .description("write wattkeeper.toml and site.toml as a start")
    .action(async (directory: string) => {
      const files = {
        [`${directory}/wattkeeper.toml`]: exampleSettings(),
        [`${directory}/site.toml`]: example_site,
      };
      for (const path of Object.keys(files)) {
        if (await sizeOf(path) > 0) {
          throw new Fault("conflict", `${path} exists already: give another folder, or remove it`);
        }
      }
      await Deno.mkdir(directory, { recursive: true });
      for (const [path, text] of Object.entries(files)) await replaceFile(path, text);
      const there = directory === "." ? "" : `  cd ${quoted(directory)}\n`;
      effects.out(
        `wrote ${Object.keys(files).join(" and ")}\n` +
          `next, once site.toml is about your plant:\n${there}` +
          "  wattkeeper site apply site.toml --dry-run # shows what it would change\n" +
          "  wattkeeper site apply site.toml\n" +
          "  wattkeeper serve\n",
      );
    });
}

/** A path as a shell takes it. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** The text of `--help` that names the other sources of a setting. */
export const sources_help = `
Settings come from flags, then variables (${variableOf("data_dir")}), then the file given by
--config or ${usual_path} (data_dir = "…"), then defaults. \`config show --origin\` prints them.`;

/** Every setting as a commented line with its default. */
function exampleSettings(): string {
  const lines = setting_names.map((name) => {
    const setting: Setting = settings_table[name];
    const value = setting.default === undefined ? "…" : JSON.stringify(setting.default);
    return `# ${setting.doc}\n# ${name} = ${value}\n`;
  });
  return "# Settings of Wattkeeper; a line without # is in force.\n\n" + lines.join("\n");
}

async function readFile(path: string | undefined): Promise<Record<string, unknown>> {
  const file = path ?? usual_path;
  let text = "";
  try {
    text = await Deno.readTextFile(file);
    return parse(text);
  } catch (error) {
    if (path === undefined && error instanceof Deno.errors.NotFound) return {};
    if (!(error instanceof TomlError)) throw await fileRefusal(file, error);
    const where = `${file}:${error.line}:${error.column}`;
    throw new Fault("invalid", `${where}: ${tomlFlaw(error, text)}`);
  }
}

/** What clients and the commands that the screens show take: no settings of the program. */
const of_clients = new Set(["WATTKEEPER_URL", "WATTKEEPER_TOKEN"]);

function ours(environment: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(environment).filter(([name]) =>
    name.startsWith("WATTKEEPER_") && !of_clients.has(name)
  );
  return Object.fromEntries(entries);
}

/** `dataDir` for `data_dir`: commander's name of a flag. */
function camelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
