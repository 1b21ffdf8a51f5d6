// The bench's plant, SOLAR-100: a database file made by SQL, and a server process over it.
import world_sql from "./world.sql" with { type: "text" };
import { systemEffects } from "../../src/base/effects.ts";
import { Access } from "../../src/engine/access/access.ts";
import type { Database } from "../../src/store/database.ts";
import { Folder, sizeOf } from "../../src/store/folder.ts";
import { openDatabase } from "../../src/store/open.ts";
import { type Server, startServer } from "../help/process.ts";

/** How much of the plant there is, up to its last day. */
export type Size = {
  /** Of the big project, at most 500. */
  readonly inverters: number;
  /** Days of quarter-hours and of days; then of minutes, and of samples. */
  readonly days: number;
  readonly minute_days: number;
  readonly sample_days: number;
  /** Snapshots of issues, in a database of their own. */
  readonly snapshots: number;
};

const whole = { inverters: 500, days: 365 };
export const small: Size = { ...whole, minute_days: 7, sample_days: 2, snapshots: 100_000 };
export const full: Size = { ...whole, minute_days: 28, sample_days: 28, snapshots: 1_000_000 };

/** The last local day of the plant's data. */
export const last_day = 20_454;

/** The plant on disk, closed. */
export type World = { readonly folder: string; readonly token: string; readonly size: Size };

/** Makes the plant in a new directory; the caller removes it. */
export async function makeWorld(size: Size): Promise<World> {
  const folder = await Deno.makeTempDir({ prefix: "wattkeeper-bench-" });
  const token = await withDatabase(folder, async (database) => {
    const sizes = Object.entries(size).map(([name, value]) => `SET VARIABLE ${name} = ${value}`);
    for (const statement of [...sizes, ...world_sql.split(/;\n\n/)]) {
      await database.write(({ connection }) => connection.script(statement));
      await database.checkpoint();
    }
    const access = await Access.open({ database, effects: systemEffects() });
    return access.first_token!;
  });
  return { folder, token, size };
}

/** Opens the plant's database in this process; no server may run on it. */
export async function withDatabase<T>(
  path: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const folder = await Folder.open(path);
  const key_path = `${path}/wattkeeper.key`;
  const options = { effects: systemEffects(), memory_mb: 4096, on_loss: "refuse" } as const;
  const { database } = await openDatabase(folder, { ...options, key_path });
  try {
    return await work(database);
  } finally {
    await database.close();
    folder.close();
  }
}

/** A server over the plant while `work` runs. */
export async function withServer<T>(
  { folder }: World,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await startServer(folder);
  try {
    return await work(server);
  } finally {
    await server.end("SIGTERM");
  }
}

/** The size of the plant's file in bytes. */
export function worldBytes({ folder }: World): Promise<number> {
  return sizeOf(`${folder}/wattkeeper.duckdb`);
}
