// The program: gives the real world to the command line.
import { openService, version } from "./src/app.ts";
import { systemEffects } from "./src/base/effects.ts";
import { runCli } from "./src/cli/cli.ts";

if (import.meta.main) {
  Deno.exit(await runCli(Deno.args, { effects: systemEffects(), openService, version }));
}
