// `deno task fleet [rounds] [seed] [what]`: kills, stops and cuts off three nodes and their
// catalogue, while projects are written and followed, and webhooks are sent; counts what was lost,
// twice or missed.
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { FleetWorld, type Node, pause } from "./fleet_world.ts";
import { Receiver } from "./receiver.ts";
import { Traffic } from "./traffic.ts";

/** Longer than a lease, and what it takes others to open a shard. */
const away_ms = 18_000;

/** What happens to the node that holds a project, or to the catalogue. */
type Kind = {
  readonly name: string;
  /** Gives whom to ask no more while it lasts. */
  readonly begin: (world: FleetWorld, holder: Node) => Promise<string | undefined>;
  readonly end: (world: FleetWorld, holder: Node) => Promise<void> | void;
  /** How long it lasts; until others answer where it is left out. */
  readonly lasts_ms?: number;
  /** Whether the catalogue is away: nobody answers before it is back. */
  readonly is_of_all?: true;
};

const kinds: readonly Kind[] = [
  {
    name: "kill -9 of a node",
    begin: async (_, holder) => {
      await holder.kill();
      return holder.name;
    },
    end: (_, holder) => holder.start(),
  },
  {
    name: "SIGSTOP of a node and its shards",
    lasts_ms: away_ms,
    begin: async (_, holder) => {
      await holder.stop({ is_alone: false });
      return holder.name;
    },
    end: (_, holder) => holder.wake(),
  },
  {
    name: "SIGSTOP of a node alone",
    lasts_ms: away_ms,
    begin: async (_, holder) => {
      await holder.stop({ is_alone: true });
      return holder.name;
    },
    end: (_, holder) => holder.wake(),
  },
  {
    name: "kill -9 of a node's shards",
    begin: async (_, holder) => {
      await holder.killShard();
      return undefined;
    },
    end: () => {},
  },
  {
    name: "a node cut off from the catalogue",
    lasts_ms: away_ms,
    begin: (_, holder) => {
      holder.cut({ is_whole: false });
      return Promise.resolve(holder.name);
    },
    end: (_, holder) => holder.mend(),
  },
  {
    name: "a node cut off from catalogue and nodes",
    lasts_ms: away_ms,
    begin: (_, holder) => {
      holder.cut({ is_whole: true });
      return Promise.resolve(holder.name);
    },
    end: (_, holder) => holder.mend(),
  },
  {
    name: "the catalogue hangs",
    lasts_ms: 14_000,
    is_of_all: true,
    begin: async ({ postgres }) => {
      await postgres.hang();
      return undefined;
    },
    end: ({ postgres }) => postgres.start(),
  },
  {
    name: "the catalogue is killed",
    lasts_ms: 3_000,
    is_of_all: true,
    begin: async ({ postgres }) => {
      await postgres.stop();
      return undefined;
    },
    end: ({ postgres }) => postgres.start(),
  },
];

/** What came of the rounds of one kind. */
type Outcome = { rounds: number; waits_s: number[]; stale: number };

const { out, err } = systemEffects();
const usage =
  `deno task fleet [ROUNDS=24] [SEED=1] [WHAT]: all of these in turn, or what has WHAT in it

${kinds.map(({ name }) => `  ${name}\n`).join("")}`;
if (Deno.args.includes("--help") || Deno.args.includes("-h")) {
  out(usage);
  Deno.exit(0);
}
const [rounds = 24, seed = 1] = Deno.args.slice(0, 2).map(Number);
const chosen = kinds.filter(({ name }) => name.includes(Deno.args[2] ?? ""));
if (!Number.isInteger(rounds) || !Number.isInteger(seed) || chosen.length === 0) {
  err(`that can't be understood: ${Deno.args.join(" ")}\n${usage}`);
  Deno.exit(2);
}
const dice = new Dice(seed);
await using world = await FleetWorld.open(["a", "b", "c"]) ?? leave();
const token = await world.token();
const projects = ["p1", "p2", "p3"].map((key) => new Traffic(world, { key, token, dice }));
for (const project of projects) await project.declare();
const receiver = new Receiver(world);
await receiver.subscribe({ address: world.nodes[0].address, token });
// All shards know of a subscription within some seconds.
await pause(10_000);
for (const project of projects) project.begin();
const outcomes = new Map<string, Outcome>(
  chosen.map(({ name }) => [name, { rounds: 0, waits_s: [], stale: 0 }]),
);
for (let round = 0; round < rounds; round++) {
  const kind = chosen[round % chosen.length];
  const project = projects[dice.pick(projects.length, { channel: 100, step: round })];
  await pause(1_000 + 2_000 * dice.unit(101, round));
  const holder = await world.until("a node holds it", () => world.holderOf(project.shard));
  const wait_s = await suffer(kind, { project, holder });
  await world.settle();
  out(`${round + 1}: ${kind.name} (${holder.name}): acknowledged again after ${wait_s} s\n`);
}
for (const project of projects) await project.end();
const alarms = projects.flatMap((it) => it.alarms);
const untold = () => alarms.filter((id) => !receiver.came.has(id)).length;
// What failed is sent again after a minute or more.
await world.until("all webhooks have come", () => untold() === 0 || undefined).catch(() => {});
await receiver.close();

/** Lets one thing happen; gives after how many seconds the project was written again. */
async function suffer(
  kind: Kind,
  { project, holder }: { readonly project: Traffic; readonly holder: Node },
): Promise<string> {
  const outcome = outcomes.get(kind.name)!;
  const except = await kind.begin(world, holder);
  const lasting = kind.lasts_ms === undefined ? undefined : pause(kind.lasts_ms);
  if (kind.is_of_all) {
    await lasting;
    await kind.end(world, holder);
  }
  const wait_s = await project.answersIn(except) / 1000;
  if (!kind.is_of_all) {
    await lasting;
    await kind.end(world, holder);
    // One that wakes up, or is back, must not tell what it knew.
    for (let tries = 0; tries < 10; tries++) {
      if (await project.isStale(holder.address)) outcome.stale++;
    }
  }
  outcome.rounds++;
  outcome.waits_s.push(wait_s);
  return wait_s.toFixed(1);
}

function leave(): never {
  out("there is no PostgreSQL, or no root to start it: nothing was tried\n");
  Deno.exit(1);
}

out("\n| what | rounds | again after, s: median | most | stale answers |\n");
out("| --- | --- | --- | --- | --- |\n");
for (const [name, { rounds, waits_s, stale }] of outcomes) {
  if (rounds === 0) continue;
  const sorted = waits_s.toSorted((a, b) => a - b);
  const [median, most] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)!];
  out(`| ${name} | ${rounds} | ${median.toFixed(1)} | ${most.toFixed(1)} | ${stale} |\n`);
}
const counts = await Promise.all(projects.map((it) => it.count()));
const sum = (of: (it: typeof counts[number]) => number) =>
  counts.reduce((all, it) => all + of(it), 0);
const stale = [...outcomes.values()].reduce((all, it) => all + it.stale, 0);
const again = [...receiver.came.values()].filter((it) => it > 1).length;
const bad = sum((it) => it.lost + it.twice + it.missed + it.followed_twice) + stale +
  receiver.stray + untold();
out(
  `\n${rounds} rounds, ${sum((it) => it.acknowledged)} rows acknowledged: ` +
    `${sum((it) => it.lost)} lost, ${sum((it) => it.twice)} twice; the follower missed ` +
    `${sum((it) => it.missed)} and saw ${sum((it) => it.followed_twice)} twice; ` +
    `${stale} stale answers; ${projects.reduce((all, it) => all + it.failed, 0)} attempts failed\n`,
);
out(
  `${alarms.length} alarms acknowledged: the webhooks of ${untold()} did not come, those of ` +
    `${again} came again; of ${receiver.known} whose sender was seen, ${receiver.stray} came ` +
    "from a node that had lost the shard\n",
);
Deno.exitCode = bad === 0 ? 0 : 1;
