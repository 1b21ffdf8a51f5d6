// A lake for tests: its extensions where they are there, a catalogue in a file, and PostgreSQL.
import { systemEffects } from "../../src/base/effects.ts";
import { extension_names, extensionPath } from "../../src/store/retention/extension.ts";

const folder = Deno.env.get("LAKE_EXTENSIONS");

const has_all = folder !== undefined && extension_names.every((name) => {
  try {
    return Deno.statSync(extensionPath(folder, name)).isFile;
  } catch {
    return false;
  }
});

/** The folder of the extensions; undefined, said once, where tests with a lake are skipped. */
export const lake_extensions = has_all ? folder : undefined;

/** Says that a test, or a part of one, is left out, and why. */
export function skip(reason: string): void {
  systemEffects().err(`skipped: ${reason}\n`);
}

/** A test that needs the extensions of a lake, left out in words where they are not there. */
export function lakeTest(name: string, work: (extension_dir: string) => Promise<void>): void {
  const ignore = lake_extensions === undefined;
  if (ignore) skip(`LAKE_EXTENSIONS has no extensions: ${name}`);
  Deno.test({ name, ignore, fn: () => work(lake_extensions!) });
}
