// `deno run -A tests/fleet/absent.ts [ROUNDS] [SEED]`: the node of a shard is killed or stopped
// while late samples, a site file or a new tag come for it; nobody may take the shard over, and the
// others are asked about days that lie in the lake. Each answer has to be what was acknowledged. It
// needs LAKE_EXTENSIONS, and root who may start PostgreSQL.
import { equal, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { argumentsOf, FleetWorld, type Node, pause, whole } from "./fleet_world.ts";

const { out } = systemEffects();
const usage = "deno run -A tests/fleet/absent.ts [ROUNDS=12] [SEED=1]";
const [rounds, seed] = argumentsOf(usage, [["12", whole], ["1", whole]]).map(Number);
const extensions = Deno.env.get("LAKE_EXTENSIONS");
const day_ms = 86_400_000;
const today_ms = Math.floor(Date.now() / day_ms) * day_ms;
const first_ms = today_ms - 50 * day_ms;
const days = 3;
const per_day = 40;

if (extensions === undefined) leave();
const env = ({ folder, postgres }: { readonly folder: string; readonly postgres: string }) => ({
  WATTKEEPER_FLEET_FENCE: "none",
  WATTKEEPER_FLEET_SHARDS: "2",
  WATTKEEPER_TIER: `ducklake:postgres:host=${postgres} user=postgres dbname=postgres`,
  WATTKEEPER_LAKE_DIR: `${folder}/lake`,
  WATTKEEPER_TIER_AFTER: "35d",
  WATTKEEPER_EXTENSION_DIR: extensions,
});
await using world = await FleetWorld.open(["a", "b", "c"], { env }) ?? leave();
const token = await world.token();
const dice = new Dice(seed);
const shard = 1;

function leave(): never {
  out("it needs LAKE_EXTENSIONS, and root who may start PostgreSQL: nothing was tried\n");
  Deno.exit(1);
}

/** What was sent, and what of it was acknowledged: numbers of rows, and of site files. */
const sent = { rows: new Set<number>(), file: 0 };
const acknowledged = { rows: new Set<number>(), file: 0 };
const counts = { told: 0, refused: 0, rounds_told: 0 };
let next = 0;

const siteOf = (file: number) => ({
  version: 1,
  organization: { key: "o", name: "O" },
  project: { key: "p", name: "P", timezone: "UTC" },
  site: { key: "s", name: "S", latitude: 0, longitude: 0 },
  devices: [{ key: "met", type: "met" }],
  sensors: [{ tag: "t", device: "met", measure: "poa_front", offset: file }],
});

async function ask(node: Node, path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(`${node.address}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
    signal: AbortSignal.timeout(25_000),
  });
}

/** Whether a node takes it. */
async function isTaken(node: Node, path: string, init: RequestInit): Promise<boolean> {
  try {
    const answer = await ask(node, path, init);
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

async function apply(node: Node): Promise<boolean> {
  const file = ++sent.file;
  const is_taken = await isTaken(node, "/admin/v1/sites/s", {
    ...{ method: "PUT", headers: { "content-type": "application/json" } },
    body: JSON.stringify(siteOf(file)),
  });
  if (is_taken) acknowledged.file = file;
  return is_taken;
}

async function send(node: Node, rows: readonly object[]): Promise<boolean> {
  return await isTaken(node, "/ingest/v1/signals?project_id=p", {
    ...{ method: "POST", headers: { "content-type": "application/x-ndjson" } },
    body: rows.map((row) => JSON.stringify(row)).join("\n"),
  });
}

/** Rows of old days; the value of each is its number. */
async function sendOld(node: Node, count: number): Promise<boolean> {
  const numbers = Array.from({ length: count }, () => next++);
  const rows = numbers.map((value) => ({ tag: "t", ts: new Date(timeOf(value)), value }));
  for (const number of numbers) sent.rows.add(number);
  const is_taken = await send(node, rows);
  if (is_taken) { for (const number of numbers) acknowledged.rows.add(number); }
  return is_taken;
}

const timeOf = (number: number) => first_ms + number % days * day_ms + number * 1_000;

const works: Readonly<Record<string, (node: Node) => Promise<boolean>>> = {
  nothing: () => Promise.resolve(true),
  "late samples": (node) => sendOld(node, 1),
  "a site file": apply,
  "a new tag": (node) =>
    send(node, [{ tag: `new ${next}`, ts: new Date(today_ms + next++), value: 1 }]),
};

/** Asks a node about all old days; what it tells has to be what was acknowledged. */
async function compare(node: Node): Promise<boolean> {
  const [from, to] = [first_ms, first_ms + days * day_ms].map((ms) => new Date(ms).toISOString());
  const query = new URLSearchParams({
    ...{ project_id: "p", from, to, resolution: "raw", lane: "performance", tag: "t" },
    ...{ columns: "raw_value,value", limit: "10000", format: "csv" },
  });
  const before = { rows: new Set(acknowledged.rows), file: acknowledged.file };
  const answer = await ask(node, `/platform/v1/signals?${query}`).catch(() => undefined);
  const text = await answer?.text().catch(() => undefined);
  if (answer === undefined || text === undefined || answer.status === 503) return false;
  equal(answer.status, 200, text);
  const [, ...lines] = text.trim().split("\n");
  const found: readonly Found[] = lines.map((line) => {
    const [raw_value, value] = line.split(",").map(Number);
    return { raw_value, value };
  });
  const told = new Set(found.map(({ raw_value }) => raw_value));
  equal(told.size, found.length, "a row is there twice");
  for (const number of before.rows) ok(told.has(number), `${number} was acknowledged`);
  for (const number of told) ok(sent.rows.has(number), `${number} was never sent`);
  const files = new Set(found.map(({ raw_value, value }) => Math.round(value - raw_value)));
  equal(files.size, 1, `${[...files]}: one answer is of one site file`);
  const [file] = files;
  ok(file >= before.file && file <= sent.file, `${file} is not ${before.file} to ${sent.file}`);
  return true;
}

type Found = { readonly raw_value: number; readonly value: number };

/** Lets the shard's process begin anew: it stores all old days in the lake at once. */
async function publish(): Promise<void> {
  const holder = await world.until("the shard is held", () => world.holderOf(shard));
  await holder.killShard();
  await world.until("all days lie in the lake", async () => {
    const text = await ask(holder, "/metrics").then((it) => it.text()).catch(() => "");
    const found = [...text.matchAll(/^wattkeeper_tier_days\{shard="1"[^}]*\} (\d+)$/gm)];
    return found.some(([, count]) => Number(count) === days) || undefined;
  });
  await world.until("the outline is kept", async () => {
    const { shards } = await world.catalog.look();
    return shards[shard].is_outlined || undefined;
  });
}

await world.settle();
await world.until("the site is applied", async () => await apply(world.nodes[0]) || undefined);
await world.until(
  "the rows are stored",
  async () => await sendOld(world.nodes[0], days * per_day) || undefined,
);
await world.until(
  "a row of today",
  async () => await send(world.nodes[0], [{ tag: "t", ts: new Date(), value: 1 }]) || undefined,
);
for (let round = 0; round < rounds; round++) {
  await publish();
  const holder = await world.until("the shard is held", () => world.holderOf(shard));
  const others = world.nodes.filter((it) => it !== holder);
  const [what, work] = Object.entries(works)[round % Object.keys(works).length];
  const is_stopped = Math.floor(round / Object.keys(works).length) % 2 === 1;
  const working = work(others[0]);
  // Sometimes before it is acknowledged, sometimes after.
  await pause(5_000 * dice.unit(1, round));
  await (is_stopped ? holder.stop({ is_alone: false }) : holder.kill());
  const told_before = counts.told;
  const end_ms = performance.now() + 30_000;
  let first_s = NaN;
  while (performance.now() < end_ms) {
    for (const node of others) {
      const is_told = await compare(node);
      if (is_told && Number.isNaN(first_s)) first_s = (performance.now() - end_ms) / 1000 + 30;
      counts[is_told ? "told" : "refused"]++;
    }
    await pause(500);
  }
  const is_told = counts.told > told_before;
  if (what === "nothing") ok(is_told, "days that lie in the lake were never told");
  counts.rounds_told += Number(is_told);
  if (is_stopped) holder.wake();
  else holder.start();
  const is_done = await working;
  await world.settle();
  await world.until("the shard answers", async () => await compare(others[1]) || undefined);
  const fault = is_stopped ? "stopped" : "killed";
  const after = is_told ? `told after ${first_s.toFixed(1)} s` : "not told";
  out(`${round + 1}: ${fault} under ${what} (${is_done ? "done" : "not done"}): ${after}\n`);
}
out(
  `\n${rounds} rounds, ${acknowledged.rows.size} rows and ${acknowledged.file} site files: in ` +
    `${counts.rounds_told} rounds others told of old days, ${counts.told} times, and each time ` +
    `what was acknowledged; ${counts.refused} times they did not\n`,
);
