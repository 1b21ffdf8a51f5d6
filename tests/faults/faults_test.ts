// A short campaign of faults: a kill at a write, a disk that is full or fails; nothing is lost.
import { deepEqual } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { plain_kinds, preloaded_kinds } from "./kinds.ts";
import { buildLibrary } from "./preload.ts";
import { playRound } from "./round.ts";
import { prepare } from "./world.ts";

const rounds = { kill_at_call: 2, full: 6, unsynced: 1 };

Deno.test("whatever happens to the process and its disk, what was acknowledged stays", async () => {
  const library = await buildLibrary((text) => systemEffects().err(`${text}\n`));
  const known = { ...plain_kinds, ...library === undefined ? {} : preloaded_kinds };
  const prepared = await prepare(library, { requests: 24 });
  for (const [name, seed] of Object.entries(rounds)) {
    if (!Object.hasOwn(known, name)) continue;
    const { did, wrong } = await playRound(prepared, { kind: known[name], seed });
    deepEqual(wrong, [], `${name}: ${did}`);
  }
  await prepared.close();
});
