// Tests the run of peers and its tables, with two stores in this process and a clock in hand.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { inverters } from "../bodies.ts";
import { duckdb_dialect } from "./duckdb.ts";
import { DuckTable } from "./duckdb_table.ts";
import type { Peer, Store } from "./peer.ts";
import { type Machine, type Result, runPeers } from "./run.ts";
import { statementsOf, valuesInRow } from "./sql.ts";
import { type Row, standingOf, tablesOf } from "./table.ts";
import { body_rows, minute_us, one_inverter, type Question, spansOf, workOf } from "./work.ts";

const work = workOf(1, Date.UTC(2026, 5, 2));

const about = {
  ...{ sought: "here", durability: "none", settings: "none", is_server: false },
  formats: ["columns"],
  lacks: {},
  find: () => Promise.resolve("1"),
} as const;

const nothing = () => Promise.resolve();

/** DuckDB as the bench has it, but in this process. */
const table_peer: Peer = { ...about, name: "Table", open: openTable };

async function openTable(folder: string): Promise<Store> {
  const path = `${folder}/a.duckdb`;
  const table = await DuckTable.open(path);
  const statements = statementsOf(duckdb_dialect, work);
  return {
    pid: 1,
    load: async ({ path, client }) => await table.load(await Deno.readFile(path), client),
    ...{ settle: nothing, rest: () => table.run("CHECKPOINT") },
    bytes: async () => (await Deno.stat(path)).size,
    ask: async (question) => {
      const rows = await table.rows(statements[question]);
      return () => rows * valuesInRow(question);
    },
    close: () => Promise.resolve(table.close()),
  };
}

/** Rows by minute and inverter, in an array for each folder; it may lose its first body. */
function arrayPeer(name: string, { loses }: { readonly loses: boolean }): Peer {
  const kept = new Map<string, number[]>();
  const open = async (folder: string): Promise<Store> => {
    const is_new = !await Deno.stat(`${folder}/kept`).then(() => true, () => false);
    if (is_new) kept.set(folder, []);
    await Deno.writeFile(`${folder}/kept`, new Uint8Array());
    const rows = kept.get(folder)!;
    const load = async ({ path }: { readonly path: string }) => {
      if (loses && path.endsWith("/0")) return;
      const { buffer } = await Deno.readFile(path);
      const ts = new BigInt64Array(buffer, 0, body_rows);
      const numbers = new Int32Array(buffer, 5 * 8 * body_rows);
      numbers.forEach((inverter, row) =>
        rows.push(Number(ts[row]) / minute_us * inverters + inverter)
      );
    };
    return {
      ...{ pid: 2, load, settle: nothing, rest: nothing, close: nothing },
      bytes: () => Promise.resolve(rows.length),
      ask: (question) => Promise.resolve(() => countIn(rows, question)),
    };
  };
  return { ...about, name, lacks: { replay: "keeps no time of storing" }, open };
}

function countIn(all: readonly number[], question: Question): number {
  const { one_day, page, minutes } = spansOf(work);
  const within = (span: readonly [number, number]) => {
    const [from, to] = span.map((us) => us / minute_us * inverters);
    return all.filter((row) => row >= from && row < to);
  };
  const one = (rows: typeof all) => rows.filter((row) => row % inverters === one_inverter).length;
  const groups = (rows: typeof all, width: number) =>
    new Set(rows.map((row) => Math.floor(row / inverters / width) * inverters + row % inverters))
      .size;
  const answers: Readonly<Record<Question, () => number>> = {
    days: () => groups(all, 1440),
    hours: () => groups(all, 60),
    quarters: () => groups(within(one_day), 15),
    latest: () => new Set(all.map((row) => row % inverters)).size * 4,
    tag_day: () => one(within(one_day)),
    page: () => within(page).length * 4,
    replay: () => 0,
    minutes: () => within(minutes).length,
    whole: () => 1,
    inverter_minutes: () => one(all),
  };
  return answers[question]();
}

/** Runs on a folder that is removed; each look at the clock is a second later. */
async function run(peers: readonly Peer[]) {
  let looks = 0;
  const dropped: string[] = [];
  const machine: Machine = {
    now_ms: () => 1000 * looks++,
    cpuSeconds: (pid) => Promise.resolve(pid * looks),
    dropCache: (folder) => Promise.resolve(void dropped.push(folder)),
    report: () => {},
  };
  const folder = await Deno.makeTempDir();
  try {
    const result = await runPeers({ peers, work, folder, clients: [2], turns: 1, machine });
    return { result, dropped };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("stores take and give as many values; one that loses a body is found", async () => {
  const [whole, lossy] = [false, true].map((loses) =>
    arrayPeer(loses ? "Lossy" : "Array", { loses })
  );
  const { result, dropped } = await run([table_peer, whole, lossy]);
  deepEqual(
    result.loads.map((load) => [load.peer, load.clients, load.values, load.acknowledged_s]),
    ["Table", "Array", "Lossy"].map((name) => [name, 2, 2_880_000, 1]),
  );
  for (const { visible_s, visible_cpu_s } of result.loads) ok(visible_s === 2 && visible_cpu_s > 0);
  const of = (peer: string) => result.reads.filter((read) => read.peer === peer);
  deepEqual([of("Table").length, of("Array").length], [10, 9]);
  for (const { peer, question, wrong, warm_ms, cold_ms } of [...of("Table"), ...of("Array")]) {
    deepEqual(wrong, [], `${peer}: ${question}`);
    deepEqual([warm_ms, cold_ms], [[1000], 1000]);
  }
  equal(dropped.length, 10 + 9 + 9);
  const wrong = Object.fromEntries(of("Lossy").map(({ question, wrong }) => [question, wrong]));
  deepEqual([wrong.tag_day, wrong.days, wrong.minutes], [[1430, 1430], [], [715_000, 715_000]]);
  const text = tablesOf({ ...result, reads: [...of("Table"), ...of("Lossy")] }, {
    ...{ work, ours: "Table", servers: [] },
  });
  match(
    text,
    /\| one raw tag's day \| 1440 \| 1000 \(1000\) \| WRONG: 1430 values \| – \| – \| alone/,
  );
});

Deno.test("a ratio over 1 is behind, whether more or less is better", () => {
  const row = (better: Row["better"], ours: number): Row => ({
    ...{ what: "a", better, ours, peers: { near: 100, far: better === "more" ? 10 : 1000 } },
  });
  deepEqual(standingOf(row("less", 50)), { best: "near", ratio: 0.5, verdict: "first" });
  deepEqual(standingOf(row("less", 120)), { best: "near", ratio: 1.2, verdict: "within 1.2 ×" });
  deepEqual(standingOf(row("less", 200)), { best: "near", ratio: 2, verdict: "behind" });
  deepEqual(standingOf(row("more", 200)), { best: "near", ratio: 0.5, verdict: "first" });
  deepEqual(standingOf(row("more", 50)), { best: "near", ratio: 2, verdict: "behind" });
  deepEqual(standingOf(row("less", 200), ["far"]), { best: "far", ratio: 0.2, verdict: "first" });
  equal(standingOf({ ...row("less", 1), peers: {} }), undefined);
});

Deno.test("the tables count by million values and name the rows that are behind", () => {
  const load = (peer: string, seconds: number): Result["loads"][number] => ({
    ...{ peer, format: "line", clients: 1, values: 2_000_000, bytes: 8_000_000 },
    ...{ acknowledged_s: seconds, visible_s: 2 * seconds },
    ...{ acknowledged_cpu_s: 1, visible_cpu_s: seconds },
  });
  const read = (peer: string, warm_ms: readonly number[]): Result["reads"][number] => ({
    ...{ peer, question: "whole", warm_ms, cpu_ms: 5, cold_ms: 30, wrong: [] },
  });
  const result = {
    loads: [load("Ours", 4), load("Theirs", 2)],
    reads: [read("Ours", [3, 1, 2]), read("Theirs", [4])],
  };
  const text = tablesOf(result, { work, ours: "Ours", servers: ["Theirs"] });
  match(text, /\| Ours, line \| 1 \| 500 \| 250 \| 0\.500 \| 2\.00 \| 4\.00 \|/);
  match(
    text,
    /\| line, clients: 1, k values\/s acknowledged \| 500 \| Theirs 1000 \| 2\.00 \| behind \|/,
  );
  match(
    text,
    / by project \| 1 \| 1\.00 \(2\.00\) \| 4\.00 \(4\.00\) \| Theirs 4\.00 \| 0\.25 \| first/,
  );
  const [, behind] = text.split("## Where the product is not within 1.2 × of the first");
  deepEqual(
    behind.trim().split("\n").slice(2).map((line) => line.split(" | ")[0]),
    [
      "| ingest: line, clients: 1, k values/s acknowledged",
      "| ingest: line, clients: 1, k values/s visible",
      "| ingest: line, clients: 1, CPU s per M visible",
    ],
  );
  ok(!behind.includes("Full"));
});
