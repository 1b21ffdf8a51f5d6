// `deno run -A tests/fleet/simulate.ts [plants] [tags] [nodes] [cores]`: what a fleet of so many
// plants takes, from what was measured, and how it comes level after a loss.
//
// A second is a step. Each tag has a value a minute, each gateway sends every ten seconds. Plants
// have sizes by chance, and go to shards as the product places them. A body costs the processor,
// and so does each row; a shard takes one body at a time, shards of a node share its cores. Rows
// that find no shard wait at their gateway, which then sends them in large bodies.
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { fleet_limits } from "../../src/model/fleet/limits.ts";
import { emptiest } from "../../src/model/fleet/place.ts";
import { argumentsOf, whole } from "./fleet_world.ts";

/** Measured on two shared cores: `shard.ts`, `intake.ts --roll` and `lake.ts` of the benches. */
const cost = {
  /** Processor seconds of a body with its roll-up, of a row in it, of a row in a large body. */
  body_s: 0.025,
  row_s: 65e-6,
  large_row_s: 2e-6,
  /** Of a shard that nobody asks anything, of one second. */
  idle_s: 0.001,
  /** Processor seconds until a shard that moved answers. */
  open_s: 1.5,
  shard_mb: 240,
  tag_mb: 0.005,
  /** On disk a value with every roll-up, and in the lake. */
  hot_bytes: 8.5,
  cold_bytes: 2.1,
} as const;
/** A shard takes no more than this of a node, whatever waits. */
const shard_cores = 1;
const send_s = 10;
const large_body_rows = 50_000;
/** As seen with `deno task fleet`, at its worst. */
const fail_over_s = 16;

const usage = "deno run -A tests/fleet/simulate.ts [PLANTS=1000] [TAGS=5000] [NODES=3] [CORES=4]";
const forms = [["1000", whole], ["5000", whole], ["3", whole], ["4", whole]] as const;
const [plants, tags, nodes, cores] = argumentsOf(usage, forms).map(Number);
const shards = placePlants();

/** Rows of one second that wait. */
type Waiting = { readonly second: number; rows: number };

/** What a shard has to take each ten seconds, and what waits for it. */
type ShardLoad = {
  readonly no: number;
  /** Rows of each of its plants' bodies, by the second of ten in which it comes. */
  readonly bodies: readonly (readonly number[])[];
  readonly tags: number;
  readonly queue: Waiting[];
  node: number;
  /** From this second on it answers. */
  back: number;
};

/** Plants by the product's own rule, with a third to three times the usual tags. */
function placePlants(): readonly ShardLoad[] {
  const dice = new Dice(7);
  const sizes = Array.from({ length: plants }, (_, i) => 3 ** (2 * dice.unit(i) - 1));
  const scale = plants * tags / sizes.reduce((sum, size) => sum + size, 0);
  const numbers = Array.from({ length: fleet_limits.shards }, (_, no) => ({ no }));
  const counts = new Map<number, number>();
  const bodies = numbers.map(() => Array.from({ length: send_s }, (): number[] => []));
  for (const [i, size] of sizes.entries()) {
    const no = emptiest(numbers, counts);
    counts.set(no, (counts.get(no) ?? 0) + 1);
    bodies[no][i % send_s].push(size * scale * send_s / 60);
  }
  return numbers.map(({ no }) => {
    const rows = bodies[no].flat().reduce((sum, it) => sum + it, 0);
    const made = { bodies: bodies[no], tags: rows * 60 / send_s };
    return { no, ...made, queue: [], node: no % nodes, back: 0 };
  });
}

/** Processor seconds for what waits of one second: few rows come as they are, many packed. */
function costOf({ rows }: Waiting, is_late: boolean, bodies: number): number {
  if (!is_late) return bodies * cost.body_s + rows * cost.row_s;
  return rows * (cost.large_row_s + cost.body_s / large_body_rows);
}

/** What became of a fleet: its busy share at rest, how late rows were, when none was late again. */
type Outcome = { readonly busy: number; readonly lag_s: number; readonly level_s?: number };

/** Five minutes with `lost` nodes gone at second 60, or all shards away for `away_s` from then. */
function simulate({ lost, away_s }: { readonly lost: number; readonly away_s: number }): Outcome {
  const world = shards.map((shard) => ({ ...shard, queue: [] as Waiting[] }));
  const left = nodes - lost;
  let [busy_s, lag_s, level_s] = [0, 0, 0];
  const end = 300 + away_s * 3;
  for (let second = 0; second < end; second++) {
    if (second === 60) {
      for (const shard of world) {
        if (away_s > 0) shard.back = second + away_s;
        if (shard.node < left) continue;
        shard.node = shard.no % left;
        shard.back = second + fail_over_s;
      }
    }
    for (let node = 0; node < nodes; node++) {
      const here = world.filter((shard) => shard.node === node);
      const used = work(here, second);
      if (second < 60) busy_s += used;
    }
    const oldest = Math.min(second, ...world.map(({ queue }) => queue[0]?.second ?? second));
    if (second < 60) continue;
    lag_s = Math.max(lag_s, second - oldest);
    if (second - oldest > 1) level_s = second - 60 - away_s;
  }
  const is_level = 60 + away_s + level_s < end - 1;
  return { busy: busy_s / 60 / nodes / cores, lag_s, ...is_level ? { level_s } : {} };
}

/** One second of a node's shards; gives the processor seconds that were used. */
function work(here: readonly ShardLoad[], second: number): number {
  for (const { bodies, queue } of here) {
    const rows = bodies[second % send_s].reduce((sum, it) => sum + it, 0);
    if (rows > 0) queue.push({ second, rows });
  }
  const open = here.filter(({ back }) => second >= back);
  let left_s = cores - here.length * cost.idle_s -
    open.filter(({ back }) => back > 0 && second === back).length * cost.open_s;
  const before_s = left_s;
  // Each has the same part; what one does not need is for the others.
  const hungry = open.filter(({ queue }) => queue.length > 0);
  for (const [i, { queue, bodies }] of hungry.entries()) {
    const part = Math.max(0, Math.min(shard_cores, left_s / (hungry.length - i)));
    let spare_s = part;
    while (queue.length > 0 && spare_s > 0) {
      const [first] = queue;
      const count = bodies[first.second % send_s].length;
      const needed_s = costOf(first, second - first.second > 2, count);
      if (needed_s > spare_s) {
        first.rows *= 1 - spare_s / needed_s;
        spare_s = 0;
      } else {
        queue.shift();
        spare_s -= needed_s;
      }
    }
    left_s -= part - spare_s;
  }
  return before_s - left_s + here.length * cost.idle_s;
}

const rows_s = plants * tags / 60;
const memory_mb = shards.length * cost.shard_mb + plants * tags * cost.tag_mb;
const a_day_gb = (bytes: number) => `${(rows_s * 86_400 * bytes / 1e9).toFixed(0)} GB a day`;
const cases = {
  "nothing": simulate({ lost: 0, away_s: 0 }),
  "a node is lost": simulate({ lost: 1, away_s: 0 }),
  "all shards are away for an hour": simulate({ lost: 0, away_s: 3_600 }),
};
const lines = [
  `${plants} plants, ${plants * tags / 1e6} M tags, ${Math.round(rows_s)} rows/s`,
  `${nodes} nodes of ${cores} cores: ${(memory_mb / nodes / 1000).toFixed(0)} GB of memory each, ` +
  `${(100 * cases.nothing.busy).toFixed(0)} % of the cores are busy`,
  `on disk ${a_day_gb(cost.hot_bytes)} while it is hot, in the lake ${a_day_gb(cost.cold_bytes)}`,
  "",
  "| what happens | oldest row, s | level again after, s |",
  "| --- | --- | --- |",
  ...Object.entries(cases).map(([name, { lag_s, level_s }]) =>
    `| ${name} | ${lag_s} | ${level_s ?? "never"} |`
  ),
];
systemEffects().out(`${lines.join("\n")}\n`);
