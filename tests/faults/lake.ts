// `deno run -A tests/faults/lake.ts [ROUNDS] [SEED] [WHAT] [SECONDS]`: days move into a lake in an
// object store, are taken back, and are erased, while the service, the catalogue (PostgreSQL) or
// the store is killed, hangs or is cut off for so long; only what has WHAT in its name. Counts what
// was lost or is there twice; in the end all is erased, and the store is listed. It needs
// LAKE_EXTENSIONS, versitygw, and root who may start PostgreSQL.
import { deepEqual, equal, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { Dice } from "../../src/base/random.ts";
import { Relay } from "../fleet/relay.ts";
import { startPostgres } from "../help/postgres.ts";
import { run_source } from "../help/process.ts";
import { startStore } from "../help/store.ts";
import { type DayCount, type Order, rows_per_order, type WorkerPlace } from "./lake_worker.ts";
import { rest } from "./side.ts";

const { out } = systemEffects();
const [rounds = 48, seed = 1, , lasts_s = 3] = Deno.args.map(Number);
const extensions = Deno.env.get("LAKE_EXTENSIONS");
const folder = await Deno.makeTempDir({ dir: "/tmp", prefix: "lake-faults-" });
const postgres = await startPostgres(`${folder}/postgres`);
const store = await startStore(`${folder}/store`);
if (postgres === undefined || store === undefined || extensions === undefined) {
  const needs = "LAKE_EXTENSIONS, versitygw, and root who may start PostgreSQL";
  out(`it needs ${needs}: nothing was tried\n`);
  Deno.exit(1);
}
const socket = ".s.PGSQL.5432";
await Deno.mkdir(`${folder}/near`);
const to_catalogue = new Relay({
  from: { transport: "unix", path: `${folder}/near/${socket}` },
  to: { transport: "unix", path: `${folder}/postgres/${socket}` },
});
const to_store = new Relay({
  from: { hostname: "127.0.0.1", port: 0 },
  to: { hostname: "127.0.0.1", port: store.port },
});
const { lake_dir, s3_key_id, s3_secret } = store.settings;
const place: WorkerPlace = {
  ...{ folder, extensions, data_path: lake_dir },
  catalog: `postgres:${postgres.place.replace(`${folder}/postgres`, `${folder}/near`)}`,
  s3: {
    ...{ endpoint: `http://127.0.0.1:${to_store.port}`, region: "none" },
    ...{ key_id: s3_key_id, secret: s3_secret },
  },
};

/** The process of the database, which is started again where it is killed. */
class Service {
  #child: Deno.ChildProcess;
  readonly #port: Promise<number>;

  constructor() {
    const worker = new URL("./lake_worker.ts", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: [...run_source, worker, JSON.stringify(place)],
      ...{ stdin: "null", stdout: "piped", stderr: "inherit" },
    }).spawn();
    this.#child = child;
    this.#port = (async () => {
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const { value } = await reader.read();
      return Number(value);
    })();
  }

  signal(name: Deno.Signal): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#child.status;
  }

  /** What an order gives. Throws what is wrong, such as that nobody answers. */
  async ask<T = unknown>(order: Order): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${await this.#port}`, {
      method: "POST",
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(240_000),
    });
    const { done, fault } = await answer.json();
    if (fault !== undefined) throw new Error(fault);
    return done;
  }
}

let service = new Service();

type Fault = {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
};

const restart = async () => {
  await service.kill();
  service = new Service();
};

const faults: readonly Fault[] = [
  { name: "kill -9 of the service", begin: () => restart(), end: () => {} },
  {
    name: "SIGSTOP of the service",
    begin: () => service.signal("SIGSTOP"),
    end: () => service.signal("SIGCONT"),
  },
  { name: "the catalogue is killed", begin: postgres.stop, end: postgres.start },
  { name: "the catalogue hangs", begin: postgres.hang, end: postgres.start },
  {
    name: "the catalogue is cut off",
    begin: () => to_catalogue.cut(),
    end: () => to_catalogue.mend(),
  },
  { name: "the store is killed", begin: store.stop, end: store.start },
  { name: "the store hangs", begin: store.hang, end: store.start },
  { name: "the store is cut off", begin: () => to_store.cut(), end: () => to_store.mend() },
];

const chosen = faults.filter(({ name }) => name.includes(Deno.args[2] ?? ""));
const works = ["publish", "store", "erase"] as const;
const today = Math.floor(Date.now() / 86_400_000);
const old_days = Array.from({ length: 6 }, (_, i) => today - 50 - i);
/** How many rows each day has, as far as it was acknowledged. */
const wanted = new Map<number, number>();
const outcomes = new Map(chosen.map(({ name }) => [name, { rounds: 0, done: 0, slowest_ms: 0 }]));
const dice = new Dice(seed);
let next = 0;
let acknowledged = 0;
/** How often the lake alone told of a day. */
let told = 0;

/** Stores rows, which are acknowledged. */
async function put(day: number): Promise<void> {
  await service.ask({ what: "store", day, n: next++ });
  wanted.set(day, (wanted.get(day) ?? 0) + rows_per_order);
  acknowledged += rows_per_order;
}

/** Of a day, the lake alone tells what was acknowledged, or nothing. */
async function compareLake(): Promise<void> {
  let days: DayCount[] = [];
  // Nothing that was read may have been in it, and it rests where it did not answer.
  await until("the lake answers", async () => {
    days = await service.ask({ what: "lake" });
  });
  for (const { day, n, distinct } of days) {
    deepEqual([n, distinct], [wanted.get(day), wanted.get(day)], `the lake alone tells of ${day}`);
    told++;
  }
}

async function until(what: string, done: () => Promise<unknown>): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      await done();
      return;
    } catch (error) {
      if (tries > 60) throw new Error(`not in time: ${what}`, { cause: error });
      await rest(1_000);
    }
  }
}

const count = async () => {
  const found = await service.ask<DayCount[]>({ what: "count" });
  for (const { day, n, distinct } of found) equal(n, distinct, `day ${day} has rows twice`);
  return new Map(found.map(({ day, n }) => [day, n]));
};

for (const day of [...old_days, today]) await put(day);
for (let round = 0; round < rounds; round++) {
  const fault = chosen[round % chosen.length];
  const what = works[Math.floor(round / chosen.length) % works.length];
  const day = old_days[dice.pick(old_days.length, { channel: 1, step: round })];
  // What is erased, or gets what is late, lies in the lake; what is published does not yet.
  await put(day);
  await compareLake();
  if (what !== "publish") await until("all is published", () => service.ask({ what: "publish" }));
  const before = wanted.get(day)!;
  const after = what === "erase" ? 0 : what === "store" ? before + rows_per_order : before;
  const working = service.ask({ what, day, n: next++ }).then(() => true, () => false);
  await rest(400 * dice.unit(2, round));
  const begin_ms = performance.now();
  await fault.begin();
  // What is near is stored and read as ever, unless the service itself is away.
  const outcome = outcomes.get(fault.name)!;
  const near = fault.name.endsWith("of the service") ? undefined : (async () => {
    await put(today);
    await service.ask({ what: "near" });
    outcome.slowest_ms = Math.max(outcome.slowest_ms, performance.now() - begin_ms);
  })();
  await rest(lasts_s * 1_000);
  await fault.end();
  await near;
  const is_done = await working;
  await until("the service answers", () => service.ask({ what: "near" }));
  let found = new Map<number, number>();
  await until("all is read", async () => {
    found = await count();
  });
  const now = found.get(day) ?? 0;
  ok(is_done ? now === after : now === before || now === after, `${day}: ${now} of ${before}`);
  wanted.set(day, now);
  await compareLake();
  deepEqual([...found].filter(([, n]) => n > 0), [...wanted].filter(([, n]) => n > 0).toSorted());
  outcome.rounds++;
  outcome.done += Number(is_done);
  out(`${round + 1}: ${fault.name} under ${what}: ${is_done ? "done" : "not acknowledged"}\n`);
}
for (const day of old_days) {
  await until("all is erased", () => service.ask({ what: "erase", day }));
}
await until("nothing is left to do", () => service.ask({ what: "publish" }));
await service.kill();
service = new Service();
await until("the lake is tended", () => service.ask({ what: "tend" }));
const left = (await store.list()).filter((name) => name.includes("/sample/"));
await service.kill();
out("\n| what | rounds | acknowledged all the same | near: stored and read after, s at most |\n");
out("| --- | --- | --- | --- |\n");
for (const [name, { rounds, done, slowest_ms }] of outcomes) {
  out(`| ${name} | ${rounds} | ${done} | ${(slowest_ms / 1000).toFixed(1)} |\n`);
}
out(`\n${acknowledged} rows were acknowledged: none was lost, none is there twice; after all old `);
out(`days were erased, the store has ${left.length} objects of samples\n`);
out(`the lake alone told of a day ${told} times, and each time what was acknowledged\n`);
for (const relay of [to_catalogue, to_store]) relay.close();
await store[Symbol.asyncDispose]();
await postgres[Symbol.asyncDispose]();
await Deno.remove(folder, { recursive: true });
Deno.exit(left.length === 0 ? 0 : 1);
