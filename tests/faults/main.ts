// `deno task faults`: rounds of faults in real processes, counted by an independent client.
import { parseArgs } from "node:util";
import { systemEffects } from "../../src/base/effects.ts";
import { plain_kinds, preloaded_kinds } from "./kinds.ts";
import { buildLibrary } from "./preload.ts";
import { type Outcome, playRound } from "./round.ts";
import { prepare } from "./world.ts";

const { out, err } = systemEffects();
const usage =
  `deno task faults [--rounds 40] [--minutes 60] [--seed 1] [--only KIND,KIND] [--jobs 2]

kinds: ${Object.keys(plain_kinds).join(", ")}
with the compiler \`cc\`: ${Object.keys(preloaded_kinds).join(", ")}
`;
const numbers = { rounds: 40, minutes: 60, seed: 1, jobs: 2 };

/** What was asked for; ends where that can't be understood. */
function readArgs() {
  if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
    out(usage);
    Deno.exit(0);
  }
  try {
    const asked = Object.fromEntries(
      [...Object.keys(numbers), "only"].map((name) => [name, { type: "string" } as const]),
    );
    const { values } = parseArgs({ args: Deno.args, options: asked });
    const given = Object.entries(values).filter(([name]) => name !== "only")
      .map(([name, value]) => [name, Number(value)] as const);
    if (given.some(([, value]) => !(Number.isInteger(value) && value >= 1))) {
      throw new Error("give whole numbers from 1");
    }
    return { ...numbers, only: "", ...values, ...Object.fromEntries(given) };
  } catch (error) {
    err(`${(error as Error).message}\n${usage}`);
    Deno.exit(2);
  }
}

const values = readArgs();
const library = await buildLibrary((text) => out(`${text}\n`));
const known = { ...plain_kinds, ...library === undefined ? {} : preloaded_kinds };
const names = values.only === "" ? Object.keys(known) : values.only.split(",");
const unknown = names.filter((name) => !Object.hasOwn(known, name));
if (unknown.length > 0) {
  out(`no such kind: ${unknown}. There are ${Object.keys(known).join(", ")}\n`);
  Deno.exit(1);
}

const prepared = await prepare(library, { requests: 80 });
const end_ms = performance.now() + values.minutes * 60_000;
const first = values.seed;
const ends: Record<string, Record<Outcome["end"], number>> = {};
let next = 0;
let broken = 0;

/** A round's kind follows from its seed, so that `--seed N --rounds 1` plays it again. */
async function play(): Promise<void> {
  while (next < values.rounds && performance.now() < end_ms) {
    const seed = first + next++;
    const name = names[seed % names.length];
    const begin_ms = performance.now();
    const { did, end, counts, wrong } = await playRound(prepared, { kind: known[name], seed });
    const seconds = ((performance.now() - begin_ms) / 1000).toFixed(1);
    const counted = Object.entries(counts).map(([what, count]) => `${count} ${what}`).join(", ");
    out(`${seed} ${name}: ${did}; ${counted}; ${end} (${seconds} s)\n`);
    for (const text of wrong) out(`  BROKEN ${text}\n`);
    if (wrong.length > 0) {
      out(`  again: deno task faults --rounds 1 --only ${name} --seed ${seed}\n`);
    }
    ends[name] ??= { served: 0, refused: 0, broken: 0 };
    ends[name][end]++;
    broken += end === "broken" ? 1 : 0;
  }
}

await Promise.all(Array.from({ length: values.jobs }, play));
await prepared.close();
out(`${"kind".padEnd(16)} rounds  served refused  broken\n`);
for (const [name, { served, refused, broken }] of Object.entries(ends).sort()) {
  const figures = [served + refused + broken, served, refused, broken];
  out(`${name.padEnd(16)}${figures.map((figure) => `${figure}`.padStart(8)).join("")}\n`);
}
Deno.exit(broken > 0 ? 1 : 0);
