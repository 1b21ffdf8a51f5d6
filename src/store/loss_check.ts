// Notices a database that lost its tail: the last committed stamp, kept in it and in a small file.
import { Fault } from "../base/fault.ts";
import type { Database } from "./database.ts";
import { replaceFile } from "./folder.ts";
import { keepFacts, readFact } from "./meta.ts";

/** How a database with less than was once committed is taken. */
export type LossPolicy = "refuse" | "accept";

/** Keeps the last committed stamp beside the database and compares the two at start. */
export class Guard {
  readonly #database: Database;
  readonly #path: string;
  #kept_us: number;

  private constructor(database: Database, path: string, kept_us: number) {
    this.#database = database;
    this.#path = path;
    this.#kept_us = kept_us;
  }

  /**
   * Compares `database` with the file at `path`. A database that holds less than the file says was
   * committed, or a file that says nothing, is refused with a `Fault` (conflict), unless the loss
   * is accepted.
   */
  static async open(database: Database, path: string, on_loss: LossPolicy): Promise<Guard> {
    const committed_us = await readStamp(path, on_loss);
    const found_us = await storedStamp(database);
    if (found_us < committed_us && on_loss === "refuse") throw lost(committed_us, found_us);
    if (found_us < committed_us) await replace(path, found_us);
    return new Guard(database, path, found_us);
  }

  /** Stores the stamp, if anything was committed since the last one; says whether that was so. */
  async keep(): Promise<boolean> {
    if (this.#database.committed_us === this.#kept_us) return false;
    const stamp_us = await this.#database.write(async ({ connection, stamp_us }) => {
      await keepFacts(connection, { stamp: stamp_us });
      return stamp_us;
    });
    await replaceFile(this.#path, `${stamp_us}\n`);
    // Not what is committed by now: another write may have come in between.
    this.#kept_us = stamp_us;
    return true;
  }
}

/**
 * What the file at `path` says was committed, 0 when there is none. One that says nothing is
 * refused with a `Fault` (conflict), or, where the loss is accepted, taken for Infinity.
 */
export async function readStamp(path: string, on_loss: LossPolicy): Promise<number> {
  const read = await readText(path);
  if (read === undefined) return 0;
  if ("text" in read && /^\d{1,16}\n$/.test(read.text)) return Number(read.text);
  if (on_loss === "accept") return Infinity;
  const reason = "flaw" in read ? read.flaw : read.text === "" ? "it is empty" : "it is damaged";
  throw new Fault(
    "conflict",
    `the file ${path} does not say what was committed last: ${reason}. Restore a backup, or ` +
      "serve what the database holds with --accept-data-loss",
  );
}

/** Writes the file again; one that can't be is for a person to take away. */
async function replace(path: string, stamp_us: number): Promise<void> {
  try {
    await replaceFile(path, `${stamp_us}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("conflict", `the file ${path} can't be written: ${reason}. Take it away`);
  }
}

async function readText(path: string): Promise<{ text: string } | { flaw: string } | undefined> {
  try {
    return { text: await Deno.readTextFile(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return { flaw: error instanceof Error ? error.message : String(error) };
  }
}

/** What a person is told about a database that ends before `committed_us`. */
export function lost(committed_us: number, found_us: number): Fault {
  const time = (us: number) => us === 0 ? "nothing" : new Date(us / 1000).toISOString();
  return new Fault(
    "conflict",
    `data was lost: ${time(committed_us)} was committed, but the database ends at ` +
      `${time(found_us)}. Restore a backup, or serve what is left with --accept-data-loss`,
  );
}

async function storedStamp(database: Database): Promise<number> {
  return Number(await database.read((connection) => readFact(connection, "stamp")) ?? 0);
}
