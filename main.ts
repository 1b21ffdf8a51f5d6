// The program: the real world handed to the command line.
import { openService, version } from "./src/app.ts";
import { systemEffects } from "./src/base/effects.ts";
import { runCli } from "./src/cli/cli.ts";
import { removeOldExtractions } from "./src/cli/service/extraction.ts";

if (import.meta.main) {
  await removeOldExtractions(import.meta.dirname);
  Deno.exit(await runCli(Deno.args, { effects: systemEffects(), openService, version }));
}
