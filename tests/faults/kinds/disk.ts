// The disk is full and heals, fails, or takes less than it was given.
import { exit_codes } from "../../../src/cli/frame/exit.ts";
import type { Order } from "../preload.ts";
import { countAll, Unread } from "../count.ts";
import { somewhere } from "../places.ts";
import type { Deed, Kind } from "../round.ts";
import type { World } from "../world.ts";

/** Works under an order, then without it: what the process takes then, it keeps. */
async function work(world: World, order: Order): Promise<Deed> {
  const server = await world.start();
  world.orders.give(order);
  await world.client.load(server, { requests: 20 });
  const wrong = await countAll(server, world.client).catch((error) => {
    if (error instanceof Unread) return [];
    throw error;
  });
  const { done } = world.orders.met();
  world.orders.clear();
  await world.client.load(server, { requests: 8 });
  if (world.pick(2) === 0) await server.end("SIGTERM");
  const { act, error = "", calls, files, from, count } = order;
  const did = `${act} ${error} ${calls} to ${files}, ${count} from ${from}, met: ${done}`;
  return { did, wrong };
}

export const full: Kind = (world) => {
  const place = somewhere(world);
  const count = 1 + world.pick(200);
  return work(world, { calls: ["write"], act: "fail", error: "ENOSPC", count, ...place });
};

export const short_write: Kind = (world) => {
  const count = 1 + world.pick(5);
  return work(world, { calls: ["write"], act: "short", count, ...somewhere(world) });
};

/** A call fails, as those of a dying disk do; the process may end for it, and is started again. */
export const failing: Kind = (world) => {
  const calls = [world.choose(["write", "sync", "read"] as const)];
  const place = calls[0] === "read" ? { files: "*.duckdb", from: 1 } : somewhere(world);
  return work(world, { calls, act: "fail", error: "EIO", count: 1 + world.pick(20), ...place });
};

/** The same while it starts: a start that fails says why. */
export const failing_start: Kind = async (world) => {
  const calls = [world.choose(["write", "sync", "read", "name"] as const)];
  const files = world.choose(["*/data/*", "*.duckdb*", "*.stamp*"]);
  const error = world.choose(["EIO", "ENOSPC"] as const);
  const [from, count] = [1 + world.pick(20), 1 + world.pick(20)];
  world.orders.give({ calls, act: "fail", error, from, count, files });
  const said = await world.start().then(() => "", (error) => `${error}`);
  const did = `${error} ${calls} to ${files}, ${count} from ${from} at a start`;
  const is_named = said.includes(world.data_dir) && !said.includes("error in the program");
  return { did, wrong: said === "" || is_named ? [] : [`a start said ${said}`] };
};

/** The log can't be brought to the disk, once: the program notices, and ends to begin again. */
export const unsynced: Kind = async (world) => {
  const server = await world.start();
  const from = 1 + world.pick(30);
  world.orders.give({ calls: ["sync"], act: "fail", from, files: "*.duckdb.wal" });
  await world.client.load(server, { requests: 60 });
  const { done } = world.orders.met();
  world.orders.clear();
  const did = `sync ${from} of the log failed, met: ${done}`;
  if (done === 0) return { did };
  const code = await server.ended;
  return { did, wrong: code === exit_codes.restart ? [] : [`it ended with ${code}`] };
};
