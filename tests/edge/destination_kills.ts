// `deno run -A tests/edge/destination_kills.ts [kills=24] [seed=1]`: a service that sends to every
// kind of destination, and these, killed at random. Each destination has to have each sample that
// the service holds, and no other; how often one came twice is said.
//
// The clock of the service begins so many hours before the machine's, and is set an hour forth with
// each kill: so periods of files end. The store takes no request of so old a clock: it gets its
// files in the last rounds.
import { deepEqual, equal, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { buildLibrary, Preload } from "../faults/preload.ts";
import { selectRows, type Side, sideOf } from "../faults/side.ts";
import { until } from "../faults/until.ts";
import { type Client, declareProject, send } from "../help/client.ts";
import { type Peer, startPeer } from "../help/destination.ts";
import { kinds, type Place, type Sample, type World } from "./destination_peers.ts";

const [kills = 24, seed = 1] = Deno.args.map(Number);
/** Requests between two kills, at most, and the longest wait before one. */
const [round_requests, longest_ms] = [80, 1_500];
const { out } = systemEffects();

/** Something that is killed and started again. */
type Victim = { readonly name: string; readonly kill: () => Promise<unknown> };

const folder = await Deno.makeTempDir({ prefix: "wattkeeper-destinations-" });
const library = await buildLibrary((why) => out(`${why}\n`));
ok(library, "the clock of the service can be set");
const orders = new Preload(library);
const hours = Math.ceil(kills * 2 / 3);
orders.setClock(-hours * 3600);

const peers: Peer[] = [];
const world: World = {
  folder,
  async peer(command, wish) {
    let peer = await startPeer(command, wish);
    const { port } = peer;
    peers.push({ port, stop: () => peer.stop() });
    return {
      port,
      async again() {
        await peer.stop();
        peer = await startPeer(command, { ...wish, port });
      },
    };
  },
};
const places = new Map<string, Place>();
for (const [key, open] of Object.entries(kinds)) places.set(key, await open(world));

const args = ["--destination-allow", "127.0.0.1", "--destination-dir", `${folder}/files`];
const service = await sideOf(`${folder}/service`, { args, env: orders.env });
const client = await declareProject(service.server);
const own: Victim = {
  name: "service",
  async kill() {
    await service.server.end("SIGKILL");
    service.server = await service.start();
  },
};
const others: readonly Victim[] = [...places]
  .flatMap(([name, { again }]) => again ? [{ name, kill: again }] : []);
const dice = new Dice(seed);
try {
  for (const [key, { definition }] of places) {
    await call(`/platform/v1/destinations/${key}`, definition);
  }
  for (let round = 0, next = 0; round < kills; round++) {
    const hour = Math.max(0, hours - 1 - round);
    orders.setClock(-hour * 3600);
    // Every second time the service, and else one of the others; the store once it takes files.
    const rivals = others.filter(({ name }) => (name === "store") === (hour === 0));
    const { name, kill } = round % 2 === 0 ? own : rivals[(round >> 1) % rivals.length];
    const wait_ms = longest_ms * dice.unit(1, round);
    const killing = pause(wait_ms).then(kill);
    // What is stored in the hour that is now has to wait until it is over.
    const requests = hour === 0 ? 0 : 1 + dice.pick(round_requests, { channel: 2, step: round });
    for (let i = 0; i < requests; i++) await send(service.server, client, next++);
    await killing;
    out(`${round + 1}: ${name} killed after ${Math.round(wait_ms)} ms, ${next} requests\n`);
  }
  const held = await heldBy(service, client);
  ok(held.length > 0);
  const left = await until(waiting, 180_000);
  deepEqual(left, [], "nothing waits");
  const told: string[] = [];
  for (const [key, { found }] of places) {
    const samples = await found();
    const names = samples.map(nameOf);
    const once = new Set(names);
    const [wanted, found_by] = [new Set(held.map(nameOf)), `of ${names.length} at ${key}`];
    deepEqual([...wanted.difference(once)].slice(0, 3), [], `lacks ${found_by}`);
    deepEqual(
      [...once.difference(wanted)].slice(0, 3),
      [],
      `none but what the service holds ${found_by}`,
    );
    const twice = names.length - once.size;
    const { set_aside_rows } = (await stateOf(key))!;
    const aside = set_aside_rows > 0 ? ` (${set_aside_rows} repeats refused)` : "";
    told.push(`${key} ${twice} twice${aside}`);
  }
  out(
    `${kills} kills of ${
      ["service", ...others.map(({ name }) => name)].join(", ")
    }, seed ${seed}: ` +
      `${held.length} samples at each destination; ${told.join(", ")}\n`,
  );
} finally {
  await service.server.end("SIGKILL");
  for (const peer of peers) await peer.stop();
  orders.close();
  await Deno.remove(folder, { recursive: true });
}
Deno.exit(0);

function nameOf({ tag, ts_ms, value }: Sample): string {
  return `${tag} ${ts_ms} ${value}`;
}

async function heldBy(side: Side, { token }: Client): Promise<readonly Sample[]> {
  return await selectRows<Sample>(side, {
    token,
    sql: "SELECT sensor_tag AS tag, ts // 1000 AS ts_ms, value " +
      "FROM sample JOIN tag USING (tag_no)",
  });
}

/** The destinations for which something waits. */
async function waiting(): Promise<readonly string[]> {
  const states = await Promise.all(
    [...places.keys()].map(async (key) => [key, await stateOf(key)]),
  );
  return states.flatMap(([key, state]) => {
    const { waiting_rows, reason } = state as State;
    return waiting_rows > 0 || reason !== null ? [`${key}: ${waiting_rows} wait, ${reason}`] : [];
  });
}

type State = {
  readonly waiting_rows: number;
  readonly set_aside_rows: number;
  readonly reason: string | null;
};

async function stateOf(key: string): Promise<State | undefined> {
  const all = await call("/platform/v1/destinations") as { key: string; state: State }[];
  return all.find((it) => it.key === key)?.state;
}

async function call(path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${service.server.address}${path}?project_id=${client.project_id}`, {
    method: body === undefined ? "GET" : "PUT",
    headers: { authorization: `Bearer ${client.token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  equal(answer.ok, true, text);
  return JSON.parse(text);
}

function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}
