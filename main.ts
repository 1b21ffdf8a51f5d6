// The program: clears what old versions unpacked, then gives the real world to the command line.
import { openService, version } from "./src/app.ts";
import { systemEffects } from "./src/base/effects.ts";
import { runCli } from "./src/cli/cli.ts";

if (import.meta.main) {
  await removeOldExtractions(import.meta.dirname);
  Deno.exit(await runCli(Deno.args, { effects: systemEffects(), openService, version }));
}

/**
 * A compiled program unpacks itself into `<folder>/<hash>` at its first start, with a cache file
 * `<hash>.cache`, and never removes what another version left. `unpacked` is where this one runs
 * from; a program that is not compiled has nothing to remove.
 */
async function removeOldExtractions(unpacked: string | undefined): Promise<void> {
  const [, folder, own] = /^(.+)\/([0-9a-f]{16})$/.exec(unpacked ?? "") ?? [];
  if (!Deno.build.standalone || own === undefined) return;
  for await (const { name } of Deno.readDir(folder)) {
    if (!/^[0-9a-f]{16}(\.cache)?$/.test(name) || name.startsWith(own)) continue;
    await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
}
