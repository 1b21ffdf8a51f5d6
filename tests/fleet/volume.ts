// `deno run -A tests/fleet/volume.ts [ROUNDS] [SEED]`: the volume of one shard hangs at the node
// that holds it, as a disk in a network does: what waits for it can't even be killed. Each node
// reaches each shard's directory over a mount of its own (bindfs, which has to be installed), so
// that one can hang, and a command can take it away. Counts what was lost, twice or missed.
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { argumentsOf, FleetWorld, pause, whole } from "./fleet_world.ts";
import { Traffic } from "./traffic.ts";

const { out } = systemEffects();
const usage = "deno run -A tests/fleet/volume.ts [ROUNDS=4] [SEED=1]";
const [rounds, seed] = argumentsOf(usage, [["4", whole], ["1", whole]]).map(Number);
const names = ["a", "b", "c"];
const shards = [0, 1, 2, 3];

const shardName = (no: number) => `shard-${String(no).padStart(3, "0")}`;

/** What each node mounts, by node and shard. */
const mounts = new Map<string, Mount>();

/** One node's way to one shard's directory. */
class Mount {
  readonly #from: string;
  readonly #at: string;
  readonly #pid_file: string;
  #served: Deno.ChildProcess | undefined;

  constructor({ folder, name, no }: { folder: string; name: string; no: number }) {
    this.#from = `${folder}/volume/${shardName(no)}`;
    this.#at = `${folder}/mount-${name}/${shardName(no)}`;
    this.#pid_file = `${folder}/mounted-${name}-${shardName(no)}`;
    for (const path of [this.#from, this.#at]) Deno.mkdirSync(path, { recursive: true });
    this.attach();
  }

  attach(): void {
    this.#served = new Deno.Command("bindfs", {
      args: ["-f", "--multithreaded", this.#from, this.#at],
      ...{ stdin: "null", stdout: "null", stderr: "null" },
    }).spawn();
    Deno.writeTextFileSync(this.#pid_file, String(this.#served.pid));
  }

  hang(): void {
    Deno.kill(this.#served!.pid, "SIGSTOP");
  }

  /** Takes it away; gives whether a fence had done so. */
  async detach(): Promise<boolean> {
    const { pid, status } = this.#served!;
    const is_fenced = await Promise.race([status.then(() => true), pause(1_000)]);
    if (!is_fenced) Deno.kill(pid, "SIGKILL");
    await status;
    await new Deno.Command("umount", { args: ["-l", this.#at], stderr: "null" }).output();
    return is_fenced ?? false;
  }
}

/** Takes a shard's volume away from the node that had it: all that waits for it there fails. */
const detach = `#!/bin/sh
pid=$(cat "$0-dir/mounted-$3-$1") || exit 1
kill -9 "$pid" 2>/dev/null
umount -l "$0-dir/mount-$3/$1" 2>/dev/null
true
`;

function nodeEnv({ folder, name }: { readonly folder: string; readonly name: string }) {
  const command = `${folder}/detach`;
  if (name === names[0]) {
    Deno.writeTextFileSync(command, detach, { mode: 0o755 });
    Deno.symlinkSync(folder, `${command}-dir`);
  }
  for (const no of shards) mounts.set(`${name}/${no}`, new Mount({ folder, name, no }));
  return {
    WATTKEEPER_DATA_DIR: `${folder}/mount-${name}`,
    WATTKEEPER_FLEET_FENCE: command,
  };
}

const dice = new Dice(seed);
await using world = await FleetWorld.open(names, { env: nodeEnv }) ?? leave();
const token = await world.token();
const projects = ["p1", "p2", "p3"].map((key) => new Traffic(world, { key, token, dice }));
for (const project of projects) await project.declare();
for (const project of projects) project.begin();
let unfenced = 0;
for (let round = 0; round < rounds; round++) {
  const project = projects[dice.pick(projects.length, { channel: 100, step: round })];
  await pause(3_000);
  const holder = await world.until("a node holds it", () => world.holderOf(project.shard));
  const mount = mounts.get(`${holder.name}/${project.shard}`)!;
  for (const it of projects) it.slowest();
  mount.hang();
  const wait_s = await project.answersIn(undefined) / 1000;
  const is_fenced = await mount.detach();
  if (!is_fenced) unfenced++;
  mount.attach();
  await world.settle();
  const others = projects.filter((it) => it.shard !== project.shard).map((it) => it.slowest());
  out(
    `${round + 1}: the volume of shard ${project.shard} hung at ${holder.name}: acknowledged ` +
      `again after ${wait_s.toFixed(1)} s, ${is_fenced ? "fenced" : "NOT FENCED"}; others waited ${
        others.join(", ")
      } s at most\n`,
  );
}
for (const project of projects) await project.end();
const counts = await Promise.all(projects.map((it) => it.count()));
const bad = counts.reduce((all, it) => all + it.lost + it.twice + it.missed + it.followed_twice, 0);
for (const [i, it] of counts.entries()) {
  out(
    `${projects[i].key}: ${it.acknowledged} rows acknowledged: ${it.lost} lost, ${it.twice} ` +
      `twice; the follower missed ${it.missed} and saw ${it.followed_twice} twice\n`,
  );
}
await Promise.all(world.nodes.map((it) => it.shut()));
for (const mount of mounts.values()) await mount.detach();
Deno.exitCode = bad + unfenced === 0 ? 0 : 1;

function leave(): never {
  out("there is no PostgreSQL, or no root to start it: nothing was tried\n");
  Deno.exit(1);
}
