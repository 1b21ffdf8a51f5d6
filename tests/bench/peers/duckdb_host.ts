// `duckdb_host.ts FILE`: DuckDB in a process of its own, asked by lines of JSON as in host.ts.
import { createInterface } from "node:readline";
import process from "node:process";
import { systemEffects } from "../../../src/base/effects.ts";
import { DuckTable } from "./duckdb_table.ts";
import type { Asked } from "./host.ts";

const table = await DuckTable.open(Deno.args[0]);
const { out } = systemEffects();
const lines = createInterface({ input: process.stdin });
lines.on("line", async (line) => {
  const { id, ...asked } = JSON.parse(line) as Asked & { readonly id: number };
  try {
    out(`${JSON.stringify({ id, rows: await answer(asked) })}\n`);
  } catch (error) {
    out(`${JSON.stringify({ id, error: String(error) })}\n`);
  }
});
lines.on("close", () => table.close());

async function answer(asked: Asked): Promise<number> {
  if ("rows" in asked) return await table.rows(asked.rows);
  if ("run" in asked) await table.run(asked.run);
  else await table.load(await Deno.readFile(asked.load), asked.client);
  return 0;
}
