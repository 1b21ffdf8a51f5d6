// The process of one question: a start of its own, for the whole program takes longer to load.
import { systemEffects } from "./src/base/effects.ts";
import { startersPipe } from "./src/base/effects_self.ts";
import { runWorker } from "./src/engine/query/worker.ts";

Deno.exit(await runWorker(startersPipe(), { effects: systemEffects(), exit: Deno.exit }));
