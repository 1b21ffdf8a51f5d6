// `deno run -A tests/fleet/portfolio.ts [PLANTS] [DAYS] [fleet|one]`: how long a row a plant takes
// from three nodes with their processes and their catalogue, or from one service, and how much
// memory each process holds meanwhile. A request names as many plants as its address has room for.
import { deepEqual, equal } from "node:assert/strict";
import { request_limits } from "../../src/http/frame/limits.ts";
import { systemEffects } from "../../src/base/effects.ts";
import { startServer } from "../help/process.ts";
import { argumentsOf, FleetWorld, pause, whole } from "./fleet_world.ts";

const { out } = systemEffects();
const usage = "deno run -A tests/fleet/portfolio.ts [PLANTS=200] [DAYS=31] [fleet|one]";
const forms = [["200", whole], ["31", whole], ["fleet", /^(fleet|one)$/]] as const;
const [many, long, where] = argumentsOf(usage, forms);
const [plants, days] = [Number(many), Number(long)];
const first_ms = Date.UTC(2026, 4, 1);
const [hour_ms, day_ms] = [3_600_000, 86_400_000];
const at_once = 8;

/** What is asked, and the numbers of its processes. */
type Asked = {
  readonly addresses: readonly string[];
  readonly token: string;
  readonly processes: () => Promise<ReadonlyMap<string, number>>;
};

const keyOf = (i: number) => `plant-${i}`;

async function send(
  { addresses, token }: Asked,
  { i, method, path, type, body }: {
    readonly i: number;
    readonly method: string;
    readonly path: string;
    readonly type: string;
    readonly body: string;
  },
): Promise<void> {
  for (;;) {
    const answer = await fetch(`${addresses[i % addresses.length]}${path}`, {
      ...{ method, body, headers: { authorization: `Bearer ${token}`, "content-type": type } },
    });
    const said = await answer.text();
    if (answer.status === 200) return;
    if (answer.status !== 503) throw new Error(`${path}: ${answer.status} ${said}`);
    await pause(500);
  }
}

/** Makes a plant with a meter, and sends four minutes of each day of it, and of its model. */
async function put(asked: Asked, i: number): Promise<void> {
  const key = keyOf(i);
  const site = {
    ...{ version: 1, organization: { key: "o", name: "O" } },
    project: { key, name: `Plant ${i}`, timezone: "UTC" },
    site: { key: `s-${key}`, name: "S", latitude: 30 + i / 100, longitude: 0 },
    devices: [{ key: "M", type: "meter" }],
    sensors: [{ tag: "p", device: "M", measure: "active_power" }],
  };
  const path = `/admin/v1/sites/s-${key}`;
  const body = JSON.stringify(site);
  await send(asked, { i, method: "PUT", path, type: "application/json", body });
  for (const [lane, valueOf] of [["signal", (at: number) => i + at / 7], ["model", () => 1000]]) {
    const rows = Array.from({ length: 4 * days }, (_, at) => {
      const ms = first_ms + Math.floor(at / 4) * day_ms + (10 + at % 4) * hour_ms;
      const value = (valueOf as (at: number) => number)(at);
      return JSON.stringify({ tag: "p", ts: new Date(ms).toISOString(), value });
    });
    await send(asked, {
      ...{ i, method: "POST", path: `/ingest/v1/signals?project_id=${key}&lane=${lane}` },
      ...{ type: "application/x-ndjson", body: rows.join("\n") },
    });
  }
}

/** Works off all plants, a few at a time. */
async function putAll(asked: Asked): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: at_once }, async () => {
    while (next < plants) await put(asked, next++);
  }));
}

/** The ids of all plants, once each node knows them. */
async function idsOf({ addresses, token }: Asked): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${addresses[0]}/platform/v1/meta/projects`, { headers });
  const { projects } = await answer.json();
  equal(projects.length, plants);
  return projects.map((it: { readonly project_id: string }) => it.project_id);
}

/** One round of all requests: the rows in all, and how long the slowest took. */
async function ask({ addresses, token }: Asked, ids: readonly string[]) {
  const room = Math.min(200, Math.floor((request_limits.url_bytes - 300) / 49));
  const rows: string[] = [];
  let slowest_ms = 0;
  for (let from = 0, turn = 0; from < ids.length; from += room, turn++) {
    const names = ids.slice(from, from + room).map((id) => `project_ids=${id}`);
    const begin_ms = performance.now();
    const answer = await fetch(
      `${addresses[turn % addresses.length]}/platform/v1/performance-v2?${names.join("&")}` +
        `&component=meter&component_measure=active_power&dt_start=2026-05-01&dt_end=2026-05-31` +
        "&time_interval=Full&group_by=project_id&include=matched&format=csv",
      { headers: { authorization: `Bearer ${token}` } },
    );
    const text = await answer.text();
    equal(answer.status, 200, text);
    slowest_ms = Math.max(slowest_ms, performance.now() - begin_ms);
    rows.push(...text.trimEnd().split("\r\n").slice(1));
  }
  return { rows, slowest_ms, requests: Math.ceil(ids.length / room) };
}

/** What the system says of the memory of some processes, in MB. */
async function memoryOf(asked: Asked, name: "VmRSS" | "VmHWM") {
  return await Promise.all(Array.from(await asked.processes(), async ([who, pid]) => {
    const text = await Deno.readTextFile(`/proc/${pid}/status`);
    return { who, mb: Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)![1]) / 1024) };
  }));
}

async function measure(asked: Asked): Promise<void> {
  const begin_ms = performance.now();
  await putAll(asked);
  out(`${plants} plants are there after ${Math.round((performance.now() - begin_ms) / 1000)} s\n`);
  const ids = await idsOf(asked);
  let [before, is_same] = ["", false];
  while (!is_same) {
    const { rows } = await ask(asked, ids);
    is_same = rows.length === plants && rows.join() === before;
    before = rows.join();
    await pause(3_000);
  }
  for (const pid of (await asked.processes()).values()) {
    await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5");
  }
  const rested = await memoryOf(asked, "VmRSS");
  const rounds: { readonly ms: number; readonly slowest_ms: number }[] = [];
  for (let round = 0; round < 9; round++) {
    const start_ms = performance.now();
    const { rows, slowest_ms } = await ask(asked, ids);
    deepEqual(rows.join(), before);
    rounds.push({ ms: performance.now() - start_ms, slowest_ms });
  }
  const median = rounds.map(({ ms }) => ms).toSorted((a, b) => a - b)[4];
  const slowest = Math.max(...rounds.map((it) => it.slowest_ms));
  const { requests } = await ask(asked, ids);
  out(`${where}: ${plants} rows in ${requests} requests, one after the other\n`);
  out(`  median of 9 rounds ${Math.round(median)} ms, the slowest request ${slowest | 0} ms\n`);
  const most = await memoryOf(asked, "VmHWM");
  for (const [i, { who, mb }] of most.entries()) {
    out(`  ${who}: ${rested[i].mb} MB, ${mb} at most\n`);
  }
}

if (where === "one") {
  const data_dir = await Deno.makeTempDir({ dir: "/tmp" });
  const server = await startServer(data_dir);
  await measure({
    ...{ addresses: [server.address], token: server.token! },
    processes: () => Promise.resolve(new Map([["service", server.pid]])),
  });
  await server.end("SIGTERM");
  await Deno.remove(data_dir, { recursive: true });
} else {
  await using world = await FleetWorld.open(["a", "b", "c"]);
  if (world === undefined) throw new Error("there is no PostgreSQL, or no root to start it");
  const token = await world.token();
  await measure({
    ...{ addresses: world.nodes.map(({ address }) => address), token },
    processes: async () => {
      const pids = await Promise.all(world.nodes.map(async (node) => {
        const [own, ...shards] = await node.pids();
        return [
          [`node ${node.name}`, own] as const,
          ...shards.map((pid, i) => [`shard ${i + 1} of ${node.name}`, pid] as const),
        ];
      }));
      return new Map(pids.flat());
    },
  });
}
