// `init`: writes a configuration and an example site file to start from.
import type { Command } from "commander";
import example_site from "../../../data/example.site.toml" with { type: "text" };
import { Fault } from "../../base/fault.ts";
import { type Setting, setting_names, settings_table } from "../../model/setting.ts";
import { replaceFile, sizeOf } from "../../store/folder.ts";
import type { Context } from "../frame/context.ts";

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
        if (await sizeOf(path) > 0) throw new Fault("conflict", `${path} exists already`);
      }
      await Deno.mkdir(directory, { recursive: true });
      for (const [path, text] of Object.entries(files)) await replaceFile(path, text);
      effects.out(
        `wrote ${Object.keys(files).join(" and ")}\n` +
          "next: wattkeeper site apply site.toml --dry-run; wattkeeper serve\n",
      );
    });
}

/** Every setting as a commented line with its default. */
function exampleSettings(): string {
  const lines = setting_names.map((name) => {
    const setting: Setting = settings_table[name];
    const value = setting.default === undefined ? "…" : JSON.stringify(setting.default);
    return `# ${setting.doc}\n# ${name} = ${value}\n`;
  });
  return "# Settings of Wattkeeper; remove the # to change a value.\n\n" + lines.join("\n");
}
