// `deno run -A tests/fleet/upgrade.ts [COMMIT] [SEED]`: upgrades three nodes, one after the other,
// from the program of COMMIT to this one, while projects are written and followed; then lets one of
// them go back, while another is killed. Counts what was lost, twice or missed, and how long a
// request waited.
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { type Program, run_source, runProgram, tested_program } from "../help/process.ts";
import { argumentsOf, FleetWorld, type Node, pause, whole } from "./fleet_world.ts";
import { Traffic } from "./traffic.ts";

/** The last program whose data are of an older version: it opens none of this one's. */
const before = "64f130f3~1";

const { out } = systemEffects();
const usage = "deno run -A tests/fleet/upgrade.ts [COMMIT] [SEED=1]";
const [commit, seed] = argumentsOf(usage, [[before, /^[^-]/], ["1", whole]]);
const root = new URL("../../", import.meta.url).pathname;
const folder = await Deno.makeTempDir({ dir: "/tmp", prefix: "fleet-before-" });
const older = await sourcesOf(commit);
await using world = await FleetWorld.open(["a", "b", "c"], { program: older }) ?? leave();
const token = await world.token();
await world.catalog.isMade();
const dice = new Dice(Number(seed));
const projects = ["p1", "p2", "p3"].map((key) => new Traffic(world, { key, token, dice }));
for (const project of projects) await project.declare();
for (const project of projects) project.begin();
await tell(`all are of ${commit}`);
for (const [i, node] of world.nodes.entries()) {
  await change(node, tested_program);
  await tell(`${i + 1} of 3 are upgraded`);
}
const [a, , c] = world.nodes;
await change(c, older);
await tell("c has gone back");
await a.kill();
await tell("a is killed");
a.start();
await change(c, tested_program);
await tell("all are of this version");
for (const project of projects) await project.end();
const counts = await Promise.all(projects.map((it) => it.count()));
const sum = (name: keyof typeof counts[number]) => counts.reduce((all, it) => all + it[name], 0);
out(
  `${sum("acknowledged")} rows acknowledged: ${sum("lost")} lost, ${sum("twice")} twice; the ` +
    `followers missed ${sum("missed")} and saw ${sum("followed_twice")} twice\n`,
);
Deno.exitCode = sum("lost") + sum("twice") + sum("missed") + sum("followed_twice") > 0 ? 1 : 0;
await Deno.remove(folder, { recursive: true });

/** Stops a node, as an upgrade does, and starts another program in its place. */
async function change(node: Node, program: Program): Promise<void> {
  await node.shut();
  node.start(program);
  await world.settle();
}

/** Says who holds what, whether each node answers for each project, and what was waited for. */
async function tell(what: string): Promise<void> {
  // A node that is back is given shards within some seconds.
  await pause(10_000);
  out(`\n${what}\n`);
  for (const node of world.nodes) {
    const codes = await Promise.all(projects.map((it) => it.codesAt(node.address)));
    out(`  asked at ${node.name}: ${codes.flat().join(" ")}\n`);
  }
  const waited = projects.map((it) => it.slowest());
  const failed = projects.map((it) => it.failed);
  out(`  longest wait of a request until it was acknowledged, s: ${waited.join(" ")}\n`);
  out(`  attempts that failed until now: ${failed.join(" ")}\n`);
  const { env } = world.nodes[0];
  const status = await runProgram(["fleet", "status"], { program: tested_program, env });
  out(status.out.replaceAll(/^/gm, "  "));
  const warned = new Set(
    world.nodes.flatMap(({ said }) => said.split("\n"))
      .filter((line) => /newer program|of version \d+/.test(line)),
  );
  for (const line of warned) out(`  said: ${line.slice(0, 300)}\n`);
}

/** The sources of a commit, with the packages of these. */
async function sourcesOf(commit: string): Promise<Program> {
  const tar = `${folder}/sources.tar`;
  for (
    const [command, ...args] of [
      ["git", "-C", root, "archive", "--output", tar, commit],
      ["tar", "--extract", "--file", tar, "--directory", folder],
    ]
  ) {
    const { success, stderr } = await new Deno.Command(command, { args }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
  await Deno.symlink(`${root}node_modules`, `${folder}/node_modules`);
  const args = [...run_source, "--v8-flags=--expose-gc", `${folder}/main.ts`];
  return { command: Deno.execPath(), args };
}

function leave(): never {
  out("there is no PostgreSQL, or no root to start it: nothing was tried\n");
  Deno.exit(1);
}
