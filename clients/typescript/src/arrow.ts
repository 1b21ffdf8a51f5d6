// Answers as tables of apache-arrow, which a program has beside this package.
import { type Table, tableFromIPC } from "apache-arrow";
import type { Options, Tables, Wattkeeper } from "./client.ts";

/** The rows of `performance`, `availability`, `losses` or `signals` as an Arrow table. */
export async function readTable<N extends keyof Tables>(
  client: Wattkeeper,
  name: N,
  { signal, ...ask }: Tables[N] & Options,
): Promise<Table> {
  return tableFromIPC(await client.arrow(name, ask as Tables[N], { signal }));
}
