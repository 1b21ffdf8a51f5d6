// Files that were damaged while nothing ran: everything that was acknowledged, or a refusal.
import { damage } from "../folder.ts";
import type { Kind } from "../round.ts";

const names = ["duckdb.wal", "duckdb", "stamp", "lock", "door"];

/** A log that was cut, or ends in zeros, anywhere. */
export const torn_log: Kind = async (world) => {
  const way = world.choose(["cut", "zeroed"] as const);
  let at = 0;
  await damage(`${world.data_dir}/wattkeeper.duckdb.wal`, (bytes) => {
    const reach = world.choose([50, 3000, bytes.length]);
    at = bytes.length - 1 - world.pick(Math.min(reach, bytes.length));
    return way === "cut" ? bytes.slice(0, at) : void bytes.fill(0, at);
  });
  return { did: `the log was ${way} at ${at}`, may_refuse: true };
};

/** One bit of a file. */
export const flipped: Kind = async (world) => {
  const name = world.choose(names);
  let at = 0;
  const path = `${world.data_dir}/wattkeeper.${name}`;
  await damage(path, (bytes) => {
    // The headers are where least is redundant.
    at = world.pick(world.pick(2) === 0 ? Math.min(bytes.length, 12_300) : bytes.length);
    bytes[at] ^= 1 << world.pick(8);
  });
  return { did: `a bit of ${name} was flipped at ${at}`, may_refuse: true };
};

/** A file that is gone, empty, or another. */
export const spoilt: Kind = async (world) => {
  const name = world.choose(names);
  const way = world.choose(["removed", "empty", "half", "garbage"] as const);
  const path = `${world.data_dir}/wattkeeper.${name}`;
  if (way === "removed") await Deno.remove(path);
  else {
    await damage(path, (bytes) => {
      if (way === "empty") return bytes.slice(0, 0);
      if (way === "half") return bytes.slice(0, bytes.length >> 1);
      bytes.fill(7);
    });
  }
  return { did: `${name} was ${way}`, may_refuse: true };
};
