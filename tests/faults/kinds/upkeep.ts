// Work on the whole data directory is killed at any step: backup, restore, retention, tiers, order.
import { readContainer } from "../../../src/store/backup/container.ts";
import { digestRows, makeOlder } from "../folder.ts";
import { from_source, type Program, type Server } from "../../help/process.ts";
import type { Kind } from "../round.ts";
import { until } from "../until.ts";
import type { World } from "../world.ts";

const changing = ["write", "sync", "name"] as const;
const patience_ms = 60_000;
const day_ms = 86_400_000;
/** Calls to files while all days are put in order are more. */
const ordering_calls = 300;
/** Days that are old enough, and hold samples, are more. */
const moved_days = 12;
/** Puts days in order and does nothing else: a service waits long before it does. */
const order_program: Program = {
  ...from_source,
  args: [...from_source.args.slice(0, -1), new URL("../order.ts", import.meta.url).pathname],
};

/** Kills at a call to a file, or in the middle of a write. */
function killAt(world: World, { files, most }: { readonly files: string; readonly most: number }) {
  const [from, act] = [1 + world.pick(most), world.choose(["kill", "torn"] as const)];
  world.orders.give({ calls: changing, act, from, files });
  return `${act} at call ${from} to ${files}`;
}

type Listed = {
  readonly backups: readonly { readonly state: string }[];
  readonly due: readonly unknown[];
};

/** Waits until work is over by what is said at a path, or the server is; else tells so. */
function untilOver(
  { client }: World,
  server: Server,
  { path, isOver }: { readonly path: string; readonly isOver: (listed: Listed) => boolean },
): Promise<readonly string[]> {
  return until(async () => {
    const answer = await client.ask(server, path);
    if (answer === undefined) return [];
    return answer.status === 200 && isOver(JSON.parse(answer.text)) ? [] : [`${path} is not over`];
  }, patience_ms);
}

/** Every backup that lies where it belongs proves whole. */
async function proveBackups({ data_dir }: World): Promise<readonly string[]> {
  const wrong: string[] = [];
  const entries = await Array.fromAsync(Deno.readDir(`${data_dir}/backups`)).catch(() => []);
  for (const { name } of entries.filter(({ name }) => name.endsWith(".tar"))) {
    await readContainer(`${data_dir}/backups/${name}`).catch((error) => wrong.push(`${error}`));
  }
  return wrong;
}

/** A backup is made among requests. */
export const backup: Kind = async (world) => {
  const server = await world.start();
  const at = killAt(world, { files: "*/backups/*", most: 60 });
  const begun = await world.client.ask(server, "/admin/v1/backups", { method: "POST" });
  await world.client.load(server, { requests: 15 });
  const left = await untilOver(world, server, {
    path: "/admin/v1/backups",
    isOver: ({ backups }) => backups.every(({ state }) => state !== "running"),
  });
  const did = `${begun?.status} to a backup, ${at}, met: ${world.orders.met().done}`;
  return { did, wrong: [...left, ...await proveBackups(world)], check: () => proveBackups(world) };
};

/** A restore is killed; it is then tried again, or what is there is served at once. */
export const restore: Kind = async (world) => {
  // A backup holds no key: it is kept elsewhere.
  const key_path = `${world.data_dir}.key`;
  await Deno.copyFile(`${world.data_dir}/wattkeeper.key`, key_path);
  const args = ["--key-file", key_path];
  await Deno.remove(world.data_dir, { recursive: true });
  const at = killAt(world, { files: "*/data/*", most: 130 });
  const { code } = await world.run(["restore", world.backup]);
  world.orders.clear();
  const did = `a restore, ${at}, ended with ${code}`;
  if (world.pick(2) === 0) return { args, did: `${did}, then served`, may_refuse: code !== 0 };
  const again = await world.run(["restore", world.backup]);
  if (again.code === 0 || code === 0) return { args, did: `${did}, then restored` };
  const is_named = again.err.includes(world.data_dir) && again.err.includes("move it away");
  return {
    args,
    did: `${did}, then refused`,
    may_refuse: true,
    wrong: is_named ? [] : [`the second restore said ${again.err}`],
  };
};

/** Retention drops the older samples. */
export const retention: Kind = async (world) => {
  const kept = ["--keep-samples", "45d", "--keep-minutes", "50d"];
  const server = await world.start(kept);
  const at = killAt(world, { files: "*.duckdb.wal", most: 60 });
  const { client } = world;
  const kept_from_ms = Date.now() - 45 * day_ms;
  await client.load(server, { requests: 15 });
  const wrong = await untilOver(world, server, {
    path: "/admin/v1/retention",
    isOver: ({ due }) => due.length === 0,
  });
  return {
    wrong,
    did: `retention, ${at}, met: ${world.orders.met().done}`,
    args: kept,
    look: { kept_from_ms },
  };
};

/** Old days move into files. */
export const tiering: Kind = async (world) => {
  const kept = ["--tier-after", "40d"];
  const server = await world.start(kept);
  const [files, most] = world.choose([["*/tiers/*", 30], ["*.duckdb.wal", 90]] as const);
  const at = killAt(world, { files, most });
  await world.client.load(server, { requests: 15 });
  const wrong = await until(async () => {
    const answer = await world.client.ask(server, "/admin/v1/status");
    if (answer === undefined) return [];
    const { metrics: { tier_days } } = JSON.parse(answer.text);
    return tier_days.whole >= moved_days ? [] : [`${tier_days.whole} days were moved`];
  }, patience_ms);
  const did = `old days into files, ${at}, met: ${world.orders.met().done}`;
  return { did, wrong, args: kept };
};

/**
 * Days that are over are put in order: samples, and what was rolled up from them. Wherever that
 * ends, each row is there once, as it was, and all that was rolled up is what the samples give.
 */
export const ordering: Kind = async (world) => {
  const before = await digestRows(world.data_dir);
  const at = killAt(world, { files: "*.duckdb*", most: ordering_calls });
  const { code, err } = await world.run([], order_program);
  const is_met = world.orders.met().done > 0;
  world.orders.clear();
  const after = await digestRows(world.data_dir);
  const verified = await world.run(["verify"]);
  const wrong = [
    ...code === 0 || is_met ? [] : [err],
    ...before.includes(" 0 rows") ? [`there is nothing of a table: ${before}`] : [],
    ...after === before ? [] : [`${before} became ${after}`],
    ...verified.code === 0 ? [] : [verified.err],
  ];
  return { did: `days put in order, ${at}, ended with ${code}`, wrong };
};

/** A start of an older version's directory, which is backed up and migrated. */
export const upgrade: Kind = async (world) => {
  const version = 12 + world.pick(4);
  await makeOlder(world.data_dir, version);
  const at = killAt(world, { files: "*/data/*", most: 160 });
  const is_up = await world.start().then(() => true, () => false);
  return {
    did: `an upgrade from ${version}, ${at}${is_up ? ", not met" : ""}`,
    check: () => proveBackups(world),
  };
};
