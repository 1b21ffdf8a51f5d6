// The program: gives the real world to the command line, or to the process of one question, which
// loads no more than it needs.
import { worker_word } from "./src/base/effects_self.ts";

if (import.meta.main) {
  if (Deno.args[0] === worker_word) await import("./one_query.ts");
  const [{ systemEffects }, { openService, version }, { runCli }] = await Promise.all([
    import("./src/base/effects.ts"),
    import("./src/app.ts"),
    import("./src/cli/cli.ts"),
  ]);
  Deno.exit(
    await runCli(Deno.args, {
      effects: systemEffects(),
      openService,
      loadFleet: () => import("./src/fleet.ts"),
      version,
    }),
  );
}
