// `deno run -A tests/bench/profile.ts FOLDER [BEFORE]`: where the time of a process's code went.
//
// A folder holds what `--cpu-prof --cpu-prof-dir=FOLDER` of the runtime wrote (`*.cpuprofile`), as
// by `tests/bench/intake.ts`; another folder, of a run before a change, is shown beside it.
import { systemEffects } from "../../src/base/effects.ts";
import { explain } from "../help/usage.ts";

/** A profile of V8; times in microseconds. */
type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

/** So many functions are shown. */
const most_rows = 30;

/** The milliseconds that each function took itself, in all profiles of a folder. */
async function readFolder(folder: string): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  let files = 0;
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".cpuprofile")) continue;
    files++;
    const profile: Profile = JSON.parse(await Deno.readTextFile(`${folder}/${name}`));
    const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
    profile.samples.forEach((id, i) => {
      const function_name = names.get(id)!;
      all.set(function_name, (all.get(function_name) ?? 0) + profile.timeDeltas[i] / 1000);
    });
  }
  if (files === 0) throw new Error(`${folder} has no *.cpuprofile`);
  all.delete("(idle)");
  return all;
}

/** A function by its name and file: its line is another after each change. */
function nameOf({ functionName, url }: Profile["nodes"][number]["callFrame"]): string {
  const place = url.replace(/^.*\/(src|node_modules)\//, "$1/");
  return `${functionName || "(no name)"} ${place}`.trim();
}

const usage = "deno run -A tests/bench/profile.ts FOLDER [BEFORE]";
explain(usage, (it, place) => !it.startsWith("-") && place < 2);
const { out, err } = systemEffects();
if (Deno.args.length === 0) {
  err(`${usage}\n`);
  Deno.exit(2);
}
const found = await Promise.all(Deno.args.map(readFolder)).catch(({ message }) => {
  err(`${message}\n`);
  Deno.exit(1);
});
const shareOf = (times: Map<string, number>, name: string, all_ms: number) =>
  `${(times.get(name) ?? 0).toFixed(0).padStart(8)} ${
    (100 * (times.get(name) ?? 0) / all_ms).toFixed(1).padStart(5)
  } %`;
const sums = found.map((times) => times.values().reduce((sum, ms) => sum + ms, 0));
out(`${sums.map((ms) => `${ms.toFixed(0).padStart(8)} ms    `).join("  ")}  all but idle\n`);
const names = [...found[0]].sort(([, a], [, b]) => b - a).slice(0, most_rows);
for (const [name] of names) {
  out(`${found.map((times, i) => shareOf(times, name, sums[i])).join("  ")}  ${name}\n`);
}
