// `deno task bench --peers`: the command; finds the peers, runs them and writes what they took.
import { parseArgs } from "node:util";
import { systemEffects } from "../../../src/base/effects.ts";
import { saveBars } from "../plot.ts";
import { chdb } from "./chdb.ts";
import { duckdb } from "./duckdb.ts";
import type { Peer } from "./peer.ts";
import { postgres } from "./postgres.ts";
import { cpuSeconds, dropCache, endAll, outputOf } from "./process.ts";
import { questdb } from "./questdb.ts";
import { type Result, runPeers } from "./run.ts";
import { bestOf, questionRows, tableOf, tablesOf } from "./table.ts";
import { victoria_metrics } from "./victoria_metrics.ts";
import { wattkeeper } from "./wattkeeper.ts";
import { sizeOfWork, type Work, workOf } from "./work.ts";

const peers = [wattkeeper, duckdb, postgres, victoria_metrics, questdb, chdb];

const help = `deno task bench --peers [options]

The same values and questions for the product and for the peers that are on this machine:
500 inverters × 4 measures × 1 minute. Nothing is downloaded or installed.

  --full          10 days, 28.8 million values; without it 2 days
  --days N        so many days
  --turns N       turns of the warm questions; 15 by default, as some compile while they run
  --only A,B      only peers whose names begin so, and the product
  --out FOLDER    writes table.md, result.json and plot.png there
  --help          this text

Where peers are looked for:
${peers.map(({ name, sought }) => `  ${name}: ${sought}`).join("\n")}
`;

/** Runs the command; gives its exit code: 1 where an answer was not whole, 130 once interrupted. */
export async function benchPeers(args: readonly string[]): Promise<number> {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      ...{ peers: { type: "boolean" }, full: { type: "boolean" }, help: { type: "boolean" } },
      ...{ days: { type: "string" }, turns: { type: "string", default: "15" } },
      ...{ only: { type: "string", default: "" }, out: { type: "string" } },
    },
  });
  const { out, now_us } = systemEffects();
  if (options.help) {
    out(help);
    return 0;
  }
  const days = Number(options.days ?? (options.full ? 10 : 2));
  if (!Number.isInteger(days) || days < 1 || days > 28) throw new Error("give 1 to 28 days");
  const wanted = options.only.toLowerCase().split(",");
  const named = peers.filter((peer) =>
    peer === wattkeeper || wanted.some((name) => peer.name.toLowerCase().startsWith(name))
  );
  const versions = new Map<Peer, string | undefined>();
  for (const peer of named) versions.set(peer, await peer.find());
  const found = named.filter((peer) => versions.get(peer) !== undefined);
  for (const { name, sought } of named.filter((peer) => !found.includes(peer))) {
    out(`${name} is left out: not found. It is looked for at: ${sought}\n`);
  }
  const work = workOf(days, now_us() / 1000);
  const load = [Deno.loadavg()];
  const result = await inFolder((folder) =>
    runPeers({
      ...{ peers: found, work, folder, clients: [1, 4], turns: Number(options.turns) },
      machine: {
        now_ms: () => performance.now(),
        ...{ cpuSeconds, dropCache },
        report: (line) => out(`${new Date().toISOString().slice(11, 19)} ${line}\n`),
      },
    })
  );
  if (result === undefined) return 130;
  load.push(Deno.loadavg());
  const text = [
    "# The product beside its peers",
    machineText(work, load),
    peersText(versions),
    tablesOf(result, { work, ours: wattkeeper.name, servers: serversOf(found) }),
  ].join("\n\n");
  out(`\n${text}\n`);
  if (options.out !== undefined) await save(options.out, { text, result });
  return result.reads.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
}

function serversOf(found: readonly Peer[]): readonly string[] {
  return found.filter(({ is_server }) => is_server).map(({ name }) => name);
}

/** Runs `work` on a folder for all it makes, and removes it; gives nothing once interrupted. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-peers-" });
  // A server that runs as another user passes through it.
  await Deno.chmod(folder, 0o711);
  const temporary = Deno.env.get("TMPDIR") ?? "/tmp";
  Deno.env.set("TMPDIR", folder);
  const { promise: interrupted, resolve } = Promise.withResolvers<undefined>();
  const interrupt = () => resolve(undefined);
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, interrupt);
  const clean = async () => {
    await endAll();
    await outputOf("rm", "-rf", folder);
  };
  const running = work(folder);
  try {
    return await Promise.race([running, interrupted]);
  } finally {
    await clean();
    // What was interrupted fails now; on its way it may have started one process more.
    await running.catch(() => {});
    await clean();
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      Deno.removeSignalListener(signal, interrupt);
    }
    Deno.env.set("TMPDIR", temporary);
  }
}

function machineText(work: Work, loads: readonly (readonly number[])[]): string {
  const { values, bodies } = sizeOfWork(work);
  const { total } = Deno.systemMemoryInfo();
  const [before, after] = loads.map(([minute]) => minute.toFixed(1));
  return `${navigator.hardwareConcurrency} cores, ${(total / 2 ** 30).toFixed(0)} GiB, Deno ` +
    `${Deno.version.deno}; load of the last minute ${before} before, ${after} after. ` +
    `${work.days} days of 500 inverters × 4 measures × 1 minute: ${values / 1e6} M values in ` +
    `${bodies} bodies of 20 000.`;
}

function peersText(versions: ReadonlyMap<Peer, string | undefined>): string {
  const lines = Array.from(versions, ([{ name, sought, durability, settings, lacks }, version]) => {
    if (version === undefined) return [name, "absent", `looked for at: ${sought}`, ""];
    const missing = Object.entries(lacks).map(([question, why]) => `; no ${question}: it ${why}`);
    return [name, version, durability, settings + missing.join("")];
  });
  return `${tableOf(["peer", "version", "an acknowledged body is", "settings"], lines)}\n\n` +
    "Values are counted as values: peers whose rows hold an inverter's four measures have four " +
    "a row. Times are those of one client on the same machine, to the last byte of the answer. " +
    "DuckDB and ClickHouse are embedded: no byte of theirs is sent, and the process that they " +
    "are in reads the files of bodies itself. " +
    "The product alone rolls up, refuses duplicates and checks values as it takes them in.";
}

async function save(
  folder: string,
  { text, result }: { readonly text: string; readonly result: Result },
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/table.md`, `${text}\n`);
  await Deno.writeTextFile(`${folder}/result.json`, JSON.stringify(result));
  const rows = questionRows(result.reads, { ours: wattkeeper.name, take: bestOf });
  const series = [...new Set(result.reads.map(({ peer }) => peer))];
  const groups = rows.map(({ what, ours, peers }) => ({
    name: what,
    values: series.map((name) => name === wattkeeper.name ? ours : peers[name]),
  }));
  try {
    await saveBars(`${folder}/plot.png`, { title: "Warm questions, best, ms", series, groups });
  } catch (error) {
    systemEffects().out(`no plot: ${error instanceof Error ? error.message : error}\n`);
  }
}
