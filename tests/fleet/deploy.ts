// `deno run -A tests/fleet/deploy.ts [all|compose|systemd]`: three nodes, PostgreSQL and an object
// store as package/fleet has them, without containers and without systemd: their files are read,
// and what these say is started as processes, sent to, asked at each node, stopped, started again.
import { deepEqual, equal, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { runProgram, tested_program } from "../help/process.ts";
import { newestBin } from "../help/postgres.ts";
import { findStore, listObjects } from "../help/store.ts";
import { composed, type Machine, supervised, type Task, unitFiles } from "./files.ts";
import { argumentsOf, pause } from "./fleet_world.ts";

const { out } = systemEffects();
const usage = "deno run -A tests/fleet/deploy.ts [all|compose|systemd]";
const [chosen] = argumentsOf(usage, [["all", /^(all|compose|systemd)$/]]);
const versitygw = findStore();
const postgres = await newestBin();
const extensions = Deno.env.get("LAKE_EXTENSIONS");
if (versitygw === undefined || postgres === undefined || Deno.uid() !== 0 || !extensions) {
  const needs = "PostgreSQL, versitygw, LAKE_EXTENSIONS, and root who may start PostgreSQL";
  out(`it needs ${needs}: nothing was tried\n`);
  Deno.exit(1);
}
const names = ["a", "b", "c"];
const secrets = Object.fromEntries(
  ["FLEET_SECRET", "DB_PASSWORD", "STORE_SECRET"].map((it) => [it, crypto.randomUUID()]),
);
// Each machine has an address of its own: what they listen on is as the files say.
const hosts = new Map(
  ["db", "store", ...names.map((it) => `node-${it}`)].map((it, i) => [it, `127.77.0.${i + 1}`]),
);
const addressOf = (name: string) => `http://${hosts.get(`node-${name}`)}:8480`;
const now_ms = Date.now();
const day_ms = 86_400_000;
const ways = { compose: tryCompose, systemd: trySystemd };
for (const [name, way] of Object.entries(ways)) {
  if (chosen !== "all" && chosen !== name) continue;
  const folder = await Deno.makeTempDir({ dir: "/tmp", prefix: "fleet-files-" });
  await Deno.chmod(folder, 0o755);
  await way(folder);
  await Deno.remove(folder, { recursive: true });
}

async function tryCompose(folder: string): Promise<void> {
  const folders = [["/data", `${folder}/shards`]] as const;
  const store = [["/data", `${folder}/lake`]] as const;
  const machine: Machine = { hosts, secrets, folders };
  const tasks = composed(machine)
    .map((it) => it.what === "store" ? storeOf(composed({ ...machine, folders: store })) : it);
  await tryTasks("compose.yaml", folder, tasks);
}

async function trySystemd(folder: string): Promise<void> {
  const machines = names.map((node) => ({
    ...{ node, hosts, secrets },
    folders: [
      ["/etc/wattkeeper", `${folder}/etc-${node}`],
      ["/var/lib/wattkeeper-store", `${folder}/lake`],
      ["/var/lib/wattkeeper", `${folder}/var-${node}`],
    ] as const,
  }));
  const { tasks, files } = supervised(machines);
  for (const { path, text } of files) await put(path, text);
  await verifyUnits(`${folder}/units`);
  await tryTasks("the files for systemd", folder, tasks);
}

/** Lets systemd judge the units, where it is there. */
async function verifyUnits(folder: string): Promise<void> {
  const files = unitFiles({ wattkeeper: tested_program.command, versitygw: versitygw! });
  for (const [name, text] of Object.entries(files)) await put(`${folder}/${name}`, text);
  const units = Object.keys(files).filter((it) => it.endsWith(".service"));
  const args = ["verify", "--man=no", ...units.map((it) => `${folder}/${it}`)];
  const said = await new Deno.Command("systemd-analyze", { args }).output().catch(() => undefined);
  if (said === undefined) return out("there is no systemd-analyze: units were not verified\n");
  const text = new TextDecoder().decode(said.stderr);
  deepEqual([said.code, text], [0, ""]);
  out(`systemd-analyze verify finds nothing in ${units.join(", ")}\n`);
}

/** Runs it all: what is sent at any node is read at each, near and in the lake. */
async function tryTasks(what: string, folder: string, tasks: readonly Task[]): Promise<void> {
  const nodes = tasks.filter((it) => it.what === "program" && !it.is_first);
  const running = new Map<string, Running>();
  const begin = async (task: Task) => {
    running.set(task.name, await start(task, folder));
  };
  try {
    for (const task of tasks.filter((it) => it.what !== "program")) await begin(task);
    await installExtensions(nodes);
    for (const node of nodes) await begin(node);
    const token = await until(
      "a node prints the token",
      () =>
        nodes.map(({ name }) => /shown only now: (wk_\w+)/.exec(running.get(name)!.said)?.[1])
          .find((it) => it !== undefined),
    );
    const projects = ["p1", "p2"];
    for (const key of projects) await declare(key, token);
    for (const key of projects) for (const name of names) await send({ key, name, token });
    const read = async () => {
      for (const key of projects) {
        for (const name of names) {
          const rows = await until(`${name} tells of ${key}`, () => count({ key, name, token }));
          equal(rows, 3 * 2, `${key} at ${name}`);
        }
      }
    };
    await read();
    out(`${what}: rows of ${projects.length} projects, sent at each node, are read at each\n`);
    for (const node of nodes) {
      equal(await running.get(node.name)!.stop(), 0, `${node.name} ends well`);
      await begin(node);
      await until("each node answers", async () => {
        const ready = await Promise.all(names.map(isReady));
        return ready.every((it) => it) || undefined;
      });
    }
    await read();
    out(`${what}: each node was stopped and started, and all is read at each\n`);
    const { ROOT_ACCESS_KEY: key_id, ROOT_SECRET_KEY: secret } = storeOf(tasks).env;
    const list = () => listObjects(`http://${hosts.get("store")}:7070/lake`, { key_id, secret });
    const objects = await until("old days are in the store", async () => {
      const found = (await list()).filter((it) => it.includes("/sample/"));
      return found.length >= projects.length ? found : undefined;
    });
    ok(objects.every((it) => it.startsWith("fleet/shard-00")), objects.join("\n"));
    await read();
    out(`${what}: ${objects.length} objects in the store, and all is read at each node\n`);
  } catch (error) {
    for (const [name, { said }] of running) out(`${name}: ${said.slice(-2000)}\n`);
    throw error;
  } finally {
    // The nodes first: they give their shards back.
    for (const it of [...running.values()].toReversed()) await it.stop();
  }
  out(`${what}: all is stopped\n`);
}

type Running = { readonly said: string; readonly stop: () => Promise<number> };

/** Starts a process as its task says; PostgreSQL is made first, as its image does. */
async function start(task: Task, folder: string): Promise<Running> {
  const host = hosts.get(task.name)!;
  if (task.what === "database") return await startDatabase(task, { host, folder });
  if (task.what === "store") {
    const args = task.args.map((it) => it === ":7070" ? `${host}:7070` : it);
    await Deno.mkdir(`${args.at(-1)}/lake`, { recursive: true });
    return run(versitygw!, { args, env: task.env });
  }
  const env = { WATTKEEPER_STOP_NOTICE_MS: "0", WATTKEEPER_MEMORY_MB: "600", ...task.env };
  const own = { ...env, WATTKEEPER_HOST: host };
  return run(tested_program.command, { args: [...tested_program.args, ...task.args], env: own });
}

async function startDatabase(
  { env }: Task,
  { host, folder }: { readonly host: string; readonly folder: string },
): Promise<Running> {
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(Deno.readTextFileSync("/etc/passwd"))!;
  const as = { uid: Number(uid), gid: Number(gid), cwd: "/" };
  const data = `${folder}/db`;
  await Deno.mkdir(data);
  await put(`${folder}/password`, env.POSTGRES_PASSWORD);
  for (const path of [data, `${folder}/password`]) await Deno.chown(path, as.uid, as.gid);
  const user = ["--username", env.POSTGRES_USER];
  const made = ["--auth", "scram-sha-256", "--pwfile", `${folder}/password`, "--no-sync"];
  const { success } = await new Deno.Command(`${postgres}/initdb`, {
    ...{ ...as, args: ["-D", data, ...user, ...made], stdout: "null" },
  }).output();
  ok(success, "PostgreSQL is made");
  const args = ["-D", data, "-c", `listen_addresses=${host}`, "-c", "unix_socket_directories="];
  const running = run(`${postgres}/postgres`, { args, env: {}, as });
  await until("PostgreSQL answers, and has its database", async () => {
    const { success } = await new Deno.Command(`${postgres}/createdb`, {
      args: ["--host", host, ...user, env.POSTGRES_DB],
      env: { PGPASSWORD: env.POSTGRES_PASSWORD },
      ...{ stdout: "null", stderr: "null" },
    }).output();
    return success || undefined;
  });
  return running;
}

function run(
  command: string,
  { args, env, as = {} }: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly as?: { readonly uid?: number; readonly gid?: number; readonly cwd?: string };
  },
): Running {
  const kept = ["PATH", "HOME", "DENO_DIR", "TMPDIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const child = new Deno.Command(command, {
    ...{ ...as, args: [...args], env: { ...Object.fromEntries(kept), ...env }, clearEnv: true },
    ...{ stdin: "null", stdout: "null", stderr: "piped" },
  }).spawn();
  const running = {
    said: "",
    async stop() {
      try {
        child.kill("SIGTERM");
      } catch {
        // It has ended.
      }
      return (await child.status).code;
    },
  };
  void (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      running.said += text;
    }
  })();
  return running;
}

/** What `extension install` does, from the files that are here. */
async function installExtensions(nodes: readonly Task[]): Promise<void> {
  for (const { args, env } of nodes) {
    const settings = args.includes("--config") ? args.slice(0, 2) : [];
    const words = [...settings, "extension", "install", "--from", extensions!];
    const { code, err } = await runProgram(words, { program: tested_program, env });
    equal(code, 0, err);
  }
}

type Asking = { readonly key: string; readonly name: string; readonly token: string };

async function isReady(name: string): Promise<true | undefined> {
  const answer = await fetch(`${addressOf(name)}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok || undefined;
}

async function declare(key: string, token: string): Promise<void> {
  const site = {
    ...{ version: 1, organization: { key: "o", name: "O" } },
    project: { key, name: "P", timezone: "UTC" },
    site: { key: `s-${key}`, name: "S", latitude: 0, longitude: 0 },
  };
  await until(`project ${key} is made`, async () => {
    const answer = await fetch(`${addressOf("a")}/admin/v1/sites/s-${key}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(site),
    });
    await answer.body?.cancel();
    return answer.ok || undefined;
  });
}

/** Two rows of one's own: one of today, one that is old enough for the lake. */
async function send({ key, name, token }: Asking): Promise<void> {
  const rows = [now_ms, now_ms - 100 * day_ms].map((ms) => ({
    ...{ tag: name, ts: new Date(ms).toISOString(), value: 1 },
  }));
  // Other nodes know of a new project within some seconds.
  await until(`${name} takes rows of ${key}`, async () => {
    const answer = await fetch(`${addressOf(name)}/ingest/v1/signals?project_id=${key}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
      body: rows.map((it) => JSON.stringify(it)).join("\n"),
    });
    const { accepted } = await answer.json();
    return accepted === rows.length || undefined;
  });
}

/** How many rows a node tells; undefined while their shard moves. */
async function count({ key, name, token }: Asking): Promise<number | undefined> {
  const question = new URLSearchParams({
    ...{ project_id: key, resolution: "raw" },
    from: new Date(now_ms - 101 * day_ms).toISOString(),
    to: new Date(now_ms + day_ms).toISOString(),
  });
  const answer = await fetch(`${addressOf(name)}/platform/v1/signals?${question}`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/x-ndjson" },
  });
  const text = await answer.text();
  if (answer.status === 503) return undefined;
  equal(answer.status, 200, text);
  return text.split("\n").filter(Boolean).length;
}

function storeOf(tasks: readonly Task[]): Task {
  return tasks.find(({ what }) => what === "store")!;
}

async function put(path: string, text: string): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, text);
}

/** Waits for what `find` gives. */
async function until<T>(
  what: string,
  find: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  for (let tries = 0; tries < 300; tries++) {
    const found = await find();
    if (found !== undefined) return found;
    await pause(300);
  }
  throw new Error(`not in time: ${what}`);
}
