// The process of one question: a start of its own, for the whole program takes longer to load.
import { systemEffects } from "./base/effects.ts";
import { startersPipe } from "./base/effects_self.ts";
import { runWorker } from "./engine/query/worker.ts";

Deno.exit(await runWorker(startersPipe(), { effects: systemEffects(), exit: Deno.exit }));
