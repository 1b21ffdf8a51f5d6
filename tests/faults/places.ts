// Where the program writes, and how often about while a round works.
import type { World } from "./world.ts";

const places = {
  "*.duckdb.wal": 30,
  "*.stamp": 30,
  "*.duckdb": 12,
  "*/photos/*": 8,
  "*/data/*": 60,
};

/** One of the places by chance, and a call to it. */
export function somewhere(world: World): { readonly files: string; readonly from: number } {
  const [files, most] = world.choose(Object.entries(places));
  return { files, from: 1 + world.pick(most) };
}
